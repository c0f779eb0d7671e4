"""One comparison of every watched folder, without watching."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.api.watch.clock import Clock, moment
from casetrack.api.watch.statuses import CollectionSync, Statuses, counts_of
from casetrack.api.watch.watched_folder import SyncTask
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.api.library import Library
    from casetrack.api.watch.watch_list import WatchList
    from casetrack.base.records.sync import SyncReport, Watch


def compare_all(
    library: Library, watch_list: WatchList, cancel: threading.Event, /
) -> Iterator[tuple[Watch, SyncTask, SyncReport | Exception]]:
    """Compare every watched folder that is not paused with its collection, one after the other.

    This includes folders with a manual schedule and folders that other programs watch; these wait
    meanwhile. *cancel* stops at the next file. Yield the
    watch, its task, and its report or error.
    """
    work, clock, statuses = CollectionSync(library), Clock(), Statuses(watch_list.data_dir)
    for watch in watch_list.watches():
        if cancel.is_set():
            return
        if not watch.enabled:
            continue
        task = SyncTask(watch, None, clock.wall(), clock.monotonic(), cancel)
        outcome: SyncReport | Exception
        with ExitStack() as stack:
            # If no other program watches it, this one writes its status.
            ours = stack.enter_context(try_lock(statuses.lock_path(watch.id)))
            try:
                outcome = work(watch, None, cancel)
            except Exception as error:  # noqa: BLE001 - handed to the caller, like the reports
                outcome = error
            if ours and not isinstance(outcome, Exception) and not outcome.cancelled:
                status = replace(
                    statuses.stored(watch.id),
                    last_sync_at=moment(clock.wall()),
                    last_full_at=moment(task.began_wall),
                    counts=counts_of(outcome),
                    last_error="",
                    next_step="",
                )
                statuses.write(watch.id, status)
        yield watch, task, outcome


# Watching in the background of a server, with a delay so that the start stays fast.

DELAY_SECONDS = 3.0
STOP_SECONDS = 5.0


class Background:
    """A :class:`~casetrack.api.watch.manager.WatchManager` in a daemon thread of a server.

    Nothing is imported before *delay* seconds are over. *owner* is the server's name in statuses.
    *running* contains an event while the thread runs; setting it stops the watching.
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
        """Start in the background."""
        self._running.add(self._stop)
        self._thread.start()

    def stop(self, timeout: float = STOP_SECONDS) -> None:
        """Stop: a running sync ends at its next file without a commit."""
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
