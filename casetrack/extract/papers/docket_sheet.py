"""The docket of a case as printed by the court's system: header, parties, entries.

CM/ECF pages of district, bankruptcy and appellate courts differ in their words::

    U.S. Bankruptcy Court
    District of Arizona (Phoenix)
    Bankruptcy Petition #: 2:08-bk-18814-JMM
    Assigned to: Judge James M. Marlar
    ...
    Filing Date: 11/20/2009 | #: 272 | Docket Text: Operating Report for October 2009 ...
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.records.documents import Party
from casetrack.base.words import WordLists
from casetrack.base.years import written_day
from casetrack.extract.papers.courts import find_court
from casetrack.extract.papers.facts import LegalFacts
from casetrack.extract.papers.text import written_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.papers.text import WholeText

# The line that a court's filing system prints on each page.
#
# Each court has its own wording of the same few fields (CM/ECF lets it choose)::
#
#     Case 8:16-cv-01261-DOC-KES   Document 40   Filed 08/05/16   Page 1 of 4   Page ID #:365
#     Appellate Case: 21-800     Document: 010110462922     Date Filed: 01/11/2021     Page: 1
#     09-50026-reg    Doc 1    Filed 06/01/09    Entered 06/01/09 07:57:51    Pg 1 of 24
#     Case: 13-56445, 10/25/2013, ID: 8838203, DktEntry: 6, Page 1 of 20
#
# So the fields are looked for one by one, and a line is such a header where it has the number of a
# case and two of the others.

_DOCKET_NUMBER = (
    r"(?:\d{1,2}:)?(?:19|20)?\d{2}-(?:[a-z]{1,4}-?)?\d{2,6}(?:-[A-Za-z]{2,5}(?!\w))*(?:-\d{1,4})?"
    r"|[A-Z]{3}-(?:[A-Z]{1,2}-)?\d{2,6}-\d{2,6}"
)
"""``8:16-cv-01261-DOC-KES``, ``09-50026-reg``, ``17-3510``, ``ATL-L-002794-25``."""
_NUMBER = re.compile(
    r"(?:(?P<system>USCA\s?\d*|Appellate|USCADC)\s+)?(?P<word>(?:Case|Appeal)(?:\s*(?:No\.?"
    rf"|\#))?[:\s]\s*\#?\s*)?(?<![\w/.-])(?P<number>{_DOCKET_NUMBER})(?![\w/])",
    re.IGNORECASE,
)
_LISTS = WordLists(__file__)

_ENTRY = _LISTS.pattern("entry", re.IGNORECASE)
_DAY = r"(?P<day>\d{1,2}/\d{1,2}/(?:\d{4}|\d{2}))(?!\d)"
_FILED = re.compile(
    r"(?:\b(?:Date\s+)?(?:E-?)?Filed(?:\s+in\s+(?P<court>[A-Z]{4,5})\s+on)?"
    rf"|\bEntered\s+on\s+(?P<docket>[A-Z]{{4,5}})\s+Docket|,)\s*:?\s*{_DAY}",
    re.IGNORECASE,
)
_BARE_DAY = re.compile(_DAY)
_PAGE = _LISTS.pattern("page", re.IGNORECASE)
_STAMP = _LISTS.pattern("stamp", re.IGNORECASE)
"""Lines of state systems, which have no entry number."""
_LONG_ID = 7
"""An entry with this many digits is a file number of the court's system."""
_EDGE_LINES = 4
_LONGEST = 240


@dataclass(frozen=True, slots=True)
class DocketHeader:
    """A header line of a court's filing system."""

    # start, end: of the line, in the text of the page.
    start: int
    end: int
    case_number: str  # as written
    # Number of the paper in the docket; `None` if the header has only a file number.
    entry: str | None = None
    filed_on: str | None = None  # YYYY-MM-DD
    # page, pages: of the filing, in the court's numbering.
    page: int | None = None
    pages: int | None = None
    court_id: str | None = None  # if the header names the court


def read_docket_header(text: str, /) -> DocketHeader | None:
    """Return the filing system's header among the first or last lines of a page, or ``None``."""
    lines = _edges(text) if "-" in text else []
    headers = (_header(text[start:end], start) for start, end in lines)
    return next((header for header in headers if header is not None), None)


