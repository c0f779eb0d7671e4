"""Operations on briefs: cite check and table of authorities."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

from casetrack.editions.legal.authorities import USUAL_PASSIM, table_of_authorities
from casetrack.editions.legal.check import check_draft
from casetrack.editions.legal.drafts import read_draft
from casetrack.editions.legal.operation import EVERY, READS, Arg, operation

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.editions.legal.records.authorities import TableOfAuthorities
    from casetrack.editions.legal.records.check import CiteCheck

Brief = Annotated[
    str,
    Arg(
        "A file, or a document of the case.",
        "BRIEF",
        note="Path of a file, or a document of the case",
    ),
]


@operation("check", READS, tool="check_brief", sets=("core", "legal"), most=EVERY, concise=False)
def check_brief(
    case: Collection,
    brief: Brief,
    /,
    *,
    show: Annotated[
        Literal["problems", "all"],
        Arg("", "-", note="Only differences and open questions, or all findings"),
    ] = "problems",
) -> CiteCheck:
    """Check each citation and quotation of a brief against the case."""
    draft = read_draft(brief, settings=case.workspace.settings, collection=case)
    return replace(check_draft(case, draft), show=show)


@operation("authorities", READS)
def authorities(
    case: Collection,
    brief: Brief,
    /,
    *,
    passim: Annotated[
        int,
        Arg(
            "Minimum pages for passim; 0 for never.",
            "--passim N",
            note="Minimum pages for passim; 0 for never",
            ge=0,
        ),
    ] = USUAL_PASSIM,
    compare: Annotated[
        bool,
        Arg(
            "Compare with the brief's own table.",
            "--compare",
            note="Compare with the brief's own table",
        ),
    ] = False,
) -> TableOfAuthorities:
    """Return the table of authorities of a brief."""
    draft = read_draft(brief, settings=case.workspace.settings, collection=case)
    return table_of_authorities(draft, passim=passim, compare=compare)
