"""How much each part of a passage says on the question.

Five things speak for a part: how many of the question's words it has; how many of those that are
rare, in the collection and among the parts of this passage; how near its tokens are to the
question's (MaxSim over the stored matrix, part by part); what its neighbours say that it does not,
since "it" and "this fee" refer to them, and what their heading
says; and whether it has a value of the kind that is asked for. Without a token matrix the other
four decide.

The weights were fitted on XQuAD (softmax over the sentences of a paragraph, and of three
paragraphs read as one passage; English and German), in two halves of whole articles, each judged by
the weights of the other: see docs/evaluation.md.
"""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from casetrack.base.words.lists import month_numbers
from casetrack.ingest.steps.words import STOP_WORDS, as_letters, index_terms, is_pair
from casetrack.models.token_matrix import content_tokens, token_form, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from casetrack.base.records.reading import Reading, Want
    from casetrack.models.base import Encoding, ProfileEncoder
    from casetrack.models.token_matrix import TokenForm
    from casetrack.search.pinpoint.units import Unit

# Where the words of a question stand in a text.

_WORD = re.compile(r"[^\W_]+(?:[.,'\u2019][^\W_]+)*")


_NOTHING: frozenset[str] = frozenset()


class Hit(NamedTuple):
    """A word of a text that is a term of the question: ``text[start:end]``."""

    start: int
    end: int
    term: str


def query_terms(query: str, /) -> frozenset[str]:
    """Return the words of a question in the form in which the index has them."""
    return frozenset(index_terms(query))


def hits_of(text: str, terms: Collection[str], /) -> Iterator[Hit]:
    """Yield every word of *text* that is one of *terms*, in order."""
    wanted = frozenset(terms)
    common_of = _common_of(wanted)
    # Scripts without spaces are indexed in pairs of signs, so their runs are searched for those.
    pairs = set(filter(is_pair, wanted))
    for match in _WORD.finditer(as_letters(text)):
        word = text[match.start() : match.end()]
        if not (common := common_of[word]):
            continue
        start = match.start()
        if pairs.isdisjoint(common) or len(word) <= 2:
            yield Hit(start, match.end(), min(common))
            continue
        for term in sorted(common - pairs):
            at = max(0, word.find(term))
            yield Hit(start + at, start + at + len(term), term)
        for at in range(len(word)):
            # A sign that the index leaves out may be inside of a pair.
            for size in (2, 3):
                if found := pairs & _terms_of(word[at : at + size]):
                    yield Hit(start + at, start + min(at + size, len(word)), min(found))
                    break


