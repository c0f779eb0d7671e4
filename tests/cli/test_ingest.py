"""``casetrack ingest``: every file has an outcome, nothing stops the batch or gets lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import casetrack

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., Any]

ROOT = Path(casetrack.__file__).parents[1]
LONG_NAME = "ä" * 98 + ".txt"  # 200 bytes in UTF-8


def outcomes(ended: Any) -> dict[str, dict[str, Any]]:
    """Return the outcomes of a JSON report by file name."""
    return {Path(o["path"]).name: o for o in json.loads(ended.out)["outcomes"]}


def test_a_folder_is_taken_in_and_the_second_time_skipped(run: Run, files: Path) -> None:
    first = run("ingest", files, "--create", "-c", "Mill")
    assert first.code == 0
    for name in ("lease.txt", "memo.md"):
        assert f"ingested  {name}  1 page, 1 chunk\n" in first.out
    assert "3 files: 3 ingested\n" in first.out
    assert "3 pages, 3 chunks in" in first.out
    assert "pages/s)" in first.out
    assert 'Note: Model "mini" is not installed' in first.out
    second = run("ingest", files, "-c", "Mill")
    assert second.code == 0
    assert "3 files: 3 skipped\n" in second.out
    assert "skipped   lease.txt  is there already\n" in second.out
    again = json.loads(run("ingest", files / "lease.txt", "-c", "Mill", "--json").out)
    (told,) = again["outcomes"]
    assert told["message"].startswith(f"{files / 'lease.txt'} is in the collection already and has")
    assert "same content" not in told["message"]
    (files / "copy of lease.txt").write_bytes((files / "lease.txt").read_bytes())
    copied = run("ingest", files / "copy of lease.txt")
    assert "skipped   Duplicate document: " in copied.out
    assert 'same content as "lease.txt"' in copied.out
    (files / "copy of lease.txt").unlink()
    (files / "lease.txt").write_text("The rent is lower now.")
    third = run("ingest", files)  # the only collection needs no name
    assert "3 files: 1 ingested, 2 skipped (1 of them updated)\n" in third.out


def test_nothing_goes_into_the_sample_unless_it_is_named(run: Run, files: Path) -> None:
    assert run("collection", "create", "Demo").code == 0
    for words in (("ingest", files), ("sync", files), ("watch", "add", files)):
        ended = run(*words)
        assert ended.code == 2
        assert '"Demo", the sample case file, is the only one' in ended.err
        assert "--create -c NAME" in ended.err
    assert json.loads(run("documents", "-c", "Demo", "--json").out) == []
    assert run("ingest", files, "-c", "Demo").code == 0


def test_the_collection_is_named_where_it_was_not(run: Run, files: Path) -> None:
    assert run("collection", "create", "Mill").code == 0
    assert "Into Mill, the only collection." in run("ingest", files).err
    assert "only collection" not in run("ingest", files, "-c", "Mill").err


def test_the_json_report_holds_every_file(run: Run, files: Path) -> None:
    ended = run("ingest", files, "--create", "-c", "Mill", "--json")
    report = json.loads(ended.out)
    assert ended.code == 0
    assert report["files"] == 3
    assert report["counts"]["ingested"] == 3
    assert {o["status"] for o in report["outcomes"]} == {"ingested"}


def test_every_bad_file_is_told_and_the_good_ones_are_kept(run: Run, tmp_path: Path) -> None:
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
    found = outcomes(ended)
    assert ended.code == 1
    assert {n for n, o in found.items() if o["status"] == "ingested"} == set(good)
    codes = {
        "empty.txt": {"empty_file"},
        "really.pdf": {"format_mismatch"},
        "broken.pdf": {"parse_failed", "no_text"},
        "broken.docx": {"parse_failed", "format_mismatch"},
        "picture.xyz": {"unsupported_format"},
        "missing.pdf": {"file_not_found"},
    }
    assert found.keys() == {*good, *codes}
    for name, allowed in codes.items():
        assert found[name]["code"] in allowed, found[name]
        assert name in found[name]["message"]
        assert found[name]["hint"]
    failed = sum(o["status"] == "failed" for o in found.values())
    assert f"{failed} files of {len(found)} failed." in ended.err
    assert len(json.loads(run("documents", "--json").out)) == len(good)


def test_failures_stand_last_with_reason_and_next_step(run: Run, files: Path) -> None:
    (files / "a.pdf").write_text("no PDF")
    ended = run("ingest", files, "--create", "-c", "Mill")
    rows = ended.out.splitlines()
    at = next(i for i, row in enumerate(rows) if row.startswith("failed    "))
    assert "a.pdf is named .pdf but its content is" in rows[at]
    assert rows[at + 1].startswith("          Rename the file to its real format")
    assert not any(row.startswith("ingested") for row in rows[at:])
    assert "1 file of 4 failed." in ended.err


def test_options_choose_files_and_names(run: Run, files: Path) -> None:
    deep = files / "deep"
    deep.mkdir()
    (deep / "deeper.md").write_text("A note that lies deeper.")
    flat = run(
        "ingest", files, "--create", "-c", "Flat", "--no-recursive", "--ext", ".MD", "--json"
    )
    assert set(outcomes(flat)) == {"memo.md"}
    both = run("ingest", files, "--create", "-c", "Both", "--ext", "md,txt", "--json")
    assert len(outcomes(both)) == 4
    named = run(
        "ingest", deep / "deeper.md", "-c", "Flat", "--name", "Note of May", "--type", "memo",
        "--copy-original",
    )  # fmt: skip
    assert named.code == 0
    document = json.loads(run("document", "Note of May", "-c", "Flat", "--json").out)
    assert document["document_type"] == "memo"
    assert document["original_copy"].endswith("deeper.md")
    again = run("ingest", deep / "deeper.md", "-c", "Flat", "--force", "--json")
    assert outcomes(again)["deeper.md"]["status"] == "ingested"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["ingest", "FILES"], "There is no collection yet in"),
        (["ingest", "FILES", "--create"], "--create needs the name of the collection."),
        (["ingest", "FILES", "--create", "-c", "A", "--type", "novel"], "contract, report"),
        (["ingest"], "Missing argument 'PATH'"),
    ],
)
def test_misuse_changes_nothing(run: Run, files: Path, words: list[str], told: str) -> None:
    ended = run(*[files if w == "FILES" else w for w in words])
    assert ended.code == 2
    assert told in " ".join(ended.err.split())


def test_an_unknown_collection_suggests_the_near_one_and_create(run: Run, files: Path) -> None:
    run("collection", "create", "Mill House")
    ended = run("ingest", files, "-c", "Mil House")
    assert ended.code == 2
    assert "- Mill House (ID: " in ended.err
    assert "--create -c 'Mil House'" in ended.err
    assert run("documents", "-c", "Mill House", "--json").out.strip() == "[]"


def test_an_empty_folder_is_told(run: Run, tmp_path: Path) -> None:
    (tmp_path / "nothing").mkdir()
    ended = run("ingest", tmp_path / "nothing", "--create", "-c", "A")
    assert ended.code == 0
    assert "There was no file to take in." in ended.out


# --- Ctrl-C --------------------------------------------------------------------------------


def many_files(folder: Path, count: int) -> Path:
    """Make a folder of documents that takes a while."""
    folder.mkdir()
    for i in range(count):
        text = "\n\n".join(f"Clause {j} of agreement {i} binds both parties." for j in range(400))
        (folder / f"{i:04}.txt").write_text(text)
    return folder


def start_ingest(folder: Path) -> subprocess.Popen[str]:
    """Start an ingest in a process group of its own, as a terminal does."""
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


def test_ctrl_c_once_keeps_finished_documents(run: Run, home: Path, tmp_path: Path) -> None:
    folder = many_files(tmp_path / "many", 400)
    with start_ingest(folder) as child:
        wait_until_busy(child, home)
        os.killpg(child.pid, signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert "Stopping after the current step; finished documents are kept." in err
    assert "Traceback" not in err
    kept = json.loads(run("documents", "--json").out)
    assert 0 < len(kept) < 400
    assert f"Stopped by Ctrl-C: {len(kept)} document" in err
    assert f"{len(kept)} ingested, {400 - len(kept)} skipped" in out
    counted = run("query", "SELECT count(DISTINCT document_id) AS n FROM chunks", "--json")
    assert json.loads(counted.out) == [{"n": len(kept)}]


def test_ctrl_c_twice_stops_at_once(run: Run, home: Path, tmp_path: Path) -> None:
    folder = many_files(tmp_path / "many", 400)
    with start_ingest(folder) as child:
        wait_until_busy(child, home)
        os.killpg(child.pid, signal.SIGINT)
        assert child.stderr is not None
        said = iter(child.stderr.readline, "")  # how far it is may have been said before
        assert any("Stopping after the current step" in line for line in said)
        started = time.monotonic()
        os.killpg(child.pid, signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert time.monotonic() - started < 10
    assert child.returncode == 130
    assert err == "Stopped at once; finished documents are kept.\n"
    kept = json.loads(run("documents", "--json").out)
    counted = run("query", "SELECT count(DISTINCT document_id) AS n FROM chunks", "--json")
    assert json.loads(counted.out) == [{"n": len(kept)}]
    assert run("ingest", folder / "0399.txt").code == 0
