"""What a text says happened on a date, and how much that stands out."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from casetrack.base.words import WordLists
from casetrack.base.years import is_clock_fault
from casetrack.extract.dates import read_date
from casetrack.extract.papers.docket_sheet import is_docket_header
from casetrack.graph.answers.sentence import sentence_around, shortened

if TYPE_CHECKING:
    from casetrack.base.records import Chunk

_WIDTH = 240
_OF_MAIL = 0.6
_LONGEST_SENDER = 60
_A_DEED = 0.7
_HEAD = 600
_HEAD_WORDS = 8
_PRECISION_WEIGHTS = {
    "day": 1.0,
    "range": 0.85,
    "week": 0.8,
    "month": 0.7,
    "quarter": 0.55,
    "half": 0.5,
    "year": 0.25,
}
_LISTS = WordLists(__file__)

_DEEDS = re.compile(_LISTS.text("deeds"), re.VERBOSE | re.IGNORECASE)
_STRONG = re.compile(_LISTS.text("strong"), re.VERBOSE | re.IGNORECASE)
_PERIOD = re.compile(
    r"\b(?:years?|quarters?|months?|weeks?|periods?)\s+(?:then\s+)?(?:ended|ending)\s+(?:on\s+)?$"
    r"|\b(?:fiscal|financial)\s+years?\s+(?:end\s+)?$",
    re.IGNORECASE,
)
"""Before the last day of a period that is reported on."""
_BALANCE = re.compile(r"(?:([^\W\d_]+)\W+)?\b(?:as\s+(?:of|at)|at)\s+$", re.IGNORECASE)
"""Before the day of a balance, unless the word before it makes it that of a deed."""
_AS_OF_DEEDS = re.compile(
    r"(?:dated|effective|made|entered|into|executed|deemed|signed|amended|restated|agreement|lease|"
    r"contract|deed|terminat\w+|expir\w+|commenc\w+|begin\w*|start\w*|end\w*|closed)$",
    re.IGNORECASE,
)
_FILED = re.compile(r"\b(?:filed|furnished|submitted|reported)\b[^.;]{0,80}$", re.IGNORECASE)
_FORMS = re.compile(
    r"\bForm\s+\S*\d|\b(?:10-[KQ]|8-K|20-F|6-K|[SF]-\d{1,2}|DEF\s?14A)\b|\bSchedule\s+\d+\w?\b|\b(?:annual|quarterly|current)\s+reports?\b"
    r"|\bregistration\s+statement\b|\bproxy\s+statement\b",
    re.IGNORECASE,
)
_INCORPORATED = re.compile(
    r"\bincorporated\s+(?:herein\s+)?(?:by\s+reference|as\s+reference)", re.IGNORECASE
)
_EXHIBIT = re.compile(r"\W*\d{1,3}\.\d{1,3}\W")
_DATED = re.compile(r"\b(?:dated|effective)\b[^.;,]{0,20}$", re.IGNORECASE)
_NOISE_BEFORE = re.compile(
    r"(?:©|\(c\)|copyright|all rights reserved|printed(?: on)?|print date|page \d+(?: of \d+)?"
    r"|downloaded(?: on)?|last saved|file name|rev(?:ision|\.)?|version|v)[\s:,.–-]*$",
    re.IGNORECASE,
)
_ROUTING = re.compile(
    r"[>\s]*(?:Received|Message-ID|Return-Path|X-[\w-]+|Stated date):", re.IGNORECASE
)
"""Lines that say by which machines a mail went, or when it was sent by a wrong clock."""
_NOISE_SENTENCE = re.compile(r"©|\bcopyright\b|all rights reserved", re.IGNORECASE)
_BEFORE_YEAR = re.compile(
    r"\b(?:in|since|until|till|by|during|from|before|after|of|year|to|seit|im Jahr|bis|en|depuis|"
    r"desde)\s*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_FIGURE = re.compile(r"\S*\d\S*")
_FIGURES = 5
"""More figures than this, and than words, make a row of a table in plain text."""
_NUMBER = re.compile(r"\d{3}")
_SENTENCE_ENDS = frozenset(".!?")
_RUNNING_WORDS = 3
"""So many words in small letters make a line with a full stop running text, not a head."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the text says of a date: in words, and how much it says, 0..1.

    ``kind``: a deed, which was done or is due then, or a mail, which was sent, is an event of its
    own beside others of the day; a remark is not.
    """

    description: str
    says: float
    kind: Literal["deed", "mail", "remark"] = "remark"


def read_event(chunk: Chunk, start: int, end: int, precision: str, /) -> Reading | None:
    """Read what a passage says of the date at ``text[start:end]``; ``None`` where it is no event.

    Days of mails that only a wrong clock shows, years of copyright, print dates, version dates,
    years that only head a column, rows of figures, numbers without words and what the filing
    system of a court prints on each page are none. The
    end of a period that is reported on, the day of a balance and the day on which a report was
    filed say little; the day of a mail is told with who wrote it to whom, and of what.
    """
    text = chunk.text
    line_end = text.find("\n", end)
    if is_docket_header(text[text.rfind("\n", 0, start) + 1 : line_end if line_end >= 0 else None]):
        return None
    if mail := mail_at(text, start, end):
        sent = read_date(text[start:end])
        if sent and sent.first and is_clock_fault(dt.date.fromisoformat(sent.first)):
            return None
        return Reading(mail, _OF_MAIL, "mail")
    low, high = sentence_around(text, start, end)
    sentence = text[low:high]
    if _ROUTING.match(sentence):
        return None
    if _NOISE_BEFORE.search(text[max(low, start - 40) : start]) or _NOISE_SENTENCE.search(sentence):
        return None
    beside = f"{text[low:start]} {text[end:high]}"
    words = _WORD.findall(beside)
    figures = _FIGURE.findall(beside)
    if len(figures) > max(_FIGURES, len(words)) or (not words and _NUMBER.search(beside)):
        return None
    in_table = " | " in sentence
    deed = _says(sentence)
    if precision == "year" and (in_table or not deed or not _BEFORE_YEAR.search(text[low:start])):
        return None
    if in_table:
        return _cell(text, (low, high), (start, end), precision)
    at_head = chunk.provenance.chunk_index == 0 and start < _HEAD and len(words) <= _HEAD_WORDS
    if len(words) < 3 or (at_head and not deed):
        return _bare(chunk, start, end, (low, high))
    deed *= _boilerplate_weight(text[low:start], sentence) * (1.0 if len(words) > 5 else 0.8)
    return Reading(
        shortened(text, low, high, (start, end), _WIDTH),
        deed,
        "deed" if deed >= _A_DEED else "remark",
    )


def _boilerplate_weight(before: str, sentence: str) -> float:
    """Return by how much a date says less for being one of books and filings, not of deeds."""
    if _PERIOD.search(before):
        return 0.1
    balance = _BALANCE.search(before)
    if balance and not _AS_OF_DEEDS.match(balance[1] or ""):
        return 0.2
    if _FILED.search(before) and _FORMS.search(sentence):
        return 0.15
    if _INCORPORATED.search(sentence) or (_EXHIBIT.match(sentence) and _FORMS.search(sentence)):
        return 0.4 if _DATED.search(before) else 0.15
    return 1.0


def _cell(
    text: str, row: tuple[int, int], place: tuple[int, int], precision: str
) -> Reading | None:
    """Read a row of a table; a month or quarter that only heads its row is no event."""
    before = text[row[0] : place[0]]
    first = "|" not in before.lstrip("| ")
    if first and precision not in {"day", "range"}:
        return None
    after = text.find("|", place[1], row[1])
    cell = text[row[0] + before.rfind("|") + 1 : row[1] if after < 0 else after]
    says = 0.6 if _DEEDS.search(cell) else 0.3 * _says(text[row[0] : row[1]])
    return Reading(shortened(text, *row, place, _WIDTH), says)


def _says(sentence: str) -> float:
    if _STRONG.search(sentence):
        return 1.0
    return 0.7 if _DEEDS.search(sentence) else 0.0


def _bare(chunk: Chunk, start: int, end: int, line: tuple[int, int]) -> Reading:
    """Describe a date without a sentence by its place: the head of a document, or a heading."""
    own = shortened(chunk.text, *line, (start, end), _WIDTH)
    source = chunk.provenance
    if source.chunk_index == 0 and start < _HEAD and not _has_running_text(chunk.text[: line[0]]):
        return Reading(f"{own}: date at the head of {source.document_name}", 0.6)
    under = source.heading_path[-1].strip("# ") if source.heading_path else source.document_name
    return Reading(f"{under}: {own}" if under not in own else own, 0.15)


def _has_running_text(text: str) -> bool:
    return any(
        line.rstrip()[-1:] in _SENTENCE_ENDS
        and sum(word.islower() for word in line.split()) >= _RUNNING_WORDS
        for line in text.splitlines()
        if line.strip()
    )


_MAIL_LINE = re.compile(
    r"[>\s]*(From|To|Cc|Bcc|Date|Sent|Subject|Reply-To|Von|An|Gesendet|Datum|Betreff)\s*:\s*(.*)",
    re.IGNORECASE,
)
_MAIL_DAY = frozenset({"date", "sent", "gesendet", "datum"})
_MAIL_WORDS = {"von": "from", "an": "to", "betreff": "subject"}
_MAIL_LINES = 12
_ADDRESS = re.compile(r"\s*<[^<>]*>?|\s*\[mailto:[^\]]*\]")
_SENT_ON = re.compile(r"[>\s]*([^\d\n]{0,60}?)(?:\bon\s)?\s*$")
"""What stands before the day in the head of a mail that names no fields: who wrote."""
_CLOCK = re.compile(r"[\s,]*(?:at\s)?[\d:]*\s*(?:[AP]M)?\s*$", re.IGNORECASE)


def mail_at(text: str, start: int, end: int, /) -> str | None:
    """Return who wrote to whom of what, where ``text[start:end]`` is the day of a mail's head.

    Such a head has fields ("From:", "Sent:", "To:"), or begins with who wrote and when, and then
    has fields. ``None`` where it is no such day, or where the head does not say who wrote.
    """
    line = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    if line_end < 0:
        return None
    own = _MAIL_LINE.match(text, line, line_end)
    stop = text.find("\n\n", line_end)
    below = _mail_fields(text[line_end + 1 : stop if stop >= 0 else len(text)])
    if own is not None and own[1].lower() in _MAIL_DAY:
        top = text.rfind("\n\n", 0, line) + 1
        head = _mail_fields(text[top:line]) | below
        sender = head.get("from", "")
    else:
        head = below
        before = _SENT_ON.fullmatch(text, line, start)
        if not (before and "to" in head and _CLOCK.fullmatch(text, end, line_end)):
            return None
        above = text[:line].rstrip("\n").rpartition("\n")[2]
        sender = _ADDRESS.sub("", _MAIL_LINE.sub(r"\2", before[1] or above))
    sender = sender.replace('"', "").strip(" >")
    if not sender or len(sender) > _LONGEST_SENDER:
        return None
    to, subject = _first_of(head.get("to", "")), head.get("subject", "")
    said = f"Mail from {sender}" + (f" to {to}" if to else "")
    return f"{said}: {subject}" if subject else said


def _mail_fields(block: str) -> dict[str, str]:
    """Return the fields of a mail's head without addresses; the first of each counts."""
    found: dict[str, str] = {}
    for line in map(_MAIL_LINE.match, block.strip("\n").split("\n")[:_MAIL_LINES]):
        if line is not None:
            field = line[1].lower()
            value = _ADDRESS.sub("", line[2]).strip(' "')
            found.setdefault(_MAIL_WORDS.get(field, field), value or line[2].strip("<> "))
    return found


