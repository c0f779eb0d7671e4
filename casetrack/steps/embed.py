"""Step ``embed``: what the models of the collection's profile say of every chunk (DESIGN §5).

The tagger of names reads the states of the same pass.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack import schema
from casetrack.extract.spans import NameSpan
from casetrack.steps.base import Contract
from casetrack.steps.context import CONTEXT_COLUMNS, CONTEXT_VERSION, context_of
from casetrack.steps.extract import as_rows
from casetrack.steps.words import STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np

    from casetrack.extract.finder import NameFinder
    from casetrack.models.base import Encoding, ProfileEncoder
    from casetrack.models.token_matrix import TokenForm
    from casetrack.steps.base import Batches

OUTPUTS = ("dense", "tokens", "sparse_terms", "sparse_weights", "mentions", "embedded_at")
"""Columns of ``chunks`` that models make, and when they made them."""
_ADDS = (*OUTPUTS, "embedders")


@dataclass(frozen=True, slots=True)
class ContextText:
    """What an encoder sees of a chunk: its context, then its text."""

    context: str
    text: str

    @classmethod
    def of(cls, row: Mapping[str, Any], /) -> ContextText:
        """Return that of a row of ``chunks``."""
        return cls(context_of(row), row["text"])

    @property
    def whole(self) -> str:
        """Both together."""
        return self.context + self.text


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the models made of one chunk, as it is stored.

    Attributes
    ----------
    dense
        float32 [dimension], unit length.
    tokens
        The packed token matrix, or ``None``.
    sparse_terms, sparse_weights
        The learned sparse vector, or ``None``.
    mentions
        The names in it as values of the column, or ``None`` where nobody looked for them.
    embedded_at
        When they were made.
    """

    dense: np.ndarray | Sequence[float]
    tokens: bytes | None
    sparse_terms: np.ndarray | Sequence[int] | None
    sparse_weights: np.ndarray | Sequence[float] | None
    mentions: Sequence[Mapping[str, Any]] | None
    embedded_at: datetime


@dataclass(frozen=True, slots=True)
class EmbedStep:
    """Adds the models' outputs; without a model they are null, and ``embedders`` says so.

    Attributes
    ----------
    encoder
        The models of the profile, or ``None`` where they are not installed.
    dimension
        Length of the collection's dense vectors.
    names
        What looks for names, or ``None``.
    known
        Outputs by what was embedded, from an earlier revision made by the same models: a changed
        file re-embeds only the chunks whose text changed.
    """

    encoder: ProfileEncoder | None
    dimension: int
    names: NameFinder | None = None
    known: Mapping[ContextText, Outputs] = field(default_factory=dict)
    contract = Contract("embed", 4, "chunks", "chunks", CONTEXT_COLUMNS, _ADDS)

    @property
    def fingerprint(self) -> str:
        """The models' fingerprint and the form of what is kept of them, or ``none``."""
        if self.encoder is None:
            return "none"
        form = _form(self.encoder)
        parts = (
            self.encoder.fingerprint,
            form.name if form else "-",
            CONTEXT_VERSION,
            self.names.fingerprint if self.names else "-",
        )
        return " ".join(map(str, parts))

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the columns to every batch."""
        declared = schema.table("chunks").arrow(_ADDS, dimension=self.dimension)
        for batch in batches:
            made: dict[str, list[Any]] = {name: [None] * batch.num_rows for name in OUTPUTS}
            embedders: list[list[str]] = [[]] * batch.num_rows
            if self.encoder is not None:
                texts = [ContextText.of(row) for row in batch.select(CONTEXT_COLUMNS).to_pylist()]
                found = list(embed(texts, self.encoder, self.known, names=self.names))
                made = {name: [getattr(o, name) for o in found] for name in OUTPUTS}
                embedders = [[self.encoder.fingerprint]] * batch.num_rows
            for name, values in {**made, "embedders": embedders}.items():
                column = pa.array(values, declared.field(name).type)
                batch = batch.append_column(declared.field(name), column)  # noqa: PLW2901
            yield batch


def embed(
    texts: Sequence[ContextText],
    encoder: ProfileEncoder,
    known: Mapping[ContextText, Outputs],
    /,
    *,
    names: NameFinder | None = None,
) -> Iterator[Outputs]:
    """Yield the outputs of each text in order; those in *known* are not made again."""
    form = _form(encoder)
    new = [text for text in texts if text not in known]
    layers = (names.layers if names else None) or ()
    encodings = encoder.encode_documents((text.whole for text in new), layers=layers)
    fresh = zip(new, encodings, strict=True)
    for text in texts:
        if text in known:
            yield known[text]
        else:
            _, encoding = next(fresh)
            yield _outputs(text, encoding, form, names)


def _outputs(
    text: ContextText, encoding: Encoding, form: TokenForm | None, names: NameFinder | None
) -> Outputs:
    tokens = None
    if form is not None and encoding.tokens is not None:
        tokens = form.pack(_own_tokens(text, encoding.tokens, encoding.token_spans, form))
    mentions = None
    if names is not None:
        found = names.tag(text.whole, encoding, start=len(text.context))
        mentions = as_rows(found, NameSpan)
    terms, weights = encoding.sparse or (None, None)
    return Outputs(encoding.dense, tokens, terms, weights, mentions, datetime.now(UTC))


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
