"""Text to HTML: no text of a document becomes markup."""

from __future__ import annotations

import html
import re

# Text for use in Markdown.

_MARKUP = re.compile(r"([\\`*_\[\]<>|#])")


def escaped(text: str, /) -> str:
    r"""Return a text on one line, with characters of Markdown escaped.

    >>> escaped("a | *b*")
    'a \\| \\*b\\*'
    """
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


# Control characters, and lone surrogates, which file names can contain.
_UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")

LEFT = "style='text-align:left'"
"""Attribute of a cell with words; notebooks align all cells to the right."""


def printable(text: str, /) -> str:
    """Return *text* with a visible sign for each unprintable character."""
    return _UNSAFE.sub("\ufffd", text)


def esc(text: str, /) -> str:
    """Return *text* escaped for element content and quoted attributes."""
    return html.escape(printable(text))


def span(text: str, /) -> str:
    """Return *text* isolated, so that its writing direction does not affect the text around it."""
    return f"<bdi>{esc(text)}</bdi>" if text else ""


def css_string(text: str, /) -> str:
    """Return *text* as a string of CSS, quotes included."""
    # As a number, no character can end the string, the rule or the element.
    return '"' + "".join(f"\\{ord(sign):06x}" for sign in _UNSAFE.sub("\ufffd", text)) + '"'


def address(url: str | None, /) -> str:
    """Return a web address as a link, and other text of a source as plain text."""
    if not url:
        return ""
    if not url.startswith(("https://", "http://")):
        return span(url)
    return f'<a href="{esc(url)}" rel="noreferrer">{span(url)}</a>'
