"""Questions about single cells: one passage holds the row's label, the column's name, the value."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import letter
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table

from casetrack.api.library import Library
from casetrack.base.config import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from casetrack.api.collection import Collection
    from casetrack.base.records import SearchResult

    Rows = Sequence[Sequence[object]]

STYLES = getSampleStyleSheet()
GRID = [("GRID", (0, 0), (-1, -1), 0.5, colors.black), ("VALIGN", (0, 0), (-1, -1), "TOP")]
BOOKTABS = [
    ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black),
    ("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black),
    ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black),
]
SPANS = [*GRID, ("SPAN", (0, 0), (0, 1)), ("SPAN", (1, 0), (2, 0)), ("SPAN", (3, 0), (4, 0))]


def listed(*rows: str) -> list[list[str]]:
    """Return the cells of rows."""
    return [[cell.strip() for cell in row.split("|")] for row in rows]


def wrapped(text: str) -> Paragraph:
    return Paragraph(text, STYLES["BodyText"])


FERRIES = listed(
    "Vessel | Home port | Passengers | Cars",
    "Marguerite | Ardlussa | 412 | 96",
    "Skerryvore | Craighouse | 238 | 54",
    "Corran Light | Kennacraig | 175 | 31",
)
MINES = listed(
    "Shaft | Depth (m) | Closed in | Owner",
    "Wheal Prosper | 318 | 1894 | Trevanion",
    "Ding Dong | 247 | 1878 | Bolitho",
    "Great Condurrow | 553 | 1914 | Basset",
)
ORCHARD = listed(
    "Variety | Trees | Harvest | Tonnes",
    "Bramley | 640 | September | 18.2",
    "Kingston Black | 1,150 | October | 27.9",
    "Egremont Russet | 385 | November | 6.4",
)
TURNOVER = listed(
    "Branch | Retail |  | Wholesale | ",
    " | 2023 | 2024 | 2023 | 2024",
    "Harrogate | 811 | 843 | 207 | 219",
    "Whitby | 356 | 372 | 98 | 105",
    "Malton | 164 | 181 | 61 | 77",
)
INSURANCE = [
    ["Risk", "What is covered", "Excess", "Limit"],
    [
        wrapped("Burst pipes and overflowing tanks"),
        wrapped("Damage to floors, ceilings and fittings, with the cost of finding the leak"),
        "£350",
        "£90,000",
    ],
    [
        wrapped("Subsidence of the building or the land"),
        wrapped("Movement of the ground below the foundations, other than by the settling of fill"),
        "£1,000",
        "£725,000",
    ],
]
LAMPS = [
    ["Lamp post", "Street", "Wattage", "Inspected"],
    *(
        [f"LP-{n}", f"{name} Row", str(40 + n * 3), f"{1 + n % 28} May"]
        for n, name in enumerate(("Alder", "Birch", "Cedar", "Damson", "Elder") * 26, start=101)
    ),
]
WELLS = listed(
    "Well | Yield (l/s) | Nitrate (mg/l)", "Brookside | 12.5 | 38", "Chalk Pit | 31.0 | 21"
)


def write_pdf(path: Path, rows: Rows, style: Sequence[object], width: float | None = 115) -> None:
    table = Table(rows, style=style, colWidths=[width] * len(rows[0]))
    before, after = wrapped("The figures stand below."), wrapped("End of the list.")
    SimpleDocTemplate(str(path), pagesize=letter, invariant=1).build([before, table, after])


def write_csv(path: Path, rows: Rows) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


WRITERS: dict[str, Callable[[Path], None]] = {
    "Ferries.pdf": lambda path: write_pdf(path, FERRIES, GRID),
    "Mines.pdf": lambda path: write_pdf(path, MINES, BOOKTABS),
    "Orchard.pdf": lambda path: write_pdf(path, ORCHARD, []),
    "Turnover.pdf": lambda path: write_pdf(path, TURNOVER, SPANS, 80),
    "Insurance.pdf": lambda path: write_pdf(path, INSURANCE, GRID),
    "Lamps.pdf": lambda path: write_pdf(path, LAMPS, GRID),
    "Wells.csv": lambda path: write_csv(path, WELLS),
}


@dataclass(frozen=True)
class Question:
    text: str
    document: str
    row: str
    column: str
    value: str


ASKED = Path(__file__).with_name("tables_questions.txt").read_text("utf-8")
"""Below the name of each document: questions, each with its row, its column and its value."""


def questions() -> Iterator[Question]:
    document = ""
    for line in ASKED.strip().splitlines():
        if line.startswith("["):
            document = line.strip("[]")
        else:
            text, *cell = line.split(" | ")
            yield Question(text, document, *cell)


QUESTIONS = list(questions())


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory, samples: Path) -> Collection:
    """Return a collection of the samples and of every table here; no model is installed."""
    home = tmp_path_factory.mktemp("tables")
    files = home / "files"
    files.mkdir()
    for name, write in WRITERS.items():
        write(files / name)
    settings = replace(load_settings(home / "data"), models_dir=home / "no-models")
    collection = Library(settings).create("Tables")
    report = collection.ingest([samples, files], ocr="off")
    assert report.count("failed", "partial") == 0, report.as_dict()
    return collection


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?:(?<=\s)|^)\|(?=\s|$)", line)]


def under(upper: list[str], lower: list[str]) -> list[str]:
    """Return the names of columns whose header has two rows: a merged name reaches to the right."""
    names, last = [], ""
    for index, name in enumerate(lower):
        last = (upper[index] if index < len(upper) else "") or last
        names.append(f"{last} / {name}".strip(" /"))
    return names


def answers(result: SearchResult, question: Question) -> bool:
    """Whether a passage gives the cell: in a row with its label, under or after its header."""
    if result.provenance.document_name != question.document:
        return False
    headers = [cells(result.provenance.table_header or "")]
    for line in result.text.splitlines():
        if question.row in line:
            if f"{question.column}: {question.value}" in cells(line):
                return True
            for header in headers:
                if (question.column, question.value) in zip(header, cells(line), strict=False):
                    return True
        row = cells(line)
        headers.append(under(headers[-1], row) if row[0] == "" else row)
    return False


@pytest.mark.slow
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: f"{q.document}: {q.row}")
def test_one_passage_answers_a_question_about_a_cell(
    tables: Collection, question: Question
) -> None:
    answer = tables.search(question.text, limit=3, mode="keyword").results
    seen = [(r.provenance.cite(), r.provenance.table_header, r.text) for r in answer]
    assert any(answers(result, question) for result in answer), seen


def test_a_table_keeps_its_header_over_page_breaks(tables: Collection) -> None:
    chunks = tables.read.chunks("Lamps.pdf")
    pages = {chunk.provenance.page for chunk in chunks}
    assert len(pages) >= 3
    header = " | ".join(str(name) for name in LAMPS[0])
    assert header in chunks[0].text
    for chunk in chunks:
        if chunk.provenance.page > 1:
            assert chunk.provenance.table_header == header, chunk.text
            assert header not in chunk.text
    rows = {line for chunk in chunks for line in chunk.text.splitlines()}
    assert {" | ".join(map(str, row)) for row in LAMPS} <= rows
