"""Checks the committed files against the texts, and ``golden.jsonl`` against the files.

The files are read back with other code than the one that wrote them.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

from _make.build import build, story
from _make.case import build_case
from _make.sheets import show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KINDS = {"lexical", "paraphrase", "table", "number", "date", "cross-document", "german"}
_STOP = set(
    "a about above after all an and any are as at be been before by can could did do does for from"
    " get given had has have he her his how if in into is it its many may more much must no not of"
    " on once one or she should so than that the their them then there they this to until was were"
    " what when where which who whom whose why will with within you your".split()
)


def check(folder: Path, /) -> list[str]:
    """Return the faults of ``data-samples``, each as one sentence; none when all is well."""
    return [
        *_compare(folder / "files", build),
        *_compare(folder / "case", build_case),
        *_check_golden(folder),
    ]


def _compare(files: Path, write: Callable[[Path], list[Path]], /) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Path(scratch)
        made = {path.relative_to(fresh): path.read_bytes() for path in write(fresh)}
    found = {path.relative_to(files): path for path in files.rglob("*") if path.is_file()}
    for name in sorted(found.keys() - made.keys()):
        yield f"{name}: not made by the script"
    for name, data in sorted(made.items()):
        if name not in found:
            yield f"{name}: missing"
        elif found[name].read_bytes() != data:
            yield f"{name}: differs from what the script makes"


def read_golden(folder: Path, /) -> list[dict[str, Any]]:
    """Questions of ``golden.jsonl``, in order."""
    lines = (folder / "golden.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def _check_golden(folder: Path, /) -> Iterator[str]:
    questions = read_golden(folder)
    barred = {
        entry["path"]
        for entry in story()
        if "copy_of" in entry or entry.get("style") in {"scan", "blank"}
    }
    pages: dict[str, list[str]] = {}
    if len({question["id"] for question in questions}) < len(questions):
        yield "golden.jsonl: an id is used twice"
    for question in questions:
        name = question["id"]
        if question["kind"] not in KINDS:
            yield f"{name}: unknown kind {question['kind']!r}"
        for answer in question["answers"]:
            document, text = answer["document"], answer["text"]
            if document in barred or not (folder / "files" / document).is_file():
                yield f"{name}: {document} cannot be an answer's document"
                continue
            if document not in pages:
                pages[document] = read_pages(folder / "files" / document)
            if not 10 <= len(text) <= 120:
                yield f"{name}: answer of {len(text)} characters"
            if not 1 <= answer["page"] <= len(pages[document]):
                yield f"{name}: {document} has no page {answer['page']}"
                continue
            page = pages[document][answer["page"] - 1]
            # It must hold whether or not a reader joins words that were divided at line ends.
            for way, plain in (("joined", undivided(page)), ("as they stand", collapse(page))):
                if text not in plain:
                    place = f"page {answer['page']} of {document}"
                    yield f"{name}: {text!r} is not on {place}, divided words {way}"
            if question["kind"] == "paraphrase" and (
                shared := shared_words(question["question"], text, page)
            ):
                yield f"{name}: question and answer share {', '.join(sorted(shared))}"


def collapse(text: str, /) -> str:
    """Text with ligatures spelled out and each stretch of white space made one space."""
    return " ".join(text.replace("\ufb01", "fi").replace("\ufb02", "fl").split())


def undivided(text: str, /) -> str:
    """Like :func:`collapse`, with words put together again that are divided at a line end."""
    return collapse(
        re.sub(r"(?<=\w)-\n(?=\w)", "", text.replace("\ufb01", "fi").replace("\ufb02", "fl"))
    )


def shared_words(question: str, answer: str, page: str, /) -> set[str]:
    """Content words, as stems, common to a question and the sentences that hold its answer."""
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", undivided(page))
    covering = [sentence for sentence in sentences if sentence in answer or answer in sentence] or [
        answer
    ]
    return _stems(question) & _stems(" ".join([answer, *covering]))


def _stems(text: str, /) -> set[str]:
    words = re.findall(r"[^\W_]+", text.lower())
    return {
        re.sub(r"(ing|ed|es|s|e)$", "", word)[:6]
        for word in words
        if word not in _STOP and len(word) > 1
    }


def read_pages(path: Path, /) -> list[str]:
    """Read a file's pages: those of a PDF, a workbook's sheets, a Word file's explicit pages."""
    match path.suffix:
        case ".pdf":
            import pymupdf

            with pymupdf.open(path) as document:
                return [page.get_text() for page in document]
        case ".docx":
            return list(_docx_pages(path))
        case ".xlsx":
            return list(_xlsx_pages(path))
        case ".ods":
            return list(_ods_pages(path))
        case _:
            return [path.read_text(encoding="utf-8")]


def _docx_pages(path: Path, /) -> Iterator[str]:
    import docx
    from docx.oxml.ns import qn

    page: list[str] = []
    for element in docx.Document(str(path)).element.body.iter():
        if element.tag == qn("w:t"):
            page.append(element.text or "")
        elif element.tag in {qn("w:p"), qn("w:tc")}:
            page.append("\n")
        elif element.tag == qn("w:br") and element.get(qn("w:type")) == "page":
            yield "".join(page)
            page = []
    yield "".join(page)


def _xlsx_pages(path: Path, /) -> Iterator[str]:
    import openpyxl

    workbook = openpyxl.load_workbook(path, data_only=True)
    for sheet in workbook:
        yield _as_lines(
            [[_shown(cell.value, cell.number_format) for cell in row] for row in sheet.iter_rows()]
        )


def _shown(value: Any, number_format: str, /) -> str:
    if value is None:
        return ""
    return show(value.date() if isinstance(value, dt.datetime) else value, number_format)


def _ods_pages(path: Path, /) -> Iterator[str]:
    table = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
    with zipfile.ZipFile(path) as archive:
        root = ET.fromstring(archive.read("content.xml"))
    for sheet in root.iter(f"{table}table"):
        yield _as_lines(
            [
                ["".join(cell.itertext()) for cell in row.iter(f"{table}table-cell")]
                for row in sheet.iter(f"{table}table-row")
            ]
        )


def _as_lines(rows: list[list[str]], /) -> str:
    """Rows as ``Header: value | …``; the header is the first row with three filled cells."""
    start = next(number for number, row in enumerate(rows) if sum(map(bool, row)) > 2)
    lines = [" | ".join(filter(None, row)) for row in rows[: start + 1]]
    lines.extend(
        " | ".join(f"{head}: {text}" for head, text in zip(rows[start], row, strict=False) if text)
        for row in rows[start + 1 :]
    )
    return "\n".join(lines)
