"""Sender, subject and time of mails, and the heads of earlier mails that they quote."""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.base.years import FIRST_MAIL, is_clock_fault
from casetrack.extract.dates import find_dates
from casetrack.extract.dates.vocabulary import SENT, WROTE
from casetrack.graph.entities.text import fold, fold_text
from casetrack.graph.identity.facts import Claim, Description, Identity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.graph.document.facts import DocumentFacts
    from casetrack.graph.identity.facts import Joined

_LISTS = WordLists(__file__)
FORMATS = frozenset({"eml", "msg"})
_PREFIX = _LISTS.pattern("prefix")
_HEAD_LINE = re.compile(r"(?m)^(?P<name>From|To|Cc|Bcc|Date|Subject|Attachments): (?P<value>.*)$")
_LABELS = {
    "from": r"from|von|de|da|van|från|fra|od",
    "sent": "|".join(sorted(SENT)),
    "subject": r"subject|betreff|objet|asunto|oggetto|onderwerp|assunto|ämne|re",
}
_FIELD = re.compile(
    r"^[\s>*|]*\*?(?:(?P<from>"
    + _LABELS["from"]
    + r")|(?P<sent>"
    + _LABELS["sent"]
    + r")|(?P<subject>"
    + _LABELS["subject"]
    + r")|(?P<other>to|cc|bcc|an|kopie|à|para|aan|till|importance|wichtigkeit))"
    r"\s*:\*?[\x20\t]*(?P<value>.*)$",
    re.IGNORECASE,
)
_SPLIT = _LISTS.pattern("split")
_WROTE = re.compile(
    rf"\b(?:(?:a |ha )?(?:{'|'.join(sorted(WROTE))}))\b[^:]{{0,60}}:\s*$", re.IGNORECASE
)
_NUMERIC_TIME = _LISTS.pattern("numeric_time")
_SUBJECT = re.compile(r"[\s>]*Subject:[ \t]*(?P<subject>.*)$", re.IGNORECASE)
_TIME = _LISTS.pattern("time")
_PASSED_ON = re.compile(r"forward|weitergeleitet|transféré", re.IGNORECASE)
_HEAD_LINES = 14
_LONGEST_LINE, _LONGEST_NAME = 600, 120
_MOST = 60
_BLOCK = 1 << 16
_SHORT = 12


@dataclass(frozen=True, slots=True)
class _Head:
    """The quoted head of an earlier mail; *subject* is ``None`` if it has none."""

    start: int
    end: int
    who: str
    when: str
    subject: str | None
    is_passed_on: bool


def base_subject(subject: str, /) -> str:
    """Return a subject in lower case without the prefixes of mail programs.

    >>> base_subject("AW: Re[2]: Rent  due")
    'rent due'
    """
    while prefix := _PREFIX.match(subject):
        subject = subject[prefix.end() :]
    return " ".join(fold(subject).split())


def read_message(document: DocumentFacts, joined: Joined, /) -> Identity:
    """Return the self-description of a mail."""
    head, body = _parted(joined.text)
    known = dict(document.properties)
    head |= {k: v for k, v in known.items() if k in {"from", "to", "cc", "subject"}}
    sent = document.content_created_at
    when = stamp(sent) if sent is not None else _head_time(head.get("date", ""))
    subject = base_subject(head.get("subject", ""))
    described = Description(
        "mail", (subject,), dates=(when,) if when else (), numbers=tuple(_people(head))
    )
    return Identity(1, described, digest=_digest(head, subject, when, body))


def stamp(moment: dt.datetime, /) -> str:
    """Return a time to the minute in UTC, or unchanged if it has no time zone."""
    return (moment.astimezone(dt.UTC) if moment.tzinfo else moment).strftime("%Y-%m-%dT%H:%M")


def _head_time(shown: str) -> str:
    """Return the time of a message as the reader shows it; without a zone, as written."""
    try:
        return stamp(dt.datetime.fromisoformat(shown.split(" ", 1)[0]))
    except ValueError:
        return _when(shown)


def _people(head: dict[str, str]) -> Iterator[str]:
    for field in ("from", "to", "cc"):
        if head.get(field):
            yield f"{field}:{head[field][:400]}"


def _parted(text: str) -> tuple[dict[str, str], str]:
    """Return the head and the body of a message's page."""
    head, _, body = text.partition("\n\n")
    fields = {m["name"].lower(): m["value"].strip() for m in _HEAD_LINE.finditer(head)}
    return (fields, body) if fields else ({}, text)


def _digest(head: dict[str, str], subject: str, when: str, body: str) -> str:
    words = re.sub(r"[\W_]+", "", fold_text(body))
    sender = re.sub(r"[\W_]+", "", fold(head.get("from", "")))
    if not when and len(words) < _SHORT:
        return ""
    return hashlib.sha256(f"{sender}\n{subject}\n{when}\n{words}".encode()).hexdigest()[:32]


def text_digest(text: str, /) -> str:
    """Return a hash of the letters and digits of a text; empty for a short one."""
    digest, letters = hashlib.sha256(), 0
    for block in _blocks(text):
        words = re.sub(r"[\W_]+", "", fold_text(block))
        letters += len(words)
        digest.update(words.encode())
    return digest.hexdigest()[:32] if letters >= _SHORT * 8 else ""


