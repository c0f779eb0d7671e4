"""Tables as text: statements of scale, cells of a line, meaning of column heads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.extract.amounts.numerals import Habit
from casetrack.extract.tables.cells import counts_things, find_scales, is_per_share, read_row
from casetrack.extract.tables.periods import read_columns

SCALES = {
    "(in millions)": [(1e6, None)],
    "(In thousands, except per share data)": [(1e3, None)],
    "(Millions) | 2031 | 2030": [(1e6, None)],
    "(MILLIONS, EXCEPT PER SHARE DATA)": [(1e6, None)],
    "$ and shares in millions, except per share amounts": [(1e6, "dollar")],
    "Dollars in billions": [(1e9, "dollar")],
    "(unaudited; in thousands)": [(1e3, None)],
    "US$'000": [(1e3, "USD")],
    "(US$ million)": [(1e6, "USD")],
    "£m | 2031": [(1e6, "GBP")],
    "in Mio. EUR": [(1e6, "EUR")],
    "TEUR | 2031": [(1e3, "EUR")],
    "(Rs. in crore)": [(1e7, "rupee")],
    "(₹ in lakhs)": [(1e5, "INR")],
    "Amounts in thousands of Canadian dollars": [(1e3, "CAD")],
    "(000's omitted)": [(1e3, None)],
    "RMB in millions": [(1e6, "CNY")],
    "EUR million 2031": [(1e6, "EUR")],
    "the results were as follows (in millions):": [(1e6, None)],
    "(Shares in thousands) Number of shares": [],
    "parts kept by tens of thousands of workshops": [],
    "the plant was sold for $3.5 billion in cash": [],
    "seen in millions of homes": [],
    "As of June 30, 2031, 3 million were left": [],
}


@pytest.mark.parametrize(("text", "expected"), SCALES.items())
def test_what_states_a_scale(text: str, expected: list[tuple[float, str | None]]) -> None:
    assert [(s.factor, s.unit) for s in find_scales(text) if s.of_money] == expected


ROWS = {
    "Net sales (1) | $ 34,229 $ | (35,355) | —": ("Net sales", [34229, -35355, None]),
    "Total revenue 17,606 15,785 12,868": ("Total revenue", [17606, 15785, 12868]),
    "Net loss | $(1,234) | ($ 33) | $ — | -$5": ("Net loss", [-1234, -33, None, -5]),
    "NET INCOME $ 1,248 | | $ 6,527 | (81)%": ("NET INCOME", [1248, 6527, -81]),
    "Income per share 1 | $ 0.29 | $ 1.51": ("Income per share", [0.29, 1.51]),
    "Other (2) | 5,100 | 7,200": ("Other", [5100, 7200]),
    "2033 | $ 500 | $ 40": ("2033", [500, 40]),
    "Balance at June 30, 2031 | $ 110": ("Balance at June 30, 2031", [110]),
    "Debt(a) | 1,200(b) | 1,100 (c)": ("Debt(a)", [1200, 1100]),
    "Umsatz | 1.234,5 | 1.100,0 €": ("Umsatz", [1234.5, 1100]),
    "Chocolate | CHF 5'600 | CHF 4'900": ("Chocolate", [5600, 4900]),
    "No: 7 | Item: Rent | 2031: $ 9 | ($ 3) | By: Ann | 2030: —": ("Rent", [9, -3, None]),
}


@pytest.mark.parametrize(("line", "expected"), ROWS.items())
def test_cells_of_a_line(line: str, expected: tuple[str, list[float | None]]) -> None:
    row = read_row(line, Habit(line))
    assert row is not None
    assert (line[slice(*row.label)], [cell.value for cell in row.cells]) == expected


@pytest.mark.parametrize(
    "line", ["It rose by 12 last year", "was 25.", "Other | 5.9 | 2,3,4 | 3.8", "Total", ""]
)
def test_what_does_not_end_in_cells_is_no_row(line: str) -> None:
    assert read_row(line, Habit(line)) is None


@given(st.text(alphabet="Ab $€|:()-—.,0123456789%'\u00a0", max_size=60))
def test_cells_are_in_order_within_their_line(line: str) -> None:
    row = read_row(line, Habit(line))
    if row is None:
        return
    places = [place for cell in row.cells for place in (cell.start, cell.end)]
    assert places == sorted(places)
    assert 0 <= row.label[0] <= row.label[1] <= places[0] or not places
    assert all(any(c.isdigit() for c in line[c.start : c.end]) for c in row.cells if c.value)


HEADS = {
    ("Year Ended December 31,", "| 2031 | 2030 | % Change"): [
        ("Year Ended December 31, 2031", "2031-01-01", "2031-12-31"),
        ("Year Ended December 31, 2030", "2030-01-01", "2030-12-31"),
        ("", "None", "None"),
    ],
    ("| Three Months Ended | | Six Months Ended", "| July 2, | July 3, | July 2, | July 3,",
     "(MILLIONS) | 2032 | 2031 | 2032 | 2031"): [
        ("Three Months Ended July 2, 2032", "None", "2032-07-02"),
        ("Three Months Ended July 3, 2031", "None", "2031-07-03"),
        ("Six Months Ended July 2, 2032", "None", "2032-07-02"),
        ("Six Months Ended July 3, 2031", "None", "2031-07-03"),
    ],
    ("12 Weeks Ended", "| 3/25/2023 3/19/2022"): [
        ("12 Weeks Ended 3/25/2023", "2023-01-01", "2023-03-25"),
        ("12 Weeks Ended 3/19/2022", "2021-12-26", "2022-03-19"),
    ],
    ("For the years ended June 30, 2031 2030",): [
        ("years ended June 30, 2031", "2030-07-01", "2031-06-30"),
        ("years ended June 30, 2030", "2029-07-01", "2030-06-30"),
    ],
    ("As of September 30,", "2031 2030"): [
        ("As of September 30, 2031", "2031-09-30", "2031-09-30"),
        ("As of September 30, 2030", "2030-09-30", "2030-09-30"),
    ],
    ("31.12.2031 | 31.12.2030",): [
        ("31.12.2031", "None", "2031-12-31"),
        ("31.12.2030", "None", "2030-12-31"),
    ],
    ("2Q31 | 1Q31 4Q30",): [("2Q31", "None", "None"), ("1Q31", "None", "None"),
                            ("4Q30", "None", "None")],
    ("Fair value | Cost",): [],
}  # fmt: skip


@pytest.mark.parametrize(("lines", "expected"), HEADS.items())
def test_heads_of_columns(lines: tuple[str, ...], expected: list[tuple[str, str, str]]) -> None:
    assert [(c.period, str(c.first), str(c.last)) for c in read_columns(lines)] == expected


LABELS = {
    ("Net sales", ""): (False, False),
    ("Diluted", "Earnings per common share:"): (True, True),
    ("Average price per tonne", ""): (True, False),
    ("Weighted average shares", ""): (False, True),
    ("Number of employees", ""): (False, True),
    ("Cost of shares issued", ""): (False, False),
    ("Gross margin", ""): (False, True),
    ("Remaining term (years)", ""): (False, True),
    ("Interest rate contracts", ""): (False, False),
}


@pytest.mark.parametrize(("label", "expected"), LABELS.items())
def test_what_a_label_says_of_its_row(label: tuple[str, str], expected: tuple[bool, bool]) -> None:
    assert (is_per_share(*label), counts_things(*label)) == expected
