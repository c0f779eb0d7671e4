"""Transcripts and pleading paper: page and line as printed, and text without any number of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from casetrack.extract.papers.places import find_pin
from casetrack.extract.papers.text import Pin, TextPage, WholeText
from casetrack.parse import detect
from casetrack.parse.workers.worker import with_printed
from tests.tools.transcripts import (
    LAYOUTS,
    Layout,
    Printed,
    TextStyle,
    pages_of,
    text_of,
    with_cover,
    write_condensed,
    write_docx,
    write_pdf,
    write_scan,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from casetrack.parse.base import Page


def read(path: Path) -> list[Page]:
    """Return the pages of a file as they are stored."""
    return list(with_printed(detect(path).read(path).pages))


def lines_of(pages: Sequence[Page]) -> list[tuple[str, str, str]]:
    """Return page, line and words of each numbered line, as the paper has them."""
    collected = []
    for page in pages:
        numbers = [p for p in page.printed if p.kind == "page"]
        for line in page.printed:
            if line.kind == "line":
                label = next(n.label for n in numbers if n.start <= line.start < n.end)
                words = " ".join(page.text[line.start : line.end].split())
                collected.append((label, line.label, words))
    return collected


def expected(pages: Sequence[Printed]) -> list[tuple[str, str, str]]:
    """Return the printed values."""
    return [line for page in pages for line in page.expected()]


def words_of(pages: Sequence[Page]) -> str:
    """Return all text with single spaces."""
    return " ".join(" ".join(page.text.split()) for page in pages)


@pytest.mark.parametrize("name", LAYOUTS)
def test_page_and_line_of_a_pdf_are_those_printed(name: str, tmp_path: Path) -> None:
    layout = LAYOUTS[name]
    made = pages_of(layout, 4, seed=len(name))
    write_pdf(tmp_path / "a.pdf", layout, made)
    pages = read(tmp_path / "a.pdf")
    assert lines_of(pages) == expected(made)
    text = words_of(pages)
    for _, _, words in expected(made):
        assert words in text
    # Except for one footer, only the words of the lines remain.
    left = text
    for _, _, words in sorted(expected(made), key=lambda line: -len(line[2])):
        left = left.replace(words, " ", 1)
    assert " ".join(left.split()) in {"", " ".join(layout.footer.split())}


def test_a_cover_and_an_index_are_known_by_the_pages_that_follow(tmp_path: Path) -> None:
    made = with_cover(pages_of(Layout(first_page=5), 3, seed=9), 3)
    (tmp_path / "a.txt").write_text(text_of(made))
    write_pdf(tmp_path / "a.pdf", Layout(), made)
    for name in ("a.txt", "a.pdf"):
        assert lines_of(read(tmp_path / name)) == expected(made)


def test_times_next_to_the_lines_are_kept_as_data(tmp_path: Path) -> None:
    made = pages_of(LAYOUTS["stamped times"], 1, seed=2)
    write_pdf(tmp_path / "a.pdf", LAYOUTS["stamped times"], made)
    (page,) = read(tmp_path / "a.pdf")
    times = [p.label for p in page.printed if p.kind == "time"]
    assert times[0] == "10:00:00"
    assert len(times) == len(expected(made))
    assert not any(time in page.text for time in times)


@pytest.mark.slow
def test_200_pages_of_transcripts_are_right_to_the_line(tmp_path: Path) -> None:
    spoken = [layout for layout in LAYOUTS.values() if layout.words == "testimony"]
    for seed, layout in enumerate(spoken):
        made = pages_of(layout, 20, seed=seed + 100)
        write_pdf(tmp_path / "a.pdf", layout, made)
        assert lines_of(read(tmp_path / "a.pdf")) == expected(made)
    assert 20 * len(spoken) == 200


@pytest.mark.sampled(1)
@pytest.mark.parametrize("across", [False, True])
def test_four_pages_on_a_sheet_are_read_one_after_the_other(across: bool, tmp_path: Path) -> None:
    made = pages_of(Layout(width=50, first_page=5), 10, seed=3)
    write_condensed(tmp_path / "a.pdf", made, across=across)
    pages = read(tmp_path / "a.pdf")
    assert lines_of(pages) == expected(made)
    whole = WholeText(tuple(TextPage(p.number, p.text, p.printed) for p in pages))
    _, line, words = made[7].expected()[3]
    pin = Pin(f"12:{line}", "line", "12", "12", line, line)
    assert [whole.text[a:b] for a, b in find_pin(whole, pin)] == [words]


STYLES: tuple[TextStyle, ...] = (
    *("padded", "stamps", "stamps after", "double spaced", "page word", "no feeds", "zeros"),
)


@pytest.mark.parametrize("style", [*STYLES, "docx", "docx table"])
def test_page_and_line_of_other_files_are_those_printed(style: Any, tmp_path: Path) -> None:
    made = pages_of(Layout(first_page=5), 3, seed=4)
    path = tmp_path / ("a.txt" if style in STYLES else "a.docx")
    if style in STYLES:
        path.write_text(text_of(made, style))
    else:
        write_docx(path, made, table=style == "docx table")
    pages = read(path)
    assert lines_of(pages) == expected(made)
    assert words_of(pages) == " ".join(words for _, _, words in expected(made))
    if style not in STYLES:
        assert {p.kind for page in pages for p in page.paragraphs} <= {"body"}


@pytest.mark.needs("tesseract")
@pytest.mark.parametrize("name", ["plain", "boxed", "pleading"])
def test_page_and_line_of_a_scan_are_those_printed(name: str, tmp_path: Path) -> None:
    layout = LAYOUTS[name]
    made = pages_of(layout, 2, seed=7)
    write_pdf(tmp_path / "a.pdf", layout, made)
    write_scan(tmp_path / "scan.pdf", tmp_path / "a.pdf")
    actual = [(page, line) for page, line, _ in lines_of(read(tmp_path / "scan.pdf"))]
    assert actual == [(page, line) for page, line, _ in expected(made)]


CODE = "\n".join(f"{n:>2}  x{n} = load(table[{n}])  # keep" for n in range(1, 26))
RANKING = "\n".join(
    f"{n:>2}  Province {chr(64 + n)}   {n * 7}.{n}   {n * 31}" for n in range(1, 26)
)
STEPS = "\n".join(f"{n}. Turn the valve of pump {n} until it is closed." for n in range(1, 26))
ITEMS = "\n".join(f"{n}  Widget, blue, small, with a lid" for n in range(1, 29))


@pytest.mark.parametrize("text", [CODE, RANKING, STEPS, ITEMS])
def test_lists_tables_and_code_keep_their_numbers(text: str, tmp_path: Path) -> None:
    """A column of numbers alone makes no transcript."""
    import pymupdf

    (tmp_path / "a.txt").write_text(text)
    with pymupdf.open() as document:
        page = document.new_page()
        for index, line in enumerate(text.split("\n")):
            number, _, rest = line.strip().partition(" ")
            page.insert_text((60, 80 + 24 * index), number)
            page.insert_text((100, 80 + 24 * index), rest.strip())
        document.save(tmp_path / "a.pdf")
    for name in ("a.txt", "a.pdf"):
        pages = read(tmp_path / name)
        assert not any(p.kind == "line" for page in pages for p in page.printed)
        figures = "".join(c for c in words_of(pages) if c.isdigit())
        assert sorted(figures) == sorted(c for c in text if c.isdigit())


def test_printed_page_numbers_are_distinguished_from_the_first_that_is_not_its_place(
    tmp_path: Path,
) -> None:
    """Front matter in Roman numerals, then pages that are numbered from 1 again."""
    import pymupdf

    labels = [*"i ii iii".split(), *map(str, range(1, 7))]
    with pymupdf.open() as document:
        for label in labels:
            page = document.new_page()
            page.insert_textbox((72, 72, 540, 400), f"Words of the page that is {label}. " * 20)
            page.insert_text((300, 770), label)
        document.save(tmp_path / "a.pdf")
    pages = read(tmp_path / "a.pdf")
    assert [p.label for page in pages for p in page.printed if p.kind == "page"] == labels


def test_printed_page_numbers_of_a_docx_are_those_its_sections_count(tmp_path: Path) -> None:
    import docx
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    document = docx.Document()
    section = document.sections[0]
    numbers = OxmlElement("w:pgNumType")
    numbers.set(qn("w:start"), "41")
    section._sectPr.append(numbers)
    field = OxmlElement("w:fldSimple")
    field.set(qn("w:instr"), "PAGE")
    shown = section.footer.paragraphs[0].add_run("1")._r
    field.append(shown)
    section.footer.paragraphs[0]._p.append(field)
    header = section.header.paragraphs[0]
    for number in range(1, 29):
        header.add_run(str(number)).add_break()
    document.add_paragraph("One.")
    document.add_page_break()
    document.add_paragraph("Two.")
    document.save(str(tmp_path / "a.docx"))
    pages = read(tmp_path / "a.docx")
    assert [p.label for page in pages for p in page.printed] == ["41", "42"]
    # The numbers in the header of pleading paper are no text.
    assert not any("27" in f"{page.text} {page.header}" for page in pages)


def test_numbers_in_both_margins_and_lines_between_numbers(tmp_path: Path) -> None:
    """A quotation set single-spaced has two lines to a number; a note below the last has none."""
    import pymupdf

    with pymupdf.open() as document:
        page = document.new_page()
        for number in range(1, 29):
            for x in (70, 560):
                page.insert_text((x, 46 + 24 * number), str(number), fontsize=12)
        messages = [(f"The court held so in its order and line {n} of", 24) for n in range(10)]
        messages += [(f"quoted words, which are those of part {n} of", 12) for n in range(12)]
        messages += [(f"after all of that it goes on with line {n} of", 24) for n in range(8)]
        y = 70
        for text, pitch in messages:
            page.insert_text((110, y), text, fontsize=12)
            y += pitch
        page.insert_text((110, 750), "A note below all numbers stands here.", fontsize=9)
        document.save(tmp_path / "a.pdf")
    (read_page,) = read(tmp_path / "a.pdf")
    lines = [p for p in read_page.printed if p.kind == "line"]
    assert [p.label for p in lines] == [str(n) for n in range(1, 25)]
    assert [read_page.text[p.start : p.end].count(" of") for p in lines] == (
        [1] * 10 + [4] * 6 + [2] * 8
    )
    assert read_page.text.endswith("A note below all numbers stands here.")
