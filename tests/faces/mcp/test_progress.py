"""Long work: rising progress, responsive calls, cancellation that keeps finished work."""

from __future__ import annotations

import itertools
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.api.collection import Collection
from casetrack.base.records import FileOutcome, IngestProgress, IngestReport
from casetrack.faces.mcp.progress import ProgressReporter, StepProgress, keepalive, run_long

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from anyio.abc import TaskStatus
    from mcp.client import Client

    from casetrack.api.library import Library

ERAS = ["2026-07-28", "legacy"]


class Recorder:
    """Takes progress as a request's context does."""

    def __init__(self) -> None:
        self.reports: list[tuple[float, float | None, str]] = []

    async def report_progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        self.reports.append((progress, total, message or ""))

    @property
    def values(self) -> list[float]:
        return [value for value, _, _ in self.reports]


def rises(values: list[float]) -> bool:
    return all(a < b for a, b in itertools.pairwise(values))


async def run_ingest(*arguments: Any, **options: Any) -> IngestReport:
    return await run_long(*arguments, **options)


def _done(count: int, *, cancelled: bool = False) -> IngestReport:
    outcomes = tuple(FileOutcome(f"{n}.txt", "ingested") for n in range(count))
    return IngestReport(outcomes, 0.1, cancelled=cancelled)


def test_progress_rises_inside_one_long_file_and_ends_at_the_total() -> None:
    recorder = Recorder()

    def work(update: Callable[[IngestProgress], None], stop: threading.Event) -> IngestReport:
        for page in range(5):
            update(IngestProgress(0, 2, "long.pdf", page, page))
            time.sleep(0.02)
        update(IngestProgress(1, 2, "short.pdf", 9, 9))
        time.sleep(0.05)
        return _done(2)

    async def main() -> None:
        await run_ingest(work, recorder, anyio.Lock(), set(), beat=0.01)

    anyio.run(main)
    values = recorder.values
    assert rises(values)
    assert len(values) > 6
    assert recorder.reports[-1][:2] == (2.0, 2.0)
    assert all(value < 2 for value in values[:-1])
    assert any("long.pdf" in m for _, _, m in recorder.reports)
    assert any(1 < value < 2 and total == 2 for value, total, _ in recorder.reports)


def test_progress_rises_whatever_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that is silent for a day, phases that count from 0 again, and a long end."""
    recorder, clock = Recorder(), [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    reporter = ProgressReporter(recorder)
    phases = [("embedding", 0), ("embedding", 9), ("embedding", 9), ("storing", 0), ("storing", 9)]

    async def beat(times: int) -> None:
        for _ in range(times):
            clock[0] += 1.0
            await reporter.report()

    async def main() -> None:
        await beat(20_000)
        for what, done in phases:
            reporter.update(StepProgress(what, done, 9))
            await beat(600)
        await reporter.finish()

    anyio.run(main)
    assert len(recorder.values) == 20_000 + 600 * len(phases) + 1
    assert rises(recorder.values)
    assert recorder.values[20_000 - 1] < 1
    assert all(value < total for value, total, _ in recorder.reports[:-1] if total)


def test_cancelling_stops_the_worker_and_waits_for_it() -> None:
    ended = threading.Event()

    def work(update: Callable[[IngestProgress], None], stop: threading.Event) -> IngestReport:
        assert stop.wait(60)
        time.sleep(0.05)
        ended.set()
        return _done(1, cancelled=True)

    async def main() -> bool:
        with anyio.move_on_after(0.1):
            await run_ingest(work, Recorder(), anyio.Lock(), set(), beat=0.02)
        return ended.is_set()

    assert anyio.run(main)


def test_a_call_cancelled_while_it_waits_for_another_writer_never_starts() -> None:
    started: list[bool] = []

    def work(update: Callable[[IngestProgress], None], stop: threading.Event) -> IngestReport:
        started.append(True)
        return _done(1)

    async def main() -> Recorder:
        recorder, lock = Recorder(), anyio.Lock()

        async def write(*, task_status: TaskStatus[None]) -> None:
            async with lock:
                task_status.started()
                await anyio.sleep_forever()

        async with anyio.create_task_group() as group:
            await group.start(write)
            with anyio.move_on_after(0.1):
                await run_ingest(work, recorder, lock, set(), beat=0.02)
            group.cancel_scope.cancel()
        return recorder

    recorder = anyio.run(main)
    assert not started
    assert len(recorder.values) > 1


@pytest.mark.parametrize("mode", ERAS)
def test_a_slow_search_tells_its_client_that_it_goes_on(
    filled: Library, connect: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    received = threading.Event()
    messages: list[float] = []
    search = Collection.search

    def slow(*args: Any, **kwargs: Any) -> Any:
        assert received.wait(30)
        return search(*args, **kwargs)

    async def update(progress: float, _total: float | None, _message: str | None) -> None:
        messages.append(progress)
        if len(messages) == 2:
            received.set()

    async def ask(client: Client) -> Any:
        arguments = {"query": "payment", "collection": "Acme"}
        return await client.call_tool("search_documents", arguments, progress_callback=update)

    monkeypatch.setattr(Collection, "search", slow)
    monkeypatch.setattr("casetrack.faces.mcp.app.keepalive", partial(keepalive, beat=0.02))
    result = connect(filled, ask, mode=mode)
    assert result.structured_content["results_count"]
    assert rises(messages)


def _numbered(root: Path, count: int) -> Path:
    root.mkdir()
    for n in range(count):
        (root / f"{n:03}.txt").write_text(f"Letter number {n} about the delivery of goods.")
    return root


@pytest.mark.parametrize("mode", ERAS)
def test_cancelling_an_ingest_keeps_finished_documents_and_other_calls_answer_meanwhile(
    library: Library, connect: Any, tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _numbered(tmp_path / "in", 3)
    collection = library.create("A")
    real = type(collection).ingest
    blocked, released = threading.Event(), threading.Event()

    def slow(self: Any, paths: Any, /, *, cancel: threading.Event, **options: Any) -> Any:
        """Finish the real files, then wait in one more until cancelled."""
        report = real(self, paths, cancel=cancel, **options)
        blocked.set()
        released.wait(20) if not cancel.wait(20) else released.set()
        return IngestReport(report.outcomes, report.seconds, cancelled=True)

    monkeypatch.setattr(type(collection), "ingest", slow)

    async def work(client: Client) -> list[Any]:
        answers = []
        async with anyio.create_task_group() as group:

            async def ingest() -> None:
                arguments = {"folder_path": str(folder), "collection": "A"}
                await client.call_tool("ingest_folder", arguments)

            group.start_soon(ingest)
            with anyio.fail_after(60):
                while not blocked.is_set():
                    await anyio.sleep(0.02)
            started = time.monotonic()
            answers.append(await client.call_tool("list_documents", {"collection": "A"}))
            answers.append(time.monotonic() - started)
            group.cancel_scope.cancel()
        with anyio.fail_after(60):
            while not released.is_set():
                await anyio.sleep(0.02)
        answers.append(await client.call_tool("list_documents", {"collection": "A"}))
        return answers

    during, seconds, after = connect(library, work, mode=mode)
    assert during.structured_content["total"] == 3
    assert seconds < 30
    assert after.structured_content["total"] == 3
