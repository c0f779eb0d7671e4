"""Tools whose work outlasts their call: the job they return, asking again, stopping it."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import anyio
import pytest

from casetrack.base.jobs import JobStore
from casetrack.faces.mcp import jobs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from mcp.client import Client

    from casetrack.api.library import Library


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch, library: Library) -> Any:
    """Make ingests wait after the first progress until the event is set or they are cancelled."""
    release = threading.Event()
    real = type(library.create("Other")).ingest

    def slow(
        self: Any, paths: Any, /, *, progress: Any, cancel: threading.Event, **more: Any
    ) -> Any:
        from casetrack.base.records import IngestProgress

        progress(IngestProgress(1, 3, "/in/Lease.pdf", 12, 40))
        while not release.wait(0.02) and not cancel.is_set():
            pass
        return real(self, paths, progress=progress, cancel=cancel, **more)

    monkeypatch.setattr(type(library.get("Other")), "ingest", slow)
    return release


def plain(value: Any) -> Any:
    """Return a structured result without values that differ between runs."""
    if isinstance(value, dict):
        changing = {"seconds", "document_id", "collection"}
        return {k: plain(v) for k, v in value.items() if k not in changing}
    return [plain(v) for v in value] if isinstance(value, list) else value


@pytest.mark.slow
def test_asking_again_gives_what_the_call_would_have_given(
    library: Library,
    connect: Any,
    case_folder: Path,
    text: Callable[[Any], str],
    held: threading.Event,
) -> None:
    async def work(client: Client) -> list[Any]:
        await client.call_tool("create_collection", {"name": "Later"})
        arguments = {"folder_path": str(case_folder), "wait_seconds": 1}
        began = time.monotonic()
        first = await client.call_tool("ingest_folder", arguments)
        assert time.monotonic() - began > 0.9
        job_id = first.structured_content["job"]["job_id"]
        during = await client.call_tool("get_job_status", {})
        held.set()
        final = await client.call_tool("get_job_status", {"job_id": job_id, "wait_seconds": 50})
        again = await client.call_tool("get_job_status", {"job_id": job_id[:5]})
        await client.call_tool("create_collection", {"name": "Now"})
        direct = await client.call_tool("ingest_folder", {"folder_path": str(case_folder)})
        return [first, during, final, again, direct]

    first, during, final, again, direct = connect(library, work, mode="legacy")
    job = first.structured_content["job"]
    more = first.structured_content["more"]
    assert first.structured_content == {"collection": "Later", "job": job, "more": more}
    assert all(name in more for name in ("get_job_status", job["job_id"]))
    assert more in text(first)
    assert (job["state"], job["done"], job["total"]) == ("running", 1, 3)
    assert "Lease.pdf" in text(first)
    assert during.structured_content["result"] is None
    assert [j["job_id"] for j in during.structured_content["jobs"]] == [job["job_id"]]
    assert during.structured_content["jobs"][0]["state"] == "running"
    asked = final.structured_content
    assert asked["jobs"][0]["state"] == "done"
    assert plain(asked["result"]) == plain(direct.structured_content)
    assert asked["result"]["counts"]["ingested"] == 3
    assert "job" not in direct.structured_content
    assert text(direct).splitlines()[0].replace("Now", "Later") in text(final)
    assert again.structured_content == asked
    record = JobStore(library.settings.data_dir).get(job["job_id"])
    assert record.result is not None
    assert record.result["counts"] == asked["result"]["counts"]


def test_a_call_that_does_not_wait_at_all(
    library: Library, connect: Any, case_folder: Path, held: threading.Event
) -> None:
    async def work(client: Client) -> list[Any]:
        await client.call_tool("create_collection", {"name": "A"})
        path = str(case_folder / "Notes.txt")
        answers = [
            await client.call_tool("ingest_document", {"file_path": path, "wait_seconds": 0}),
            await client.call_tool("reindex_collection", {"confirm": True, "wait_seconds": 0}),
        ]
        reindex = answers[1].structured_content["job"]["job_id"]
        with anyio.fail_after(20):
            while True:
                listed = await client.call_tool("get_job_status", {})
                states = {j["job_id"]: j["what"] for j in listed.structured_content["jobs"]}
                if states[reindex]:
                    break
                await anyio.sleep(0.05)
        answers.append(listed)
        answers.append(await client.call_tool("cancel_job", {"job_id": reindex}))
        answers.append(
            await client.call_tool("get_job_status", {"job_id": reindex, "wait_seconds": 20})
        )
        held.set()
        first = answers[0].structured_content["job"]["job_id"]
        answers.append(
            await client.call_tool("get_job_status", {"job_id": first, "wait_seconds": 20})
        )
        return answers

    first, second, listed, asked, stopped, done = connect(library, work)
    assert first.structured_content["job"]["state"] in {"queued", "running"}
    assert second.structured_content["job"]["state"] == "queued"
    by_id = {job["job_id"]: job for job in listed.structured_content["jobs"]}
    queued = by_id[second.structured_content["job"]["job_id"]]
    assert queued["state"] == "queued"
    assert "Notes.txt" in queued["what"]
    assert not asked.is_error
    assert stopped.structured_content["jobs"][0]["state"] == "cancelled"
    assert done.structured_content["jobs"][0]["state"] == "done"
    assert done.structured_content["result"]["outcome"]["status"] == "ingested"
    assert len(library.get("A").documents()) == 1


def test_stopping_a_job_keeps_what_is_finished(
    library: Library, connect: Any, case_folder: Path, held: threading.Event
) -> None:
    received: list[tuple[float, str | None]] = []

    async def update(value: float, _total: float | None, message: str | None) -> None:
        received.append((value, message))

    async def work(client: Client) -> list[Any]:
        await client.call_tool("create_collection", {"name": "A"})
        arguments = {"folder_path": str(case_folder), "wait_seconds": 2}
        first = await client.call_tool("ingest_folder", arguments, progress_callback=update)
        job_id = first.structured_content["job"]["job_id"]
        await client.call_tool("cancel_job", {"job_id": job_id})
        ended = await client.call_tool("get_job_status", {"job_id": job_id, "wait_seconds": 20})
        late = await client.call_tool("cancel_job", {"job_id": job_id})
        return [first, ended, late]

    _, ended, late = connect(library, work)
    assert ended.structured_content["jobs"][0]["state"] == "cancelled"
    assert ended.structured_content["result"]["cancelled"]
    assert late.structured_content["jobs"][0]["state"] == "cancelled"
    assert any("Lease.pdf" in (message or "") for _, message in received)
    values = [value for value, _ in received]
    assert values == sorted(set(values))


@pytest.mark.slow
def test_a_server_that_ends_interrupts_its_jobs(
    library: Library, connect: Any, case_folder: Path, held: threading.Event
) -> None:
    async def work(client: Client) -> Any:
        await client.call_tool("create_collection", {"name": "A"})
        arguments = {"folder_path": str(case_folder), "wait_seconds": 0}
        await client.call_tool("ingest_folder", arguments)
        arguments |= {"collection": "Other"}
        return await client.call_tool("ingest_folder", arguments)

    connect(library, work)
    jobs = library.jobs.list()
    assert [(job.state, job.error["code"]) for job in jobs] == [("interrupted", "client_left")] * 2


@pytest.mark.slow
def test_an_error_is_reported_when_it_is_asked_for(
    library: Library, connect: Any, tmp_path: Path, text: Callable[[Any], str], codes: list[str]
) -> None:
    (tmp_path / "torn.pdf").write_bytes(b"%PDF-1.7 torn")

    async def work(client: Client) -> list[Any]:
        await client.call_tool("create_collection", {"name": "A"})
        arguments = {"file_path": str(tmp_path / "torn.pdf")}
        direct = await client.call_tool("ingest_document", arguments)
        later = await client.call_tool("ingest_document", arguments | {"wait_seconds": 0})
        model = {"confirm": True, "profile": "legal", "reparse": False, "wait_seconds": 0}
        reindex = await client.call_tool("reindex_collection", model)
        asked = [
            await client.call_tool(
                "get_job_status",
                {"job_id": answer.structured_content["job"]["job_id"], "wait_seconds": 30},
            )
            for answer in (later, reindex)
        ]
        unknown = await client.call_tool("get_job_status", {"job_id": "j-000000"})
        return [direct, *asked, unknown]

    direct, file, reindex, unknown = connect(library, work)
    assert direct.is_error
    assert not file.is_error
    assert text(file).endswith(text(direct))
    assert file.structured_content["result"]["counts"]["failed"] == 1
    (job,) = reindex.structured_content["jobs"]
    assert (job["state"], job["error"]["code"]) == ("failed", "model_not_found")
    assert "casetrack models pull" in text(reindex)
    assert unknown.is_error
    assert codes[-1] == "job_not_found"


def test_a_job_of_another_program(
    library: Library, connect: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.2)
    received: list[float] = []

    async def update(value: float, _total: float | None, _message: str | None) -> None:
        received.append(value)

    async def work(client: Client, job_id: str) -> list[Any]:
        waited = await client.call_tool(
            "get_job_status", {"job_id": job_id, "wait_seconds": 1}, progress_callback=update
        )
        await client.call_tool("cancel_job", {"job_id": job_id})
        return [waited, await client.call_tool("get_job_status", {})]

    with JobStore(library.settings.data_dir).run("export", title="Export of Acme") as job:
        job.report("copying", 2, 5)
        waited, _ = connect(library, lambda client: work(client, job.id))
        assert job.cancel.wait(2)
        job.result({"bytes": 1}, cancelled=True)
    assert waited.structured_content["jobs"][0]["state"] in {"queued", "running"}
    assert len(received) >= 2
    assert received == sorted(set(received))
    ended = connect(library, lambda client: client.call_tool("get_job_status", {"job_id": job.id}))
    assert ended.structured_content["jobs"][0]["state"] == "cancelled"
    assert ended.structured_content["result"] == {"bytes": 1}


@pytest.mark.slow
def test_a_silent_client_is_answered_before_it_gives_up(
    library: Library, connect: Any, case_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that hears of progress waits longer than one that does not."""
    assert jobs.DEFAULT_WAIT < 60 < jobs.PROGRESS_WAIT
    monkeypatch.setattr(jobs, "DEFAULT_WAIT", 0)
    monkeypatch.setattr(jobs, "PROGRESS_WAIT", 60)
    library.create("A")

    async def update(_value: float, _total: float | None, _message: str | None) -> None:
        pass

    async def work(client: Client) -> list[Any]:
        arguments = {"file_path": str(case_folder / "Notes.txt"), "collection": "A"}
        silent = await client.call_tool("ingest_document", arguments)
        job_id = silent.structured_content["job"]["job_id"]
        await client.call_tool("get_job_status", {"job_id": job_id, "wait_seconds": 30})
        arguments |= {"file_path": str(case_folder / "Letters" / "Reminder.md")}
        message = await client.call_tool("ingest_document", arguments, progress_callback=update)
        return [silent, message]

    silent, message = connect(library, work, mode="legacy")
    assert set(silent.structured_content) == {"collection", "job", "more"}
    assert message.structured_content["outcome"]["status"] == "ingested"
