"""Scores the parts of a passage for a question.

The score of a part is a sum of features: its share of the question's words, also weighted by their
rarity in the collection and among the parts of the passage; its share of the words of one other
name of a term of the question ("work made for hire" for ownership), and of all of them; the
similarity of its tokens to the question's, by the stored matrix; words of the question in its
neighbours and in the heading above; a value of the requested kind; a duty or right; a proviso; its
length and kind. Without a token matrix the other features are used.

The weights were fitted on contracts (the clauses that lawyers marked in the 50 contracts of CUAD,
by the descriptions of their categories) and on paragraphs (XQuAD, English and German): see
docs/evaluation.md.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from casetrack.base.dataclass import dataclass
from casetrack.base.words.lists import month_numbers
from casetrack.ingest.steps.words import STOP_WORDS, index_terms, is_pair, word_spans
from casetrack.models.token_matrix import content_tokens, token_form, unpack
from casetrack.search.question.wanted import query_terms
from casetrack.search.scores import rarity
from casetrack.store.index.scope import scope_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from casetrack.base.records.reading import QuestionForm, Reading, Want
    from casetrack.models.base import Encoding, ProfileEncoder
    from casetrack.search.pinpoint.units import Unit
    from casetrack.store.index.index import Index

# The words of a question in a text.

_NOTHING: frozenset[str] = frozenset()
_SECOND = {"e": "ao", "i": "y"}
"""Second letters of words for the second letter of their terms, if they differ."""


class Hit(NamedTuple):
    """A word of a text that is a term of the question: ``text[start:end]``."""

    start: int
    end: int
    term: str


def hits_of(text: str, terms: Collection[str], /) -> Iterator[Hit]:
    """Yield every word of *text* that is one of *terms*, in order."""
    wanted = frozenset(terms)
    common_of = _common_of(wanted)
    # Scripts without spaces are indexed in pairs of signs, so their runs are searched for pairs.
    pairs = set(filter(is_pair, wanted))
    for start, end in word_spans(text):
        word = text[start:end]
        if not (common := common_of[word]):
            continue
        if pairs.isdisjoint(common) or len(word) <= 2:
            yield Hit(start, end, min(common))
            continue
        for term in sorted(common - pairs):
            at = max(0, word.find(term))
            yield Hit(start + at, start + at + len(term), term)
        for at in range(len(word)):
            # A sign that the index leaves out may be inside of a pair.
            for size in (2, 3):
                if terms_of_pair := pairs & terms_of_word(word[at : at + size]):
                    yield Hit(start + at, start + min(at + size, len(word)), min(terms_of_pair))
                    break


class _Common(dict[str, frozenset[str]]):
    """The terms of a question in each word, cached."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        starts = {term[:2] for term in wanted}
        # The terms of "foetus", "oestrogen" and "dying" are "fetus", "estrogen" and "die".
        starts |= {start[0] + other for start in starts for other in _SECOND.get(start[1:], "")}
        starts |= {"ae", "oe"} if any(start[0] == "e" for start in starts) else set()
        self._starts = frozenset(starts)

    def __missing__(self, word: str) -> frozenset[str]:
        # Stemming only cuts the end of a plain word: it starts like its term.
        plain = word.isascii() and word[1:].islower() and word.isalpha()
        apart = plain and word[:2].lower() not in self._starts
        common = self[word] = _NOTHING if apart else self._wanted & terms_of_word(word)
        return common


_common_of = functools.lru_cache(maxsize=16)(_Common)
terms_of_word = functools.lru_cache(maxsize=32_768)(query_terms)


# Similarity of each part of a passage by its stored token matrix.


class Encoded(NamedTuple):
    """A question encoded by models."""

    encoder: ProfileEncoder
    encoding: Encoding


