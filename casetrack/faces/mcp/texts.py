"""Texts that can be sent and shown: cut, with control characters visible, in UTF-8."""

from __future__ import annotations

import re
from typing import Any


def cut(text: str, chars: int, /) -> str:
    """Return *text*, or its first *chars* characters and a sign that it goes on."""
    return text if len(text) <= chars else text[:chars].rstrip() + " \u2026"


# Names and quotes may hold the codes that terminals obey.

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


def sendable(value: Any, /) -> Any:
    """Return *value* with lone surrogates replaced, which stand for the raw bytes of file names.

    UTF-8 has no form for them, so one such name would break the connection.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if not _encodes(value) else value
    if isinstance(value, dict):
        return {sendable(k): sendable(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [sendable(v) for v in value]
    return value


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
