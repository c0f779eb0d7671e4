"""Text for use in Markdown."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([\\`*_\[\]<>|#])")


def escaped(text: str, /) -> str:
    r"""Return a text on one line, of which nothing is taken for markup.

    >>> escaped("a | *b*")
    'a \\| \\*b\\*'
    """
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
