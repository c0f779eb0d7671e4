"""The root of all errors."""

from __future__ import annotations


class CaseTrackError(Exception):
    """Root of all errors that CaseTrack raises on purpose.

    Parameters
    ----------
    message
        What happened and where, one sentence.
    hint
        The next step for the person who reads it; may span lines, may be empty.
    """

    code = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        self.message = message
        self.hint = hint
        super().__init__(f"{message}\n\n{hint}" if hint else message)

    def as_dict(self) -> dict[str, str]:
        """Return ``{"code", "message", "hint"}`` for JSON output."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class UsageError(CaseTrackError):
    """An argument is wrong; nothing was done."""

    code = "usage"
