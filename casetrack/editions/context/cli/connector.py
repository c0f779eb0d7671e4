"""``ctx connector``: a source of one's own, begun and checked."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from casetrack.api.operation import Arg
from casetrack.base.errors import UsageError
from casetrack.editions.context.cli.sources import source_names
from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.options import JsonOption, described, option
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import EXIT_FAILED

if TYPE_CHECKING:
    from casetrack.keep.sources.base import Source
    from casetrack.keep.sources.contract import Contract

_FOLDER = Path("connectors")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_PROGRAM = Path(__file__).with_name("connector.txt")


@described(name=option(Arg("What to call the source.", "NAME")))
def init(name: str) -> None:
    """Write a script source to begin with: connectors/NAME.py, which works as it is."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} cannot be the name of a source.",
            hint="Use letters, digits, '.', '_' and '-', and begin with a letter or a digit.",
        )
    from casetrack.base.files import storage_errors

    path = _FOLDER / f"{name}.py"
    if path.exists():
        raise UsageError(f"{path} is there already.", hint="Choose another name, or remove it.")
    with storage_errors(path):
        path.parent.mkdir(exist_ok=True)
        path.write_text(_PROGRAM.read_text("utf-8").replace("{name}", name), encoding="utf-8")
        path.chmod(0o755)
    line(("Written: ", "bold"), str(path))
    line("Add it to your config:")
    line(f'[connectors.script.{name}]\npath = "{path.as_posix()}"', indent=2)
    line(f"Next: ctx connector test script:{name}")


@described(
    source=option(
        Arg("A source of the config, such as script:tickets, or the path of a program.", "SOURCE"),
        autocompletion=source_names,
    ),
    settings=option(Arg("Give a program the keys of this script source.", "--source NAME")),
)
def try_source(
    ctx: typer.Context, source: str, settings: str | None = None, as_json: JsonOption = False
) -> int:
    """Check a source: it is listed twice and some of its items are fetched. Nothing is stored.

    Exit code 1 says that it does not keep what is expected of a source.
    """
    from casetrack.keep.sources.contract import check

    found = check(_source(ctx.ensure_object(ContextState), source, settings))
    if as_json:
        write_json(
            {
                "source": source,
                "ok": not found.problems,
                "items": found.items,
                **{name: getattr(found, name) for name in ("passed", "problems", "notes")},
            }
        )
    else:
        _show(found)
    return EXIT_FAILED if found.problems else 0


def _source(state: ContextState, named: str, settings: str | None) -> "Source":
    path = Path(named).expanduser()
    if not path.is_file() and settings is None:
        chosen = state.home.config.select(named)
        if len(chosen) > 1:
            raise UsageError(
                f"{named!r} is more than one source.",
                hint=f"Name one of: {', '.join(s.label for s in chosen)}.",
            )
        return state.home.source(chosen[0])
    from casetrack.keep.sources import open_source

    keys: dict[str, object] = {}
    if settings is not None:
        keys |= state.home.config.select(f"script:{settings.removeprefix('script:')}")[0].settings()
    keys["path"] = str(path.absolute())
    return open_source("script", settings or "program", keys, base=Path.cwd())


def _show(found: "Contract") -> None:
    for item in found.first:
        facts = {"title": item.title, "updated_at": item.updated_at, "url": item.url}
        told = {name: str(value) for name, value in facts.items() if value is not None}
        line((item.source_id, "cyan"), f"  {json.dumps(told, ensure_ascii=False)}")
    for said in found.passed:
        line(("ok       ", "green"), said)
    for said in found.notes:
        line(("note     ", "yellow"), said)
    for said in found.problems:
        line(("problem  ", "bold red"), said)
