"""Puts the edition together. A new tool is a class in a module of this package, named here."""

from __future__ import annotations

from typing import Any

from casetrack.editions import LEGAL, edition
from casetrack.mcp.edition import ServedEdition
from casetrack.mcp.legal.locating import locate_case


def groups() -> tuple[type[Any], ...]:
    """Return the classes whose methods are the tools, in the order in which they are listed."""
    from casetrack.mcp.legal.authorities import AuthoritiesTools
    from casetrack.mcp.legal.cases import CaseTools
    from casetrack.mcp.legal.check import CheckTools
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
        CheckTools,
        AuthoritiesTools,
        CitatorTools,
    )


def legal_edition() -> ServedEdition:
    """Return the edition."""
    return ServedEdition(edition(LEGAL), groups, find=locate_case)
