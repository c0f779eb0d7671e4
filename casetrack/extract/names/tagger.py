"""Names of persons, organisations and places from the encoder's states.

The states come from the encoding for the search. A gate removes words that are not part of names;
small networks, trained on several readings of the same sentences, score the others and their
neighbours, and their mean counts. ``tools/training/names`` creates the weights, and
``data/names_mini.md`` describes them.
"""

from __future__ import annotations

import hashlib
import io
import math
import threading
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, get_args

import numpy as np

from casetrack.extract.names.boundaries import completed, with_bodies
from casetrack.extract.names.network import Gate, Networks, all_rows, some_rows
from casetrack.extract.names.shape import joined, shaped, signs, with_companies
from casetrack.extract.names.words import Place, Words, words_of
from casetrack.extract.spans import NameKind, NameSpan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from casetrack.models.base import Encoding, Floats, ProfileEncoder

# From scores of labels per word to spans: the best sequence that the labels allow.

_SURE = float(np.log(0.995))


def spans_of(scores: NDArray[np.float32], /) -> Iterator[tuple[int, int, int, float]]:
    """Yield first word, word after the last, kind and mean log probability of every name.

    *scores* are log probabilities, float32 [n, labels].
    """
    best = scores.argmax(axis=1)
    open_ = np.flatnonzero((best > 0) | (scores[:, 0] < _SURE))
    if not len(open_):
        return
    follows = _follows(scores.shape[1])
    padded = np.concatenate([[0], best, [0]])
    bad = ~follows[padded[:-1], padded[1:]]
    breaks = np.flatnonzero(np.diff(open_) > 1) + 1
    edges = [0, *breaks.tolist(), len(open_)]
    for a, b in pairwise(edges):
        first, last = int(open_[a]), int(open_[b - 1]) + 1
        if bad[first : last + 1].any():
            best[first:last] = _search(scores[first:last], follows)
        yield from _read(best, scores, first, last)


def _read(
    best: NDArray[np.int64], scores: NDArray[np.float32], first: int, last: int
) -> Iterator[tuple[int, int, int, float]]:
    start = first
    for i in range(first, last):
        label = int(best[i])
        if not label:
            continue
        kind, role = divmod(label - 1, 4)
        if role in {0, 3}:
            start = i
        if role >= 2:
            rows = scores[start : i + 1]
            base = 1 + 4 * kind
            # The kind's probability word by word, and the place's at both ends.
            sure = np.logaddexp.reduce(rows[:, base : base + 4], axis=1).mean()
            ends = min(float(rows[0, best[start]]), float(rows[-1, label]))
            yield start, i + 1, kind, (float(sure) + ends) / 2


@lru_cache(maxsize=4)
def _follows(labels: int) -> NDArray[np.bool_]:
    allowed = np.zeros((labels, labels), dtype=bool)
    opens = [0] + [n for n in range(1, labels) if (n - 1) % 4 in {0, 3}]
    for n in range(labels):
        role = (n - 1) % 4 if n else 3
        if role >= 2:
            allowed[n, opens] = True
        else:
            base = n - role
            allowed[n, [base + 1, base + 2]] = True
    return allowed


