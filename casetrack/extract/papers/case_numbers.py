"""Case numbers in the form by which they are compared."""

from __future__ import annotations

import re

_KEY = re.compile(
    r"(?:(?P<office>\d{1,2}):)?(?P<year>(?:19"
    r"|20)?\d{2})-?\s?(?P<kind>[A-Za-z]{0,4})\.?\s?-?\s?0*(?P<serial>\d{1,7})"
)
_COUNTY = re.compile(r"[A-Z]{3}[\s-]+[A-Z]{1,2}[\s-]+0*\d")
"""``MER-L-001234-25``: the county and the kind begin the number."""


def case_key(number: str, /) -> str:
    """Return the common form of all spellings of a case number.

    Offices, judges' initials and leading zeros are dropped: ``8:16-cv-01261-DOC-KES``, ``16 CV 1261
    (DOC)`` and ``No. 16-cv-1261`` are all ``16-cv-1261``. Other numbers lose case and leading
    zeros, and have hyphens for blanks.
    """
    match = None if _COUNTY.match(number) else _KEY.search(number)
    if match is None:
        return re.sub(r"[\s-]+0*", "-", number.strip().casefold())
    year, kind = match["year"][-2:], match["kind"].lower()
    kind = {"civ": "cv", "crim": "cr", "cri": "cr"}.get(kind, kind)
    return "-".join(filter(None, (year, kind, match["serial"])))
