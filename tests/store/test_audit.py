"""The audit log has every change, and any manipulation of it is detected."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from casetrack.api.library import Library
from casetrack.base import actor
from casetrack.base.config import load_settings
from casetrack.base.errors import DiskFull, NotWritable
from casetrack.faces.cli.main import main
from casetrack.ingest.pipeline import Tools
from casetrack.store import audit
from casetrack.store.session import write_session
from conftest import store_text
from fakes import WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from casetrack.api.collection import Collection

TOOLS = Tools(encoder=WordEncoder("mini", token_width=None))


def fill(collection: Collection, *names: str) -> None:
    with write_session(collection.folder) as session:
        for name in names:
            store_text(session, name, f"The harbour master of {name} signed.", tools=TOOLS)


def actions(library: Library) -> list[str]:
    """Return the logged actions; an action with several commits counts once."""
    every = [e.action for e in reversed(library.audit.entries())]
    return [action for action, _ in itertools.groupby(every)]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A data folder whose log has five entries."""
    for number in range(5):
        audit.add(tmp_path, "documents added", {"collection": "c", "count": number})
    return tmp_path


# --- content ---------------------------------------------------------------------------------


def test_every_change_stands_in_it(library: Library, tmp_path: Path) -> None:
    case = library.create("Case")
    fill(case, "a.txt", "b.txt", "c.txt")
    case.marks.tag("a.txt", "privileged")
    case.admin.describe(description="About it")
    case.admin.take_snapshot("full")
    case.delete_document("b.txt")
    case.admin.restore("full")
    case.admin.export(tmp_path / "out")
    case.admin.close()
    library.import_archive(tmp_path / "out.ctcollection")
    library.delete("Case (2)")
    assert actions(library) == [
        "collection created",
        "documents added",
        "marks added",
        "collection changed",
        "snapshot taken",
        "documents deleted",
        "documents added",
        "snapshot restored",
        "collection exported",
        "collection closed",
        "collection imported",
        "collection deleted",
    ]
    entries = library.audit.entries(action="added")
    assert sum(e.count for e in entries if e.action == "documents added") == 4
    assert {e.user for e in entries} == {actor.user()}
    assert {e.program for e in entries} <= {actor.program()}
    [exported] = library.audit.entries(action="exported")
    assert exported.detail == str(tmp_path / "out.ctcollection")
    assert library.audit.verify().ok


def test_a_changed_file_is_in_it(library: Library, tmp_path: Path) -> None:
    case, file = library.create("Case"), tmp_path / "x.txt"
    for text in ("The lease.", "The other lease."):
        file.write_text(text)
        case.ingest(file)
    assert actions(library)[1:] == ["documents added", "documents changed"]


def test_deleted_leaves_that_it_was_and_neither_name_nor_words(library: Library) -> None:
    case = library.create("Blackmere v. Seed")
    fill(case, "Zielinski letter.txt", "kept.txt")
    document = case.document("Zielinski letter.txt").document_id
    added = library.audit.entries(action="added")
    assert {n for e in added for n in e.names} == {"Zielinski letter.txt", "kept.txt"}
    case.delete_document("Zielinski letter.txt", secure=True)
    data = (library.settings.data_dir / audit.FILE).read_text()
    assert "Zielinski" not in data
    assert "harbour" not in data
    [gone] = library.audit.entries(action="documents deleted")
    assert (gone.documents, gone.names, gone.collection) == ((document,), ("",), case.name)
    library.delete(case.name)
    assert "Blackmere" not in (library.settings.data_dir / audit.FILE).read_text()
    assert library.audit.entries(collection=case.folder.name)[0].action == "collection deleted"
    assert library.audit.entries()[0].collection is None


def test_searches_are_in_it_where_that_is_switched_on(library: Library) -> None:
    case = library.create("Case")
    fill(case, "a.txt")
    case.search("harbour", mode="keyword")
    assert "searched" not in actions(library)
    home = library.settings.data_dir
    (home / "config.toml").write_text("[audit]\nsearches = true\n")
    asked = Library(load_settings(home))
    asked.get("Case").search("harbour", mode="keyword")
    asked.get("Case").sql("SELECT 1 AS one")
    asked.sql("SELECT 2 AS two", collections=["Case"])
    assert [(e.action, e.detail) for e in asked.audit.entries(limit=3)] == [
        ("queried", "SELECT 2 AS two"),
        ("queried", "SELECT 1 AS one"),
        ("searched", "harbour"),
    ]


