"""The pages of a document as one text, and back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.extract.papers.text import TextPage, WholeText

PAGES = st.lists(st.text(max_size=20), min_size=1, max_size=6).map(
    lambda texts: WholeText(tuple(TextPage(n, text) for n, text in enumerate(texts, 1)))
)


@pytest.mark.slow
@given(PAGES)
def test_every_character_is_found_on_its_page(whole: WholeText) -> None:
    for page, begin in zip(whole.pages, whole.starts, strict=True):
        for offset, character in enumerate(page.text):
            result, at = whole.place(begin + offset)
            assert (result.number, at, result.text[at]) == (page.number, offset, character)


@pytest.mark.slow
@given(PAGES, st.data())
def test_a_range_is_laid_out_page_by_page(whole: WholeText, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(whole.text)))
    end = data.draw(st.integers(start, len(whole.text)))
    parts = whole.parts(start, end)
    assert [page.number for page, _, _ in parts] == sorted({p.number for p, _, _ in parts})
    joined = "".join(page.text[first:last] for page, first, last in parts)
    assert joined == "".join(
        page.text[max(0, start - begin) : max(0, end - begin)]
        for page, begin in zip(whole.pages, whole.starts, strict=True)
    )


def test_outside_the_text_nothing_lies() -> None:
    with pytest.raises(IndexError, match="outside the 3 characters"):
        WholeText((TextPage(1, "abc"),)).place(4)
    with pytest.raises(IndexError):
        WholeText(()).place(0)
