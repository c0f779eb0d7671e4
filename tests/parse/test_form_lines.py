"""Lines of a form are not headings, in any format and with any style."""

from __future__ import annotations

import html
from pathlib import Path

import pytest
from docx import Document

from casetrack.parse import detect
from casetrack.parse.labels import is_form_line
from tests.parse.odf import flat

FORM = (
    "\u2610 Yes \u2610 No", "\u2612 Approved", "\u25a1 New  \u25a0 Renewal", "\u25a1 Other",
    "[ ] Approved [x] Rejected", "( ) Single ( ) Married", "\u25cb weekly \u25cb monthly",
    "Name: ______________ Date: ______________", "Signature ________________", "Phone ..........",
    "First name:   Last name:", "Date of birth:", "TELEPHONE NO.:", "E-mail: john@example.org",
    "Vor- und Nachname:", "Male / Female", "Ja / Nein", "(please tick)", "Check all that apply",
)  # fmt: skip
HEADINGS = (
    "APPLICATION FORM", "Section A: Personal data", "Part 2: Findings: what we saw", "Purpose:",
    "Names of the parties", "\u25a0 \u6982\u8981", "\u25a1\u7d50\u8ad6", "Costs [in thousands]",
    "(x) Other matters", "The f[x] of things", "Profit / loss", "Scope: what the date of birth is",
    "State of the art", "Wait\u2026",
)  # fmt: skip
BODY = "This is how the text is set, over so many words that its size and its weight are known. "


@pytest.mark.parametrize(
    ("text", "expected"), [(t, True) for t in FORM] + [(t, False) for t in HEADINGS]
)
def test_lines_of_a_form(text: str, expected: bool) -> None:
    assert is_form_line(text) is expected


def headings(path: Path) -> set[str]:
    pages = detect(path).read(path).pages
    return {
        " ".join(page.text[p.start : p.end].lstrip("#").split())
        for page in pages
        for p in page.paragraphs
        if p.kind == "heading"
    }


def write_docx(path: Path, lines: tuple[str, ...]) -> None:
    document = Document()
    for line in lines:
        document.add_paragraph(line, "Heading 2")
        document.add_paragraph(BODY * 3)
    document.save(str(path))


TICKED = ("Application", "[ ] Approved [x] Rejected", "Date of birth:", "Name: _____ Date: _____")


@pytest.mark.parametrize("kind", ["docx", "html", "md", "rtf", "fodt"])
def test_no_format_makes_headings_of_a_form(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"a.{kind}"
    if kind == "docx":
        write_docx(path, TICKED)
    else:
        before, after = {
            "html": ("<h2>", "</h2>"),
            "md": ("## ", "\n\n"),
            "rtf": (r"{\pard\outlinelevel1 ", r"\par}"),
            "fodt": ('<text:h text:outline-level="2">', "</text:h>"),
        }[kind]
        body = {"html": f"<p>{BODY}</p>", "md": f"{BODY}\n\n", "rtf": rf"{{\pard {BODY}\par}}"}
        text = "".join(
            before + (html.escape(line) if kind in {"html", "fodt"} else line) + after
            + body.get(kind, "") for line in TICKED
        )  # fmt: skip
        whole = {"rtf": r"{\rtf1\ansi " + text + "}", "fodt": flat(text)}.get(kind, text)
        path.write_text(whole, encoding="utf-8")
    assert headings(path) == {"Application"}
