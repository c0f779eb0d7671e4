"""Instructions for a client's model: the collections, and how to use the tools.

Clients cut them at 2 KB. They name only tools that the server offers and its license includes.
This module does not import the SDK.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from casetrack.api.collection.facts import noted_documents
from casetrack.base.editions import ANY, Instructions, Way
from casetrack.base.errors import CaseTrackError
from casetrack.faces.mcp.render import counted, one_line
from casetrack.faces.mcp.texts import cut, sendable, visible

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from casetrack.api.library import Library
    from casetrack.base.records import CollectionInfo

logger = logging.getLogger("casetrack.mcp")
MOST_BYTES = 2_000
"""Slightly below the 2 KB at which clients cut."""
_NAME_CHARS = 60


def instructions(texts: Instructions, tools: Container[str], holdings: Sequence[str] = ()) -> str:
    """Return the instructions of an edition; *tools* are the usable tools.

    *holdings* describe the collections; as many as fit are named.
    """

    def offered(way: Way) -> bool:
        return all(name in tools for name in way.needs)

    ways_offered = (next(filter(offered, ways), None) for ways in texts.steps)
    numbered = [f"{n}. {way.text}" for n, way in enumerate(filter(None, ways_offered), 1)]
    steps = "\n".join(["Order of calls", *numbered]) if numbered else ""
    warnings = [way.text for way in texts.warnings if offered(way)]
    rest = [part for part in (steps, texts.rules, *warnings) if part]
    budget = MOST_BYTES - len("\n\n".join([texts.head, "", *rest]).encode()) - 1
    listed = _listed(texts.holdings, holdings, budget) if texts.holdings else ""
    return "\n\n".join(part for part in (texts.head, listed, *rest) if part) + "\n"


def holdings(library: Library, about: str, /) -> list[str]:
    """Return name and size of each collection of the edition *about*, last changed first.

    Sizes are those of the last writer, so that no collection is opened.
    """
    try:
        infos = [info for info in library.collections() if about in {ANY, info.edition}]
    except CaseTrackError as error:
        return [f"they cannot be read now ({one_line(error.message)})"]
    except OSError as error:  # The server starts despite any error; its calls report the error.
        logger.warning("The collections cannot be listed: %s", error)
        return ["they cannot be read now"]
    return [_told(library, info) for info in infos]


def _told(library: Library, info: CollectionInfo) -> str:
    documents = noted_documents(library.settings.collections_dir / info.id)
    size = [] if documents is None else [counted(documents, "document")]
    facts = [*size, *([] if info.status == "active" else [info.status])]
    name = f'"{cut(visible(sendable(one_line(info.name))), _NAME_CHARS)}"'
    return f"{name} ({', '.join(facts)})" if facts else name


def _listed(title: str, each: Sequence[str], budget: int) -> str:
    """Return the names that fit in *budget* bytes, and the number of the others."""
    if not each:
        return f"{title}: none yet."
    for shown in range(len(each), 0, -1):
        more = len(each) - shown
        text = f"{title}: {', '.join(each[:shown])}{f', and {more:,} more' if more else ''}."
        if len(text.encode()) <= budget:
            return text
    return f"{title}: {len(each):,}."
