"""The two clocks of watching; tests replace them."""

from __future__ import annotations

import time
from datetime import UTC, datetime


class Clock:
    """Wall clock and monotonic clock.

    Attributes
    ----------
    wall
        Returns seconds since 1970 (UTC); it continues in the machine's sleep, and can jump.
    monotonic
        Returns seconds that never go back, from an arbitrary zero.
    """

    wall = staticmethod(time.time)
    monotonic = staticmethod(time.monotonic)


def moment(wall: float, /) -> datetime:
    """Return a wall clock's seconds as a moment in UTC, to the millisecond."""
    return datetime.fromtimestamp(round(wall, 3), UTC)
