"""Concepts of a document: phrases of one to four words that occur more than once.

Candidates are the words between function words, verbs or marks (after RAKE, Rose et al. 2010), and
two candidates joined by *of* or *for*. Nested phrases are ranked by C-value (Frantzi et al. 2000):
longer and more frequent first; an inner phrase only if it occurs alone or in several outer ones.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.graph.document.words import (
    FUNCTION_WORDS,
    GENERIC,
    TOKEN,
    Pieces,
    pieces_of,
    words_of,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from casetrack.graph.document.facts import ChunkFacts

# Parts of a text without subject matter: tables of contents, headings, HTML tags.

_LISTS = WordLists(__file__)
_ENTRY = _LISTS.pattern("entry")
_FEWEST_ENTRIES = 5
_ASCENDING = 0.8
_HEADING = re.compile(r"(?:^|\n)[^\S\n]*([^\n|]{3,70})[^\S\n]*(?=\n|$)")
_NUMBERED = _LISTS.pattern("numbered")
_ENDS = (".", ",", ";", ":", "?", "!", "…")
_WORD = re.compile(r"[^\W\d_][\w'’-]{3,}")
_TAG = _LISTS.pattern("tag")
_OBJECT = re.compile(
    r"(?:(?<=[^s\W])s|(?<=\bse)t)\s(?:the|an?|any|all|both|its|their|his|her|our|your|forth)\b"
)
"""The last letter of a verb and the start of its object: "the schedule covers both days"."""


def is_contents(text: str, /) -> bool:
    """Return whether a text is a table of contents: at least five entries with rising pages."""
    pages = [int(number) for number in _ENTRY.findall(text)]
    if len(pages) < _FEWEST_ENTRIES:
        return False
    rising = sum(one <= other for one, other in pairwise(pages))
    return rising >= _ASCENDING * (len(pages) - 1) and pages[0] < pages[-1]


def heading_spans(text: str, /) -> list[tuple[int, int]]:
    """Return the spans of heading lines, in order.

    A heading is short, does not end a sentence, and is numbered or has capitals on all words of
    four letters and more.
    """
    spans = []
    for match in _HEADING.finditer(text):
        line = match[1].rstrip()
        if line.endswith(_ENDS):
            continue
        words = _WORD.findall(line)
        if words and (_NUMBERED.match(line) or all(w[0].isupper() for w in words)):
            spans.append(match.span(1))
    return spans


def tag_spans(text: str, /) -> list[tuple[int, int]]:
    """Return the spans of HTML tags and entities that a text contains as words, in order."""
    return [match.span() for match in _TAG.finditer(text)] if "<" in text or "&" in text else []


MAX_WORDS = 4
PER_CHUNK = 12
SINGLE = 0.58
SHORT_DOCUMENT = 6
_MIN_LETTERS = 4
_MIN_ALONE = 3
_KEPT_CHUNKS = 2_000
"""Above this number of chunks, words are read again for each pass: 15,000 chunks took 270 MB."""


@dataclass(frozen=True, slots=True)
class ConceptPlace:
    """A phrase at its place; *key* is its normal form."""

    chunk: int
    start: int
    end: int
    key: str


_Token = tuple[int, int, str, str]
"""Start, end, normal form, normal form as the last word of a phrase (empty if it cannot be)."""


@dataclass(slots=True)
class _Run:
    """Consecutive content words.

    ``link``: the *of* or *for* that joins it to the previous run. ``counts``: whether it is outside
    headings and outside the text that repeats the previous chunk.
    """

    chunk: int
    tokens: list[_Token]
    link: str
    counts: bool

    def key(self, first: int, end: int) -> str:
        tokens = self.tokens
        if end - first == 1:
            return tokens[first][3]
        if end - first == 2:
            return f"{tokens[first][2]} {tokens[first + 1][3]}"
        return " ".join([t[2] for t in tokens[first : end - 1]]) + " " + tokens[end - 1][3]


def find_concepts(
    chunks: Sequence[ChunkFacts], language: str | None, /, *, taken: Collection[str] = ()
) -> tuple[ConceptPlace, ...]:
    """Return the phrases of a document at their places, in order.

    *language* is an ISO 639-1 code; ``None`` means English, and languages without a word list give
    nothing. *taken* are folded names, which are left out.
    """
    code = (language or "en").lower()[:2]
    if code not in FUNCTION_WORDS:
        return ()
    runs: Iterable[_Run] = _Runs(chunks, code)
    if len(chunks) <= _KEPT_CHUNKS:
        runs = list(runs)
    words = words_of(code)
    headings = {
        words[w][1] for c in chunks for h in c.heading_path[-1:] for w in TOKEN.split(h)[1::2]
    }
    scores = _candidates(
        runs, headings, short=len(chunks) <= SHORT_DOCUMENT and code in {"en", "de"}
    )
    kept = {key: score for key, score in scores.items() if key not in taken}
    placed = list(_placed(runs, kept)) if isinstance(runs, list) else None
    wanted = _best(placed or _placed(runs, kept), kept, len(chunks))
    return tuple(place for place, _ in placed or _placed(runs, kept) if place.key in wanted)


@dataclass(frozen=True, slots=True)
class _Runs:
    """The runs of a document, in order; read again for each iteration."""

    chunks: Sequence[ChunkFacts]
    code: str

    def __iter__(self) -> Iterator[_Run]:
        covered: dict[int, int] = {}
        pieces = pieces_of(self.code)
        for number, chunk in enumerate(self.chunks):
            known = covered.get(chunk.page, -1) - chunk.char_start
            covered[chunk.page] = max(covered.get(chunk.page, -1), chunk.char_end)
            if not is_contents(chunk.text):
                yield from _runs_of(chunk, number, known, pieces)


def _runs_of(chunk: ChunkFacts, number: int, known: int, known_pieces: Pieces) -> list[_Run]:
    """Return the runs of a chunk; runs before *known* or in a heading do not count."""
    text = chunk.text
    spans = sorted(
        [
            (s.start, s.end)
            for spans_of_kind in (chunk.names, chunk.dates, chunk.amounts, chunk.citations)
            for s in spans_of_kind
        ]
        + tag_spans(text)
    )
    headings = iter([*heading_spans(text), (len(text) + 1, len(text) + 1)])
    head, head_end = next(headings)
    spans.append((len(text) + 1, len(text) + 1))
    at, (low, high) = 0, spans[0]
    runs: list[_Run] = []
    run: list[_Token] | None = None
    link = ""
    parts: list[str] = []
    lines: set[int] = set()
    for line in text.split("\n"):
        lines.add(len(parts))
        parts += line.split(" ")
    pieces = [known_pieces[part] for part in parts]
    lengths = itertools.accumulate(map(len, parts), initial=0)
    follows = -1
    for piece, (before, spans_of_kind) in enumerate(zip(lengths, pieces, strict=False)):
        if not spans_of_kind:
            continue
        leads, trails, words = spans_of_kind
        begins = before + piece
        # A capitalised word on a new line may start a heading or another cell.
        adjacent = leads and follows == piece and (piece not in lines or text[begins].islower())
        follows = piece + 1 if trails else -1
        for first, behind_last, norm, last, is_link in words:
            start, end = begins + first, begins + behind_last
            while high <= start:
                at += 1
                low, high = spans[at]
            if end > low:
                run, link = None, ""
            elif is_link:
                link = norm if run is not None and adjacent else ""
                run = None
            else:
                if run is None or not adjacent:
                    link = link if adjacent else ""
                    run = []
                    while head_end <= start:
                        head, head_end = next(headings)
                    runs.append(_Run(number, run, link, start >= known and start < head))
                link = ""
                run.append((start, end, norm, last))
            adjacent = False
    return _without_tails(text, runs)


def _without_tails(text: str, runs: list[_Run]) -> list[_Run]:
    """Remove words that cannot end a phrase, and a verb before its object, from each run."""
    for i, run in enumerate(runs):
        if len(run.tokens) > 1 and _OBJECT.match(text, run.tokens[-1][1] - 1):
            run.tokens.pop()
        if not run.tokens[-1][3]:
            while run.tokens and not run.tokens[-1][3]:
                run.tokens.pop()
            if i + 1 < len(runs):
                runs[i + 1].link = ""
    return [r for r in runs if r.tokens]


def _candidates(runs: Iterable[_Run], headings: set[str], *, short: bool) -> dict[str, float]:
    """Return the candidate phrases with their scores."""
    alone: Counter[str] = Counter()
    linked: Counter[str] = Counter()
    heads: dict[str, set[str]] = {}
    before: _Run | None = None
    for run in runs:
        if run.counts:
            size = len(run.tokens)
            whole = run.key(0, size)
            if size <= MAX_WORDS:
                alone[whole] += 1
            if size > 2:
                inner = heads.setdefault(run.key(size - 2, size), set())
                if len(inner) < 2:
                    inner.add(whole)
            if run.link and before is not None and (joined := _linked(before, run)):
                linked[joined] += 1
        before = run
    inners = {key for key, outer in heads.items() if len(outer) > 1} | alone.keys()
    nested = Counter(
        [
            key
            for run in runs
            if run.counts
            for first, end in _inner(len(run.tokens))
            if run.tokens[end - 1][3] and (key := run.key(first, end)) in inners
        ]
    )
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
    """Yield the index ranges of phrases of at least two words within a longer one."""
    if size > 2:
        for first in range(size - 1):
            for end in range(first + 2, min(size, first + MAX_WORDS) + 1):
                if end - first < size:
                    yield first, end


def _linked(before: _Run, run: _Run) -> str:
    """Return the phrase of two linked runs, or an empty string."""
    if not run.link or before.chunk != run.chunk or len(before.tokens) + len(run.tokens) > 3:
        return ""
    a, b = before.key(0, len(before.tokens)), run.key(0, len(run.tokens))
    return f"{a} {run.link} {b}"


def _placed(runs: Iterable[_Run], kept: dict[str, float]) -> Iterator[tuple[ConceptPlace, bool]]:
    """Yield non-overlapping places of phrases, longest first, and whether each counts."""
    is_taken = False
    for run, behind in itertools.pairwise(itertools.chain(runs, [None])):
        if is_taken or run is None:
            is_taken = False
            continue
        if behind is not None and behind.link:
            joined = _linked(run, behind)
            if joined in kept:
                place = ConceptPlace(run.chunk, run.tokens[0][0], behind.tokens[-1][1], joined)
                yield place, run.counts
                is_taken = True
                continue
        for start, end, key in _within(run, kept):
            yield ConceptPlace(run.chunk, start, end, key), run.counts


def _within(run: _Run, kept: dict[str, float]) -> Iterator[tuple[int, int, str]]:
    size, first = len(run.tokens), 0
    while first < size:
        for end in range(min(size, first + MAX_WORDS), first, -1):
            if run.tokens[end - 1][3] and (key := run.key(first, end)) in kept:
                yield run.tokens[first][0], run.tokens[end - 1][1], key
                first = end
                break
        else:
            first += 1


def _best(
    places: Iterable[tuple[ConceptPlace, bool]], kept: dict[str, float], chunks: int
) -> set[str]:
    """Choose phrases by score until the maximum number of places is reached."""
    counts: Counter[str] = Counter()
    order: dict[str, int] = {}
    for place, does_count in places:
        counts[place.key] += does_count
        order.setdefault(place.key, len(order))
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
