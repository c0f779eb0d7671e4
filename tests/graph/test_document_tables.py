"""Sums in tables: scaled as the table states, with row and period, also without a currency sign."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.extract.amounts import find_amounts
from casetrack.graph.document.facts import ChunkFacts, TableSum
from casetrack.graph.document.read import amounts_of
from casetrack.graph.document.tables import read_tables

if TYPE_CHECKING:
    from casetrack.extract.spans import AmountSpan


def chunk(
    text: str, start: int = 0, *, page: int = 1, tables: tuple[tuple[int, int], ...] | None = None,
    header: str | None = None,
) -> ChunkFacts:  # fmt: skip
    whole = ((start, start + len(text)),) if tables is None else tables
    return ChunkFacts(
        f"{page}:{start}", 0, page, start, start + len(text), text, (), (), (),
        find_amounts(text), (), whole, header,
    )  # fmt: skip


def sums(*chunks: ChunkFacts) -> list[tuple[AmountSpan, TableSum | None]]:
    collected = []
    for one, cells in zip(chunks, read_tables(chunks), strict=True):
        for span, cell in amounts_of(one, cells):
            assert one.text[span.start : span.end] == span.text
            collected.append((span, cell))
    return collected


def values(*chunks: ChunkFacts) -> dict[str, float]:
    return {span.text: span.value for span, _ in sums(*chunks) if span.kind == "money"}


STATEMENT = """Harrow Ferries Ltd
Consolidated Statements of Income
(in thousands, except per share data)
Year ended March 31,
| 2031 | 2030
Fares | $ 41,200 | $ 39,750
Freight and mail | 8,815 | 9,040
Cost of fuel | (12,330) | —
Net income | $ 5,102 | $ 4,870
Net income per share:
Basic | $ 1.42 | $ 1.37
Weighted average shares | 3,593 | 3,555
Number of vessels | 14 | 15
Margin | 10.2% | 10.0%"""


def test_a_statement_gives_scaled_sums_with_row_and_period() -> None:
    result = {
        (cell.row_label, span.text): (span.value, span.unit, cell.printed, cell.factor)
        for span, cell in sums(chunk(STATEMENT))
        if cell is not None
    }
    assert result == {
        (label, text): (value * factor, "dollar", value, factor)
        for label, text, value, factor in [
            *(("Fares", "$ 41,200", 41_200, 1e3), ("Fares", "$ 39,750", 39_750, 1e3)),
            *(("Freight and mail", "8,815", 8_815, 1e3), ("Freight and mail", "9,040", 9_040, 1e3)),
            ("Cost of fuel", "(12,330)", -12_330, 1e3),
            *(("Net income", "$ 5,102", 5_102, 1e3), ("Net income", "$ 4,870", 4_870, 1e3)),
            *(("Basic", "$ 1.42", 1.42, 1), ("Basic", "$ 1.37", 1.37, 1)),
        ]
    }


def test_periods_are_those_of_the_heads() -> None:
    periods = [
        (cell.period, str(cell.first), str(cell.last))
        for span, cell in sums(chunk(STATEMENT))
        if cell is not None and cell.row_label == "Freight and mail"
    ]
    assert periods == [
        ("Year ended March 31, 2031", "2030-04-01", "2031-03-31"),
        ("Year ended March 31, 2030", "2029-04-01", "2030-03-31"),
    ]


COLUMNS = {
    1e3: "£'000;(kEUR);US$ thousands;TEUR;CHF 000;$000s;in EUR thousand;Cost (USD '000);kUSD;in T€",
    1e5: "Rs. lakhs;(₹ in lakhs)",
    1e6: "EUR m;Mio. EUR;US$m;£m;EUR million;MUSD;SEK m;EURm;$'m;Revenue ($M)",
    1e7: "₹ crore;INR crores;Rs Cr.",
    1e9: "$bn;JPY bn;bn EUR",
    1: "EUR;Price (USD)",
    0: "thousand barrels;(000 units);Oil (kbbl);mmboe;Power (TWh);Gas (million m3);Wait (days)",
}


@pytest.mark.parametrize(("factor", "heads"), COLUMNS.items())
@pytest.mark.parametrize("year", ["", "2031 "])
def test_the_name_of_a_column_says_what_its_cells_are_counted_in(
    factor: float, heads: str, year: str
) -> None:
    for head in heads.split(";"):
        name = f"{year}{head}"
        rows = [
            f"Item: {item} | {name}: {n} | {year}Clerks: 12" for item, n in (("A", 1240), ("B", 39))
        ]
        result = sums(chunk("\n".join([f"Item | {name} | {year}Clerks", *rows])))
        expected = {"1240": 1240 * factor, "39": 39 * factor} if factor else {}
        assert {span.text: span.value for span, _ in result} == expected, name


def test_a_sheet_does_not_take_the_scale_of_another() -> None:
    text = "{}\nItem | 2031 | 2030\nFares | 41 | 39\nTolls | 12 | 9"
    sheets = [chunk(text.format("(in thousands of EUR)")), chunk(text.format("Other"), page=2)]
    tables = read_tables(sheets, sheets=True)
    assert [len(sums_of) for sums_of in tables] == [4, 0]


CASES = {
    "prose keeps what it says": (
        "Figures (in millions)\nFees | $ 12 | $ 14",
        "Fees rose to $ 15 because of the weather, and then they fell back to $ 11 in the autumn.",
        {"$ 12": 12e6, "$ 14": 14e6, "$ 15": 15, "$ 11": 11},
    ),
    "a sum with its own scale": (
        "(in thousands)\nBond ($ 3 million) | $ 2,990 | $ 2,985", "",
        {"$ 3 million": 3e6, "$ 2,990": 2_990_000, "$ 2,985": 2_985_000},
    ),
    "euros, millions and points": (
        "in Mio. EUR | 2031 | 2030\nUmsatz | 1.204,5 | 1.180,1\nErgebnis | (12,4) | 9,9", "",
        {"1.204,5": 1204.5e6, "1.180,1": 1180.1e6, "(12,4)": -12.4e6, "9,9": 9.9e6},
    ),
    "a row with its own currency": (
        "| 2031 | 2030\nFees ($ million) | 1,812 | 677", "", {"1,812": 1812e6, "677": 677e6},
    ),
    "rows with the names of columns": (
        "(in thousands)\nItem: Fares | 2031: $ 41 | Port: Kirn | 2030: 39\nItem: Tolls | 2030: 9",
        "", {"$ 41": 41e3, "39": 39e3, "9": 9e3},
    ),
    "a row with its own scale": (
        "(in thousands) | 2031 | 2030\nVolume (in billions) | $ 4 | $ 3\nFees | $ 90 | $ 80",
        "", {"$ 4": 4e9, "$ 3": 3e9, "$ 90": 90e3, "$ 80": 80e3},
    ),
    "shares in thousands do not scale money": (
        "(Shares in thousands) | Shares | Value\nGranted | 120 | $ 44.10", "", {"$ 44.10": 44.1},
    ),
    "percent columns are no sums": (
        "(in millions) | 2031 | 2030 | Change\nPaper | $ 20 | $ 16 | 25 %\nGlue | 8 | 4 | 100", "",
        {"$ 20": 20e6, "$ 16": 16e6, "8": 8e6, "4": 4e6},
    ),
    "rates beside whole sums": (
        "(in millions) | 2031 | 2030\nSales | $ 20 | $ 16\nOrganic sales | 2.5 | 11.2", "",
        {"$ 20": 20e6, "$ 16": 16e6},
    ),
    "a count of shares among sums": (
        ("(in millions) | 2031 | 2030\nSales | $ 20 | $ 16\nFuel | 6 | 5\n"
        "Ending balance | 394,787,951 | 372,187,578"), "",
        {"$ 20": 20e6, "$ 16": 16e6, "6": 6e6, "5": 5e6},
    ),
    "a sum that no books hold is as its pages count": (
        "(in billions) | 2031 | 2030\nCustody | $ 20 | $ 16\nDeposits | $ 722,388 | $ 715,791", "",
        {"$ 20": 20e9, "$ 16": 16e9, "$ 722,388": 722_388, "$ 715,791": 715_791},
    ),
    "without a statement": ("Deposit | $ 1,200\nRent | $ 900", "",
                            {"$ 1,200": 1200, "$ 900": 900}),
}  # fmt: skip


@pytest.mark.parametrize(("table", "prose", "expected"), CASES.values(), ids=CASES)
def test_values(table: str, prose: str, expected: dict[str, float]) -> None:
    text = f"{table}\n\n{prose}" if prose else table
    assert values(chunk(text, tables=((0, len(table)),))) == pytest.approx(expected)


def test_a_page_may_speak_for_those_that_follow() -> None:
    first = chunk("Notes (Unless otherwise noted, in millions)", tables=())
    later = chunk("Dues | $ 97 | $ 88\nGifts | 4 | 5", page=2)
    assert values(first, later) == {"$ 97": 97e6, "$ 88": 88e6, "4": 4e6, "5": 5e6}


def test_a_table_goes_on_under_the_head_of_its_first_page() -> None:
    went_on = chunk("Nets | $ 7 | $ 6\nRopes | 2 | 1", header="(in millions) | 2031 | 2030")
    assert values(went_on) == {"$ 7": 7e6, "$ 6": 6e6, "2": 2e6, "1": 1e6}


FIRST_PAGE = "(in thousands) | 2031 | 2030\nCash | $ 9,120 | $ 8,020\nStock | 3,410 | 3,050"
ON_FIRST = {"$ 9,120": 9.12e6, "$ 8,020": 8.02e6, "3,410": 3.41e6, "3,050": 3.05e6}
PROSE = (
    "The harbour was closed in winter, and the ferries stayed at their berths until the spring. "
)
PAGES = {
    "a table continues without a head": (
        ("Loans | 4,400 | 4,100\nReserves | 2,020 | 1,980",),
        {"4,400": 4.4e6, "4,100": 4.1e6, "2,020": 2.02e6, "1,980": 1.98e6},
    ),
    "its head is repeated without the scale": (
        ("Balance sheet (continued)\n| 2031 | 2030\nLoans | $ 4,400 | $ 4,100", "Dues | $ 7 | $ 6"),
        {"$ 4,400": 4.4e6, "$ 4,100": 4.1e6, "$ 7": 7e3, "$ 6": 6e3},
    ),
    "text ends a table": (
        (f"{PROSE}{PROSE}\nRent | $ 900 | $ 850",), {"$ 900": 900, "$ 850": 850},
    ),
    "shares beside their amounts go on": (
        ("(in millions) | 2031 | 2030\nName | Shares | Amount | Gain\nKay | 5,103 | $ 64 | $ 9",
         "Lee | 8,217 | 21 | 5\nMay | 4,108 | 12 | 3"),
        {"$ 64": 64e6, "$ 9": 9e6, "21": 21e6, "5": 5e6, "12": 12e6, "3": 3e6},
    ),
    "a line of currencies": (
        (f"{PROSE}{PROSE}\n| 2031 | 2030\n| $ | $\nDues | 97,200 | 88,100",),
        {"97,200": 97_200, "88,100": 88_100},
    ),
    "a mark in a head is no cell, long-term no scale": (
        (f"{PROSE}{PROSE}\n| (1) | | (Millions)\nLONG-TERM DUES:\nTin | 7 | $ 2.10 | $ 41",),
        {"$ 2.10": 2.1, "$ 41": 41e6},
    ),
    "a table of other columns": (("| 2029\nRent | $ 900",), {"$ 900": 900}),
    "a second head has no currency": (
        (f"{FIRST_PAGE}\nShare information | 2031 | 2030\nReacquired stock | 23,293 | 10,963",),
        ON_FIRST,
    ),
    "counts before the sums of a row": (
        ("(in thousands) | 2031 | 2030 | 2031\nKirn | 812 | 790 | $ 64\nLorn | 305 | 322 | 21",),
        {"$ 64": 64e3, "21": 21e3},
    ),
    "a sign before a note": (
        ("(in thousands) | 2031 | 2030 | 2029\nMay | 1,980 | $ 128 | $ 255 | $ | (b) 8,797",),
        {"$ 128": 128e3, "$ 255": 255e3},
    ),
    "counts in a row": (
        ("(in thousands) | 2031 | 2030\nFares | $ 64 | $ 60\nActive Buyers | 912 | 871",),
        {"$ 64": 64e3, "$ 60": 60e3},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("later", "expected"), PAGES.values(), ids=PAGES)
def test_what_carries_over_to_the_next_table(
    later: tuple[str, ...], expected: dict[str, float]
) -> None:
    pages = [chunk(FIRST_PAGE)]
    for number, text in enumerate(later, start=2):
        table = text.removeprefix(f"{PROSE}{PROSE}\n")
        bounds = (len(text) - len(table), len(text))
        pages.append(chunk(text, page=number, tables=(bounds,)))
    assert values(*pages) == pytest.approx(ON_FIRST | expected)


def test_a_sum_beyond_its_document_is_doubtful() -> None:
    rows = "".join(f"\nBerth {name} | $ 6{name} | $ 5{name}" for name in range(3))
    result = sums(chunk(f"(in thousands) | 2031 | 2030{rows}\nTonnage levy | 1,250,417 | 612"))
    sure = {span.text: span.confidence >= 0.4 for span, _ in result}
    assert sure == dict.fromkeys(sure, True) | {"1,250,417": False}


@pytest.mark.slow
@given(st.integers(0, len(STATEMENT)), st.integers(0, 80))
def test_where_a_page_is_cut_does_not_change_its_sums(at: int, overlap: int) -> None:
    """A sum that is whole in a chunk is the same as in the whole page."""
    whole = {(s.start, s.end): (s.value, c) for s, c in sums(chunk(STATEMENT)) if c is not None}
    start = max(0, at - overlap)
    # The cut falls between lines, as those of chunks of tables do.
    start, at = STATEMENT.rfind("\n", 0, start) + 1, STATEMENT.rfind("\n", 0, at) + 1
    tables = ((0, len(STATEMENT)),)
    parts = (chunk(STATEMENT[:at], tables=tables), chunk(STATEMENT[start:], start, tables=tables))
    for part, cells in zip(parts, read_tables(parts), strict=True):
        for span, cell in amounts_of(part, cells):
            if cell is not None:
                place = (span.start + part.char_start, span.end + part.char_start)
                assert whole[place][0] == span.value
