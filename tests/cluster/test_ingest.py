"""Ingest on a cluster gives the same result as one process, even if processes die.

The processes of the cluster are calls in this process, with serialized arguments and results;
``test_on_ray.py`` uses Ray itself.
"""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from email.message import EmailMessage
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.base.errors import ClusterDiffers, ClusterFailed, DuplicateDocument, UsageError
from casetrack.base.records import DEFAULT_PROFILE
from casetrack.cluster.connect import Cluster
from casetrack.cluster.ingest import call, engine, run, work
from casetrack.cluster.ingest.engine import Finisher, find_facts, read_files
from casetrack.cluster.ingest.run import PlannerActor
from casetrack.cluster.ingest.work import Order, Work, block_of, bodies_of
from casetrack.ingest import batch
from casetrack.ingest import run as ingest_run
from casetrack.ingest.discover import FoundFile
from casetrack.parse.workers.messages import pack_error
from casetrack.store.datasets import CHUNKS, open_dataset
from casetrack.store.session import leftovers
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

OF_THEIR_MOMENT = {
    *("document_id", "revision", "parent_id", "ingested_at", "updated_at", "original_copy"),
    *("chunk_id", "created_at", "embedded_at", "checksum"),
}


@dataclass
class InProcess:
    """Executes tasks in this process. The result of a block that *dies* selects is lost."""

    recipe: bytes
    has_models: bool
    cpus: float
    dies: Callable[[list[str]], bool] = lambda _: False
    failure: Exception | None = None
    blocks: list[list[str]] = field(default_factory=list)
    asked: bool = False
    alone: list[bool] = field(default_factory=list)

    def facts(self, blocks: Sequence[pa.Table], /) -> Any:
        self.asked = True
        return self._given(blocks, lambda block: find_facts(block, self.recipe), of_life=True)

    def works(self, blocks: Sequence[pa.Table], planner: Any, /, *, alone: bool) -> Any:
        self.alone.append(alone)
        finisher = Finisher(self.recipe, 1)

        def whole(block: pa.Table) -> pa.Table:
            made = read_files(block, self.recipe, planner)
            return finisher(made) if self.has_models else made

        return self._given(blocks, whole)

    @contextmanager
    def _given(
        self, blocks: Sequence[pa.Table], work: Any, *, of_life: bool = False
    ) -> Iterator[Any]:
        yield Results(self._tables(blocks, work, of_life), self.failure)

    def _tables(
        self, blocks: Sequence[pa.Table], work: Any, of_life: bool
    ) -> Iterator[pa.Table | None]:
        for block in blocks:
            names = [order.found.path.name for order in bodies_of(block, Order)]
            if not of_life:
                self.blocks.append(names)
            made = work(block)
            yield None
            if of_life or not self.dies(names):
                yield made


class Results:
    def __init__(self, tables: Iterator[Any], failure: Exception | None) -> None:
        self._tables, self.failure = tables, failure

    def __iter__(self) -> Iterator[Any]:
        return self._tables


class Asked:
    """A registrar in this process; all that passes goes through bytes."""

    def __init__(self, planner: Any) -> None:
        self._registrar = PlannerActor(pickle.dumps(planner))

    def settle(self, *given: Any) -> Any:
        answer = self._registrar.settle(*pickle.loads(pickle.dumps(given)))
        if isinstance(answer, tuple):
            raise DuplicateDocument(*answer)
        return answer

    def removed_attachments(self, job: Any, /, *, but: Any) -> Any:
        return self._registrar.removed_attachments(job, set(but))


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[InProcess]]:
    """Replace clusters by this process; return the used engines in order.

    Files are read one at a time: of two files with the same attachment that are read at once, the
    first to finish keeps it.
    """
    for module in (batch, ingest_run):
        monkeypatch.setattr(module, "PARALLEL_FILES", 1)
    made: list[InProcess] = []

    def engine(*given: Any) -> InProcess:
        made.append(InProcess(*given))
        return made[-1]

    @contextmanager
    def connected(address: str, /, *, memory: int) -> Iterator[Cluster]:
        yield Cluster(address, address == "local", 2.0)

    monkeypatch.setattr(call, "connected", connected)
    monkeypatch.setattr(call, "Engine", engine)
    monkeypatch.setattr(run, "start", Asked)
    work.kit_of.cache_clear()
    yield made
    work.kit_of.cache_clear()


@pytest.fixture
def with_models(library: Library, monkeypatch: pytest.MonkeyPatch) -> Library:
    fakes = FakeEncoders(WordEncoder(DEFAULT_PROFILE, token_width=None))
    monkeypatch.setattr(work, "Encoders", lambda *_args, **_more: fakes)
    library.encoders = fakes
    return library


