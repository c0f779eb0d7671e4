"""``ctx search``, ``get`` and ``sources``: find documents, read them, list their sources."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

import casetrack.editions.context.text  # noqa: F401 - functions by the classes of records
from casetrack.api.operation import OF_EDITIONS, summary_of
from casetrack.editions.context import api
from casetrack.editions.context.cli.sources import source_names
from casetrack.editions.context.cli.state import ContextState
from casetrack.editions.context.config import ContextConfig
from casetrack.editions.context.records import ContextHit
from casetrack.faces.cli.asking import answer, signed, taken
from casetrack.faces.cli.options import opt
from casetrack.faces.cli.output import line

_FORMAT = Annotated[
    Literal["text", "vimgrep"],
    opt("--format", "vimgrep: one line path:line:column:text for each document, for editors."),
]
_PART = re.compile(r"(?P<id>.+):(?P<first>\d+):(?P<count>\d+)")


def _command(function: Callable[..., Any]) -> Any:
    """Return the command of one of the edition's operations."""
    operation = OF_EDITIONS[function]

    def run(ctx: typer.Context, **given: Any) -> None:
        home = ctx.ensure_object(ContextState).home
        if part := _PART.fullmatch(given.get("document", "")):
            given["document"] = part["id"]
            given |= {name: int(part[name]) for name in ("first", "count")}
        result = api.run_for_config(home, function, taken(operation, given))
        if given.get("format") == "vimgrep":
            for hit in result.results:
                line(_position(hit, result.query, home.config))
            return
        answer(result, operation, as_json=given["as_json"])
        if function is api.sources and not given["as_json"]:
            for note in home.config.notes:
                line((f"Note: {note}", "yellow"))

    run.__doc__ = summary_of(function)
    more = {"format": (_FORMAT, "text")} if function is api.search else {}
    return signed(run, operation, more, sources=source_names)


def _position(hit: ContextHit, query: str, config: ContextConfig) -> str:
    """Return a hit as editors read it: ``path:line:column:text``, at the best line."""
    from casetrack.search.question.words import stems_of

    written = next((s.written for s in config.sources if s.label == hit.source), {})
    roots = (config.base / str(written.get(key, "")) for key in ("root", "url"))
    paths = (Path(hit.source_id), *(root / hit.source_id for root in roots))
    local = next((path for path in paths if path.is_file()), None)
    name = f"{hit.source}/{hit.source_id}" if local is None else os.path.relpath(local)
    number, rows = hit.place.provenance.line_start, hit.snippet.splitlines()
    asked = set(stems_of(query))
    row = max(rows, key=lambda row: len(asked & set(stems_of(row))), default="").strip()
    if local is not None and row:
        below = local.read_text("utf-8", "replace").splitlines()[number - 1 :]
        number += next((n for n, text in enumerate(below) if row in text), 0)
    return f"{name}:{number}:1:{row}"


search, get, sources = (_command(each) for each in (api.search, api.get, api.sources))
