"""Next steps in the window: no commands where a page does it."""

from __future__ import annotations

import pytest

from casetrack.window.steps import _PAGES, step
from casetrack.window.texts import LANGUAGES, Texts


@pytest.mark.parametrize(
    ("hint", "told"),
    [
        ("See `casetrack documents`.", "See the page “Documents” of this window."),
        ("Run `casetrack jobs list -c A`.", "Run the page “Work” of this window."),
        ("Try `casetrack upkeep --secure`.", "Try `casetrack upkeep --secure` in a terminal."),
        ("Nothing <b>bold</b>.", "Nothing &lt;b&gt;bold&lt;/b&gt;."),
        ("`casetrack upkeep '<i>'`", "`casetrack upkeep &#39;&lt;i&gt;&#39;` in a terminal"),
    ],
)
def test_a_command_becomes_the_page_that_does_it(hint: str, told: str) -> None:
    assert str(step(Texts("en"), hint)) == told


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_that_steps_name_has_a_name(language: str) -> None:
    for name in _PAGES.values():
        assert Texts(language)(name)
