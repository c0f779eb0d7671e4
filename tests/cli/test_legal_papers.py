"""Papers for lawyers by command: authorities, chronology, and a check as page and as comments."""

from __future__ import annotations

import io
import json
import os
import sys
from typing import TYPE_CHECKING

import docx
import pytest
from docx.enum.text import WD_TAB_ALIGNMENT, WD_TAB_LEADER

if TYPE_CHECKING:
    from pathlib import Path

    from conftest import Run

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


def test_a_table_of_authorities_needs_no_case(run: Run, tmp_path: Path) -> None:
    path, target = brief(tmp_path), tmp_path / "Table.docx"
    shown = run("authorities", path)
    assert shown.code == 0
    assert f"Cases\n  {DAUBERT}  1, 2\n" in shown.out
    assert "\nStatutes\n  28 U.S.C. \u00a7 1331  1\n" in shown.out
    assert "\nRules\n  Fed. R. Evid. 702  2\n" in shown.out
    assert run("authorities", path, "-o", target).code == 0
    assert words_of(target) == [
        *("TABLE OF AUTHORITIES", "Page(s)", "Cases", f"{DAUBERT}\t1, 2"),
        *("Statutes", "28 U.S.C. \u00a7 1331\t1", "Rules", "Fed. R. Evid. 702\t2"),
    ]
    entry = docx.Document(str(target)).paragraphs[3]
    (stop,) = entry.paragraph_format.tab_stops
    assert (stop.alignment, stop.leader) == (WD_TAB_ALIGNMENT.RIGHT, WD_TAB_LEADER.DOTS)
    assert next((r.text, bool(r.italic)) for r in entry.runs) == (
        DAUBERT.partition(", 509")[0],
        True,
    )
    told = json.loads(run("authorities", path, "--json").out)
    assert [a["listed"] for a in told["authorities"]] == ["1, 2", "1", "2"]
    assert told["authorities"][0]["places"][1]["page"] == 2


@pytest.mark.parametrize(
    ("ending", "holds"),
    [
        (
            ".md",
            "| *Daubert v. Merrell Dow Pharmaceuticals, Inc.*, 509 U.S. 579 (1993) | *passim* |",
        ),
        (".txt", "28 U.S.C. \u00a7 1331 ....."),
        (".json", '"key": "case:509-us-579"'),
    ],
)
def test_other_forms_of_the_table(run: Run, tmp_path: Path, ending: str, holds: str) -> None:
    target = tmp_path / f"Table{ending}"
    assert run("authorities", brief(tmp_path), "--passim", 2, "-o", target).code == 0
    assert holds in target.read_text(encoding="utf-8")


