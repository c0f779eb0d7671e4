"""Papers for lawyers by command: authorities, chronology, and a check as page and as comments."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docx
import pytest
from docx.enum.text import WD_TAB_ALIGNMENT, WD_TAB_LEADER

from faces.cli.conftest import Run, error_of

DAUBERT = "Daubert v. Merrell Dow Pharmaceuticals, Inc., 509 U.S. 579 (1993)"
BRIEF = (
    f"Expert evidence must be reliable. {DAUBERT}. Jurisdiction rests on 28 U.S.C. \u00a7 1331.",
    "The court is a gatekeeper. Daubert, 509 U.S. at 597. See also Fed. R. Evid. 702.",
    "The crate was delivered in Boston on March 7, 2024. It was \u201csplit in two.\u201d Ex. 2.",
)


def brief(folder: Path) -> Path:
    """Write a brief of three pages."""
    path = folder / "Brief.docx"
    document = docx.Document()
    for number, text in enumerate(BRIEF):
        paragraph = document.add_paragraph(text)
        paragraph.paragraph_format.page_break_before = number > 0
    document.save(str(path))
    return path


def words_of(path: Path) -> list[str]:
    """Return the paragraphs of a DOCX."""
    return [p.text for p in docx.Document(io.BytesIO(path.read_bytes())).paragraphs if p.text]


def test_a_table_of_authorities_needs_no_case(
    run: Run, tmp_path: Path, messages: Callable[[str], None]
) -> None:
    path, target = brief(tmp_path), tmp_path / "Table.docx"
    shown = run("authorities", path)
    assert shown.code == 0
    messages(shown.out)
    assert run("authorities", path, "-o", target).code == 0
    entries = [words for words in words_of(target) if "\t" in words]
    assert entries == [*(f"{DAUBERT}\t1, 2", "28 U.S.C. \u00a7 1331\t1", "Fed. R. Evid. 702\t2")]
    entry = docx.Document(str(target)).paragraphs[3]
    (stop,) = entry.paragraph_format.tab_stops
    assert (stop.alignment, stop.leader) == (WD_TAB_ALIGNMENT.RIGHT, WD_TAB_LEADER.DOTS)
    first = next((r.text, bool(r.italic)) for r in entry.runs)
    assert first == (DAUBERT.partition(", 509")[0], True)
    facts = json.loads(run("authorities", path, "--json").out)
    assert [a["listed"] for a in facts["authorities"]] == ["1, 2", "1", "2"]
    assert facts["authorities"][0]["places"][1]["page"] == 2


@pytest.mark.parametrize(
    ("ending", "holds"),
    [
        (".md", f"| *{DAUBERT.replace('Inc., ', 'Inc.*, ')} | *passim* |"),
        (".txt", "28 U.S.C. \u00a7 1331 ....."),
        (".json", '"key": "case:509-us-579"'),
    ],
)
def test_other_forms_of_the_table(run: Run, tmp_path: Path, ending: str, holds: str) -> None:
    target = tmp_path / f"Table{ending}"
    assert run("authorities", brief(tmp_path), "--passim", 2, "-o", target).code == 0
    assert holds in target.read_text(encoding="utf-8")


def test_what_cannot_be_written_or_read_is_reported(run: Run, tmp_path: Path) -> None:
    def refused(*words: object) -> str:
        ended = run("authorities", *words, "--json")
        assert ended.code in {1, 2}, words
        return error_of(ended)["message"] + error_of(ended)["hint"]

    path, target = brief(tmp_path), tmp_path / "Table.docx"
    empty = tmp_path / "Letter.txt"
    empty.write_text("Dear Sir, thank you.", encoding="utf-8")
    assert json.loads(run("authorities", empty, "--json").out)["authorities"] == []
    assert "nothing.pdf" in refused("nothing.pdf")
    target.write_bytes(b"mine")
    message = refused(path, "-o", target)
    assert (str(target) in message, "--force" in message) == (True, True)
    assert target.read_bytes() == b"mine"
    assert run("authorities", path, "-o", target, "--force").code == 0
    before = path.read_bytes()
    assert str(path) in refused(path, "-o", path, "--force")
    assert path.read_bytes() == before
    endings = refused(path, "-o", tmp_path / "Table.pdf")
    assert all(ending in endings for ending in (".docx", ".json", ".md", ".txt"))
    assert str(tmp_path / "no") in refused(path, "-o", tmp_path / "no" / "T.md")
    assert "1" in refused(path, "--passim", 1)


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="root writes where nobody may"
)
def test_a_folder_that_nobody_may_write(run: Run, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    ended = run("authorities", brief(tmp_path), "-o", locked / "T.md")
    assert (ended.code, str(locked) in ended.err) == (1, True)


def test_the_chronology_is_written_with_picks(run: Run, tmp_path: Path) -> None:
    run("ingest", brief(tmp_path), "--create", "-c", "Harrow")

    def entries() -> list[dict[str, Any]]:
        data: list[dict[str, Any]] = json.loads(run("chronology", "--json").out)["entries"]
        return data

    (event,) = entries()
    assert event["date"] == "2024-03-07"
    assert run("chronology", "-c", "Harrow", "--words", "The crate came.").code == 2
    taken = run("chronology", "--take", event["event_id"], "--words", "The crate | came.")
    assert taken.code == 0
    assert "2024-03-07  The crate | came.  " in run("chronology", "--picked").out
    sheet, page, plain = (tmp_path / f"C.{ending}" for ending in ("docx", "html", "md"))
    for target in (sheet, page, plain):
        assert run("chronology", "-o", target).code == 0
    table = docx.Document(str(sheet)).tables[0]
    (row,) = [[c.text for c in row.cells] for row in table.rows][1:]
    source = "Brief.docx, p. 3, para. 1, l. 1"
    assert row == ["7 March 2024", "The crate | came.", "", source]
    assert "| 7 March 2024 | The crate \\| came. |" in plain.read_text(encoding="utf-8")
    html = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in html
    assert "The crate was delivered in Boston on March 7, 2024." in html
    assert str(page) in run("chronology", "-o", page).err
    assert run("chronology", "--leave-out", event["event_id"]).code == 0
    assert entries() == []


def test_a_check_is_written_as_page_and_as_comments(
    run: Run, tmp_path: Path, messages: Callable[[str], None]
) -> None:
    exhibit = tmp_path / "Ex. 2 Receipt.txt"
    exhibit.write_text("Exhibit 2\n\nThe lid was split over its length.", encoding="utf-8")
    run("ingest", exhibit, "--create", "-c", "Harrow")
    path, page, copy = brief(tmp_path), tmp_path / "Check.html", tmp_path / "Copy.docx"
    before = path.read_bytes()
    ended = run("check", path, "-c", "Harrow", "--html", page, "--docx", copy, "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["files"] == [str(copy), str(page)]
    assert path.read_bytes() == before
    messages("\n".join(c.text for c in docx.Document(str(copy)).comments))
    assert "<bdi>Brief.docx</bdi>" in page.read_text(encoding="utf-8")
    again = run("check", path, "-c", "Harrow", "--docx", copy)
    assert (again.code, str(copy) in again.err) == (2, True)
    refused = run("check", exhibit, "-c", "Harrow", "--docx", tmp_path / "T.docx")
    assert (refused.code, exhibit.name in refused.err) == (2, True)


def test_the_citator_shows_signal_sentence_and_place(run: Run, tmp_path: Path) -> None:
    assert run("case", "create", "Crate").code == 0
    assert run("ingest", brief(tmp_path)).code == 0
    shown = run("citator", "Daubert")
    assert (shown.code, shown.out.startswith(DAUBERT)) == (0, True)
    assert '"The court is a gatekeeper. Daubert, 509 U.S. at 597."' in shown.out
    facts = json.loads(run("citator", "509 U.S. 579", "--json").out)
    assert [place["form"] for place in facts["places"]] == ["full", "short"]
    missing = run("citator", "Roe v. Wade", "--json")
    assert (missing.code, error_of(missing)["code"]) == (2, "authority_not_cited")
    assert '"Roe v. Wade"' in missing.err