class _Common(dict[str, frozenset[str]]):
    """The terms of a question that each word has, as far as it was met."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        # Of British spellings alone the first letter may go: "oestrogen" is "estrogen".
        initials = {term[0] for term in wanted}
        initials |= {"a", "o"} if "e" in initials else set()
        self._initials = initials | {initial.upper() for initial in initials}

    def __missing__(self, word: str) -> frozenset[str]:
        # Of a plain word nothing but the end is cut off: it begins as its term does.
        plain = word.isascii() and word[1:].islower() and word.isalpha()
        apart = plain and word[0] not in self._initials
        found = self[word] = _NOTHING if apart else self._wanted & _terms_of(word)
        return found


@functools.lru_cache(maxsize=16)
def _common_of(wanted: frozenset[str]) -> _Common:
    return _Common(wanted)


@functools.lru_cache(maxsize=32_768)
def _terms_of(word: str) -> frozenset[str]:
    return frozenset(index_terms(word))


# What the stored token matrix of a passage says of each of its parts.


class Encoded(NamedTuple):
    """What models made of a question."""

    encoder: ProfileEncoder
    encoding: Encoding


@dataclass(frozen=True, slots=True)
class Tokens:
    """The question's tokens, and how a passage's rows are told apart.

    Attributes
    ----------
    asked
        float32 [q, width]: those of the question that carry meaning.
    form
        How matrices are stored.
    spans_of
        Returns where a text's tokens lie, int32 [n, 2]; the rows of its matrix are made of them.
    """

    asked: NDArray[np.float32]
    form: TokenForm
    spans_of: Callable[[str], NDArray[np.int32] | None]

    @classmethod
    def of(cls, text: str, own: int, encoded: Encoded, /) -> Tokens | None:
        """Return those of a question that was encoded; ``None`` where there are none.

        Parameters
        ----------
        text
            What was encoded: the question, and behind it other names of what it says.
        own
            How many characters of it are the question's own.
        encoded
            What the models made of it.
        """
        encoder, encoding = encoded
        form = token_form(encoder)
        if form is None or encoding.tokens is None or encoding.token_spans is None:
            return None
        if len(encoding.tokens) != len(encoding.token_spans):
            return None
        kept = content_tokens(text, encoding.token_spans, STOP_WORDS)
        mine = kept & (encoding.token_spans[:, 0] < own)
        kept = mine if mine.any() else kept
        return cls(form.asked(encoding.tokens[kept]), form, encoder.document_spans)

    def near(
        self, text: str, units: Sequence[Unit], matrix: bytes | None, /
    ) -> NDArray[np.float64] | None:
        """Return for each unit the mean over the question's tokens of the nearest of its rows.

        float [units]; a unit without a row of its own has the least of all. ``None`` where the
        matrix is not of this text and form, so that no row has a known place.
        """
        spans = self.spans_of(text) if matrix else None
        if matrix is None or spans is None or not len(spans) or not len(self.asked):
            return None
        if self.form.content_only:
            spans = spans[content_tokens(text, spans, STOP_WORDS)]
        rows = unpack(matrix)
        places = self.form.row_spans(spans, len(rows))
        if places is None or rows.shape[1] != self.asked.shape[1]:
            return None
        similar = rows @ self.asked.T
        found = np.full(len(units), np.nan)
        for number, unit in enumerate(units):
            # Rows stand in order: those that touch the unit stand side by side.
            first = int(np.searchsorted(places[:, 1], unit.start, side="right"))
            last = int(np.searchsorted(places[:, 0], unit.end, side="left"))
            if first < last:
                found[number] = similar[first:last].max(axis=0).mean()
        if np.isnan(found).all():
            return None
        return np.where(np.isnan(found), np.nanmin(found), found)


Floats = NDArray[np.float64]

MOST = 3
"""Parts of a passage that are marked, at most."""
_SHARE = 0.3
"""A further part is marked where this share of what speaks for the best speaks for it."""
_WITH_TOKENS = (2.8, 6.0, 1.0, 2.9, 1.15)
_BY_WORDS = (4.4, 7.9, 0.0, 3.2, 1.4)
_ASKING = frozenset(
    index_terms(
        "how why did do does about much many may must can could would should might shall any some "
        "there during been being were also not only most more other those these please tell say"
    )
)
"""Words by which one asks: where they stand in a text they say nothing on what is asked."""
_EVEN = 1e-9
_HEADING = -1.0
"""A heading names what the answer is about; it is seldom the answer."""
_FLAT = 0.02
"""Spread of MaxSim below which differences between the parts mean nothing."""

_DAY = (
    r"\b(?:1[0-9]{3}|20[0-9]{2})s?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"
    rf"|\b(?:{'|'.join(month_numbers('en', 'de'))}"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|century|years?|decades?|days?"
    r"|months?|weeks?|hours?|anniversary"
    r"|tage?n?|monate?n?|jahre?n?|wochen?|stunden?)\b"
)
_NUMBER = (
    r"\d|%|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty"
    r"|fifty|sixty|ninety|dozen|hundred|thousand|million|billion|half|third|quarter|percent)\b"
)
_ASKED_SPAN = re.compile(
    r"\bhow (?:long|much (?:time|notice))\b"
    r"|\b(?:what|which) (?:is|was) the (?:duration|length|term)\b",
    re.IGNORECASE,
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
_NAME = r"(?<=[a-z,;:(&] )[A-Z][a-z]+|\b[A-Z][\w.]+ [A-Z][a-z]+"
_LOOKS: dict[Want, re.Pattern[str]] = {
    "date": re.compile(_DAY, re.IGNORECASE),
    "amount": re.compile(_NUMBER, re.IGNORECASE),
    "figure": re.compile(_NUMBER, re.IGNORECASE),
    "count": re.compile(_NUMBER, re.IGNORECASE),
    "person": re.compile(_NAME),
    "place": re.compile(_NAME),
}


@dataclass(frozen=True, slots=True)
class Sought:
    """What a part of a passage is held against.

    Attributes
    ----------
    terms
        Index terms of the question with their weights: 1 or more for its own, less for other names.
    rarity
        Their weights in the collection, by term.
    wants
        What it asks for.
    is_due
        Whether it asks by when something is to be done.
    is_span
        Whether it asks how long something lasts.
    names
        Those of its terms that name documents: they say which document, not where in it.
    query
        It, as the user asked.
    """

    terms: Mapping[str, float]
    rarity: Mapping[str, float]
    wants: frozenset[Want] = frozenset()
    is_due: bool = False
    is_span: bool = False
    names: frozenset[str] = frozenset()
    query: str = ""

    @classmethod
    def of(cls, reading: Reading, rarity: Mapping[str, float], /) -> Sought:
        """Return what a question looks for."""
        is_due = _ASKED_DUE.search(reading.query) is not None
        is_span = _ASKED_SPAN.search(reading.query) is not None
        names = frozenset(t for named in reading.named for t in index_terms(named.part.text))
        return cls(reading.terms, rarity, reading.wants, is_due, is_span, names, reading.query)

    @property
    def telling(self) -> Mapping[str, float]:
        """The terms that tell one part of a document from another; all where there are no such."""
        said = {t: weight for t, weight in self.terms.items() if t not in _ASKING} or self.terms
        found = {t: weight for t, weight in said.items() if t not in self.names}
        return found if any(weight >= 1.0 for weight in found.values()) else said


def scores(
    text: str, units: Sequence[Unit], sought: Sought, near: Floats | None = None, /
) -> Floats:
    """Return how much of what speaks for any unit speaks for each, float [units]; the sum is 1.

    Parameters
    ----------
    text, units
        A passage and its parts, at least one.
    sought
        The question.
    near
        float [units]: MaxSim of each part with the question; ``None`` without a token matrix.
    """
    terms = sought.telling
    held = _held(text, units, terms)
    own = sum(weight for weight in terms.values() if weight >= 1.0)
    own = own or sum(terms.values()) or 1.0
    worth = {term: weight * sought.rarity.get(term, 1.0) for term, weight in terms.items()}
    own_worth = sum(worth[t] for t, w in terms.items() if w >= 1.0) or sum(worth.values()) or 1.0
    spread = {term: sum(term in found for found in held) for term in worth}
    scale = math.log(len(units) + 1)
    local = {t: worth[t] * math.log((len(units) + 1) / n) / scale for t, n in spread.items() if n}
    features = np.zeros((len(units), 5))
    over: frozenset[str] = frozenset()
    for i, found in enumerate(held):
        beside = (over, *held[max(0, i - 1) : i], *held[i + 1 : i + 2])
        over = found if units[i].kind == "heading" else over
        features[i, 0] = min(1.0, sum(terms[t] for t in found) / own)
        features[i, 1] = min(1.0, sum(local[t] for t in found) / own_worth)
        # A part stands under its heading, however far above.
        carried = sum(worth[t] for near_by in beside for t in near_by - found)
        features[i, 3] = min(1.0, carried / own_worth)
        said = text[units[i].start : units[i].end]
        features[i, 4] = fits(said, sought.wants)
        if sought.is_due and features[i, 4]:
            features[i, 4] += _DUE.search(said) is not None
    if near is not None:
        features[:, 2] = (near - near.mean()) / (near.std() + _FLAT)
    total = features @ np.array(_BY_WORDS if near is None else _WITH_TOKENS)
    total += [_HEADING if unit.kind == "heading" else 0.0 for unit in units]
    shares = np.exp(total - total.max())
    result: Floats = shares / shares.sum()
    return result


def best(shares: Floats, /) -> list[int]:
    """Return which parts are marked, best first: one, or up to :data:`MOST` where it is close.

    Where nothing speaks for one more than for another, the first is as good as any.
    """
    if np.ptp(shares) < _EVEN:
        return [0]
    order = sorted(range(len(shares)), key=lambda i: (-shares[i], i))[:MOST]
    return [i for i in order if shares[i] >= _SHARE * shares[order[0]]]


def fits(text: str, wants: Collection[Want], /) -> float:
    """Return 1 where a text has something of the kind that is asked for, else 0."""
    return float(any(want in _LOOKS and _LOOKS[want].search(text) for want in wants))


def _held(text: str, units: Sequence[Unit], terms: Mapping[str, float]) -> list[frozenset[str]]:
    """Return for each unit the terms that it has."""
    found: list[set[str]] = [set() for _ in units]
    number = 0
    for hit in hits_of(text, terms):
        while number < len(units) - 1 and hit.start >= units[number].end:
            number += 1
        found[number].add(hit.term)
    return [frozenset(each) for each in found]
