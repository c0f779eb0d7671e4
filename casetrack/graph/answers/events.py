"""The event that a text describes for a date, and its weight."""

from __future__ import annotations

import datetime as dt
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from casetrack.base.addresses import correspondents
from casetrack.base.records.graph.timeline import EVENT_TYPES
from casetrack.base.words import WordLists
from casetrack.base.years import is_clock_fault
from casetrack.extract.dates import read_date
from casetrack.extract.dates.vocabulary import WROTE
from casetrack.extract.language import sentence_ends
from casetrack.extract.papers.docket_sheet import is_docket_header
from casetrack.graph.answers.sentence import sentence_around, shortened

if TYPE_CHECKING:
    from casetrack.base.records import Chunk
    from casetrack.base.records.graph.timeline import EventType

_WIDTH = 240
_OF_MAIL, _QUOTED = 0.6, 0.3
_LONGEST_SENDER = 60
_INTRODUCTION = 300
"""Maximum length of the text between the day of a quoted mail and its content."""
_A_DEED = 0.7
_HEAD = 600
_HEAD_WORDS, _FEW_WORDS = 8, 5
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
_TYPES = {t: re.compile(_LISTS.text(t), re.VERBOSE | re.IGNORECASE) for t in EVENT_TYPES}
_NEAR, _BEHIND = 90, 40
_STRONG = re.compile(_LISTS.text("strong"), re.VERBOSE | re.IGNORECASE)
_PERIOD = _LISTS.pattern("period")
_BALANCE = re.compile(r"(?:([^\W\d_]+)\W+)?\b(?:as\s+(?:of|at)|at)\s+$", re.IGNORECASE)
"""Text before the day of a balance, unless the preceding word makes it the day of a deed."""
_FIELD = re.compile(r"[*\s]*[\w-]{2,20}[*\s]*:\s")
_BALANCE_SHEET = re.compile(
    r"\W*(?:(?:un)?audited\s|con(?:densed|solidated)\s)*balance\s", re.IGNORECASE
)
_AS_OF_DEEDS = _LISTS.pattern("as_of_deeds")
_FILED = re.compile(r"\b(?:filed|furnished|submitted|reported)\b[^.;]{0,80}$", re.IGNORECASE)
_FORMS = _LISTS.pattern("forms")
_INCORPORATED = _LISTS.pattern("incorporated")
_EXHIBIT = re.compile(r"\W*\d{1,3}\.\d{1,3}\W")
_DATED = re.compile(r"\b(?:dated|effective)\b[^.;,]{0,20}$", re.IGNORECASE)
_NOISE_BEFORE = _LISTS.pattern("noise_before")
_CITED_BEFORE = _LISTS.pattern("cited_before")
_ROUTING = _LISTS.pattern("routing")
_NOISE_SENTENCE = re.compile(r"©|\bcopyright\b|all rights reserved", re.IGNORECASE)
_ITEM = re.compile(r"[●○•▪*‣◦-]\s")
"""The mark of an item of a list, which is not the head of its document."""
_SIGNED_ON = re.compile(r"\W*(?:dated?|signed|datum)\b", re.IGNORECASE)
_PATH = re.compile(r"/|\.[a-z]{3,4}\b|\W{0,4}https?://")
_BEFORE_YEAR = _LISTS.pattern("before_year")
_WORD = re.compile(r"[^\W\d_]{2,}")
_FIGURE = re.compile(r"\S*\d\S*")
_FIGURES = 5
"""Text with more figures than this, and more figures than words, is a row of a plain-text table."""
_NUMBER = re.compile(r"\d{3}")


@dataclass(frozen=True, slots=True)
class Reading:
    """The description of a date in a text, and its strength, 0..1.

    ``kind``: a deed (done or due on the date) or a sent mail is a separate event of its day; a
    remark is not.
    """

    description: str
    strength: float
    kind: Literal["deed", "mail", "remark"] = "remark"
    type: EventType | None = None