@dataclass(frozen=True, slots=True)
class Tokens:
    """The question's tokens, and the encoder of passages."""

    asked: NDArray[np.float32]  # float32 [q, width]: the content tokens of the question
    encoder: ProfileEncoder

    @classmethod
    def of(cls, text: str, encoded: Encoded, /) -> Tokens | None:
        """Return the tokens of an encoded question *text*, or ``None``."""
        encoder, encoding = encoded
        form = token_form(encoder)
        if form is None or encoding.tokens is None or encoding.token_spans is None:
            return None
        if len(encoding.tokens) != len(encoding.token_spans):
            return None
        kept = content_tokens(text, encoding.token_spans, STOP_WORDS)
        return cls(form.asked(encoding.tokens[kept]), encoder)

    def near(
        self, text: str, units: Sequence[Unit], matrix: bytes | None, /
    ) -> NDArray[np.float64] | None:
        """Return for each unit its similarity to the question, float [units].

        The mean over the question's tokens of the nearest row. A unit without rows gets the
        minimum. ``None`` if the matrix does not belong to this text and form, so that the places of
        its rows are unknown.
        """
        if not matrix or not len(self.asked):
            return None
        rows = unpack(matrix)
        places = _places_of_rows(self.encoder, text, len(rows))
        if places is None or rows.shape[1] != self.asked.shape[1]:
            return None
        # Rows are in order: those that overlap a unit are consecutive.
        starts, ends = np.array([(unit.start, unit.end) for unit in units]).T
        firsts = np.searchsorted(places[:, 1], starts, side="right")
        lasts = np.searchsorted(places[:, 0], ends, side="left")
        held = firsts < lasts
        if not held.any():
            return None
        # The last row only closes the last range.
        similar = np.vstack([rows @ self.asked.T, np.zeros((1, len(self.asked)), np.float32)])
        ranges = np.stack([firsts[held], lasts[held]], axis=1).ravel()
        values = np.full(len(units), np.nan)
        values[held] = np.maximum.reduceat(similar, ranges)[::2].mean(axis=1)
        return np.where(np.isnan(values), np.nanmin(values), values)


@functools.lru_cache(maxsize=256)
def _places_of_rows(encoder: ProfileEncoder, text: str, count: int) -> NDArray[np.int32] | None:
    """Return the spans of the *count* rows of a text's matrix, int32 [n, 2]; pages repeat texts."""
    form, spans = token_form(encoder), encoder.document_spans(text)
    if form is None or spans is None or not len(spans):
        return None
    if form.content_only:
        spans = spans[content_tokens(text, spans, STOP_WORDS)]
    return form.row_spans(spans, count)


Floats = NDArray[np.float64]

MOST = 3
"""Maximum number of marked parts of a passage."""
_WITH_TOKENS = (0.3, 5.75, 1.92, 0.92, 2.35, 10.07, 0.7, 0.62, 0.44, -0.65, -1.58, -1.98, 1.41, 1.1)
_BY_WORDS = (1.85, 6.52, 4.18, 0.0, 3.36, 8.97, 0.98, 0.61, 0.0, -0.15, -1.41, -1.9, 0.0, 0.0)
_USUAL_CHARS = 200
_SHORT_CHARS = 50
_SHORTER = 0.15
"""Power of the length in the order of parts: of equal ones, the shorter is marked."""
_WORTH = 0.2
"""Minimum odds of a further marked part of the usual length; a longer one needs more."""
_ASKING = frozenset(
    index_terms(
        "how why did do does about much many may must can could would should might shall any some "
        "there during been being were also not only most more other those these please tell say"
    )
)
"""Words of questions: in a text they are no evidence."""
_EVEN = 1e-9
_TITLES = frozenset({"heading", "header"})
_FLAT = 0.02
"""Spread of MaxSim below which differences between the parts are meaningless."""

