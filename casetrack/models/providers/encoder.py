"""An encoder for a model at a service: dense vectors, in batches."""

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
from casetrack.models.base import Encoding, Floats
from casetrack.models.providers.transport import Backoff, Client, Service, Timeouts, TooLong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray


# Vectors as services send them: read, checked, joined.

_HINT = "Check that the address and the model are those of an embedding service."


def read_vector(raw: Any, provider: str, /) -> Floats:
    """Return a unit vector, float32 [dimension].

    *raw* is a list of numbers, or base64 of little-endian float32; *provider* is for errors. Raises
    ``ProviderError``: the value is invalid or has no direction: empty, zero, or not a number.
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
    """Return a vector with length 1, float32; raise ``ProviderError`` if it is zero."""
    length = float(np.linalg.norm(vector))
    if not length > 0.0 or not np.isfinite(length):
        raise ProviderError(
            f"{provider} sent a vector without a direction: its length is {length:g}.",
            hint="Nothing of it was stored. This is a fault of the service or its model: "
            "restart it, or choose another model.",
        )
    return (vector / length).astype(np.float32)


def joined(vectors: Sequence[Floats], lengths: Sequence[int], provider: str, /) -> Floats:
    """Return the unit mean of windows by length; raise ``ProviderError`` if it is zero."""
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
"""Maximum shift of a cut to a word boundary, as a share of a window."""


def sendable(text: str, /) -> str:
    """Return the text as valid UTF-8; lone surrogates become U+FFFD."""
    return _SURROGATES.sub("\ufffd", text)


def estimated_tokens(text: str, /) -> int:
    """Return an estimate of a text's tokens, rather too high.

    Byte-level tokenizers have about 4 characters of English per token and 1 of Chinese (3 bytes),
    so 3 bytes per token fits both. If the service refuses a text as too long, it is split.
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // 3)


