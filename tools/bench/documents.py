"""Writes made-up documents into a collection through the store, as ingestion does."""

from __future__ import annotations

import hashlib
import time
import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from bench.words import SEED
from casetrack.base import schema
from casetrack.base.records import Document
from casetrack.ingest.assemble import seal
from casetrack.ingest.steps.chunk import chunk_id, text_hash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.vectors import Space
    from bench.words import TextMaker, Texts
    from casetrack.models.base import ProfileEncoder
    from casetrack.models.token_matrix import TokenForm
    from casetrack.store.session import WriteSession

WRITER_VERSION = 4
"""Raise it when the rows change."""
_BLOCK = 256
_MEDIAN_CHUNKS, _SIGMA, _MOST_CHUNKS = 20, 1.1, 1500
_TOPICS_PER_DOCUMENT = 3
_CHARS_PER_TOKEN = 4.5
_MATRICES_PER_TOPIC = 2
_HEADER_BYTES = 16
"""The first bytes of a matrix stay unchanged: they are its header."""
_LEFT, _RIGHT, _TOP, _LEADING, _HEIGHT = 56.0, 539.0, 50.0, 14.5, 11.0


def document_sizes(chunks: int, /) -> Iterator[int]:
    """Yield chunks per document until there are *chunks*: most are short, a few very long."""
    rng = np.random.default_rng([SEED, chunks])
    left = chunks
    while left:
        size = int(np.clip(rng.lognormal(np.log(_MEDIAN_CHUNKS), _SIGMA), 1, _MOST_CHUNKS))
        yield min(size, left)
        left -= min(size, left)


class DocumentWriter:
    """Writer of generated documents; *form* is the storage of token matrices, None for none.

    ``seconds`` is the time for generating the documents, without storing them.
    """

    def __init__(
        self,
        texts: TextMaker,
        space: Space,
        encoder: ProfileEncoder,
        form: TokenForm | None,
        seed: int,
        /,
    ) -> None:
        self.texts, self.seconds = texts, 0.0
        self._space, self._form, self._seed = space, form, seed
        self._fingerprint = encoder.fingerprint
        self._rng = np.random.default_rng([seed, 1])
        self._matrices: dict[int, list[bytes]] = {}

    def store(self, session: WriteSession, name: str, chunks: int, /) -> Document:
        """Write one document of *chunks* pages with one chunk each."""
        now = datetime.now(UTC)
        document_id = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self._seed} {name}"))
        revision, path, characters = session.new_revision(), f"/bench/{name}", 0
        digest = hashlib.sha256()
        topics = self._space.topics(self._rng, _TOPICS_PER_DOCUMENT)
        for first in range(0, chunks, _BLOCK):
            started = time.perf_counter()
            batch = self._rows(document_id, name, first, min(_BLOCK, chunks - first), topics)
            table = seal(batch, revision, first, path, now)
            self.seconds += time.perf_counter() - started
            session.append(table)
            for text in batch["text"].to_pylist():
                characters += len(text)
                digest.update(text.encode())
        document = _document(document_id, revision, name, path, now, chunks, characters, digest)
        session.finish(document)
        return document

    def _rows(
        self, document_id: str, name: str, first: int, count: int, topics: np.ndarray
    ) -> pa.RecordBatch:
        """Return rows of ``chunks``, but for the columns that ``seal`` adds."""
        made = self.texts.make(count)
        chosen = self._rng.choice(topics, count)
        vectors = self._space.vectors(self._rng, chosen)
        flat = pa.array(vectors.ravel())
        given = _placed(document_id, name, first, made) | {
            "terms": made.terms,
            "term_counts": made.counts,
            "term_total": made.totals,
            "dense": pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1]),
            "tokens": [
                self._matrix(int(topic), text, vector)
                for topic, text, vector in zip(chosen, made.texts, vectors, strict=True)
            ],
            "embedders": [[self._fingerprint]] * count,
            "text_hash": list(map(text_hash, made.texts)),
            "embedded_at": [datetime.now(UTC)] * count,
        }
        layout = schema.table("chunks").arrow(dimension=vectors.shape[1])
        sealed = {"revision", "chunk_index", "document_path", "created_at"}
        fields = [f for f in layout if f.name not in sealed]
        columns = [_column(given.get(f.name), f.type, count) for f in fields]
        return pa.RecordBatch.from_arrays(columns, schema=pa.schema(fields))

    def _matrix(self, topic: int, text: str, vector: np.ndarray) -> bytes | None:
        """Return a packed token matrix of the chunk's topic with its own low bits.

        Packing takes milliseconds, so only a few matrices are packed. No two rows may be equal,
        because a store keeps equal values once.
        """
        if self._form is None:
            return None
        known = self._matrices.setdefault(topic, [])
        if len(known) < _MATRICES_PER_TOPIC:
            tokens = max(1, round(len(text) / _CHARS_PER_TOKEN))
            known.append(self._form.pack(self._space.states(self._rng, vector, tokens)))
            return known[-1]
        chosen = known[int(self._rng.integers(_MATRICES_PER_TOPIC))]
        changed = np.frombuffer(chosen, np.uint8).copy()
        noise = np.frombuffer(self._rng.bytes(len(changed)), np.uint8) & 1
        changed[_HEADER_BYTES:] ^= noise[_HEADER_BYTES:]
        return changed.tobytes()


