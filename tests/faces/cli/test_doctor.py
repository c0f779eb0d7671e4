"""``casetrack doctor``, in the words that people read."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import TYPE_CHECKING

import lance

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from faces.cli.conftest import Run


def break_it(home: Path) -> Path:
    """Delete the rows of one document, and leave a foreign file; return the collection's folder."""
    (folder,) = [p for p in (home / "collections").iterdir() if p.is_dir()]
    chunks = lance.dataset(folder / "chunks.lance")
    chunks.delete("document_name = 'memo.md'")
    # A data file that other documents share keeps the rows until it is written again.
    chunks.optimize.compact_files(materialize_deletions_threshold=0.0)
    chunks.cleanup_old_versions(timedelta(0), delete_unverified=True)
    (folder / "mine.txt").write_text("mine")
    return folder


def test_problems_repairs_and_exit_codes(
    filled: Run, home: Path, messages: Callable[..., None]
) -> None:
    good = filled("doctor", "-c", "Mill", "--deep")
    assert (good.code, good.err) == (0, "")
    assert re.search(r"\b3\D+3\b", good.out)  # files that were read again
    folder = break_it(home)
    bad = filled("doctor", "-c", "Mill")
    assert bad.code == 1
    assert "memo.md" in bad.out
    assert "`casetrack doctor --repair`" in bad.out
    mended = filled("doctor", "-c", "Mill", "--repair")
    assert mended.code == 1
    problems = "\n".join(row for row in mended.out.splitlines() if not row.startswith("ok "))
    messages(problems)
    assert "slates" in filled("search", "slates", "--mode", "keyword").out
    (folder / "mine.txt").unlink()
    report = json.loads(filled("doctor", "-c", "Mill", "--repair", "--json").out)
    assert report["ok"]
    assert report["repairs"] == report["unmended"] == []
