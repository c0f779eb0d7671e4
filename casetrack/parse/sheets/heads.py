"""Headers and footers of printed sheets, in the codes of Excel."""

from __future__ import annotations

import re

from casetrack.parse.layout.running import page_number

_CODE = re.compile(r'&&|&(?:"[^"]*"|K(?:[0-9A-Fa-f]{6}|\d\d[+-]\d{3})|\d+|[A-Za-z])')
_NUMBERS = frozenset({"&P", "&N"})


def coded_head(kind: str, text: str, /) -> str:
    """Return the line of a header or footer without its codes for fonts, dates and pages."""
    words = _CODE.sub(lambda m: "&" if m[0] == "&&" else " ", text)
    numbered = _CODE.sub(lambda m: "1" if m[0] in _NUMBERS else m[0], text)
    return head_line(kind, words, _CODE.sub(" ", numbered))


def head_line(kind: str, words: str, numbered: str, /) -> str:
    """Return the line of a header or footer; empty where it is only a page number.

    Parameters
    ----------
    kind
        ``header`` or ``footer``.
    words, numbered
        Its text without and with the numbers of pages.
    """
    text = " ".join(words.split())
    is_number = page_number(" ".join(numbered.split())) is not None
    return "" if is_number or not text else f"Sheet {kind}: {text}"