def _first_of(recipients: str) -> str:
    """Return the first of some recipients and how many more there are."""
    # "Roe, Jo" is one of those who stand behind each other with semicolons.
    mark = ";" if ";" in recipients or not re.search(r"[@/]", recipients) else ","
    every = [r.strip(" \"'") for r in recipients.split(mark) if r.strip(" \"'")]
    if len(every) < 2:
        return "".join(every)
    return f"{every[0]} and {len(every) - 1} more"


def date_weight(
    precision: str, places: int, documents: int, /, *, beside: int, says: float
) -> float:
    """Return how much a date stands out, 0..1.

    Parameters
    ----------
    precision
        Of the date; a day weighs more than a year.
    places, documents
        How often it is given, and by how many documents.
    beside
        Names, sums and references near it.
    says
        How much its sentence says, 0..1.
    """
    # How often a date is given tells of an event only where its sentence tells of one.
    told = min(says + 0.3, 1.0)
    weight = (
        0.3 * _PRECISION_WEIGHTS.get(precision, 0.25)
        + 0.4 * min(says, 1.0)
        + 0.1 * told * min(math.log2(max(documents, 1)) / 3, 1.0)
        + 0.05 * told * min(math.log2(max(places, 1)) / 4, 1.0)
        + 0.15 * told * min(beside, 4) / 4
    )
    return min(weight, 1.0)
