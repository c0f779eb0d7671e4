"""Document types (contract, report, invoice, ...) with evidence.

Cues are typical words at known positions: a title line, the opening, headings, the file's name
(``document_types.toml``). The type with the largest sufficient weight wins. The evidence quotes the
cues.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Place = Literal["name", "title", "line", "opening", "headings", "text"]

_BY_FORMAT = (
    dict.fromkeys("xlsx xls ods csv tsv".split(), "spreadsheet")
    | dict.fromkeys("pptx ppt odp".split(), "presentation")
    | dict.fromkeys("eml msg".split(), "correspondence")
    | {"archive": "other"}
)
_FORMAT_WEIGHT = 4.0
_ENOUGH = 3.0
_MANY_PAGES = 30
_SHORT_KINDS = frozenset(("invoice", "memo", "correspondence"))
"""Types that are never long."""
_SALUTATION = re.compile(r"^\s*(?:Dear\s|Sehr geehrte|Ladies and|Gentlemen:)", re.MULTILINE)
_TITLE_CHARS = 400
_LINE_CHARS = 1500
_OPENING_CHARS = 2500
_PLACE_WORDS = {
    "name": "file name",
    "title": "title",
    "line": "first lines",
    "opening": "opening",
    "headings": "headings",
    "text": "text",
}


@dataclass(frozen=True, slots=True)
class _Cue:
    """A pattern at a position with a weight for a type."""

    kind: str
    place: Place
    weight: float
    pattern: re.Pattern[str]


@functools.cache
def _cues() -> tuple[_Cue, ...]:
    raw = tomllib.loads((Path(__file__).parent / "document_types.toml").read_text("utf-8"))
    return tuple(
        _Cue(c["kind"], c["place"], c["weight"], _pattern(c["place"], "|".join(c["any"])))
        for c in raw["cue"]
    )


def _pattern(place: Place, words: str) -> re.Pattern[str]:
    if place == "line":
        return re.compile(rf"^[\s#*>|]*(?:{words})", re.IGNORECASE | re.MULTILINE)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE)


def infer_document_type(
    *,
    format: str,  # noqa: A002 - the column's name
    name: str,
    title: str | None,
    text: str,
    headings: Sequence[str],
    pages: int,
) -> tuple[str, str]:
    """Return the type of a document (one of :data:`DOCUMENT_TYPES`) and the evidence as text.

    *format* as in ``documents.format``, *text* are its first few thousand characters, *headings*
    its first ones, *pages* their number.
    """
    above = _SALUTATION.split(text[:_TITLE_CHARS], maxsplit=1)[0]  # below it no letter has a title
    top = " ".join(text[: 2 * _TITLE_CHARS].split())
    first = [heading for heading in headings[:1] if heading in top or not text]
    places: dict[Place, str] = {
        "name": re.sub(r"[_\-.]+", " ", name),
        "title": "\n".join(filter(None, [title, *first, above])),
        "line": text[:_LINE_CHARS],
        "opening": text[:_OPENING_CHARS],
        "headings": "\n".join(headings),
        "text": text,
    }
    weights: dict[str, float] = {}
    evidence: dict[str, list[str]] = {}
    if format in _BY_FORMAT:
        kind = _BY_FORMAT[format]
        if kind in {"correspondence", "other"}:
            return kind, f"the file format {format.upper()}"
        weights[kind] = _FORMAT_WEIGHT
        evidence[kind] = [f"the file format {format.upper()}"]
    for cue in _cues():
        match = cue.pattern.search(places[cue.place])
        if match:
            weights[cue.kind] = weights.get(cue.kind, 0.0) + cue.weight
            words = " ".join(match.group().split())[:60]
            evidence.setdefault(cue.kind, []).append(f'"{words}" in the {_PLACE_WORDS[cue.place]}')
    if not weights:
        return "other", "nothing in it tells its kind"
    # Among equals the one that comes first in the alphabet: the answer must not depend on chance.
    best = min(weights, key=lambda kind: (-weights[kind], kind))
    too_long = pages > _MANY_PAGES and best in _SHORT_KINDS and format not in _BY_FORMAT
    if weights[best] < _ENOUGH or too_long:
        return "other", "too little in it tells its kind"
    return best, "; ".join(dict.fromkeys(evidence[best]))
