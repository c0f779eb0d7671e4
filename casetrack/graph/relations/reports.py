"""Relations between filings of one company: quarters and year, amendments, and exhibits."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.graph.relations.descriptions import DescribedDocuments, DocumentDescription

_REPORTS = frozenset({"annual report", "interim report", "current report"})
_YEAR, _SLACK = timedelta(days=366), timedelta(days=10)
_RELEASED = timedelta(days=5)


@dataclass(frozen=True, slots=True)
class ReportLink:
    """A report or exhibit and the report that it belongs to; fields as in ``DocumentLink``."""

    source: int
    target: int
    type: str
    confidence: float
    basis: tuple[str, ...]


def report_links(described: DescribedDocuments, /) -> Iterator[ReportLink]:
    """Yield the relations between reports of one registrant, if exactly one report fits.

    ``interim_of``: from a quarterly report to the annual report of its fiscal year;
    ``supplements``: to the last annual report before it. ``amends``: from an amended report to the
    one of the same form and period. ``exhibit_of``: from an exhibit to a report of the same company
    within days that lists its number.
    """
    reports = [i for i, own in enumerate(described.own) if own.description.kind in _REPORTS]
    by_company: dict[str, list[int]] = defaultdict(list)
    for i in reports:
        for number in described.own[i].description.numbers:
            by_company[number].append(i)
    for i in reports:
        own = described.own[i]
        same = {j for number in own.description.numbers for j in by_company[number]} - {i}
        yield from _of_report(described.own, i, sorted(same))
    for i, own in enumerate(described.own):
        if "." in own.label and own.description.kind not in _REPORTS:
            fits = [
                j
                for j in reports
                if own.label in described.own[j].parts and _is_exhibit(own, described.own[j])
            ]
            if len(fits) == 1:
                yield ReportLink(i, fits[0], "exhibit_of", 0.9, ("label", "parties", "date"))


def _of_report(
    owns: Sequence[DocumentDescription], i: int, same: Sequence[int]
) -> Iterator[ReportLink]:
    own = owns[i]
    end = _day(own)
    if end is None:
        return
    if "amended" in own.description.title:
        changed = [
            j
            for j in same
            if _day(owns[j]) == end and owns[j].description.title == own.description.title[:1]
        ]
        if len(changed) == 1:
            yield ReportLink(i, changed[0], "amends", 0.95, ("registrant", "period"))
    if own.description.kind != "interim report":
        return
    annual = [
        (j, day)
        for j in same
        if owns[j].description.kind == "annual report"
        and "amended" not in owns[j].description.title
        and (day := _day(owns[j])) is not None
    ]
    of_year = [j for j, day in annual if end <= day + _SLACK and day < end + _YEAR - _SLACK]
    if len(of_year) == 1:
        yield ReportLink(i, of_year[0], "interim_of", 0.95, ("registrant", "period"))
    before = [j for j, day in annual if day < end <= day + _YEAR + _SLACK]
    if len(before) == 1:
        yield ReportLink(i, before[0], "supplements", 0.9, ("registrant", "period"))


def _is_exhibit(own: DocumentDescription, report: DocumentDescription) -> bool:
    """Return whether an exhibit names the reporting company and the days of the report."""
    companies = {
        n.partition(":")[2] for n in report.description.numbers if n.startswith("registrant:")
    }
    named = {who.partition(":")[2] for who in own.parties | own.mentioned}
    same = own.parties & report.parties or any(
        company and any(name == company or name.startswith(company + "-") for name in named)
        for company in companies
    )
    if not same:
        return False
    days = [_parsed(d) for d in own.description.dates]
    filed = _day(report)
    if filed is None:
        return False
    near = [d for d in days if d is not None and abs(d - filed) <= _RELEASED]
    return bool(near)


def _day(own: DocumentDescription) -> date | None:
    return next((d for d in map(_parsed, own.description.dates) if d is not None), None)


def _parsed(written: str) -> date | None:
    try:
        return date.fromisoformat(written if len(written) > len("2024-10") else written + "-28")
    except ValueError:
        return None
