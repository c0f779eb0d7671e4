"""Takes the HTML out of RTF that wraps it, as mails of Outlook have it ([MS-OXRTFEX])."""

from __future__ import annotations

import re

from casetrack.parse.rtf.scanner import Kind, Scanner

_MARK = re.compile(rb"\\fromhtml1?(?![0-9A-Za-z])")
_MARK_WITHIN = 4096
_BREAKS = {"par": "\r\n", "line": "\r\n", "tab": "\t"}
_SKIPPED = frozenset(
    "fonttbl colortbl stylesheet info pict object fldinst listtable pntext listtext".split()
)


def holds_html(data: bytes, /) -> bool:
    r"""Tell whether RTF wraps HTML: ``\fromhtml1`` stands at its beginning."""
    return _MARK.search(data, 0, _MARK_WITHIN) is not None


def encapsulated_html(data: bytes, /) -> str:
    r"""Return the HTML that RTF wraps.

    What stands in ``\htmltag`` groups is the HTML's own markup; text outside of them is shown
    unless ``\htmlrtf`` says that it is there for readers of RTF alone.
    """
    scanner = Scanner(data)
    parts: list[str] = []
    is_skipped = is_rtf_only = is_tag = star = False
    stack: list[tuple[bool, bool, bool]] = []
    for kind, text, number in scanner.events():
        if kind is Kind.OPEN:
            stack.append((is_skipped, is_rtf_only, is_tag))
        elif kind is Kind.CLOSE:
            is_skipped, is_rtf_only, is_tag = stack.pop()
        elif kind is Kind.TEXT:
            if not is_skipped and (is_tag or not is_rtf_only):
                parts.append(text)
        elif kind is Kind.WORD:
            if text == "htmlrtf":
                is_rtf_only = number != 0
            elif star:
                is_tag = text == "htmltag"
                is_skipped = is_skipped or not is_tag
            elif text in _SKIPPED:
                is_skipped = True
            elif text in _BREAKS and not is_skipped and (is_tag or not is_rtf_only):
                parts.append(_BREAKS[text])
        star = kind is Kind.STAR
    return "".join(parts)
