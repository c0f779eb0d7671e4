"""What somebody is by office, as a reader of the names wants to know it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.records.graph import Entity

_IN_MAILS = frozenset({"author", "copied in", "recipient", "sender"})
"""What the heads of mails make of people; it changes from one mail to the next."""


def office(entity: Entity, /) -> str:
    """Return what somebody or something is, in words; empty where only mails say something."""
    role = entity.role or ""
    return "" if role.casefold() in _IN_MAILS else role


__all__ = ["office"]
