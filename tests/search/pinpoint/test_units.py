"""A passage comes apart into sentences, rows, items and clauses that tile it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.search.pinpoint.headers import header_of, with_headers
from casetrack.search.pinpoint.units import LONGEST, LONGEST_MARK, Unit, clauses_of, units_of

SCRIPTS = st.text(
    st.sampled_from("ab .;:,!\n(1)|\u2022\u4ed8\u6b3e\u3002e\u0301\u0e01\u0964") | st.characters()
)


def tiles(text: str, units: list[Unit]) -> None:
    at = 0
    for unit in units:
        assert not text[at : unit.start].strip()
        assert unit.start < unit.end <= len(text)
        assert text[unit.start : unit.end].strip() == text[unit.start : unit.end]
        at = unit.end
    assert not text[at:].strip()


@given(SCRIPTS, st.booleans())
def test_units_tile_any_text(text: str, rows: bool) -> None:
    tiles(text, units_of(text, rows=rows))
    tiles(text, clauses_of(text, rows=rows))


@settings(max_examples=50)
@given(SCRIPTS, st.data())
def test_units_tile_a_passage_that_begins_and_ends_within_paragraphs(
    text: str, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text) + 20), max_size=6)))
    kinds = st.sampled_from(["body", "heading", "list", "table", "quote", "footnote", "code"])
    paragraphs = [
        {"start": a + 90, "end": b + 90, "number": n, "kind": data.draw(kinds), "level": None}
        for n, (a, b) in enumerate(zip(cuts[::2], cuts[1::2], strict=False))
    ]
    tiles(text, units_of(text, paragraphs, offset=100))


@given(st.integers(1, 400), st.sampled_from(["word ", "long word; ", "\u0e02\u0e49\u0e2d", "x"]))
def test_no_unit_is_much_longer_than_a_sentence(count: int, word: str) -> None:
    text = (word * count).strip()
    units = units_of(text)
    tiles(text, units)
    assert max(unit.end - unit.start for unit in units) <= LONGEST


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("body", ["The rent is CHF 4,200.00.", " It falls due on the 1st.", " See Art. 5 of it."]),
        ("table", ["Rent | 4,200.00", "\nHeating. Water | 310.00"]),
        ("heading", ["8.2 Term\nof the lease"]),
        ("list", ["\u2022 keep the books.", " Show them.", "\n\u2022 pay the staff"]),
        ("body", ["8.2. Term.", " It runs to May.", "\n8.3. Notice.", " Either side may end it."]),
        ("body", ["\u79df\u91d1\u4e3a\u767e\u5143\u3002", "\u6bcf\u6708\u652f\u4ed8\u3002"]),
        (
            "body",
            [
                "\u0915\u093f\u0930\u093e\u092f\u093e\u0964",
                " \u0926\u0947\u092f \u0939\u0948\u0964",
            ],
        ),
        ("body", ["ab\u0589", " cd\u06d4", " ef\u104b", " gh\u1362", " ij\u17d4", "kl"]),
    ],
)
def test_what_a_unit_is(kind: str, wanted: list[str]) -> None:
    text = "".join(wanted)
    whole = [{"start": 0, "end": len(text), "number": 1, "kind": kind, "level": None}]
    units = units_of(text, whole)
    assert [text[u.start : u.end] for u in units] == [part.strip() for part in wanted]


def test_a_long_sentence_comes_apart_at_its_clauses() -> None:
    clauses = [
        "The Supplier shall, for as long as this agreement is in force and for two years after it:",
        "(a) keep full and true books of account of all that it delivers under this agreement;",
        "(b) let the Buyer and its auditors see them during the usual hours of business; and",
        f"(c) answer every question that they put to it in writing{', as fully as it can' * 10}.",
    ]
    text = " ".join(clauses)
    assert [text[u.start : u.end] for u in units_of(text)] == clauses
    after = "The Buyer pays for it."
    marked = clauses_of(f"{text} {after}")
    assert [(u.start, u.end) for u in marked] == [(0, len(text)), (len(text) + 1, len(text) + 23)]
    many = f"{text} {clauses[1]} {clauses[2]} {clauses[3]}"
    assert max(u.end - u.start for u in clauses_of(many)) <= LONGEST_MARK


@pytest.mark.parametrize(
    ("table", "row", "header"),
    [
        ("| 2022 | | 2021\nItem | $ | % | $\nRent | 12 | 4 | 10\nHeat | 3 | 1 | 2", 3, (0, 1)),
        ("Assets | 9 | 8\nDebts | 2 | 1", 1, None),
        ("(in EUR) | 2022\nRent | 12\n2023 | 2024\n| May 2024\nRent | 14 | 15", 4, (2, 2)),
        ("| 2022 | 2021\nSales by country\nItaly | $ 1,200.5 $ 1,100.0", 2, (0, 0)),
        ("Rent | 12 | 4\n| 2022 | 2021", 1, None),
        ("| 2022 | 2021\nLowest | $9 or less | $8 or less", 1, (0, 0)),
    ],
)
def test_the_header_of_a_row_is_the_nearest_above_it(
    table: str, row: int, header: tuple[int, int] | None
) -> None:
    whole = [{"start": 0, "end": len(table), "number": 1, "kind": "table", "level": None}]
    units = with_headers(table, units_of(table, whole))
    tiles(table, units)
    lines = table.split("\n")
    number = next(n for n, u in enumerate(units) if table[u.start : u.end].endswith(lines[row]))
    found = header_of(units, number)
    text = None if header is None else "\n".join(lines[header[0] : header[1] + 1])
    assert (found and table[found.start : found.end]) == text


def test_rows_of_a_sheet_are_its_lines() -> None:
    text = "Item: Rent | Cost: 12. net\nItem: Heat | Cost: 3"
    assert [text[u.start : u.end] for u in units_of(text, rows=True)] == text.split("\n")