def windows(text: str, tokens: int, /) -> list[str]:
    """Split a text into the fewest windows of about equal length, preferably between words.

    *tokens* is the longest window in estimated tokens. Only windows of white space are dropped.
    """
    count = max(1, -(-estimated_tokens(text) // max(1, tokens)))
    return cut(text, count)


def cut(text: str, count: int, /) -> list[str]:
    """Split into at most *count* windows of about equal length, without white-space windows."""
    places = [0]
    for number in range(1, count):
        place = _between_words(text, len(text) * number // count, len(text) / count)
        places.append(max(place, places[-1]))
    places.append(len(text))
    parts = [text[a:b] for a, b in pairwise(places)]
    return [window for window in parts if window.strip()]


def _between_words(text: str, place: int, width: float) -> int:
    """Return the position, or the nearest close position where a word may begin."""
    for step in range(int(width * _REACH) + 1):
        for candidate in (place - step, place + step):
            if 0 < candidate < len(text) and text[candidate - 1].isspace():
                return candidate
    return place


def batches(texts: Iterable[str], most: int, tokens: int, /) -> Iterator[list[str]]:
    """Group texts in order, at most *most* texts and estimated *tokens* per group.

    A longer text is a separate group; *texts* is read lazily. Raises ``ValueError`` for an empty
    text, after the preceding group.
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
"""Increase with every change that affects the vectors."""
_PROBE = "length"
"""A text to determine the vector length before any text of the user."""


class ServiceEncoder:
    """Implements :class:`casetrack.models.base.ProfileEncoder` over a service; thread-safe.

    *dimension* is the length of the collection's vectors, or ``None``; *most_texts* of one request,
    by default the service's. Raises ``ProviderError``: the model has vectors of another length.
    """

    def __init__(
        self,
        service: Service,
        /,
        *,
        timeouts: Timeouts,
        backoff: Backoff,
        dimension: int | None = None,
        most_texts: int | None = None,
    ) -> None:
        self.service = service
        self._most_texts = most_texts or service.most_texts
        self._client = Client(service.name, service.address, timeouts, backoff)
        self._lock = threading.Lock()
        self._dimension = service.dimensions or service.native_dimension
        if dimension is not None:
            self.expect(dimension)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name}, {self.service.model}, {self.service.address})"

    @property
    def name(self) -> str:
        """Name of the provider and of its profile."""
        return self.service.name

    @property
    def dimension(self) -> int:
        """Length of the vectors; asks the service if unknown, which may raise ``ProviderError``."""
        if self._dimension is None:
            self._vectors([_PROBE])
        assert self._dimension is not None  # noqa: S101 - the first vector has set it
        return self._dimension

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of provider, model, length, prefixes and windows.

        The address is excluded: a model gives the same vectors at every address.
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
        """Services return no token states."""
        return

    @property
    def has_sparse(self) -> bool:
        """Services return no sparse vectors."""
        return False

    @property
    def reranker(self) -> None:
        """Services score no pairs."""
        return

    @property
    def resident_bytes(self) -> int:
        """The model is not in this process."""
        return 0

    def document_spans(self, text: str, /) -> None:  # noqa: ARG002 - a service returns no tokens
        """Services return no token states."""
        return

    def unload(self) -> None:
        """Do nothing."""

    def expect(self, dimension: int, /) -> None:
        """Require the vector length of a collection; raise ``ProviderError`` for another one."""
        self._check(dimension, "the collection holds")

    def encode_query(self, text: str, /) -> Encoding:
        """Encode one query.

        Raises
        ------
        ValueError
            The text is empty or white space.
        ProviderError
            The service refuses, is unreachable, or returns no vectors of the expected length.
        """
        if not text.strip():
            raise ValueError("cannot encode a text without tokens (empty or only white space)")
        return self._encode([text], self.service.prefixes[0])[0]

    def encode_documents(
        self, texts: Iterable[str], /, *, layers: Sequence[int] = ()
    ) -> Iterator[Encoding]:
        """Encode texts in order, a batch per request.

        *texts* is read one batch ahead; a too long text is split into windows, whose vectors are
        averaged by length. *layers* must be empty.

        Raises
        ------
        ValueError
            A text is empty or white space (raised after those before it), or a layer was requested.
        ProviderError
            As for :meth:`encode_query`.
        """
        if layers:
            raise ValueError(f"{self.name} has no states of layers")
        prefix = self.service.prefixes[1]
        for batch in batches(texts, self._most_texts, self.service.most_tokens):
            yield from self._encode(batch, prefix)

    def _encode(self, texts: Sequence[str], prefix: str) -> list[Encoding]:
        most = max(1, self.service.max_tokens - estimated_tokens(prefix))
        parts = [windows(sendable(text), most) for text in texts]
        flat = list(chain.from_iterable(parts))
        vectors: list[Floats] = []
        for group in batches(flat, self._most_texts, self.service.most_tokens):
            vectors += self._vectors(group, prefix)
        encodings, start = [], 0
        for own in parts:
            mine = vectors[start : start + len(own)]
            start += len(own)
            dense = joined(mine, [len(window) for window in own], self.name)
            encodings.append(Encoding(dense=dense, tokens=None, token_spans=None))
        return encodings

    def _vectors(self, texts: Sequence[str], prefix: str = "") -> list[Floats]:
        """Return a vector per text; texts that the service refuses as too long are split."""
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
        """Require that all vectors have the length of the first."""
        with self._lock:
            if self._dimension is None:
                self._dimension = length
            if length == self._dimension:
                return
            known = self._dimension
        raise ProviderError(
            f"{self.name} is configured for vectors of {known} dimensions with the model "
            f"{self.service.model!r}, and {where} vectors of {length}.",
            hint="Vectors of different lengths cannot be compared. Set model and dimensions in "
            f"[providers.{self.name}] of config.toml back to the values of the collection, "
            "or create a new collection.",
        )
