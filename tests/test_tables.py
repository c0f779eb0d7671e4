"""Questions about single cells: one passage holds the row's label, the column's name, the value."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
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
    from pathlib import Path

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


ASKED = """
[Project Budget 2024-25.xlsx]
What does the lead controls engineer cost per day? | Lead controls engineer | Day rate | £985.00
What is the night supplement of a crane fitter? | Crane fitter | Night supplement | 30%
How much contingency was left after CR-07? | CR-07 | Contingency left | £244,300
[Operating Cost Model.xlsx]
How many pallets were moved in July 2024? | Jul 2024 | Pallets moved | 311,900
What is the pay per hour of a crane supervisor? | Crane supervisor | Pay per hour | £18.40
What figure does the hurdle rate have? | Hurdle rate | Figure | 8.5%
[Spare Parts Register.ods]
On which shelf is the laser distance meter? | Laser distance meter | Shelf | R2-02
What is the lead time of the hoist gearbox in days? | Hoist gearbox | Lead time (days) | 112
[Invoice TS-2024-0311.pdf]
What amount was kept as retention from milestone M2? | Retention of 5 % | Amount | −£59,400.00
[Progress Report Q3 2024.pdf]
What was the forecast for milestone M2 Cranes? | M2 Cranes | Forecast | 14 October 2024
[Ferries.pdf]
How many passengers does the vessel Skerryvore carry? | Skerryvore | Passengers | 238
[Mines.pdf]
In which year was the shaft Wheal Prosper closed? | Wheal Prosper | Closed in | 1894
[Orchard.pdf]
How many tonnes of the variety Kingston Black? | Kingston Black | Tonnes | 27.9
[Turnover.pdf]
What was the wholesale turnover of the Whitby branch in 2024? | Whitby | Wholesale / 2024 | 105
[Insurance.pdf]
Which excess applies to burst pipes and tanks? | Burst pipes and overflowing tanks | Excess | £350
[Lamps.pdf]
What wattage has LP-103? | LP-103 | Wattage | 349
What wattage has LP-171? | LP-171 | Wattage | 553
[Wells.csv]
How much nitrate is in the Chalk Pit well? | Chalk Pit | Nitrate (mg/l) | 21
"""
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
