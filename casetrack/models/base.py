"""What the rest of the program sees of models: encodings, and who makes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Floats = NDArray[np.float32]
Sparse = tuple[NDArray[np.int32], NDArray[np.float32]]
"""Vocabulary ids, ascending and each once, and their weights, all above zero."""


@dataclass(frozen=True, slots=True, eq=False)
class Encoding:
    """What the models of a profile say about a text.

    Attributes
    ----------
    dense
        float32 [dimension], unit length.
    tokens
        float32 [n, token_width], one row per token for late interaction, special tokens left out;
        ``None`` where the profile has no token matrices.
    token_spans
        int32 [n, 2], start and end of each row of *tokens* in the text, in code points, half-open;
        empty (start = end = length of the text) for the [MASK] tokens that are added to queries.
        ``None`` where *tokens* is.
    layers
        For every earlier layer that was asked for (1-based), float32 [n, width].
    sparse
        Learned term weights, or ``None`` where the profile has no sparse model.
    """

    dense: Floats
    tokens: Floats | None
    token_spans: NDArray[np.int32] | None
    layers: Mapping[int, Floats] = field(default_factory=dict)
    sparse: Sparse | None = None


class ProfileEncoder(Protocol):
    """The models of a profile, used as one; safe to use from several threads."""

    @property
    def name(self) -> str:
        """The profile's name."""

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change whenever any output could."""

    @property
    def dimension(self) -> int:
        """Length of the dense vector."""

    @property
    def token_width(self) -> int | None:
        """Length of a token's state; ``None`` where there are no token matrices."""

    @property
    def has_sparse(self) -> bool:
        """Whether encodings have learned term weights."""

    @property
    def resident_bytes(self) -> int:
        """Rough bytes of loaded weights; 0 while nothing is loaded."""

    def encode_query(self, text: str, /) -> Encoding:
        """Encode what is searched for.

        Raises
        ------
        ValueError
            The text has no tokens.
        """

    def encode_documents(
        self, texts: Iterable[str], /, *, layers: Sequence[int] = ()
    ) -> Iterator[Encoding]:
        """Yield one encoding per text, in order.

        Raises
        ------
        ValueError
            A text has no tokens (when its turn comes), or there is no such layer.
        """

    def document_spans(self, text: str, /) -> NDArray[np.int32] | None:
        """Return where the tokens of a document's text lie, without encoding it.

        Returns
        -------
        int32 [n, 2] or None
            What ``Encoding.token_spans`` of the text is; ``None`` where there are no token matrices
            or no tokens.
        """

    def unload(self) -> None:
        """Let go of the weights; they load again with the next text."""
