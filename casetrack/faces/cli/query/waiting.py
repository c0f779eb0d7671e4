"""Tells who waits for a statement that it is still at work."""

from __future__ import annotations

import sys
import time
from typing import Self

from casetrack.faces.cli.output import is_terminal
from casetrack.faces.cli.progress import QUIET_SECONDS


class Waiting:
    """A line on standard error with the seconds that a statement has taken, while it runs.

    It is shown on a terminal only, after :data:`QUIET_SECONDS`, and leaves
    nothing behind.
    """

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._is_terminal = is_terminal(sys.stderr)
        self._shown = ""

    def __enter__(self) -> Self:
        """Begin to count."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        self.clear()

    def tick(self) -> None:
        """Show the time again where a second has passed."""
        taken = time.monotonic() - self._started
        if not self._is_terminal or taken < QUIET_SECONDS:
            return
        text = f"Running for {taken:.0f} s; Ctrl-C stops it."
        if text != self._shown:
            self._shown = text
            self._write(text)

    def clear(self) -> None:
        """Take the line away; the next tick would show it again."""
        if self._shown:
            self._write(" " * len(self._shown))
            self._shown = ""

    def _write(self, text: str) -> None:
        # What anything else writes meanwhile takes the place of the line.
        sys.stderr.write(f"\r{text}\r")
        sys.stderr.flush()
