"""Answers of the tools that work on any collection, told as those of a case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NotRequired, get_type_hints

from mcp.types import TextContent
from typing_extensions import TypedDict

from casetrack.base.records.types import json_type
from casetrack.editions.legal.mcp.words import case_title

if TYPE_CHECKING:
    from mcp.types import CallToolResult

    from casetrack.base.records import CollectionInfo

_NAMES = {"search_documents": "search_case"}
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
            content.text = "\n".join(map(_renamed, content.text.split("\n")))
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


def _renamed(line: str) -> str:
    return line if line.startswith(">") else _advice(line)


def _advice(text: str) -> str:
    for old, new in _NAMES.items():
        text = text.replace(old, new)
    return text
