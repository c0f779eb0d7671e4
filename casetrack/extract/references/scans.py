"""What a scan misreads in a citation: letters for digits, digits for letters, points astray."""

from __future__ import annotations

import re

_DIGITS = str.maketrans("OoIl|SBZ", "00111582")
_REPORTER = (
    r"(?:U\.?\s?[S5]\.|S\.\s?Ct\.|L\.\s?Ed\.|F\.\s?(?:2d|3d|4th|Supp\.?)?"
    r"|[ANSP]\.\s?[EW]?\.?\s?(?:2d|3d)?|So\.|Cal\.|N\.\s?Y\.|B\.R\.|U\.\s?[S5]\.\s?C\."
    r"|C\.\s?F\.\s?R\.)"
)
_VOLUME = re.compile(
    rf"(?<![\w.])(?=[\dOoIl|SBZ]*\d)(?=\d*[OoIl|SBZ])[\dOoIl|SBZ]{{2,4}}(?=\s{_REPORTER})"
)
_PAGE = re.compile(
    rf"(?<![\w.])(?P<before>\d{{1,4}}\s{_REPORTER}\s?(?:2d|3d|4th)?\s?)(?=[\dOoIl"
    rf"|SBZ]*\d)(?=\d*[OoIl|SBZ])(?P<page>[\dOoIl|SBZ]{{2,5}})(?!\w)"
)
_SIGNS = re.compile(r"(?<=\d\sU\.)(?P<gap>\s?)5\.(?=\s)")
_DOUBTFUL = re.compile(r"[0-9][OoIl|SBZ](?![a-z]{2})|[OoIl|SBZ][0-9]|U\.\s?5\.|\d\s[A-Z]\s\.[23]d")
"""Without it there is nothing that a scan could have misread."""
_ASTRAY = re.compile(r"(?<=\d\s[A-Z])\s\.(?=[23]d\s\d)")


def as_printed(text: str, /) -> str:
    """Return *text* with what a scan misread in citations as it was printed; the length stays.

    >>> as_printed("Daubert, 5O9 U.5. 579")
    'Daubert, 509 U.S. 579'
    """
    if _DOUBTFUL.search(text) is None:
        return text
    text = _ASTRAY.sub(". ", text)
    text = _VOLUME.sub(lambda m: m[0].translate(_DIGITS), text)
    text = _SIGNS.sub(lambda m: f"{m['gap']}S.", text)
    return _PAGE.sub(lambda m: m["before"] + m["page"].translate(_DIGITS), text)


def misread(text: str, /) -> str:
    """Say what in the words of a citation was taken for other signs; "" where nothing was.

    >>> misread("5O9 U.S. 579")
    'read from a scan: 5O9 was taken for 509'
    """
    printed = as_printed(text)
    if printed == text:
        return ""
    changed = [
        (one, other)
        for one, other in zip(text.split(), printed.split(), strict=False)
        if one != other
    ]
    said = ", ".join(f"{one} was taken for {other}" for one, other in changed)
    return f"read from a scan: {said}" if said else ""
