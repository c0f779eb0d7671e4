"""Answers with the terms of cases, and the case of a call."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from casetrack.editions.legal.cases import Cases, case_title
from casetrack.faces.mcp.operation_tools import DerivedTools
from casetrack.faces.mcp.session import in_thread

if TYPE_CHECKING:
    from mcp.types import CallToolResult

    from casetrack.api.collection import Collection
    from casetrack.base.records import CollectionInfo
    from casetrack.faces.mcp.session import Session

# The case of a call: the one it names, or the active one of its connection.

CaseName = str | None
"""The optional case parameter of tools."""


async def locate_case(session: Session, name: str | None, /) -> Collection:
    """Return the case *name*, or the active case if *name* is ``None``."""
    if name is None:
        return await in_thread(partial(session.collection, None))
    return await in_thread(partial(Cases(session.library).get, name))


# Answers of tools for collections, with the terms of cases.


def of_case(result: CallToolResult, info: CollectionInfo, /) -> CallToolResult:
    """Change an answer to the terms of cases, and return it."""
    if result.is_error:
        return result
    raw = dict(result.structured_content or {})
    if "collection" in raw:
        raw = {("case" if key == "collection" else key): value for key, value in raw.items()}
        raw["case"] = case_title(info)
    result.structured_content = raw
    return result


class OwnTools(DerivedTools):
    """Tools of operations of a case."""

    noun = "case"

    async def find(self, name: str | None, /) -> Collection:
        """Return the case of a call."""
        return await locate_case(self._session, name)


class GeneralTools(OwnTools):
    """Tools of general operations, with the terms of cases."""

    def with_terms(self, result: CallToolResult, collection: Collection, /) -> CallToolResult:
        """Return a result with the terms of cases."""
        return of_case(result, collection.info)
