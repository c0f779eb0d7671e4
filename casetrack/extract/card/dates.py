"""Date, period and number of a document, from its cover."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Final

from casetrack.base.words import WordLists
from casetrack.extract import dates
from casetrack.extract.card.facts import Found, matched, of_property
from casetrack.extract.card.patterns import MAILS, SALUTATION, pattern
from casetrack.extract.card.titles import is_titled
from casetrack.extract.dates import find_dates
from casetrack.extract.papers.docket_sheet import is_docket_header

if TYPE_CHECKING:
    from casetrack.extract.card.cover import Cover
    from casetrack.extract.spans import DateSpan

_LISTS = WordLists(__file__)
_NUMBER_LABEL: Final = pattern("number_label")
_OWN_DATE: Final = pattern("own_date")
_OTHER_DATE: Final = pattern("other_date")
_OF_THIS = _LISTS.pattern("of_this")
_ENDED: Final = pattern("ended")
_INTERVAL: Final = pattern("interval")
_REPORT: Final = re.compile(
    r"\b(?:reports?|statements?|accounts|review|results|survey|yearbook|(?:geschäfts|jahres)\w+)\b",
    re.IGNORECASE,
)
_YEAR: Final = re.compile(
    r"(?<![\d.,$€£])(?:(?<![/-])|(?<=[QH][1-4][/-]))(?P<year>(?:19|20)\d\d)"
    r"(?:\s?[/–-]\s?(?P<to>\d\d(?:\d\d)?))?(?![\d%]|[.,/-]\d)"
)
_TITLES, _SHORT, _OPENING = 12, 60, 12
_BESIDE_DAY, _BESIDE_MONTH = 28, 12
"""Maximum number of other characters on the line of a date that is alone."""
_OF_CUSTOMER: Final = re.compile(r"kunden|customer|contract|order|bestell|alt", re.IGNORECASE)
_COVER, _TOP, _HEAD = 3200, 700, 300
_ENOUGH, _OF_CONTRACT = 0.9, 1.6
_LABEL: Final = 40
"""Maximum length of a header before the date of a cell."""
_IN_PROSE: Final = re.compile(r",? (?!und\b|and\b)[a-z]{2,} [a-zA-Z]")
_SENTENCE: Final = re.compile(r"\w\. [A-Z]")
_RECITALS: Final = re.compile(r"\bWHEREAS\b")
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d(?=T)")
_KINDS: Final = frozenset(("absolute", "ambiguous"))
_CLOCK: Final = re.compile(r"(?:T|,\s)\d\d[:.*]\d\d")
"""The time of a program's record behind a date."""
_OF_BILL = _LISTS.pattern("of_bill")
_OF_ORDER: Final = re.compile(r"(?i)\b(?:order|bestell)\w*\W+(?:date|datum)")
_MONTHS: Final = {"year": 12, "quarter": 3, "half": 6, "nine": 9, "some": 0}
_DATED: Final = frozenset(
    (
        "contract, correspondence, memo, invoice, order, proposal, minutes, press release, "
        "results release, calendar"
    ).split(", ")
)
_WITHOUT_PERIOD: Final = frozenset(
    (
        "contract, correspondence, paper, regulation, policy, specification, current report, "
        "filing, form"
    ).split(", ")
)


