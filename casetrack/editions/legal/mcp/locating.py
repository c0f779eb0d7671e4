"""Which case a call is about: the one it names, or the active one of its connection."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from casetrack.editions.legal.cases import Cases
from casetrack.faces.mcp.session import in_thread

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.faces.mcp.session import Session

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
