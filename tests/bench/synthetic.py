"""A large made-up collection: plausible words with a Zipf distribution, random unit vectors.

It is a real collection, written through the store and indexed by CaseTrack itself; only reading
files and the encoder are left out. A finished one is kept and found again by its parameters.
"""

from __future__ import annotations

import hashlib
import json
import random
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from casetrack import schema
from casetrack.config import load_settings
from casetrack.ingest.assemble import seal
from casetrack.library import Library
from casetrack.records import Document
from casetrack.resources import SCHEMA_VERSION
from casetrack.steps.chunk import chunk_id
from casetrack.steps.words import STOP_WORDS, WORDS_VERSION, index_terms, term_counts
from casetrack.store.session import WriteSession, write_session

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from casetrack.collection import Collection

VERSION = 1
"""Raise it when the texts change."""
NAME = "Bench"
SEED = 20_260_101
DIMENSION = 384
CHUNKS_PER_DOCUMENT = 50
_VOCABULARY = 60_000
_EXPONENT, _SHIFT = 1.1, 1.0
_WORDS_PER_CHUNK = (220, 381)
_WORDS_PER_LINE = 12
_ONSETS = "b c d f g h j k l m n p r s t v w br cl cr dr fl gr pl pr sh sl sp st tr th".split()
_NUCLEI = "a e i o u ai ea ou".split()
_CODAS = ("", "", "", "", "", "m", "n", "r", "l", "t", "k", "nd", "rt", "st")
CLASSES: dict[str, tuple[float, float]] = {
    "rare": (5 / 50_000, 50 / 50_000),
    "middling": (0.01, 0.06),
    "very frequent": (0.2, 1.0),
}
"""Query classes: the share of all chunks that hold each of a query's words."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A finished synthetic collection.

    Attributes
    ----------
    home
        Its folder; peers keep their own copies of the texts there.
    data_dir
        Data folder of the library that holds it.
    words
        The vocabulary, most frequent first.
    frequencies
        int64, the number of chunks that hold each word.
    """

    home: Path
    data_dir: Path
    collection: Collection
    words: tuple[str, ...]
    frequencies: np.ndarray
    chunk_count: int

    @property
    def posting_count(self) -> int:
        """Pairs of a term and a chunk that holds it."""
        return int(self.frequencies.sum())

    def queries(self, kind: str, /, *, count: int = 120) -> list[str]:
        """Return *count* queries of 2 to 4 words of one of the ``CLASSES``."""
        low, high = (share * self.chunk_count for share in CLASSES[kind])
        places = np.flatnonzero((self.frequencies >= low) & (self.frequencies <= high))
        rng = random.Random(f"{SEED} {kind}")
        fitting = [self.words[i] for i in places]
        return [" ".join(rng.sample(fitting, rng.randint(2, 4))) for _ in range(count)]


def prepare(work: Path, chunks: int, advance: Callable[[int], None], /) -> Corpus:
    """Return the synthetic collection of *chunks* chunks, making it if it is not there.

    Parameters
    ----------
    work
        Folder for everything that is kept from run to run.
    chunks
        A multiple of ``CHUNKS_PER_DOCUMENT``.
    advance
        Called with the number of chunks made since the last call.
    """
    key = repr((VERSION, SEED, chunks, _VOCABULARY, SCHEMA_VERSION, WORDS_VERSION, _layout()))
    home = work / f"synthetic-{chunks}-{hashlib.sha256(key.encode()).hexdigest()[:10]}"
    data_dir, finished = home / "data", home / "finished.json"
    words = vocabulary(_VOCABULARY)
    if not finished.is_file():
        frequencies = _make(Library(load_settings(data_dir)), words, chunks, advance)
        finished.write_text(json.dumps({"frequencies": frequencies.tolist()}), encoding="utf-8")
    else:
        advance(chunks)
    counts = np.array(json.loads(finished.read_text("utf-8"))["frequencies"], dtype=np.int64)
    collection = Library(load_settings(data_dir)).get(NAME)
    collection.index()  # made by another version of the program, it is rebuilt here
    return Corpus(home, data_dir, collection, tuple(words), counts, chunks)


def vocabulary(count: int, /) -> list[str]:
    """Return distinct pronounceable words with distinct index terms, short ones first."""
    rng = random.Random(SEED)
    found: dict[str, str] = {}
    while len(found) < count:
        syllables = 1 + (len(found) > 300) + (rng.random() < 0.08)
        word = "".join(
            rng.choice(_ONSETS) + rng.choice(_NUCLEI) + rng.choice(_CODAS) for _ in range(syllables)
        )
        if len(word) < 3 or word in STOP_WORDS:
            continue
        found.setdefault(index_terms(word)[0], word)
    return list(found.values())


