"""Vectors as services send them: read, checked, joined."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.models.base import Floats

_HINT = "Check that the address and the model are those of an embedding service."


def read_vector(raw: Any, provider: str, /) -> Floats:
    """Return a vector of unit length.

    Parameters
    ----------
    raw
        List of numbers, or base64 of float32 with the lowest byte first.
    provider
        For errors.

    Returns
    -------
    numpy.ndarray
        float32 [dimension].

    Raises
    ------
    ProviderError
        It is neither, or has no direction: empty, zero, or with a value that is not a number.
    """
    vector = _decoded(raw, provider) if isinstance(raw, str) else _listed(raw, provider)
    if vector.size == 0:
        raise ProviderError(f"{provider} sent an empty vector.", hint=_HINT)
    if not np.isfinite(vector).all():
        raise ProviderError(
            f"{provider} sent a vector with values that are not numbers (NaN or infinite).",
            hint="Nothing of it was stored. This is a fault of the service or its model: "
            "restart it, or choose another model.",
        )
    return unit(vector, provider)


def unit(vector: NDArray[np.float64], provider: str, /) -> Floats:
    """Return a vector with length 1, float32.

    Raises
    ------
    ProviderError
        It is zero.
    """
    length = float(np.linalg.norm(vector))
    if not length > 0.0 or not np.isfinite(length):
        raise ProviderError(
            f"{provider} sent a vector without a direction: its length is {length:g}.",
            hint="Nothing of it was stored. This is a fault of the service or its model: "
            "restart it, or choose another model.",
        )
    return (vector / length).astype(np.float32)


def joined(vectors: Sequence[Floats], lengths: Sequence[int], provider: str, /) -> Floats:
    """Return the mean of the windows' vectors, weighted by the windows' lengths, at unit length.

    Raises
    ------
    ProviderError
        The mean is zero.
    """
    if len(vectors) == 1:
        return vectors[0]
    weights = np.asarray(lengths, dtype=np.float64)
    return unit(weights @ np.stack(vectors).astype(np.float64), provider)


def _decoded(text: str, provider: str) -> NDArray[np.float64]:
    try:
        data = base64.b64decode(text, validate=True)
        return np.frombuffer(data, dtype="<f4").astype(np.float64)
    except (binascii.Error, ValueError) as error:
        raise ProviderError(
            f"{provider} sent a vector that is not base64 of 32-bit numbers.", hint=_HINT
        ) from error


def _listed(raw: Any, provider: str) -> NDArray[np.float64]:
    fits = isinstance(raw, list) and all(type(value) in {int, float} for value in raw)
    if not fits:
        raise ProviderError(f"{provider} sent a vector that is not a list of numbers.", hint=_HINT)
    try:
        return np.array(raw, dtype=np.float64)
    except OverflowError as error:
        raise ProviderError(f"{provider} sent a number that is too large.", hint=_HINT) from error
