"""The words of a question, and the documents that it names."""

from __future__ import annotations

import functools
import re
from bisect import bisect_left
from decimal import Decimal
from itertools import pairwise
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from casetrack.base.dataclass import dataclass, field
from casetrack.base.records.reading import NamedDocument, Part, Period
from casetrack.base.words.lists import month_numbers
from casetrack.extract.language import capitals_mark_names
from casetrack.ingest.steps.words import index_terms, word_spans

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

_KEPT = 16384
"""Number of names whose terms are cached: those of the vocabularies are used by every question."""


class Word(NamedTuple):
    """A word of the question."""

    text: str  # As written
    start: int
    end: int
    # Its index terms: usually one, none for a very common word. Letters joined by ``&``, as in
    # ``r&d``, are one word here, because their index terms are useless.
    terms: tuple[str, ...]


def words_of(text: str, /) -> list[Word]:
    """Return the words of *text* in order."""
    return [Word(text[a:b], a, b, _terms(text[a:b])) for a, b in word_spans(text)]


@functools.lru_cache(maxsize=_KEPT)
def stems_of(text: str, /) -> tuple[str, ...]:
    """Return the terms of the words of *text*, by which names are compared."""
    return tuple(term for word in words_of(text) for term in word.terms)


@functools.lru_cache(maxsize=_KEPT)
def terms_of(text: str, /) -> tuple[str, ...]:
    """Return the index terms of a name, cached."""
    return tuple(index_terms(text))


def _terms(word: str) -> tuple[str, ...]:
    return (word.casefold(),) if "&" in word else tuple(index_terms(word))


def part(query: str, start: int, end: int, /) -> Part:
    """Return a part of the question."""
    return Part(query[start:end], start, end)


_CITING = re.compile(
    r"\d|\sv(?:s|ersus)?\.?\s|\bin re\b|\bex parte\b|\bmatter of\b|\bsupra\b|\b(?:ib)?id\b|\bamend"
    r"|\bart\b|\bexh?\.|\bexhibit\b",
    re.IGNORECASE,
)


def may_cite(query: str, /) -> bool:
    """Return whether a question contains a sign that every citation has."""
    return _CITING.search(query) is not None


# Exact parts of a question: words in quotation marks, and numbers.

_QUOTED = re.compile(
    r"\"([^\"\n]+)\"|\u201c([^\u201c\u201d\n]+)\u201d|\u201e([^\u201e\u201c\u201d\n]+)[\u201c\u201d]"
    r"|\u00ab([^\u00ab\u00bb\n]+)\u00bb|(?<!\w)'([^'\n]+)'(?!\w)|(?<!\w)\u2018([^\u2019\n]+)\u2019(?!\w)"
)
_LEAST_WORDS = 2
"""A single word in quotation marks is searched like any other."""
_SCALES = {"thousand": 3, "million": 6, "mn": 6, "billion": 9, "bn": 9, "trillion": 12}
_NUMBER = re.compile(
    r"(?<![\w.,-])(?P<digits>\d+(?:,\d{3})*(?:\.\d+)?)"
    r"(?: ?(?P<scale>thousand|million|billion|trillion|mn|bn)s?)?"
    r"(?![\w]|[.,]\d)",
    re.IGNORECASE,
)
_ROUND = 10_000
"""Numbers divisible by this are also written with a word: 1,500,000 as 1.5 million."""


def phrases_of(query: str, /) -> tuple[Part, ...]:
    """Return the quoted texts of several words, without the marks."""
    phrases = []
    for match in _QUOTED.finditer(query):
        inside = match.lastindex or 0
        if len(words_of(match[inside])) >= _LEAST_WORDS:
            phrases.append(part(query, *match.span(inside)))
    return tuple(phrases)


def numbers_of(query: str, periods: Sequence[Period], /) -> tuple[Part, ...]:
    """Return the numbers of a question that are not part of a year or quarter."""
    return tuple(
        part(query, *match.span())
        for match in _NUMBER.finditer(query)
        if not any(p.part.start < match.end() and match.start() < p.part.end for p in periods)
    )


