"""Tagged PDF: headings, lists, notes and tables as the file marks them, where the page agrees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest

from tests.parse.paging import read

Node = tuple[Any, ...]
"""An element: its tag with attributes, then elements, or the place and the words of a line."""


def tagged(path: Path, *nodes: Node) -> list[tuple[str, int | None, str]]:
    """Write a page with a structure tree; return its paragraphs."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((0, 0), "-")
    drawn: list[str] = []
    marks: list[int] = []

    def add(node: Node, above: int) -> int:
        (tag, _, more), own = node[0].partition(" "), document.get_new_xref()
        document.update_object(own, "<<>>")
        if isinstance(node[1], tuple):
            kids = " ".join(f"{add(kid, own)} 0 R" for kid in node[1:])
        else:
            x, y, words = node[1:]
            kids = str(len(marks))
            mark = f"/{tag} <</MCID {kids}>> BDC" if tag else "/Artifact BMC"
            drawn.append(f"{mark} BT /helv 11 Tf {x} {y} Td ({words}) Tj ET EMC")
            marks.append(own)
        attributes = f"/A<</O/Table{more}>>" if more else ""
        element = f"<</S/{tag}/P {above} 0 R/Pg {page.xref} 0 R/K[{kids}]{attributes}>>"
        document.update_object(own, element)
        return own

    root, parents = document.get_new_xref(), document.get_new_xref()
    document.update_object(root, "<<>>")
    kids = " ".join(f"{add(node, root)} 0 R" for node in nodes)
    document.update_object(root, f"<</Type/StructTreeRoot/K[{kids}]/ParentTree {parents} 0 R>>")
    numbers = " ".join(f"{mark} 0 R" for mark in marks)
    document.update_object(parents, f"<</Nums[0[{numbers}]]>>")
    document.xref_set_key(page.xref, "StructParents", "0")
    document.xref_set_key(document.pdf_catalog(), "StructTreeRoot", f"{root} 0 R")
    document.update_stream(page.get_contents()[0], "\n".join(drawn).encode())
    document.save(path)
    _, (result,) = read(path)
    return [(p.kind, p.level, result.text[p.start : p.end]) for p in result.paragraphs]


def cells(*rows: tuple[tuple[str, int, int, str], ...]) -> Node:
    return ("Table", *(("TR", *row) for row in rows))


BODY = (
    (("TD", 72, 660, "Rent"), ("TD", 200, 660, "ten"), ("TD", 300, 660, "twelve")),
    (("TD", 72, 640, "Heat"), ("TD", 200, 640, "three"), ("TD", 300, 640, "four")),
)
NAMES = (
    (("TH /RowSpan 2", 72, 690, "Item"), ("TH /ColSpan 2", 200, 700, "Price")),
    (("TH", 200, 680, "old"), ("TH", 300, 680, "new")),
)
ROWS = "Rent | ten | twelve\nHeat | three | four"


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (("H2", 72, 700, "the terms of rent"), ("heading", 2, "the terms of rent")),
        (
            ("H1", *(("Span", 72, 700 - 14 * n, "word " * 12) for n in range(4))),
            ("body", None, "\n".join([("word " * 12).strip()] * 4)),
        ),
        (("L", ("LI", 72, 700, "First item")), ("list", None, "First item")),
        (("BlockQuote", ("P", 72, 700, "He said so")), ("quote", None, "He said so")),
        (("Note", 72, 500, "1 See there."), ("footnote", None, "1 See there.")),
        (cells(*BODY), ("table", None, ROWS)),
        (cells(*NAMES, *BODY), ("table", None, f"Item | Price\n| old | new\n{ROWS}")),
        (cells((("TD", 72, 700, "A page in one cell"),)), ("body", None, "A page in one cell")),
    ],
)
def test_a_block_is_what_its_tag_says(tmp_path: Path, node: Node, expected: Any) -> None:
    words = "The tenant pays the rent in advance, on the first day of the month."
    blocks = tagged(tmp_path / "a.pdf", ("P", 72, 730, words), node)
    assert sorted(blocks) == sorted([("body", None, words), expected])


def test_tags_that_do_not_fit_the_page_are_ignored(tmp_path: Path) -> None:
    assert all("|" not in text for *_, text in tagged(tmp_path / "a.pdf", cells(*BODY[::-1])))
    loose = ("", 72, 300, "The tenant pays the rent. " * 3)
    blocks = tagged(tmp_path / "a.pdf", ("H1", 72, 700, "the terms of rent"), loose)
    assert [kind for kind, _, _ in blocks] == ["body", "body"]