def test_it_says_which_program_asked(library: Library) -> None:
    with actor.acting("Claude\n Desktop" + "x" * 200):
        library.create("One")
    with actor.acting("window"), ThreadPoolExecutor(1) as thread:
        seen = thread.submit(actor.program).result()
    program = library.audit.entries()[0].program
    assert "(Claude  Desktopxxx" in program
    assert len(program) < 200
    assert "window" not in seen


def test_without_an_entry_nothing_is_changed(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = library.create("Case")
    fill(case, "a.txt")

    def full(_handle: int) -> None:
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(audit.os, "fsync", full)
        with pytest.raises(DiskFull):
            case.delete_document("a.txt")
    assert [d.name for d in case.documents()] == ["a.txt"]
    assert library.audit.verify().ok


# --- that it is as it was written ------------------------------------------------------------


def test_what_was_written_follows_on_each_other(log: Path) -> None:
    result = audit.verify(log)
    assert (result.entries, result.ok) == (5, True)
    middle = list(audit.entries(log))[2]
    assert audit.verify(log, middle.digest).ok
    assert "0" * 64 in audit.verify(log, "0" * 64).problems[0]
    assert (log / audit.FILE).stat().st_mode & 0o777 == 0o600


def _change_whole(line: bytes) -> bytes:
    entry = json.loads(line) | {"count": 9}
    entry["digest"] = audit._digest({k: v for k, v in entry.items() if k != "digest"})
    return audit._canonical(entry) + b"\n"


CHANGES: dict[str, tuple[Callable[[list[bytes]], list[bytes]], int]] = {
    "a value": (lambda e: [*e[:2], e[2].replace(b'"count":2', b'"count":9'), *e[3:]], 3),
    "a value with its digest": (lambda e: [*e[:2], _change_whole(e[2]), *e[3:]], 4),
    "removed": (lambda e: e[:2] + e[3:], 3),
    "removed the first": (lambda e: e[1:], 1),
    "swapped": (lambda e: [e[0], e[2], e[1], *e[3:]], 2),
    "doubled": (lambda e: e[:3] + e[2:], 4),
    "no entry": (lambda e: [*e[:2], b"\x00" * 40 + b"\n", *e[3:]], 3),
    "cut": (lambda e: e[:4], 4),
    "emptied": (lambda e: [], 0),
}
"""Manipulations of the five lines of a log, and the number of the line that reveals each."""


@pytest.mark.parametrize("how", CHANGES)
def test_what_was_changed_is_told(log: Path, how: str) -> None:
    change, line = CHANGES[how]
    path = log / audit.FILE
    path.write_bytes(b"".join(change(path.read_bytes().splitlines(keepends=True))))
    problems = audit.verify(log).problems
    assert next(iter(re.findall(r"\d+", problems[0]))) == str(line)
    audit.add(log, "collection closed", {"collection": "c"})  # it goes on all the same
    assert list(audit.entries(log))[-1].action == "collection closed"
    assert problems[0] in audit.verify(log).problems or how in {"cut", "emptied"}


def test_what_a_killed_program_left_is_cut_off(log: Path) -> None:
    path = log / audit.FILE
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"number":6,"at":"20')
    assert audit.verify(log).ok
    audit.add(log, "collection closed", {"collection": "c"})
    assert audit.verify(log).entries == 6
    assert audit.verify(log).ok
    (log / audit.HEAD).unlink()  # killed before it was noted
    assert audit.verify(log).ok


def _last_lines_and_heads(data_dir: Path, heads: Iterable[str]) -> None:
    path = data_dir / audit.FILE
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-2]))
    _remove(data_dir, heads)


def _remove(data_dir: Path, patterns: Iterable[str]) -> None:
    for path in [p for pattern in patterns for p in data_dir.glob(pattern)]:
        path.unlink()


