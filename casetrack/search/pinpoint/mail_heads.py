"""Heads of mails in a passage.

A head repeats the subject, and the names in it match many questions, but it answers only those for
the sender, the recipients or the date. So the marks of a mail are in its body otherwise.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from casetrack.search.pinpoint.units import Unit, stripped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NAMES = {
    "from": r"from|von|de",
    "to": r"to|an|\u00e0|para",
    "copies": r"b?cc|kopie",
    "date": r"date|sent|datum|gesendet|envoy\u00e9|fecha|enviado",
    "subject": r"subject|betreff|objet|asunto",
    "other": r"attachments?|anlagen?|importance|reply-to",
}
_FIELD = re.compile(
    rf"[>\s*]*(?:{'|'.join(f'(?P<{field}>{names})' for field, names in _NAMES.items())})"
    r"[*\xa0 ]*:",
    re.IGNORECASE,
)
_ABOVE = re.compile(
    r"[>\s]*(?:-{3,}|_{5,}|please respond to\b|.*\d[:.]\d\d(?:[:.]\d\d)? ?[ap]m\s*$)", re.IGNORECASE
)
"""Lines above the fields of a quoted mail: a rule, or its sender and time."""
_FEWEST = 3
"""Number of fields that make a head if none is the subject."""
_SKIPPED = 5
"""Maximum number of lines between two fields."""

_MAIL = re.compile(
    r"\b(?:e-?mail(?:s|ed)?|mail(?:s|ed)?|messages?|nachricht|senders?|absender|recipients?|addressees?"
    r"|empf\u00e4nger)\b",
    re.IGNORECASE,
)
_SENT = (
    r"\b(?:sent|send|wrote|written?|forwarded|mailed|e-?mailed|addressed|geschickt|gesendet"
    r"|geschrieben)\b"
)
_TO = r"\b(?:to whom|an wen|recipients?|addressees?|empf\u00e4nger|who (?:received|got))\b"
_FROM = r"\b(?:from whom|senders?|absender|who\b.*\bfrom)\b"
_WHEN = r"\b(?:when|wann|(?:what|which) (?:date|day|time))\b"
_ASKED = {
    field: re.compile(pattern, re.IGNORECASE)
    for field, pattern in (
        ("to", rf"{_TO}|\bwhom?\b.*{_SENT} to\b"),
        ("from", rf"{_FROM}|\b(?:who|wer)\b.*{_SENT}"),
        ("date", rf"{_WHEN}.*(?:{_SENT}|\breceived\b)"),
    )
}


class _Line(NamedTuple):
    """A field of a head with its continuation lines; ``text[start:end]``."""

    field: str
    start: int
    end: int


def units_to_mark(
    text: str, units: Sequence[Unit], query: str, /, *, continues: bool = False
) -> list[Unit]:
    """Return the parts of a passage that a question may mark: all except the heads of mails.

    If the question asks for a field of a head, the only part is that field of the first head. A
    passage that *continues* the previous one may start inside of a head.
    """
    heads = list(_heads(text, continues=continues))
    if not heads:
        return list(units)
    if _MAIL.search(query):
        wanted = next((f for f, asked in _ASKED.items() if asked.search(query)), None)
        if asked_lines := [line for line in heads[0] if line.field == wanted]:
            return [_unit(text, units, asked_lines[0])]
    body = [piece for unit in units for piece in _outside(text, unit, heads)]
    subjects = [line for head in heads for line in head if line.field == "subject"]
    return body or [_unit(text, units, line) for line in subjects[:1]] or list(units)


def without_head(text: str, /) -> str:
    """Return a passage without the mail head at its start; one without other text stays."""
    head = next(_heads(text), None)
    if head is None or text[: head[0].start].strip():
        return text
    return text[head[-1].end :].lstrip() or text


def _heads(text: str, *, continues: bool = False) -> Iterator[list[_Line]]:
    """Yield the lines of each head."""
    head = [_Line("rest", 0, 0)] if continues else []
    above = start = skipped = 0
    last = ""
    for line in text.split("\n") if ":" in text else ():
        end, field = start + len(line), head[-1].field if head else ""
        if match := _FIELD.match(line):
            if match.lastgroup == "from" and field == "rest":
                head = [_Line("above", start, start)]
            head = head or [_Line("above", above, start)]
            head[-1] = head[-1]._replace(end=start)
            head.append(_Line(match.lastgroup or "", start, end))
            skipped = 0
        elif head and line.strip() and _continues(line, last, head[-1], start):
            head[-1] = head[-1]._replace(end=end)
        elif head and field != "subject" and skipped < _SKIPPED:
            skipped += 1
        else:
            yield from _complete(head)
            head, skipped = [], 0
            above = above if not line.strip() or _ABOVE.match(line) else end + 1
        last, start = line, end + 1
    yield from _complete(head)


def _continues(line: str, last: str, above: _Line, start: int) -> bool:
    """Return whether a line continues the field above it: it is indented or has more addresses."""
    if start > above.end + 1:
        return False
    has_address = "@" in line and above.field in {"to", "copies", "rest"}
    return has_address or line[0] in " \t" or last.rstrip()[-1:] in {",", ";"}


def _complete(head: list[_Line]) -> Iterator[list[_Line]]:
    fields = {line.field for line in head} - {"above"}
    is_certain = "subject" in fields or len(fields) >= _FEWEST or {"to", "copies"} <= fields
    if is_certain and fields & {"from", "to", "rest"}:
        yield head


def _unit(text: str, units: Sequence[Unit], line: _Line) -> Unit:
    paragraph = next((u.paragraph for u in units if u.end > line.start), None)
    return Unit(*stripped(text, line.start, line.end), "sentence", paragraph)


def _outside(text: str, unit: Unit, heads: Sequence[Sequence[_Line]]) -> Iterator[Unit]:
    """Yield the pieces of a part that are outside of all heads."""
    at = unit.start
    for start, end in (*((h[0].start, h[-1].end) for h in heads), (unit.end, unit.end + 1)):
        if at < end and start <= unit.end:
            piece = stripped(text, at, max(at, start))
            if piece[0] < piece[1]:
                yield Unit(*piece, unit.kind, unit.paragraph)
            at = end