def read_event(
    chunk: Chunk, start: int, end: int, precision: str, /, *, title: str | None = None
) -> Reading | None:
    """Read the event at the date ``text[start:end]``; ``None`` if it is no event.

    No events: days of mails with a wrong clock, copyright years, print dates, version dates, years
    in column headings, rows of figures, numbers without words, and the header that a court's filing
    system prints on each page. The end of a reporting period, the day of a balance and the filing
    day of a report get a low strength; the day of a mail is described by sender, recipient and
    subject, that of a quoted one by its sender. *title* is that of the document, by its card.
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
    if wrote := _WROTE.match(text, end, end + _INTRODUCTION):
        sender = _first_of(" ".join(wrote["sender"].replace(">", "> ", 1).split()))
        return Reading(f"Mail from {sender}, quoted", _QUOTED, "mail") if sender else None
    low, high = sentence_around(text, start, end)
    line = text.rfind("\n", 0, start) + 1, line_end if line_end >= 0 else len(text)
    is_field = chunk.provenance.chunk_index == 0 and _FIELD.match(text, line[0], line[1])
    if is_field or not _WORD.search(text[line[0] : start] + text[end : line[1]]):
        low, high = line  # a date alone on its line, or a field at the head of a file
    sentence = text[low:high]
    if _ROUTING.match(sentence) or (_MAIL_LINE.match(text) and _MAIL_LINE.match(sentence)):
        return None
    before = text[max(low, start - 160) : start]
    is_path = before.endswith("/") or _PATH.match(text, end)
    is_noise = is_path or _NOISE_BEFORE.search(before[-40:]) or _NOISE_SENTENCE.search(sentence)
    if is_noise or _CITED_BEFORE.search(before):
        return None
    context = f"{text[low:start]} {text[end:high]}"
    words = _WORD.findall(context)
    figures = _FIGURE.findall(context)
    if len(figures) > max(_FIGURES, len(words)) or (not words and _NUMBER.search(context)):
        return None
    in_table = " | " in sentence
    deed = _deed_strength(sentence)
    if precision == "year" and (in_table or not deed or not _BEFORE_YEAR.search(text[low:start])):
        return None
    if in_table:
        return _cell(text, (low, high), (start, end), precision)
    at_head = chunk.provenance.chunk_index == 0 and start < _HEAD and len(words) <= _HEAD_WORDS
    is_bare = len(words) < 3 or (at_head and (not deed or len(words) < _FEW_WORDS))
    if is_bare:
        labelled = _bare(chunk, (start, end), (low, high), title)
        if labelled or not deed or len(words) < 3:
            return labelled
    deed *= _boilerplate_weight(text[low:start], text[end:high], sentence) * (
        1.0 if len(words) > 5 else 0.8
    )
    return Reading(
        shortened(text, low, high, (start, end), _WIDTH),
        deed,
        "deed" if deed >= _A_DEED else "remark",
        _type_of(text[max(low, start - _NEAR) : start], text[end : min(high, end + _BEHIND)]),
    )


def _type_of(before: str, behind: str) -> EventType | None:
    """Return the type of event whose words are nearest to a date, those before it first."""
    ends = {t: max((m.end() for m in p.finditer(before)), default=0) for t, p in _TYPES.items()}
    best = max(ends, key=lambda t: ends[t])
    if ends[best]:
        return best
    starts = {t: m.start() for t, p in _TYPES.items() if (m := p.search(behind))}
    return min(starts, key=lambda t: starts[t], default=None)


def _boilerplate_weight(before: str, behind: str, sentence: str) -> float:
    """Return the factor for dates of accounts and filings, which are weaker than dates of deeds."""
    if _PERIOD.search(before):
        return 0.1
    if _BALANCE_SHEET.match(behind):
        return 0.2
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
    """Read a row of a table; a month or quarter that only labels its row is no event."""
    before = text[row[0] : place[0]]
    first = "|" not in before.lstrip("| ")
    is_period = _PERIOD.search(before) or _BALANCE.search(before)
    if is_period or (first and precision not in {"day", "range"}):
        return None
    after = text.find("|", place[1], row[1])
    cell = text[row[0] + before.rfind("|") + 1 : row[1] if after < 0 else after]
    strength = 0.6 if _DEEDS.search(cell) else 0.3 * _deed_strength(text[row[0] : row[1]])
    return Reading(shortened(text, *row, place, _WIDTH), strength)


def _deed_strength(sentence: str) -> float:
    if _STRONG.search(sentence):
        return 1.0
    return 0.7 if _DEEDS.search(sentence) else 0.0


def _bare(
    chunk: Chunk, at: tuple[int, int], line: tuple[int, int], title: str | None
) -> Reading | None:
    """Describe a date without a sentence, at the head of a document or labelled as its date."""
    if _MAIL_LINE.match(chunk.text):
        return None  # a mail is dated by its head
    is_first, name = chunk.provenance.chunk_index == 0, title or chunk.provenance.document_name
    own = shortened(chunk.text, *line, at, _WIDTH)
    if _ITEM.match(own):
        return None
    if is_first and (own in name or name in own):
        return Reading(name, 0.6)
    if is_first and at[0] < _HEAD and not any(sentence_ends(chunk.text, 0, line[0])):
        return Reading(f"{own}: date at the head of {name}", 0.6)
    return Reading(f"{name}: {own}", 0.3) if _SIGNED_ON.match(own) else None


_MAIL_LINE = _LISTS.pattern("mail_line")
_MAIL_DAY = frozenset({"date", "sent", "gesendet", "datum"})
_MAIL_WORDS = {"von": "from", "an": "to", "betreff": "subject"}
_MAIL_LINES = 12
_SENT_ON = re.compile(r"[>\s]*([^\d\n]{0,60}?)(?:\bon\s)?\s*$")
"""Text before the day in a mail head without field names: the sender."""
_WROTE = re.compile(
    r"[\s,]*+(?:at\s|um\s|à\s)?[\d:.]*+\s*+(?:[AP]M\b)?"
    r"(?:\s*+(?:[+-]\d{4}|(?-i:[A-Z]{3,4})\b|\([A-Z]+\)))*[\s,]*+"
    rf"(?P<sender>[^:;]{{2,120}}?)[\s>]+(?:{'|'.join(sorted(WROTE))})\s*:",
    re.IGNORECASE,
)
"""Text after the day of a quoted mail: "at 6:29 PM, Jo Roe <jo@acme.com> wrote:"."""
_CLOCK = re.compile(r"[\s,]*(?:at\s)?[\d:]*\s*(?:[AP]M)?\s*$", re.IGNORECASE)


def mail_at(text: str, start: int, end: int, /) -> str | None:
    """Return "Mail from … to …: subject" if ``text[start:end]`` is the day in the head of a mail.

    Such a head has fields ("From:", "Sent:", "To:"), or starts with sender and time, followed by
    fields. ``None`` if it is no such day, or the head names no sender.
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
        sender = _MAIL_LINE.sub(r"\2", before[1] or above)
    sender = _first_of(sender.strip(" >"))
    if not sender or len(sender) > _LONGEST_SENDER:
        return None
    to, subject = _first_of(head.get("to", "")), head.get("subject", "")
    description = f"Mail from {sender}" + (f" to {to}" if to else "")
    return f"{description}: {subject}" if subject else description


