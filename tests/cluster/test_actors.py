"""Shards on a real cluster of this computer: killed, restarted, silent, and asked too much."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import PackageMissing, SearchBusy, UsageError
from casetrack.cluster.connect import connected
from casetrack.cluster.search import serving
from casetrack.cluster.search.coordinator import Coordinator
from casetrack.cluster.search.serving import RayShards, Wanted, shard_cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.api.collection import Collection

# Warnings of Ray and its packages are not ours.
pytestmark = pytest.mark.filterwarnings("ignore")
CHECKOUT = Path(__file__).parents[2]
QUESTION = "payment terms"


def test_without_ray_there_is_a_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(PackageMissing) as caught, connected("local"):
        pass
    assert "pip install casetrack[ray]" in caught.value.hint


@pytest.fixture(scope="module")
def alone(data_dir: Path, models_dir: Path) -> Collection:
    return Library(replace(load_settings(data_dir), models_dir=models_dir)).get("Demo")


@pytest.fixture(scope="module")
def shards(data_dir: Path) -> Iterator[RayShards]:
    """Four shards and two aggregators, of two shards each."""
    with pytest.MonkeyPatch.context() as patch, shard_cluster("local"):
        patch.setattr(serving, "_FAN_IN", 2)
        yield serving.start_shards(data_dir, Wanted(4, waiting=2), 2.0)


@pytest.fixture(scope="module")
def front(data_dir: Path, models_dir: Path, shards: RayShards) -> Collection:
    settings = replace(load_settings(data_dir), models_dir=models_dir)
    return Library(settings, searched_by=Coordinator(shards).lists).get("Demo")


def found(collection: Collection) -> list[tuple]:
    return [(r.chunk_id, r.score) for r in collection.search(QUESTION)]


# This one comes first: a process is connected with one cluster at a time.


@pytest.mark.slow
def test_the_example_of_the_page(
    data_dir: Path, alone: Collection, monkeypatch: pytest.MonkeyPatch, models_dir: Path
) -> None:
    page = (CHECKOUT / "docs" / "beyond-one-machine.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"(?ms)^```python$(.+?)^```$", page)
    monkeypatch.setenv("CASETRACK_HOME", str(data_dir))
    monkeypatch.setenv("CASETRACK_MODELS", str(models_dir))
    names: dict[str, Any] = {}
    exec(example.replace("Acme", "Demo"), names)
    assert [(r.chunk_id, r.score) for r in names["results"]] == found(alone)


@pytest.mark.slow
def test_the_life_of_shards(
    data_dir: Path,
    shards: RayShards,
    front: Collection,
    alone: Collection,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serving, "_PATIENCE", 120.0)
    expected = found(alone)
    assert found(front) == expected
    assert [tuple(s.as_dict().values()) for s in serving.states(data_dir)] == [
        *((number, 1, 1, "shard") for number in (1, 2, 3, 4)),
        *((number, 1, 1, "aggregator") for number in (1, 2)),
    ]
    with pytest.raises(UsageError, match=r"4 .*5"):
        serving.start_shards(data_dir, Wanted(5), 2.0)
    # A later client uses the running shards.
    assert serving.start_shards(data_dir, Wanted(), 2.0).names == shards.names

    # After a kill, either the successor answers or the answer names the part that was not searched.
    for killed, missing in ((shards.names[1], {"2"}), (shards.aggregators[1], {"2", "4"})):
        os.kill(shards.about()[killed].process, signal.SIGKILL)
        message = front.search(QUESTION)
        assert [(r.chunk_id, r.score) for r in message] == expected or any(
            set(re.findall("(.) of 4", note)) == missing for note in message.notes
        )
        deadline = time.monotonic() + 120
        while found(front) != expected:
            assert time.monotonic() < deadline

    # All are restarted, while questions come.
    done, answers = threading.Event(), list[list[tuple]]()

    def ask() -> None:
        while not done.is_set():
            answers.append(found(front))

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        assert serving.restart(data_dir) == list(shards.names)
    finally:
        done.set()
        asking.join()
    assert answers
    assert all(answer == expected for answer in answers)


@pytest.mark.slow
def test_a_silent_shard_is_named_and_too_many_questions_are_refused(
    shards: RayShards, front: Collection, alone: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Those that answer have that long on a busy machine, and the silent one is waited for once.
    monkeypatch.setattr(serving, "_PATIENCE", 25.0)
    monkeypatch.setattr(serving, "_FETCHING", 10.0)
    shards._silent.clear()
    whole = alone.search(QUESTION)
    process = shards.about()[shards.names[0]].process
    os.kill(process, signal.SIGSTOP)
    try:
        message = front.search(QUESTION)
        (note,) = (n for n in message.notes if n not in whole.notes)
        assert "20 s" in note
        assert message.searched_chunks < whole.searched_chunks
        assert message.results

        def ask(_: int) -> str:
            try:
                front.search(QUESTION)
            except SearchBusy as error:
                return error.message
            return ""

        with ThreadPoolExecutor(16) as threads:
            output = set(threads.map(ask, range(16)))
        assert " 2 " in next(text for text in output if text)
    finally:
        os.kill(process, signal.SIGCONT)
    deadline = time.monotonic() + 120
    while found(front) != found(alone):
        assert time.monotonic() < deadline
