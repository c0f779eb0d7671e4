"""Judges whether the results answer the question.

The best of many passages always looks good relative to others, so its rank is no evidence. The
features are absolute: the share of the question's words in a passage and in one place of it, and of
its pairs of words (:mod:`casetrack.search.closeness`); the cosine of the two; and for the tokens of
the question, in the mean and for those without a counterpart, the nearest token of the passage.
A logistic model combines them, with one fit for words alone, one with vectors and one with token
matrices, made on open data over collections of 20 to 13,000 passages (see
``tools/training/evidence`` and docs/evaluation.md). Results of a model without a fit are judged by
the words.
"""

from __future__ import annotations

import functools
import itertools
import json
import re
import string
from collections.abc import Callable, Sequence
from importlib import resources
from numbers import Real
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import UsageError
from casetrack.base.models.profiles import vectors_of
from casetrack.base.words.lists import month_numbers, title_words
from casetrack.extract.language import capitals_mark_names, is_structural
from casetrack.search.asked_words import forms_of, term_frequency
from casetrack.search.closeness import Comparer
from casetrack.search.question.read import blanked
from casetrack.search.question.words import other_spellings, spellings, stems_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from casetrack.base.records.reading import Reading
    from casetrack.base.records.search import Evidence
    from casetrack.search.asked_words import AskedWords
    from casetrack.search.question.words import Word
    from casetrack.search.ranking import Ranked
    from casetrack.store.index.scope import Place, Scope

# Things that a question names exactly and no passage contains: numbers, references, names,
# quotations. ``HCS-99999`` is in the files or it is not. Ordinary words are different: a contract
# may call a leak an incident.

# Numbered things in a question of which the documents only have other numbers.

_NUMBER = r"(?:No\.?|Nos\.?|Nr\.?|number|#)"
_ASKED = re.compile(
    rf"\b(?P<label>[^\W\d_]{{3,}})(?:\s+(?P<sign>{_NUMBER}))?\s+"
    r"(?P<number>\d{1,3}(?:\.\d{1,3})*)(?![\w%]|[-.,:/]\d)",
    re.IGNORECASE,
)
_PARTS = frozenset("clause section article paragraph sections clauses articles \u00a7".split())
"""Parts of a document, which may occur in it with their number alone."""
_CALLED = frozenset(
    "addendum amendment annex appendix attachment exhibit invoice item lot milestone order phase "
    "protocol question recital rider schedule stage supplement table version volume".split()
)
"""Words that are used with a number also in lower case."""
_MONTHS = frozenset(month_numbers("en"))
_READ = 60
"""Maximum number of passages of a thing that are read for its numbers."""
_OTHERS = 2
"""Number of other numbers that show that a thing is numbered; one after "No."."""


def numbered_elsewhere(scope: Scope, asked: str, /) -> Iterator[str]:
    """Yield numbered things of *asked* of which the passages in *scope* have only other numbers.

    Nothing is yielded if there are too many passages, or if they do not number the thing.
    """
    for match in _ASKED.finditer(asked):
        label, number = match["label"], match["number"]
        lower = label.lower()
        if lower in _PARTS:
            if "." in number and next(scope.holding([number]), None) is None:
                yield match.group()
            continue
        called = match["sign"] or lower in _CALLED or (label[0].isupper() and match.start() > 0)
        if not called or lower in _MONTHS:
            continue
        places = list(itertools.islice(scope.holding(stems_of(label)), _READ + 1))
        if not 0 < len(places) <= _READ:
            continue
        named = re.compile(
            rf"\b{re.escape(label)}s?(?:\s+{_NUMBER})?\s+(?:\d{{1,3}}(?:,| and| to|-|\u2013) ?)*"
            r"(?P<number>\d{1,3}(?:\.\d{1,3})*)(?!\w)",
            re.IGNORECASE,
        )
        texts = scope.index.texts(places).values()
        others = {m["number"] for text in texts for m in named.finditer(text)}
        if number not in others and len(others) >= (1 if match["sign"] else _OTHERS):
            yield match.group()


