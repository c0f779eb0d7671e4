"""Temporary files of killed processes go away in time; those in the making do not."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from casetrack.base.files import write_atomic, write_json
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library


def old(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"half of it")
    os.utime(path, (time.time() - 3600,) * 2)
    return path


def test_removed_with_the_next_write_of_the_same_file(tmp_path: Path) -> None:
    stale = old(tmp_path / ".facts.json.0011aabb.tmp")
    others = [
        old(tmp_path / ".other.json.0011aabb.tmp"),
        old(tmp_path / "below" / ".facts.json.0011aabb.tmp"),
        tmp_path / ".facts.json.2233ccdd.tmp",  # another process is writing it
    ]
    others[-1].write_bytes(b"")
    write_json(tmp_path / "facts.json", {"a": 1})
    assert not stale.exists()
    assert all(path.exists() for path in others)


def test_removed_at_the_end_of_a_session(library: Library) -> None:
    folder = library.create("C").folder
    stale = [
        old(folder / "views" / "graph" / ".neighbours.bin.0a.tmp"),
        old(folder / "views" / "index" / ".1-a.tmp" / "rows.arrow").parent,
        old(folder / ".collection.json.0a.tmp"),
    ]
    os.utime(stale[1], (time.time() - 3600,) * 2)
    kept = [old(folder / "views" / "index" / "segment" / "rows.arrow"), folder / "collection.json"]
    with write_session(folder):
        pass
    assert [path for path in stale if path.exists()] == []
    assert all(path.exists() for path in kept)


def test_threads_may_write_the_same_file(tmp_path: Path) -> None:
    """Each thread writes a temporary file first, so the file with the name is always complete."""
    path, contents = tmp_path / "facts", [bytes([n]) * 200_000 for n in range(4)]
    problems = []

    def write(content: bytes) -> None:
        try:
            for _ in range(15):
                write_atomic(path, content)
                if path.read_bytes() not in contents:
                    problems.append("torn")
        except Exception as error:  # noqa: BLE001 - told below
            problems.append(repr(error))

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert [p.name for p in tmp_path.iterdir()] == ["facts"]