class Writer:
    """Makes documents of random words, always the same for the same *seed*."""

    def __init__(self, words: Sequence[str], seed: int, /) -> None:
        self._words = np.array(words, dtype=object)
        self._rng = np.random.default_rng(seed)
        shares = 1.0 / (np.arange(len(words)) + 1 + _SHIFT) ** _EXPONENT
        self._bounds = np.cumsum(shares / shares.sum())
        self.frequencies = np.zeros(len(words), dtype=np.int64)

    def texts(self, count: int, /) -> list[str]:
        """Return the texts of *count* chunks, in lines of twelve words."""
        made = []
        for length in self._rng.integers(*_WORDS_PER_CHUNK, size=count):
            drawn = np.searchsorted(self._bounds, self._rng.random(length))
            drawn = np.minimum(drawn, len(self._words) - 1)
            self.frequencies[np.unique(drawn)] += 1
            words = self._words[drawn]
            lines = [
                " ".join(words[i : i + _WORDS_PER_LINE]) for i in range(0, length, _WORDS_PER_LINE)
            ]
            made.append("\n".join(lines))
        return made

    def vectors(self, count: int, /) -> np.ndarray:
        """Return *count* random directions, float32 [count, 384], unit length."""
        matrix = self._rng.standard_normal((count, DIMENSION), dtype=np.float32)
        unit: np.ndarray = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
        return unit


def store(session: WriteSession, writer: Writer, name: str, chunks: int, /) -> Document:
    """Write one document of *chunks* pages with one chunk each."""
    now = datetime.now(UTC)
    document_id = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{SEED} {name}"))
    texts, revision, path = writer.texts(chunks), session.new_revision(), f"/bench/{name}"
    batch = chunk_rows(document_id, texts, writer.vectors(chunks))
    session.append(seal(batch, revision, 0, name, path, now))
    document = _document(document_id, revision, name, path, texts, now)
    session.finish(document)
    return document


def chunk_rows(document_id: str, texts: list[str], vectors: np.ndarray, /) -> pa.RecordBatch:
    """Return rows of ``chunks``, but for the columns that :func:`seal` adds."""
    pairs = [term_counts(text) for text in texts]
    lines = [text.count("\n") + 1 for text in texts]
    dense = schema.table("chunks").column("dense").type
    flat = pa.array(vectors.ravel())
    rows = {
        "chunk_id": [chunk_id(document_id, p, 0, text) for p, text in enumerate(texts, start=1)],
        "document_id": [document_id] * len(texts),
        "text": texts,
        "char_count": [len(text) for text in texts],
        "page": list(range(1, len(texts) + 1)),
        "page_is_estimated": [False] * len(texts),
        "paragraph_start": [1] * len(texts),
        "paragraph_end": [1] * len(texts),
        "line_start": [1] * len(texts),
        "line_end": lines,
        "char_start": [0] * len(texts),
        "char_end": [len(text) for text in texts],
        "heading_path": [["Section 1"]] * len(texts),
        "line_boxes": [_boxes(count) for count in lines],
        "page_width": [595.0] * len(texts),
        "page_height": [842.0] * len(texts),
        "extraction_method": ["Native"] * len(texts),
        "language": ["en"] * len(texts),
        "terms": [terms for terms, _ in pairs],
        "term_counts": [counts for _, counts in pairs],
        "term_total": [sum(counts) for _, counts in pairs],
        "dense": pa.FixedSizeListArray.from_arrays(flat, DIMENSION).cast(dense),
        "embedders": [["synthetic"]] * len(texts),
    }
    declared = schema.table("chunks")
    empty = {c.name: pa.nulls(len(texts), c.type) for c in declared.columns if c.name not in rows}
    columns = rows | {name: empty[name] for name in empty}
    return pa.RecordBatch.from_pydict(
        {name: _column(columns[name], declared.column(name).type) for name in declared.names}
    )


def _column(values: object, kind: pa.DataType) -> pa.Array:
    return values if isinstance(values, pa.Array) else pa.array(values, kind)


def _boxes(lines: int) -> list[dict[str, float]]:
    return [
        {"line": n, "x0": 56.0, "y0": 50 + 14.5 * n, "x1": 539.0, "y1": 61 + 14.5 * n}
        for n in range(1, lines + 1)
    ]


def _make(
    library: Library, words: list[str], chunks: int, advance: Callable[[int], None]
) -> np.ndarray:
    known = {info.name for info in library.collections()}
    if NAME in known:  # an earlier run was stopped half way
        library.delete(NAME)
    collection = library.create(NAME, description="synthetic chunks for measurements")
    writer = Writer(words, SEED)
    with write_session(collection.folder) as session:
        for number in range(chunks // CHUNKS_PER_DOCUMENT):
            store(session, writer, f"synthetic-{number:05d}.pdf", CHUNKS_PER_DOCUMENT)
            advance(CHUNKS_PER_DOCUMENT)
    collection.index()
    return writer.frequencies


def _layout() -> tuple[str, ...]:
    return tuple(f"{c.name} {c.type_text}" for c in schema.table("chunks").columns)


def _document(
    document_id: str, revision: str, name: str, path: str, texts: list[str], now: datetime
) -> Document:
    whole = "\n".join(texts).encode()
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
        page_count=len(texts),
        pages_without_text=0,
        chunk_count=len(texts),
        char_count=sum(map(len, texts)),
        extraction_method="Native",
        file_hash=hashlib.sha256(whole).hexdigest(),
        file_size=len(whole),
        file_modified_at=now,
        original_copy=None,
        pipeline="standard",
        pipeline_fingerprint="synthetic",
        warnings=(),
        ingested_at=now,
        updated_at=now,
    )
