"""The docket of a case as the court's system shows it: its head, its parties, its entries.

CM/ECF pages of district, bankruptcy and appellate courts say the same in other words::

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

from casetrack.base.records.papers import Party
from casetrack.extract.papers.courts import find_court
from casetrack.extract.papers.docket_header import american_day
from casetrack.extract.papers.facts import LegalFacts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.papers.text import WholeText

_NUMBER = (
    r"(?:[A-Z]{2,4}/)?(?P<number>\d{1,2}[:-]\d{2}-[a-z]{2,4}-\d{4,6}(?:-[\w]+)*"
    r"|\d{2}-\d{3,6}(?:-[\w-]+)?|\d-\d{2}-\d{4,6}(?:-\w+)*)"
)
_HEAD = re.compile(
    r"(?:(?:CIVIL|CRIMINAL|CIT|MISC\w*|[A-Z]+) )?DOCKET\s+FOR\s+CASE\s+#:\s*"
    + _NUMBER
    + r"|(?:Bankruptcy Petition|Adversary Proceeding|Court of Appeals Docket"
    r"|Miscellaneous Proceeding|Adversary Case) #:\s*".replace(" #", r"\s+#")
    + _NUMBER.replace("number", "number2"),
    re.IGNORECASE,
)
_ASSIGNED = re.compile(
    r"\b(?:Assigned to|Judge):\s*(?:(?:U\.S\.|Chief|Senior|Visiting|District|Bankruptcy"
    r"|Magistrate|Judge|Honorable|Hon\.|Chief Judge)\s+)*(?P<name>[A-Z][^"
    r"|\n:]{2,60}?)(?=\s+(?:Referred to|Lead BK|Demand|Lead case|Cause|Chapter|Related|Case in|Date"
    r"|Previous|Member|Voluntary|Involuntary|Lead Docket|Panel)\b|\s*[|\n]|$)"
)
_TITLE_OF_JUDGE = re.compile(
    r"^(?:(?:hon(?:orable|\.)?|chief|senior|u\.s\.|district|bankruptcy|magistrate|judge|justice)\s+)+",
    re.IGNORECASE,
)
_FILED = re.compile(
    r"\b(?:Date filed|Docketed):\s*\|?\s*(?P<day>\d{2}/\d{2}/\d{2,4})", re.IGNORECASE
)
_ENTRY = re.compile(
    r"^(?:(?:Filing Date|Docket Date|Date Filed): )?"
    r"(?P<day>\d{2}/\d{2}/\d{4})(?:\s+\d{2}:\d{2}:\d{2})?\s*\|\s*"
    r"(?:(?:\#: )?(?:\[ \]\s+)?(?P<number>\d{1,6})(?=\s*[|(\n ])[^|]*\|\s*)?"
    r"(?:\|\s*)?(?:Docket Text: )?(?P<text>[^|].*)$",
    re.MULTILINE,
)
_NUMBER_FIRST = re.compile(r"(?P<number>\d{1,5})\s+(?=[A-Z(\[*])")
_ENTERED = re.compile(r"[(\[]Entered:\s*(?P<day>\d{2}/\d{2}/\d{2,4})")
_ROLES = (
    r"(?:(?:Consol(?:idated)?|Counter|Cross|Third[- ]Party|3rd pty|Involuntary|Joint"
    r"|Creditor Committee|Intervenor|Interested|Trustee|U\.?S\.?|Movant|Lead|Miscellaneous"
    r"|Special|Jnt Admin)[ -]?)*"
    r"(?:Plaintiff|Defendant|Debtor(?: In Possession)?|Petitioner|Respondent|Appellant|Appellee"
    r"|Trustee|Claimant|Movant|Intervenor|Creditor|Party|Amicus|Counter-claimant"
    r"|Petitioning Creditor|Mediator|Creditor Committee|Claims Agent|Consumer Privacy Ombudsman"
    r"|Examiner|Special Counsel|Attorney)"
    r"(?:\s?\(\d+\))?"
)
_PARTY_ON_LINE = re.compile(
    rf"^(?P<role>{_ROLES})\s+(?:-{{3,}}\s+)?(?P<name>[^|\n]+?)\s*(?=\||$)", re.MULTILINE
)
_PARTY_BELOW = re.compile(
    rf"^(?P<role>{_ROLES})\s*(?:-{{3,}}\s*)?(?:\|[^\n]*)?\n+(?P<name>[^|\n]{{2,160}}?)(?=\s*\||\n)",
    re.MULTILINE,
)
_PARTY_APPEAL = re.compile(
    r"^(?P<name>[A-Z][^|\n]{1,300}?),?\s+(?P<role>(?:Plaintiff|Defendant|Petitioner|Respondent"
    r"|Debtor|Intervenor|Amicus Curiae|Movant|Appellant|Appellee|Creditor|Trustee|Claimant"
    r"|Not Party|Court Reporter)s?(?: - (?:Appell(?:ant|ee)|Cross-Appell(?:ant|ee)|Petitioner"
    r"|Respondent)s?)*),?\s*(?=\||\n|$)",
    re.MULTILINE,
)
_ADDRESS = re.compile(
    r"(?<=\S),?\s+(?=(?:in (?:his|her|its|their)\b|\d{1,6}(?:-\d+)?\s+[A-Z0-9]"
    r"|P\.?\s?O\.?\s+Box|c/o\b|C/O\b|SSN|Tax ID|Attn"
    r"|[A-Z]{2}\s+\d{5}|TERMINATED|One\s+\w+\s+(?:Plaza|Center)))"
)
_NAME = re.compile(
    r"^(?P<name>[^|:\n]{3,160}?\s+v\.?s?\.\s+[^|:\n]{2,160}?)(?=\s+(?:Assigned to|Panel"
    r"|Referred to|Lead|Case in|Cause|Date filed|Related)\b|\s*[|\n]|$)",
    re.MULTILINE,
)
_TITLE = re.compile(r"^Case title:\s*(?P<name>[^|\n]+)", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class DocketEntry:
    """An entry of a docket: where it stands, and what it says.

    Attributes
    ----------
    page, start, end
        Of the text of the entry on its page.
    filed_on, entered_on
        YYYY-MM-DD; ``None`` for a day that no calendar has.
    number
        Of the entry; ``None`` for one without a paper.
    text
        What was filed.
    """

    page: int
    start: int
    end: int
    filed_on: str | None
    entered_on: str | None
    number: str | None
    text: str


def read_sheet_head(text: str, /) -> LegalFacts | None:
    """Return what the head of a docket says; ``None`` for a page that is no docket."""
    if "#:" not in text:
        return None
    head = _HEAD.search(text[:6000])
    if head is None:
        return None
    top = text[: head.end() + 6000]
    number = head["number"] or head["number2"]
    court = find_court([line for line in text[: head.start()].split("\n") if line.strip()][-14:])
    judge = _ASSIGNED.search(top)
    filed = _FILED.search(top)
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
    first = _ENTRY.search(text)
    top = text[: first.start()] if first else text
    found: dict[int, Party] = {}
    for pattern in (_PARTY_ON_LINE, _PARTY_BELOW, _PARTY_APPEAL):
        for match in pattern.finditer(top):
            name = _ADDRESS.split(match["name"], maxsplit=1)[0].rstrip(" ,")
            if ":" in name[:40]:
                continue
            if (
                match.start() in found
                or len(name) < 2
                or name.casefold().startswith(("represented", "v."))
            ):
                continue
            start = match.start("name")
            role = re.sub(r"\s?\(\d+\)", "", " ".join(match["role"].casefold().split()))
            role = re.sub(
                r"\s-\s",
                "-",
                re.sub(r"(?<=[a-z])s\b(?<!ss)(?<!us)", "", role)
                if pattern is _PARTY_APPEAL
                else role,
            )
            found[match.start()] = Party(" ".join(name.split()), role, 1, start, start + len(name))
    unique: dict[tuple[str, str | None], Party] = {}
    for at in sorted(found):
        unique.setdefault((found[at].name, found[at].role), found[at])
    return tuple(unique.values())


def read_entries(whole: WholeText, /) -> tuple[DocketEntry, ...]:
    """Return the entries of a docket in the order of its pages."""
    found = list[DocketEntry]()
    for page in whole.pages:
        found += _entries(page.text, page.number)
    return tuple(found)


def _entries(text: str, page: int) -> Sequence[DocketEntry]:
    found = []
    has_numbers = (
        re.search(r"^(?:Filing Date|Date Filed|Docket Date) \| # \|", text, re.MULTILINE)
        is not None
    )
    for match in _ENTRY.finditer(text):
        entered = _ENTERED.search(match["text"])
        said, start, number = match["text"].strip(), match.start("text"), match["number"]
        first = None if number or has_numbers else _NUMBER_FIRST.match(said)
        if first:
            said, start, number = said[first.end() :], start + first.end(), first["number"]
        found.append(
            DocketEntry(
                page,
                start,
                start + len(said),
                american_day(match["day"]),
                american_day(entered and entered["day"]),
                number,
                said,
            )
        )
    return found
