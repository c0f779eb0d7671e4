"""States of the United States: names, letters of the post, abbreviations."""

from __future__ import annotations

from typing import Final

from casetrack.base.words import WordLists

_LISTS = WordLists(__file__)
_FORMS = _LISTS.groups("states")
POSTAL: Final = {name: letters for name, (letters, *_) in _FORMS.items()}
"""Letters of the post ("ny") for the name in small letters, with D.C. and Puerto Rico."""

ABBREVIATED: Final = {short: name for name, (_, *shorts) in _FORMS.items() for short in shorts}
"""Name in small letters for an abbreviation without its last point and without blanks."""

STATES: Final = tuple(name for name in _FORMS if name not in _LISTS.phrases("other"))
"""Names of the fifty states in small letters."""
