"""Texts that can be sent and shown: cut, with control characters visible, in UTF-8."""

from __future__ import annotations

import re
from typing import Any


def cut(text: str, chars: int, /) -> str:
    """Return *text*, cut with an ellipsis if it has more than *chars* characters."""
    return text if len(text) <= chars else text[:chars].rstrip() + " \u2026"


# Names and quotes may hold the codes that terminals obey.

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def visible(text: str, /) -> str:
    r"""Return *text* with each control character replaced by one visible character.

    Offsets do not change; line ends and tabs stay. JSON escapes them itself.

    Examples
    --------
    >>> visible("a\x1b[2Jb") == "a\ufffd[2Jb"
    True
    """
    return _CONTROL.sub("\ufffd", text)


def sendable(value: Any, /) -> Any:
    """Return *value* with lone surrogates replaced, which represent raw bytes of file names.

    UTF-8 cannot encode them, so one such name would break the connection.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {sendable(k): sendable(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [sendable(v) for v in value]
    return value
