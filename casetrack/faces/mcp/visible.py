"""Text that drives nothing: names and quotes may hold the codes that terminals obey."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def visible(text: str, /) -> str:
    r"""Return *text* with control characters made visible, one for one: offsets still fit.

    Line ends and tabs stay. JSON needs no such care, since it escapes them.

    Examples
    --------
    >>> visible("a\x1b[2Jb") == "a\ufffd[2Jb"
    True
    """
    return _CONTROL.sub("\ufffd", text)
