"""Marks names in unlabelled texts as training data of the tagger.

HOME is a data folder of the program with the collections "Contracts", "Filings" and "Mail", made of
the folders ``cuad/pdf``, ``annual-reports/pdf`` and ``mail`` of the shared data. The scores of
networks trained on the marked collections, for all mentions of a name in one document, count
together with certain evidence: a legal form, a definition ("Short"), a signature, the head of a
mail. Mentions of a name that is certain in its document get its kind, words with low scores are
not names, and all others are unknown. Every second contract is read; the others are for measuring.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import numpy as np

from casetrack.extract.names.boundaries import completed, with_bodies
from casetrack.extract.names.shape import joined, shaped, signs, with_companies
from casetrack.extract.names.tagger import spans_of
from casetrack.extract.names.words import (
    COMPANY_ENDS,
    MIXED,
    NO_NAMES,
    SHAPE,
    TITLE,
    UPPER,
    Place,
    words_of,
)
from training.names.labels import MISC
from training.names.passages import Passage
from training.names.sources import CLASSES, ROLES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from casetrack.extract.names.words import Words

SIZE = 1500
MOST = {"contracts": 10, "filings": 16, "mail": 1, "opinions": 9, "xquad": 1}
"""So many passages of one document are taken, those with the most capitalised words."""
SURE_NONE = 0.93
"""Probability from which on a word is part of no name."""
SURE_KIND, SURE_SHARE, SURE_PLACE = 0.75, 0.5, 0.85
"""Share of the weight of a name's kind among its mentions; share of its mentions that the teacher
marks; probability at which a single mention counts without others.
"""
_DEFINED = re.compile(
    r"(?:\((?:the|each,? an?|collectively,?|together,?|hereinafter|or)?\s*[“\"']"
    r"([A-Z][\w&.’'-]*(?: [A-Z][\w&.’'-]*){0,3})[”\"']\))"
)


def documents(home: Path, data: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield every document as its kind and its passages, in order."""
    from casetrack.api.library import Library
    from casetrack.base.config import load_settings

    library = Library(load_settings(home))
    for kind in ("Contracts", "Filings", "Mail"):
        query = f"select document_path, text from {kind}.chunks order by document_path, chunk_index"
        parts: dict[str, list[str]] = defaultdict(list)
        for row in library.sql(query, collections=[kind]).to_pylist():
            parts[row["document_path"]].append(row["text"])
        names = sorted(parts)
        for name in names[::2] if kind == "Contracts" else names:
            yield kind.lower(), _pieces("\n\n".join(parts[name]))
    for path in sorted((data / "opinions").glob("*.html")):
        yield "opinions", _pieces(_plain(path.read_text(encoding="utf-8", errors="replace")))
    articles = json.loads((data / "xquad" / "xquad.en.json").read_text(encoding="utf-8"))["data"]
    for article in articles:
        for paragraph in article["paragraphs"]:
            yield "xquad", [paragraph["context"]]


def _pieces(text: str) -> list[str]:
    pieces, at = [], 0
    while at < len(text):
        end = min(len(text), at + SIZE)
        if end < len(text):
            end = max(text.rfind("\n", at + 500, end), text.rfind(". ", at + 500, end)) + 1 or end
        if text[at:end].strip():
            pieces.append(text[at:end].strip())
        at = end
    return pieces


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag in {"p", "h1", "h2", "h3", "h4", "br", "div", "blockquote"}:
            self.parts.append("\n")


def _plain(html: str) -> str:
    parser = _Texts()
    parser.feed(html)
    return re.sub(r"[ \t]+", " ", re.sub(r"\s*\n\s*", "\n", "".join(parser.parts)))


def chosen(kind: str, passages: list[str]) -> list[str]:
    """Return the passages of a document that have the most capitalised words, in order."""

    def weight(text: str) -> float:
        shapes = words_of(text).features[:, SHAPE]
        inner = np.isin(shapes, (TITLE, UPPER, MIXED)).sum()
        letters = sum(c.isalpha() or c == " " for c in text) / max(1, len(text))
        return float(inner) * (letters > 0.75)

    best = sorted(range(len(passages)), key=lambda i: -weight(passages[i]))[: MOST[kind]]
    best = sorted({*best, *range(min(2, len(passages)))})
    return [passages[i] for i in best if len(passages[i]) > 60]


@dataclass(slots=True)
class _Name:
    """Evidence for the kinds of a name in one document."""

    weight: Counter[str] = field(default_factory=Counter)
    is_sure: bool = False
    tagged: int = 0


