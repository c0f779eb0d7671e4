"""What HTML and XML bytes say of their encoding."""

from __future__ import annotations

import re

from casetrack.parse.encoding import Decoded, codec_of, decode

_META = re.compile(
    rb"<meta\b[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9][\w:.+-]{1,40})", re.IGNORECASE
)
_XML = re.compile(rb"\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{2,40})[\"']", re.IGNORECASE)
_SEARCHED = 65536


def decode_html(data: bytes, /, *, encoding: str | None = None) -> Decoded:
    """Decode HTML bytes; see :func:`casetrack.parse.encoding.decode`.

    Parameters
    ----------
    encoding
        What something outside says; counts more than what the bytes declare.

    Raises
    ------
    casetrack.parse.encoding.NotText
        The bytes are binary.
    """
    known = encoding if codec_of(encoding) else None
    return decode(data, declared=known or declared_encoding(data))


def declared_encoding(data: bytes, /) -> str | None:
    """Return the encoding that the first bytes declare, ``None`` where they name none.

    A declaration that could be read cannot be UTF-16: such words mean UTF-8, as in browsers.
    """
    head = data[:_SEARCHED]
    found = _XML.match(head) or _META.search(_without_comments(head))
    label = found[1].decode("ascii") if found else None
    return "utf-8" if (codec_of(label) or "").startswith(("utf-16", "utf-32")) else label


def _without_comments(head: bytes) -> bytes:
    first, *parts = head.split(b"<!--")
    return first + b"".join(part.partition(b"-->")[2] for part in parts)
