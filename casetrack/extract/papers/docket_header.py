"""The line that a court's filing system prints on each page of what is filed.

Each court has its own wording of the same few fields (CM/ECF lets it choose)::

    Case 8:16-cv-01261-DOC-KES   Document 40   Filed 08/05/16   Page 1 of 4   Page ID #:365
    Appellate Case: 21-800     Document: 010110462922     Date Filed: 01/11/2021     Page: 1
    09-50026-reg    Doc 1    Filed 06/01/09    Entered 06/01/09 07:57:51    Pg 1 of 24
    Case: 13-56445, 10/25/2013, ID: 8838203, DktEntry: 6, Page 1 of 20

So the fields are looked for one by one, and a line is such a header where it has the number of a
case and two of the others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from casetrack.base.years import written_day

_DOCKET_NUMBER = (
    r"(?:\d{1,2}:)?(?:19|20)?\d{2}-(?:[a-z]{1,4}-?)?\d{2,6}(?:-[A-Za-z]{2,5}(?!\w))*(?:-\d{1,4})?"
)
"""``8:16-cv-01261-DOC-KES``, ``09-50026-reg``, ``17-3510``."""
_NUMBER = re.compile(
    r"(?:(?P<system>USCA\s?\d*|Appellate|USCADC)\s+)?"
    r"(?P<word>(?:Case|Appeal)(?:\s*(?:No\.?|\#))?[:\s]\s*\#?\s*)?"
    rf"(?<![\w/.-])(?P<number>{_DOCKET_NUMBER})(?![\w/])",
    re.IGNORECASE,
)
_ENTRY = re.compile(
    r"(?:\b(?:Document|Doc|ECF|Entry\s+Number|DktEntry|Dkt)\b\.?\s*(?:No\.?)?\s*\#?:?\s*\#?"
    r"|(?<=\s)\#)\s*(?P<entry>\d{1,13}(?:[-.]\d{1,4})?)(?![\d/:])",
    re.IGNORECASE,
)
_DAY = r"(?P<day>\d{1,2}/\d{1,2}/(?:\d{4}|\d{2}))(?!\d)"
_FILED = re.compile(
    r"(?:\b(?:Date\s+)?(?:E-?)?Filed(?:\s+in\s+(?P<court>[A-Z]{4,5})\s+on)?"
    rf"|\bEntered\s+on\s+(?P<docket>[A-Z]{{4,5}})\s+Docket|,)\s*:?\s*{_DAY}",
    re.IGNORECASE,
)
_BARE_DAY = re.compile(_DAY)
_PAGE = re.compile(
    r"\b(?:Page|Pg)s?\b\.?\s*:?\s*(?P<page>\d{1,5})(?:\s*of\s*(?P<pages>\d{1,5}))?"
    r"|\bPage(?P<page2>\d{1,5})\s+of\s+(?P<pages2>\d{1,5})",
    re.IGNORECASE,
)
_STAMP = re.compile(
    r"\s*(?:NYSCEF DOC\b.*|.*\bRECEIVED NYSCEF\b.*|FILED: .* COUNTY CLERK .*INDEX NO\b.*"
    r"|(?:E-?FILED|ELECTRONICALLY FILED)\b.*(?:\bCLERK\b|\bCOURT\b).*"
    r"|FILING\s*\#\s*\d+,?\s+E-?FILED\b.*)",
    re.IGNORECASE,
)
"""Lines of the systems of states, which name no entry."""
_LONG_ID = 7
"""An entry of so many digits is the number of the file in the court's system, not of the entry."""
_EDGE_LINES = 4
_LONGEST = 240


@dataclass(frozen=True, slots=True)
class DocketHeader:
    """What a court's filing system printed on a page.

    Attributes
    ----------
    start, end
        Of the line, in the text of the page.
    case_number
        As written.
    entry
        Number of the paper in the docket; ``None`` where the header has only the number of a file.
    filed_on
        YYYY-MM-DD.
    page, pages
        Of the filing, as the court counts them.
    court_id
        Where the header itself says which court it is.
    """

    start: int
    end: int
    case_number: str
    entry: str | None = None
    filed_on: str | None = None
    page: int | None = None
    pages: int | None = None
    court_id: str | None = None


