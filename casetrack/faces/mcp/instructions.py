"""What a client shows its model at the start: what is here, and how to work with the tools.

Clients cut it at 2 KB. It names only tools that would answer: those that the server offers and
its license has. Nothing here needs the SDK.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from casetrack.api.collection.facts import noted_documents
from casetrack.base.editions import ANY
from casetrack.base.errors import CaseTrackError
from casetrack.faces.mcp.render.pieces import counted, one_line
from casetrack.faces.mcp.texts import cut, sendable, visible

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from casetrack.api.library import Library
    from casetrack.base.editions import Instructions, Way
    from casetrack.base.records import CollectionInfo

logger = logging.getLogger("casetrack.mcp")
MOST_BYTES = 2_000
"""A little less than the 2 KB at which clients cut."""
_NAME_CHARS = 60


def instructions(told: Instructions, tools: Container[str], holdings: Sequence[str] = ()) -> str:
    """Return the text for a server.

    Parameters
    ----------
    told
        What the edition says.
    tools
        Names of the tools that would answer.
    holdings
        The collections that there are, in words; as many as fit are named.
    """

    def offered(way: Way) -> bool:
        return all(name in tools for name in way.needs)

    found = (next(filter(offered, ways), None) for ways in told.steps)
    numbered = [f"{n}. {way.text}" for n, way in enumerate(filter(None, found), 1)]
    steps = "\n".join(["Order of calls", *numbered]) if numbered else ""
    warnings = [way.text for way in told.warnings if offered(way)]
    rest = [part for part in (steps, told.rules, *warnings) if part]
    room = MOST_BYTES - len("\n\n".join([told.head, "", *rest]).encode()) - 1
    here = _listed(told.holdings, holdings, room) if told.holdings else ""
    return "\n\n".join(part for part in (told.head, here, *rest) if part) + "\n"


def holdings(library: Library, about: str, /) -> list[str]:
    """Return each collection that the server is about with its size, the one changed last first.

    Sizes are those that its last writer noted: a collection is not opened for them.

    Parameters
    ----------
    library
        Its collections.
    about
        The edition that the server is of.
    """
    try:
        infos = [info for info in library.collections() if about in {ANY, info.edition}]
    except CaseTrackError as error:
        return [f"they cannot be read now ({one_line(error.message)})"]
    except OSError as error:  # whatever it is, a server starts, and its calls say what is wrong
        logger.warning("The collections cannot be listed: %s", error)
        return ["they cannot be read now"]
    return [_told(library, info) for info in infos]


def _told(library: Library, info: CollectionInfo) -> str:
    documents = noted_documents(library.settings.collections_dir / info.id)
    size = [] if documents is None else [counted(documents, "document")]
    facts = [*size, *([] if info.status == "active" else [info.status])]
    name = f'"{cut(visible(sendable(one_line(info.name))), _NAME_CHARS)}"'
    return f"{name} ({', '.join(facts)})" if facts else name


def _listed(title: str, each: Sequence[str], room: int) -> str:
    """Return as many as fit in *room* bytes, and how many more there are."""
    if not each:
        return f"{title}: none yet."
    for shown in range(len(each), 0, -1):
        more = len(each) - shown
        text = f"{title}: {', '.join(each[:shown])}{f', and {more:,} more' if more else ''}."
        if len(text.encode()) <= room:
            return text
    return f"{title}: {len(each):,}."