def _blocks(text: str) -> Iterator[str]:
    """Yield blocks of lines, so that only one block of a long text is copied at a time."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _BLOCK) + 1 or len(text)
        yield text[start:end]
        start = end


def read_quoted_heads(joined: Joined, /) -> Iterator[Claim]:
    """Yield the heads of earlier mails quoted in a mail, each once."""
    seen = set[tuple[object, ...]]()
    for head in _quoted(joined.text):
        moment = _when(head.when)
        key = (head.who, moment, head.subject)
        if not moment or key in seen or len(seen) >= _MOST:
            continue
        seen.add(key)
        described = Description(
            "mail",
            (base_subject(head.subject),) if head.subject is not None else (),
            dates=(moment,),
            numbers=(f"from:{head.who.strip()[:200]}", *(["how:forwarded"] * head.is_passed_on)),
        )
        yield Claim(*joined.place(head.start, head.end), "quotes", described, confidence=0.95)


def _quoted(text: str) -> Iterator[_Head]:
    """Yield the heads in the body of a mail, in text order."""
    start = text.find("\n\n")
    if start < 0:
        return
    lines: list[tuple[int, str]] = []
    for line in text[start:].split("\n"):
        lines.append((start, line[:_LONGEST_LINE]))
        start += len(line) + 1
    is_passed_on = False
    skip = -1
    for i, (at, line) in enumerate(lines):
        if marked := _SPLIT.search(line):
            is_passed_on = bool(_PASSED_ON.search(marked[0]))
        if i <= skip:
            continue
        parsed = _of_fields(lines, i) or _of_lotus(lines, i) or _of_sentence(lines, i)
        if parsed is not None:
            last, who, when, subject = parsed
            end = lines[last][0] + len(lines[last][1])
            yield _Head(at, end, who, when, subject, is_passed_on)
            skip, is_passed_on = last, False


_Found = tuple[int, str, str, str | None]


def _of_fields(lines: list[tuple[int, str]], i: int) -> _Found | None:
    """Read a block of lines "From: ...", "Sent: ...", "Subject: ..."."""
    first = _FIELD.match(lines[i][1])
    if first is None or first["from"] is None or not first["value"].strip():
        return None
    values = {"from": first["value"]}
    last = i
    for j in range(i + 1, min(i + _HEAD_LINES, len(lines))):
        field = _FIELD.match(lines[j][1])
        if field is None:
            continue
        name = next(n for n in ("from", "sent", "subject", "other") if field[n] is not None)
        if name == "from":
            break
        if name not in values:
            values[name] = field["value"]
            last = j
        if name == "subject":
            break
    if "subject" not in values:
        return None
    if "sent" not in values and (time := _NUMERIC_TIME.search(values["from"])):
        values["sent"] = time[0]
    return (last, values["from"], values["sent"], values["subject"]) if "sent" in values else None


def _of_lotus(lines: list[tuple[int, str]], i: int) -> _Found | None:
    """Read a head of Lotus Notes: name, time on the same or a later line, subject."""
    time = _NUMERIC_TIME.search(lines[i][1])
    if time is None or _SPLIT.search(lines[i][1]):
        return None
    who = re.sub(r"\bon\s*$", "", lines[i][1][: time.start()].strip(" >\t"))
    for j in range(i - 1, max(i - 3, -1), -1):
        if who or not lines[j][1].strip(" >"):
            break
        if "Sent by:" not in lines[j][1]:
            who = lines[j][1].strip(" >\t")
    if not any(c.isalpha() for c in who) or len(who) > _LONGEST_NAME:
        return None
    for j in range(i + 1, min(i + _HEAD_LINES, len(lines))):
        if subject := _SUBJECT.match(lines[j][1]):
            return j, who, time[0], subject["subject"]
    return None


def _of_sentence(lines: list[tuple[int, str]], i: int) -> _Found | None:
    """Read "On 4 May 2024 at 10:12, Ada Moss wrote:", on one line or two."""
    for j in (i, i + 1):
        if j >= len(lines) or not _WROTE.search(lines[j][1]):
            continue
        sentence = " ".join(line.strip(" >") for _, line in lines[i : j + 1])
        moment = _when(sentence)
        if moment:
            rest = _WROTE.sub(" ", _TIME.sub(" ", sentence))
            return j, rest, sentence, None
    return None


def _when(text: str) -> str:
    """Return day and time of a head in the writer's time zone; empty if it has no time.

    Days with slashes are read month first, as the programs that write them use; the comparison of
    mails also tries the other order.
    """
    time = _TIME.search(
        re.sub(r"\d{1,2}\.\d{1,2}\.\d{2,4}|\d{4}-\d\d-\d\d", lambda m: " " * len(m[0]), text)
    )
    day = _day(text)
    if time is None or not day:
        return ""
    hour, minute = int(time["h"]), int(time["m"])
    if time["half"]:
        hour = hour % 12 + (12 if time["half"].lower().startswith("p") else 0)
    return f"{day}T{hour:02}:{minute:02}" if hour < 24 and minute < 60 else ""


def _day(text: str) -> str:
    spans = (span for span in find_dates(text, day_first=False) if span.precision == "day")
    days = (dt.date.fromisoformat(span.first) for span in spans if span.first)
    return next((str(d) for d in days if d.year >= FIRST_MAIL and not is_clock_fault(d)), "")