def other_spellings(number: str, /) -> Iterator[str]:
    """Yield the other certain spellings of a number: ``1.5 million`` and ``1500000``.

    The index ignores thousands separators, and a bare ``1.5`` in a table may be anything.
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
    """Return a pattern of the words of a phrase in this order, with any signs between them."""
    words = (re.escape(word.text) for word in words_of(phrase))
    return re.compile(r"(?<!\w)" + r"[\W_]+".join(words) + r"(?!\w)", re.IGNORECASE)


# Years and quarters in a question, in their many spellings. ``FY2018``, ``FY18``, ``fiscal 2018``,
# ``the year ended December 31, 2018`` are the year 2018; ``Q2 2023``, ``2Q23``, ``second quarter of
# fiscal 2023`` are one quarter. Texts use other spellings than the question, so all are searched.

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
    """Return the years and quarters of a question, in text order."""
    periods: list[Period] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(query):
            if any(p.part.start < match.end() and match.start() < p.part.end for p in periods):
                continue
            written = part(query, match.start(), match.end())
            periods.append(Period(written, _year(match["year"]), _quarter(match)))
    return tuple(sorted(periods, key=lambda period: period.part.start))


def spellings(period: Period, /) -> Iterator[str]:
    """Yield the spellings of a period, the usual one first."""
    year = str(period.year)
    yield year
    if period.quarter is None:
        yield f"FY{year}"
        yield f"FY{year[2:]}"
        return
    yield _WORDS[period.quarter - 1]
    yield f"Q{period.quarter}"
    yield f"{period.quarter}Q{year[2:]}"


def _year(text: str) -> int:
    digits = text.strip("'\u2019")
    if len(digits) == 4:
        return int(digits)
    return (2000 if int(digits) < 60 else 1900) + int(digits)


def _quarter(match: re.Match[str]) -> int | None:
    groups = match.groupdict()
    if number := groups.get("q") or groups.get("r"):
        return int(number)
    return next((n for n in range(1, 5) if groups.get(f"o{n}")), None)


# Documents named in a question: "3M's capital expenditure in 2018" means two or three of many. A
# name of a company, a person or a product is recognised by its capital and its distribution: nearly
# all passages with it belong to the same few documents. A lower-case word names a document only if
# the file name starts with it, because any word may be concentrated in few documents. This needs no
# list of names and works for all formats. File names without separators (``FOOTLOCKER_2022.pdf``)
# are compared with the joined words of the question, and "J&J" with their first letters. A year
# selects among the documents of one name: the one that mentions it most.

MOST = 8
"""Maximum number of named documents: a name of more is a subject."""
_MOST_OF_NAME = 64 * MOST
"""Maximum number of documents of one word, from which other words and years can select."""
_LEAST_CHUNKS = 5
"""In a document with fewer passages, each of them contains its name."""
_LEAST_PLACES = 3
_COVERED = 0.05
"""Minimum share of a document's passages that contain its name; …"""
_RELATIVE_SHARE = 0.25
"""… minimum share of another document, relative to the best, to be named as well; …"""
_CAPITAL = 40.0
_SMALL = 100.0
"""… and minimum ratio of the frequencies there and elsewhere: larger without a capital."""
_OF_HOLDERS = 0.1
"""… Named documents are at least this share of all with the word, unlike words of a whole field."""
_SURE = 1000.0
_COMMON_SHARE = 0.75
"""Maximum share of passages with a distinctive word."""
_FUSED = 5
"""Minimum number of letters of joined words that name a file."""
_LEAST_WEIGHT = 1e-9
_MEANT = 0.5
"""Minimum certainty of a named document."""
_BEGINS = 0.7
"""Certainty of a file whose name is longer than the words: Lockheed, lockheedmartin."""
_WORDS_OF_NAME = 4
_VERSUS = re.compile(r"\w\s+v(?:s|ersus)?\.?\s", re.IGNORECASE)
"""Sign between the parties of a case, which are those of an authority."""
_TOPIC = re.compile(r"\s*[/:]")
"""Sign after a name that precedes the question: "Castellan / Brightwell: who owns it?"."""
_SHORTEST_NAME = 2
_MOST_IN_BODY = 2
_IN_CARD, _IN_BODY, _IN_MONTH = 0.9, 0.7, 0.5
"""Certainty of a document with a name in its card; and only where it begins."""
_MONTHS = month_numbers("en", "en_short", "de", "de_short")
_MONTH = re.compile(rf"\b(?P<month>{'|'.join(_MONTHS)})\.?,? (?P<year>{_FULL})\b", re.IGNORECASE)
_DIGITS = "0123456789"
_BREAK = re.compile(r"[\W_]+")
_SPACE = re.compile(r"[\s_]+")