_MOST_REPORTED = 3
"""Maximum number of missing things per question."""
# Capital letters are required: "HCS-99999" and "CR-07" are references, "0-dimensional" and "400mg"
# are not.
_REFERENCE = re.compile(r"(?<![A-Za-z0-9])(?=[A-Z0-9./_-]*\d)[A-Z0-9]+(?:[-./_][A-Z0-9]+)*(?!\w)")
_FEWEST_DIGITS = 3
_FEWEST_JOINED = 2
_LONG_NUMBER = 4
_OR = re.compile(r"\s*(?:,\s*)?(?:or|oder)\s+(?:the\s+)?|\s*,\s*", re.IGNORECASE)
_OR_ELSE = re.compile(r"\s*,?\s*(?:or|oder)\s+(?:the\s+)?(?-i:[a-z])", re.IGNORECASE)
"""The alternative is unnamed: "Kent, Surrey or somewhere else"."""
_LETTERS_ONLY = re.compile(r"[^\W\d_]+")
_IS_OR = re.compile(r"\b(?:or|oder)\b", re.IGNORECASE)
_TITLES = title_words("address", "academic", "knights", "peers", "german")
_SHORTEST_SLIP = 5
_SHORTEST_WORD = 6
_SURE_LETTERS = 3
_FREQUENT = 2
_LETTERS = string.ascii_lowercase


class Missing(NamedTuple):
    """Something that a question names and no searched passage contains."""

    text: str
    # A passage with a frequent word that is one typing error away, and the index term of that word,
    # or ``None``.
    meant: tuple[Place, str] | None = None
    is_exact: bool = False  # Whether it is a quotation, a reference or a number, not a name

    @property
    def is_name(self) -> bool:
        """Whether it is a name; an abbreviation is not, because its long form may occur."""
        words = _LETTERS_ONLY.findall(self.text)
        return not self.is_exact and any(w[0].isupper() and w[1:].islower() for w in words)


def missing_from(scope: Scope, reading: Reading, /) -> list[Missing]:
    """Return exact things in a question that no passage in *scope* contains, at most three.

    Checked are quotations and references (all words in one passage), numbers of four or more
    digits, and names, which are recognised by capitals in languages that do not capitalise all
    nouns. A word with another form in the index is not missing.
    """
    if not scope.chunk_count:
        return []
    gaps: list[Missing] = []
    for text, forms in _exact(reading):
        spelt = [terms for form in forms if (terms := stems_of(form))]
        if spelt and all(next(scope.holding(terms), None) is None for terms in spelt):
            gaps.append(Missing(text, is_exact=True))
    gaps += [Missing(text, is_exact=True) for text in numbered_elsewhere(scope, _text(reading))]
    reported = " ".join(m.text for m in gaps)
    for names in _choices(_names(reading), _text(reading)):
        texts = [_text(reading)[name[0].start : name[-1].end] for name in names]
        lost = [_missing_part(scope, name, text) for name, text in zip(names, texts, strict=True)]
        if all(lost):
            # One of "Kent, Surrey or Essex" is enough.
            gaps += [each for each in lost if each and each.text not in reported]
    if not gaps:
        gaps += _misspelt(scope, reading)
    return gaps[:_MOST_REPORTED]


def sentence(missing: Sequence[Missing], text_at: Callable[[Place], str], /) -> str:
    """Return a sentence about missing things; *text_at* returns the text of a passage."""
    named = " or ".join(f"'{m.text}'" for m in missing)
    meant = [_word_with(text_at(m.meant[0]), m.meant[1]) for m in missing if m.meant is not None]
    instead = " or ".join(f"'{word}'" for word in meant if word)
    if instead:
        return f"No passage contains {named}; did you mean {instead}?"
    return f"No passage contains {named}; the nearest follow."


def _word_with(text: str, term: str) -> str | None:
    """Return the first word of *text* with the index term *term*, as written."""
    return next((w.text for w in words_of(text) if w.terms == (term,)), None)


