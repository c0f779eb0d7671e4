"""One comparison of every watched folder, without watching."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.api.watch.clock import SystemClock, moment
from casetrack.api.watch.statuses import CollectionSync, Statuses, counts_of
from casetrack.api.watch.watched_folder import SyncTask
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterator

    from casetrack.api.library import Library
    from casetrack.api.watch.statuses import Report, Sync
    from casetrack.api.watch.watch_list import WatchList
    from casetrack.base.records.watches import Watch


def compare_all(
    library: Library,
    watch_list: WatchList,
    cancel: threading.Event,
    /,
    *,
    sync: Sync | None = None,
    begins: Callable[[Watch], None] = lambda _watch: None,
) -> Iterator[tuple[Watch, SyncTask, Report | Exception]]:
    """Compare every watched folder that is not paused with its collection, one after the other.

    Also those that are only compared when asked, and those that other programs watch: these leave
    the collection alone meanwhile.

    Parameters
    ----------
    cancel
        Set it to stop at the next file.
    sync
        What compares; the real sync by default.
    begins
        Told of each folder before its comparison.

    Yields
    ------
    tuple
        The watch, what was done, and its report or why there is none.
    """
    work, clock, statuses = (
        sync or CollectionSync(library),
        SystemClock(),
        Statuses(watch_list.data_dir),
    )
    for watch in watch_list.watches():
        if cancel.is_set():
            return
        if not watch.enabled:
            continue
        begins(watch)
        task = SyncTask(watch, None, clock.wall(), clock.monotonic(), cancel)
        outcome: Report | Exception
        with ExitStack() as stack:
            # Nobody else watches it: then its status is for us to write.
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
