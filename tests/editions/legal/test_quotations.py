"""Which words of a text are quoted, and from whom."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from casetrack.editions.legal.extract.cited_text import NAMED, quoted_spans
from casetrack.editions.legal.extract.quotations import read_quotations
from casetrack.extract.papers.text import LegalCitation, TextPage, WholeText
from editions.legal.hard_citations import Passage, tabled

LONG = (
    "the rule of this court has always been that a tenant who stays behind after the last day of "
    "the term holds over at the will of the owner, and that no notice is needed where the lease "
    "itself has named the day on which it is to end"
)


def read(written: str) -> list[tuple[str, str | None]]:
    """Read a text with its citations in double brackets; a page ends at ``\\f``."""
    citations, plain, last = [], "", 0
    for item in re.finditer(r"\[\[(.*?)\]\]", written, re.DOTALL):
        plain += written[last : item.start()]
        start = len(plain)
        plain += item[1]
        citations.append(
            LegalCitation(start, len(plain), item[1], "case", "full", item[1], item[1])
        )
        last = item.end()
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


@tabled("quotations.txt")
def test_words_in_marks(passage: Passage) -> None:
    assert tuple(f"{words} | {cited}" for words, cited in read(passage.text)) == passage.expected


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
    (quotations,) = read_quotations(whole, (cited,))
    assert (quotations.start, quotations.end) == block
    assert quotations.is_block
    assert quotations.citation == 0
    assert quotations.confidence == 1


@given(st.text(alphabet='ab .“”"„«»‘’\n(', max_size=60))
def test_marks_never_overlap(text: str) -> None:
    end = 0
    for each in quoted_spans(text):
        assert end <= each.outer_start < each.start <= each.end < each.outer_end <= len(text)
        end = each.outer_end
