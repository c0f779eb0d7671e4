"""Targets of links that their text does not show, and links that show another host."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import ClassVar

MISLEADING = "Link shown as"
"""Begins the line of a link that shows the address of another host."""
_ADDRESS = re.compile(r"(?:https?://)?((?:[\w-]+\.)+[A-Za-z]{2,})(?::\d+)?(?:[/?#]\S*)?")
_SCHEME = re.compile(r"(?:[a-z][a-z\d+.-]*:)?//(?:www\.)?|(?!\d)[\w+.-]+:", re.IGNORECASE)
_NO_TARGET = re.compile(r"(?:about|blob|cid|data|javascript|vbscript):|#|\Z", re.IGNORECASE)
_SEARCHED = 1_000
"""Number of targets searched in the text of a mail; more may take minutes."""
_BREAKS = re.compile(r"[\t\n\r]+")
_ADDRESS_STARTS = ("http:", "https:", "www.")
_AROUND = ".,;:()<>[]\"'"
_HOST = re.compile(r"\s*(?:https?:)?//(?:[^/?#@\s]*@)?([^/?#:\s]+)", re.IGNORECASE)


def shown_host(text: str, /) -> str | None:
    """Return the host of a text that is an address, otherwise ``None``."""
    match = _ADDRESS.fullmatch(text)
    return match[1] if match else None


def misleading(shown: str, target: str, /) -> str | None:
    """Return the line about a link that shows the address of another host."""
    host, address = shown_host(shown), _HOST.match(target)
    if host is None or address is None:
        return None
    hosts = [name.lower().removeprefix("www.") for name in (host, address[1])]
    if any(f".{a}".endswith(f".{b}") for a, b in (hosts, hosts[::-1])):
        return None
    return f"{MISLEADING} {shown} leads to {target}"


@dataclass(slots=True)
class LinkTargets:
    """Distinct targets of the links of an HTML text; *remaining* is the number still to be shown.

    *unread* has further and relative targets, *left_out* counts HTML parts that are never
    displayed.
    """

    MOST: ClassVar[int] = 20

    is_part: bool = False
    remaining: int = MOST
    unread: dict[str, None] = field(default_factory=dict)
    left_out: list[Counter[str]] = field(default_factory=list)
    _read: set[str] = field(default_factory=set)

    def line(self, shown: str, target: str, /) -> str | None:
        """Return the line about a link, ``None`` if its text shows the target."""
        target = _BREAKS.sub("", target).strip()
        words = [word.strip(_AROUND) for word in shown.split()]
        addresses = [word for word in words if word.startswith(_ADDRESS_STARTS)]
        warnings = (misleading(text, target) for text in (shown, *addresses))
        if warning := next(filter(None, warnings), None):
            return warning
        if _NO_TARGET.match(target) or _bare(target) in {*map(_bare, words), _bare(shown)}:
            return None
        return self._add(target)

    def unshown_lines(self, text: str, /) -> list[str]:
        """Return the lines of unread targets that *text* does not show."""
        text = "".join(text.split())
        targets, self.unread, self.remaining = self.unread, {}, self.MOST
        lines = []
        for number, target in enumerate(targets):
            words = target.removeprefix("mailto:").replace(" ", "")
            if (number >= _SEARCHED or words not in text) and (line := self._add(target)):
                lines.append(line)
        return lines

    def warnings(self) -> list[str]:
        """Return the warnings that count targets and unseen parts that were not read, if any."""
        count = len(self.unread)
        what = f"Links whose target was not read: {count:,}. Only full addresses are read, up to "
        total = sum(self.left_out, Counter[str]())
        parts = ", ".join(f"{n:,} {part}{'s' * (n > 1)}" for part, n in sorted(total.items()))
        unseen = f"Parts of the HTML that are never displayed were not read: {parts}."
        return [*([f"{what}{self.MOST}."] if count else []), *([unseen] if parts else [])]

    def _add(self, target: str) -> str | None:
        is_full = _SCHEME.match(target) is not None
        if target in self._read or (self.is_part and not is_full):
            return None
        if not (is_full and self.remaining):
            self.unread[target] = None
            return None
        self.remaining -= 1
        self._read.add(target)
        return f"Link: {target}"


def _bare(text: str) -> str:
    return _SCHEME.sub("", "".join(text.split()), count=1).rstrip("/").casefold()
