"""The record that the readers of this package fill."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

    from casetrack.base.records.documents import CardField
    from casetrack.extract.card.cover import Cover, Line


@dataclass(frozen=True, slots=True)
class Found:
    """A value of the card at its span of the joined cover; -1 for a property of the file."""

    field: CardField
    value: str
    start: int
    end: int
    confidence: float
    evidence: str
    role: str | None = None
    side: int | None = None


_LONGEST = 300


def clean(text: str, /) -> str:
    """Return a value on one line, without marks at its ends."""
    return " ".join(html.unescape(text).replace("|", " ").split()).strip(' ,;:*#_–—-"“”')


def found_at(
    cover: Cover, field: CardField, start: int, end: int, confidence: float, evidence: str
) -> Found | None:
    """Return a value that is written at a span, without surrounding marks; ``None`` if empty."""
    raw = cover.text[start:end]
    value = clean(raw)
    if not any(c.isalnum() for c in value) or "<" in value or len(value) > _LONGEST:
        return None
    head = value.split()[0]
    shift = max(raw.find(head), 0)
    end = start + len(raw.rstrip(' ,;:*#_–—-"“”|\n'))
    return Found(field, value, start + shift, end, confidence, evidence)


def matched(
    cover: Cover, field: CardField, match: re.Match[str] | None, confidence: float, evidence: str
) -> Found | None:
    """Return the group ``v`` of a match as a value."""
    return None if match is None else found_at(cover, field, *match.span("v"), confidence, evidence)


def of_line(
    cover: Cover, field: CardField, line: Line, confidence: float, evidence: str
) -> Found | None:
    """Return a line as a value."""
    return found_at(cover, field, line.start, line.end, confidence, evidence)


def of_property(field: CardField, value: str | None, name: str) -> Found | None:
    """Return a property of the file as a value."""
    return Found(field, clean(value), -1, -1, 0.9, name) if value and clean(value) else None
