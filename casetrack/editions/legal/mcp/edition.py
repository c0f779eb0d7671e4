"""Puts the edition together. A new tool is a class in a module of this package, named here."""

from __future__ import annotations

from typing import Any

from casetrack.base.editions import LEGAL, edition
from casetrack.editions.legal.mcp.words import locate_case
from casetrack.faces.mcp.edition import ServedEdition


def groups() -> tuple[type[Any], ...]:
    """Return the classes whose methods are the tools, in the order in which they are listed."""
    from casetrack.editions.legal.mcp.authorities import AuthoritiesTools, CheckTools, CitatorTools
    from casetrack.editions.legal.mcp.cases import CaseTools
    from casetrack.editions.legal.mcp.documents import (
        CaseDocumentTools,
        CaseEntityTools,
        CaseSearchTools,
    )
    from casetrack.editions.legal.mcp.status import CaseIngestTools, CaseStatusTools

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
