"""A large generated collection: texts with a Zipf distribution, vectors with topics.

It is a real collection, written through the store and indexed by CaseTrack; only reading files and
encoding texts are left out. A finished collection is kept and reused for the same parameters.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.documents import WRITER_VERSION, DocumentWriter, document_sizes
from bench.encoders import SpaceEncoders
from bench.memory import PeakMemory
from bench.vectors import Space
from bench.words import SEED, TextMaker, vocabulary, vocabulary_size
from casetrack.api.library import Library
from casetrack.base import schema
from casetrack.base.config import load_settings
from casetrack.base.files import folder_bytes
from casetrack.base.license import UNLIMITED
from casetrack.base.records import DEFAULT_PROFILE
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.ingest.steps.words import WORDS_VERSION
from casetrack.models.token_matrix import token_form
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from casetrack.api.collection import Collection
    from casetrack.models.base import ProfileEncoder

VERSION = 2
"""Increase it when the generated content changes."""
NAME = "Bench"
CLASSES: dict[str, tuple[float, float]] = {
    "rare": (5 / 50_000, 50 / 50_000),
    "middling": (0.01, 0.06),
    "very frequent": (0.2, 1.0),
}
"""Query classes: the share of all chunks that hold each of a query's words."""
_BYTES_PER_CHUNK, _BYTES_PER_MATRIX = 20_000, 14_000
"""Disk space required before building: twice the stored size, because compaction copies."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A finished synthetic collection.

    Attributes
    ----------
    home
        Its folder; other engines keep their copies of the texts in it.
    data_dir
        Data folder of its library.
    collection
        Encodes every question with the real models.
    given
        The same collection, which reuses the vector of a repeated question.
    space
        Source of the generated vectors.
    words
        The vocabulary, most frequent first.
    frequencies
        int64, the number of chunks that contain each word.
    built
        Cost of building: ``append_s``, ``index_s``, ``peak_mb``, ``made_s`` (the generator).
    """

    home: Path
    data_dir: Path
    collection: Collection
    given: Collection
    encoder: ProfileEncoder = field(repr=False)
    space: Space = field(repr=False)
    words: tuple[str, ...]
    frequencies: np.ndarray = field(repr=False)
    chunk_count: int
    has_tokens: bool
    built: Mapping[str, float]

    @property
    def modes(self) -> tuple[str, ...]:
        """Search modes that this collection can answer."""
        modes = ("keyword", "semantic", "hybrid", "full")
        return modes if self.has_tokens else modes[:-1]

    def queries(self, kind: str, /, *, count: int = 120) -> list[str]:
        """Return *count* queries of 2 to 4 words of one of the ``CLASSES``."""
        low, high = (share * self.chunk_count for share in CLASSES[kind])
        places = np.flatnonzero((self.frequencies >= low) & (self.frequencies <= high))
        rng = random.Random(f"{SEED} {kind}")
        fitting = [self.words[i] for i in places]
        return [" ".join(rng.sample(fitting, rng.randint(2, 4))) for _ in range(count)]


def prepare(
    work: Path, chunks: int, advance: Callable[[int], None], /, *, models: Path, tokens: bool
) -> Corpus:
    """Return the synthetic collection of *chunks* chunks; build it in folder *work* if it is
    missing.

    *advance* is called with the number of chunks made since the last call.
    """
    encoder = _encoder(work, models)
    form = token_form(encoder) if tokens else None
    parts = (VERSION, WRITER_VERSION, SEED, chunks, SCHEMA_VERSION, WORDS_VERSION, _layout())
    key = repr((*parts, encoder.fingerprint, form.name if form else None))
    kind = "tokens" if form else "plain"
    home = work / f"synthetic-{chunks}-{kind}-{hashlib.sha256(key.encode()).hexdigest()[:10]}"
    finished = home / "finished.json"
    words = vocabulary(vocabulary_size(chunks))
    space = Space(encoder.dimension, encoder.token_width or 0, SEED)
    if finished.is_file():
        advance(chunks)
    else:
        _check_room(work, chunks, has_tokens=form is not None)
        _build_apart(home, chunks, models, tokens=tokens, advance=advance)
    state = json.loads(finished.read_text("utf-8"))
    real, given = (_opened(home, models, space, given=given) for given in (False, True))
    _ = real.workspace.state().index  # made by another version of the program, it is rebuilt here
    return Corpus(
        home=home,
        data_dir=home / "data",
        collection=real,
        given=given,
        encoder=encoder,
        space=space,
        words=tuple(words),
        frequencies=np.array(state["frequencies"], dtype=np.int64),
        chunk_count=chunks,
        has_tokens=form is not None,
        built=state["built"],
    )


