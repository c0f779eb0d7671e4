"""Step ``embed``: vectors and token matrices of every chunk, by the profile (DESIGN §5)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from casetrack.ingest.steps.base import Contract
from casetrack.ingest.steps.encoding import CONTEXT_COLUMNS, CONTEXT_VERSION, SharedPass
from casetrack.ingest.steps.words import STOP_WORDS

if TYPE_CHECKING:
    import numpy as np

    from casetrack.ingest.steps.base import Batches
    from casetrack.ingest.steps.encoding import ContextText
    from casetrack.models.base import Encoding, ProfileEncoder
    from casetrack.models.token_matrix import TokenForm

_ADDS = ("dense", "tokens", "sparse_terms", "sparse_weights", "embedders", "embedded_at")


@dataclass(frozen=True, slots=True)
class EmbedStep:
    """Lets the models of the collection's profile read every chunk, for search by meaning.

    Without a model the columns are null, and ``embedders`` says so.

    Attributes
    ----------
    encoder
        The models of the profile, or ``None`` where they are not installed.
    dimension
        Length of the collection's dense vectors.
    """

    encoder: ProfileEncoder | None
    dimension: int
    contract = Contract("embed", 5, "chunks", "chunks", CONTEXT_COLUMNS, _ADDS)

    @property
    def fingerprint(self) -> str:
        """The models' fingerprint and the form of what is kept of them, or ``none``."""
        if self.encoder is None:
            return "none"
        form = _form(self.encoder)
        return f"{self.encoder.fingerprint} {form.name if form else '-'} {CONTEXT_VERSION}"

    @property
    def is_idle(self) -> bool:
        """Whether no models are installed."""
        return self.encoder is None

    @property
    def layers(self) -> tuple[int, ...] | None:
        """It wants the last layer only."""
        return None if self.encoder is None else ()

    @property
    def nothing(self) -> dict[str, Any]:
        """No vectors, of nobody."""
        return dict.fromkeys(_ADDS) | {"embedders": []}

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the columns to every batch."""
        return SharedPass((self,), self.dimension)(batches)

    def read(self, text: ContextText, encoding: Encoding | None, /) -> dict[str, Any]:
        """Return the values of the columns for one chunk."""
        if self.encoder is None or encoding is None:
            return self.nothing
        tokens, form = None, _form(self.encoder)
        if form is not None and encoding.tokens is not None:
            tokens = form.pack(_own_tokens(text, encoding.tokens, encoding.token_spans, form))
        terms, weights = encoding.sparse or (None, None)
        return {
            "dense": encoding.dense,
            "tokens": tokens,
            "sparse_terms": terms,
            "sparse_weights": weights,
            "embedders": [self.encoder.fingerprint],
            "embedded_at": datetime.now(UTC),
        }


def _own_tokens(
    text: ContextText, states: np.ndarray, spans: np.ndarray | None, form: TokenForm
) -> np.ndarray:
    """Return the states of the tokens that are kept: of the text itself, and what carries meaning.

    The context has done its work in the pass; its own tokens would say the same in every chunk.
    """
    from casetrack.models.token_matrix import content_tokens

    if spans is None:
        return states
    own = spans[:, 0] >= len(text.context)
    if own.any():
        states, spans = states[own], spans[own]
    return states[content_tokens(text.whole, spans, STOP_WORDS)] if form.content_only else states


def _form(encoder: ProfileEncoder) -> TokenForm | None:
    from casetrack.models.token_matrix import token_form

    return token_form(encoder)
