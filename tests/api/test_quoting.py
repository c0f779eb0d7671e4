"""The part of a passage that is quoted: whole parts of it, with the pinpoint among them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.api.quoting import OPENING_CHARS, Words, opening, snippet
from casetrack.ingest.steps.words import index_terms
from casetrack.search.pinpoint.scoring import hits_of
from casetrack.search.pinpoint.units import units_of
from casetrack.search.question.wanted import query_terms

SCRIPTS = st.text(
    st.sampled_from("ab \n.,!\u4ed8\u6b3e\u3002e\u0301\u0639\u0627") | st.characters()
)


@pytest.mark.slow
@settings(max_examples=50)
@given(SCRIPTS, st.text(max_size=20), st.integers(1, 60), st.booleans())
def test_a_part_is_there_letter_for_letter_and_no_longer_than_wanted(
    text: str, query: str, size: int, rows: bool
) -> None:
    for start, end in (Words(query).best_part(text, size=size, rows=rows), opening(text)):
        assert 0 <= start <= end <= len(text)
        assert text[start:end].strip() == text[start:end]
        assert bool(text[start:end]) == bool(text.strip())
    assert end - start <= OPENING_CHARS
    start, end = Words(query).best_part(text, size=size, rows=rows)
    assert end - start <= size


WORDY = st.lists(st.sampled_from(["rent", "is", "due.", "Rents", "pay\n", "it\n\n"]), min_size=1)


@settings(max_examples=50)
@given(WORDY, st.integers(20, 90))
def test_a_part_begins_and_ends_with_whole_words(words: list[str], size: int) -> None:
    text = " ".join(words)
    for start, end in (Words("rent").best_part(text, size=size), opening(text, size=size)):
        assert start == 0 or text[start - 1].isspace()
        assert end == len(text) or text[end].isspace()


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("late payments", "Late payment accrues interest of 1.5% a month."),
        ("interests", "Late payment accrues interest of 1.5% a month."),
        ("$1,250,000.00", "The price is 1250000 dollars."),
        (
            "\u7ec8\u6b62 \u62bc\u91d1",
            "\u5408\u540c\u7ec8\u6b62\u540e\u9000\u8fd8\u62bc\u91d1\u3002",
        ),
    ],
)
def test_the_part_of_a_result_is_the_one_that_answers(query: str, answer: str) -> None:
    filler = ["The parties met again. "] * 30
    for at in (0, 13, 30):
        text = "".join([*filler[:at], answer, " ", *filler[at:]])
        start, end = Words(query).best_part(text, size=120)
        assert answer in text[start:end]
    assert Words(query).best_part("") == (0, 0)


def test_rows_of_a_sheet_take_the_place_of_sentences() -> None:
    text = "\n".join(f"Item {n} | paid {n}.00. Ok." for n in range(80))
    start, end = Words("item 41").best_part(text, size=100, rows=True)
    lines = text[start:end].split("\n")
    assert "Item 41 | paid 41.00. Ok." in lines
    assert all(line.startswith("Item") and line.endswith("Ok.") for line in lines)


@settings(max_examples=50)
@given(WORDY, st.integers(20, 200), st.data())
def test_a_snippet_holds_the_best_part_of_the_pinpoint(
    words: list[str], size: int, data: st.DataObject
) -> None:
    text = " ".join(words)
    units = [(u.start, u.end) for u in units_of(text)]
    spans = data.draw(st.lists(st.sampled_from(units), min_size=1, max_size=3, unique=True))
    start, end = snippet(text, spans, size=size)
    assert end - start <= size
    best = spans[0]
    if best[1] - best[0] <= size:
        assert start <= best[0]
        assert best[1] <= end
    else:
        assert start == best[0]


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ("estrogen", "Oestrogen and oestrogens, estrogen."),
        ("fetal die", "The foetal heart; dying, tying, Fetal, FOETAL, dead, dies"),
        ("color", "The colours of COLOUR; a Color."),
        ("token", "tokens refreshToken get_token TOKENS TokenStore betoken"),
        ("deploy rolled", "deploying a deployment, rolling; unrolled redeploy rolls"),
        ("1250 rent", "Rent of CHF 1,250.00 or 1250; rents at 1.250"),
        ("\u00e9tat", "l'\u00c9tat, etat, \u00e9tats"),
    ],
)
def test_every_word_that_has_a_term_of_the_question_is_found(asked: str, text: str) -> None:
    terms = query_terms(asked)
    words = re.findall(r"[^\W_]+(?:[.,'\u2019][^\W_]+)*", text)
    expected = [word for word in words if terms & set(index_terms(word))]
    assert [text[hit.start : hit.end] for hit in hits_of(text, terms)] == expected != []