_DAY = (
    r"\b(?:1[0-9]{3}|20[0-9]{2})s?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"
    rf"|\b(?:{'|'.join(month_numbers('en', 'de'))}"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century|years?|decades?|days?"
    r"|months?|weeks?|hours?|anniversary"
    r"|tage?n?|monate?n?|jahre?n?|wochen?|stunden?)\b"
)
_SCORING_NUMBER = (
    r"\d|%|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty"
    r"|fifty|sixty|ninety|dozen|hundred|thousand|million|billion|half|third|quarter|percent)\b"
)
_ASKED_DUE = re.compile(
    r"\b(?:how (?:soon|quickly|promptly)|by when|within (?:what|which|how)|deadline|time limit"
    r"|(?:notice|grace|cure) period)\b",
    re.IGNORECASE,
)
_DUE = re.compile(
    r"\b(?:within|(?:no|not) (?:later|less) than|at (?:the )?latest|at least|immediately"
    r"|promptly|without (?:undue )?delay|prior|before|upon|innerhalb|binnen|sp\u00e4testens"
    r"|unverz\u00fcglich|vor Ablauf)\b",
    re.IGNORECASE,
)
_DUTY = re.compile(
    r"\b(?:shall|may|must|will|agrees?|entitled|right to|obligat\w+|required|prohibit\w+|muss"
    r"|m\u00fcssen|darf|kann|soll)\b"
)
_PROVISO = re.compile(
    r"\b(?:notwithstanding|except|unless|provided|subject to|sofern|es sei denn|soweit)\b"
)
"""Duties and provisos, in a text in lower case."""
_NAME = r"(?<=[a-z,;:(&] )[A-Z][a-z]+|\b[A-Z][\w.]+ [A-Z][a-z]+"
_LOOKS: dict[Want, re.Pattern[str]] = {
    "date": re.compile(_DAY, re.IGNORECASE),
    "amount": re.compile(_SCORING_NUMBER, re.IGNORECASE),
    "figure": re.compile(_SCORING_NUMBER, re.IGNORECASE),
    "count": re.compile(_SCORING_NUMBER, re.IGNORECASE),
    "person": re.compile(_NAME),
    "place": re.compile(_NAME),
}


@dataclass(frozen=True)
class Sought:
    """The terms and requested values of a question, against which parts are scored."""

    # Index terms of the question with their weights: 1 or more for its own, less for other names.
    terms: Mapping[str, float]
    rarity: Mapping[str, float]  # Their weights in the collection, by term
    wants: frozenset[Want] = frozenset()
    is_due: bool = False  # Whether it asks for a deadline
    # Terms that name documents: they select a document, not a part.
    names: frozenset[str] = frozenset()
    query: str = ""  # The question as typed
    form: QuestionForm = "words"
    others: tuple[frozenset[str], ...] = ()  # Index terms of each other name of a term

    @classmethod
    def of(cls, reading: Reading, index: Index, /) -> Sought:
        """Return the terms and requested values of a question for an index."""
        is_due = _ASKED_DUE.search(reading.query) is not None
        certain = (named.part.text for named in reading.named if not named.by_card)
        names = frozenset(t for text in certain for t in index_terms(text))
        rare = rarity(scope_of(index), reading.terms)
        wants, query, form = reading.wants, reading.query, reading.form
        others = tuple({query_terms(name): None for e in reading.expansions for name in e.also})
        return cls(reading.terms, rare, wants, is_due, names, query, form, others)

    @functools.cached_property
    def capitals(self) -> frozenset[str]:
        """The terms of the words with a capital, without the first word of the question."""
        words = [self.query[a:b] for a, b in word_spans(self.query)][1:]
        return query_terms(" ".join(word for word in words if word[0].isupper()))

    @functools.cached_property
    def specific(self) -> Mapping[str, float]:
        """The terms that distinguish parts of a document; all terms if there are none."""
        content = {t: weight for t, weight in self.terms.items() if t not in _ASKING} or self.terms
        specific = {t: weight for t, weight in content.items() if t not in self.names}
        return specific if any(weight >= 1.0 for weight in specific.values()) else content

    @functools.cached_property
    def phrases(self) -> list[dict[str, float]]:
        """The terms of each other name that adds a word, with their shares of its rarity."""
        added = {t for t, weight in self.specific.items() if weight < 1.0}
        names = [sorted(name) for name in self.others if not name.isdisjoint(added)]
        rare = [{t: self.rarity.get(t, 1.0) for t in name} for name in names]
        return [{t: w / math.fsum(each.values()) for t, w in each.items()} for each in rare]


def scores(
    text: str, units: Sequence[Unit], sought: Sought, near: Floats | None = None, /
) -> Floats:
    """Return each unit's share of the total evidence, float [units]; the sum is 1.

    *near* is the result of :meth:`Tokens.near`; ``None`` without a matrix.
    """
    features = features_of(text, units, sought, near)
    if near is None and not features[:, 0].any():
        return np.full(len(units), 1 / len(units))
    total = features @ np.array(_BY_WORDS if near is None else _WITH_TOKENS)
    shares = np.exp(total - total.max())
    result: Floats = shares / shares.sum()
    return result


