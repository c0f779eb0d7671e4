"""Models with predictable output: every word has its own direction."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.errors import ModelNotFound
from casetrack.extract.spans import NameSpan
from casetrack.models.base import Encoding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from casetrack.extract.spans import NameKind
    from casetrack.models.base import Reranker

_WORD = re.compile(r"\w+")
_VOCABULARY = 1 << 15


class WordEncoder:
    """A profile's models, of any dimension, with or without token matrices and sparse weights."""

    def __init__(
        self,
        name: str = "words",
        dimension: int = 384,
        *,
        token_width: int | None = 16,
        has_sparse: bool = False,
        reranker: Reranker | None = None,
    ) -> None:
        self.name = name
        self.dimension = dimension
        self.token_width = token_width
        self.has_sparse, self.reranker = has_sparse, reranker
        self.seen: list[str] = []
        self.resident_bytes = 0
        parts = (name, dimension, token_width, has_sparse)
        self.fingerprint = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def encode_query(self, text: str, /) -> Encoding:
        return self._encode(text)

    def encode_documents(
        self, texts: Iterable[str], /, *, layers: Sequence[int] = ()
    ) -> Iterator[Encoding]:
        for text in texts:
            self.seen.append(text)
            yield self._encode(text)

    def document_spans(self, text: str, /) -> np.ndarray | None:
        return None if self.token_width is None else self._encode(text).token_spans

    def unload(self) -> None:
        """Nothing is loaded."""

    def _encode(self, text: str) -> Encoding:
        matches = list(_WORD.finditer(text))
        words = [m.group().lower() for m in matches] or ["nothing"]
        spans = [m.span() for m in matches] or [(0, 0)]
        dense = np.sum([direction(w, self.dimension) for w in words], axis=0)
        tokens = sparse = None
        if self.token_width is not None:
            tokens = np.array([direction(w, self.token_width) for w in words], dtype=np.float32)
        if self.has_sparse:
            ids, counts = np.unique([number(w) for w in words], return_counts=True)
            sparse = (ids.astype(np.int32), np.log1p(counts).astype(np.float32))
        return Encoding(
            dense=(dense / np.linalg.norm(dense)).astype(np.float32),
            tokens=tokens,
            token_spans=np.array(spans, dtype=np.int32),
            sparse=sparse,
        )


def direction(word: str, dimension: int) -> np.ndarray:
    """Return the unit vector of a word."""
    vector = np.random.default_rng(number(word)).standard_normal(dimension)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)


def number(word: str) -> int:
    """Return a word's place in the vocabulary."""
    return int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big") % _VOCABULARY


class NamesByList:
    """Finds the given names, longest first."""

    fingerprint = "by list"
    layers = None

    def __init__(self, **names: NameKind) -> None:
        self._kinds = {name.replace("_", " "): kind for name, kind in names.items()}
        longest = sorted(self._kinds, key=len, reverse=True)
        self._pattern = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in longest))

    def tag(
        self, text: str, _encoding: Encoding | None, /, *, start: int = 0
    ) -> tuple[NameSpan, ...]:
        return tuple(
            NameSpan(m.start(), m.end(), m.group(), self._kinds[m.group()], 0.9)
            for m in self._pattern.finditer(text[start:])
        )


class FakeEncoders:
    """Fake models of a data folder."""

    def __init__(self, *encoders: WordEncoder, models_dir: Path | None = None) -> None:
        self.models_dir = models_dir
        self._by_name = {e.name: e for e in encoders}

    def get(self, name: str, /, *, dimension: int | None = None) -> WordEncoder:
        if name not in self._by_name:
            raise ModelNotFound(name, self.models_dir or "models")
        return self._by_name[name]

    def get_installed(self, name: str, /, *, dimension: int | None = None) -> WordEncoder | None:
        return self._by_name.get(name)

    def names(self, profile: str, /) -> None:
        """Return None: no name tagger."""

    @property
    def loaded(self) -> tuple[str, ...]:
        return tuple(self._by_name)
