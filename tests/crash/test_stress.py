"""Several programs at once: readers see whole documents at any time, and no change is lost."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from casetrack.api.collection import Collection
from casetrack.store.session import leftovers, write_session
from tests.crash import crowd
from tests.crash.world import NAME, SHORT, garbage, look, open_library, text_of, write_files

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL"),
]

QUICK = 3.0
LONG = float(os.environ.get("CASETRACK_STRESS_SECONDS", "20"))
WRITERS, READERS = 3, 3
PATIENCE = 10.0
"""Seconds that a reader may take on a busy machine; a writer would be waited for much longer."""


class Crowd:
    """Programs at work on one data folder."""

    def __init__(self, home: Path) -> None:
        self.data_dir, self.files, self.home = home / "data", home / "files", home / "logs"
        self.home.mkdir()
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["tests.crash.crowd", "casetrack.ingest.batch"])
        self.running: dict[str, Any] = {}

    def start(self, name: str, work: Any, *facts: Any) -> None:
        places = (str(self.data_dir), str(self.files), str(self.home))
        process = self._context.Process(
            target=crowd.take_part, args=(work, name, *places, *facts), daemon=True
        )
        process.start()
        self.running[name] = process

    def wait_for_all(self) -> None:
        """Wait until everybody has done something."""
        end = time.monotonic() + 60
        while {p.name.split(".")[0] for p in self.home.glob("*.json")} != set(self.running):
            assert time.monotonic() < end, sorted(self.home.iterdir())
            time.sleep(0.05)

    def stop(self) -> tuple[Counter[str], dict[str, float]]:
        """Stop all programs; return the number and the longest duration of steps by kind."""
        (self.home / "stop").touch()
        for process in self.running.values():
            process.join(120)
            assert process.exitcode == 0
        counts: Counter[str] = Counter()
        slowest: dict[str, float] = {}
        for path in self.home.glob("*.json"):
            log = json.loads(path.read_text("utf-8"))
            assert log["problem"] == "", f"{path.name}: {log['problem']}"
            counts.update(log["counts"])
            for what, seconds in log["slowest"].items():
                slowest[what] = max(seconds, slowest.get(what, 0.0))
        return counts, slowest

    def close(self) -> None:
        for process in self.running.values():
            crowd.kill(process)


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Crowd]:
    """Return a crowd that is sent home at the end."""
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    result = Crowd(tmp_path)
    write_files(result.files, range(WRITERS * crowd.FILES_EACH))
    open_library(result.data_dir).create(NAME, profile=SHORT).ingest([result.files])
    yield result
    result.close()


def work_together(people: Crowd, seconds: float, every: float) -> None:
    """Let all programs work for a while, kill writers at times, and check the result."""
    source = random.Random(5)
    writers = [f"writer {number}" for number in range(WRITERS)]
    for number, name in enumerate(writers):
        people.start(name, crowd.write, number)
    for number in range(READERS):
        people.start(f"reader {number}", crowd.read)
    if hasattr(Collection, "sync"):
        people.start("sync", crowd.synchronise)
    people.wait_for_all()
    end, kills = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        time.sleep(source.uniform(0.5, 1.5) * every)
        number = source.randrange(WRITERS)
        crowd.kill(people.running[writers[number]])
        kills += 1
        people.start(writers[number], crowd.write, number)
    counts, slowest = people.stop()
    done = ", ".join(
        f"{n} x {what} (at most {slowest.get(what, 0):.2f} s)" for what, n in sorted(counts.items())
    )
    print(f"\n{seconds:.0f} s, {kills} writers killed: {done}", file=sys.stderr)
    assert min(counts[what] for what in ("ingest", "search", "read", "sql")) > 0, counts
    assert max(slowest[what] for what in ("search", "read", "sql")) < PATIENCE, slowest
    is_as_if_made_by_one(people)


def is_as_if_made_by_one(people: Crowd) -> None:
    """Compare the collection with one made from the final folder, and with rebuilt views."""
    collection = open_library(people.data_dir).get(NAME)
    # No lock remains, and the next writer removes the leftovers of a killed writer or of an error.
    with write_session(collection.folder, timeout=0.0):
        pass
    assert leftovers(collection.folder) == []
    seen = look(people.data_dir)[NAME]
    assert {path: facts[0] for path, facts in seen.documents.items()} == {
        str(path): path.read_text("utf-8") for path in people.files.glob("*.txt")
    }
    other = people.data_dir.with_name("alone")
    open_library(other).create(NAME, profile=SHORT).ingest([people.files])
    alone = open_library(other).get(NAME)
    assert look(other)[NAME].documents == seen.documents
    assert rows(collection) == rows(alone)
    before = found(collection)
    shutil.rmtree(collection.folder / "views")
    anew = open_library(people.data_dir).get(NAME)
    assert found(anew) == before == found(alone)


def rows(collection: Collection) -> dict[tuple[str, int], tuple[object, ...]]:
    """Return text, terms and vectors by document and place."""
    snapshot = collection.workspace.state().snapshot
    names = {d.document_id: d.path for d in snapshot.documents.values()}
    table = snapshot.scan(["document_id", "chunk_index", "text", "terms", "dense"])
    return {
        (names[row["document_id"]], row["chunk_index"]): (row["text"], row["terms"], row["dense"])
        for row in table.to_pylist()
    }


def found(collection: Collection) -> list[tuple[str, int, float]]:
    """Return the results of a few searches with their scores."""
    hits = []
    for query in ("marker", "line file", "uniq3v1", "marker and line 7"):
        for mode in ("keyword", "semantic"):
            for hit in collection.search(query, limit=1000, mode=mode):
                place = hit.provenance
                hits.append(
                    (query, mode, place.document_name, place.char_start, round(hit.score, 4))
                )
    return sorted(hits)


@pytest.mark.slow
def test_together_for_a_moment(people: Crowd) -> None:
    work_together(people, QUICK, every=1.5)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_together_for_long(people: Crowd) -> None:
    work_together(people, LONG, every=4.0)


@pytest.mark.slow
def test_collection_that_comes_and_goes(people: Crowd) -> None:
    people.start("owner", crowd.come_and_go)
    people.start("writer", crowd.use_what_is_there, True)
    people.start("reader", crowd.use_what_is_there, False)
    time.sleep(4.0)
    counts, _ = people.stop()
    assert counts["delete"] > 1, counts
    assert counts["create"] > 1, counts
    library = open_library(people.data_dir)
    assert [info.name for info in library.collections()] == [NAME]
    assert library.damaged() == []
    library.get(NAME).ingest([people.files])
    assert len(look(people.data_dir)[NAME].documents) == WRITERS * crowd.FILES_EACH
    assert garbage(people.data_dir) == []


def test_reading_does_not_wait_for_a_writer(people: Crowd) -> None:
    collection = open_library(people.data_dir).get(NAME)
    with write_session(collection.folder):
        begun = time.monotonic()
        other = open_library(people.data_dir).get(NAME)
        assert list(other.search("marker"))
        assert other.sql("SELECT count(*) AS n FROM chunks")["n"].to_pylist()[0] > 0
        assert other.read.chunks("01.txt")[0].text == text_of(1)
        assert time.monotonic() - begun < PATIENCE
