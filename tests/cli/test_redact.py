"""``casetrack redactions``, ``redact`` and ``discovery stamp``, on the sample case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf
import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Run

CASE = Path(__file__).parents[2] / "data-samples" / "case"
LETTER = CASE / "Exhibits" / "Ex. 3 Letter with a black box.pdf"


def test_covered_words_are_shown_with_their_place(run: Run) -> None:
    ended = run("redactions", str(LETTER), str(CASE / "Docket" / "001 Complaint.pdf"))
    assert ended.code == 1
    assert "Ex. 3 Letter with a black box.pdf, p. 1: “Inez Calloway”" in ended.out
    assert "under a box" in ended.out
    assert "2 places can still be copied. Take the words out of a copy" in ended.out
    told = json.loads(run("redactions", str(LETTER), "--json").out)
    assert [(one["page"], one["cover"]) for one in told] == [(1, "box"), (1, "box")]
    clean = run("redactions", str(CASE / "Exhibits" / "Ex. 1 Bill of Lading.pdf"))
    assert (clean.code, clean.out) == (0, "Nothing is hidden in 1 file.\n")


def test_words_of_a_list_are_taken_out_with_proof(run: Run, tmp_path: Path) -> None:
    words = tmp_path / "names.txt"
    words.write_text("Inez Calloway\n\nRupert Stoddard\n", encoding="utf-8")
    copy = tmp_path / "out.pdf"
    ended = run("redact", str(LETTER), "--list", str(words), "--to", str(copy))
    assert ended.code == 0, ended.err
    assert "3 black areas on 1 page: Inez Calloway 1, Rupert Stoddard 2" in ended.out
    assert "checked: no letter is left under a black area" in ended.out
    text = pymupdf.open(copy)[0].get_text()
    assert "Calloway" not in text
    assert "Claims Manager" in text
    again = run("redact", str(LETTER), "--kind", "ssn", "-w", "Harlan", "--to", str(copy), "--json")
    assert json.loads(again.out)["error"]["message"].endswith("exists already.")
    forced = run("redact", str(LETTER), "-w", "Harlan", "--to", str(copy), "--force", "--json")
    assert json.loads(forced.out)["places"] == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--area", "3"], "“3” is no area."),
        (["--area", "1:50,50,20,80"], "is no area"),
        (["--kind", "age"], "“age” is no kind that can be taken out."),
        (["--list", "none.txt"], "can't be read as a list of words"),
        ([], "Nothing was named that is to be taken out."),
    ],
)
def test_a_mistake_is_told_before_anything_is_written(
    run: Run, tmp_path: Path, arguments: list[str], said: str
) -> None:
    ended = run("redact", str(LETTER), "--to", str(tmp_path / "x.pdf"), *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert not (tmp_path / "x.pdf").exists()


def test_a_folder_is_stamped_in_the_order_of_its_names(run: Run, tmp_path: Path) -> None:
    ended = run(
        *("discovery", "stamp", str(CASE / "Exhibits"), "--prefix", "ABC", "--start", "7"),
        *("--to", str(tmp_path / "set"), "--legend", "CONFIDENTIAL"),
    )
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[0] == "ABC000007  Ex. 1 Bill of Lading.pdf"
    assert "3 files, 3 pages; the list is" in ended.out
    page = pymupdf.open(tmp_path / "set" / "ABC000009.pdf")[0]
    assert page.search_for("ABC000009")
    assert page.search_for("HAR000003")  # the number of whoever produced it first stays
    assert page.search_for("CONFIDENTIAL")