def writer_of(corpus: Corpus, seed: int, /) -> DocumentWriter:
    """Return a writer of further documents like those of *corpus*."""
    form = token_form(corpus.encoder) if corpus.has_tokens else None
    texts = TextMaker(corpus.words, np.random.default_rng(seed))
    return DocumentWriter(texts, corpus.space, corpus.encoder, form, seed)


def copy(corpus: Corpus, target: Path, /) -> Library:
    """Return a library with a copy of the collection; the copy shares the data files."""
    shutil.copytree(corpus.data_dir, target, copy_function=_link)
    library = Library(load_settings(target), tier=UNLIMITED)
    library.encoders = SpaceEncoders(library.encoders, corpus.space, given=False)  # type: ignore[assignment]
    return library


def _link(source: str, target: str) -> None:
    """Share a file's content: data files are never changed in place."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _library(home: Path, models: Path) -> Library:
    os.environ["CASETRACK_MODELS"] = str(models)
    return Library(load_settings(home / "data"), tier=UNLIMITED)


def _encoder(work: Path, models: Path) -> ProfileEncoder:
    return _library(work / "unused", models).encoders.get(DEFAULT_PROFILE)


def _opened(home: Path, models: Path, space: Space, *, given: bool) -> Collection:
    library = _library(home, models)
    library.encoders = SpaceEncoders(library.encoders, space, given=given)  # type: ignore[assignment]
    return library.get(NAME)


def _build_apart(
    home: Path, chunks: int, models: Path, *, tokens: bool, advance: Callable[[int], None]
) -> None:
    """Build the collection in a separate process, so that its memory can be measured."""
    command = [sys.executable, "-m", "bench.synthetic", str(home), str(chunks), str(models)]
    command += ["tokens"] if tokens else []
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with (
        tempfile.TemporaryFile() as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, env=environment, text=True
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            advance(int(line))
        if process.wait():
            errors.seek(0)
            raise RuntimeError(f"building failed:\n{errors.read().decode()[-2000:]}")


def main() -> None:
    """Build one collection and print the number of new chunks per line."""
    home, chunks, models, *more = sys.argv[1:]
    library = _library(Path(home), Path(models))
    encoder = library.encoders.get(DEFAULT_PROFILE)
    texts = TextMaker(vocabulary(vocabulary_size(int(chunks))), np.random.default_rng(SEED))
    space = Space(encoder.dimension, encoder.token_width or 0, SEED)
    form = token_form(encoder) if more else None
    writer = DocumentWriter(texts, space, encoder, form, SEED)
    built = _build(library, writer, int(chunks))
    state = {"frequencies": texts.frequencies.tolist(), "built": built}
    (Path(home) / "finished.json").write_text(json.dumps(state), encoding="utf-8")


def _build(library: Library, writer: DocumentWriter, chunks: int) -> dict[str, float]:
    known = {info.name for info in library.collections()}
    if NAME in known:  # an earlier run was stopped half way
        library.delete(NAME)
    collection = library.create(NAME, description="synthetic chunks for measurements")
    started = time.perf_counter()
    with PeakMemory(os.getpid()) as memory:
        with write_session(collection.folder) as session:
            for number, size in enumerate(document_sizes(chunks)):
                writer.store(session, f"synthetic-{number:06d}.pdf", size)
                print(size, flush=True)
        stored = time.perf_counter()
        _ = collection.workspace.state().index
        indexed = time.perf_counter()
    return {
        "append_s": stored - started - writer.seconds,
        "index_s": indexed - stored,
        "made_s": writer.seconds,
        "peak_mb": memory.peak / 1e6,
        "disk_bytes": float(folder_bytes(collection.folder)),
    }


def _check_room(work: Path, chunks: int, *, has_tokens: bool) -> None:
    """Check the free disk space.

    Raises
    ------
    RuntimeError
        The disk has too little space.
    """
    needed = chunks * (_BYTES_PER_CHUNK + has_tokens * _BYTES_PER_MATRIX)
    work.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(work).free
    if needed > free:
        raise RuntimeError(
            f"{chunks:,} chunks may need {needed / 1e9:.1f} GB and {free / 1e9:.1f} GB are free; "
            "choose fewer chunks, --no-tokens or another folder with --work"
        )


def _layout() -> tuple[str, ...]:
    return tuple(f"{c.name} {c.type_text}" for c in schema.table("chunks").columns)


if __name__ == "__main__":
    main()
