"""Address lists of mails by RFC 5322, and in the forms that mail programs write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.utils import parseaddr
from typing import Final

ADDRESS: Final = re.compile(r"[\w.+'&=-]+@[\w-]+(?:\.[\w-]+)+")
_PIECE: Final = re.compile(
    r'(?:"(?:\\.|[^"\\])*"|<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)|[^,;"<\[(\n\r\xae]|["<\[(]|'
    r"(?<=[,;])\s*\n[ \t>]*)+"
)
"""One item of a list: separators inside quotation marks and brackets do not count."""
_DIRECTORY: Final = re.compile(r"\s*<?/O=[^>,;]*>?", re.IGNORECASE)
"""Name of an account in Exchange's directory."""
_MAIL_LINK: Final = re.compile(
    r"[<\[]\s*(?:mailto:)?([^<>\[\]\s]+@[^<>\[\]\s]+?)\s*(?:[>\]]+|$|(?=<))"
)
_NOTES: Final = re.compile(
    r"(?<=\w)(?:/[\w &]+)+(?:@[\w ]+)?$|(?<=\w)@[A-Z][\w ]*$| ?<[^<>/]*/[^<>]*>$"
)
"""Place of an account of Lotus Notes: ``Jo Roe/HOU/NORVANE@NORVANE``, also in brackets."""
_GATEWAY: Final = re.compile(r'"? AT [\w ]{1,40}@.*$|(?<=\.[a-z]{3})@[A-Z]\w*$')
"""Gateway behind an account of cc:Mail, and behind an address."""
_UNIT: Final = re.compile(r"(?<=\w)(?:\s+(?:\([^()]*\)|\[[^\[\]]*\]|[A-Z]{2,9}:[A-Z]{2,9}))+$")
"""Unit or medium behind a name: ``Roe, Jo (NIH/NCI) [E]``, ``Roe, Jo ENV:EX``, ``Jo (E-mail)``."""
_SUFFIX: Final = re.compile(
    r"|(?:[JS]r|I{2,3}|IV|Esq|Ph\.?D|M\.?D|Inc|Ltd|LLC|LLP|L\.?P|Corp|Co|N\.?A|S\.?A|AG|GmbH)\.?",
    re.IGNORECASE,
)
_BEHALF: Final = re.compile(
    r"^.*\b(?:on behalf of|im auftrag von|de la part de|på vegne af)\s+(?=\w)", re.IGNORECASE
)
"""Text before the sender whose mail an account or a list passes on."""
_WRITTEN_AT: Final = re.compile(r"(?<![^\s<(:\[])([\w.+-]+) at ([\w-]+(?:\.[\w-]+)+)(?![\w.])")
"""An address with "at", as archives of lists print it."""
_MOST: Final = 4
"""Number of words of a longest personal name without titles."""


@dataclass(frozen=True, slots=True)
class Correspondent:
    """A person or list in a field of a mail: name and address; either may be empty."""

    name: str
    address: str
    # The name in the field, or the address without one: a half-open span.
    start: int = 0
    end: int = 0

    def __str__(self) -> str:
        """Return name and address in the form of mails."""
        if not self.address or not self.name:
            return self.name or self.address
        return f"{self.name} <{self.address}>"

    @property
    def person(self) -> str:
        """The name in the order given name, surname; the address without a name."""
        return ordered_name(self.name, self.address) or self.address


def correspondents(field: str, /) -> list[Correspondent]:
    """Return the correspondents of a ``From``, ``To``, ``Cc`` or ``Bcc`` field, in order.

    >>> [str(c) for c in correspondents("Roe, Jo <jo@acme.com>, 'Lee' [mailto:al@acme.com]; Bo")]
    ['Roe, Jo <jo@acme.com>', 'Lee <al@acme.com>', 'Bo']
    >>> [str(c) for c in correspondents("list at acme.com On Behalf Of Al Lee; <bo at acme.com>")]
    ['Al Lee', 'bo@acme.com']
    """
    return [c for start, end in _items(field) if (c := _read(field, start, end)) is not None]


def addresses(field: str, /) -> frozenset[str]:
    """Return the addresses in a field, in lower case."""
    return frozenset(c.address.casefold() for c in correspondents(field) if "@" in c.address)


def ordered_name(name: str, address: str = "", /) -> str:
    """Return a name in the order given name, surname, as its comma or its address shows.

    >>> ordered_name("Roe, Jo A."), ordered_name("Shackleton Sara", "sara.shackleton@enron.com")
    ('Jo A. Roe', 'Sara Shackleton')
    """
    surname, comma, given = (part.strip() for part in name.partition(","))
    if comma and len(name.split()) <= _MOST and not _SUFFIX.fullmatch(given):
        return f"{given} {surname}"
    words = [] if comma else name.split()
    local = re.sub(r"[\d_.+-]+", " ", address.partition("@")[0].lower()).split()
    if len(words) < 2 or not local:
        return name
    low = [word.strip(".'’").lower() for word in words]
    is_parted = len(local) > 1 and local[-1] == low[0] and local[0] in low[1:]
    is_joined = len(words) == 2 and local in ([low[1][:1] + low[0]], [low[1] + low[0]])
    return " ".join((*words[1:], words[0])) if is_parted or is_joined else name


def _read(field: str, start: int, end: int) -> Correspondent | None:
    text = _BEHALF.sub("", " ".join(field[start:end].split()))
    text = _WRITTEN_AT.sub(r"\1@\2", _GATEWAY.sub("", text))
    if text.endswith(":"):
        return None
    known = _MAIL_LINK.search(text)
    if known:
        name, address = text[: known.start()], known[1]
    elif "<" not in text and ADDRESS.fullmatch(bare := text.strip("'\" ")):
        name, address = "", bare
    else:
        name, address = parseaddr(text) if ADDRESS.search(text) else (text, "")
        if "@" not in address:
            name, address = _NOTES.sub("", _DIRECTORY.sub("", text)), ""
    name = _UNIT.sub("", name.strip(" \t,'\"“”").replace('\\"', '"'))
    if name.casefold() == address.casefold():
        name = ""
    if not (name or address):
        return None
    words = map(re.escape, (name or address).split())
    place = re.search(r"[\s>]+".join(words), field[start:end])
    span = (start + place.start(), start + place.end()) if place else (start, end)
    return Correspondent(name, address, *span)


def _items(field: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of the items; a surname and a given name with a comma are one."""
    spans = [m.span() for m in _PIECE.finditer(field) if m[0].strip(" \t\n\r'\"")]
    is_addressed = any(c in field for c in "@/<")
    at = 0
    while at < len(spans):
        start, end = spans[at]
        at += 1
        while (
            at < len(spans)
            and field[end : spans[at][0]].strip() == ","
            and _continues(field[start:end], field[slice(*spans[at])], is_addressed=is_addressed)
        ):
            end = spans[at][1]
            at += 1
        start += len(field[start:end]) - len(field[start:end].lstrip())
        yield start, start + len(field[start:end].rstrip())


def _continues(before: str, behind: str, *, is_addressed: bool) -> bool:
    """Return whether an item is the given name of the surname before it."""
    if any(c in before for c in '@>/"]'):
        return False
    if _SUFFIX.fullmatch(behind.partition("<")[0].strip()):
        return True
    if not is_addressed:
        return len(before.split()) == 1
    # "Roe, Jo <jo@acme.com>" is one name; "Jo Roe, Al Lee <al@acme.com>" are two.
    return len(before.split()) == 1 or ("<" in behind and "," not in before and _is_tail(behind))


def _is_tail(behind: str) -> bool:
    return len(behind.partition("<")[0].split()) == 1