def read_date(cover: Cover, kind: str, /) -> Found | None:
    """Return the date that a document of a kind states as its own."""
    if cover.format in MAILS:
        day = _DAY.match(cover.properties.get("date", ""))
        return of_property("date", day and day[0], "day of sending")
    if kind in {"calendar", "annual report", "quarterly report", "filing"}:
        return None
    named = next((d for d in find_dates(cover.title or "") if d.precision == "day"), None)
    if kind == "minutes" and named and named.text.rpartition(" ")[0] in cover.text[:_TOP]:
        return of_property("date", named.value, "title of the file")  # with its year
    salutation = next((line.start for line in cover.lines[:40] if SALUTATION.match(line.text)), -1)
    text = cover.text[:_COVER]
    if kind == "contract":  # the recitals name other contracts
        text = _RECITALS.split(text, maxsplit=1)[0]
    best: tuple[float, DateSpan] | None = None
    for span in find_dates(text):
        if span.precision not in {"day", "month"} or not span.first or span.kind not in _KINDS:
            continue
        clock = _CLOCK.match(text, span.end)
        if clock and cover.text.count(text[span.start : clock.end()]) > 1:
            continue  # printed on each page
        if _is_cell(text, span):
            continue
        rank = _rank(text, span, kind, salutation)
        if rank > _ENOUGH and (best is None or rank > best[0]):
            best = rank, span
    if best is None:
        return None
    rank, span = best
    value = span.value or (span.readings[0] if span.readings else None)
    sure = min(0.95, 0.6 + rank / 10)
    return Found("date", value, span.start, span.end, sure, "own date") if value else None


def _rank(text: str, span: DateSpan, kind: str, salutation: int) -> float:
    """Return how likely a date is the document's own, by its words and its place."""
    before = text[max(0, span.start - 140) : span.start]
    own_line = " ".join(re.split(r"\n\s*\n", before)[-1].split())
    before = before[-70:]
    line_end = text.find("\n", span.end)
    start = text.rfind("\n", 0, span.start) + 1
    if header := _header(text[: span.start], start):
        own_line = before = header
    line = text[start : line_end if line_end > 0 else len(text)].strip()
    lead = text[start : span.start]
    is_heading = is_titled(lead) and not text[:start].strip()
    beside = len(line) - (span.end - span.start)
    is_alone = beside <= (_BESIDE_DAY if span.precision == "day" else _BESIDE_MONTH) or (
        line_end in (span.end, -1)
        and len(lead) < _SHORT
        and is_titled(lead)
        and (span.precision == "day" or not find_dates(lead))
    )
    is_meeting = kind == "minutes"  # which states its time; other meetings are in its sentences
    rank = -1.0 if _CLOCK.match(text, span.end) and not is_meeting else 0.0
    if _OF_THIS.search(own_line):
        rank += 2.5
    elif _OTHER_DATE.search(own_line):
        rank -= 2
    elif (
        _OWN_DATE.search(before)
        and (kind == "contract" or not _IN_PROSE.match(text, span.end))
        and not (is_meeting and _SENTENCE.search(own_line))
    ):
        rank += 2
    if is_alone:
        rank += 1.2 if span.start > salutation else 3.2
    elif -1 < salutation < span.start:
        rank -= 2  # in the text of a letter
    rank += (
        0.8 * (span.start < _TOP)
        + 0.3 * is_heading
        + 0.4 * (kind in _DATED)
        - 0.6 * (span.precision == "month")
    )
    if is_meeting and span.start < _HEAD:
        rank += 1.5
    if kind in {"invoice", "order"} and _OF_BILL.search(own_line):
        rank += 0.5 if kind == "invoice" and _OF_ORDER.search(own_line) else 1.5
    # A contract names many dates; its own is marked or alone on its line.
    in_text = kind == "paper" and not is_alone and span.start > _TOP
    if (kind == "contract" and rank < _OF_CONTRACT) or in_text or is_docket_header(line):
        return 0.0
    return rank - span.start / _COVER


def _is_cell(text: str, span: DateSpan) -> bool:
    """Return whether a date is in a row of a table whose next or last row has one in its place."""
    row, *below = text[text.rfind("\n", 0, span.start) + 1 :].split("\n", 2)
    above = text[: span.start].rpartition("\n")[0].rpartition("\n")[2]
    at = text[: span.start].rpartition("\n")[2].count(" | ")
    cells = [line.split(" | ")[at : at + 1] for line in (above, *below[:1]) if " | " in row]
    return any(len(d.text) > len(c) - _LABEL for (c,) in filter(None, cells) for d in find_dates(c))


