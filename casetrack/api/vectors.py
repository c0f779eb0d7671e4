"""Access to stored vectors: token matrices as arrays, questions as vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.models.token_matrix import token_form, unpack

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from casetrack.api.collection import Collection


@dataclass(frozen=True, slots=True)
class QuestionVectors:
    """Vectors of a question from a collection's models, all of unit length.

    *dense* is float32 [dimension]: compare it with the column ``dense`` by the cosine. *tokens* is
    float32 [tokens, width]: compare it with the matrices of :func:`unpack_tokens` by MaxSim;
    ``None`` if the profile has no token matrices.
    """

    dense: NDArray[np.float32]
    tokens: NDArray[np.float32] | None


def unpack_tokens(
    column: pa.ChunkedArray | pa.Array | Iterable[bytes | None], /
) -> list[NDArray[np.float32] | None]:
    """Return the token matrices of a column ``tokens`` of ``chunks`` as arrays.

    *column* is Arrow or a list of ``bytes``. Each chunk has float32 [rows, width], one row for a
    few content words, or ``None`` if the column is null. Products of rows, also with
    :attr:`QuestionVectors.tokens`, are cosines. Raises ``ValueError`` if a value is not a token
    matrix.
    """
    values = column.to_pylist() if hasattr(column, "to_pylist") else column
    return [None if packed is None else unpack(packed) for packed in values]


def question_vectors(collection: Collection, question: str, /) -> QuestionVectors:
    """Return the vectors of a question from the models of a collection.

    Raises ``ModelNotFound`` or ``ModelError`` if the models are not installed, or cannot be used.
    """
    info = collection.info
    encoder = collection.workspace.encoders.get(info.profile, dimension=info.dimension)
    encoding, form = encoder.encode_query(question), token_form(encoder)
    if form is None or encoding.tokens is None:
        return QuestionVectors(encoding.dense, None)
    return QuestionVectors(encoding.dense, form.asked(encoding.tokens))
