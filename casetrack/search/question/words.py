"""The words of a question, and the documents that they name."""

from __future__ import annotations

import functools
import re
from bisect import bisect_left
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from casetrack.base.records.reading import NamedDocument, Part, Period
from casetrack.extract.language import capitals_mark_names
from casetrack.ingest.steps.words import as_letters, index_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

_WORD = re.compile(
    r"(?P<short>[^\W\d_]{1,3}(?:&[^\W\d_]{1,3})+)(?!\w)|"
    r"\d+(?:[.,\u2019']\d+)*(?![^\W_])|(?:[^\W\d_]\.){2,}|[^\W_]+(?:['\u2019][^\W_]+)*"
)


_KEPT = 16384
"""Names whose terms are kept: those of the vocabularies are looked at with every question."""


class Word(NamedTuple):
    """A word of the question.

    Attributes
    ----------
    text
        As it stands there.
    start, end
        Where.
    terms
        Its index terms: mostly one, none for a very common word. Letters joined by ``&`` are one
        word here, as ``r&d``: what the index knows of them is next to nothing.
    """

    text: str
    start: int
    end: int
    terms: tuple[str, ...]


def words_of(text: str, /) -> list[Word]:
    """Return the words of *text* in order."""
    return [
        Word(word, m.start(), m.end(), _terms(word, is_short=m["short"] is not None))
        for m in _WORD.finditer(as_letters(text))
        for word in (text[m.start() : m.end()],)
    ]


@functools.lru_cache(maxsize=_KEPT)
def stems_of(text: str, /) -> tuple[str, ...]:
    """Return the terms of the words of *text*, by which names are compared."""
    return tuple(term for word in words_of(text) for term in word.terms)


@functools.lru_cache(maxsize=_KEPT)
def terms_of(text: str, /) -> tuple[str, ...]:
    """Return the index terms of a name, as :func:`index_terms` has them."""
    return tuple(index_terms(text))


def _terms(word: str, *, is_short: bool) -> tuple[str, ...]:
    return (word.casefold(),) if is_short else tuple(index_terms(word))


def part(query: str, start: int, end: int, /) -> Part:
    """Return a part of the question."""
    return Part(query[start:end], start, end)


_CITING = re.compile(
    r"\d|\sv(?:s|ersus)?\.?\s|\bin re\b|\bex parte\b|\bmatter of\b|\bsupra\b|\b(?:ib)?id\b|\bamend"
    r"|\bart\b|\bexh?\.|\bexhibit\b",
    re.IGNORECASE,
)


def may_cite(query: str, /) -> bool:
    """Return whether a question has a sign without which nothing in it is a citation."""
    return _CITING.search(query) is not None


# What a question says to the letter: words in quotation marks, and numbers.

