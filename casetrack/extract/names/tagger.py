"""Names of persons, organisations and places out of the states that the encoder leaves behind.

The encoder has read the text for the search already; what it knows of every word stands in its
states. A gate leaves out the words that are surely part of no name; what it lets through, and what
stands beside that, is scored by small networks that were trained on several readings of the same
sentences, and their mean counts. The weights come from ``tools/training/names`` and are described
in ``data/names_mini.md``.
"""

from __future__ import annotations

import hashlib
import io
import math
import threading
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, get_args

import numpy as np

from casetrack.extract.names.boundaries import completed, with_bodies
from casetrack.extract.names.network import Gate, Networks, all_rows, some_rows
from casetrack.extract.names.shape import joined, shaped, signs, with_companies
from casetrack.extract.names.words import Place, words_of
from casetrack.extract.spans import NameKind, NameSpan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from casetrack.extract.names.words import Words
    from casetrack.models.base import Encoding, Floats, ProfileEncoder

# From scores of labels per word to spans: the best sequence that the labels allow.

_SURE = float(np.log(0.995))


def spans_of(scores: NDArray[np.float32], /) -> Iterator[tuple[int, int, int, float]]:
    """Yield first word, word after the last, kind and mean log probability of every name.

    Parameters
    ----------
    scores
        float32 [n, labels], log probabilities.
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
    """Return which label may come after which."""
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
    found = np.empty(len(scores), dtype=np.int64)
    for i in range(len(scores) - 1, -1, -1):
        found[i] = label
        label = int(back[i, label])
    return found


_PACKAGE = "casetrack.extract.names"
_RULES = 6
"""Counts the versions of words, lists and rules beside the weights; part of the fingerprint."""
_REACH = 2
"""Words on each side of one that the gate lets through that the networks see as well."""
_NEVER = -30.0
"""Log probability of the labels that a word does not get."""
_ROLES = ("party", "bank")
KINDS: tuple[str, ...] = (*get_args(NameKind), "misc", *_ROLES)
"""What the labels tell apart. ``misc`` is never given out."""
_GIVEN: dict[str, NameKind] = {
    "person": "person", "organization": "organization", "location": "location",
    "party": "person", "bank": "organization",
}  # fmt: skip


class StateTagger:
    """Finds names with the states of one encoder; made by `tagger_of`.

    Safe to use from several threads.

    Parameters
    ----------
    gate
        Says which words the networks score, besides their neighbours.
    networks
        The mean of what they say counts.
    layers
        Numbers of the earlier layers whose states they take; the last one comes after them.
    calibration
        Slope and offset from log odds of the spans to log odds of being right.
    fingerprint
        16 hexadecimal digits that change whenever any output could.
    """

    def __init__(
        self,
        gate: Gate,
        networks: Networks,
        layers: tuple[int, ...],
        calibration: tuple[float, float],
        fingerprint: str,
    ) -> None:
        self._gate = gate
        self._networks = networks
        self._calibration = calibration
        self.layers: tuple[int, ...] = layers
        self.fingerprint = fingerprint

    def tag(
        self, text: str, encoding: Encoding | None, /, *, start: int = 0
    ) -> tuple[NameSpan, ...]:
        """Return the names in ``text[start:]``, in order, with offsets relative to *start*.

        Words that stand for a party of a contract ("Borrower", "Bank") are among them, with
        ``is_role``. Borrower and lender come as persons, as the loan agreements that were learned
        from mark them; a bank comes as an organisation.

        Parameters
        ----------
        text
            What the encoder saw.
        encoding
            Its states, with `layers`; ``None`` only where the text has no words.
        start
            Where the part begins whose names are wanted; what is before it is context.

        Raises
        ------
        ValueError
            There is no encoding, or it has no token states, or not the layers.
        """
        words = words_of(text)
        if not words.texts:
            return ()
        found: list[NameSpan] = []
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
            found.append(NameSpan(a - start, b - start, text[a:b], kind, confidence, is_role))
        return tuple(found)

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
        slope, offset = self._calibration
        odds = sure - math.log1p(-min(math.exp(sure), 1 - 1e-6))
        return round(1 / (1 + math.exp(-(slope * odds + offset))), 4)

    def _scores(self, words: Words, encoding: Encoding | None) -> Floats:
        """Return the log probabilities of the labels, float32 [words, labels]."""
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
        opened = np.flatnonzero(self._gate.opens(rows, last))
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
        scores[chosen] = self._networks.scores(part, states)
        return scores


def load_tagger(data: bytes, /) -> StateTagger:
    """Make a tagger of what training wrote.

    Parameters
    ----------
    data
        Content of an ``npz`` file without pickled objects.
    """
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
    """Return the tagger that was trained on the states of an encoder, ``None`` where none was.

    Parameters
    ----------
    encoder
        Known by its name; at present there is one for ``mini``.
    """
    if not encoder.name.isidentifier():
        return None
    with _LOCK:
        if encoder.name not in _TAGGERS:
            file = resources.files(_PACKAGE).joinpath("data", f"names_{encoder.name}.npz")
            if not file.is_file():
                return None
            _TAGGERS[encoder.name] = load_tagger(file.read_bytes())
        return _TAGGERS[encoder.name]