def _exact(reading: Reading) -> Iterator[tuple[str, list[str]]]:
    """Yield the exact things in a question, each with its spellings."""
    for phrase in reading.phrases:
        yield phrase.text, [phrase.text]
    for period in reading.periods:
        yield period.part.text, [period.part.text, *spellings(period)]
    for number in reading.numbers:
        if sum(c.isdigit() for c in number.text) >= _LONG_NUMBER:
            yield number.text, [number.text, *other_spellings(number.text)]
    taken = [p.part for p in reading.periods] + list(reading.numbers)
    for match in _REFERENCE.finditer(_text(reading)):
        text = match.group()
        digits = sum(c.isdigit() for c in text)
        fewest = _FEWEST_DIGITS if text.isalnum() else _FEWEST_JOINED
        if digits < fewest or not any(c.isalpha() for c in text) or text[-1].isalpha():
            continue
        if not any(t.start <= match.start() and match.end() <= t.end for t in taken):
            yield text, [text]


def _text(reading: Reading) -> str:
    return blanked(reading.query, reading.dropped)


def _names(reading: Reading) -> list[list[Word]]:
    """Return runs of capitalised words that are names, without sentence starts."""
    words = [w for w in words_of(_text(reading)) if _is_cased(w.text)]
    carrying = [w for w in words if w.terms and not is_structural(w.text)]
    capitals = [w for w in carrying if w.text[0].isupper()]
    if not capitals_mark_names([w.text for w in words if w.terms], reading.language):
        return []
    runs: list[list[Word]] = []
    for word in capitals:
        if word.text.lower() in _TITLES or not word.terms or len(word.text) < 2:
            continue
        between = _text(reading)[runs[-1][-1].end : word.start] if runs else "."
        if runs and not between.strip(" .-&"):
            runs[-1].append(word)
        else:
            runs.append([word])
    # The capital of a first word is no evidence.
    runs = [run[1:] if _opens(run[0], _text(reading)) else run for run in runs]
    return [run for run in runs if run]


def _choices(names: Sequence[list[Word]], text: str) -> list[list[list[Word]]]:
    """Return the names in groups of alternatives."""
    groups: list[list[list[Word]]] = []
    for name in names:
        between = text[groups[-1][-1][-1].end : name[0].start] if groups else "."
        if groups and _OR.fullmatch(between):
            groups[-1].append(name)
        else:
            groups.append([name])
    groups = [group for group in groups if not _OR_ELSE.match(text, group[-1][-1].end)]
    # Without an "or" between the last two, all are asked for.
    return [
        part
        for group in groups
        for part in (
            [group]
            if len(group) < 2 or _IS_OR.search(text[group[-2][-1].end : group[-1][0].start])
            else [[name] for name in group]
        )
    ]


def _is_cased(word: str) -> bool:
    """Return whether a word consists only of letters with case."""
    letters = word.replace("'", "").replace("\u2019", "")
    return all(c.isupper() or c.islower() for c in letters)


def _opens(word: Word, text: str) -> bool:
    """Return whether a word is capitalised only as the start of a sentence."""
    before = text[: word.start].rstrip("\"'\u201c\u201e( ")
    return not word.text.isupper() and (not before or before[-1] in ".!?:\n")


def _missing_part(scope: Scope, name: Sequence[Word], text: str) -> Missing | None:
    """Return the missing part of a name: the misspelled word, or all of it."""
    for word in name:
        if all(term_frequency(scope, term) for term in word.terms):
            continue
        if meant := _slip(scope, word):
            return Missing(word.text, meant)
        if not _known(scope, word):
            return Missing(text)
    return None


def _known(scope: Scope, word: Word) -> bool:
    """Return whether the index contains a word, or another form of it."""
    return all(
        term_frequency(scope, term)
        or any(term_frequency(scope, form) for form in forms_of(scope, term))
        for term in word.terms
    )


