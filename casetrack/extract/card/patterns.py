"""The patterns of the identity card, from ``patterns.toml``."""

from __future__ import annotations

import re
from typing import Final

from casetrack.base.words import WordLists

_LISTS: Final = WordLists(__file__)
FORM: Final = _LISTS.text("form")
"""Legal forms of firms, as alternatives."""


def pattern(name: str, /) -> re.Pattern[str]:
    """Return a pattern of the list."""
    return re.compile(_LISTS.text(name).replace("{form}", FORM))


FILINGS: Final = frozenset(("annual report", "quarterly report", "current report", "filing"))
BILLS: Final = frozenset(("invoice", "order", "proposal"))
ISSUED: Final = FILINGS | {"press release", "results release"}
NOT_TITLE: Final = pattern("not_title")
PERSON: Final = pattern("person")
SALUTATION: Final = pattern("salutation")
MAILS: Final = frozenset(("eml", "msg"))
