"""The part of a passage that is quoted, and how a block of quoted text is set apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.mcp.quoting import OPENING_CHARS, best_part, opening, query_terms
from casetrack.mcp.render import phrase, quoted

if TYPE_CHECKING:
    from casetrack.library import Library

SCRIPTS = st.text(
    st.sampled_from("ab \n.,!\u4ed8\u6b3e\u3002e\u0301\u0639\u0627") | st.characters()
)


@given(SCRIPTS, st.text(max_size=20), st.integers(1, 60), st.booleans())
def test_a_part_is_there_letter_for_letter_and_no_longer_than_wanted(
    text: str, query: str, size: int, rows: bool
) -> None:
    for start, end in (best_part(text, query_terms(query), size=size, rows=rows), opening(text)):
        assert 0 <= start <= end <= len(text)
        assert text[start:end].strip() == text[start:end]
        assert bool(text[start:end]) == bool(text.strip())
    assert end - start <= OPENING_CHARS
    start, end = best_part(text, query_terms(query), size=size, rows=rows)
    assert end - start <= size


WORDY = st.lists(st.sampled_from(["rent", "is", "due.", "Rents", "pay\n", "it\n\n"]), min_size=1)


@given(WORDY, st.integers(20, 90))
def test_a_part_begins_and_ends_with_whole_words(words: list[str], size: int) -> None:
    text = " ".join(words)
    for start, end in (best_part(text, query_terms("rent"), size=size), opening(text, size=size)):
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
        start, end = best_part(text, query_terms(query), size=120)
        assert answer in text[start:end]
    assert best_part("", query_terms(query)) == (0, 0)


def test_rows_of_a_sheet_take_the_place_of_sentences() -> None:
    text = "\n".join(f"Item {n} | paid {n}.00. Ok." for n in range(80))
    start, end = best_part(text, query_terms("item 41"), size=100, rows=True)
    lines = text[start:end].split("\n")
    assert "Item 41 | paid 41.00. Ok." in lines
    assert all(line.startswith("Item") and line.endswith("Ok.") for line in lines)


@given(st.text(st.characters() | st.sampled_from('"\\\n\r\u2028> ')))
def test_quoted_text_is_a_block_of_its_own_lines(text: str) -> None:
    block = quoted(text).splitlines()
    assert all(line.startswith("> ") for line in block)
    said = "\n".join(line[2:] for line in block)
    assert said == "\n".join(f'"{text}"'.splitlines())
    assert len(phrase(text).splitlines()) == 1
    inner = phrase(text)[1:-1].replace("\\\\", "").replace('\\"', "")
    assert '"' not in inner


def test_quotes_stand_on_the_page_where_they_say(filled: Library, call: Any) -> None:
    """P1: the page's text between a quote's offsets is the quote."""
    pages = [
        f"Page {n}\n\n" + ("Clause {0} binds the parties. " * 150).format(n) for n in (1, 2, 3)
    ]
    name = {"document_name": "Long.txt", "collection": "Acme", "response_format": "concise"}
    arguments = {"query": "clause binds", "document_filter": "Long.txt", "collection": "Acme"}
    answers = call(
        filled,
        ("get_document_chunks", name),
        ("browse_pages", {**name, "start_page": 1, "end_page": 3}),
        ("search_documents", {**arguments, "response_format": "concise", "mode": "keyword"}),
    )
    for answer in answers:
        structured = answer.structured_content
        found = structured.get("chunks") or structured["results"]
        assert len(found) > 3
        for each in found:
            quote, source = each["quote"], each["source"]
            page = pages[source["page"] - 1]
            assert page[quote["char_start"] : quote["char_end"]] == quote["text"]
            assert source["char_start"] <= quote["char_start"]
            assert quote["char_end"] <= source["char_end"]
