"""Permitted reading, writing and output of the server for any documents and any client."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from casetrack.api.library import Library
from casetrack.base.config import Settings
from casetrack.faces.cli.main import main
from casetrack.faces.mcp.app import build_server
from casetrack.faces.mcp.catalogue import choose
from conformance.cases import Ground, lay_out, readings, writings
from conformance.run import SAMPLE
from hostile import HOSTILE_NAMES, HOSTILE_TEXT, lures

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mcp.types import CallToolResult

pytestmark = pytest.mark.slow

CANARY = "the-canary-sings-4711"
SECRET = "canary-of-the-environment-7391"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Characters that control a terminal."""

# Which arguments of an event are paths, and which are the folders that these are relative to.
WRITING_EVENTS: dict[str, tuple[tuple[int, int | None], ...]] = {
    "os.rename": ((0, 2), (1, 3)),
    "os.mkdir": ((0, 2),),
    "os.remove": ((0, 1),),
    "os.rmdir": ((0, 1),),
    "os.link": ((1, 3),),
    "os.symlink": ((1, 2),),
    "os.truncate": ((0, None),),
    "os.chmod": ((0, 2),),
}


class Witness:
    """Sees which files this process opens and changes while it watches."""

    def __init__(self) -> None:
        self.active = False
        self.opened: list[str] = []
        self.written: list[str] = []
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.active:
            return
        if event == "open":
            path, mode, flags = arguments
            if isinstance(path, (str, bytes)):
                self.opened.append(os.fsdecode(path))
                writes = isinstance(mode, str) and set(mode) & set("wax+")
                if writes or (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                    self.written.append(os.fsdecode(path))
        for place, folder in WRITING_EVENTS.get(event, ()):
            path = arguments[place]
            if not isinstance(path, (str, bytes, os.PathLike)):
                continue
            below = arguments[folder] if folder is not None else -1
            beside = Path(f"/proc/self/fd/{below}")  # base folder of a relative path, if it exists
            known = isinstance(below, int) and below >= 0 and beside.exists()
            self.written.append(
                os.fsdecode(beside.resolve() / os.fsdecode(path) if known else path)
            )

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch as long as the block lasts."""
        self.opened, self.written, self.active = [], [], True
        try:
            yield
        finally:
            self.active = False


@pytest.fixture(scope="module")
def witness() -> Witness:
    """Return the one hook of this module; Python cannot remove a hook again."""
    return Witness()


@pytest.fixture
def surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder for home, temporary files and everything else."""
    for name, variable in (("home", "HOME"), ("tmp", "TMPDIR")):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / name))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("CASETRACK_SECRET_OF_THE_TEST", SECRET)
    return tmp_path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Ground:
    """Return a data folder with the collection "Acme", to be copied."""
    return lay_out(tmp_path_factory.mktemp("built"), SAMPLE, models_dir)


@pytest.fixture
def ground(built: Ground, surroundings: Path) -> Ground:
    """Return a data folder and documents of a test's own."""
    files, data = surroundings / "files", surroundings / "data"
    shutil.copytree(built.files, files)
    shutil.copytree(built.data, data)
    return replace(built, files=files, data=data)


def ask(
    library: Library, calls: list[tuple[str, dict[str, Any]]], *, read_only: bool = False
) -> Any:
    """Make calls on one connection and return their results."""

    async def main() -> list[CallToolResult]:
        choice = choose(None, read_only=read_only)
        async with Client(build_server(library, choice), mode="legacy") as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return anyio.run(main)


def state_of(folder: Path, *, without: tuple[Path, ...] = ()) -> dict[str, str]:
    """Return the paths below a folder with the hashes of their content."""
    by_name: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        if any(path.is_relative_to(other) for other in without):
            continue
        content = path.read_bytes() if path.is_file() else b""
        by_name[str(path.relative_to(folder))] = hashlib.sha256(content).hexdigest()
    return by_name


def library_of(ground: Ground, models_dir: Path) -> Library:
    return Library(Settings(data_dir=ground.data, models_dir=models_dir))


def test_reading_tools_change_nothing(ground: Ground, models_dir: Path, witness: Witness) -> None:
    library = library_of(ground, models_dir)
    calls = readings(ground)
    ask(library, calls, read_only=True)  # views are built on first use, and kept
    before = state_of(ground.data)
    with witness.watching():
        results = ask(library_of(ground, models_dir), calls, read_only=True)
    assert state_of(ground.data) == before
    assert [p for p in witness.written if p != os.devnull] == []
    for (tool, _), result in zip(calls, results, strict=True):
        assert not result.is_error, (tool, result.content)


def test_a_read_only_server_refuses_every_tool_that_writes(
    ground: Ground, models_dir: Path
) -> None:
    library = library_of(ground, models_dir)

    before = state_of(ground.data)

    async def refused() -> set[int]:
        values = set()
        server = build_server(library, choose(None, read_only=True))
        async with Client(server, mode="legacy") as client:
            for name, arguments in writings(ground, "Own"):
                with pytest.raises(MCPError) as caught:
                    await client.call_tool(name, arguments)
                values.add(caught.value.code)
        return values

    assert anyio.run(refused) == {-32602}
    assert state_of(ground.data) == before


