"""Cases and their documents as text, in the requirement's words, and as facts for programs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from casetrack.api.text import head_of
from casetrack.editions.legal.cases import Cases, case_title
from casetrack.faces.mcp.asking import plain
from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.results import answer, onward, source_links
from casetrack.faces.mcp.session import in_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp.types import CallToolResult

    from casetrack.api.collection import Collection
    from casetrack.base.provenance import Provenance
    from casetrack.base.records import CollectionInfo
    from casetrack.faces.mcp.results import Portion
    from casetrack.faces.mcp.session import Session

# Which case a call is about: the one it names, or the active one of its connection.

CaseName = str | None
"""The optional parameter of every tool that works on a case."""


async def locate_case(session: Session, name: str | None, /) -> Collection:
    """Return the case called *name*, or the active one where it is ``None``.

    Raises
    ------
    NoActiveCollection, ActiveCollectionGone
        See :meth:`casetrack.faces.mcp.session.Session.collection`.
    CollectionNotFound, AmbiguousName
        See :meth:`casetrack.editions.legal.cases.Cases.find`.
    """
    if name is None:
        return await in_thread(partial(session.collection, None))
    return await in_thread(partial(Cases(session.library).get, name))


# Answers of the tools that work on any collection, told as those of a case.


def of_case(result: CallToolResult, info: CollectionInfo, /, **facts: Any) -> CallToolResult:
    """Return an answer in terms of cases.

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
    raw = dict(result.structured_content or {})
    if "collection" in raw:
        raw = {("case" if key == "collection" else key): value for key, value in raw.items()}
        raw["case"] = case_title(info)
    result.structured_content = raw | facts
    return result


def quoting(
    case: Collection,
    found: Any,
    shown: Portion[Any],
    sources: Sequence[Provenance],
    facts: dict[str, Any],
    /,
) -> CallToolResult:
    """Return a part of a list whose entries quote documents of a case.

    Parameters
    ----------
    found, shown
        The answer, and the part of its list.
    sources
        The places that the entries quote.
    facts
        The structured form, without what every such answer has.
    """
    texts = [plain(head_of(found)), *shown.blocks, onward(shown.next_offset), QUOTED]
    return answer(
        "\n\n".join(filter(None, texts)),
        {"collection": case.info.name, "notice": QUOTED, **facts, "next_offset": shown.next_offset},
        source_links(case.info.id, sources),
    )
