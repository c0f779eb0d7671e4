"""``casetrack redactions``, ``redact`` and ``discovery stamp``, on the sample case."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest

from casetrack.base.errors import OcrUnavailable
from faces.cli.conftest import Run, error_of

CASE = Path(__file__).parents[3] / "data-samples" / "case"
LETTER = CASE / "Exhibits" / "Ex. 3 Letter with a black box.pdf"


def test_covered_words_are_shown_with_their_place(run: Run, messages: Callable[..., None]) -> None:
    ended = run("redactions", str(LETTER), str(CASE / "Docket" / "001 Complaint.pdf"))
    assert ended.code == 1
    messages(ended.out)
    facts = json.loads(run("redactions", str(LETTER), "--json").out)
    assert [(one["page"], one["cover"]) for one in facts] == [(1, "box"), (1, "box")]
    clean = run("redactions", str(CASE / "Exhibits" / "Ex. 1 Bill of Lading.pdf"), "--json")
    assert (clean.code, json.loads(clean.out)) == (0, [])


def test_words_of_a_list_are_taken_out_with_proof(
    run: Run, tmp_path: Path, messages: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise OcrUnavailable("no engine")

    monkeypatch.setattr(
        "casetrack.parse.ocr.choose.choose_engine", none
    )  # regardless of the engines of the machine
    words = tmp_path / "names.txt"
    words.write_text("Inez Calloway\n\nRupert Stoddard\nHis adviser in\n", encoding="utf-8")
    copy = tmp_path / "out.pdf"
    ended = run("redact", str(LETTER), "--list", str(words), "--to", str(copy))
    assert ended.code == 0, ended.err
    assert "Inez Calloway 1, Rupert Stoddard 2" in ended.out
    messages(ended.out)
    text = pymupdf.open(copy)[0].get_text()
    assert "Calloway" not in text
    assert "Claims Manager" in text
    again = run("redact", str(LETTER), "--kind", "ssn", "-w", "Harlan", "--to", str(copy), "--json")
    assert str(copy) in error_of(again)["message"]
    forced = run("redact", str(LETTER), "-w", "Harlan", "--to", str(copy), "--force", "--json")
    assert json.loads(forced.out)["places"] == 2


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (["--area", "3"], "“3”"),
        (["--area", "1:50,50,20,80"], "“1:50,50,20,80”"),
        (["--kind", "age"], "“age”"),
        (["--list", "none.txt"], "none.txt"),
        ([], ""),
    ],
)
def test_a_mistake_is_reported_before_anything_is_written(
    run: Run, tmp_path: Path, arguments: list[str], fact: str
) -> None:
    ended = run("redact", str(LETTER), "--to", str(tmp_path / "x.pdf"), *arguments, "--json")
    error = error_of(ended)
    assert (ended.code, fact in error["message"]) == (2, True)
    assert not (tmp_path / "x.pdf").exists()


def test_a_folder_is_stamped_in_the_order_of_its_names(run: Run, tmp_path: Path) -> None:
    ended = run(
        *("discovery", "stamp", str(CASE / "Exhibits"), "--prefix", "ABC", "--start", "7"),
        *("--to", str(tmp_path / "set"), "--legend", "CONFIDENTIAL"),
    )
    assert ended.code == 0, ended.err
    assert ended.out.splitlines()[0] == "ABC000007  Ex. 1 Bill of Lading.pdf"
    page = pymupdf.open(tmp_path / "set" / "ABC000009.pdf")[0]
    # HAR000003 is the number of the party that produced it first.
    assert all(page.search_for(text) for text in ("ABC000009", "HAR000003", "CONFIDENTIAL"))
