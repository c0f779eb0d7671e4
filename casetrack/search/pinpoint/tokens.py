"""What the stored token matrix of a passage says of each of its parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from casetrack.ingest.steps.words import STOP_WORDS
from casetrack.models.token_matrix import content_tokens, token_form, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from casetrack.models.base import Encoding, ProfileEncoder
    from casetrack.models.token_matrix import TokenForm
    from casetrack.search.pinpoint.units import Unit


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
