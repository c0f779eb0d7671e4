"""Programs that use one collection at the same time: some change it, some read it.

Each writer has its own files, so that the final content is known. It acknowledges its steps in a
file; problems of all programs are also written to files.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import signal
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import (
    CaseTrackError,
    ChunkNotFound,
    CollectionExists,
    CollectionGone,
    CollectionNotFound,
    DocumentNotFound,
)
from tests.crash.world import NAME, SHORT, open_library, text_of, write_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

FILES_EACH = 4
_WORD = re.compile(r"uniq(\d+)v(\d+)")
_DELETED = (CollectionGone, CollectionNotFound)


class Log:
    """Steps of a program with their durations, in a file that others can read."""

    def __init__(self, home: Path, name: str) -> None:
        self._path = home / f"{name}.{os.getpid()}.json"
        self._counts: Counter[str] = Counter()
        self._slowest: dict[str, float] = {}
        self._problem = ""

    @contextlib.contextmanager
    def timed(self, what: str) -> Any:
        begun = time.monotonic()
        yield
        seconds = time.monotonic() - begun
        self._counts[what] += 1
        self._slowest[what] = max(seconds, self._slowest.get(what, 0.0))
        self.save()

    def note(self, what: str) -> None:
        self._counts[what] += 1
        self.save()

    def fail(self, problem: str) -> None:
        self._problem = problem
        self.save()

    def save(self) -> None:
        result = {"counts": self._counts, "slowest": self._slowest, "problem": self._problem}
        temporary = self._path.with_suffix(".part")
        temporary.write_text(json.dumps(result), "utf-8")
        temporary.replace(self._path)


def take_part(
    work: Callable[..., None], name: str, data_dir: str, files: str, home: str, *facts: Any
) -> None:
    """Run as a program with its own process group: do *work* until the file ``stop`` exists."""
    os.setpgrp()
    log, stop = Log(Path(home), name), Path(home) / "stop"
    try:
        work(Path(data_dir), Path(files), log, stop.exists, *facts)
    except BaseException as error:  # noqa: BLE001 - the test says what went wrong
        log.fail("".join(traceback.format_exception(error)))


# --- who changes things ----------------------------------------------------------------------


def write(data_dir: Path, files: Path, log: Log, stopped: Callable[[], bool], own: int) -> None:
    """Change, add and delete the program's own files, and update the collection after each step."""
    source = random.Random(os.getpid())
    collection = open_library(data_dir).get(NAME)
    numbers = range(own * FILES_EACH, (own + 1) * FILES_EACH)
    for number in numbers:  # one that was killed before may have left this undone
        _follow(collection, files, number, log)
    while not stopped():
        number = source.choice(numbers)
        path = _path(files, number)
        if path.exists() and source.random() < 0.3:
            path.unlink()
        else:
            # No other program may read an unfinished file.
            version = source.randrange(1_000_000)
            hidden = files.parent / "making"
            write_files(hidden, [number], version)
            (hidden / path.name).replace(path)
        _follow(collection, files, number, log)


def _follow(collection: Collection, files: Path, number: int, log: Log) -> None:
    path = _path(files, number)
    if path.exists():
        with log.timed("ingest"):
            report = collection.ingest([path])
        assert report.count("failed") == 0, report
    else:
        with log.timed("delete"), contextlib.suppress(DocumentNotFound):
            collection.delete_document(str(path))


def _path(files: Path, number: int) -> Path:
    return files / f"{number:02d}.txt"


def synchronise(data_dir: Path, files: Path, log: Log, stopped: Callable[[], bool]) -> None:
    """Bring the collection up with the whole folder, again and again."""
    collection = open_library(data_dir).get(NAME)
    while not stopped():
        with log.timed("sync"):
            report = collection.sync(files, remove_deleted=True, force_removal=True)
        assert report.count("failed") == 0, report.as_dict()
        time.sleep(0.3)


# --- who reads -------------------------------------------------------------------------------


def read(data_dir: Path, files: Path, log: Log, stopped: Callable[[], bool]) -> None:
    """Search, read on and count, and believe nothing."""
    collection = open_library(data_dir).get(NAME)
    while not stopped():
        _read_once(collection, log)


def _read_once(collection: Collection, log: Log) -> None:
    with log.timed("search"):
        hits = list(collection.search("marker", limit=8))
    documents = {hit.provenance.document_id for hit in hits}
    for hit in hits:
        assert len(set(_WORD.findall(hit.text))) == 1, hit
    for document_id in documents:
        try:
            with log.timed("read"):
                chunks = collection.read.chunks(document_id)
        except DocumentNotFound:
            log.note("read: deleted meanwhile")
            continue
        text = ""
        for chunk in chunks:
            text = text[: chunk.provenance.char_start] + chunk.text
        match = _WORD.search(text)
        assert match is not None
        assert text == text_of(int(match[1]), int(match[2])), "half a document"
    if hits:
        with log.timed("context"), contextlib.suppress(ChunkNotFound):
            collection.read.context(hits[0].provenance.chunk_id)
    with log.timed("sql"):
        rows = collection.sql(
            "SELECT d.document_id, any_value(d.chunk_count) AS said, count(c.chunk_id) AS stored "
            "FROM documents d LEFT JOIN chunks c USING (document_id) GROUP BY d.document_id"
        ).to_pylist()
    for row in rows:
        assert row["said"] == row["stored"], row


# --- a collection that comes and goes --------------------------------------------------------


def come_and_go(data_dir: Path, files: Path, log: Log, stopped: Callable[[], bool]) -> None:
    """Delete the collection and make another one of the same name."""
    while not stopped():
        library = open_library(data_dir)
        with contextlib.suppress(*_DELETED), log.timed("delete"):
            library.delete(NAME)
        with contextlib.suppress(CollectionExists), log.timed("create"):
            library.create(NAME, profile=SHORT)
        time.sleep(0.2)


def use_what_is_there(
    data_dir: Path, files: Path, log: Log, stopped: Callable[[], bool], writes: bool
) -> None:
    """Read or write the collection with the name; the only permitted error is its deletion."""
    while not stopped():
        try:
            collection = open_library(data_dir).get(NAME)
            if writes:
                with log.timed("ingest"):
                    collection.ingest([files])
            else:
                _read_once(collection, log)
        except _DELETED as error:
            log.note(f"told: {error.code}")
        except CaseTrackError:
            raise


def kill(process: Any) -> None:
    """End a program and all that it started, as a power cut would."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.join(30)
