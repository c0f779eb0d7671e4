"""Programs that print items: valid output, and every failure of a program."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from casetrack.base.errors import JobStopped, SourceChanged, SourceError
from casetrack.editions.context.cli.connector import check
from casetrack.keep.sources import open_source


def program(folder: Path, text: str, **keys: Any) -> Any:
    """Return a source that runs *text* as Python."""
    path = folder / "items.py"
    path.write_text(f"import json, os, sys, time\n{text}\n")
    return open_source("script", "jira", {"path": "items.py", **keys}, base=folder)


def printing(folder: Path, *items: Any, **keys: Any) -> Any:
    lines = [item if isinstance(item, str) else json.dumps(item) for item in items]
    (folder / "lines").write_text("".join(f"{line}\n" for line in lines))
    return program(folder, "sys.stdout.write(open('lines').read())", **keys)


def content(source: Any, item: Any, folder: Path) -> bytes:
    target = folder / "content"
    target.unlink(missing_ok=True)
    source.fetch(item, target)
    return target.read_bytes()


def failure(source: Any) -> tuple[str, str]:
    with pytest.raises(SourceError) as caught:
        list(source.items())
    return caught.value.message, caught.value.hint


def test_what_is_known_of_an_item(tmp_path: Path) -> None:
    raw = {
        "source_id": "ENG-12", "title": "Keys", "body": "Rotate keys.\nÜ", "author": "Ann",
        "updated_at": "2026-03-31T14:00:00+02:00", "created_at": 1577836800,
        "source_url": "https://jira.acme.com/ENG-12", "content_type": "text/markdown",
        "metadata": {"labels": ["auth"]}, "source": "script:jira",
    }  # fmt: skip
    source = printing(tmp_path, raw)
    [item] = source.items()
    assert item.source_id == "ENG-12"
    assert (item.title, item.author, item.name) == ("Keys", "Ann", "ENG-12.md")
    assert item.url == "https://jira.acme.com/ENG-12"
    assert str(item.updated_at) == "2026-03-31 12:00:00+00:00"
    assert item.metadata == {"labels": ["auth"], "created_at": "2020-01-01T00:00:00+00:00"}
    digest = hashlib.sha256("Rotate keys.\nÜ".encode()).hexdigest()
    assert (item.token, item.size) == (f"{digest}.md", 15)
    assert content(source, item, tmp_path) == "Rotate keys.\nÜ".encode()
    assert source.file(item) is None
    assert source.link(item, 1, 2) == item.url
    source.close()


@pytest.mark.parametrize(
    ("more", "name"),
    [
        ({}, "a.b.txt"),
        ({"content_type": "text/html; charset=utf-8"}, "a.b.html"),
        ({"content_type": "text/plain"}, "a.b.txt"),
        ({"content_type": "application/json"}, "a.b.json"),
        ({"name": "dir/page.htm"}, "page.htm"),
        ({"source_id": "docs/a.md"}, None),
        ({"source_id": "docs/a.md", "content_type": "text/markdown"}, None),
        ({"source_id": "https://x.org/page?id=1"}, "page?id=1.txt"),
    ],
)
def test_what_an_item_is_read_as(tmp_path: Path, more: dict[str, str], name: str | None) -> None:
    [item] = printing(tmp_path, {"source_id": "a.b", "body": "text", **more}).items()
    assert item.name == name


def test_bytes_and_files(tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.7")
    raw = base64.b64encode(b"PK\x03\x04").decode()
    source = printing(
        tmp_path,
        {"source_id": 1, "content_base64": raw, "name": "a.docx"},
        {"source_id": 2, "path": "report.pdf"},
        {"source_id": 3, "path": str(tmp_path / "report.pdf"), "metadata_json": '{"a": 1}'},
    )
    a, b, c = source.items()
    assert [i.name for i in (a, b, c)] == ["a.docx", "2.pdf", "3.pdf"]
    assert content(source, a, tmp_path) == b"PK\x03\x04"
    assert content(source, b, tmp_path) == b"%PDF-1.7"
    assert (b.token, c.metadata) == (c.token, {"a": 1})
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.8")
    with pytest.raises(SourceChanged, match="2"):
        source.fetch(b, tmp_path / "b")


def test_settings_come_on_standard_input(tmp_path: Path) -> None:
    source = program(
        tmp_path,
        "print(json.dumps({'source_id': 'a', 'body': sys.stdin.read()}))",
        url="https://x.org", project=["ENG", "OPS"], limit=3,
    )  # fmt: skip
    [item] = source.items()
    given = json.loads(content(source, item, tmp_path))
    assert given == {"url": "https://x.org", "project": ["ENG", "OPS"], "limit": 3}


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
def test_any_program_will_do(tmp_path: Path) -> None:
    path = tmp_path / "items"
    lines = [f"printf '%s' '{json.dumps({'source_id': i, 'body': 'x'})}'" for i in "ab"]
    path.write_text(f"#!/bin/sh\n{lines[0]}; echo; echo\n{lines[1]}")
    source = open_source("script", "sh", {"path": str(path)}, base=tmp_path)
    message, hint = failure(source)
    assert f"script:sh: {path}" in message
    assert f"chmod +x {path}" in hint
    path.chmod(0o700)
    # Empty lines are none, and the last one needs no end.
    assert [item.source_id for item in source.items()] == ["a", "b"]


def test_large_items_are_left_out_and_reported(tmp_path: Path) -> None:
    source = printing(
        tmp_path,
        {"source_id": "a", "body": "x" * 101},
        {"source_id": "b", "body": "x" * 100},
        max_extract_bytes=100,
    )
    assert [item.source_id for item in source.items()] == ["b"]
    (note,) = source.notes
    assert {"1", "100", "a", "max_extract_bytes"} <= {*re.findall(r"\w+", note)}


GOOD = {"source_id": "a", "body": "text"}


@pytest.mark.parametrize(
    ("line", "about"),
    [
        ("Fetching page 1 …", "JSON"),
        ('{"source_id": "b", "bo', "JSON"),
        ("[" * 100_000, "JSON"),
        ([1], ""),
        ({"body": "x"}, "'source_id'"),
        ({"source_id": "a\nb", "body": "x"}, "'source_id'"),
        ({"source_id": "x" * 1025, "body": "x"}, "'source_id'"),
        ({"source_id": "b"}, "body, content_base64, path"),
        ({"source_id": "b", "body": "x", "path": "y"}, "body"),
        ({"source_id": "b", "body": 1}, "'body'"),
        ({"source_id": "b", "body": "x", "titel": "y"}, "'title'"),
        ({"source_id": "b", "content_base64": "%%"}, "'content_base64'"),
        ({"source_id": "b", "content_base64": "eA=="}, ""),
        ({"source_id": "b", "path": "gone.md"}, "'path'"),
        ({"source_id": "b", "body": "x", "content_type": "application/x-nothing"},
         "'application/x-nothing'"),
        ({"source_id": "b", "body": "x", "updated_at": "yesterday"}, "'updated_at'"),
        ({"source_id": "b", "body": "x", "updated_at": 1e99}, "'updated_at'"),
        ({"source_id": "b", "body": "x", "metadata_json": "{"}, "'metadata_json'"),
        ({"source_id": "b", "body": "x", "name": "dir/"}, "'name'"),
        (GOOD, "'a'"),
    ],
)  # fmt: skip
def test_a_line_that_is_no_item(tmp_path: Path, line: Any, about: str) -> None:
    message, hint = failure(printing(tmp_path, GOOD, line, {"source_id": "z", "body": "x"}))
    assert message.startswith("script:jira: items.py ")
    place, _, reason = message.partition(": items.py ")[2].partition(": ")
    assert "2" in re.findall(r"\d+", place)
    assert about in reason
    assert "ctx connector test" in hint


def test_half_a_line(tmp_path: Path) -> None:
    whole = json.dumps(GOOD)
    source = program(tmp_path, f"sys.stdout.write({whole!r} + chr(10) + {whole[:20]!r})")
    assert re.search(r"\b2\b", failure(source)[0])


def test_a_bad_end_counts_more_than_half_a_line(tmp_path: Path) -> None:
    source = program(
        tmp_path,
        "sys.stdout.write('{\"sour'); sys.stdout.flush()\n"
        "sys.exit('cannot log in with hunter22 at ' + json.load(sys.stdin)['url'])",
        api_token="hunter22", url="https://x.org",
    )  # fmt: skip
    message, hint = failure(source)
    assert message.endswith(" 1: cannot log in with *** at https://x.org")
    assert hint


def test_a_silent_end(tmp_path: Path) -> None:
    message, _ = failure(program(tmp_path, "os._exit(3)"))
    assert message.startswith("script:jira: items.py ")
    assert "3" in message.split()


@pytest.mark.skipif(os.name == "nt", reason="counts processes of this system")
def test_a_program_that_hangs_is_stopped(tmp_path: Path) -> None:
    source = program(
        tmp_path,
        "import subprocess\n"
        "child = subprocess.Popen(['sleep', '61'])\n"
        "open('child', 'w').write(str(child.pid))\n"
        "print(json.dumps({'source_id': 'a', 'body': 'x'}), flush=True)\n"
        "os.close(1); time.sleep(61)",
        timeout=3,
    )
    started = time.monotonic()
    assert "'timeout'" in failure(source)[1]
    assert time.monotonic() - started < 50
    state = Path(f"/proc/{(tmp_path / 'child').read_text()}/stat")
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and state.exists() and ") Z" not in state.read_text():
        time.sleep(0.01)
    assert not state.exists() or ") Z" in state.read_text()


def test_a_program_that_prints_without_end(tmp_path: Path) -> None:
    source = program(
        tmp_path,
        "for n in range(1_000_000): print(json.dumps({'source_id': n, 'body': 'x'}))",
        max_items=1000,
    )
    message, hint = failure(source)
    assert "1,000" in message
    assert "'max_items'" in hint


def test_a_program_that_prints_a_line_without_end(tmp_path: Path) -> None:
    source = program(tmp_path, "while True: sys.stdout.write('x' * 65536)", max_extract_bytes=1000)
    assert "1,050,576" in failure(source)[0]


@pytest.mark.parametrize("name", ["gone", "jira.lua", "run"])
def test_what_cannot_be_started(tmp_path: Path, name: str, messages: Any) -> None:
    (tmp_path / "jira.lua").write_text("connector = {}")
    (tmp_path / "run").write_text("#!/nowhere/interpreter\n")
    (tmp_path / "run").chmod(0o700)
    source = open_source("script", "x", {"path": name}, base=tmp_path)
    messages("\n".join(failure(source)))


def test_it_can_be_stopped(tmp_path: Path) -> None:
    source = program(tmp_path, "time.sleep(61)")
    cancel = threading.Event()
    threading.Timer(0.05, cancel.set).start()
    with pytest.raises(JobStopped):
        list(source.items(cancel=cancel))


def test_what_was_not_listed(tmp_path: Path) -> None:
    [item] = printing(tmp_path, GOOD).items()
    fresh = printing(tmp_path, GOOD)
    with pytest.raises(SourceError, match=r"items\.py"):
        fresh.fetch(item, tmp_path / "x")


def test_a_good_source(tmp_path: Path) -> None:
    dated = {**GOOD, "updated_at": 1}
    result = check(printing(tmp_path, dated, {**dated, "source_id": 2}))
    assert (result.items, result.problems) == (2, [])
    assert [item.source_id for item in result.first] == ["a", "2"]
    # The number, their ids, their times and a second listing; then each of the first.
    assert [line.partition(":")[0] for line in result.passed[4:]] == ["a", "2"]


def test_what_does_not_hold(tmp_path: Path, messages: Any) -> None:
    source = program(
        tmp_path,
        "print(json.dumps({'source_id': 'a', 'body': str(time.time_ns())}))\n"
        "print(json.dumps({'source_id': 'b', 'body': '', 'name': 'x.nothing'}))",
    )
    result = check(source)
    assert len(result.problems) == 4
    messages("\n".join(result.problems))


def test_nothing_is_a_problem(tmp_path: Path) -> None:
    result = check(program(tmp_path, ""))
    assert (result.items, len(result.problems)) == (0, 1)


def test_a_folder_holds_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("word")
    result = check(open_source("filesystem", "x", {"root": "."}, base=tmp_path))
    assert (result.problems, result.passed[-1][:7]) == ([], "a.md: 4")
