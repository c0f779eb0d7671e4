"""``ctx search``, ``get`` and ``sources``: find documents, read them, list their sources."""

import re
from collections.abc import Callable
from typing import Any

import typer

import casetrack.editions.context.text  # noqa: F401 - functions by the classes of records
from casetrack.api.operation import OF_EDITIONS, summary_of
from casetrack.editions.context import api
from casetrack.editions.context.cli.sources import source_names
from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.asking import answer, signed, taken
from casetrack.faces.cli.output import line

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
        answer(result, operation, as_json=given["as_json"])
        if function is api.sources and not given["as_json"]:
            for note in home.config.notes:
                line((f"Note: {note}", "yellow"))

    run.__doc__ = summary_of(function)
    return signed(run, operation, sources=source_names)


search, get, sources = (_command(each) for each in (api.search, api.get, api.sources))
