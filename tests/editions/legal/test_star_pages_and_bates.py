"""Star pages and Bates numbers: taken from the text where they are sure, and only there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.parse import detect
from casetrack.parse.workers.worker import with_printed

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.parse.base import Page


def read(path: Path, content: str) -> list[Page]:
    """Return the pages of a file with this content."""
    path.write_text(content, encoding="utf-8")
    return list(with_printed(detect(path).read(path).pages))


def places(page: Page, kind: str) -> list[tuple[str, str]]:
    """Return label and text of the places of a kind."""
    return [(p.label, page.text[p.start : p.end]) for p in page.printed if p.kind == kind]


OPINION = (
    '<p>The <span class="star-pagination">*593</span> court held that re<a class="page-label">*594'
    '</a>lief <em>is</em> due.</p><p><a class="page-label">**12</a>We agree.</p>'
)


def test_marks_of_star_pages_in_html_leave_the_text(tmp_path: Path) -> None:
    (page,) = read(tmp_path / "a.html", f"<html><body>{OPINION}</body></html>")
    assert page.text == "The court held that relief is due.\n\nWe agree."
    assert places(page, "star") == [
        ("593", "court held that re"),
        ("594", "lief is due.\n\nWe agree."),
        ("12", "We agree."),
    ]


@pytest.mark.parametrize(
    ("text", "clean", "labels"),
    [
        ("It is [*593] so held.", "It is so held.", ["593"]),
        ("It *593 is so *594 held.", "It is so held.", ["593", "594"]),
        ("It *1 is *2 so *3 held.", "It is so held.", ["1", "2", "3"]),
        # Footnotes, products and a single mark are text.
        ("Price*1 and rate *2\n\n*1 net\n*2 per year", None, []),
        ("2 *5 is 10", None, []),
        ("See *593 alone.", None, []),
        ("*1 First note. *2 Second note. *1 again *3", None, []),
    ],
)
def test_typed_star_pages(text: str, clean: str | None, labels: list[str], tmp_path: Path) -> None:
    (page,) = read(tmp_path / "a.txt", text)
    assert page.text == (text if clean is None else clean)
    assert [label for label, _ in places(page, "star")] == labels


def test_a_star_page_goes_on_to_the_next_page_of_the_file(tmp_path: Path) -> None:
    first, second = read(tmp_path / "a.txt", "One [*7] two\fthree *8 four")
    assert places(first, "star") == [("7", "two")]
    assert second.text == "three four"
    assert places(second, "star") == [("7", "three"), ("8", "four")] or places(second, "star") == [
        ("7", "three "),
        ("8", "four"),
    ]


@pytest.mark.parametrize(
    ("pages", "labels", "texts"),
    [
        # Alone on its line it leaves the text; a prefix in capitals and five figures are enough.
        (["A letter.\nABC000123"], ["ABC000123"], ["A letter."]),
        (["A letter.\nABC-DEF-000123"], ["ABC-DEF-000123"], ["A letter."]),
        # A space in it, or few figures: it must go on from page to page.
        (["One.\nABC 0123", "Two.\nABC 0124"], ["ABC 0123", "ABC 0124"], ["One.", "Two."]),
        (["One.\nABC 0123", "Two.\nABC 0999"], [], ["One.\nABC 0123", "Two.\nABC 0999"]),
        # A gap is no end.
        (["One.\nABC00001", "Two.\nABC00005"], ["ABC00001", "ABC00005"], ["One.", "Two."]),
        (["Washington\nDC 20549"], [], ["Washington\nDC 20549"]),
        (["Report\nFORM 10000", "x\nFORM 10001"], [], ["Report\nFORM 10000", "x\nFORM 10001"]),
    ],
)  # fmt: skip
def test_bates_numbers_at_the_edge(
    pages: list[str], labels: list[str], texts: list[str], tmp_path: Path
) -> None:
    result = read(tmp_path / "a.txt", "\f".join(pages))
    assert [page.text for page in result] == texts
    assert [p.label for page in result for p in page.printed if p.kind == "bates"] == labels
    assert [page.footer for page in result] == [*(labels or [None] * len(result))]