def _misspelt(scope: Scope, reading: Reading) -> list[Missing]:
    """Return long words that occur nowhere but are a typing error away from a frequent word."""
    words = [w for w in words_of(_text(reading)) if len(w.terms) == 1 and not is_structural(w.text)]
    words = [w for w in words if len(w.text) >= _SHORTEST_WORD]
    slips = ((w, _slip(scope, w)) for w in words if not term_frequency(scope, w.terms[0]))
    return [Missing(word.text, meant) for word, meant in slips if meant]


def _slip(scope: Scope, word: Word) -> tuple[Place, str] | None:
    """Return the most frequent term one typing error away from a word, and a place of it."""
    stem = word.terms[0]
    if len(stem) < _SHORTEST_SLIP or not stem.isascii() or not stem.isalpha():
        return None
    # A typing error in a word is usually the same error in its stem, which saves stemming.
    near = set(_one_slip(stem)) - {stem}
    best: tuple[int, Place, str] | None = None
    for number, part in enumerate(scope.index.segments):
        wanted = [term for term in part.data.terms.starting(stem[:_SURE_LETTERS]) if term in near]
        for term, posting in zip(wanted, part.data.terms.find(wanted), strict=True):
            rows = scope.held(number, posting)
            if len(rows) >= _FREQUENT and (best is None or len(rows) > best[0]):
                best = (len(rows), (number, int(rows[0])), term)
    return None if best is None else (best[1], best[2])


def _one_slip(word: str) -> Iterator[str]:
    """Yield the variants of a word with one letter removed, added, changed or swapped.

    The first letters stay: errors are rare in them, and they are used for the lookup.
    """
    for i in range(_SURE_LETTERS, len(word) + 1):
        head, tail = word[:i], word[i:]
        if tail:
            yield head + tail[1:]
            yield from (head + c + tail[1:] for c in _LETTERS)
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        yield from (head + c + tail for c in _LETTERS)


LOOKED_AT = 3
"""Number of best results judged together: one may have the words, another the meaning."""
NONE_BELOW, STRONG_FROM = 0.25, 0.75
"""Relevance below which there is no evidence, and from which it is strong; of every fit."""
STRICT = 0.36
"""The same if a name of the question is missing, or if the question asks for a value."""
WORDS_ALONE, OTHER = "words", "words of other languages"
"""Names of the fits of words: for English, and for languages with more forms and compounds."""
_LOWEST = 2
"""Number of tokens without a counterpart that count apart."""
READ_FURTHER = 2
"""Maximum number of further results whose text is read, because they have more of the words."""
FEWEST = 2
"""A question with fewer content words may be answered in other words."""


@dataclass(frozen=True, slots=True)
class Fit:
    """One fit of the logistic model."""

    features: tuple[str, ...]  # Names of features of :func:`features_of`
    # One per feature, never negative: more of a feature never lowers the relevance.
    weights: tuple[float, ...]
    bias: float
    worded_from: float = 1.0  # Relevance by words alone from which models deny nothing

    def relevance(self, features: Mapping[str, NDArray[np.float64]], /) -> NDArray[np.float64]:
        """Return the relevance of passages, 0 to 1, from their features."""
        joined = sum(w * features[n] for n, w in zip(self.features, self.weights, strict=True))
        relevance: NDArray[np.float64] = 1.0 / (1.0 + np.exp(-(joined + self.bias)))
        return relevance


def evidence_of(relevance: float, /) -> Evidence:
    """Return the evidence level of a relevance."""
    if relevance < NONE_BELOW:
        return "none"
    return "strong" if relevance >= STRONG_FROM else "weak"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of a search."""

    relevance: float  # How certain it is that the searched passages contain an answer
    results: tuple[float, ...]  # The relevance of each result
    fitted: tuple[float, ...] = ()  # The same without bounds, for the order of the results


class Nearness(NamedTuple):
    """Similarity of a question's tokens to the nearest ones of a passage."""

    mean: float  # Weighted by the worth of the words
    lowest: float  # Mean of the two lowest ones


