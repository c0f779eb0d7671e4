"""``casetrack upkeep``, ``casetrack delete --secure``, and the reported size of a collection."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from faces.cli.conftest import Run


def raw(home: Path) -> bytes:
    files = [p for p in home.rglob("*") if p.is_file() and p.suffix in {".lance", ".arrow"}]
    return b"".join(p.read_bytes() for p in files)


def test_upkeep_says_what_it_freed(filled: Run) -> None:
    filled("delete", "memo.md", "-c", "Mill")
    ended = filled("upkeep", "-c", "Mill")
    assert (ended.code, ended.out.startswith("Mill: ")) == (0, True)
    (report,) = json.loads(filled("upkeep", "--secure", "--json").out)
    assert (report["collection"], report["secure"], report["cancelled"]) == ("Mill", True, False)
    assert report["versions_after"] == 2
    assert report["bytes_after"] < report["bytes_before"]
    assert report["notes"] == []


def test_a_secure_deletion_says_that_nothing_is_left(
    filled: Run, home: Path, messages: Callable[..., None]
) -> None:
    assert b"slates" in raw(home)
    ended = filled("delete", "memo.md", "-c", "Mill", "--secure")
    assert '"memo.md"' in ended.out
    done = [row for row in ended.out.splitlines() if row.startswith("  ")]
    messages(re.sub(r"\d+", "<n>", "\n".join(done)))
    assert b"slates" not in raw(home)
    assert b"tenant" in raw(home)


def test_without_a_collection(run: Run) -> None:
    assert json.loads(run("upkeep", "--json").out) == []


def test_info_says_what_can_be_freed_and_the_bytes_of_each_part(
    filled: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    for freeable, text in ((999_999, False), (5_000_000, True)):
        monkeypatch.setattr("casetrack.keep.upkeep.freeable_bytes", lambda _, n=freeable: n)
        assert ("`casetrack upkeep`" in filled("collection", "info", "Mill").out) == text
    facts = json.loads(filled("collection", "info", "Mill", "--json").out)
    assert sum(facts["sizes"].values()) == facts["storage_bytes"]
    assert {"chunks.text", "documents.name", "index: dense"} <= facts["sizes"].keys()