def _column(values: object, kind: pa.DataType, count: int) -> pa.Array:
    if values is None:
        return pa.nulls(count, kind)
    return values.cast(kind) if isinstance(values, pa.Array) else pa.array(values, kind)


def _placed(document_id: str, name: str, first: int, made: Texts) -> dict[str, object]:
    """Return text and place of every chunk."""
    texts, count = made.texts, len(made.texts)
    pages = range(first + 1, first + count + 1)
    lengths = [len(text) for text in texts]
    lines = [text.count("\n") + 1 for text in texts]
    ids = [chunk_id(document_id, page, 0, text) for page, text in zip(pages, texts, strict=True)]
    return {
        "chunk_id": ids,
        "document_id": [document_id] * count,
        "document_name": [name] * count,
        "text": texts,
        "char_count": lengths,
        "page": list(pages),
        "page_is_estimated": [False] * count,
        "paragraph_start": [1] * count,
        "paragraph_end": [1] * count,
        "line_start": [1] * count,
        "line_end": lines,
        "char_start": [0] * count,
        "char_end": lengths,
        "heading_path": [[f"Section {page // 10 + 1}"] for page in pages],
        "line_boxes": _boxes(np.array(lines)),
        "page_width": [595.0] * count,
        "page_height": [842.0] * count,
        "extraction_method": ["Native"] * count,
        "language": ["en"] * count,
    }


def _boxes(lines: np.ndarray) -> pa.ListArray:
    ends = np.cumsum(lines)
    numbers = np.arange(1, ends[-1] + 1) - np.repeat(ends - lines, lines)
    tops = (_TOP + _LEADING * numbers).astype(np.float32)
    boxes = pa.StructArray.from_arrays(
        [
            pa.array(numbers.astype(np.int32)),
            pa.array(np.full(len(tops), _LEFT, np.float32)),
            pa.array(tops),
            pa.array(np.full(len(tops), _RIGHT, np.float32)),
            pa.array(tops + np.float32(_HEIGHT)),
        ],
        names=["line", "x0", "y0", "x1", "y1"],
    )
    offsets = np.concatenate(([0], ends)).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), boxes)


def _document(
    document_id: str,
    revision: str,
    name: str,
    path: str,
    now: datetime,
    chunks: int,
    characters: int,
    digest: hashlib._Hash,
) -> Document:
    return Document(
        document_id=document_id,
        revision=revision,
        name=name,
        path=path,
        format="pdf",
        document_type=None,
        title=None,
        author=None,
        language="en",
        page_count=chunks,
        pages_without_text=0,
        chunk_count=chunks,
        char_count=characters,
        extraction_method="Native",
        file_hash=digest.hexdigest(),
        file_size=characters,
        file_modified_at=now,
        original_copy=None,
        pipeline="standard",
        pipeline_fingerprint="synthetic",
        warnings=(),
        ingested_at=now,
        updated_at=now,
    )
