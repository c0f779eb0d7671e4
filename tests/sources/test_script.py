"""Programs that print items: what is understood, and everything that goes wrong with programs."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from casetrack.errors import JobStopped, SourceChanged, SourceError
from casetrack.sources import open_source
from casetrack.sources.contract import check


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


class TestItems:
    def test_what_is_known_of_one(self, tmp_path: Path) -> None:
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
    def test_what_one_is_read_as(
        self, tmp_path: Path, more: dict[str, str], name: str | None
    ) -> None:
        [item] = printing(tmp_path, {"source_id": "a.b", "body": "text", **more}).items()
        assert item.name == name

    def test_bytes_and_files(self, tmp_path: Path) -> None:
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
        with pytest.raises(SourceChanged, match="2 was changed while it was read"):
            source.fetch(b, tmp_path / "b")

    def test_settings_come_on_standard_input(self, tmp_path: Path) -> None:
        source = program(
            tmp_path,
            "print(json.dumps({'source_id': 'a', 'body': sys.stdin.read()}))",
            url="https://x.org", project=["ENG", "OPS"], limit=3,
        )  # fmt: skip
        [item] = source.items()
        given = json.loads(content(source, item, tmp_path))
        assert given == {"url": "https://x.org", "project": ["ENG", "OPS"], "limit": 3}

    @pytest.mark.skipif(os.name == "nt", reason="needs a shell")
    def test_any_program_will_do(self, tmp_path: Path) -> None:
        path = tmp_path / "items"
        lines = [f"printf '%s' '{json.dumps({'source_id': i, 'body': 'x'})}'" for i in "ab"]
        path.write_text(f"#!/bin/sh\n{lines[0]}; echo; echo\n{lines[1]}")
        source = open_source("script", "sh", {"path": str(path)}, base=tmp_path)
        message, hint = failure(source)
        assert (message, hint) == (f"script:sh: {path} is no program.", f"Run: chmod +x {path}")
        path.chmod(0o700)
        # Empty lines are none, and the last one needs no end.
        assert [item.source_id for item in source.items()] == ["a", "b"]

    def test_large_ones_are_left_out_and_said(self, tmp_path: Path) -> None:
        source = printing(
            tmp_path,
            {"source_id": "a", "body": "x" * 101},
            {"source_id": "b", "body": "x" * 100},
            max_extract_bytes=100,
        )
        assert [item.source_id for item in source.items()] == ["b"]
        assert source.notes == [
            (
                "1 item larger than 100 bytes left out: a. Set max_extract_bytes to have larger "
                "ones read."
            )
        ]


GOOD = {"source_id": "a", "body": "text"}


class TestTrouble:
    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("Fetching page 1 …", "it is not JSON"),
            ('{"source_id": "b", "bo', "it is not JSON"),
            ("[" * 100_000, "it is not JSON"),
            ([1], "it is not an object"),
            ({"body": "x"}, "'source_id' is missing, longer than 1,024 characters, or not plain"),
            ({"source_id": "a\nb", "body": "x"}, "'source_id' is missing"),
            ({"source_id": "x" * 1025, "body": "x"}, "'source_id' is missing"),
            ({"source_id": "b"}, "it has none of body, content_base64, path"),
            ({"source_id": "b", "body": "x", "path": "y"}, "it has several of body, "),
            ({"source_id": "b", "body": 1}, "'body' is not a text"),
            ({"source_id": "b", "body": "x", "titel": "y"},
             "it has an unknown key 'titel' (did you mean 'title'?); put what else is known into"),
            ({"source_id": "b", "content_base64": "%%"}, "'content_base64' is not base64"),
            ({"source_id": "b", "content_base64": "eA=="}, "what it is read as is not known"),
            ({"source_id": "b", "path": "gone.md"}, "'path' names a file that cannot be read"),
            ({"source_id": "b", "body": "x", "content_type": "application/x-nothing"},
             "'content_type' is not known: 'application/x-nothing'"),
            ({"source_id": "b", "body": "x", "updated_at": "yesterday"}, "'updated_at' is neither"),
            ({"source_id": "b", "body": "x", "updated_at": 1e99}, "'updated_at' is neither"),
            ({"source_id": "b", "body": "x", "metadata": []}, "'metadata' is not an object"),
            ({"source_id": "b", "body": "x", "metadata_json": "{"}, "'metadata_json' is not JSON"),
            ({"source_id": "b", "body": "x", "name": "dir/"}, "'name' is not a file name"),
            (GOOD, "there is an item 'a' already"),
        ],
    )  # fmt: skip
    def test_a_line_that_is_no_item(self, tmp_path: Path, line: Any, reason: str) -> None:
        message, hint = failure(printing(tmp_path, GOOD, line, {"source_id": "z", "body": "x"}))
        assert message.startswith("script:jira: items.py printed something on line 2 that is no")
        assert f": {reason}" in message
        assert hint == (
            "Print one JSON object on each line and nothing else; messages go to standard error. "
            "`ctx connector test` shows what is understood."
        )

    def test_half_a_line(self, tmp_path: Path) -> None:
        whole = json.dumps(GOOD)
        source = program(tmp_path, f"sys.stdout.write({whole!r} + chr(10) + {whole[:20]!r})")
        assert "line 2 that is no item: it ends in the middle of a line" in failure(source)[0]

    def test_a_bad_end_counts_more_than_half_a_line(self, tmp_path: Path) -> None:
        source = program(
            tmp_path,
            "sys.stdout.write('{\"sour'); sys.stdout.flush()\n"
            "sys.exit('cannot log in with hunter22 at ' + json.load(sys.stdin)['url'])",
            api_token="hunter22", url="https://x.org",
        )  # fmt: skip
        assert failure(source) == (
            "script:jira: items.py ended with status 1: cannot log in with *** at https://x.org",
            "Have it end with status 0 once everything is printed.",
        )

    def test_a_silent_end(self, tmp_path: Path) -> None:
        message, _ = failure(program(tmp_path, "os._exit(3)"))
        assert message == (
            "script:jira: items.py ended with status 3 and said nothing on standard error."
        )

    @pytest.mark.skipif(os.name == "nt", reason="counts processes of this system")
    def test_one_that_hangs_is_stopped_with_what_it_started(self, tmp_path: Path) -> None:
        source = program(
            tmp_path,
            "import subprocess\n"
            "child = subprocess.Popen(['sleep', '61'])\n"
            "open('child', 'w').write(str(child.pid))\n"
            "print(json.dumps({'source_id': 'a', 'body': 'x'}), flush=True)\n"
            "os.close(1); time.sleep(61)",
            timeout=1,
        )
        started = time.monotonic()
        assert failure(source) == (
            "script:jira: items.py did not end within 1 second and was stopped.",
            "Have it end, or set 'timeout' to more seconds.",
        )
        assert time.monotonic() - started < 50
        state = Path(f"/proc/{(tmp_path / 'child').read_text()}/stat")
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and state.exists() and ") Z" not in state.read_text():
            time.sleep(0.01)
        assert not state.exists() or ") Z" in state.read_text()

    def test_one_that_prints_without_end(self, tmp_path: Path) -> None:
        source = program(
            tmp_path,
            "for n in range(1_000_000): print(json.dumps({'source_id': n, 'body': 'x'}))",
            max_items=1000,
        )
        assert failure(source) == (
            "script:jira: items.py printed more than 1,000 items and was stopped.",
            "If it means to, set 'max_items' to more.",
        )

    def test_one_that_prints_a_line_without_end(self, tmp_path: Path) -> None:
        source = program(
            tmp_path, "while True: sys.stdout.write('x' * 65536)", max_extract_bytes=1000
        )
        assert "line 1 that is no item: it is longer than 1,050,576 bytes" in failure(source)[0]

    def test_nothing_is_there_or_it_cannot_run(self, tmp_path: Path) -> None:
        source = open_source("script", "x", {"path": "gone"}, base=tmp_path)
        assert failure(source) == (
            f"script:x: {tmp_path}/gone is not there.",
            "Put its place into 'path'.",
        )
        (tmp_path / "jira.lua").write_text("connector = {}")
        lua = open_source("script", "x", {"path": "jira.lua"}, base=tmp_path)
        assert failure(lua)[0] == ("script:x: jira.lua is a Lua connector, which cannot run here.")
        (tmp_path / "run").write_text("#!/nowhere/interpreter\n")
        (tmp_path / "run").chmod(0o700)
        broken = open_source("script", "x", {"path": "run"}, base=tmp_path)
        assert failure(broken) == (
            f"script:x: {tmp_path}/run cannot be started: No such file or directory.",
            "Check its first line (#!…) and that what it names is installed.",
        )

    def test_it_can_be_stopped(self, tmp_path: Path) -> None:
        source = program(tmp_path, "time.sleep(61)")
        cancel = threading.Event()
        threading.Timer(0.3, cancel.set).start()
        with pytest.raises(JobStopped):
            list(source.items(cancel=cancel))

    def test_what_was_not_listed_cannot_be_fetched(self, tmp_path: Path) -> None:
        [item] = printing(tmp_path, GOOD).items()
        fresh = printing(tmp_path, GOOD)
        with pytest.raises(SourceError, match=r"a is not in what items\.py printed last"):
            fresh.fetch(item, tmp_path / "x")


class TestContract:
    def test_a_good_source(self, tmp_path: Path) -> None:
        dated = {**GOOD, "updated_at": 1}
        source = printing(tmp_path, dated, {**dated, "source_id": 2})
        found = check(source)
        assert (found.items, found.problems) == (2, [])
        assert [item.source_id for item in found.first] == ["a", "2"]
        assert found.passed == [
            "Lists 2 items.",
            "Every item has its own id.",
            "Every item says when it was changed.",
            "A second listing is the same.",
            "a: 4 bytes.",
            "2: 4 bytes.",
        ]

    def test_what_does_not_hold(self, tmp_path: Path) -> None:
        source = program(
            tmp_path,
            "print(json.dumps({'source_id': 'a', 'body': str(time.time_ns())}))\n"
            "print(json.dumps({'source_id': 'b', 'body': '', 'name': 'x.nothing'}))",
        )
        assert check(source).problems == [
            (
                "1 item would not be read: b. Their extensions are those of no known format; leave "
                "them out, or say what they are."
            ),
            "2 items without a time of change: --since does not find them.",
            (
                "A second listing differs in 1 item: a. Unless it was changed just now, each sync "
                "would read these anew: leave out what differs from call to call, such as the time."
            ),
            "b is empty.",
        ]

    def test_nothing_is_a_problem(self, tmp_path: Path) -> None:
        found = check(program(tmp_path, ""))
        assert found.problems == ["It has no items: check what it is to list, and its globs."]

    def test_a_folder_holds_it(self, tmp_path: Path) -> None:
        (tmp_path / "a.md").write_text("word")
        found = check(open_source("filesystem", "x", {"root": "."}, base=tmp_path))
        assert (found.problems, found.passed[-1]) == ([], "a.md: 4 bytes.")