def made(library: Library, name: str) -> Collection:
    return library.create(name, profile=DEFAULT_PROFILE)


def mail(path: Path, *, attached: dict[str, str], words: str = "See what is attached.") -> None:
    message = EmailMessage()
    message["Subject"] = path.stem
    message.set_content(words)
    for name, text in attached.items():
        message.add_attachment(text, filename=name)
    path.write_bytes(message.as_bytes())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "in"
    home.mkdir()
    for n in range(8):
        text = "\n\n".join(f"Paragraph {k} of contract {n} names the rent." for k in range(30))
        (home / f"contract {n:02d}.txt").write_text(text)
    (home / "twin.txt").write_text((home / "contract 03.txt").read_text())
    (home / "empty.txt").write_text("")
    (home / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing that makes sense")
    (home / "program.exe").write_bytes(b"MZ\x00\x01")
    mail(home / "mail a.eml", attached={"terms.txt": "The terms are these.", "b.txt": "Only here."})
    mail(home / "mail b.eml", attached={"terms.txt": "The terms are these."})
    return home


def rows(collection: Collection) -> tuple[dict[str, Any], dict[tuple[str, int], Any]]:
    """Return the documents and chunks of a collection without columns of time."""
    snapshot = collection.workspace.state().snapshot
    paths = {d.document_id: d.path for d in snapshot.documents.values()}

    def plain(row: dict[str, Any]) -> dict[str, Any]:
        return {k: v for k, v in row.items() if k not in OF_THEIR_MOMENT}

    documents = {
        d.path: plain(d.as_row()) | {"parent": paths.get(d.parent_id or "")}
        for d in snapshot.documents.values()
    }
    table = snapshot.scan(snapshot.chunks.schema.names)
    chunks = {
        (paths[row["document_id"]], row["chunk_index"]): plain(row) for row in table.to_pylist()
    }
    return documents, chunks


def ends(report: Any) -> list[tuple[str, str, str]]:
    return [(Path(o.path).name, o.status, o.code) for o in report.outcomes]


@pytest.mark.slow
@pytest.mark.parametrize("on", ["local", "there:6379"])
def test_a_cluster_makes_what_one_process_makes(
    with_models: Library,
    engines: list[InProcess],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    on: str,
) -> None:
    monkeypatch.setattr(call, "require_same", lambda: None)
    monkeypatch.setattr(call, "on_each_machine", lambda ask, *given: {"a": ask(*given)})
    local, remote = made(with_models, "here"), made(with_models, "there")
    seen = []
    expected = local.ingest([folder])
    result = remote.ingest([folder], engine="ray", on=on, progress=seen.append)
    assert ends(result) == ends(expected)
    assert rows(remote) == rows(local)
    assert engines[-1].has_models
    assert (seen[-1].done, seen[-1].total) == (14, 14)
    assert seen[-1].chunks == sum(o.chunks for o in result.outcomes) > 0
    assert remote.search("rent").results[0].text == local.search("rent").results[0].text
    assert not leftovers(remote.workspace.folder)
    again = remote.ingest([folder], engine="ray", on=on)
    assert ends(again) == ends(local.ingest([folder]))
    assert engines[-1].asked == (on != "local"), "a machine that sees all looks by itself"


def test_a_failing_extractor_is_the_same_on_a_cluster(
    with_models: Library, engines: list[InProcess], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def boom(*_args: Any, **_more: Any) -> Any:
        raise IndexError("list index out of range")

    path = tmp_path / "a.txt"
    path.write_text("The rent of $500 was due on 3 May 2021.")
    monkeypatch.setattr("casetrack.extract.amounts.find_amounts", boom)
    monkeypatch.setattr("casetrack.ingest.assemble.read_caption", boom)
    local, remote = made(with_models, "here"), made(with_models, "there")
    expected, result = local.ingest([path]), remote.ingest([path], engine="ray", on="local")
    assert ends(result) == ends(expected) == [("a.txt", "partial", "")]
    assert rows(remote) == rows(local)
    assert result.outcomes[0].message == expected.outcomes[0].message


@pytest.mark.slow
def test_what_changed_is_read_again_and_no_text_is_embedded_twice(
    with_models: Library, engines: list[InProcess], folder: Path
) -> None:
    local, remote = made(with_models, "here"), made(with_models, "there")
    local.ingest([folder])
    remote.ingest([folder], engine="ray")
    file = folder / "contract 01.txt"
    file.write_text(file.read_text() + "\n\nAnd a last word about notice.")
    mail(folder / "mail a.eml", attached={"b.txt": "Only here, and longer."})
    expected = local.ingest([folder])
    models = work.Encoders().get(DEFAULT_PROFILE)
    models.seen.clear()
    result = remote.ingest([folder], engine="ray")
    assert ends(result) == ends(expected)
    assert rows(remote) == rows(local)
    assert {Path(o.path).name for o in result.outcomes if o.updated} >= {"contract 01.txt"}
    assert not any("contract 2" in text for text in models.seen)


def test_a_file_that_ends_its_process_fails_alone(
    library: Library, engines: list[InProcess], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines_settings(monkeypatch, dies=lambda names: "contract 05.txt" in names)
    report = library.create("there", profile=DEFAULT_PROFILE).ingest([folder], engine="ray")
    status = {name: (status, code) for name, status, code in ends(report)}
    assert status["contract 05.txt"] == ("failed", "worker_crashed")
    assert sum(code == "worker_crashed" for _, code in status.values()) == 1
    assert status["contract 04.txt"] == status["contract 06.txt"] == ("ingested", "")
    tries = [names for names in engines[-1].blocks if "contract 05.txt" in names]
    assert [len(names) == 1 for names in tries[1:]] == [True, True]
    assert engines[-1].alone == [False, True, True]
    [messages] = [o for o in report.outcomes if o.code == "worker_crashed"]
    assert "contract 05.txt (3 " in messages.message
    assert "contract 05" not in str(rows(library.get("there"))[1])


@pytest.mark.slow
@pytest.mark.parametrize("lost", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_what_is_lost_is_done_again(
    library: Library,
    engines: list[InProcess],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    lost: int,
) -> None:
    one = library.create("here", profile=DEFAULT_PROFILE)
    expected = one.ingest([folder])
    turns = itertools.count()
    engines_settings(monkeypatch, dies=lambda _: (turn := next(turns)) % 3 == lost and turn < 16)
    collection = library.create("there", profile=DEFAULT_PROFILE)
    result = collection.ingest([folder], engine="ray")
    assert ends(result) == ends(expected)
    assert rows(collection) == rows(one)
    dataset = open_dataset(collection.workspace.folder, CHUNKS)
    live = {file.path for part in dataset.get_fragments() for file in part.data_files()}
    stored = {path.name for path in (collection.workspace.folder / CHUNKS / "data").iterdir()}
    assert live <= stored


def engines_settings(monkeypatch: pytest.MonkeyPatch, **settings: Any) -> None:
    made = call.Engine
    monkeypatch.setattr(call, "Engine", lambda *given: configured(made(*given), settings))


def configured(engine: InProcess, settings: dict[str, Any]) -> InProcess:
    for name, value in settings.items():
        setattr(engine, name, value)
    return engine


def test_who_left_the_cluster_waits_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "_SILENCE", 0.0)
    monkeypatch.setattr(engine, "is_disconnected", lambda: True)
    over = threading.Event()

    class Silent:
        def iter_batches(self, **_: object) -> Iterator[Any]:
            over.wait(60)
            return iter(())

    with engine.Results(Silent()) as results:
        assert [table for table in results if table is not None] == []
        over.set()
    assert isinstance(results.failure, ConnectionError)


@pytest.mark.slow
def test_who_left_the_cluster_keeps_what_came(
    library: Library, engines: list[InProcess], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = ConnectionError("this machine has left the cluster")
    engines_settings(monkeypatch, dies=lambda names: "contract 05.txt" in names, failure=left)
    remote = library.create("there", profile=DEFAULT_PROFILE)
    with pytest.raises(ClusterFailed, match="this machine has left the cluster") as caught:
        remote.ingest([folder], engine="ray")
    assert caught.value.hint
    held = {d.name for d in remote.documents()}
    assert "contract 04.txt" in held
    assert "contract 05.txt" not in held


@pytest.mark.slow
def test_what_a_killed_process_was_at_is_gone_with_the_next_work(
    library: Library,
    engines: list[InProcess],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    home = tmp_path / "temporary"
    home.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(home))
    lost = """if True:
        import os, sys
        from casetrack.store.scratch import working_folder
        with working_folder() as folder:
            (folder / "secret.txt").write_text("what was read")
            os._exit(9)
    """
    env = os.environ | dict.fromkeys(["TMPDIR", "TEMP", "TMP"], str(home))
    ended = subprocess.run([sys.executable, "-c", lost], env=env, check=False)
    assert ended.returncode == 9
    [left] = home.rglob("secret.txt")
    assert os.name == "nt" or left.parent.stat().st_mode & 0o077 == 0
    library.create("there", profile=DEFAULT_PROFILE).ingest([folder], engine="ray")
    assert not list(home.glob("casetrack-work-*"))


def test_a_cluster_that_gives_nothing_back_ends_the_work(
    library: Library, engines: list[InProcess], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines_settings(monkeypatch, dies=lambda _: True, failure=RuntimeError("a\nno room left."))
    collection = library.create("there", profile=DEFAULT_PROFILE)
    with pytest.raises(ClusterFailed) as caught:
        collection.ingest([folder / "contract 00.txt"], engine="ray")
    assert "(no room left)" in caught.value.message
    assert collection.ingest([folder]).count("ingested") == 12


def test_an_error_of_the_whole_batch_is_raised_here(
    library: Library, engines: list[InProcess], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(block: pa.Table, *_: Any) -> pa.Table:
        from casetrack.base.errors import DiskFull

        return block_of([Work(0, problem=pack_error(DiskFull(Path("/there"))))])

    monkeypatch.setitem(globals(), "read_files", full)
    collection = library.create("there", profile=DEFAULT_PROFILE)
    with pytest.raises(Exception, match="/there"):
        collection.ingest([folder], engine="ray")


@pytest.mark.slow
def test_the_free_tier_takes_as_many_as_one_process(
    library: Library, engines: list[InProcess], tmp_path: Path, free_tier: None
) -> None:
    many = tmp_path / "many"
    many.mkdir()
    for n in range(130):
        (many / f"{n:03d}.txt").write_text(f"Letter {n}." if n != 7 else "")
    local, remote = library.create("here"), library.create("there")
    expected = local.ingest([many])
    result = remote.ingest([many], engine="ray")
    assert ends(result) == ends(expected)
    assert result.notes == expected.notes


def test_a_bucket_without_a_cluster_is_refused(library: Library) -> None:
    with pytest.raises(UsageError) as caught:
        library.create("here").ingest("s3://docs/letters")
    assert "s3://docs/letters" in caught.value.message
    assert "--on local" in caught.value.hint


def test_an_unknown_engine_is_refused(library: Library, folder: Path) -> None:
    with pytest.raises(UsageError) as caught:
        library.create("here").ingest([folder], engine="spark")
    assert "spark" in caught.value.message


@pytest.mark.slow
def test_two_programs_at_once_end_as_one(
    library: Library, engines: list[InProcess], folder: Path
) -> None:
    remote = library.create("there", profile=DEFAULT_PROFILE)
    with ThreadPoolExecutor(2) as pool:
        reports = list(pool.map(lambda _: remote.ingest([folder], engine="ray"), range(2)))
    assert sorted(report.count("ingested") for report in reports) == [0, 12]
    local = library.create("here", profile=DEFAULT_PROFILE)
    local.ingest([folder])
    assert rows(remote) == rows(local)


# --- checks before work begins -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("look", "message", "hint"),
    [
        (
            call.Machine("other", "same", has_models=False),
            "models or packages differ",
            "casetrack doctor",
        ),
        (
            call.Machine("same", "same", has_models=True),
            "models of the profile mini",
            "casetrack models pull mini",
        ),
        (
            call.Machine("same", "other", has_models=False),
            "other text recognition for scans",
            "same engines",
        ),
        (
            call.Machine(unseen=("/letters/a.txt",)),
            "The machine b of the cluster does not see /letters/a.txt, or sees another file.",
            "s3://bucket/folder",
        ),
        (
            call.Machine(problem=("There is no bucket 'docs'.", "Check it.")),
            "The machine b of the cluster cannot work: There is no bucket 'docs'.",
            "Check it.",
        ),
    ],
)
def test_machines_that_differ_are_reported_before_work_begins(
    library: Library,
    engines: list[InProcess],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    look: call.Machine,
    message: str,
    hint: str,
) -> None:
    collection = library.create("there", profile=DEFAULT_PROFILE)

    def on_each(question: Any, *given: Any) -> dict[str, call.Machine]:
        own = question(*given)
        values = {"fingerprint": own.fingerprint, "read_with": own.read_with}
        real = {name: values[name] for name in values if getattr(look, name) == "same"}
        return {"a": own, "b": pickle.loads(pickle.dumps(replace(look, **real)))}

    monkeypatch.setattr(call, "require_same", lambda: None)
    monkeypatch.setattr(call, "on_each_machine", on_each)
    with pytest.raises(ClusterDiffers) as caught:
        collection.ingest([folder], engine="ray", on="there:6379")
    assert "machine b of the cluster" in caught.value.message
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert not rows(collection)[0]


def test_a_folder_of_the_laptop_is_not_seen_elsewhere(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("One")
    mark = call._signature(file)
    assert call.machine_state(b"", [(str(tmp_path / "b.txt"), mark)]).unseen
    file.write_text("Two")  # another file at the same path
    assert call.machine_state(b"", [(str(file), mark)]).unseen == (str(file),)
    assert FoundFile(file, named=True).place == ()
