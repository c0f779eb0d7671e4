"""Encodings, and the protocol of encoders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from casetrack.base.dataclass import dataclass, field

Floats = NDArray[np.float32]
Sparse = tuple[NDArray[np.int32], NDArray[np.float32]]
"""Distinct vocabulary ids, ascending, and their weights, all above zero."""

Reranker = Callable[[str, "Sequence[str]"], Floats]
"""Scores texts read together with a query, float32 [n]; larger is better, on no fixed scale."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """The output of a profile's models for a text."""

    dense: Floats  # float32 [dimension], unit length
    # float32 [n, token_width], one row per token without special tokens, or `None`.
    tokens: Floats | None
    # int32 [n, 2], start and end of each token in code points, half-open; empty spans at the end of
    # the text for the [MASK] tokens of queries; `None` without *tokens*.
    token_spans: NDArray[np.int32] | None
    # By requested earlier layer (1-based), float32 [n, width].
    layers: Mapping[int, Floats] = field(default_factory=dict)
    sparse: Sparse | None = None  # learned term weights, or `None`


class ProfileEncoder(Protocol):
    """The models of a profile as one encoder; thread-safe."""

    def __hash__(self) -> int:
        """Return the hash; caches have encoders as keys."""

    @property
    def name(self) -> str:
        """The profile's name."""

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with every possible output."""

    @property
    def dimension(self) -> int:
        """Length of the dense vector."""

    @property
    def token_width(self) -> int | None:
        """Length of a token's state; ``None`` without token matrices."""

    @property
    def has_sparse(self) -> bool:
        """Whether encodings have learned term weights."""

    @property
    def reranker(self) -> Reranker | None:
        """The cross-encoder, or ``None``."""

    @property
    def resident_bytes(self) -> int:
        """Approximate bytes of the loaded weights."""

    def encode_query(self, text: str, /) -> Encoding:
        """Encode a query; raise ``ValueError`` if it has no tokens."""

    def encode_documents(
        self, texts: Iterable[str], /, *, layers: Sequence[int] = ()
    ) -> Iterator[Encoding]:
        """Yield one encoding per text, in order; raise ``ValueError`` as :meth:`encode_query`."""

    def document_spans(self, text: str, /) -> NDArray[np.int32] | None:
        """Return the ``Encoding.token_spans`` of a text without encoding it, or ``None``."""

    def unload(self) -> None:
        """Unload the weights; the next text loads them again."""
