"""``ctx connector``: create and check a custom source."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from casetrack.base.errors import UsageError
from casetrack.editions.context.cli.sources import source_names
from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.options import JsonOption, described, opt
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import EXIT_FAILED

if TYPE_CHECKING:
    from casetrack.keep.sources.base import Source
    from casetrack.keep.sources.contract import Contract

_FOLDER = Path("connectors")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")
_PROGRAMS = Path(__file__).with_name("connectors")


@described(name="NAME", kind="--kind")
def init(name: str, kind: Literal["example", "github"] = "example") -> None:
    """Create a script source that works: connectors/NAME.py.

    Parameters
    ----------
    name
        Name of the source.
    kind
        github: issues, pull requests and wiki of a repository.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} is not a valid name of a source.",
            hint="Use letters, digits, '.', '_' and '-'; begin with a letter or a digit.",
        )
    from casetrack.base.files import storage_errors

    path = _FOLDER / f"{name}.py"
    if path.exists():
        raise UsageError(f"{path} already exists.", hint="Choose another name, or delete the file.")
    with storage_errors(path):
        path.parent.mkdir(exist_ok=True)
        program = _PROGRAMS / f"{kind}.txt"
        path.write_text(program.read_text("utf-8").replace("{name}", name), encoding="utf-8")
        path.chmod(0o755)
    line(("Written: ", "bold"), str(path))
    line("Add it to your config:")
    line(f'[connectors.script.{name}]\npath = "{path.as_posix()}"', indent=2)
    if kind == "github":
        line('repository = "acme/platform"\ntoken = "${GITHUB_TOKEN}"', indent=2)
    line(f"Next: ctx connector test script:{name}")


@described(source=opt("SOURCE", autocompletion=source_names), settings="--source NAME")
def try_source(
    ctx: typer.Context, source: str, settings: str | None = None, as_json: JsonOption = False
) -> int:
    """Check a source: list it twice and fetch some of its items. Nothing is stored.

    Exit code 1 means that the source violates the contract of sources.

    Parameters
    ----------
    source
        A source of the config, such as script:tickets, or the path of a program.
    settings
        Give a program the keys of this script source.
    """
    from casetrack.keep.sources.contract import check

    result = check(_source(ctx.ensure_object(ContextState), source, settings))
    if as_json:
        write_json(
            {
                "source": source,
                "ok": not result.problems,
                "items": result.items,
                **{name: getattr(result, name) for name in ("passed", "problems", "notes")},
            }
        )
    else:
        _show(result)
    return EXIT_FAILED if result.problems else 0


def _source(state: ContextState, named: str, settings: str | None) -> "Source":
    path = Path(named).expanduser()
    if not path.is_file() and settings is None:
        chosen = state.home.config.select(named)
        if len(chosen) > 1:
            raise UsageError(
                f"{named!r} matches several sources.",
                hint=f"Name one of: {', '.join(s.label for s in chosen)}.",
            )
        return state.home.source(chosen[0])
    from casetrack.keep.sources import open_source

    keys: dict[str, object] = {}
    if settings is not None:
        keys |= state.home.config.select(f"script:{settings.removeprefix('script:')}")[0].settings()
    keys["path"] = str(path.absolute())
    return open_source("script", settings or "program", keys, base=Path.cwd())


def _show(result: "Contract") -> None:
    for item in result.first:
        facts = {"title": item.title, "updated_at": item.updated_at, "url": item.url}
        shown = {name: str(value) for name, value in facts.items() if value is not None}
        line((item.source_id, "cyan"), f"  {json.dumps(shown, ensure_ascii=False)}")
    for text in result.passed:
        line(("ok       ", "green"), text)
    for text in result.notes:
        line(("note     ", "yellow"), text)
    for text in result.problems:
        line(("problem  ", "bold red"), text)