def test_what_cannot_be_written_or_read_is_said(run: Run, tmp_path: Path) -> None:
    path, target = brief(tmp_path), tmp_path / "Table.docx"
    empty = tmp_path / "Letter.txt"
    empty.write_text("Dear Sir, thank you.", encoding="utf-8")
    assert "No authority is cited in this file." in run("authorities", empty).out
    assert "File not found: nothing.pdf" in run("authorities", "nothing.pdf").err
    target.write_bytes(b"mine")
    refused = run("authorities", path, "-o", target)
    assert refused.code == 2
    assert f"There is a file {target} already." in refused.err
    assert "replace it with --force" in refused.err
    assert target.read_bytes() == b"mine"
    assert run("authorities", path, "-o", target, "--force").code == 0
    before = path.read_bytes()
    assert "is the draft itself" in run("authorities", path, "-o", path, "--force").err
    assert path.read_bytes() == before
    ends = run("authorities", path, "-o", tmp_path / "Table.pdf").err
    assert "Name a file that ends in .docx, .json, .md or .txt." in ends
    assert "There is no folder" in run("authorities", path, "-o", tmp_path / "no" / "T.md").err
    assert (
        "cannot be listed as passim from 1 pages on" in run("authorities", path, "--passim", 1).err
    )


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="root writes where nobody may"
)
def test_a_folder_that_nobody_may_write(run: Run, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    ended = run("authorities", brief(tmp_path), "-o", locked / "T.md")
    assert ended.code == 1
    assert "cannot be written" in ended.err


def test_the_chronology_is_written_with_picks(run: Run, tmp_path: Path) -> None:
    run("ingest", brief(tmp_path), "--create", "-c", "Harrow")
    (event,) = json.loads(run("chronology", "-c", "Harrow", "--json").out)["entries"]
    assert event["date"] == "2024-03-07"
    refused = run("chronology", "-c", "Harrow", "--words", "The crate came.")
    assert "Of which event are these the words?" in refused.err
    taken = run("chronology", "--take", event["event_id"], "--words", "The crate | came.")
    assert "is in the chronology" in taken.out
    assert "2024-03-07  The crate | came.  (picked)" in run("chronology", "--picked").out
    sheet, page, plain = (tmp_path / f"C.{ending}" for ending in ("docx", "html", "md"))
    for target in (sheet, page, plain):
        assert run("chronology", "-o", target).code == 0
    table = docx.Document(str(sheet)).tables[0]
    assert [[c.text for c in row.cells] for row in table.rows] == [
        ["Date", "Event", "Who", "Source"],
        ["7 March 2024", "The crate | came.", "", "Brief.docx, p. 3, para. 1, l. 1"],
    ]
    assert "| 7 March 2024 | The crate \\| came. |" in plain.read_text(encoding="utf-8")
    html = page.read_text(encoding="utf-8")
    assert "default-src 'none'" in html
    assert "The document says: The crate was delivered in Boston on March 7, 2024." in html
    assert "already" in run("chronology", "-o", page).err
    assert "is left out" in run("chronology", "--leave-out", event["event_id"]).out
    assert "No events here." in run("chronology").out


def test_a_check_is_written_as_page_and_as_comments(run: Run, tmp_path: Path) -> None:
    exhibit = tmp_path / "Ex. 2 Receipt.txt"
    exhibit.write_text("Exhibit 2\n\nThe lid was split over its length.", encoding="utf-8")
    run("ingest", exhibit, "--create", "-c", "Harrow")
    path, page, copy = brief(tmp_path), tmp_path / "Check.html", tmp_path / "Copy.docx"
    before = path.read_bytes()
    ended = run("check", path, "-c", "Harrow", "--html", page, "--docx", copy, "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["files"] == [str(copy), str(page)]
    assert path.read_bytes() == before
    comments = [c.text for c in docx.Document(str(copy)).comments]
    assert any(c.startswith("Checked against the case Harrow: ") for c in comments)
    assert any("SOURCE NOT IN THE CASE." in c for c in comments)
    assert "Check of <bdi>Brief.docx</bdi>" in page.read_text(encoding="utf-8")
    again = run("check", path, "-c", "Harrow", "--docx", copy)
    assert (again.code, f"There is a file {copy} already." in again.err) == (2, True)
    refused = run("check", exhibit, "-c", "Harrow", "--docx", tmp_path / "T.docx")
    assert "is no DOCX file, so that no comments can be written" in refused.err


def test_the_citator_shows_signal_sentence_and_place(run: Run, tmp_path: Path) -> None:
    assert run("case", "create", "Crate").code == 0
    assert run("ingest", brief(tmp_path)).code == 0
    shown = run("citator", "Daubert")
    assert shown.code == 0
    assert shown.out.startswith(f"{DAUBERT} (case)\n2 citations in 1 document\n")
    assert '"The court is a gatekeeper. Daubert, 509 U.S. at 597."' in shown.out
    assert "at 597" in shown.out
    assert "This is what the documents of this case file say." in shown.out
    told = json.loads(run("citator", "509 U.S. 579", "--json").out)
    assert [place["form"] for place in told["places"]] == ["full", "short"]
    missing = run("citator", "Roe v. Wade")
    assert missing.code == 2
    assert 'No document of "Crate" cites "Roe v. Wade".' in missing.err
