"""Operations on cases: create and list."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from casetrack.api.text import Lines, lines_of, numbered
from casetrack.base.editions import LEGAL, edition
from casetrack.base.errors import CaseTrackError
from casetrack.base.records.table import RowList
from casetrack.editions.legal.cases import Case, Cases, case_entry
from casetrack.editions.legal.operation import ADDS, READS, Arg, operation

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.library import Library
    from casetrack.base.records import CollectionInfo

R = TypeVar("R")


@lines_of.register
def _lines(case: Case) -> Lines:
    lines = lines_of(case_entry(case.info, case.stats, case.problem))
    return numbered(0, lines, "* " if case.is_used else "- ")


def with_case_terms(function: Callable[..., R], /) -> Callable[..., R]:
    """Make a command report its errors with the terms of cases."""

    @functools.wraps(function)
    def wrapped(*args: object, **given: object) -> R:
        try:
            return function(*args, **given)
        except CaseTrackError as error:
            error.message, error.hint = edition(LEGAL).on_command_line(error)
            raise

    return wrapped


@operation("case create", ADDS)
@with_case_terms
def create(
    library: Library,
    name: Annotated[str, Arg("Name of the case, such as 'Smith v. Jones'.", "NAME")],
    /,
    *,
    number: Annotated[str | None, Arg("Docket or case number.", "--number TEXT")] = None,
    case_type: Annotated[
        str, Arg("Type of the case; an invalid one lists all types.", "--type TYPE")
    ] = "other",
) -> Case:
    """Create an empty case and make it the default case."""
    cases = Cases(library)
    made = cases.create(name, case_type=case_type, case_number=number).info
    cases.use(made.id)
    return _counted(library, made, is_used=True)


@operation("case list", READS)
@with_case_terms
def listed(
    library: Library,
    /,
    *,
    status: Annotated[
        Literal["active", "closed", "archived", "all"],
        Arg("Only cases with this status.", "--status"),
    ] = "active",
) -> RowList[Case]:
    """List the cases, last changed first; * marks the default case."""
    cases = Cases(library)
    used = cases.used
    return RowList(
        [_counted(library, i, is_used=i == used) for i in cases.all(status=status)], of=Case
    )


def _counted(library: Library, info: CollectionInfo, *, is_used: bool) -> Case:
    """Count one case; a damaged case must not hide the others."""
    try:
        return Case(info, is_used, library.stats(info))
    except CaseTrackError as error:
        return Case(info, is_used, None, error.message)
