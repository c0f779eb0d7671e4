"""How long work will still take, from the rate at which it went lately."""

from __future__ import annotations

from collections import deque

WINDOW_SECONDS = 120.0
_LEAST_SECONDS = 2.0
_LEAST_STEPS = 2


class Pace:
    """The rate of one phase of work.

    The rate is that of the last two minutes: files that are known already pass at once, and say
    nothing about those that come after them.
    """

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def restart(self) -> None:
        """Begin a new phase, whose things are other ones."""
        self._seen.clear()

    def note(self, now: float, done: int, /) -> None:
        """Take notice that *done* things are finished at the moment *now*, in seconds."""
        if self._seen and self._seen[-1][1] == done:
            return
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[1][0] > WINDOW_SECONDS:
            self._seen.popleft()

    def remaining(self, now: float, total: int, /) -> float | None:
        """Return the seconds until *total* things are done, or ``None`` while nobody can tell.

        Two things and two seconds are the least from which anything follows.
        """
        if not self._seen:
            return None
        since, before = self._seen[0]
        done = self._seen[-1][1]
        elapsed = now - since
        if total <= 0 or elapsed < _LEAST_SECONDS or done - before < _LEAST_STEPS:
            return None
        return round(max(total - done, 0) * elapsed / (done - before), 1)
