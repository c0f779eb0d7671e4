"""Notebooks, Parquet files and drawings: exact text and place, hidden text, bad input."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from casetrack.base.errors import ParseFailed
from casetrack.parse import detect

if TYPE_CHECKING:
    from pathlib import Path

NOTEBOOK = r"""{"cells": [
{"cell_type": "markdown", "source": ["# Pumps\n", "\n", "- one"]},
{"cell_type": "code", "source": "def run():\n    pass\n\nrun()", "outputs": [
{"output_type": "stream", "text": ["10%\r100%\n", "\u001b[31mdone\u001b[0m\n"]},
{"data": {"text/plain": "<Figure>", "image/png": "aWs="}},
{"data": {"text/html": "<table><tr><th>a<th>b<tr><td>1<td>2</table>"}}]},
{"cell_type": "code", "outputs": [{"ename": "E", "traceback": ["E: no"]}]}]}"""
DRAWING = """<!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg"><!ENTITY e "boom">]>
<svg xmlns="&ns;"><title>Plan</title><style>.off{display:none}</style>
<defs><text id="a">Valve</text><text>Draft</text></defs><use href="#a"/>
<text>Flow <tspan>ra</tspan>te <tspan x="1" dy="1em">12 &e;</tspan></text>
<text class="off">A</text><g visibility="hidden"><text>B</text></g>
<switch><text>Shown</text><text>Other</text></switch></svg>"""
DRAWN = "Plan|Valve|Hidden text: Draft|Flow rate\n12 &e;|Hidden text: A|Hidden text: B|Shown|"
DAMAGED = [
    ("a.ipynb", '{"cells": [', "not valid JSON"),
    ("a.ipynb", '{"cells": null}', "no list of cells"),
    ("a.parquet", "PAR1", "Parquet"),
    ("a.svg", "<svg><text>Flow", "line 1"),
]


def pages_of(path: Path, content: bytes) -> Any:
    path.write_bytes(content)
    return list(detect(path).read(path).pages)


def test_each_cell_of_a_notebook_is_a_page_with_its_outputs(tmp_path: Path) -> None:
    first, code, error = pages_of(tmp_path / "a.ipynb", NOTEBOOK.encode())
    assert (first.text, first.paragraphs[0].kind) == ("# Pumps\n\n- one", "heading")
    assert (
        code.text
        == "def run():\n    pass\n\nrun()\n\nOutput:\n\n100%\ndone\n\na | b\n\na: 1 | b: 2"
    )
    assert [line.number for line in code.lines[:4]] == [1, 2, 4, 5]
    assert (error.text, error.kind, error.number) == ("Output:\n\nE: no", "cell", 3)


def test_parquet_is_a_sheet(tmp_path: Path) -> None:
    days = pa.array(["2024-03-01", "2024-03-01 09:30:00.5"]).cast(pa.timestamp("ns"))
    nested = [{"who": "Bé", "sum": Decimal("1.50")}, None]
    columns = {"day": days, "sum": [Decimal("1200.50"), None], "of": nested, "raw": [b"\xff", b"a"]}
    pq.write_table(pa.table(columns), tmp_path / "a")
    (page,) = pages_of(tmp_path / "a.parquet", (tmp_path / "a").read_bytes())
    assert page.text.split("\n") == [
        "day | sum | of | raw",
        'day: 2024-03-01 | sum: 1200.50 | of: {"who": "Bé", "sum": "1.50"} | raw: [1 bytes]',
        "day: 2024-03-01 09:30:00.5 | raw: a",
    ]
    assert [(line.row, line.column_end) for line in page.lines] == [(1, 4), (2, 4), (3, 4)]


def test_a_drawing_has_its_texts_in_order_and_marks_hidden_ones(tmp_path: Path) -> None:
    (page,) = pages_of(tmp_path / "a.svg", DRAWING.encode())
    assert page.text == f"{DRAWN}Hidden text: Other".replace("|", "\n\n")
    assert len(page.hidden) == 4


@pytest.mark.parametrize(("name", "content", "reason"), DAMAGED)
def test_damaged_files_say_why(tmp_path: Path, name: str, content: str, reason: str) -> None:
    with pytest.raises(ParseFailed, match=reason):
        pages_of(tmp_path / name, content.encode())
