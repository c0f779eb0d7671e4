"""The served edition with the list of its tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.api.operation import OF_EDITIONS
from casetrack.base.editions import LEGAL, edition
from casetrack.editions.legal.mcp.words import locate_case
from casetrack.faces.mcp.edition import ServedEdition

if TYPE_CHECKING:
    from collections.abc import Callable


def groups() -> tuple[type[Any], ...]:
    """Return the classes of the tools, in the order of the list of tools."""
    from casetrack.editions.legal.briefs import check_brief
    from casetrack.editions.legal.citator import citator
    from casetrack.editions.legal.discovery.duplicates import duplicates
    from casetrack.editions.legal.discovery.families import families
    from casetrack.editions.legal.discovery.load import load_production
    from casetrack.editions.legal.discovery.privilege import privilege_log
    from casetrack.editions.legal.discovery.threads import mail_threads
    from casetrack.editions.legal.mcp.cases import CaseIngestTools, CaseStatusTools, CaseTools
    from casetrack.editions.legal.mcp.documents import (
        AuthoritiesTools,
        CaseDocumentTools,
        CaseEntityTools,
        CaseSearchTools,
        get_document,
        list_documents,
    )
    from casetrack.editions.legal.mcp.words import GeneralTools, OwnTools
    from casetrack.editions.legal.redaction import check_redactions
    from casetrack.faces.mcp.operation_tools import tools_of

    def derived(base: type[OwnTools], *functions: Callable[..., Any]) -> type[Any]:
        return tools_of((OF_EDITIONS[each] for each in functions), base)

    return (
        CaseTools,
        CaseIngestTools,
        derived(GeneralTools, list_documents, get_document),
        CaseDocumentTools,
        CaseSearchTools,
        CaseEntityTools,
        CaseStatusTools,
        derived(OwnTools, check_brief),
        AuthoritiesTools,
        derived(OwnTools, citator),
        derived(OwnTools, load_production, privilege_log, families, mail_threads, duplicates),
        derived(OwnTools, check_redactions),
    )


def legal_edition() -> ServedEdition:
    """Return the edition."""
    return ServedEdition(edition(LEGAL), groups, find=locate_case)