def features_of(text: str, units: Sequence[Unit], sought: Sought, near: Floats | None, /) -> Floats:
    """Return the features of each unit, float [units, 14]; parameters as in :func:`scores`."""
    terms = sought.specific
    held = _held(text, units, terms)
    own = sum(weight for weight in terms.values() if weight >= 1.0) or sum(terms.values()) or 1.0
    worth = {term: weight * sought.rarity.get(term, 1.0) for term, weight in terms.items()}
    added = {t: worth[t] for t, w in terms.items() if w < 1.0}
    own_worth = sum(worth[t] for t, w in terms.items() if w >= 1.0) or sum(worth.values()) or 1.0
    added_worth = sum(added.values()) or 1.0
    spread = Counter(itertools.chain.from_iterable(held))
    scale = math.log(len(units) + 1)
    local = {t: worth[t] * math.log((len(units) + 1) / n) / scale for t, n in spread.items()}

    def share(weights: Mapping[str, float], found: Iterable[str], whole: float) -> float:
        # The order of a set differs between processes; the sum must not depend on it.
        return min(1.0, math.fsum(weights[t] for t in found) / whole)

    features = np.zeros((len(units), len(_BY_WORDS)))
    over = header = _NOTHING
    for i, (unit, present) in enumerate(zip(units, held, strict=True)):
        header = present if unit.kind == "header" else header if unit.kind == "row" else _NOTHING
        context = (over, header, *held[max(0, i - 1) : i], *held[i + 1 : i + 2])
        # A part belongs to its heading, at any distance.
        over = present if unit.kind == "heading" else over
        own_text = text[unit.start : unit.end]
        fit, low = fits(own_text, sought.wants), own_text.lower()
        phrases = sought.phrases if present else ()
        named = max((share(each, each.keys() & present, 1.0) for each in phrases), default=0.0)
        features[i] = (
            share(terms, present, own),
            share(local, present, own_worth),
            share(worth, present, own_worth),
            0.0,
            share(worth, (t for near_by in context for t in near_by - present), own_worth),
            share(worth, over, own_worth),
            fit + (sought.is_due and fit > 0 and _DUE.search(own_text) is not None),
            _DUTY.search(low) is not None,
            _PROVISO.search(low) is not None,
            math.log(len(own_text) / 100),
            len(own_text) < _SHORT_CHARS,
            unit.kind in _TITLES,
            named,
            share(added, added.keys() & present, added_worth),
        )
    if near is not None:
        features[:, 3] = (near - near.mean()) / (near.std() + _FLAT)
    return features


def best(units: Sequence[Unit], shares: Floats, /) -> list[int]:
    """Return the marked parts, best first: one, or up to :data:`MOST` if they are likely enough.

    A further part is worth its characters if its odds are high for its length.
    """
    answers = [i for i, unit in enumerate(units) if unit.kind != "header"] or [0]
    if np.ptp(shares) < _EVEN:
        return answers[:1]
    lengths = np.array([unit.end - unit.start for unit in units]) / _USUAL_CHARS
    merit = shares / lengths**_SHORTER
    order = sorted(answers, key=lambda i: (-merit[i], i))[:MOST]
    # A row is short, but needs its header too.
    least = [1.0 if unit.kind == "row" else 0.5 for unit in units]
    odds = shares / (1 - shares + _EVEN) / np.maximum(lengths, least)
    return [order[0], *(i for i in order[1:] if odds[i] >= _WORTH)]


def fits(text: str, wants: Collection[Want], /) -> float:
    """Return 1 if a text has a value of a requested kind, else 0."""
    return float(any(want in _LOOKS and _LOOKS[want].search(text) for want in wants))


def _held(text: str, units: Sequence[Unit], terms: Mapping[str, float]) -> list[frozenset[str]]:
    """Return for each unit the terms that it has."""
    terms_of_units: list[set[str]] = [set() for _ in units]
    number = 0
    for hit in hits_of(text, terms):
        while number < len(units) - 1 and hit.start >= units[number].end:
            number += 1
        terms_of_units[number].add(hit.term)
    return [frozenset(each) for each in terms_of_units]
