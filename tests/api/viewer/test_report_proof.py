"""Every sum, date and name of a report is in the passage that it cites."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.api.viewer.report import proof
from casetrack.api.viewer.report.gather import gather
from casetrack.base.records.graph import Event, Quote
from graph_records import entity, event, quote

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

MONTHS = "January February March April May June July August September October November December"


def said(text: str, before: str = "", behind: str = "") -> Quote:
    known = quote(1, text)
    return Quote(
        text=text,
        snippet=f"{before}{text}{behind}",
        snippet_start=len(before),
        char_start=known.char_start,
        char_end=known.char_start + len(text),
        provenance=known.provenance,
    )


def dated(day: str) -> Event:
    return replace(event(1), value=day, first=day, last=day)


@pytest.mark.slow
def test_what_a_report_states_is_where_it_says(demo: Collection) -> None:
    report = gather(demo.workspace.state())
    chunks = {}

    def passage(of: Quote) -> str:
        text = chunks.setdefault(of.chunk_id, demo.read.chunk(of.chunk_id).text)
        assert text[of.char_start : of.char_end] == of.text
        return text

    assert report.timeline.events
    for one in (*report.timeline.events, *report.summary.key_dates):
        passage(one.quote)
        figures = re.findall(r"\d+", one.quote.snippet)
        year = {one.value[:4], one.value[2:4]} & set(figures)
        assert year or not proof.names_year(one.quote, one)
        assert year or str(int(one.first[8:10])) in {figure.lstrip("0") for figure in figures}
    sums = [one for group in report.amounts for one in group.sums]
    assert sums
    for one in sums:
        digits = re.sub(r"\D", "", one.quote.text)
        assert not digits or f"{one.value:.2f}".replace(".", "").startswith(digits.rstrip("0")[:3])
        passage(one.quote)
    assert report.actors
    for actor in report.actors:
        if actor.quote is not None:
            passage(actor.quote)
            names = " ".join((actor.entity.name, *actor.entity.aliases)).casefold()
            assert actor.quote.text.split()[-1].casefold().strip(".,") in names
        else:
            assert actor.entity.role is None


@given(
    value=st.integers(1, 999_999_999),
    other=st.integers(1, 999_999_999),
    form=st.sampled_from(("${:,}", "EUR {:,}", "{:_} euros", "£{:,}.00", "US$ {}")),
)
@settings(max_examples=50, deadline=None)
def test_a_sum_is_borne_out_by_its_figures_only(value: int, other: int, form: str) -> None:
    words = said(form.format(value).replace("_", "."))
    assert proof.contains_sum(words, value, None)
    if value not in {other * 1000, other * 1_000_000}:  # "1.000" may be one
        assert proof.contains_sum(words, other, None) == (value == other)
    assert not proof.contains_sum(words, value, value + 1)


@pytest.mark.parametrize(
    ("words", "before", "value", "high"),
    [
        ("$1.2 million", "", 1_200_000, None),
        ("163,220", "Revenue (in millions of dollars) | ", 163_220e6, None),
        ("five hundred dollars", "", 500, None),
        ("EUR 10 to 12", "", 10, 12),
        ("1.234,50 EUR", "", 1234.5, None),
        ("40 crore rupees", "", 400_000_000, None),
    ],
)
def test_a_sum_counts_with_the_scale_next_to_it(
    words: str, before: str, value: float, high: float | None
) -> None:
    assert proof.contains_sum(said(words, before), value, high)
    assert not proof.contains_sum(said(words, before), value * 7, high)


@given(day=st.dates(), other=st.dates(), form=st.sampled_from(("{0} {1} {2}", "{1} {0}, {2}")))
@settings(max_examples=50, deadline=None)
def test_a_day_is_borne_out_with_its_year(day, other, form) -> None:  # type: ignore[no-untyped-def]
    text = form.format(day.day, MONTHS.split()[day.month - 1], f"{day.year:04}")
    day_date = dated(day.isoformat())
    assert proof.contains_date(said(text), day_date)
    changed = dated(other.isoformat())
    if other.day != day.day and other.year % 100 != day.year % 100:
        assert not proof.contains_date(said(text), changed)


def test_a_year_that_is_left_out_is_distinguished() -> None:
    assert proof.contains_date(said("5 August"), dated("2024-08-05"))
    assert not proof.names_year(said("5 August"), dated("2024-08-05"))
    assert proof.names_year(said("5 August", "In 2024, on "), dated("2024-08-05"))
    for other in ("6 August", "yesterday", "last Tuesday", "three months ago"):
        assert not proof.contains_date(said(other), dated("2024-08-05"))


@pytest.mark.parametrize(
    ("text", "borne"),
    [
        ("Brookvale Foods", True),
        ("BROOKVALE", True),
        ("BFL", True),
        ("Brookvale's", False),
        ("the Buyer", False),
        ("Harbour Estates", False),
    ],
)
def test_a_name_is_borne_out_by_its_words_or_initials(text: str, borne: bool) -> None:
    named = replace(entity(1, name="Brookvale Foods Ltd"), aliases=())
    assert proof.contains_name(said(text), named) == borne


def test_a_role_is_shown_where_its_passage_says_it() -> None:
    assert proof.contains_role("Ida Roth, the Tenant", "tenant")
    assert proof.contains_role("Jo Roe, CEO", "chief executive")
    assert proof.contains_role("Jo Roe, CFO", "chief financial officer")
    assert not proof.contains_role("Ida Roth of Leeds", "tenant")