def _header(before: str, start: int) -> str:
    """Return the header of the cell that begins after *before*; *start* is that of its row."""
    *cells, rest = before[start:].split(" | ")
    above = before[:start].rstrip("\n").rpartition("\n")[2].split(" | ")
    return "" if rest or len(above) < 2 else "".join(above[len(cells) :][:1])


def read_period(cover: Cover, kind: str, /) -> Found | None:
    """Return the period that a document covers, as first and last day."""
    text = cover.text[:5000]
    if kind in _WITHOUT_PERIOD:
        return None
    for label in _ENDED.finditer(text):
        span = next(iter(find_dates(text[label.end() : label.end() + 40])), None)
        if span is None or span.start > 6 or span.precision != "day" or not span.last:
            continue
        last = dt.date.fromisoformat(span.last)
        months = _MONTHS[label.lastgroup or ""]
        months = months or {"annual report": 12, "quarterly report": 3}.get(kind, 0)
        # A fiscal year of 52 weeks does not begin months before its end.
        is_whole = months and (last + dt.timedelta(days=1)).day == 1
        value = f"{_months_before(last, months)}/{last}" if is_whole else str(last)
        return Found("period", value, label.start(), label.end() + span.end, 0.9, "period ended")
    for label in _INTERVAL.finditer(text):
        spans = [s for s in find_dates(text[label.end() : label.end() + 60]) if s.first]
        if spans and spans[0].start < 4 and (len(spans) > 1 or spans[0].precision != "day"):
            last_day = spans[1].last if len(spans) > 1 else spans[0].last
            end = label.end() + spans[min(1, len(spans) - 1)].end
            return Found(
                "period",
                f"{spans[0].first}/{last_day}",
                label.start(),
                end,
                0.85,
                "labelled period",
            )
    for line in cover.lines[:_TITLES]:
        days = next((s for s in find_dates(line.text) if s.precision == "range" and s.first), None)
        if days and len(days.text) > len(line.text) - _OPENING:
            at = line.start + days.start, line.start + days.end
            return Found("period", f"{days.first}/{days.last}", *at, 0.8, "title")
        year = _YEAR.search(line.text) if len(line.text) <= _SHORT else None
        if year and _REPORT.search(line.text):
            to = year["to"] or ""
            parts = (s for s in find_dates(line.text) if s.precision in {"quarter", "half"})
            whole = next(parts, None) or dates.read_date(f"{year['year'][: 4 - len(to)]}{to}")
            if whole is not None and whole.first:
                at = line.start + year.start(), line.start + year.end()
                return Found("period", f"{whole.first}/{whole.last}", *at, 0.8, "title")
    return None


def read_number(cover: Cover, kind: str, /) -> Found | None:
    """Return the number of a document of a kind."""
    text = cover.text[:4000]
    if kind in {"contract", "correspondence"}:
        labelled = re.search(
            r"\b(?:(?:Contract|Agreement|Reference|Ref|Vertrags|Aktenzeichen|File|Loan|PO)[\s-]*(?:No|Nr|Number|nummer)\.?|Aktenzeichen|Ref\.?)\s*[:#]?\s*(?P<v>(?=[\w./-]*\d)\w+(?:[-/._]\w+)*)",
            text[:2500],
            re.IGNORECASE,
        )
        return matched(cover, "number", labelled, 0.8, "label")
    if kind in {"paper", "press release", "minutes", "regulation", "policy"}:
        return None
    labels = list(_NUMBER_LABEL.finditer(text))
    labels.sort(key=lambda m: _OF_CUSTOMER.match(m[0]) is not None)
    for match in labels:
        value = match["v"]
        if not re.fullmatch(r"\d{1,2}[./]\d{1,2}[./]\d{2,4}|(?:19|20)\d\d|\d", value):
            return matched(cover, "number", match, 0.85, "label")
    return None


def _months_before(last: dt.date, months: int) -> dt.date:
    """Return the first day of a period of some months that ends on the last day of a month."""
    year, month = divmod(last.year * 12 + last.month - months, 12)
    return dt.date(year, month + 1, 1)