_QUOTED = re.compile(
    r"\"([^\"\n]+)\"|\u201c([^\u201c\u201d\n]+)\u201d|\u201e([^\u201e\u201c\u201d\n]+)[\u201c\u201d]"
    r"|\u00ab([^\u00ab\u00bb\n]+)\u00bb|(?<!\w)'([^'\n]+)'(?!\w)|(?<!\w)\u2018([^\u2019\n]+)\u2019(?!\w)"
)
_LEAST_WORDS = 2
"""A single word in quotation marks is looked for like any other."""
_SCALES = {"thousand": 3, "million": 6, "mn": 6, "billion": 9, "bn": 9, "trillion": 12}
_NUMBER = re.compile(
    r"(?<![\w.,-])(?P<digits>\d+(?:,\d{3})*(?:\.\d+)?)"
    r"(?: ?(?P<scale>thousand|million|billion|trillion|mn|bn)s?)?"
    r"(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
_ROUND = 10_000
"""A number that is so round is also said with a word: 1,500,000 as 1.5 million."""


def phrases_of(query: str, /) -> tuple[Part, ...]:
    """Return what stands in quotation marks and has several words, without the marks."""
    found = []
    for match in _QUOTED.finditer(query):
        inside = match.lastindex or 0
        if len(words_of(match[inside])) >= _LEAST_WORDS:
            found.append(part(query, *match.span(inside)))
    return tuple(found)


def numbers_of(query: str, periods: Sequence[Period], /) -> tuple[Part, ...]:
    """Return the numbers of a question that are no part of a year or quarter."""
    return tuple(
        part(query, *match.span())
        for match in _NUMBER.finditer(query)
        if not any(p.part.start < match.end() and match.start() < p.part.end for p in periods)
    )


def other_spellings(number: str, /) -> Iterator[str]:
    """Yield how else a number is surely written: ``1.5 million`` and ``1500000``.

    Separators of thousands make no difference to the index, and a bare ``1.5`` in a table may be
    anything.
    """
    match = _NUMBER.fullmatch(number)
    if match is None:
        return
    digits = Decimal(
        re.sub(r"[^\d.]", "", number[: match.start("scale")] if match["scale"] else number)
    )
    if scale := match["scale"]:
        whole = digits.scaleb(_SCALES[scale.lower()])
        if whole == int(whole):
            yield str(int(whole))
        return
    if digits >= 1_000_000 and digits % _ROUND == 0:
        for name, zeros in (("billion", 9), ("million", 6)):
            if digits >= 10**zeros:
                yield f"{digits.scaleb(-zeros).normalize():f} {name}"
                return


def pattern_of(phrase: str, /) -> re.Pattern[str]:
    """Return what finds the words of a phrase in this order, whatever signs stand between them."""
    words = (re.escape(word.text) for word in words_of(phrase))
    return re.compile(r"(?<!\w)" + r"[\W_]+".join(words) + r"(?!\w)", re.IGNORECASE)


# Years and quarters that a question names, in their many spellings.
#
# ``FY2018``, ``FY18``, ``fiscal 2018``, ``the year ended December 31, 2018`` are the year 2018;
# ``Q2 2023``, ``2Q23``, ``second quarter of fiscal 2023`` are one quarter. Text says them in other
# words than the question, so each is looked up in all of them.

_FULL = r"(?:19[5-9]\d|20[0-4]\d)"
_SHORT = r"['\u2019]?\d\d"
_YEAR = rf"(?:{_FULL}|{_SHORT})"
_FISCAL = r"(?:f\.?y\.?e?|fiscal|financial)(?:[ -]?(?:year|period))?[ -]?"
_ORDINALS = ("first|1st", "second|2nd", "third|3rd", "fourth|4th")
_ORDINAL = "|".join(rf"(?P<o{n}>{words})" for n, words in enumerate(_ORDINALS, start=1))
_QUARTER = rf"(?:q(?P<q>[1-4])|(?P<r>[1-4])q|(?:{_ORDINAL})[ -](?:fiscal[ -])?quarter)"
_BETWEEN = r"(?:,? ?(?:of|in|for)? ?(?:the )?)"
_PATTERNS = tuple(
    re.compile(rf"(?<![\w.,$\u20ac\u00a3])(?:{pattern})(?![\w%]|[.,]\d)", re.IGNORECASE)
    for pattern in (
        rf"{_QUARTER}{_BETWEEN}(?:{_FISCAL})?(?P<year>{_YEAR})",
        rf"(?:{_FISCAL})?(?P<year>{_FULL})(?:['\u2019]s)?[ ,/-]*{_QUARTER}",
        rf"{_FISCAL}(?P<year>{_YEAR})",
        rf"(?P<year>{_FULL})",
    )
)
_WORDS = ("first quarter", "second quarter", "third quarter", "fourth quarter")


def periods_of(query: str, /) -> tuple[Period, ...]:
    """Return the years and quarters of a question, in the order in which they stand there."""
    found: list[Period] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(query):
            if any(p.part.start < match.end() and match.start() < p.part.end for p in found):
                continue
            said = part(query, match.start(), match.end())
            found.append(Period(said, _year(match["year"]), _quarter(match)))
    return tuple(sorted(found, key=lambda period: period.part.start))


def spellings(period: Period, /) -> Iterator[str]:
    """Yield how a period may be written, the usual way first."""
    year = str(period.year)
    yield year
    if period.quarter is None:
        yield f"FY{year}"
        yield f"FY{year[2:]}"
        return
    yield _WORDS[period.quarter - 1]
    yield f"Q{period.quarter}"
    yield f"{period.quarter}Q{year[2:]}"


def _year(said: str) -> int:
    digits = said.strip("'\u2019")
    if len(digits) == 4:
        return int(digits)
    return (2000 if int(digits) < 60 else 1900) + int(digits)


def _quarter(match: re.Match[str]) -> int | None:
    groups = match.groupdict()
    if said := groups.get("q") or groups.get("r"):
        return int(said)
    return next((n for n in range(1, 5) if groups.get(f"o{n}")), None)


# Documents that a question names: "3M's capital expenditure in 2018" means two or three of many.
#
# A name of a company, a person or a product shows itself by its capital and its places: in nearly
# all passages that hold it, it is about the same few documents. A word in small letters names a
# document only if its file's name begins with it: any word may gather in few documents. No list of
# names is needed for that, and none of the documents' formats matters. File names that run words
# together (``FOOTLOCKER_2022.pdf``) are compared with the words of the question run together, and
# "J&J" with their first letters.
#
# A year chooses among the documents of one name: the one that speaks of it most.

MOST = 8
"""Who names more documents than that names a subject."""
_MOST_OF_NAME = 64 * MOST
"""Of more documents that one word means, no other word and no year chooses so few."""
_LEAST_CHUNKS = 5
"""In a document of fewer passages each of them says its name."""
_LEAST_PLACES = 3
_COVERED = 0.05
"""A name stands in so many of the passages of its document at least, …"""
_BESIDE = 0.25
"""… other documents that hold it this much as often are meant as well, …"""
_CAPITAL = 40.0
_SMALL = 100.0
"""… and it is so many times as frequent there as in all others; more if no capital marks it."""
_OF_HOLDERS = 0.1
"""… and the documents that it means are so many of all that hold it: no word of a whole field."""
_SURE = 1000.0
_COMMON_SHARE = 0.75
"""A word of more passages than that tells nothing apart."""
_GLUED = 5
"""Fewest letters of words run together that name a file."""
_LEAST_WEIGHT = 1e-9
_MEANT = 0.5
"""A document that is less surely meant than that is not named."""
_BEGINS = 0.7
"""How surely a file is meant whose name goes on where the words end: Lockheed, lockheedmartin."""
_WORDS_OF_NAME = 4
_BREAK = re.compile(r"[\W_]+")
_SPACE = re.compile(r"[\s_]+")


class _Found(NamedTuple):
    """Words of the question, and how surely each document is meant by them, 0 to 1."""

    start: int
    end: int
    weights: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Names:
    """The documents of a collection, by what their names show themselves.

    Attributes
    ----------
    ids, names
        Of every document.
    sizes
        int64 [documents], their passages.
    counts
        Returns how many passages of each document hold an index term, int64 [documents].
    frequency
        Returns how many hold it altogether; quicker.
    """

    ids: Sequence[str]
    names: Sequence[str]
    sizes: NDArray[np.int64]
    counts: Callable[[str], NDArray[np.int64]]
    frequency: Callable[[str], int]
    _stems: list[tuple[str, int]] = field(default_factory=list, repr=False)
    _first_words: list[str | None] = field(default_factory=list, repr=False)
    _largest: NDArray[np.int64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_largest", np.cumsum(np.sort(self.sizes)[::-1]))

    def named(
        self,
        query: str,
        words: Sequence[Word],
        periods: Sequence[Period],
        language: str | None = None,
        /,
    ) -> tuple[NamedDocument, ...]:
        """Return the documents that a question names, the surest first; mostly none."""
        if len(self.ids) < 2:
            return ()
        of_year = {p.part.start for p in periods} | {p.part.end for p in periods}
        plain = [w for w in words if w.start not in of_year and w.end not in of_year]
        cased = capitals_mark_names([w.text for w in words if w.terms], language)
        found = [*self._by_words(plain, cased=cased), *self._by_files(plain)]
        if not found:
            return ()
        total = np.sum([f.weights for f in found], axis=0)
        # Who has all the words of a name is meant before who has some of them.
        best = np.zeros(len(self.ids))
        for each in found:
            shared = each.weights > 0
            best[shared] = np.maximum(best[shared], total[shared].max())
        weights = np.minimum(total, 1.0) * total / np.maximum(best, _LEAST_WEIGHT)
        weights *= self._of_periods(found, periods)
        meant = np.flatnonzero(weights >= _MEANT)
        if not 0 < len(meant) <= MOST:
            return ()
        order = sorted(meant.tolist(), key=lambda n: (-weights[n], self.names[n], self.ids[n]))
        return tuple(self._named(query, n, float(weights[n]), found) for n in order)

    def _named(
        self, query: str, number: int, weight: float, found: Sequence[_Found]
    ) -> NamedDocument:
        by = max(found, key=lambda f: f.weights[number])
        said = part(query, by.start, by.end)
        return NamedDocument(self.ids[number], self.names[number], said, weight)

    def _by_words(self, words: Sequence[Word], *, cased: bool) -> list[_Found]:
        found = []
        for number, word in enumerate(words):
            capital = not word.text.islower() and (number > 0 or not word.text.istitle())
            is_name = capital and cased
            for term in word.terms:
                weights = self._weights(term, _CAPITAL if is_name else _SMALL)
                if weights is not None and not is_name:
                    weights = weights * [term == first for first in self._beginnings()]
                if weights is not None and weights.any():
                    found.append(_Found(word.start, word.end, weights))
        return found

    def _beginnings(self) -> list[str | None]:
        """Return the first index term of each file's name."""
        if not self._first_words:
            stems = (_BREAK.sub(" ", PurePath(name).stem) for name in self.names)
            self._first_words.extend(next(iter(terms_of(stem)), None) for stem in stems)
        return self._first_words

    def _weights(self, term: str, least: float) -> NDArray[np.float64] | None:
        """Return how surely a term means each document; ``None`` where it means none."""
        whole, frequency = int(self.sizes.sum()), self.frequency(term)
        if not _LEAST_PLACES <= frequency <= _COMMON_SHARE * whole:
            return None
        # Outside of what it means it is that rare, so what it means holds all the others.
        inside = frequency - (whole + 50) / least
        if inside > 0 and np.searchsorted(self._largest, inside) >= _MOST_OF_NAME:
            return None
        counts = self.counts(term)
        held = int(counts.sum())
        told = (self.sizes >= _LEAST_CHUNKS) & (counts >= _LEAST_PLACES)
        share = np.zeros(len(counts))
        share[told] = counts[told] / self.sizes[told]
        if not share.any():
            return None
        meant = share >= max(_COVERED, _BESIDE * float(share.max()))
        if meant.sum() < _OF_HOLDERS * np.count_nonzero(counts):
            return None
        within = counts[meant].sum() / self.sizes[meant].sum()
        beside = (held - counts[meant].sum() + 1) / (whole - self.sizes[meant].sum() + 50)
        ratio = float(within / beside)
        if ratio < least:
            return None
        sure = min(1.0, np.log10(ratio) / np.log10(_SURE))
        return np.where(meant, sure * share / share.max(), 0.0)

    def _by_files(self, words: Sequence[Word]) -> list[_Found]:
        """Return documents whose file names begin with words of the question run together."""
        found = []
        for first, word in enumerate(words):
            for last in range(min(len(words), first + _WORDS_OF_NAME), first, -1):
                run = words[first:last]
                if not (word.terms and run[-1].terms and self._may_name(run, first)):
                    continue
                glued = "".join(_glued(w.text.removesuffix("'s")) for w in run)
                weights = self._files_beginning(glued, run) if len(glued) >= _GLUED else None
                if "&" in word.text and len(run) == 1:
                    weights = self._files_abbreviated(glued)
                if weights is not None:
                    found.append(_Found(word.start, run[-1].end, weights))
                    break
        return found

    def _may_name(self, run: Sequence[Word], first: int) -> bool:
        """Return whether words may be a name: no single word of the language is one."""
        if len(run) > 1:
            # "Foot Locker" or "foot locker", and not "Foot injury".
            return len({word.text.islower() for word in run if word.terms}) == 1
        (word,) = run
        if not word.text.islower() and (first > 0 or not word.text.istitle()):
            return True
        return not any(self.frequency(term) for term in word.terms)

    def _files_beginning(self, glued: str, run: Sequence[Word], /) -> NDArray[np.float64] | None:
        """Return which files are meant; where a name goes on, the texts must say so as well."""
        stems = self._stems
        if not stems:
            stems += sorted((_glued(PurePath(name).stem), n) for n, name in enumerate(self.names))
        start = bisect_left(stems, (glued, -1))
        stop = bisect_left(stems, (glued + "\U0010ffff", -1))
        if not 0 < stop - start <= min(MOST, len(stems) // 2):
            return None
        weights = np.zeros(len(stems))
        for stem, number in stems[start:stop]:
            if not stem[len(glued) :][:1].isalpha():
                weights[number] = 1.0
            elif all(self._is_of(term, number) for word in run for term in word.terms):
                weights[number] = _BEGINS
        return weights if weights.any() else None

    def _files_abbreviated(self, letters: str, /) -> NDArray[np.float64] | None:
        """Return which files begin with some letters, or with words that begin with them.

        "J&J" is ``J&J_2022.pdf`` and ``JOHNSON_JOHNSON_2022.pdf``, if the words of this name are
        those of that document: else "R&D" were ``Report draft.pdf``.
        """
        weights = np.zeros(len(self.names))
        for number, name in enumerate(self.names):
            stem = PurePath(name).stem
            words = [w for w in words_of(stem.replace("_", " ")) if w.terms]
            if _glued(_SPACE.split(stem)[0]) == letters:
                weights[number] = 1.0
            elif [w.text[0].casefold() for w in words[: len(letters)]] == [*letters]:
                terms = {term for word in words[: len(letters)] for term in word.terms}
                if all(self._is_told_by(term, number) for term in terms):
                    weights[number] = _BEGINS
        return weights if 0 < np.count_nonzero(weights) <= MOST else None

    def _is_told_by(self, term: str, number: int) -> bool:
        """Return whether a term is one of those that tell a document from all others."""
        weights = self._weights(term, _CAPITAL)
        return weights is not None and bool(weights[number] > 0)

    def _is_of(self, term: str, number: int) -> bool:
        """Return whether no other document holds a term in more of its passages."""
        shares = self.counts(term) / np.maximum(self.sizes, 1)
        return bool(shares[number] >= shares.max())

    def _of_periods(
        self, found: Sequence[_Found], periods: Sequence[Period]
    ) -> NDArray[np.float64]:
        """Return how much each document speaks of the years, beside those of the same name."""
        factor = np.ones(len(self.ids))
        if not periods:
            return factor
        shares = np.zeros(len(self.ids))
        for year in {p.year for p in periods}:
            shares += self.counts(str(year)) / np.maximum(self.sizes, 1)
        for each in found:
            same = each.weights > 0
            most = float(shares[same].max())
            if most > 0:
                factor[same] = np.minimum(factor[same], shares[same] / most)
        return factor


def _glued(text: str) -> str:
    return _BREAK.sub("", text.casefold())
