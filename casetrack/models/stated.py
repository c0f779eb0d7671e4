"""What a server states of a file that it sends: its checksum, and when to ask again."""

from __future__ import annotations

import hashlib
import re
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from email.message import Message
    from http.client import HTTPMessage
    from pathlib import Path

GIT_DIGITS = 40
"""Length of a git hash, which tells it from a SHA-256."""
_LONGEST_WAIT = 60.0
_BLOCK = 1 << 18
_CHECKSUM = re.compile(r"[0-9a-f]{64}|[0-9a-f]{40}")


@dataclass(slots=True)
class Stated:
    """What the hub states of a file.

    Attributes
    ----------
    host
        Host and port of the hub. The storage that it redirects to vouches for nothing.
    checksum
        SHA-256 or git blob hash in hexadecimal, or empty.
    """

    host: str
    checksum: str = ""

    def note(self, url: str, headers: Message, *, whole: bool) -> None:
        """Take the checksum from an answer of the hub, unless one is known.

        *whole* says that the answer is the file itself, whose ``ETag`` counts as well; that of an
        answer that redirects belongs to the redirection.
        """
        if self.checksum or urllib.parse.urlsplit(url).netloc != self.host:
            return
        for key in ("X-Linked-Etag", "ETag") if whole else ("X-Linked-Etag",):
            value = (headers.get(key) or "").strip().removeprefix("W/").strip('"').lower()
            if _CHECKSUM.fullmatch(value):
                self.checksum = value
                return


class Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects, and reads what the redirecting answer states of the file."""

    def __init__(self, stated: Stated) -> None:
        self._stated = stated

    def redirect_request(  # noqa: D102 - as in the standard library
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        self._stated.note(req.full_url, headers, whole=False)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def git_hash_of(path: Path) -> str:
    """Return the hash that git gives a file's content."""
    digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def asked_to_wait(headers: Message) -> float:
    """Return the seconds of ``Retry-After``, at most a minute; 0 without them."""
    value = (headers.get("Retry-After") or "").strip()
    return min(float(value), _LONGEST_WAIT) if value.isdecimal() else 0.0
