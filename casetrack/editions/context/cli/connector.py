"""``ctx connector``: create and check a custom source."""

import json
import re
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from casetrack.base.errors import SourceChanged, SourceSkipped, UsageError
from casetrack.editions.context.cli.sources import source_names
from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.options import JsonOption, described, opt
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import EXIT_FAILED
from casetrack.ingest.walk import suffix_of
from casetrack.keep.sources.base import Item, Source, counted, listed

if TYPE_CHECKING:
    import threading

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


# Tests of a source against its interface, for its author or user.

_SHOWN = 5


@dataclass(slots=True)
class Contract:
    """Result of a test."""

    items: int = 0
    first: list[Item] = field(default_factory=list)
    passed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def check(
    source: Source, /, *, fetches: int = 3, cancel: "threading.Event | None" = None
) -> Contract:
    """List a source twice and fetch *fetches* of its items; nothing is stored."""
    result = Contract()
    items = list(source.items(cancel=cancel))
    result.items, result.first, result.notes = len(items), items[:_SHOWN], list(source.notes)
    result.passed.append(f"Lists {counted(len(items), 'item')}.")
    if not items:
        result.problems.append("It has no items: check its settings and its globs.")
        return result
    _check_listing(items, result)
    _check_again(items, list(source.items(cancel=cancel)), result)
    _check_contents(source, items[:fetches], result, cancel)
    return result


def _check_listing(items: list[Item], result: Contract) -> None:
    from casetrack.parse import known_extensions

    times = Counter(item.source_id for item in items)
    twice = [name for name, count in times.items() if count > 1]
    if twice:
        result.problems.append(f"Ids are not unique: {listed(twice)}. Give each item its own.")
    else:
        result.passed.append("Every item has its own id.")
    readable = set(known_extensions())
    unread = [i.source_id for i in items if suffix_of(i.name or i.source_id) not in readable]
    if unread:
        result.problems.append(
            f"{counted(len(unread), 'item')} would not be readable: {listed(unread)}. Their "
            "extensions have no known format; exclude them, or set their type."
        )
    undated = sum(item.updated_at is None for item in items)
    if undated:
        result.problems.append(
            f"{counted(undated, 'item')} without a time of change: --since does not find them."
        )
    else:
        result.passed.append("Every item has a time of change.")


def _check_again(before: list[Item], after: list[Item], result: Contract) -> None:
    tokens = {item.source_id: item.token for item in before}
    others = [i.source_id for i in after if tokens.get(i.source_id) != i.token]
    missing = len(before) - (len(after) - sum(i.source_id not in tokens for i in after))
    if others or missing:
        result.problems.append(
            f"A second listing differs in {counted(len(others) + missing, 'item')}: "
            f"{listed(others) or 'some are missing'}. Unless it was changed just now, each sync "
            "would read these again: omit values that differ from call to call, such as the time."
        )
    else:
        result.passed.append("A second listing is the same.")


def _check_contents(
    source: Source, items: list[Item], result: Contract, cancel: "threading.Event | None"
) -> None:
    with tempfile.TemporaryDirectory(prefix="casetrack-") as folder:
        fetched = [item for item in items if source.file(item) is None]
        source.prepare(fetched, cancel=cancel)
        for number, item in enumerate(items):
            target = source.file(item) or Path(folder) / str(number)
            try:
                if item in fetched:
                    source.fetch(item, target, cancel=cancel)
                size = target.stat().st_size
            except (SourceSkipped, SourceChanged) as error:
                result.problems.append(error.message)
                continue
            if not size:
                result.problems.append(f"{item.source_id} is empty.")
            elif item.size is not None and item.size != size:
                result.problems.append(
                    f"{item.source_id} has {size:,} bytes, but its listing says {item.size:,}."
                )
            else:
                result.passed.append(f"{item.source_id}: {size:,} bytes.")
    source.close()
