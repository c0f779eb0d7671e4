"""Numbers as displayed in a sheet: values in formats, checked against Excel's display."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.parse.numbers.formats import BUILTIN, parse

ACCOUNTING = '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\);_("$"* "-"??_);_(@_)'


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        # General: eleven characters at most.
        (0, "General", "0"),
        (1 / 3, "General", "0.333333333"),
        (1234567.891, "General", "1234567.891"),
        (0.0000123456789, "General", "1.23457E-05"),
        (0.000015, "General", "0.000015"),
        (1e-12, "General", "1E-12"),
        (5, '"Nr. "General', "Nr. 5"),
        # Digits, thousands, decimals; halves are rounded away from zero, as decimal numbers.
        (1234.5, "0", "1235"),
        (1.005, "0.00", "1.01"),
        (0, "#", ""),
        (0.5, "#.##", ".5"),
        (1, "0.##", "1."),
        (-1234.5, "#,##0.00", "-1,234.50"),
        (-0.001, "0.00", "-0.00"),
        # Scaling by thousands.
        (1234567, "#,##0,", "1,235"),
        (1234567, '0.0,,"M"', "1.2M"),
        (1234567, "#,##0,.00", "1,234.57"),
        # Percent.
        (0.2567, "0.00%", "25.67%"),
        # Currency and accounting.
        (1234.5, '"$"#,##0.00', "$1,234.50"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (1234.5, ACCOUNTING, "$1,234.50"),
        (-1234.5, ACCOUNTING, "$(1,234.50)"),
        (0, ACCOUNTING, "$-"),
        (-1234.5, "#,##0_);(#,##0)", "(1,235)"),
        # Sections, conditions, literals.
        (0, '0;-0;"zero"', "zero"),
        (0, "0;-0;;@", ""),
        (1500000, '[>=1000000]0.0,,"M";[>=1000]0.0,"K";0', "1.5M"),
        (1, '[=1]"yes";[=0]"no";0', "yes"),
        (3, '0" pcs"', "3 pcs"),
        (5551234567, "(000) 000-0000", "(555) 123-4567"),
        (3, '"no digits"', "no digits"),
        # Scientific and fractions.
        (12345.678, "0.00E+00", "1.23E+04"),
        (12345.678, "##0.0E+0", "12.3E+3"),
        (0.5, "# ?/?", "1/2"),
        (1.25, "# ?/?", "1 1/4"),
        (0.3, "# ?/8", "2/8"),
        # Dates; day 60 of the 1900 calendar never was.
        (45292, "yyyy-mm-dd", "2024-01-01"),
        (45292, "dddd, mmmm d, yyyy", "Monday, January 1, 2024"),
        (45292, "mmmmm", "J"),
        (45352, "[$-407]d. mmmm yyyy", "1. März 2024"),
        (45292, "[$-F800]dddd, mmmm dd, yyyy", "Monday, January 1, 2024"),
        (60, "yyyy-mm-dd", "1900-02-29"),
        (45292.999999, "yyyy-mm-dd hh:mm:ss", "2024-01-02 00:00:00"),
        (0.75, "h:mm AM/PM", "6:00 PM"),
        (0.123456, "mm:ss.0", "57:46.6"),
        (1.5, "[h]:mm", "36:00"),
        (0.001, "[s]", "86"),
        (-1, "yyyy-mm-dd", "-1"),
        # Odd values and formats.
        (0.456, "# ?/?", "1/2"),
        (0, "yyyy-mm-dd", "1900-01-00"),
        (-5, "0;;", ""),
        (-5, "[<100]0.0;0", "-5.0"),
        (1e25, "#,##0", "10,000,000,000,000,000,000,000,000"),
        (5, "0.0;[Red", "5.0"),
        (5, '0"open', "5open"),
    ],
)
def test_shows_what_excel_shows(value: float, code: str, shown: str) -> None:
    assert parse(code).show(value) == shown


@pytest.mark.parametrize(
    ("number", "value", "shown"),
    [
        (8, -1234.5, "($1,234.50)"),
        (12, 2.5, "2 1/2"),
        (14, 45292, "1/1/2024"),
        (18, 0.75, "6:00 PM"),
        (37, -1234, "(1,234)"),
        (43, 0, "-"),
        (46, 1.5, "36:00:00"),
    ],
)
def test_formats_that_files_name_by_number(number: int, value: float, shown: str) -> None:
    assert parse(BUILTIN[number]).show(value) == shown


@given(
    st.text(st.sampled_from('0#?.,%/E+-;[]<>=$"\\_*@ymdhsAP: RedGeneral€'), max_size=20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)
def test_every_format_shows_something_readable(code: str, value: float, date_1904: bool) -> None:
    shown = parse(code).show(value, date_1904=date_1904)
    assert shown == shown.strip(" ")
    assert "  " not in shown


@given(st.integers(-(10**9), 10**9), st.integers(0, 6))
def test_digits_shown_are_the_number(units: int, places: int) -> None:
    code = "#,##0" + ("." + "0" * places if places else "")
    value = units / 10**places
    assert parse(code).show(value) == f"{value:,.{places}f}"


def test_the_calendar_of_1904_starts_four_years_later() -> None:
    assert parse("yyyy-mm-dd").show(43830, date_1904=True) == "2024-01-01"


@pytest.mark.parametrize(
    ("value", "code", "shown"),
    [
        ("abc", "General", "abc"),
        ("abc", "0.00", "abc"),
        ("abc", '"<"@">"', "<abc>"),
        ("abc", '0;-0;0;"text: "@', "text: abc"),
        ("0012", "@", "0012"),
    ],
)
def test_text_changes_only_in_a_text_section(value: str, code: str, shown: str) -> None:
    assert parse(code).show_text(value) == shown