def test_writing_tools_write_below_the_data_folder_only(
    ground: Ground, surroundings: Path, models_dir: Path, witness: Witness
) -> None:
    library = library_of(ground, models_dir)
    scratch = surroundings / "tmp"
    before = state_of(surroundings, without=(ground.data,))
    with witness.watching():
        calls = writings(ground, "Own")
        results = ask(library, calls)
    for (tool, _), result in zip(calls, results, strict=True):
        assert not result.is_error, (tool, result.content)
    allowed = (ground.data, scratch, Path(os.devnull), Path("/dev/shm"))
    assert witness.written
    for path in map(Path, witness.written):
        assert any(path.is_relative_to(place) for place in allowed), path
    # Worker processes are included: nothing remains, not even in the folder for temporary files.
    assert state_of(surroundings, without=(ground.data,)) == before


# --- content of documents -------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who opens a file")
def test_documents_cannot_make_it_read_other_files(
    surroundings: Path, models_dir: Path, witness: Witness
) -> None:
    from watchdog.events import FileSystemEventHandler
    from watchdog.observers import Observer

    secret = surroundings / "secret"
    secret.mkdir()
    canary = secret / "canary.txt"
    canary.write_text(CANARY, encoding="utf-8")
    lures(surroundings / "docs", canary)
    touched: list[str] = []

    class Handler(FileSystemEventHandler):
        def on_any_event(self, event: Any) -> None:
            touched.append(f"{event.event_type} {event.src_path}")

    observer = Observer()
    observer.schedule(Handler(), str(secret))
    observer.start()
    try:
        canary.read_text(encoding="utf-8")
        _wait_for(lambda: f"closed_no_write {canary}" in touched)
        touched.clear()
        library = Library(Settings(data_dir=surroundings / "data", models_dir=models_dir))
        with witness.watching():
            calls: list[Any] = [
                ("create_collection", {"name": "A"}),
                ("ingest_folder", {"folder_path": str(surroundings / "docs")}),
                ("list_documents", {}),
                ("search_documents", {"query": "terms", "top_k": 50}),
                ("get_collection_summary", {}),
            ]
            results = ask(library, calls)
            names = [d.name for d in library.get("A").documents()]
            results += ask(
                library,
                [("get_document_chunks", {"document_name": n, "collection": "A"}) for n in names],
            )
        time.sleep(0.3)  # an event of the last moment is still on its way
    finally:
        observer.stop()
        observer.join()
    assert len(names) >= 8, results[1].content
    assert touched == []
    assert not [path for path in witness.opened if path.startswith(str(secret))]
    messages = "\n".join(result.model_dump_json() for result in results)
    assert CANARY not in messages
    escaped = [path for path in surroundings.rglob("*") if path.name == "escaped.txt"]
    inside = surroundings / "data"
    assert all(path.is_relative_to(inside) for path in escaped)


def _wait_for(met: Any) -> None:
    deadline = time.monotonic() + 60
    while not met():
        assert time.monotonic() < deadline, "the watch on the canary does not work"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Library:
    """Return a library whose documents have hostile names and texts; only for reading."""
    root = tmp_path_factory.mktemp("hostile")
    docs = root / "docs"
    docs.mkdir()
    for number, name in enumerate(HOSTILE_NAMES):
        (docs / name).write_text(f"{HOSTILE_TEXT}Document {number}.\n", encoding="utf-8")
    library = Library(Settings(data_dir=root / "data", models_dir=models_dir))
    library.create("Acme").ingest([docs])
    return library


def test_hostile_names_and_texts_are_only_text(hostile: Library) -> None:
    acme = hostile.get("Acme")
    assert {document.name for document in acme.documents()} == set(HOSTILE_NAMES)
    chunk = acme.read.chunks(acme.documents()[0].document_id)[0]
    docs = Path(acme.documents()[0].path).parent
    ground = Ground(
        hostile.settings.data_dir,
        docs,
        chunk.chunk_id,
        acme.documents()[0].document_id,
        acme.info.id,
        "",
    )
    calls = [
        (tool, _about(arguments, acme.documents()[0].document_id, acme.documents()[1].document_id))
        for tool, arguments in readings(ground)
        if tool != "get_page_image"
    ]
    by_name = [("get_document", {"document_name": n, "collection": "Acme"}) for n in HOSTILE_NAMES]
    results = ask(hostile, [*calls, *by_name])
    for (tool, _), result in zip([*calls, *by_name], results, strict=True):
        text = "".join(getattr(block, "text", "") for block in result.content)
        assert not CONTROL.search(text), (tool, CONTROL.search(text), text[:500])
        assert "\nlines" not in text, tool  # a name stays on its line
        if tool != "search_entity_relationships":  # one of its names is not in these texts
            assert not result.is_error, (tool, text)
    assert {d.name for d in hostile.get("Acme").documents()} == set(HOSTILE_NAMES)


def _about(arguments: dict[str, Any], first: str, second: str) -> dict[str, Any]:
    """Return arguments that name these documents instead of those of the usual ground."""
    names = {"document_name": first, "document_a": first, "document_b": second}
    names |= {"before": first, "after": second}
    return {name: names.get(name, value) for name, value in arguments.items()}


COMMANDS = [
    ["documents", "-c", "Acme"],
    ["search", "terms of sale", "-c", "Acme"],
    ["search", "terms of sale", "-c", "Acme", "--mode", "keyword", "--explain"],
    ["entities", "-c", "Acme"],
    ["summary", "-c", "Acme"],
    ["collection", "list"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_the_command_line_sends_no_control_characters(
    hostile: Library,
    command: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CASETRACK_MODELS", str(hostile.settings.models_dir))
    assert main(["--data-dir", str(hostile.settings.data_dir), *command]) == 0
    message = capsys.readouterr()
    assert not CONTROL.search(message.out), CONTROL.search(message.out)
    assert not CONTROL.search(message.err)
