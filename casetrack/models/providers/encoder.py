"""A model at a service as an encoder: dense vectors only, made in batches."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import threading
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base.errors import ProviderError
from casetrack.models.base import Encoding
from casetrack.models.providers.transport import Client, Service, TooLong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from casetrack.models.base import Floats
    from casetrack.models.providers.transport import Backoff, Timeouts

# Vectors as services send them: read, checked, joined.

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


# Texts on their way to a service: how long they are, windows of long ones, and batches.

_SURROGATES = re.compile("[\ud800-\udfff]")
_REACH = 0.1
"""How far from its place a cut may move to fall between two words, as a share of a window."""


def sendable(text: str, /) -> str:
    """Return the text in a form that UTF-8 has; lone surrogates become U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)


def estimated_tokens(text: str, /) -> int:
    """Return about how many tokens a text has, rather too many than too few.

    The tokenizers of the services are not here. Byte-level ones make a token of about 4 characters
    of English and of about 1 character of Chinese (3 bytes): 3 bytes per token is near both. What
    comes out too low the service refuses, and the text is cut then.
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def windows(text: str, tokens: int, /) -> list[str]:
    """Cut a text into the fewest windows of about equal length that fit.

    Parameters
    ----------
    text
        What is cut, preferably between words; nothing of it is left out but windows of mere white
        space.
    tokens
        Longest window in estimated tokens.

    Returns
    -------
    list of str
        At least one, unless the text is mere white space.
    """
    count = max(1, -(-estimated_tokens(text) // max(1, tokens)))
    return cut(text, count)


def cut(text: str, count: int, /) -> list[str]:
    """Cut into at most *count* windows of about equal length, without those of white space."""
    places = [0]
    for number in range(1, count):
        place = _between_words(text, len(text) * number // count, len(text) / count)
        places.append(max(place, places[-1]))
    places.append(len(text))
    found = [text[a:b] for a, b in pairwise(places)]
    return [window for window in found if window.strip()]


def _between_words(text: str, place: int, width: float) -> int:
    """Return the place itself, or the nearest one close by where a word may begin."""
    for step in range(int(width * _REACH) + 1):
        for candidate in (place - step, place + step):
            if 0 < candidate < len(text) and text[candidate - 1].isspace():
                return candidate
    return place


def batches(texts: Iterable[str], most: int, tokens: int, /) -> Iterator[list[str]]:
    """Group texts, in their order, by number and by estimated tokens.

    Parameters
    ----------
    texts
        Read no further than the group in the making.
    most
        Texts per group.
    tokens
        Estimated tokens per group; a text that is longer alone is a group alone.

    Raises
    ------
    ValueError
        A text is empty or mere white space; it comes after the group before that text.
    """
    group: list[str] = []
    size = 0
    for text in texts:
        blank = not text.strip()
        length = estimated_tokens(text)
        if group and (blank or len(group) == most or size + length > tokens):
            yield group
            group, size = [], 0
        if blank:
            raise ValueError("cannot encode a text without tokens (empty or only white space)")
        group.append(text)
        size += length
    if group:
        yield group


ENCODER_VERSION = 1
"""Raised whenever a change here changes the vectors that come out."""
_PROBE = "length"
"""Sent where the vectors' length is wanted before any text; nothing of the user's."""


class ServiceEncoder:
    """Implements `casetrack.models.base.ProfileEncoder` over a service; safe in several threads.

    Parameters
    ----------
    service
        The model, and the protocol it is reached by.
    timeouts, backoff
        Limits of a request, and what happens after a failure.
    dimension
        Length of the vectors that a collection already holds, or ``None``.

    Raises
    ------
    ProviderError
        The model is known to make vectors of another length than *dimension*.
    """

    def __init__(
        self,
        service: Service,
        /,
        *,
        timeouts: Timeouts,
        backoff: Backoff,
        dimension: int | None = None,
    ) -> None:
        self.service = service
        self._client = Client(service.name, service.address, timeouts, backoff)
        self._lock = threading.Lock()
        self._dimension = service.dimensions or service.native_dimension
        if dimension is not None:
            self.expect(dimension)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name}, {self.service.model}, {self.service.address})"

    @property
    def name(self) -> str:
        """The provider's name, which is the profile's."""
        return self.service.name

    @property
    def dimension(self) -> int:
        """Length of the vectors; where it is not known yet, the service is asked.

        Raises
        ------
        ProviderError
            The service cannot be asked.
        """
        if self._dimension is None:
            self._vectors([_PROBE])
        assert self._dimension is not None  # noqa: S101 - the first vector has set it
        return self._dimension

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits over provider, model, length, prefixes and windows.

        The address is not part of it: the same model gives the same vectors wherever it runs.
        """
        service = self.service
        parts = (
            f"provider={service.name}",
            f"model={service.model}",
            f"dimension={self.dimension}",
            f"prefixes={service.prefixes!r}",
            f"max_tokens={service.max_tokens}",
            f"version={ENCODER_VERSION}",
        )
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]

    @property
    def token_width(self) -> None:
        """Services give no states of tokens."""
        return

    @property
    def has_sparse(self) -> bool:
        """Services give no sparse vectors."""
        return False

    @property
    def resident_bytes(self) -> int:
        """Nothing of the model is in this process."""
        return 0

    def document_spans(self, text: str, /) -> None:  # noqa: ARG002 - a service tells no tokens
        """Services give no states of tokens."""
        return

    def unload(self) -> None:
        """Do nothing: there is nothing to let go of."""

    def expect(self, dimension: int, /) -> None:
        """Hold the service to the length of the vectors that a collection has.

        Raises
        ------
        ProviderError
            It is known already to make others.
        """
        self._check(dimension, "the collection holds")

    def encode_query(self, text: str, /) -> Encoding:
        """Encode one query.

        Raises
        ------
        ValueError
            The text is empty or mere white space.
        ProviderError
            The service refuses, cannot be reached, or answers with something else than vectors of
            the expected length.
        """
        if not text.strip():
            raise ValueError("cannot encode a text without tokens (empty or only white space)")
        return self._encode([text], self.service.prefixes[0])[0]

    def encode_documents(
        self, texts: Iterable[str], /, *, layers: Sequence[int] = ()
    ) -> Iterator[Encoding]:
        """Encode texts in their order, a batch of them per request.

        Parameters
        ----------
        texts
            Read one batch ahead. A text longer than the model takes is cut into windows, whose
            vectors are averaged by their length.
        layers
            Must be empty.

        Yields
        ------
        Encoding
            One per text; ``tokens`` is ``None``.

        Raises
        ------
        ValueError
            A text is empty or mere white space (it comes after those before it), or a layer was
            asked for.
        ProviderError
            As for `encode_query`.
        """
        if layers:
            raise ValueError(f"{self.name} has no states of layers")
        prefix = self.service.prefixes[1]
        for batch in batches(texts, self.service.most_texts, self.service.most_tokens):
            yield from self._encode(batch, prefix)

    def _encode(self, texts: Sequence[str], prefix: str) -> list[Encoding]:
        room = max(1, self.service.max_tokens - estimated_tokens(prefix))
        parts = [windows(sendable(text), room) for text in texts]
        flat = list(chain.from_iterable(parts))
        vectors: list[Floats] = []
        for group in batches(flat, self.service.most_texts, self.service.most_tokens):
            vectors += self._vectors(group, prefix)
        found, start = [], 0
        for own in parts:
            mine = vectors[start : start + len(own)]
            start += len(own)
            dense = joined(mine, [len(window) for window in own], self.name)
            found.append(Encoding(dense=dense, tokens=None, token_spans=None))
        return found

    def _vectors(self, texts: Sequence[str], prefix: str = "") -> list[Floats]:
        """Return a vector per text; what the service finds too long is sent in smaller pieces."""
        try:
            return self._request([prefix + text for text in texts])
        except TooLong:
            pass
        if len(texts) > 1:
            middle = len(texts) // 2
            return [*self._vectors(texts[:middle], prefix), *self._vectors(texts[middle:], prefix)]
        halves = cut(texts[0], 2)
        if len(halves) < 2:
            raise ProviderError(
                f"{self.name} refuses a text of {len(texts[0])} characters as too long.",
                hint=f"Choose a model that takes longer texts than {self.service.model!r}.",
            )
        vectors = [*self._vectors(halves[:1], prefix), *self._vectors(halves[1:], prefix)]
        return [joined(vectors, [len(half) for half in halves], self.name)]

    def _request(self, texts: Sequence[str]) -> list[Floats]:
        service = self.service
        answer = self._client.post(
            service.path, service.body(texts), service.headers(), service.is_final
        )
        vectors = [read_vector(raw, self.name) for raw in service.read(answer, len(texts))]
        for vector in vectors:
            self._check(vector.size, "this answer holds")
        return vectors

    def _check(self, length: int, where: str) -> None:
        """Take the first length that is seen as the length of all."""
        with self._lock:
            if self._dimension is None:
                self._dimension = length
            if length == self._dimension:
                return
            known = self._dimension
        raise ProviderError(
            f"{self.name} was to make vectors of {known} numbers with the model "
            f"{self.service.model!r}, and {where} vectors of {length}.",
            hint="Vectors of different lengths cannot be compared. Set model and dimensions in "
            f"[providers.{self.name}] of config.toml back to what the collection was made with, "
            "or make a new collection.",
        )