def marked(texts: list[str], scores: list[NDArray[np.float32]]) -> list[Passage]:
    """Return a document's passages with the certain names and the unknown words."""
    read = [(t, words_of(t), s) for t, s in zip(texts, scores, strict=True)]
    places = [_places(words, scores) for _, words, scores in read]
    names: dict[tuple[str, ...], _Name] = defaultdict(_Name)
    for (text, words, _), places_of_text in zip(read, places, strict=True):
        for place in places_of_text:
            key = _key(words, place.first, place.after)
            name = names[key]
            name.tagged += 1
            name.weight[place.kind] += float(np.exp(place.sure))
            _evidence(text, words, place, name)
            if place.kind == "organization" and name.is_sure:
                after = int(words.ends[place.after - 1])
                short = _DEFINED.search(text[after : after + 80])
                if short:
                    alias = names[tuple(w.lower() for w in words_of(short[1]).texts)]
                    alias.weight["organization"] += 5
                    alias.is_sure = True
    small = {w for _, words, _ in read for w in words.texts if w.islower()}
    kinds = {
        key: kind
        for key, name in names.items()
        if (kind := _kind(name))
        and not all(w in NO_NAMES or not w.isalpha() for w in key)
        and not (len(key) == 1 and (key[0] in small or len(key[0]) < 2))
    }
    return [
        _passage(text, words, scores, places_of_text, kinds)
        for (text, words, scores), places_of_text in zip(read, places, strict=True)
    ]


def _places(words: Words, scores: NDArray[np.float32]) -> list[Place]:
    """Return the names as the program's rules leave them; role words as their own kinds."""
    places = []
    for first, after, number, sure in spans_of(scores):
        place: Place | None = Place(first, after, CLASSES[number], sure)
        if CLASSES[number] in {"person", "organization", "location"}:
            place = shaped(words, place)
        if place is not None:
            places.append(place)
    named = [p for p in places if p.kind not in {"misc", "party", "bank"}]
    named = with_companies(words, completed(words, with_bodies(words, joined(words, named))))
    taken = {i for p in named for i in range(p.first, p.after)}
    rest = [p for p in places if p.kind in {"misc", "party", "bank"}]
    rest = [p for p in rest if not taken & set(range(p.first, p.after)) and _is_role(words, p)]
    return sorted([*named, *rest], key=lambda p: p.first)


def _is_role(words: Words, place: Place) -> bool:
    name = " ".join(words.texts[place.first : place.after])
    return place.kind == "misc" or ROLES.fullmatch(name) is not None


def _key(words: Words, first: int, after: int) -> tuple[str, ...]:
    return tuple(w.lower() for w in words.texts[first:after])


def _evidence(text: str, words: Words, place: Place, name: _Name) -> None:
    """Collect the evidence that makes a name certain regardless of the teacher."""
    low = {w.lower() for w in words.texts[place.first : place.after]}
    start, end = int(words.starts[place.first]), int(words.ends[place.after - 1])
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if low & COMPANY_ENDS and place.after - place.first > 1:
        name.weight["organization"] += 5
        name.is_sure = True
    elif signs(text, start, end) or re.search(r"\b(?:Mr|Mrs|Ms|Dr|Messrs)\.? $", line):
        name.weight["person"] += 3
        name.is_sure = True
    elif re.match(r"(?:From|To|Cc|Bcc):", line) and place.kind == "person":
        name.weight["person"] += 2


def _passage(
    text: str,
    words: Words,
    scores: NDArray[np.float32],
    places: list[Place],
    kinds: dict[tuple[str, ...], str],
) -> Passage:
    starts = {key[0] for key in kinds}
    longest = max(map(len, kinds), default=0)
    low = [w.lower() for w in words.texts]
    shapes = words.features[:, SHAPE]
    marks, taken, i = [], np.zeros(len(low), dtype=bool), 0
    by_start = {p.first: p for p in places}
    while i < len(low):
        best = None
        if low[i] in starts and shapes[i] in (TITLE, UPPER, MIXED):
            for n in range(min(longest, len(low) - i), 0, -1):
                key = tuple(low[i : i + n])
                if key in kinds:
                    best = (n, kinds[key])
                    break
        place = by_start.get(i)
        is_sure = place is not None and np.exp(place.sure) >= SURE_PLACE
        if place and is_sure and (best is None or place.after - place.first > best[0]):
            best = (place.after - place.first, place.kind)
        inside = any(p.first < i < p.after for p in places if p.after - p.first > 1)
        if best and not inside and not taken[i : i + best[0]].any():
            marks.append((i, i + best[0], best[1]))
            taken[i : i + best[0]] = True
            i += best[0]
        else:
            i += 1
    none = np.exp(scores[:, 0]) + np.exp(scores[:, MISC : MISC + 4]).sum(1) >= SURE_NONE
    unsure = ~none & ~taken
    spans = [(int(words.starts[j]), int(words.ends[j])) for j in np.flatnonzero(unsure)]
    made = [(int(words.starts[a]), int(words.ends[b - 1]), k) for a, b, k in marks]
    lines, at = [], 0
    for line in text.split("\n"):
        if line.strip():
            lines.append((at, at + len(line)))
        at += len(line) + 1
    return Passage(text, tuple(made), tuple(lines), "silver", 0, tuple(spans))


def _kind(name: _Name) -> str | None:
    total = sum(name.weight.values())
    kind, weight = name.weight.most_common(1)[0]
    if total <= 0 or weight / total < SURE_KIND:
        return None
    return kind if name.is_sure or (weight >= 1.5 and weight / max(1, name.tagged) > 0.7) else None
