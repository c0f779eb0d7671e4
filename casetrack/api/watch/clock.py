"""The two clocks of watching; tests replace them."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """Wall clock and monotonic clock."""

    def wall(self) -> float:
        """Return seconds since 1970 (UTC); it continues in the machine's sleep, and can jump."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go back, from an arbitrary zero."""
        ...


class SystemClock:
    """The clocks of this machine."""

    def wall(self) -> float:
        """Return :func:`time.time`."""
        return time.time()

    def monotonic(self) -> float:
        """Return :func:`time.monotonic`."""
        return time.monotonic()


def moment(wall: float, /) -> datetime:
    """Return a wall clock's seconds as a moment in UTC, to the millisecond."""
    return datetime.fromtimestamp(round(wall, 3), UTC)