def is_docket_header(line: str, /) -> bool:
    """Return whether a line is a header of a court's filing system rather than a sentence.

    Examples
    --------
    >>> is_docket_header("Case: 14-1326 Document: 3 Page: 1 Filed: 03/18/2014")
    True
    """
    plain = line.strip()
    if plain.endswith((".", ";")) or len(plain) > _LONGEST:
        return False
    is_cut = all(field.search(plain) for field in (_ENTRY, _FILED, _PAGE))  # without its number
    return is_cut or _STAMP.fullmatch(plain) is not None or _header(plain, 0) is not None


def _edges(text: str) -> list[tuple[int, int]]:
    lines = list(written_lines(text))
    return lines[:_EDGE_LINES] + lines[_EDGE_LINES:][: -_EDGE_LINES - 1 : -1]


def _header(line: str, at: int) -> DocketHeader | None:
    if len(line) > _LONGEST:
        return None
    number = _NUMBER.search(line)
    if number is None:
        return None
    rest = line[: number.start()] + " " * (number.end() - number.start()) + line[number.end() :]
    entry, page = _ENTRY.search(rest), _PAGE.search(rest)
    filed = _FILED.search(rest) or _BARE_DAY.search(rest)
    told_by = [each for each in (entry, page, filed) if each is not None]
    is_named = entry is not None or number["word"] or "Trans ID" in line
    if len(told_by) < 2 or not is_named:
        return None
    fields = page.groupdict() if page else {}
    days = filed.groupdict() if filed else {}
    name = entry["entry"] if entry else None
    count = fields.get("pages") or fields.get("pages2")
    first = fields.get("page") or fields.get("page2")
    if page and page.group().casefold().startswith("pages"):
        first, count = "1", first  # the Seventh Circuit prints the number of pages
    court = days.get("court") or days.get("docket")
    return DocketHeader(
        at,
        at + len(line),
        number["number"],
        entry=None if name is None or len(name) >= _LONG_ID else name,
        filed_on=american_day(days.get("day")),
        page=int(first) if first else None,
        pages=int(count) if count else None,
        court_id=_court_id(court or number["system"] or ""),
    )


def _court_id(text: str) -> str | None:
    text = text.casefold().replace(" ", "")
    if re.fullmatch(r"[a-z]{3,4}d", text) and text != "filed":
        return text
    if text == "usca":
        return "cadc"
    circuit = re.fullmatch(r"usca(\d{1,2})", text)
    return f"ca{int(circuit[1])}" if circuit else None


def american_day(day: str | None, /) -> str | None:
    """Return a day of an American court (month first) as YYYY-MM-DD; ``None`` for no such day."""
    if day is None:
        return None
    month, number, year = (int(part) for part in day.split("/"))
    if year < 100:
        year += 2000 if year < 70 else 1900
    return written_day(year, month, number)


