"""Properties of the dates of every text: exact places, order, no crash, linear time."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.extract.dates import find_dates, read_date

_PIECES = st.sampled_from(
    "12 March 2024|12|March|2024|03/04/2024|/|-|–|.|,|'|the|of|first|last|next|this|week|month|"
    "year|Friday|from|to|between|and|until|Q3|H1|FY|'90s|1990s|days|ago|after|before|tomorrow|"
    "twenty|two|thousand|in|on|15th|day|end|early|summer|KW|Mai|März|vor|bis|\n|\n\n|(|)|$|"
    "Christmas|0|9999|2|31|29 February|weekend|a|each|w/c|century|quarter|\u0130|\U0001f600".split(
        "|"
    )
)
_TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(st.tuples(_PIECES, st.sampled_from(["", " ", "  "])), max_size=14).map(
        lambda pieces: "".join(word + gap for word, gap in pieces)
    ),
)
_ANCHORS = st.one_of(st.none(), st.dates())


@settings(max_examples=250, deadline=None)
@given(_TEXTS, _ANCHORS, st.sampled_from([None, True, False]))
def test_spans_are_exact_ordered_and_apart(
    text: str, anchor: dt.date | None, day_first: bool | None
) -> None:
    end = 0
    dates = find_dates(text, anchor=anchor, day_first=day_first)
    assert find_dates(text, anchor=anchor, day_first=day_first) == dates
    for span in dates:
        assert text[span.start : span.end] == span.text != ""
        assert span.start >= end
        end = span.end
        assert 0 < span.confidence <= 1
        assert (span.first is None) == (span.last is None)
        if span.first is not None and span.last is not None:
            assert dt.date.fromisoformat(span.first) <= dt.date.fromisoformat(span.last)
            assert span.value
        if span.kind in {"ambiguous", "impossible"}:
            assert (span.value, span.first) == (None, None)
        if anchor is None and span.kind == "relative":
            assert (span.value, span.readings) == (None, ())


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(_TEXTS, _ANCHORS)
def test_one_date_covers_its_whole_text(text: str, anchor: dt.date | None) -> None:
    span = read_date(text, anchor=anchor)
    if span is not None:
        assert span.text == text.strip() == text[span.start : span.end]


@settings(max_examples=100, deadline=None)
@given(
    st.dates(min_value=dt.date(1900, 1, 1), max_value=dt.date(2099, 12, 31)),
    st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%a, %d %b %Y", "%d-%b-%Y"]),
    st.text(alphabet="ab .,;\n(", max_size=20),
)
def test_a_written_date_reads_back(day: dt.date, form: str, before: str) -> None:
    text = f"{before} {day.strftime(form)} and so on"
    (span,) = find_dates(text)
    assert (span.kind, span.value, span.first) == ("absolute", day.isoformat(), day.isoformat())
    again = read_date(span.text)
    assert again is not None
    assert (again.value, again.readings) == (span.value, span.readings)


def test_a_hundred_thousand_signs() -> None:
    for text in ("1" * 100_000, "/" * 100_000, "12" + " " * 100_000 + "March 2024"):
        assert all(span.text == "March 2024" for span in find_dates(text))
        assert read_date(text) is None