HEADS = (audit.HEAD,)
TAMPERED: dict[str, Callable[[Path], None]] = {
    "last lines and head": lambda d: _last_lines_and_heads(d, HEADS),
    "all but collection.json": lambda d: _last_lines_and_heads(d, [*HEADS, "*/*/heads.json"]),
    "all but heads.json": lambda d: (
        _last_lines_and_heads(d, HEADS),
        [p.write_text("{}") for p in d.glob("*/*/*collection.json*")],
    ),
    "log": lambda d: _remove(d, [audit.FILE]),
    "log and head": lambda d: _remove(d, [audit.FILE, *HEADS]),
    "log emptied, no heads": lambda d: ((d / audit.FILE).write_bytes(b""), _remove(d, HEADS)),
    "log of another folder": lambda d: (
        _remove(d, [audit.FILE, *HEADS]),
        [audit.add(d, "searched", {"count": n}) for n in range(9)],
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("how", TAMPERED)
def test_a_log_that_was_cut_off_with_its_head_is_noticed_for_good(
    library: Library, how: str
) -> None:
    case, data_dir = library.create("Case"), library.settings.data_dir
    fill(case, "a.txt")
    case.admin.describe(description="new")
    assert library.audit.verify().ok
    TAMPERED[how](data_dir)
    assert not library.audit.verify().ok
    assert [c.ok for c in library.doctor().checks if c.name == "audit log"] == [False]
    library.create("Other")
    fill(library.get("Other"), "b.txt")
    assert not library.audit.verify().ok


def test_a_copy_of_the_data_folder_has_a_log_that_goes_on(library: Library, tmp_path: Path) -> None:
    case = library.create("Case")
    shutil.copytree(library.settings.data_dir, tmp_path / "copy")
    copy = Library(load_settings(tmp_path / "copy"))
    fill(copy.get(case.info.id), "a.txt")
    fill(case, "b.txt", "c.txt")
    assert (copy.audit.verify().ok, library.audit.verify().ok) == (True, True)
    # A data folder inside another one: its entries are not in this log.
    shutil.copytree(copy.get(case.info.id).folder, library.settings.collections_dir / str(uuid4()))
    assert library.audit.verify().ok


def test_long_entries_and_many_writers(tmp_path: Path) -> None:
    ids = [f"{n:036d}" for n in range(3000)]

    def write(_: int) -> None:
        for _ in range(5):
            audit.add(tmp_path, "documents added", {"collection": "c", "documents": ids})

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))
    result = audit.verify(tmp_path)
    assert (result.entries, result.ok) == (20, True)
    assert len(next(audit.entries(tmp_path)).documents) == 3000


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root writes everywhere")
def test_where_it_cannot_be_written_that_is_reported(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(NotWritable, match=str(tmp_path)):
        audit.add(tmp_path, "collection closed", {"collection": "c"})


def test_doctor_tells(library: Library) -> None:
    case = library.create("Case")

    def said() -> tuple[bool, str]:
        reports = library.doctor(), case.admin.doctor()
        [check, same] = [c for r in reports for c in r.checks if c.name == "audit log"]
        assert same == check
        return check.ok, check.detail

    assert said()[0]
    path = library.settings.data_dir / audit.FILE
    path.write_bytes(path.read_bytes().replace(b"created", b"deleted"))
    assert not said()[0]
    assert audit.FILE in said()[1]


# --- the commands ----------------------------------------------------------------------------


def test_the_commands(library: Library, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    case = library.create("=Case")
    fill(case, "a.txt")
    home = ["--data-dir", str(library.settings.data_dir)]

    def run(*words: str) -> tuple[int, str]:
        code = main([*home, "audit", *words])
        out, err = capfd.readouterr()
        return code, out + err

    assert "a.txt" in run("list")[1]
    code, facts = run("list", "--action", "created", "--json")
    assert (code, [e["action"] for e in json.loads(facts)]) == (0, ["collection created"])
    assert main([*home, "collection", "delete", "=Case", "-y"]) == 0
    capfd.readouterr()
    code, facts = run("list", "-c", case.folder.name[:8], "-k", "1", "--json")
    assert [e["action"] for e in json.loads(facts)] == ["collection deleted"]
    assert "casetrack collection" in json.loads(facts)[0]["program"]
    code, facts = run("verify")
    assert code == 0
    (digest,) = re.findall(r"\b[0-9a-f]{64}\b", facts)
    assert run("verify", "--digest", digest.upper())[0] == 0
    code, facts = run("verify", "--digest", "f" * 64)
    assert (code, "f" * 64 in facts) == (1, True)
    target = tmp_path / "log.csv"
    assert run("export", str(target))[0] == 0
    rows = list(csv.DictReader(io.StringIO(target.read_text("utf-8-sig"))))
    assert [r["action"] for r in rows][-1] == "collection deleted"
    assert rows[0]["digest"] == rows[1]["previous"]
    assert run("export", "-")[1].startswith("number,at,user,program,action")
