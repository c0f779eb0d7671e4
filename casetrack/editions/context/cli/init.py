"""``ctx init``: write a first config."""

from pathlib import Path
from typing import Annotated

import typer

from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.output import line, write_text


def init(ctx: typer.Context, show: Annotated[bool, typer.Option("--print")] = False) -> None:
    """Write a config for this folder with every key explained; check an existing one instead.

    The file is .ctx/config.toml, or the path in --config or CTX_CONFIG.

    Parameters
    ----------
    show
        Only show the config; write nothing.
    """
    state = ctx.ensure_object(ContextState)
    from casetrack.editions.context.config import config_text
    from casetrack.editions.context.files import PROJECT_FILES, named_file, project_file

    if show:
        write_text(config_text())
        return
    path = named_file(state.config_file) or project_file(Path.cwd())
    if path is None or not path.exists():
        path = path or Path.cwd() / PROJECT_FILES[0]
        _write(path, config_text())
        line(("Written: ", "bold"), str(path))
    home = state.home
    home.make()
    config = home.config
    line(("Config: ", "bold"), " over ".join(str(file) for file in config.files))
    line(("Data: ", "bold"), str(config.data_dir))
    line(("Sources: ", "bold"), ", ".join(s.label for s in config.sources) or "none yet")
    for note in config.notes:
        line((f"Note: {note}", "yellow"))
    line("Next: ctx sync all")


def _write(path: Path, text: str) -> None:
    from casetrack.base.files import storage_errors

    with storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if path.parent.name == ".ctx":
            # The config belongs in the repository, the derived data does not.
            (path.parent / ".gitignore").write_text("/data/\n", encoding="utf-8")
