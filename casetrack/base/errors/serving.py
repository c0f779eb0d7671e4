"""Errors about serving programs over a network."""

from __future__ import annotations

from casetrack.base.errors.base import CaseTrackError


class CannotListen(CaseTrackError):
    """The server cannot take connections at an address.

    Parameters
    ----------
    address
        Host and port.
    reason
        What the system says.
    hint
        What to do instead.
    """

    code = "cannot_listen"

    def __init__(self, address: str, reason: str, hint: str) -> None:
        super().__init__(f"Cannot listen on {address}: {reason}.", hint=hint)