def read_docket_header(text: str, /) -> DocketHeader | None:
    """Return the header of a filing system on a page; ``None`` where it has none.

    It stands among the first or the last lines of the page.
    """
    if "-" not in text:
        return None
    lines = _edges(text)
    for start, end in lines:
        found = _header(text[start:end], start)
        if found is not None:
            return found
    return None


def is_docket_header(line: str, /) -> bool:
    """Whether a line is what a court's filing system prints on a page, and no sentence.

    Examples
    --------
    >>> is_docket_header("Case: 14-1326 Document: 3 Page: 1 Filed: 03/18/2014")
    True
    """
    plain = line.strip()
    if plain.endswith((".", ";")) or len(plain) > _LONGEST:
        return False
    return _STAMP.fullmatch(plain) is not None or _header(plain, 0) is not None


def _edges(text: str) -> list[tuple[int, int]]:
    """Return the first and the last lines that are not empty, as spans."""
    spans, at = list[tuple[int, int]](), 0
    while at < len(text) and len(spans) < _EDGE_LINES:
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        if text[at:end].strip():
            spans.append((at, end))
        at = end + 1
    last, end = list[tuple[int, int]](), len(text)
    while end > at and len(last) < _EDGE_LINES:
        begin = text.rfind("\n", 0, end) + 1
        if text[begin:end].strip():
            last.append((begin, end))
        end = begin - 1
    return spans + last


def _header(line: str, at: int) -> DocketHeader | None:
    if len(line) > _LONGEST:
        return None
    number = _NUMBER.search(line)
    if number is None:
        return None
    rest = line[: number.start()] + " " * (number.end() - number.start()) + line[number.end() :]
    entry, page = _ENTRY.search(rest), _PAGE.search(rest)
    filed = _FILED.search(rest) or _BARE_DAY.search(rest)
    told_by = [found for found in (entry, page, filed) if found is not None]
    if len(told_by) < 2 or (entry is None and not number["word"]):
        return None
    fields = page.groupdict() if page else {}
    told = filed.groupdict() if filed else {}
    name = entry["entry"] if entry else None
    count = fields.get("pages") or fields.get("pages2")
    first = fields.get("page") or fields.get("page2")
    if page and page.group().casefold().startswith("pages"):
        first, count = "1", first  # the Seventh Circuit says how many pages there are
    court = told.get("court") or told.get("docket")
    return DocketHeader(
        at,
        at + len(line),
        number["number"],
        entry=None if name is None or len(name) >= _LONG_ID else name,
        filed_on=american_day(told.get("day")),
        page=int(first) if first else None,
        pages=int(count) if count else None,
        court_id=_court_id(court or number["system"] or ""),
    )


def _court_id(said: str) -> str | None:
    said = said.casefold().replace(" ", "")
    if re.fullmatch(r"[a-z]{3,4}d", said) and said != "filed":
        return said
    if said == "usca":
        return "cadc"
    circuit = re.fullmatch(r"usca(\d{1,2})", said)
    return f"ca{int(circuit[1])}" if circuit else None


def american_day(day: str | None, /) -> str | None:
    """Return a day of an American court (month first) as YYYY-MM-DD; ``None`` for no such day."""
    if day is None:
        return None
    month, number, year = (int(part) for part in day.split("/"))
    if year < 100:
        year += 2000 if year < 70 else 1900
    return written_day(year, month, number)


_KEY = re.compile(
    r"(?:(?P<office>\d{1,2}):)?(?P<year>(?:19"
    r"|20)?\d{2})-?\s?(?P<kind>[A-Za-z]{0,4})\.?\s?-?\s?0*(?P<serial>\d{1,7})"
)


def case_key(number: str, /) -> str:
    """Return what two writings of one case number have in common.

    Offices, judges' initials and leading zeros are left out: ``8:16-cv-01261-DOC-KES``,
    ``16 CV 1261 (DOC)`` and ``No. 16-cv-1261`` are all ``16-cv-1261``. Numbers of another form
    lose their blanks and case.
    """
    found = _KEY.search(number)
    if found is None:
        return " ".join(number.casefold().split())
    year, kind = found["year"][-2:], found["kind"].lower()
    kind = {"civ": "cv", "crim": "cr", "cri": "cr"}.get(kind, kind)
    return "-".join(filter(None, (year, kind, found["serial"])))
