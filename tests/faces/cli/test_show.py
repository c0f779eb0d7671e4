"""``casetrack show``: its files, their paths, and its errors."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import pymupdf
import pytest

from casetrack.api.viewer.source import facts_of

if TYPE_CHECKING:
    from faces.cli.conftest import Run


@pytest.fixture
def local(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def first_chunk(run: Run, words: str) -> str:
    data = json.loads(run("search", words, "-k", 1, "--json").out)
    chunk_id: str = data["results"][0]["source"]["chunk_id"]
    return chunk_id


def test_a_page_is_written_into_the_current_folder(filled: Run, local: Path) -> None:
    chunk_id = first_chunk(filled, "notice in writing")
    ended = filled("show", chunk_id)
    assert ended.code == 0, ended.err
    path = local / "lease, page 1.html"
    cited, wrote = ended.out.splitlines()
    assert (cited, str(path) in wrote) == ("lease.txt, p. 1, paras. 1-3, ll. 1-6", True)
    html = path.read_text(encoding="utf-8")
    assert html.startswith("<!doctype html>")
    assert "six months&#x27; notice in writing" in html
    assert '<i aria-hidden="true">6</i><span>Either party' in html


def test_the_same_passage_is_written_again_and_others_next_to_it(filled: Run, local: Path) -> None:
    chunk_id = first_chunk(filled, "notice in writing")
    assert filled("show", chunk_id).code == 0
    assert filled("show", chunk_id).code == 0
    assert [p.name for p in local.iterdir()] == ["lease, page 1.html"]
    (local / "lease, page 1.html").write_text("something of mine", encoding="utf-8")
    ended = filled("show", chunk_id)
    assert str(local / "lease, page 1 (2).html") in ended.out
    assert (local / "lease, page 1.html").read_text(encoding="utf-8") == "something of mine"


@pytest.mark.slow
def test_a_picture(filled: Run, local: Path) -> None:
    chunk_id = first_chunk(filled, "notice in writing")
    ended = filled("show", chunk_id, "--png")
    assert ended.code == 0, ended.err
    path = local / "lease, page 1.png"
    assert facts_of(path.read_bytes())["casetrack-chunk"] == chunk_id
    assert filled("show", chunk_id, "--out", path).code == 0
    assert filled("show", chunk_id, "-o", "other.png").code == 0
    assert sorted(p.name for p in local.iterdir()) == ["lease, page 1.png", "other.png"]


@pytest.mark.slow
def test_a_name_of_any_letters_makes_a_file_name(filled: Run, local: Path) -> None:
    chunk_id = first_chunk(filled, "Frau Weiß")
    ended = filled("show", chunk_id, "-c", "Mill")
    assert ended.code == 0, ended.err
    (path,) = local.iterdir()
    assert path.name == "Grüße & Mehr d'été, page 1.html"


@pytest.mark.slow
def test_a_folder_takes_the_file(filled: Run, local: Path, tmp_path: Path) -> None:
    folder = tmp_path / "some folder"
    folder.mkdir()
    assert filled("show", first_chunk(filled, "roof leaks"), "--out", folder).code == 0
    assert [p.name for p in folder.iterdir()] == ["memo, page 1.html"]


def test_a_page_of_a_document_is_a_picture(filled: Run, local: Path) -> None:
    facts = json.loads(filled("show", "lease.txt", "--page", 1, "--json").out)
    assert facts["file"] == str(local / "lease, page 1.png")
    assert Path(facts["file"]).read_bytes().startswith(b"\x89PNG")
    assert filled("show", "lease.txt", "--page", 9).code == 2


def test_it_opens_in_the_browser(filled: Run, local: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def fake_open(address: str) -> bool:
        opened.append(address)
        return len(opened) == 1

    monkeypatch.setattr(webbrowser, "open", fake_open)
    chunk_id = first_chunk(filled, "notice in writing")
    ended = filled("show", chunk_id, "--open")
    path = local / "lease, page 1.html"
    assert opened == [f"{path.as_uri()}#passage"]
    assert ended.err == ""
    ended = filled("show", chunk_id, "--open")
    assert (ended.code, str(path) in ended.out, ended.err != "") == (0, True, True)


@pytest.mark.slow
def test_the_page_of_a_protected_pdf(run: Run, home: Path, local: Path, tmp_path: Path) -> None:
    source = tmp_path / "secret.pdf"
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), "The secret recipe needs two lemons.")
    document.save(source, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own")
    document.close()
    ended = run("ingest", source, "--create", "-c", "Vault", "--password", "open")
    assert ended.code == 0, ended.err
    chunk_id = first_chunk(run, "secret recipe")
    without = run("show", chunk_id)
    assert (without.code, "--password" in without.out) == (0, True)
    facts = json.loads(run("show", chunk_id, "--password", "open", "--json").out)
    assert facts["has_picture"] is True
    assert facts["notes"] == []


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        (["no-such-chunk"], "no-such-chunk"),
        (["CHUNK", "--out", "page.docx"], "'page.docx'"),
        (["CHUNK", "--out", "page"], "'page'"),
        (["CHUNK", "--png", "--out", "page.html"], "--png"),
        (["CHUNK", "--out", "no folder/page.html"], "no folder"),
        (["CHUNK", "--out", "mine.html"], "mine.html"),
        (["CHUNK", "-c", "Nothing"], '"Nothing"'),
        (["CHUNK", "--window", "-1"], "'--window'"),
    ],
)
def test_errors(filled: Run, local: Path, arguments: list[str], fact: str) -> None:
    chunk_id = first_chunk(filled, "notice in writing")
    (local / "mine.html").write_text("mine", encoding="utf-8")
    ended = filled("show", *[chunk_id if a == "CHUNK" else a for a in arguments])
    assert ended.code == 2
    assert fact in " ".join(ended.err.split())
    assert [p.name for p in local.iterdir()] == ["mine.html"]
    assert (local / "mine.html").read_text(encoding="utf-8") == "mine"


@pytest.mark.slow
def test_a_place_that_cannot_be_written(
    filled: Run, local: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunk_id = first_chunk(filled, "notice in writing")

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    ended = filled("show", chunk_id)
    assert ended.code == 1
    assert "lease, page 1.html: No space left on device." in ended.err


@pytest.mark.slow
def test_the_beginning_of_an_id_is_enough(filled: Run, local: Path) -> None:
    chunk_id = first_chunk(filled, "notice in writing")
    assert filled("show", chunk_id[:8]).code == 0
    assert (local / "lease, page 1.html").is_file()
    assert filled("read", "lease").out == filled("read", "lease.txt").out


def test_without_an_id_the_best_answer_to_the_question_is_shown(filled: Run, local: Path) -> None:
    shown = json.loads(filled("show", "--for", "notice in writing", "--json").out)
    assert shown["chunk"]["source"]["chunk_id"] == first_chunk(filled, "notice in writing")
    assert filled("show").code == 2


def test_what_answers_a_question_is_marked_strongly(filled: Run, local: Path) -> None:
    chunk_id = first_chunk(filled, "notice in writing")
    ended = filled("show", chunk_id, "--for", "How much notice must be given in writing?")
    assert ended.code == 0, ended.err
    assert "At: lease.txt, p. 1, " in ended.out
    html = (local / "lease, page 1.html").read_text(encoding="utf-8")
    assert "months&#x27; notice in writing" in html.partition("</h2>")[2]