def nearness(
    places: Sequence[Place], similarities: NDArray[np.float32], weights: NDArray[np.float64], /
) -> dict[Place, Nearness]:
    """Return the nearness of the passages that have a token matrix.

    *similarities* is float32 [passages, tokens], NaN without a matrix; *weights* float64 [tokens].
    """
    means = np.average(similarities, axis=1, weights=weights)
    lowest = np.sort(similarities[:, weights > 0.0], axis=1)[:, :_LOWEST].mean(axis=1)
    return {
        place: Nearness(float(mean), float(low))
        for place, mean, low in zip(places, means, lowest, strict=True)
        if not np.isnan(mean)
    }


Read = Callable[["Sequence[Place]"], "Sequence[tuple[str, Sequence[str]]]"]
"""Returns the texts of passages, each with its headings."""


def judged(
    words: AskedWords,
    ranked: Sequence[Ranked],
    nearest: Sequence[Nearness | None],
    missing: Sequence[Missing],
    read: Read,
    /,
    *,
    profile: str | None,
    language: str | None = None,
    never_none: bool = False,
    asks_value: bool = False,
) -> Verdict:
    """Judge the results of a search, *ranked* with the best first.

    The search is as relevant as the best of them, or as the first three together. *nearest* has for
    each result the nearness of the question's tokens, ``None`` without a token matrix. *missing*
    has the things in the question that no passage contains. *profile* is the name of the models
    that took part, if any. With *never_none* the evidence is never *none*: every document has the
    requested fact, such as a title, or no fit applies to the models. *asks_value* is whether the
    question asks for a date, an amount, a name or another value.
    """
    if not ranked:
        return Verdict(0.0, ())
    features = features_of(words, ranked, nearest, missing, read)
    words_fit = fits_of(None, language)[0]
    fit = _fit(fits_of(profile, language), features)
    each, by_words = fit.relevance(features), words_fit.relevance(features)
    best = {name: values[:LOOKED_AT].max(keepdims=True) for name, values in features.items()}
    whole = max(float(fit.relevance(best)[0]), float(each.max()))
    is_lost = any(features[name].any() for name in ("exact", "names"))
    is_strict = is_lost or asks_value
    least = words_fit.worded_from
    worded = max(float(words_fit.relevance(best)[0]), float(by_words.max()))
    whole = _bounded(whole, is_strict=is_strict, is_worded=worded >= least)
    if never_none or (len(words.weights) < FEWEST and not is_lost):
        whole = max(whole, NONE_BELOW)
    pairs = zip(each, by_words, strict=True)
    results = [_bounded(float(r), is_strict=is_strict, is_worded=w >= least) for r, w in pairs]
    return Verdict(whole, tuple(min(whole, r) for r in results), tuple(map(float, each)))


def _bounded(relevance: float, *, is_strict: bool, is_worded: bool) -> float:
    """Return a relevance with the bounds of things that are missing, and of words that are found.

    It is never *none* if the words alone show otherwise: models read names and technical terms
    badly, and words miss other phrasings, but both seldom miss an answer.
    """
    if is_strict:
        return relevance if relevance >= STRICT else relevance * NONE_BELOW / STRICT
    return max(relevance, NONE_BELOW) if is_worded else relevance


