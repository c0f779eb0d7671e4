"""Puts the edition together. A new tool is a class in a module of this package, named here."""

from __future__ import annotations

from typing import Any

from casetrack.base.editions import LEGAL, edition
from casetrack.editions.legal.mcp.locating import locate_case
from casetrack.faces.mcp.edition import ServedEdition


def groups() -> tuple[type[Any], ...]:
    """Return the classes whose methods are the tools, in the order in which they are listed."""
    from casetrack.editions.legal.mcp.authorities import AuthoritiesTools
    from casetrack.editions.legal.mcp.cases import CaseTools
    from casetrack.editions.legal.mcp.check import CheckTools
    from casetrack.editions.legal.mcp.citator import CitatorTools
    from casetrack.editions.legal.mcp.documents import CaseDocumentTools
    from casetrack.editions.legal.mcp.entities import CaseEntityTools
    from casetrack.editions.legal.mcp.ingest import CaseIngestTools
    from casetrack.editions.legal.mcp.search import CaseSearchTools
    from casetrack.editions.legal.mcp.status import CaseStatusTools

    return (
        CaseTools,
        CaseIngestTools,
        CaseDocumentTools,
        CaseSearchTools,
        CaseEntityTools,
        CaseStatusTools,
        CheckTools,
        AuthoritiesTools,
        CitatorTools,
    )


def legal_edition() -> ServedEdition:
    """Return the edition."""
    return ServedEdition(edition(LEGAL), groups, find=locate_case)
