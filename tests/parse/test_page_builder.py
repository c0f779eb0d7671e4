"""The normal form of page texts: for any input, chunks can tile the output."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.parse.base import MAX_BLANK, Page
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_text, clean_title

ODD = (
    "\u00a0\u3000\u0645\u094d\u200c\u200d\u00ad\u200b\ufeff\ufb01\ufb06\x00\x07\x0b\x85"
    "\u2028\ud800\r\n\t \u202e"
)
TEXT = st.text(st.one_of(st.characters(), st.sampled_from(ODD + "ab. ")), max_size=200)
PARAGRAPHS = st.lists(
    st.tuples(
        st.lists(TEXT, max_size=5), st.sampled_from(["body", "heading", "list", "quote", "table"])
    ),
    max_size=6,
)


def build(paragraphs: list[tuple[list[str], str]], *, keep_indent: bool) -> Page:
    builder = PageBuilder(1, keep_indent=keep_indent)
    for lines, kind in paragraphs:
        builder.paragraph([SourceLine(line) for line in lines], kind=kind, level=2)  # type: ignore[arg-type]
    return builder.build()


def covered(page: Page, spans: list[tuple[int, int]]) -> bool:
    """Return whether spans, in order, cover every character except white space exactly once."""
    position = 0
    for start, end in spans:
        if not position <= start < end <= len(page.text) or page.text[position:start].strip():
            return False
        if page.text[start].isspace() or page.text[end - 1].isspace():
            return False
        position = end
    return not page.text[position:].strip()


@given(PARAGRAPHS, st.booleans())
def test_text_is_in_normal_form_and_lines_and_paragraphs_tile_it(
    paragraphs: list[tuple[list[str], str]], keep_indent: bool
) -> None:
    page = build(paragraphs, keep_indent=keep_indent)
    assert covered(page, [(line.start, line.end) for line in page.lines])
    assert covered(page, [(p.start, p.end) for p in page.paragraphs])
    starts = {line.start for line in page.lines}
    assert all(p.start in starts for p in page.paragraphs)
    assert [p.number for p in page.paragraphs] == list(range(1, len(page.paragraphs) + 1))
    assert [line.number for line in page.lines] == sorted(line.number for line in page.lines)
    assert all((p.level == 2) is (p.kind == "heading") for p in page.paragraphs)
    assert (page.method == "Skipped") is (page.text == "")
    assert page.text == page.text.strip()
    assert not re.search(rf"\s{{{MAX_BLANK + 1}}}", page.text)
    assert not re.search(
        r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u00a0\u00ad\u200b\u200e\u200f\ufeff]", page.text
    )
    assert not any(0xD800 <= ord(char) < 0xE000 for char in page.text)
    assert page.text.count("\n\n") == max(0, len(page.paragraphs) - 1)
    assert page == build(paragraphs, keep_indent=keep_indent)


@given(TEXT)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean_text(clean_text(text)) == clean_text(text)


SPELLED = (
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "\u0915\u094d\u200d\u0937 \u0d28\u0d4d\u200d.",
)
UNCHANGED = (
    "e\u0301 \u00e9 \u212b \u00b2 \u201cq\u201d \u2011 \u2026",
    "\U0001f600 \u4e2d\u6587 \u05d0",
)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        (
            "o\ufb03ce \ufb01le \ufb02ow \ufb00 \ufb04 \ufb05 \ufb06",
            "office file flow ff ffl st st",
        ),
        ("in\u00adfor\u00adma\u00adtion", "information"),
        ("10\u00a0000\u202f\u20ac\u2003x", "10 000 \u20ac x"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        # Joiners spell Persian and Indic words; elsewhere, doubled or at an end they are noise.
        *((text, text) for text in SPELLED),
        ("\u0645\u200c\u200b\u200c\u0646 \u0647\u200d", "\u0645\u200c\u0646 \u0647\u200d"),
        ("\u0645\u200c \u200cx a\u200cb a\u200db \u200d", "\u0645 x ab ab"),
        ("bell\x07\x00", "bell"),
        ("a\x0bb\x85c\u2028d", "a b c d"),
        ("lone \udc80 half", "lone \ufffd half"),
        ("tab\tstays", "tab\tstays"),
        ("end  \t ", "end"),
        # These are left as they are: the text shown is the document's own.
        *((text, text) for text in UNCHANGED),
    ],
)
def test_only_unreadable_characters_change(text: str, cleaned: str) -> None:
    assert clean_text(text) == cleaned


def test_numbers_of_the_source_stay() -> None:
    builder = PageBuilder(3, keep_indent=True)
    builder.paragraph([SourceLine("", 1), SourceLine("    code", 2), SourceLine("\x00", 3)])
    builder.paragraph([SourceLine("  indented", 7), SourceLine("next")])
    page = builder.build()
    assert page.text == "code\n\n  indented\nnext"
    assert [(line.number, page.text[line.start : line.end]) for line in page.lines] == [
        (2, "code"),
        (7, "indented"),
        (8, "next"),
    ]


def test_titles_are_one_line() -> None:
    assert clean_title("  A\n\ttitle\x00 ") == "A title"
    assert clean_title("x" * 1000) == "x" * 500
    assert clean_title("\u200b") is None
    assert clean_title(None) is None
