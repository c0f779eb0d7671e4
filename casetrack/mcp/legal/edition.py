"""Puts the edition together. A new tool is a class in a module of this package, named here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.editions import LEGAL, edition
from casetrack.mcp.edition import ServedEdition

if TYPE_CHECKING:
    from casetrack.mcp.handlers import Handler
    from casetrack.mcp.session import Session
    from casetrack.mcp.toolsets import ToolChoice


def groups() -> tuple[type[Any], ...]:
    """Return the classes whose methods are the tools, in the order in which they are listed."""
    from casetrack.mcp.legal.authorities import AuthoritiesTools
    from casetrack.mcp.legal.cases import CaseTools
    from casetrack.mcp.legal.citator import CitatorTools
    from casetrack.mcp.legal.documents import CaseDocumentTools
    from casetrack.mcp.legal.entities import CaseEntityTools
    from casetrack.mcp.legal.ingest import CaseIngestTools
    from casetrack.mcp.legal.search import CaseSearchTools
    from casetrack.mcp.legal.status import CaseStatusTools

    return (
        CaseTools,
        CaseIngestTools,
        CaseDocumentTools,
        CaseSearchTools,
        CaseEntityTools,
        CaseStatusTools,
        AuthoritiesTools,
        CitatorTools,
    )


def legal_edition() -> ServedEdition:
    """Return the edition."""

    def prompts(session: Session, choice: ToolChoice) -> dict[str, Handler]:
        from casetrack.mcp.prompts import handlers

        return handlers(session, choice)

    return ServedEdition(edition(LEGAL), groups, prompts, resources=True)
