"""Names of persons, organisations and places out of the states that the encoder leaves behind.

The encoder has read the text for the search already; what it knows of every word stands in its
states. One small network scores all words; the places that it is not sure of are scored by two
more, trained on other readings of the same sentences, and the mean counts. The weights come from
``tests/training/names`` and are described in ``data/names_mini.md``.
"""

from __future__ import annotations

import hashlib
import io
import math
import threading
from importlib import resources
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from casetrack.extract.names.decode import spans_of
from casetrack.extract.names.network import Network, all_rows, some_rows
from casetrack.extract.names.shape import Place, joined, shaped, with_companies
from casetrack.extract.names.words import words_of
from casetrack.extract.spans import NameKind, NameSpan

if TYPE_CHECKING:
    from casetrack.extract.names.words import Words
    from casetrack.models.base import Encoding, Floats, ProfileEncoder

_PACKAGE = "casetrack.extract.names"
_RULES = 1
"""Counts the versions of words, lists and rules beside the weights; part of the fingerprint."""
_SURE = math.log(0.95)
_REACH = 3
"""Words that a network sees on each side."""
RoleKind = Literal["party", "bank"]
KINDS: tuple[str, ...] = (*get_args(NameKind), "misc", *get_args(RoleKind))
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
    networks
        The first scores all words, the others those that it is not sure of.
    layers
        Numbers of the earlier layers whose states they take; the last one comes after them.
    calibration
        Slope and offset from log odds of the spans to log odds of being right.
    fingerprint
        16 hexadecimal digits that change whenever any output could.
    """

    def __init__(
        self,
        networks: tuple[Network, ...],
        layers: tuple[int, ...],
        calibration: tuple[float, float],
        fingerprint: str,
    ) -> None:
        self._networks = networks
        self._calibration = calibration
        self.layers: tuple[int, ...] = layers
        self.fingerprint = fingerprint

    def tag(
        self, text: str, encoding: Encoding | None, /, *, start: int = 0, roles: bool = False
    ) -> tuple[NameSpan, ...]:
        """Return the names in ``text[start:]``, in order, with offsets relative to *start*.

        Parameters
        ----------
        text
            What the encoder saw.
        encoding
            Its states, with `layers`; ``None`` only where the text has no words.
        start
            Where the part begins whose names are wanted; what is before it is context.
        roles
            Whether words that stand for a party of a contract ("Borrower", "Bank") count as names.
            Borrower and lender come as persons, as the loan agreements that were learned from mark
            them; a bank comes as an organisation.

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
            if place.kind in get_args(RoleKind) and not roles:
                continue
            a, b = int(words.starts[place.first]), int(words.ends[place.after - 1])
            if a < last:
                continue
            last = b
            kind, confidence = _GIVEN[place.kind], self._confidence(place.sure)
            found.append(NameSpan(a - start, b - start, text[a:b], kind, confidence))
        return tuple(found)

    def _places(self, words: Words, encoding: Encoding | None) -> list[Place]:
        places = []
        for first, after, number, sure in spans_of(self._scores(words, encoding)):
            place: Place | None = Place(first, after, KINDS[number], sure)
            if KINDS[number] == "misc":
                continue
            if KINDS[number] not in get_args(RoleKind):
                place = shaped(words, Place(first, after, KINDS[number], sure))
            if place is not None:
                places.append(place)
        return with_companies(words, joined(words, places))

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
        states = [*(encoding.layers[n] for n in self.layers), last]
        rows = all_rows(words, spans[:, 0])
        scores = self._networks[0].scores(rows, states)
        unsure = scores[:, 0] < _SURE
        if not unsure.any():
            return scores
        wide = np.convolve(unsure, np.ones(2 * _REACH + 1), "same")[: len(unsure)] > 0.5
        chosen = np.flatnonzero(wide if len(unsure) > 2 * _REACH else np.ones_like(unsure))
        part = some_rows(rows, chosen, len(last))
        total = np.exp(scores[chosen])
        for network in self._networks[1:]:
            total += np.exp(network.scores(part, states))
        kept = unsure[chosen]
        scores[chosen[kept]] = np.log(total[kept] / len(self._networks))
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
    networks = tuple(
        Network.of({name: value[i].astype(np.float32) for name, value in part.items()})
        for i in range(len(part["bias"]))
    )
    fingerprint = hashlib.sha256(f"{_RULES}\n".encode() + data).hexdigest()[:16]
    return StateTagger(networks, layers, (slope, offset), fingerprint)


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
