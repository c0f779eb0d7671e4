"""Which words of a text are quoted, and from whom."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.extract.legal.cited_text import NAMED
from casetrack.extract.legal.quotation_marks import marked
from casetrack.extract.legal.quotations import read_quotations
from casetrack.extract.legal.spans import LegalCitation
from casetrack.extract.legal.text import TextPage, WholeText

LONG = (
    "the rule of this court has always been that a tenant who stays behind after the last day of "
    "the term holds over at the will of the owner, and that no notice is needed where the lease "
    "itself has named the day on which it is to end"
)


def read(written: str) -> list[tuple[str, str | None]]:
    """Read a text with its citations in double brackets; a page ends at ``\\f``."""
    citations, plain, last = [], "", 0
    for found in re.finditer(r"\[\[(.*?)\]\]", written, re.DOTALL):
        plain += written[last : found.start()]
        start = len(plain)
        plain += found[1]
        citations.append(
            LegalCitation(start, len(plain), found[1], "case", "full", found[1], found[1])
        )
        last = found.end()
    plain += written[last:]
    pages = tuple(TextPage(n + 1, page) for n, page in enumerate(plain.split("\f")))
    whole = WholeText(pages)
    quotations = read_quotations(whole, citations)
    for each in quotations:
        assert whole.text[each.start : each.end] == each.text
    return [
        (q.text, None if q.citation is None else citations[q.citation].text)
        for q in quotations
        if q.confidence > NAMED
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Right before its citation, after its comma, or in the sentence before.
        ("“It is so.” [[Roe, 5 U.S. at 6]].", [("It is so.", "Roe, 5 U.S. at 6")]),
        ('"It is so here," [[Roe, 5 U.S. at 6]].', [("It is so here,", "Roe, 5 U.S. at 6")]),
        (
            "The rule is “it is so here” and it binds. [[Roe, 5 U.S. at 6]].",
            [("it is so here", "Roe, 5 U.S. at 6")],
        ),
        (
            "The court called it “it is so here.” See, e.g., [[Roe, 5 U.S. at 6]]. More follows.",
            [("it is so here.", "Roe, 5 U.S. at 6")],
        ),
        # After its citation, in the same sentence.
        (
            "In [[Roe v. Doe, 5 U.S. 3 (1990)]], it held that “it is so here.” Nothing more.",
            [("it is so here.", "Roe v. Doe, 5 U.S. 3 (1990)")],
        ),
        # One before and one after.
        (
            "“The first words,” [[Roe, 5 U.S. at 6]], and “the second words.” [[Id. at 7]].",
            [("The first words,", "Roe, 5 U.S. at 6"), ("the second words.", "Id. at 7")],
        ),
        # A name that was read back into the words before it.
        (
            "He went to “the State Hospital ([[Norwich).” Roe v. Doe, 5 U.S. at 6]].",
            [("the State Hospital (Norwich).", "Norwich).” Roe v. Doe, 5 U.S. at 6")],
        ),
        # Several to one citation.
        (
            "It was “long and hard” and “without any end.” [[Roe, 5 U.S. at 6]].",
            [
                ("long and hard", "Roe, 5 U.S. at 6"),
                ("without any end.", "Roe, 5 U.S. at 6"),
            ],
        ),
        # In the remark behind the citation, and in that of the second of a string.
        (
            "[[Roe, 5 U.S. at 6]] (“the words of Roe”); [[Doe, 7 F.3d 8]] (“these are other”).",
            [
                ("the words of Roe", "Roe, 5 U.S. at 6"),
                ("these are other", "Doe, 7 F.3d 8"),
            ],
        ),
        # The next sentence is about another case.
        (
            "In [[Roe, 5 U.S. 3]], the Court said “it is so here.” [[Doe, 7 F.3d 8]], disagreed.",
            [("it is so here.", "Roe, 5 U.S. 3")],
        ),
        # A word of one's own, and terms.
        ("Apex Ltd. (the “Buyer”) and Bolt LLC (“Bolt”) met.", []),
        ("They saw a so-called “expert” and a “friend” there.", []),
        ("[[Roe v. Doe, 5 U.S. 3 (1990)]] (“Roe”) is about this.", []),
        # Marks in marks, German and French, and inches.
        (
            "“He said ‘no’ and ‘never’ to it.” [[Roe, 5 U.S. at 6]].",
            [("He said ‘no’ and ‘never’ to it.", "Roe, 5 U.S. at 6")],
        ),
        (
            "Das Gericht sagt: „Der Vertrag ist nichtig.“ [[BGH, NJW 1990, 5]].",
            [("Der Vertrag ist nichtig.", "BGH, NJW 1990, 5")],
        ),
        ("Il dit « le contrat est nul » [[Cass. 5]].", [(" le contrat est nul ", "Cass. 5")]),
        (
            'A board of 5\'10" by 6" was “much too small for it.” [[Roe, 5 U.S. at 6]].',
            [("much too small for it.", "Roe, 5 U.S. at 6")],
        ),
        # Over the end of a page, and over paragraphs that each open with a mark.
        (
            "“It is so\fand not otherwise.” [[Roe, 5 U.S. at 6]].",
            [("It is so\nand not otherwise.", "Roe, 5 U.S. at 6")],
        ),
        (
            "“First part.\n\n“Second part.” [[Roe, 5 U.S. at 6]].",
            [("First part.\n\n“Second part.", "Roe, 5 U.S. at 6")],
        ),
        # A mark that nobody closes.
        (
            "“It is so.\n\nAnother day. “It was so.” [[Roe, 5 U.S. 6]].",
            [("It was so.", "Roe, 5 U.S. 6")],
        ),
        # Cited in a note.
        (
            "The rule is “it is so here.”3 And more.\n\n3 [[Roe, 5 U.S. at 6]].",
            [("it is so here.", "Roe, 5 U.S. at 6")],
        ),
        # The title of an article is part of its citation.
        ("See [[A. Smith, “On Words,” 5 Yale L.J. 6 (1990)]].", []),
    ],
)  # fmt: skip
def test_words_in_marks(text: str, expected: list[tuple[str, str | None]]) -> None:
    assert read(text) == expected


def test_a_block_announced_before_and_cited_behind() -> None:
    text = f"The court was plain:\n\n{LONG}.\n\n[[Roe, 5 U.S. at 6]]. Nothing follows."
    assert read(text) == [(f"{LONG}.", "Roe, 5 U.S. at 6")]


def test_a_block_with_its_citation_at_its_end() -> None:
    text = f"The court was plain:\n\n    {LONG}.\n    [[Roe, 5 U.S. at 6]].\n\nNothing follows."
    assert read(text) == [(f"{LONG}.", "Roe, 5 U.S. at 6")]


def test_a_paragraph_of_ones_own_is_no_block() -> None:
    assert read(f"This is the argument.\n\n{LONG}. [[Roe, 5 U.S. at 6]].\n\nMore.") == []


def test_a_block_that_the_reader_knows() -> None:
    text = f"In Roe the court said\n\n{LONG}.\n\nRoe, 5 U.S. at 6. Nothing follows."
    start = text.index(LONG)
    block = (start, start + len(LONG) + 1)
    whole = WholeText((TextPage(1, text, blocks=(block,)),))
    at = text.index("Roe, 5")
    cited = LegalCitation(at, at + 16, text[at : at + 16], "case", "short", "k", "n")
    (found,) = read_quotations(whole, (cited,))
    assert (found.start, found.end) == block
    assert found.is_block
    assert found.citation == 0
    assert found.confidence == 1


@given(st.text(alphabet='ab .“”"„«»‘’\n(', max_size=60))
def test_marks_never_overlap(text: str) -> None:
    end = 0
    for each in marked(text):
        assert end <= each.outer_start < each.start <= each.end < each.outer_end <= len(text)
        end = each.outer_end
