"""Step ``embed``: one encoder pass per chunk gives its dense vector (DESIGN §5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pyarrow as pa

from casetrack import schema
from casetrack.steps.base import Contract

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from casetrack.models.encoder import Encoding
    from casetrack.steps.base import Batches

_ADDS = ("dense", "embedders")


class DocumentEncoder(Protocol):
    """What the step needs of a model."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the model's output could."""
        ...

    def encode_documents(self, texts: Iterable[str], /) -> Iterator[Encoding]:
        """Yield one encoding per text, in order."""
        ...


@dataclass(frozen=True, slots=True)
class EmbedStep:
    """Adds the dense vector; without a model the column is null and says so in ``embedders``.

    Attributes
    ----------
    encoder
        The model, or ``None`` where none is installed.
    known
        Vectors by chunk text, from an earlier revision made by the same model: a changed file
        re-embeds only the chunks whose text changed.
    """

    encoder: DocumentEncoder | None
    known: Mapping[str, np.ndarray] = field(default_factory=dict)
    contract = Contract("embed", 1, "chunks", "chunks", ("text",), _ADDS)

    @property
    def fingerprint(self) -> str:
        """The model's fingerprint, or ``none``."""
        return "none" if self.encoder is None else self.encoder.fingerprint

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the columns to every batch."""
        column = schema.table("chunks").column("dense")
        for batch in batches:
            if self.encoder is None:
                dense = pa.nulls(batch.num_rows, column.type)
                embedders: list[list[str]] = [[]] * batch.num_rows
            else:
                vectors = self._vectors(batch["text"].to_pylist(), self.encoder)
                flat = pa.array(vectors.astype(np.float32).ravel())
                dense = pa.FixedSizeListArray.from_arrays(flat, column.type.list_size)
                dense = dense.cast(column.type)
                embedders = [[self.encoder.fingerprint]] * batch.num_rows
            yield batch.append_column("dense", dense).append_column(
                "embedders", pa.array(embedders, pa.list_(pa.string()))
            )

    def _vectors(self, texts: list[str], encoder: DocumentEncoder) -> np.ndarray:
        fresh = encoder.encode_documents([t for t in texts if t not in self.known])
        return np.stack([self.known[t] if t in self.known else next(fresh).dense for t in texts])
