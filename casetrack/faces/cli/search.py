"""``casetrack search`` and ``casetrack chunk``: cited passages and their surroundings."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.api.library import across_arguments
from casetrack.api.operation import called
from casetrack.api.operations import operations
from casetrack.api.quoting import Words
from casetrack.api.text import lines_of
from casetrack.api.text.passages import quoted_part, result_lines, search_head, search_tail
from casetrack.faces.cli.asking import answer, asks, own, signed, taken, write
from casetrack.faces.cli.completion import collection_names
from casetrack.faces.cli.options import opt
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.base.records import Chunk, SearchResults

_SEARCH = operations()["search"]
_COLLECTIONS = Annotated[
    list[str] | None,
    opt(
        "--collection -c NAME",
        "Name or ID of the collection; optional if there is only one. Repeat it to search "
        "several, ranked together.",
        autocompletion=collection_names,
    ),
]


def _search(ctx: typer.Context, **given: Any) -> None:
    """Find the passages that answer a question, each with its exact source."""
    state, names = ctx.ensure_object(State), given["collection"] or []
    asked = taken(_SEARCH, given)
    if stages := asked["stages"]:
        asked["stages"] = [s.strip() for each in stages for s in each.split(",") if s.strip()]
    if given["all"] or len(names) > 1:
        query = asked.pop("query")
        rest = across_arguments(asked, "cli")
        named = () if given["all"] else names
        results = state.library.search(query, collections=named, **rest)
    else:
        results = called(_SEARCH.method, state.collection(next(iter(names), None)), asked)
    if given["as_json"]:
        write_json(results.as_dict(explain=given["explain"]))
    else:
        _tell(results, **{name: given[name] for name in ("context", "full", "explain")})


_search.__name__ = "search"
search = signed(
    _search,
    _SEARCH,
    {
        "collection": (_COLLECTIONS, None),
        "all": own(bool, "Search all collections except archived ones.", "--all", False),
        "context": own(bool, "Show the text before and after each result.", "--context", False),
        "full": own(bool, "Show whole passages, not the best part of each.", "--full", False),
        "explain": own(bool, "Show the parts of each score.", "--explain", False),
    },
)


def _tell(results: "SearchResults", *, context: bool, full: bool, explain: bool) -> None:
    write(search_head(results, explain=explain))
    words = Words(results.query)
    for result in results:
        line()
        # The context belongs to the whole passage.
        shown = result if full or context else quoted_part(result, words)
        write(result_lines(shown, words, context=context, explain=explain))
    for related in results.related:
        line()
        write(lines_of(related))
    if not results.results:
        line("\nNo results. Try other or fewer words, or see casetrack documents.")
    elif explain:
        write(search_tail(results))


@asks(
    "chunk",
    window=own(int, "Also show N chunks before and after it.", "--window N", 0, ge=0, le=50),
)
def chunk(row: "Chunk", given: dict[str, Any]) -> None:
    """Show one passage in full with its full provenance, and its neighbours on request."""
    window, read = given["window"], given["collection"].read
    shown = read.context(row, window=window) if window else row
    answer(shown, "chunk", as_json=given["as_json"])
