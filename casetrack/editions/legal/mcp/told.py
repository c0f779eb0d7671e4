"""Answers of the tools that work on any collection, told as those of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired, get_type_hints

from mcp.types import TextContent
from typing_extensions import TypedDict

from casetrack.base.records.types import json_type
from casetrack.editions.legal.mcp.words import case_title
from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.results import answer, onward, source_links

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp.types import CallToolResult

    from casetrack.api.collection import Collection
    from casetrack.base.provenance import Provenance
    from casetrack.base.records import CollectionInfo
    from casetrack.faces.mcp.results import Portion

_ADVICE = ("more", "next_step")


def of_case(result: CallToolResult, info: CollectionInfo, /, **facts: Any) -> CallToolResult:
    """Return an answer in terms of cases and of the tools that work on them; quotes stay whole.

    Parameters
    ----------
    result
        The answer; it is changed.
    info
        The case.
    facts
        What is told of it besides.
    """
    if result.is_error:
        return result
    for content in result.content:
        if isinstance(content, TextContent):
            lines = content.text.split("\n")
            content.text = "\n".join(x if x.startswith(">") else _advice(x) for x in lines)
    raw = dict(result.structured_content or {})
    if "collection" in raw:
        raw = {("case" if key == "collection" else key): value for key, value in raw.items()}
        raw["case"] = case_title(info)
    raw |= {key: _advice(raw[key]) for key in _ADVICE if isinstance(raw.get(key), str)}
    result.structured_content = raw | facts
    return result


def case_form(kind: Any, /, **more: Any) -> Any:
    """Return the type of such an answer: that of the same tool on any collection.

    Parameters
    ----------
    kind
        That type.
    more
        What is told besides where the work is done.
    """
    form = json_type(kind)
    fields: dict[str, Any] = {}
    for name, hint in get_type_hints(form).items():
        told = hint if name in form.__required_keys__ else NotRequired[hint]
        fields["case" if name == "collection" else name] = told
    make: Any = TypedDict
    added = {name: NotRequired[json_type(hint)] for name, hint in more.items()}
    return make(f"Case{kind.__name__}", fields | added)


def _advice(text: str) -> str:
    return text.replace("search_documents", "search_case")


def quoting(
    case: Collection,
    head: str,
    shown: Portion[Any],
    notes: Sequence[str],
    sources: Sequence[Provenance],
    facts: dict[str, Any],
    /,
) -> CallToolResult:
    """Return a part of a list whose entries quote documents of a case.

    Parameters
    ----------
    head, shown, notes
        The text: its first lines, the entries, and what the user should know.
    sources
        The places that the entries quote.
    facts
        The structured form, without what every such answer has.
    """
    rest = [said for said in (onward(shown.next_offset), *notes) if said]
    return answer(
        "\n\n".join([head, *shown.blocks, *rest, QUOTED]),
        {"collection": case.info.name, "notice": QUOTED, **facts, "next_offset": shown.next_offset},
        source_links(case.info.id, sources),
    )