def features_of(
    words: AskedWords,
    ranked: Sequence[Ranked],
    nearest: Sequence[Nearness | None],
    missing: Sequence[Missing],
    read: Read,
    /,
) -> dict[str, NDArray[np.float64]]:
    """Return the features of each result, float64 [n] each.

    ``coverage``, ``together``, ``pairs`` and ``few`` are always present, as are ``exact`` and
    ``names``: 0, or -1 if no passage contains something that the question names. ``cosine`` is
    present with vectors, ``nearest`` and ``lowest`` if the token matrices of the best three were
    read.
    """
    lost = [m for m in missing if m.meant is None]
    coverage = words.coverage([r.place for r in ranked])
    features = {
        "coverage": coverage,
        **_closeness(words, [r.place for r in ranked], coverage, read),
        "exact": np.full(len(ranked), -float(any(m.is_exact for m in lost))),
        "names": np.full(len(ranked), -float(any(m.is_name for m in lost))),
        "few": few(words.scope.chunk_count, len(ranked)),
    }
    cosines = [r.signals["semantic"].score for r in ranked if "semantic" in r.signals]
    if len(cosines) == len(ranked):
        features["cosine"] = np.array([0.0 if c is None else c for c in cosines])
    if all(value is not None for value in nearest[:LOOKED_AT]):
        # Results that were not read count as the most distant one that was.
        known = np.array([value for value in nearest if value is not None])
        if len(known):
            low = Nearness(*known.min(axis=0))
            values = np.array([low if value is None else value for value in nearest])
            features |= {"nearest": values[:, 0], "lowest": values[:, 1]}
    return features


def _closeness(
    words: AskedWords, places: Sequence[Place], coverage: NDArray[np.float64], read: Read
) -> dict[str, NDArray[np.float64]]:
    """Return ``together`` and ``pairs`` of each result, and raise *coverage* by related words.

    Read are the best results, and those that have more of the words. The others count as the most
    distant one that was read.
    """
    most = coverage[:LOOKED_AT].max(initial=0.0)
    further = [n for n in range(LOOKED_AT, len(places)) if coverage[n] > most]
    chosen = [*range(min(LOOKED_AT, len(places))), *further[:READ_FURTHER]]
    values = Comparer(words).closeness(read([places[n] for n in chosen]))
    together = np.minimum(coverage, min((v.together for v in values), default=0.0))
    pairs = np.full(len(places), min((v.pairs for v in values), default=0.0))
    for n, value in zip(chosen, values, strict=True):
        coverage[n] = max(coverage[n], value.covered)
        together[n], pairs[n] = value.together, value.pairs
    return {"together": together, "pairs": pairs}


def few(passages: int, results: int, /) -> NDArray[np.float64]:
    """Return the negative order of magnitude of the number of passages, float64 [results].

    Among more passages the best one looks better by chance.
    """
    return np.full(results, -np.log10(max(passages, 1)))


def _fit(fits: Sequence[Fit], features: Mapping[str, NDArray[np.float64]]) -> Fit:
    """Return the fit that uses most of these features."""
    known = [fit for fit in fits if set(fit.features) <= features.keys()]
    return max(known, key=lambda fit: len(fit.features))


def has_fit(profile: str | None, /) -> bool:
    """Return whether a profile has a fit beyond that of words."""
    return len(fits_of(profile)) > len(fits_of(None))


def fits_of(profile: str | None, language: str | None = None, /) -> tuple[Fit, ...]:
    """Return the fit of words alone, which every denial needs, and those of a profile."""
    words = WORDS_ALONE if language in {None, "en"} else OTHER
    return (*_fits()[words], *_fits().get(vectors_of(profile) if profile else "", ()))


@functools.cache
def _fits() -> dict[str, tuple[Fit, ...]]:
    text = resources.files("casetrack.search").joinpath("evidence.json").read_text("utf-8")
    return {
        name: tuple(
            Fit(**{**fit, "features": tuple(fit["features"]), "weights": tuple(fit["weights"])})
            for fit in fits
        )
        for name, fits in json.loads(text)["fits"].items()
    }


def check_relevance(least: object, /) -> None:
    """Raise ``UsageError`` if a relevance is no number from 0 to 1."""
    if least is None:
        return
    if isinstance(least, bool) or not isinstance(least, Real) or not 0 <= float(least) <= 1:
        raise UsageError.of(("min_relevance",), f"is {least!r}; it must be a number from 0 to 1")


def left_out(count: int, least: float | None, /) -> str:
    """Return a note on the number of results left out."""
    passages = "1 passage was" if count == 1 else f"{count} passages were"
    return f"{passages} left out: relevance below {least or 0.0:g}."