def _mail_fields(block: str) -> dict[str, str]:
    """Return the fields of a mail's head; the first of each counts."""
    fields: dict[str, str] = {}
    lines = re.split(r"\n(?!\[mailto:)", block.strip("\n"))[:_MAIL_LINES]
    for line in map(_MAIL_LINE.match, (" ".join(each.split("\n")) for each in lines)):
        if line is not None:
            field = line[1].lower()
            fields.setdefault(_MAIL_WORDS.get(field, field), line[2].strip())
    return fields


def _first_of(recipients: str) -> str:
    """Return the first recipient and the number of others."""
    every = [c.person for c in correspondents(recipients)]
    return f"{every[0]} and {len(every) - 1} more" if len(every) > 1 else "".join(every)


def date_weight(
    precision: str, places: int, documents: int, /, *, nearby: int, strength: float
) -> float:
    """Return the weight of a date, 0..1.

    *places* and *documents* are the numbers of places and documents with the date, *nearby* the
    number of names, amounts and references near it, *strength* that of its sentence, 0..1. A day
    weighs more than a year.
    """
    # Frequency is evidence of an event only if the sentence describes one.
    event_factor = min(strength + 0.3, 1.0)
    weight = (
        0.3 * _PRECISION_WEIGHTS.get(precision, 0.25)
        + 0.4 * min(strength, 1.0)
        + 0.1 * event_factor * min(math.log2(max(documents, 1)) / 3, 1.0)
        + 0.05 * event_factor * min(math.log2(max(places, 1)) / 4, 1.0)
        + 0.15 * event_factor * min(nearby, 4) / 4
    )
    return min(weight, 1.0)
