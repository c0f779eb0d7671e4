"""What a document is about: phrases of one to four words that it uses more than once.

Candidates are the words between two function words, verbs or marks (after RAKE, Rose et al. 2010),
and the phrase that *of* or *for* makes of two of them. Which of several nested ones counts follows
C-value (Frantzi et al. 2000): longer and frequent before shorter, an inner one only where it stands
alone or in several outer ones.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.graph.document.function_words import FUNCTION_WORDS, GENERIC
from casetrack.graph.document.words import END, LINK, TOKEN, Word, read_word

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from casetrack.graph.document.facts import ChunkFacts

MAX_WORDS = 4
PER_CHUNK = 12
SINGLE = 0.58
SHORT_DOCUMENT = 6
_MIN_LETTERS = 4
_MIN_ALONE = 3


@dataclass(frozen=True, slots=True)
class ConceptPlace:
    """A phrase at its place; *key* is its normal form."""

    chunk: int
    start: int
    end: int
    key: str


_Token = tuple[int, int, str, str]
"""Start, end, normal form, normal form as the last word of a phrase (empty if it cannot be it)."""


@dataclass(slots=True)
class _Run:
    """Content words that stand together.

    ``link``: the *of* or *for* that joins it to the run before. ``counts``: whether it is not in
    the part of the chunk that the chunk before holds as well.
    """

    chunk: int
    tokens: list[_Token]
    link: str
    counts: bool

    def key(self, first: int, end: int) -> str:
        tokens = self.tokens
        if end - first == 1:
            return tokens[first][3]
        return " ".join([t[2] for t in tokens[first : end - 1]]) + " " + tokens[end - 1][3]


def find_concepts(
    chunks: Sequence[ChunkFacts], language: str | None, /, *, taken: Collection[str] = ()
) -> tuple[ConceptPlace, ...]:
    """Return the phrases of a document at their places, in order.

    Parameters
    ----------
    chunks
        Of one document, in order.
    language
        ISO 639-1 code; ``None`` is read as English. Languages without a list give nothing.
    taken
        Folded names: a phrase that is one of them is left out.
    """
    code = (language or "en").lower()[:2]
    if code not in FUNCTION_WORDS:
        return ()
    runs = [run for i, run_of in enumerate(_runs(chunks, code)) for run in run_of]
    headings = {
        read_word(code, w)[1]
        for c in chunks
        for h in c.heading_path[-1:]
        for w in TOKEN.split(h)[1::2]
    }
    scores = _candidates(
        runs, headings, short=len(chunks) <= SHORT_DOCUMENT and code in {"en", "de"}
    )
    kept = {key: score for key, score in scores.items() if key not in taken}
    places = list(_placed(runs, kept))
    wanted = _best(places, kept, len(chunks))
    return tuple(
        ConceptPlace(run.chunk, start, end, key) for run, start, end, key in places if key in wanted
    )


class _Words(dict[str, Word]):
    """What the words of a document do to a phrase, each looked up once."""

    def __init__(self, code: str) -> None:
        super().__init__()
        self._code = code

    def __missing__(self, word: str) -> Word:
        found = self[word] = read_word(self._code, word)
        return found


def _runs(chunks: Sequence[ChunkFacts], code: str) -> Iterable[list[_Run]]:
    covered: dict[int, int] = {}
    words = _Words(code)
    for number, chunk in enumerate(chunks):
        known = covered.get(chunk.page, -1) - chunk.char_start
        covered[chunk.page] = max(covered.get(chunk.page, -1), chunk.char_end)
        yield _runs_of(chunk, number, known, words)


def _runs_of(chunk: ChunkFacts, number: int, known: int, words: _Words) -> list[_Run]:
    """Return the runs of a chunk; what begins before *known* does not count again."""
    text = chunk.text
    spans = sorted(
        (s.start, s.end)
        for found in (chunk.names, chunk.dates, chunk.amounts, chunk.citations)
        for s in found
    )
    spans.append((len(text) + 1, len(text) + 1))
    at, (low, high) = 0, spans[0]
    runs: list[_Run] = []
    run: _Run | None = None
    link = ""
    parts = TOKEN.split(text)
    starts = itertools.islice(itertools.accumulate(map(len, parts)), 0, None, 2)
    tokens = parts[1::2]
    for gap, word, start, (norm, last, kind) in zip(
        parts[::2], tokens, starts, map(words.__getitem__, tokens), strict=False
    ):
        if kind == END:
            run, link = None, ""
            continue
        end = start + len(word)
        while high <= start:
            at += 1
            low, high = spans[at]
        # A word with a capital on a new line may begin a heading or another cell.
        adjacent = gap == " " or (gap == "\n" and word[0].islower())
        if end > low:
            run, link = None, ""
        elif kind == LINK:
            link = norm if run is not None and adjacent else ""
            run = None
        else:
            if run is None or not adjacent:
                run = _Run(number, [], link if adjacent else "", start >= known)
                runs.append(run)
            link = ""
            run.tokens.append((start, end, norm, last))
    for found, behind in itertools.zip_longest(runs, runs[1:]):
        while found.tokens and not found.tokens[-1][3]:
            found.tokens.pop()
            if behind is not None:
                behind.link = ""
    return [r for r in runs if r.tokens]


def _candidates(runs: Sequence[_Run], headings: set[str], *, short: bool) -> dict[str, float]:
    """Return the phrases that may count, with their scores."""
    alone: Counter[str] = Counter()
    linked: Counter[str] = Counter()
    heads: dict[str, set[str]] = {}
    nested: Counter[str] = Counter()
    counted = [r for r in runs if r.counts]
    for run in counted:
        size = len(run.tokens)
        whole = run.key(0, size)
        if size <= MAX_WORDS:
            alone[whole] += 1
        if size > 2:
            inner = heads.setdefault(run.key(size - 2, size), set())
            if len(inner) < 2:
                inner.add(whole)
    for before, run in itertools.pairwise(runs):
        joined = _linked(before, run)
        if joined and run.counts:
            linked[joined] += 1
    inners = {key for key, outer in heads.items() if len(outer) > 1} | alone.keys()
    for run in counted:
        for first, end in _inner(len(run.tokens)):
            if run.tokens[end - 1][3] and (key := run.key(first, end)) in inners:
                nested[key] += 1
    scores = {
        key: math.log2(key.count(" ") + 1) * places
        for key, places in linked.items()
        if places > 1 + (key.split(" ", 1)[0] in GENERIC)
    }
    return scores | dict(_scored(alone, nested, headings, short=short))


def _scored(
    alone: Counter[str], nested: Counter[str], headings: set[str], *, short: bool
) -> Iterable[tuple[str, float]]:
    for key in alone.keys() | nested.keys():
        words, places = key.count(" ") + 1, alone[key] + nested[key]
        if words > 1 and (places > 1 or (short and alone[key])):
            yield key, math.log2(words + 1) * places
        elif words == 1 and _is_entry(key, alone[key], headings):
            yield key, SINGLE * alone[key]


def _is_entry(word: str, places: int, headings: set[str]) -> bool:
    if len(word) < _MIN_LETTERS or word in GENERIC:
        return False
    if word.endswith("ing") and word not in headings:
        return False
    return places >= _MIN_ALONE or (word in headings and places > 1)


def _inner(size: int) -> Iterable[tuple[int, int]]:
    """Return the places of phrases of two words or more within a longer one."""
    if size > 2:
        for first in range(size - 1):
            for end in range(first + 2, min(size, first + MAX_WORDS) + 1):
                if end - first < size:
                    yield first, end


def _linked(before: _Run, run: _Run) -> str:
    """Return the phrase that a link word makes of two runs, or nothing."""
    if not run.link or before.chunk != run.chunk or len(before.tokens) + len(run.tokens) > 3:
        return ""
    a, b = before.key(0, len(before.tokens)), run.key(0, len(run.tokens))
    return f"{a} {run.link} {b}"


def _placed(runs: Sequence[_Run], kept: dict[str, float]) -> Iterable[tuple[_Run, int, int, str]]:
    """Return where the phrases stand: the longest first, none within another."""
    at = 0
    while at < len(runs):
        run = runs[at]
        behind = runs[at + 1] if at + 1 < len(runs) else None
        joined = _linked(run, behind) if behind else ""
        if behind and joined in kept:
            yield run, run.tokens[0][0], behind.tokens[-1][1], joined
            at += 2
            continue
        at += 1
        if len(run.tokens) > 1:
            yield from _within(run, kept)
        elif (key := run.tokens[0][3]) in kept:
            yield run, run.tokens[0][0], run.tokens[0][1], key


def _within(run: _Run, kept: dict[str, float]) -> Iterable[tuple[_Run, int, int, str]]:
    size, first = len(run.tokens), 0
    while first < size:
        for end in range(min(size, first + MAX_WORDS), first, -1):
            if run.tokens[end - 1][3] and (key := run.key(first, end)) in kept:
                yield run, run.tokens[first][0], run.tokens[end - 1][1], key
                first = end
                break
        else:
            first += 1


def _best(
    places: Sequence[tuple[_Run, int, int, str]],
    kept: dict[str, float],
    chunks: int,
) -> set[str]:
    """Choose phrases by score, until there are as many places as the chunks may have."""
    counts: Counter[str] = Counter()
    order: dict[str, int] = {}
    for run, _, _, key in places:
        counts[key] += run.counts
        order.setdefault(key, len(order))
    least = 1 if chunks <= SHORT_DOCUMENT else 2
    wanted: set[str] = set()
    room, room_for_single = PER_CHUNK * chunks, PER_CHUNK * chunks // 3
    for key in sorted(order, key=lambda k: (-kept[k], order[k], k)):
        many = counts[key]
        if " " not in key:
            if many > room_for_single:
                continue
            room_for_single -= many
        if least <= many <= room:
            wanted.add(key)
            room -= many
    return wanted
