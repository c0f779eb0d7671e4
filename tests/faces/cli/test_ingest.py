"""``casetrack ingest``: every file has an outcome, nothing stops the batch or gets lost."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import casetrack
from faces.cli.conftest import Run, error_of

ROOT = Path(casetrack.__file__).parents[1]
LONG_NAME = "ä" * 98 + ".txt"  # 200 bytes in UTF-8


def outcomes(ended: Any) -> dict[str, dict[str, Any]]:
    """Return the outcomes of a JSON report by file name."""
    return {Path(o["path"]).name: o for o in json.loads(ended.out)["outcomes"]}


@pytest.mark.slow
def test_a_folder_is_taken_in_and_the_second_time_skipped(
    run: Run, files: Path, messages: Callable[..., None]
) -> None:
    first = run("ingest", files, "--create", "-c", "Mill")
    assert first.code == 0
    rows = first.out.splitlines()
    lines = [row for row in rows if "Note" not in row and " s" not in row and "Grüße" not in row]
    messages("\n".join(sorted(lines)))
    assert "casetrack models pull" in first.out
    second = run("ingest", files, "-c", "Mill", "--json")
    counts = json.loads(second.out)["counts"]
    assert (second.code, counts["skipped"], counts["ingested"]) == (0, 3, 0)
    assert "lease.txt" in outcomes(second)["lease.txt"]["message"]
    copy = files / "copy of lease.txt"
    copy.write_bytes((files / "lease.txt").read_bytes())
    copied = outcomes(run("ingest", copy, "--json"))[copy.name]
    assert (copied["status"], '"lease.txt"' in copied["message"]) == ("skipped", True)
    copy.unlink()
    (files / "lease.txt").write_text("The rent is lower now.")
    third = run("ingest", files)  # the only collection needs no name
    assert re.search(r"^3\D+1\D+2\D+1\D+$", third.out, re.MULTILINE)


def test_nothing_goes_into_the_sample_unless_it_is_named(run: Run, files: Path) -> None:
    assert run("collection", "create", "Demo").code == 0
    for words in (("ingest", files), ("sync", files), ("watch", "add", files)):
        ended = run(*words)
        assert (ended.code, '"Demo"' in ended.err) == (2, True)
        assert "--create -c NAME" in ended.err
    assert json.loads(run("documents", "-c", "Demo", "--json").out) == []
    assert run("ingest", files, "-c", "Demo").code == 0


@pytest.mark.slow
def test_the_collection_is_named_where_it_was_not(run: Run, files: Path) -> None:
    assert run("collection", "create", "Mill").code == 0
    assert "Mill" in run("ingest", files / "memo.md").err
    assert "Mill" not in run("ingest", files / "lease.txt", "-c", "Mill").err


@pytest.mark.slow
def test_every_bad_file_is_reported_and_the_good_ones_are_kept(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "mixed"
    folder.mkdir()
    good = ["good.txt", LONG_NAME, "with 'quotes\" and $(spaces).txt", "日本語.md"]
    for name in good:
        (folder / name).write_text(f"This is the text of {name}, long enough to be found.")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "really.pdf").write_text("This is no PDF at all, but plain text.")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\nnothing follows")
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 and then nothing")
    (folder / "picture.xyz").write_bytes(b"\x00\x01\x02")
    missing = tmp_path / "missing.pdf"
    ended = run("ingest", folder, missing, "--create", "-c", "Mixed", "--json")
    result = outcomes(ended)
    assert ended.code == 1
    assert {n for n, o in result.items() if o["status"] == "ingested"} == set(good)
    codes = {
        "empty.txt": {"empty_file"},
        "really.pdf": {"format_mismatch"},
        "broken.pdf": {"parse_failed", "no_text"},
        "broken.docx": {"parse_failed", "format_mismatch"},
        "picture.xyz": {"unsupported_format"},
        "missing.pdf": {"file_not_found"},
    }
    assert result.keys() == {*good, *codes}
    for name, allowed in codes.items():
        assert result[name]["code"] in allowed, result[name]
        assert name in result[name]["message"]
        assert result[name]["hint"]
    failed = sum(o["status"] == "failed" for o in result.values())
    assert f"{failed} files of {len(result)} failed." in ended.err
    assert len(json.loads(run("documents", "--json").out)) == len(good)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (["ingest", "FILES"], "home"),
        (["ingest", "FILES", "--create"], "--create"),
        (["ingest", "FILES", "--create", "-c", "A", "--type", "novel"], "contract, annual report"),
        (["ingest"], "'PATH"),
    ],
)
def test_misuse_changes_nothing(run: Run, files: Path, words: list[str], fact: str) -> None:
    ended = run(*[files if w == "FILES" else w for w in words], "--json")
    error = error_of(ended)
    assert (ended.code, fact in error["message"] + error["hint"]) == (2, True)
    listed = json.loads(run("collection", "list", "--json").out)
    assert sum(entry["document_count"] for entry in listed) == 0


@pytest.mark.parametrize("command", ["ingest", "sync"])
def test_a_mistyped_path_creates_no_collection(run: Run, tmp_path: Path, command: str) -> None:
    ended = run(command, tmp_path / "Contrcats", "--create", "-c", "A", "--json")
    assert (ended.code, "Contrcats" in error_of(ended)["message"]) == (2, True)
    assert json.loads(run("collection", "list", "--json").out) == []


def test_an_unknown_collection_suggests_the_near_one_and_create(run: Run, files: Path) -> None:
    run("collection", "create", "Mill House")
    ended = run("ingest", files, "-c", "Mil House")
    assert ended.code == 2
    assert "- Mill House (ID: " in ended.err
    assert "--create -c 'Mil House'" in ended.err
    assert run("documents", "-c", "Mill House", "--json").out.strip() == "[]"


def test_an_empty_folder_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    ended = run("ingest", tmp_path / "nothing", "--create", "-c", "A", "--json")
    assert (ended.code, json.loads(ended.out)["files"]) == (0, 0)


# --- Ctrl-C --------------------------------------------------------------------------------


def many_files(folder: Path) -> Path:
    """Make a folder of 150 documents that takes a while."""
    folder.mkdir()
    for i in range(150):
        text = "\n\n".join(f"Clause {j} of agreement {i} binds both parties." for j in range(400))
        (folder / f"{i:04}.txt").write_text(text)
    return folder


def stored(run: Run) -> int:
    """Return how many documents there are; as many have passages."""
    kept = json.loads(run("documents", "--json").out)
    counted = run("query", "SELECT count(DISTINCT document_id) AS n FROM chunks", "--json")
    assert json.loads(counted.out) == [{"n": len(kept)}]
    return len(kept)


def start_ingest(folder: Path) -> subprocess.Popen[str]:
    """Start an ingest in a separate process group, as a terminal does."""
    return subprocess.Popen(
        [sys.executable, "-m", "casetrack", "ingest", str(folder), "--create", "-c", "Many"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until_busy(child: subprocess.Popen[str], home: Path) -> None:
    """Wait until the collection holds its first chunks."""
    deadline = time.monotonic() + 60
    while not list(home.glob("collections/*/chunks.lance/data/*")):
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.slow
def test_ctrl_c_once_keeps_finished_documents(run: Run, home: Path, tmp_path: Path) -> None:
    with start_ingest(many_files(tmp_path / "many")) as child:
        wait_until_busy(child, home)
        os.killpg(child.pid, signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert "Traceback" not in err
    kept = stored(run)
    assert 0 < kept < 150
    assert re.search(rf"\b{kept} document", err)
    assert re.search(rf"\b{kept}\D+{150 - kept}\b", out)


@pytest.mark.slow
def test_ctrl_c_twice_stops_at_once(run: Run, home: Path, tmp_path: Path) -> None:
    folder = many_files(tmp_path / "many")
    with start_ingest(folder) as child:
        wait_until_busy(child, home)
        os.killpg(child.pid, signal.SIGINT)
        assert child.stderr is not None
        # Progress may have been printed before.
        assert any("Ctrl-C" in line for line in iter(child.stderr.readline, ""))
        started = time.monotonic()
        os.killpg(child.pid, signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert time.monotonic() - started < 10
    assert child.returncode == 130
    assert len(err.splitlines()) == 1
    assert stored(run) < 150
    assert run("ingest", folder / "0149.txt").code == 0