class _Naming(NamedTuple):
    """Words of the question, and the certainty of each document, 0 to 1."""

    start: int
    end: int
    weights: NDArray[np.float64]
    by_card: bool = False


@dataclass(frozen=True, slots=True)
class Names:
    """The names of a collection's documents, with counts of terms."""

    ids: Sequence[str]
    names: Sequence[str]
    sizes: NDArray[np.int64]  # int64 [documents], number of passages
    # Returns the number of passages of each document with an index term, int64 [documents].
    counts: Callable[[str], NDArray[np.int64]]
    frequency: Callable[[str], int]  # Returns the total number of passages with a term; faster
    only: Mapping[str, int] = field(default_factory=dict)  # The only document of a type
    # Returns whether the first passage of each document has an index term, bool [documents].
    begins: Callable[[str], NDArray[np.bool_]] | None = None
    cards: Sequence[str] = ()  # Titles, correspondents and parties of each document
    days: Sequence[str | None] = ()  # The day that each document states, ISO 8601
    _stems: list[tuple[str, int]] = field(default_factory=list, repr=False)
    _undated: dict[str, list[int]] = field(default_factory=dict, repr=False)
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
        """Return the documents that a question names, the most certain first; usually none."""
        if len(self.ids) < 2:
            return ()
        of_year = {p.part.start for p in periods} | {p.part.end for p in periods}
        plain = [w for w in words if w.start not in of_year and w.end not in of_year]
        cased = capitals_mark_names([w.text for w in words if w.terms], language)
        named_by = [*self._by_words(plain, cased=cased), *self._by_files(plain)]
        named_by += [*self._by_types(words), *self._by_cards(query, plain, cased=cased)]
        if not named_by:
            return ()
        total = np.sum([f.weights for f in named_by], axis=0)
        # Documents with all words of a name precede those with some.
        best = np.zeros(len(self.ids))
        for each in named_by:
            shared = each.weights > 0
            best[shared] = np.maximum(best[shared], total[shared].max())
        weights = np.minimum(total, 1.0) * total / np.maximum(best, _LEAST_WEIGHT)
        weights *= self._of_periods(named_by, periods)
        meant = np.flatnonzero(weights >= _MEANT)
        if not 0 < len(meant) <= MOST:
            return ()
        order = sorted(meant.tolist(), key=lambda n: (-weights[n], self.names[n], self.ids[n]))
        return tuple(self._named(query, n, float(weights[n]), named_by) for n in order)

    def _named(
        self, query: str, number: int, weight: float, named_by: Sequence[_Naming]
    ) -> NamedDocument:
        by = max(named_by, key=lambda f: f.weights[number])
        named_part = part(query, by.start, by.end)
        name = self.names[number]
        return NamedDocument(self.ids[number], name, named_part, weight, by.by_card)

    def _by_words(self, words: Sequence[Word], *, cased: bool) -> list[_Naming]:
        named_by = []
        for number, word in enumerate(words):
            capital = not word.text.islower() and (number > 0 or not word.text.istitle())
            is_name = capital and cased
            for term in word.terms:
                weights = self._weights(term, _CAPITAL if is_name else _SMALL)
                if weights is not None and not is_name:
                    for at in np.flatnonzero(weights).tolist():
                        weights[at] *= self._begins_with(term, at)
                if weights is not None and weights.any():
                    named_by.append(_Naming(word.start, word.end, weights))
        return named_by

    def _begins_with(self, term: str, number: int) -> bool:
        """Return whether a term is the first one of a file's name."""
        return terms_of(_BREAK.sub(" ", PurePath(self.names[number]).stem))[:1] == (term,)

    def _weights(self, term: str, least: float) -> NDArray[np.float64] | None:
        """Return the certainty of each document for a term; ``None`` if it names none."""
        whole, frequency = int(self._largest[-1]), self.frequency(term)
        if not _LEAST_PLACES <= frequency <= _COMMON_SHARE * whole:
            return None
        # The term is so rare outside of the named documents that these contain all other places.
        inside = frequency - (whole + 50) / least
        if inside > 0 and np.searchsorted(self._largest, inside) >= _MOST_OF_NAME:
            return None
        counts = self.counts(term)
        held = int(counts.sum())
        frequent = (self.sizes >= _LEAST_CHUNKS) & (counts >= _LEAST_PLACES)
        share = np.zeros(len(counts))
        share[frequent] = counts[frequent] / self.sizes[frequent]
        if not share.any():
            return None
        meant = share >= max(_COVERED, _RELATIVE_SHARE * float(share.max()))
        if meant.sum() < _OF_HOLDERS * np.count_nonzero(counts):
            return None
        within = counts[meant].sum() / self.sizes[meant].sum()
        outside = (held - counts[meant].sum() + 1) / (whole - self.sizes[meant].sum() + 50)
        ratio = float(within / outside)
        if ratio < least:
            return None
        sure = min(1.0, np.log10(ratio) / np.log10(_SURE))
        return np.where(meant, sure * share / share.max(), 0.0)

    def _by_types(self, words: Sequence[Word]) -> Iterator[_Naming]:
        """Yield the only documents of their types: "the invoice"."""
        for before, word in pairwise(words):
            number = self.only.get(word.text.lower(), -1)
            if number >= 0 and before.text.lower() == "the":
                yield _Naming(word.start, word.end, np.eye(1, len(self.ids), number)[0])

    def _by_cards(self, query: str, words: Sequence[Word], *, cased: bool) -> Iterator[_Naming]:
        """Yield the documents that begin with a name of the question, or state a day of its month.

        A name in the card, of a title, a correspondent or a party, is more certain.
        """
        for match in _MONTH.finditer(query) if self.days else ():
            month = f"{match['year']}-{_MONTHS[match['month'].lower()]:02}"
            of_month = np.array([(day or "").startswith(month) for day in self.days])
            if 0 < of_month.sum() <= MOST:
                yield _Naming(*match.span(), of_month * _IN_MONTH, by_card=True)
        if (begins := self.begins) is None:
            return
        for run in _runs(query, words):
            if not cased and len(run) == 1 and not run[0].text.isupper():
                continue  # A German noun
            terms = [term for word in run for term in word.terms]
            has_all = np.logical_and.reduce([begins(term) for term in terms])
            if not 0 < has_all.sum() <= MOST:
                continue
            weights = has_all * _IN_BODY * (cased and has_all.sum() <= _MOST_IN_BODY)
            for at in np.flatnonzero(has_all).tolist():
                if set(terms) <= {*index_terms(self.cards[at])}:
                    weights[at] = _IN_CARD
            # The less, the more other documents have the name.
            counts = [self.counts(term) for term in terms]
            weights *= max(float(c[weights > 0].sum() / c.sum()) for c in counts)
            if weights.any():
                yield _Naming(run[0].start, run[-1].end, weights, by_card=True)

    def _by_files(self, words: Sequence[Word]) -> list[_Naming]:
        """Return documents whose file names start with joined words of the question.

        If the name follows a date or a number, it is the whole question: a question that contains
        "notice of claim" may be about any document.
        """
        named_by = []
        fused = "".join(_fused(word.text) for word in words)
        self._sorted_stems()
        numbers = self._undated.get(fused, ())
        if 0 < len(numbers) <= MOST and len(fused) >= _FUSED:
            exact = np.isin(np.arange(len(self.names)), numbers).astype(np.float64)
            named_by.append(_Naming(words[0].start, words[-1].end, exact))
        for first, word in enumerate(words):
            for last in range(min(len(words), first + _WORDS_OF_NAME), first, -1):
                run = words[first:last]
                if not (word.terms and run[-1].terms and self._may_name(run, first)):
                    continue
                fused = "".join(_fused(w.text.removesuffix("'s")) for w in run)
                weights = self._files_beginning(fused, run) if len(fused) >= _FUSED else None
                if "&" in word.text and len(run) == 1:
                    weights = self._files_abbreviated(fused)
                if weights is not None:
                    named_by.append(_Naming(word.start, run[-1].end, weights))
                    break
        return named_by

    def _may_name(self, run: Sequence[Word], first: int) -> bool:
        """Return whether words may be a name; a single common word is not."""
        if len(run) > 1:
            # "Foot Locker" or "foot locker", and not "Foot injury".
            return len({word.text.islower() for word in run if word.terms}) == 1
        (word,) = run
        if not word.text.islower() and (first > 0 or not word.text.istitle()):
            return True
        return not any(self.frequency(term) for term in word.terms)

    def _files_beginning(self, fused: str, run: Sequence[Word], /) -> NDArray[np.float64] | None:
        """Return the certainty of each file; if its name is longer, the texts must confirm it."""
        stems = self._sorted_stems()
        start = bisect_left(stems, (fused, -1))
        stop = bisect_left(stems, (fused + "\U0010ffff", -1))
        if not 0 < stop - start <= min(MOST, len(stems) // 2):
            return None
        weights = np.zeros(len(stems))
        for stem, number in stems[start:stop]:
            if not stem[len(fused) :][:1].isalpha():
                weights[number] = 1.0
            elif all(self._is_of(term, number) for word in run for term in word.terms):
                weights[number] = _BEGINS
        return weights if weights.any() else None

    def _sorted_stems(self) -> list[tuple[str, int]]:
        """Return the fused names of the files, and the number of each."""
        if not self._stems:
            known = enumerate(self.names)
            self._stems.extend(sorted((_fused(PurePath(name).stem), n) for n, name in known))
            for stem, number in self._stems:
                self._undated.setdefault(stem.strip(_DIGITS), []).append(number)
        return self._stems

    def _files_abbreviated(self, letters: str, /) -> NDArray[np.float64] | None:
        """Return the certainty of each file whose name starts with the letters or with their words.

        "J&J" is ``J&J_2022.pdf`` and ``JOHNSON_JOHNSON_2022.pdf`` if the words of this name are
        characteristic of the document: otherwise "R&D" would be ``Report draft.pdf``.
        """
        weights = np.zeros(len(self.names))
        for number, name in enumerate(self.names):
            stem = PurePath(name).stem
            words = [w for w in words_of(stem.replace("_", " ")) if w.terms]
            if _fused(_SPACE.split(stem)[0]) == letters:
                weights[number] = 1.0
            elif [w.text[0].casefold() for w in words[: len(letters)]] == [*letters]:
                terms = {term for word in words[: len(letters)] for term in word.terms}
                if all(self._is_distinctive(term, number) for term in terms):
                    weights[number] = _BEGINS
        return weights if 0 < np.count_nonzero(weights) <= MOST else None

    def _is_distinctive(self, term: str, number: int) -> bool:
        """Return whether a term distinguishes a document from all others."""
        weights = self._weights(term, _CAPITAL)
        return weights is not None and bool(weights[number] > 0)

    def _is_of(self, term: str, number: int) -> bool:
        """Return whether no other document has a term in a larger share of its passages."""
        shares = self.counts(term) / np.maximum(self.sizes, 1)
        return bool(shares[number] >= shares.max())

    def _of_periods(
        self, named_by: Sequence[_Naming], periods: Sequence[Period]
    ) -> NDArray[np.float64]:
        """Return the relative frequency of the years in each document of a name."""
        factor = np.ones(len(self.ids))
        if not periods:
            return factor
        shares = np.zeros(len(self.ids))
        for year in {p.year for p in periods}:
            shares += self.counts(str(year)) / np.maximum(self.sizes, 1)
        for each in named_by:
            same = each.weights > 0
            most = float(shares[same].max())
            if most > 0:
                factor[same] = np.minimum(factor[same], shares[same] / most)
        return factor


def _runs(query: str, words: Sequence[Word]) -> list[list[Word]]:
    """Return the runs of words with a capital, without a first word that may open a sentence."""
    runs: list[list[Word]] = []
    first = 0 if words and _TOPIC.match(query, words[0].end) else 1
    for word in words[first:] if _VERSUS.search(query) is None else ():
        is_name = word.terms and word.text[0].isupper() and word.text.lower() not in _MONTHS
        if not is_name:
            continue
        if runs and query[runs[-1][-1].end : word.start] in {" ", " & ", "-", ". "}:
            runs[-1].append(word)
        else:
            runs.append([word])
    return [run for run in runs if len(run) > 1 or len(run[0].text) > _SHORTEST_NAME]


def _fused(text: str) -> str:
    return _BREAK.sub("", text.casefold())
