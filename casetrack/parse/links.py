"""Links that show the address of another host than that of their target."""

from __future__ import annotations

import re

MISLEADING = "Link shown as"
"""Begins the line of a link that shows the address of another host."""
_ADDRESS = re.compile(r"(?:https?://)?((?:[\w-]+\.)+[A-Za-z]{2,})(?::\d+)?(?:[/?#]\S*)?")
_HOST = re.compile(r"\s*(?:https?:)?//(?:[^/?#@\s]*@)?([^/?#:\s]+)", re.IGNORECASE)


def shown_host(text: str, /) -> str | None:
    """Return the host of a text that is an address, ``None`` for all others."""
    found = _ADDRESS.fullmatch(text)
    return found[1] if found else None


def misleading(shown: str, target: str, /) -> str | None:
    """Return the line about a link that shows the address of another host."""
    host, found = shown_host(shown), _HOST.match(target)
    if host is None or found is None:
        return None
    hosts = [name.lower().removeprefix("www.") for name in (host, found[1])]
    if any(f".{a}".endswith(f".{b}") for a, b in (hosts, hosts[::-1])):
        return None
    return f"{MISLEADING} {shown} leads to {target}"