def _search(scores: NDArray[np.float32], follows: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the best sequence of labels that begins and ends outside a name."""
    cost = np.where(follows, 0.0, -1e9)
    total = scores[0] + cost[0]
    back = np.zeros(scores.shape, dtype=np.int64)
    for i in range(1, len(scores)):
        sums = total[:, None] + cost
        back[i] = sums.argmax(axis=0)
        total = sums[back[i], np.arange(len(total))] + scores[i]
    label = int((total + cost[:, 0]).argmax())
    best = np.empty(len(scores), dtype=np.int64)
    for i in range(len(scores) - 1, -1, -1):
        best[i] = label
        label = int(back[i, label])
    return best


_PACKAGE = "casetrack.extract.names"
_RULES = 7
"""Version of word lists and rules; part of the fingerprint."""
_REACH = 2
"""Words on each side of one that the gate lets through that the networks see as well."""
_NEVER = -30.0
"""Log probability of the labels that a word does not get."""
_ROLES = ("party", "bank")
KINDS: tuple[str, ...] = (*get_args(NameKind), "misc", *_ROLES)
"""Kinds of labels; ``misc`` is never returned."""
_GIVEN: dict[str, NameKind] = {
    "person": "person", "organization": "organization", "location": "location",
    "party": "person", "bank": "organization",
}  # fmt: skip


@dataclass(frozen=True, eq=False, slots=True)
class StateTagger:
    """Finds names with the states of one encoder; created by :func:`tagger_of`, thread-safe.

    Attributes
    ----------
    gate
        Selects the words for the networks.
    networks
        Their mean output counts.
    layers
        Earlier layers whose states they need, before the last one.
    calibration
        Slope and offset from log odds of spans to log odds of being right.
    fingerprint
        16 hexadecimal digits that change with every possible output.
    """

    gate: Gate
    networks: Networks
    layers: tuple[int, ...]
    calibration: tuple[float, float]
    fingerprint: str

    def tag(
        self, text: str, encoding: Encoding | None, /, *, start: int = 0
    ) -> tuple[NameSpan, ...]:
        """Return the names in ``text[start:]``, in order, with offsets relative to *start*.

        Words for a party of a contract ("Borrower", "Bank") have ``is_role``: borrower and lender
        as persons, as the training data mark them, a bank as an organisation. *encoding* has
        `layers`, and is ``None`` only for a text without words. Raises ``ValueError``: the
        encoding, its token states or layers are missing.
        """
        words = words_of(text)
        if not words.texts:
            return ()
        spans: list[NameSpan] = []
        last = start
        for place in self._places(words, encoding):
            a, b = int(words.starts[place.first]), int(words.ends[place.after - 1])
            if a < last:
                continue
            last = b
            kind, confidence = _GIVEN[place.kind], self._confidence(place.sure)
            is_role = place.kind in _ROLES
            if kind != "person" and not is_role and signs(text, a, b):
                kind = "person"
            spans.append(NameSpan(a - start, b - start, text[a:b], kind, confidence, is_role))
        return tuple(spans)

    def _places(self, words: Words, encoding: Encoding | None) -> list[Place]:
        places = []
        for first, after, number, sure in spans_of(self._scores(words, encoding)):
            place: Place | None = Place(first, after, KINDS[number], sure)
            if KINDS[number] == "misc":
                continue
            if KINDS[number] not in _ROLES:
                place = shaped(words, Place(first, after, KINDS[number], sure))
            if place is not None:
                places.append(place)
        return with_companies(words, completed(words, with_bodies(words, joined(words, places))))

    def _confidence(self, sure: float) -> float:
        slope, offset = self.calibration
        odds = sure - math.log1p(-min(math.exp(sure), 1 - 1e-6))
        return round(1 / (1 + math.exp(-(slope * odds + offset))), 4)

    def _scores(self, words: Words, encoding: Encoding | None) -> Floats:
        spans = encoding.token_spans if encoding else None
        last = encoding.tokens if encoding else None
        if (
            not encoding
            or spans is None
            or last is None
            or not {*self.layers} <= {*encoding.layers}
        ):
            raise ValueError(
                f"the encoding has not the states of layers {self.layers} and the last one; "
                "encode with layers=tagger.layers"
            )
        rows = all_rows(words, spans[:, 0])
        scores = np.full((len(rows.words), 1 + 4 * len(KINDS)), _NEVER, dtype=np.float32)
        scores[:, 0] = 0.0
        opened = np.flatnonzero(self.gate.opens(rows, last))
        if not len(opened):
            return scores
        wide = np.zeros(len(scores) + 2 * _REACH, dtype=bool)
        for by in range(2 * _REACH + 1):
            wide[opened + by] = True
        chosen = np.flatnonzero(wide[_REACH : len(scores) + _REACH])
        part = some_rows(rows, chosen)
        states = [
            layer[part.tokens] for layer in (*(encoding.layers[n] for n in self.layers), last)
        ]
        scores[chosen] = self.networks.scores(part, states)
        return scores


def load_tagger(data: bytes, /) -> StateTagger:
    """Create a tagger from an ``npz`` file without pickled objects."""
    with np.load(io.BytesIO(data), allow_pickle=False) as file:
        part = {name: file[name] for name in file.files}
    layers = tuple(part.pop("layers").tolist())
    slope, offset = part.pop("calibration").tolist()
    first = {n[5:]: v.astype(np.float32) for n, v in part.items() if n.startswith("gate_")}
    rest = {n: v.astype(np.float32) for n, v in part.items() if not n.startswith("gate_")}
    fingerprint = hashlib.sha256(f"{_RULES}\n".encode() + data).hexdigest()[:16]
    return StateTagger(Gate.of(first), Networks.of(rest), layers, (slope, offset), fingerprint)


_LOCK = threading.Lock()
_TAGGERS: dict[str, StateTagger] = {}


def tagger_of(encoder: ProfileEncoder, /) -> StateTagger | None:
    """Return the tagger for an encoder (at present ``mini``), or ``None``."""
    if not encoder.name.isidentifier():
        return None
    with _LOCK:
        if encoder.name not in _TAGGERS:
            file = resources.files(_PACKAGE).joinpath("data", f"names_{encoder.name}.npz")
            if not file.is_file():
                return None
            _TAGGERS[encoder.name] = load_tagger(file.read_bytes())
        return _TAGGERS[encoder.name]
