"""Hostile statements are refused or stopped, touch no file, and reveal nothing of the machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import CaseTrackError, QueryError, UsageError
from casetrack.store.session import write_session
from store.sql import hostile_statements as hostile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.api.collection import Collection

ROOT = Path(__file__).parents[3]
WITHDRAWN = "The withdrawn passage names the informant."
_FILE_EVENTS = ("open", "os.", "shutil.", "socket.", "subprocess.", "tempfile.", "ctypes.dlopen")
_PACKAGE = str(ROOT / "casetrack")
_HARMLESS = {"os.putenv", "os.unsetenv"}


class _Watch:
    """Records Python's use of files, sockets and processes in this thread.

    The package's own files do not count, nor lists of a dataset's versions.
    """

    def __init__(self) -> None:
        self.seen: list[str] = []
        self._thread: int | None = None
        sys.addaudithook(self._note)

    def __enter__(self) -> list[str]:
        self.seen.clear()
        self._thread = threading.get_ident()
        return self.seen

    def __exit__(self, *_: object) -> None:
        self._thread = None

    def _note(self, event: str, args: tuple[Any, ...]) -> None:
        if self._thread != threading.get_ident() or event in _HARMLESS:
            return
        of_its_own = args and (
            str(args[0]).startswith(_PACKAGE) or str(args[0]).endswith(".lance/_versions")
        )
        if event.startswith(_FILE_EVENTS) and not of_its_own:
            self.seen.append(f"{event} {args[:1]}")


@pytest.fixture(scope="module")
def watch() -> _Watch:
    """Return the watch; a hook stays for the life of the process, so there is one."""
    return _Watch()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a home folder, which the environment names, with a secret in it."""
    folder = tmp_path_factory.mktemp("whose-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        patch.setenv("USERPROFILE", str(folder))
        patch.setenv("CASETRACK_CANARY", "sung-in-the-mine")
        yield folder


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data folder."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def collection(home: Path, data: Path, store_text: Callable[..., object]) -> Collection:
    """Return a collection of two documents; a third one was deleted from it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASETRACK_MODELS", str(data / "no-models"))
        collection = Library(load_settings(data)).create("Case")
    with write_session(collection.folder) as session:
        store_text(session, "a.txt", "The rent is due. " * 300, "Second page.")
        store_text(session, "b's.txt", "Delivery is late.")
        store_text(session, "withdrawn.txt", WITHDRAWN)
    collection.delete_document("withdrawn.txt")
    # Modules are loaded before, so that only the statements are observed.
    for statement in hostile.WARM_UP:
        collection.sql(statement).to_pylist()
    return collection


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """Return a folder with files that no statement may read or write."""
    folder = tmp_path / "canary"
    folder.mkdir()
    (folder / "secret.csv").write_text("bird,price\nyellow-canary,2\n")
    (folder / "secret.json").write_text('{"bird": "yellow-canary"}\n')
    (folder / "secret.sql").write_text("SELECT 'yellow-canary';\n")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("group", hostile.REFUSED)
def test_each_is_refused_and_says_what_to_do(
    collection: Collection, watch: _Watch, home: Path, data: Path, canary: Path, group: str
) -> None:
    before = _state(canary)
    problems = []
    for statement in hostile.REFUSED[group]:
        text = statement.replace("{folder}", str(canary))
        with watch as seen:
            message = _said(collection, text)
        problems += [f"{statement!r}: {p}" for p in _refusal_faults(message)]
        problems += [f"{statement!r} tells {t!r}" for t in _told(message, home, data)]
        problems += [f"{statement!r} did {s}" for s in seen]
    assert not problems, "\n".join(problems)
    assert _state(canary) == before
    _goes_on(collection)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("group", hostile.LOOKING)
def test_looking_around_tells_nothing_of_the_machine(
    collection: Collection, watch: _Watch, home: Path, data: Path, canary: Path, group: str
) -> None:
    before = _state(canary)
    problems = []
    for statement in hostile.LOOKING[group]:
        with watch as seen:
            text = _said(collection, statement)
        problems += [f"{statement!r} tells {t!r}" for t in _told(text, home, data)]
        problems += [f"{statement!r} did {s}" for s in seen]
        if WITHDRAWN in str(text):
            problems.append(f"{statement!r} shows what was deleted")
    assert not problems, "\n".join(problems)
    assert _state(canary) == before


def test_texts_that_only_look_hostile_are_answered(collection: Collection) -> None:
    for statement, value in hostile.HARMLESS:
        assert collection.sql(statement).column(0).to_pylist() == [value], statement


@pytest.mark.slow
def test_no_variable_of_python_is_a_table(collection: Collection) -> None:
    frame = pa.table({"secret": ["yellow-canary"]})
    assert frame.num_rows == 1
    for name in ("frame", "hostile", "self", "collection", "sys"):
        with pytest.raises(QueryError):
            collection.sql(f"SELECT * FROM {name}")


def test_parameters_are_values_and_never_sql(collection: Collection) -> None:
    count = "SELECT count(*) AS n FROM documents WHERE name = $v"
    for value in hostile.VALUES:
        assert collection.sql("SELECT $v AS v", params={"v": value})["v"].to_pylist() == [value]
        assert collection.sql(count, params={"v": value})["n"].to_pylist() == [0]


@pytest.mark.slow
def test_searches_without_end_are_ended(collection: Collection) -> None:
    for statement in hostile.SEARCHES:
        with pytest.raises((QueryError, UsageError)) as caught:
            collection.sql(statement)
        assert caught.value.hint, statement
    _goes_on(collection)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are set as POSIX does")
def test_bombs_are_stopped_within_time_and_memory(collection: Collection, data: Path) -> None:
    paths = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    done = subprocess.run(
        [sys.executable, "-m", "store.sql.hostile_statements", str(data), collection.name],
        env={**os.environ, "PYTHONPATH": paths, "CASETRACK_MODELS": str(data / "no-models")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout)
    assert set(report["bombs"]) == set(hostile.BOMBS)
    for name, each in (*report["bombs"].items(), *report["greedy"].items()):
        assert each["error"], f"{name} was answered"
        assert each["hint"], name
        assert len(each["error"]) < 2000, name
        # Of the processor: a clock on the wall would measure who else is at work here.
        assert each["seconds"] < 3, name
    (messages,) = {each["error"] for each in report["greedy"].values()}
    assert f"{hostile.TIGHT['memory_mb']}MB" in messages
    assert report["peak_mib"] < hostile.PEAK_MIB
    assert report["afterwards"] == 2


def _said(collection: Collection, statement: str) -> CaseTrackError | list[dict[str, Any]]:
    """Return the error, or the rows; anything else that is raised is a fault."""
    try:
        return collection.sql(statement).to_pylist()
    except CaseTrackError as error:
        return error


def _refusal_faults(text: CaseTrackError | list[dict[str, Any]]) -> Iterator[str]:
    if not isinstance(text, QueryError):
        yield f"answered with {str(text)[:200]}"
    elif not text.hint:
        yield "has no next step"


def _told(messages: object, home: Path, data: Path) -> list[str]:
    """Return the facts of the machine in a text."""
    secrets = [str(home), str(data), "sung-in-the-mine", "yellow-canary"]
    return [secret for secret in secrets if secret in str(messages)]


def _state(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {p.name: (p.stat().st_mtime_ns, p.read_bytes()) for p in sorted(folder.iterdir())}


def _goes_on(collection: Collection) -> None:
    assert collection.sql("SELECT count(*) AS n FROM documents")["n"].to_pylist() == [2]
