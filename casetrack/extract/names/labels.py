"""Names by a model that labels every token, such as one of the public hub."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from casetrack.extract.spans import NameKind, NameSpan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from casetrack.models.base import Encoding, Floats
    from casetrack.models.model import Model

_KINDS: dict[str, NameKind] = {"PER": "person", "ORG": "organization", "LOC": "location"}
_VERSION = 1


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the text: its place, its most probable label, and how probable that is."""

    start: int
    end: int
    mark: str
    kind: str
    probability: float


@dataclass(frozen=True, slots=True)
class LabelTagger:
    """A catalogue model that finds names; see :class:`casetrack.extract.finder.NameFinder`.

    A word has the label of its first token, as in training (Devlin et al. 2019).
    """

    model: Model

    @property
    def fingerprint(self) -> str:
        """That of the model, and the way its labels are read."""
        return f"{self.model.manifest.fingerprint} {_VERSION}"

    @property
    def layers(self) -> None:
        """The tagger needs no output of the profile's pass."""
        return

    def tag(
        self, text: str, _encoding: Encoding | None, /, *, start: int = 0
    ) -> tuple[NameSpan, ...]:
        """Return the names in ``text[start:]``, with offsets that count from *start*."""
        own = text[start:]
        try:
            output = self.model.encode(own, is_query=False)
        except ValueError:
            # Nothing but white space and signs that no model knows.
            return ()
        if output.tokens is None or output.spans is None:
            raise TypeError(f'model "{self.model.manifest.name}" labels no tokens')
        labels = self.model.manifest.recipe.labels.split()
        return tuple(_names(own, list(_words(own, output.spans, output.tokens, labels))))


def _words(
    text: str, spans: NDArray[np.int32], probabilities: Floats, labels: Sequence[str]
) -> Iterator[_Word]:
    best = np.argmax(probabilities, axis=1)
    current: _Word | None = None
    for (first, last), label, row in zip(spans, best, probabilities, strict=True):
        start, end = int(first), int(last)
        goes_on = (
            current is not None
            and start == current.end
            and text[start - 1 : start].isalnum()
            and text[start : start + 1].isalnum()
        )
        if current is not None and goes_on:
            current = _Word(current.start, end, current.mark, current.kind, current.probability)
            continue
        if current is not None:
            yield current
        mark, _, kind = labels[label].partition("-")
        current = _Word(start, end, mark, kind, float(row[label]))
    if current is not None:
        yield current


def _names(text: str, words: Sequence[_Word]) -> Iterator[NameSpan]:
    group: list[_Word] = []
    for word in [*words, _Word(0, 0, "O", "", 0.0)]:
        if group and (word.mark != "I" or word.kind != group[0].kind):
            kind = _KINDS.get(group[0].kind)
            if kind is not None:
                start, end = group[0].start, group[-1].end
                sure = sum(w.probability for w in group) / len(group)
                yield NameSpan(start, end, text[start:end], kind, sure)
            group = []
        if word.mark != "O":
            group.append(word)