_SHEET_NUMBER = _LISTS.joined("sheet_number")
_HEAD = re.compile(
    r"(?:(?:CIVIL|CRIMINAL|CIT|MISC\w*|[A-Z]+) )?DOCKET\s+FOR\s+CASE\s+#:\s*"
    + _SHEET_NUMBER
    + r"|(?:Bankruptcy Petition|Adversary Proceeding|Court of Appeals Docket"
    r"|Miscellaneous Proceeding|Adversary Case) #:\s*".replace(" #", r"\s+#")
    + _SHEET_NUMBER.replace("number", "number2"),
    re.IGNORECASE,
)
_ASSIGNED = _LISTS.pattern("assigned")
_TITLE_OF_JUDGE = _LISTS.pattern("title_of_judge", re.IGNORECASE)
_SHEET_FILED = re.compile(
    r"\b(?:Date filed|Docketed):\s*\|?\s*(?P<day>\d{2}/\d{2}/\d{2,4})", re.IGNORECASE
)
_SHEET_ENTRY = _LISTS.pattern("sheet_entry", re.MULTILINE)
_NUMBER_FIRST = re.compile(r"(?P<number>\d{1,5})\s+(?=[A-Z(\[*])")
_ENTERED = re.compile(r"[(\[]Entered:\s*(?P<day>\d{2}/\d{2}/\d{2,4})")
_ROLES = _LISTS.joined("roles")
_PARTY_ON_LINE = re.compile(
    rf"^(?P<role>{_ROLES})\s+(?:-{{3,}}\s+)?(?P<name>[^|\n]+?)\s*(?=\||$)", re.MULTILINE
)
_PARTY_BELOW = re.compile(
    rf"^(?P<role>{_ROLES})\s*(?:-{{3,}}\s*)?(?:\|[^\n]*)?\n+(?P<name>[^|\n]{{2,160}}?)(?=\s*\||\n)",
    re.MULTILINE,
)
_PARTY_APPEAL = _LISTS.pattern("party_appeal", re.MULTILINE)
_ADDRESS = _LISTS.pattern("address")
_NAME = _LISTS.pattern("name", re.MULTILINE)
_TITLE = re.compile(r"^Case title:\s*(?P<name>[^|\n]+)", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DocketEntry:
    """An entry of a docket."""

    # page, start, end: position of its text.
    page: int
    start: int
    end: int
    # filed_on, entered_on: YYYY-MM-DD; `None` for an impossible date.
    filed_on: str | None
    entered_on: str | None
    number: str | None  # `None` for an entry without a paper
    text: str


def read_sheet_head(text: str, /) -> LegalFacts | None:
    """Return the facts in the header of a docket, or ``None`` for another page."""
    if "#:" not in text:
        return None
    text = text.replace("−", "-")
    head = _HEAD.search(text[:6000])
    if head is None:
        return None
    top = text[: head.end() + 6000]
    number = head["number"] or head["number2"]
    court = find_court([line for line in text[: head.start()].split("\n") if line.strip()][-14:])
    judge = _ASSIGNED.search(top)
    filed = _SHEET_FILED.search(top)
    name = _TITLE.search(top, head.end()) or _NAME.search(top, head.end())
    parties = docket_parties(text)
    called = " ".join(name["name"].split()) if name else None
    if called is None:
        one = next((p for p in parties if p.role == "plaintiff"), None)
        two = next((p for p in parties if p.role == "defendant"), None)
        called = f"{one.name} v. {two.name}" if one and two else None
    if called is None and parties and parties[0].role and "debtor" in parties[0].role:
        called = f"In re {parties[0].name}"
    return LegalFacts(
        legal_type="other",
        legal_detail="docket",
        legal_evidence=f'"{" ".join(head.group().split())}" on page 1',
        case_name=called,
        case_number=number,
        court=court.name if court else None,
        court_id=court.court_id if court else None,
        judge=_TITLE_OF_JUDGE.sub("", " ".join(judge["name"].split())) if judge else None,
        filed_on=american_day(filed and filed["day"]),
        parties=parties or None,
    )


def docket_parties(text: str, /) -> tuple[Party, ...]:
    """Return the parties of a docket in the order of the page, without their addresses."""
    first = _SHEET_ENTRY.search(text)
    top = text[: first.start()] if first else text
    known: dict[int, Party] = {}
    for pattern in (_PARTY_ON_LINE, _PARTY_BELOW, _PARTY_APPEAL):
        for match in pattern.finditer(top):
            name = _ADDRESS.split(match["name"], maxsplit=1)[0].rstrip(" ,")
            is_other = ":" in name[:40] or name.casefold().startswith(("represented", "v."))
            if is_other or len(name) < 2 or match.start() in known:
                continue
            start = match.start("name")
            role = re.sub(r"\s?\(\d+\)", "", " ".join(match["role"].casefold().split()))
            role = re.sub(r"(?<=[a-z])s\b(?<!ss)(?<!us)", "", role).replace(" - ", "-")
            known[match.start()] = Party(" ".join(name.split()), role, 1, start, start + len(name))
    unique: dict[tuple[str, str | None], Party] = {}
    for at in sorted(known):
        unique.setdefault((known[at].name, known[at].role), known[at])
    return tuple(unique.values())


def read_entries(whole: WholeText, /) -> tuple[DocketEntry, ...]:
    """Return the entries of a docket in the order of its pages."""
    entries = list[DocketEntry]()
    for page in whole.pages:
        entries += _entries(page.text, page.number)
    return tuple(entries)


def _entries(text: str, page: int) -> Sequence[DocketEntry]:
    entries = []
    numbers = re.search(r"^(?:Filing Date|Date Filed|Docket Date) \| # \|", text, re.MULTILINE)
    for match in _SHEET_ENTRY.finditer(text):
        entered = _ENTERED.search(match["text"])
        words, start, number = match["text"].strip(), match.start("text"), match["number"]
        first = None if number or numbers else _NUMBER_FIRST.match(words)
        if first:
            words, start, number = words[first.end() :], start + first.end(), first["number"]
        entries.append(
            DocketEntry(
                page,
                start,
                start + len(words),
                american_day(match["day"]),
                american_day(entered and entered["day"]),
                number,
                words,
            )
        )
    return entries
