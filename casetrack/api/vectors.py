"""The stored vectors for tools of a user's own: token matrices as arrays, questions as vectors."""

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
    """What a collection's models make of a question.

    Attributes
    ----------
    dense
        float32 [dimension], unit length: to be compared with the column ``dense`` by the cosine.
    tokens
        float32 [tokens, width], unit length: to be compared with the rows that
        :func:`unpack_tokens` gives by MaxSim. ``None`` where the profile makes no token matrices.
    """

    dense: NDArray[np.float32]
    tokens: NDArray[np.float32] | None


def unpack_tokens(
    column: pa.ChunkedArray | pa.Array | Iterable[bytes | None], /
) -> list[NDArray[np.float32] | None]:
    """Return the token matrices of a column ``tokens`` of ``chunks`` as arrays of numbers.

    Parameters
    ----------
    column
        As Arrow, or as a list of ``bytes``.

    Returns
    -------
    list
        For each chunk float32 [rows, width], a row for every few words that carry meaning; ``None``
        where the column is null. Products of rows with each other, and with
        :attr:`QuestionVectors.tokens`, are cosines.

    Raises
    ------
    ValueError
        A value is no token matrix.
    """
    values = column.to_pylist() if hasattr(column, "to_pylist") else column
    return [None if packed is None else unpack(packed) for packed in values]


def question_vectors(collection: Collection, question: str, /) -> QuestionVectors:
    """Return the vectors of a question, made by the models whose vectors a collection holds.

    Parameters
    ----------
    collection
        The collection.
    question
        What is looked for, in words.

    Raises
    ------
    ModelNotFound, ModelError
        The models are not installed, or cannot be used.
    """
    info = collection.info
    encoder = collection.workspace.encoders.get(info.profile, dimension=info.dimension)
    encoding, form = encoder.encode_query(question), token_form(encoder)
    if form is None or encoding.tokens is None:
        return QuestionVectors(encoding.dense, None)
    return QuestionVectors(encoding.dense, form.asked(encoding.tokens))
