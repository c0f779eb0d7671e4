"""Joins sentences into passages like those that the program stores, and alters their form.

Alterations keep the position of every character and every token of the encoder (which ignores
case), so one pass of the encoder serves all forms of a passage.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    from training.names.sources import Sentence


@dataclass(frozen=True, slots=True)
class Passage:
    """A text, its names as (start, end, kind), and the bounds of its sentences.

    The labels of the words of *unsure* are unknown.
    """

    text: str
    names: tuple[tuple[int, int, str], ...]
    sentences: tuple[tuple[int, int], ...]
    source: str
    block: int = 0
    unsure: tuple[tuple[int, int], ...] = ()


def join(
    sentences: Iterable[Sentence], source: str, rng: random.Random, /, *, low: int, high: int
) -> list[Passage]:
    """Join neighbouring sentences up to a random length per passage."""
    glue = "\n" if source in {"wnut", "btc", "btc-g", "filings"} else " "
    passages: list[Passage] = []
    text, names, places = "", [], []
    limit = rng.randint(low, high)
    for sentence in sentences:
        if text and len(text) + len(sentence.text) > limit:
            passages.append(Passage(text, tuple(names), tuple(places), source))
            text, names, places = "", [], []
            limit = rng.randint(low, high)
        if text:
            text += glue
        at = len(text)
        text += sentence.text
        names += [(a + at, b + at, kind) for a, b, kind in sentence.names]
        places.append((at, len(text)))
    if text:
        passages.append(Passage(text, tuple(names), tuple(places), source))
    return passages


def altered(passage: Passage, rng: random.Random, /) -> str:
    """Return the passage's text with some sentences as headings, and some breaks moved."""
    text = passage.text
    if rng.random() < 0.04:
        return _same_length(text, text.lower())
    parts = list(text)
    for start, end in passage.sentences:
        draw = rng.random()
        piece = text[start:end]
        if draw < 0.07:
            parts[start:end] = _same_length(piece, piece.upper())
        elif draw < 0.10:
            parts[start:end] = _same_length(piece, piece.title())
        elif draw < 0.12:
            parts[start:end] = _same_length(piece, piece.lower())
        if end < len(text) and rng.random() < 0.25:
            parts[end] = "\n" if text[end] == " " else " "
    if rng.random() < 0.3:  # lines of a set width, as text taken from a page has
        width, last = rng.randint(50, 100), 0
        for i, c in enumerate(parts):
            if c == "\n":
                last = i
            elif c == " " and i - last >= width:
                parts[i], last = "\n", i
    if rng.random() < 0.3:  # parties and headings in capitals, names alone
        share = rng.choice((0.3, 1.0))
        for start, end, _ in passage.names:
            if rng.random() < share:
                piece = "".join(parts[start:end])
                parts[start:end] = _same_length(piece, piece.upper())
    return "".join(parts)


def _same_length(old: str, new: str) -> str:
    return new if len(new) == len(old) else old


def noisy(sentence: Sentence, rng: random.Random, /) -> Sentence:
    """Return the sentence with a few characters misread, each by one that looks like it."""
    looks = {
        "l": "1",
        "I": "l",
        "O": "0",
        "o": "0",
        "e": "c",
        "S": "5",
        "m": "n",
        "i": "l",
        "h": "b",
    }
    text = "".join(looks[c] if c in looks and rng.random() < 0.03 else c for c in sentence.text)
    return type(sentence)(text, sentence.names)
