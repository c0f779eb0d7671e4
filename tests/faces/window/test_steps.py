"""Next steps in the window: no commands where a page does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.faces.window.pages import TITLES
from casetrack.faces.window.texts import Texts
from casetrack.faces.window.visit import step

if TYPE_CHECKING:
    from collections.abc import Callable

HINTS = (
    "See `casetrack documents`.",
    "Run `casetrack jobs list -c A`.",
    "Try `casetrack upkeep --secure`.",
    "Nothing <b>bold</b>.",
    "`casetrack upkeep '<i>'`",
)


@pytest.mark.slow
def test_a_command_becomes_the_page_that_does_it(messages: Callable[..., None]) -> None:
    messages("\n".join(str(step(TITLES, Texts("en"), hint)) for hint in HINTS))
