"""Watching beside other work, begun late so that it costs the start of a program nothing."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.api.library import Library

DELAY_SECONDS = 3.0
STOP_SECONDS = 5.0


class Background:
    """A :class:`~casetrack.api.watch.manager.WatchManager` in a daemon thread of a server.

    Nothing is imported before the delay is over.

    Parameters
    ----------
    library
        The server's library.
    owner
        How the server is called in statuses.
    running
        Holds an event while the thread lives: setting it stops the watching, and the thread takes
        it out when it has ended.
    delay
        Seconds until it begins.
    """

    def __init__(
        self,
        library: Library,
        running: set[threading.Event],
        /,
        *,
        owner: str,
        delay: float = DELAY_SECONDS,
    ) -> None:
        self._library = library
        self._running = running
        self._owner = owner
        self._delay = delay
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="casetrack-watch", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._running.add(self._stop)
        self._thread.start()

    def stop(self, timeout: float = STOP_SECONDS) -> None:
        """End: a running sync stops at its next file. What is not finished by then is not kept."""
        self._stop.set()
        self._thread.join(timeout)

    def _work(self) -> None:
        try:
            if self._stop.wait(self._delay):
                return
            from casetrack.api.watch.manager import WatchManager

            WatchManager(self._library, owner=self._owner, stopping=self._stop).run()
        finally:
            self._running.discard(self._stop)
