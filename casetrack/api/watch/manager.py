"""All watched folders of a data folder, kept in sync in the background."""

from __future__ import annotations

import logging
import os
import queue
import threading
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.watch.changes import Clock, FileState, OsNotifier, file_state, moment
from casetrack.api.watch.idle_upkeep import IdleUpkeep
from casetrack.api.watch.statuses import CollectionSync, Statuses, counts_of
from casetrack.api.watch.watch_list import WatchList
from casetrack.api.watch.watched_folder import SyncTask, WatchContext, WatchedFolder
from casetrack.base.dataclass import dataclass, replace
from casetrack.base.errors import CaseTrackError, CollectionDamaged, FutureSchema
from casetrack.store.info import read_info
from casetrack.store.lock import try_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import tzinfo

    from casetrack.api.library import Library
    from casetrack.base.files import Stamp
    from casetrack.base.records.sync import SyncReport, Watch


logger = logging.getLogger("casetrack.watch")
repairs = logging.getLogger("casetrack.repairs")

STEP_SECONDS = 1.0
WORKING_SECONDS = 0.5
LIST_SECONDS = 2.0
"""Seconds between reads of the list of watches while no folder is watched."""
COLLECTIONS_SECONDS = 10.0
"""Seconds between checks of the open collections; one that is missing twice was deleted."""
FAILURE_SECONDS = 5.0


def in_thread(work: Callable[[], None], /) -> None:
    """Run *work* in a daemon thread."""
    threading.Thread(target=work, name="casetrack-watch-work", daemon=True).start()


class WatchManager:
    """Keeps the watched folders of a data folder in sync, one after the other.

    Several programs can run one for the same data folder: each folder is watched by one of them,
    and by another one when that ends.

    Parameters
    ----------
    sync
        Updates the collection of a folder.
    clock, notifier, state_of, zone, run
        Replaced in tests. *run* runs blocking work, at most one piece at a time.
    owner
        Name of this program in statuses.
    on_sync
        Called after every sync, in the thread of :meth:`step`.
    stopping
        Set it to stop, as :meth:`stop` does.
    """

    def __init__(
        self,
        library: Library,
        watch_list: WatchList | None = None,
        /,
        *,
        sync: CollectionSync | None = None,
        clock: Clock | None = None,
        notifier: OsNotifier | None = None,
        state_of: Callable[[str], FileState] = file_state,
        zone: tzinfo | None = None,
        run: Callable[[Callable[[], None]], None] = in_thread,
        owner: str = "casetrack",
        on_sync: Callable[[Watch, SyncTask, SyncReport | Exception], None] | None = None,
        stopping: threading.Event | None = None,
    ) -> None:
        home = library.settings.data_dir
        self.stopping = stopping or threading.Event()
        self._collections_dir = library.settings.collections_dir
        self._watch_list = watch_list or WatchList(home)
        self._statuses = Statuses(home)
        self._sync = sync or CollectionSync(library)
        self._clock = clock or Clock()
        self._notifier = notifier or OsNotifier(self._statuses.home)
        self._context = WatchContext(
            statuses=self._statuses,
            clock=self._clock,
            notifier=self._notifier,
            owner=f"{owner} (process {os.getpid()})",
            outside=str(home),
            zone=zone,
            state_of=state_of,
        )
        self._run = run
        self._on_sync = on_sync
        self._quiet = IdleUpkeep(library, self._clock)
        self._folders: dict[str, WatchedFolder] = {}
        self._turn: list[str] = []
        self._stamp: Stamp | None = None
        self._collections_at = 0.0
        self._gone: set[str] = set()
        self._idle = threading.Event()
        self._idle.set()
        self._ended: queue.SimpleQueue[tuple[WatchedFolder, SyncTask, SyncReport | Exception]] = (
            queue.SimpleQueue()
        )
        self._thread: threading.Thread | None = None

    # --- in the background ----------------------------------------------------------------

    def start(self) -> None:
        """Start in a new thread."""
        self._thread = threading.Thread(target=self.run, name="casetrack-watch", daemon=True)
        self._thread.start()

    def stop(self, timeout: float = 30.0) -> None:
        """Stop: a running sync ends at its next file without a commit; *timeout* is in seconds."""
        self.stopping.set()
        if self._thread is not None:
            self._thread.join(timeout)

    def run(self) -> None:
        """Watch until :attr:`stopping` is set, then release the folders to other programs."""
        try:
            while True:
                if self.stopping.wait(self._careful_step()):
                    return
        finally:
            self.close()

    def _careful_step(self) -> float:
        try:
            return self.step()
        except CaseTrackError as error:
            logger.warning("Watching continues in a moment: %s", error.message)
        except Exception:
            # An error of any kind must not stop the other folders or the next steps.
            logger.exception("Watching stumbled")
        return FAILURE_SECONDS

    def close(self) -> None:
        """Stop and wait for running work, and release all folders."""
        for folder in self._folders.values():
            folder.cancel()
        self._idle.wait()
        self._collect()
        for folder in self._folders.values():
            folder.release()
        self._folders.clear()
        self._stamp = None
        self._notifier.stop()

    # --- one step -------------------------------------------------------------------------

    def step(self) -> float:
        """Do the due work, and return the seconds until the next step.

        Raises ``CaseTrackError`` if the list of watches or a lock cannot be used.
        """
        self._collect()
        self._read_watch_list()
        self._check_collections()
        if self._notifier.lost():
            logger.warning(
                "The system lost notifications of changed files; all folders are compared."
            )
            for folder in self._folders.values():
                folder.compare()
        for folder in self._folders.values():
            folder.step(busy=not self._idle.is_set())
        if self._idle.is_set() and not self.stopping.is_set():
            self._begin()
        return self._pause()

    def sizes(self) -> dict[str, int]:
        """Return the sizes of all growing data structures, for tests."""
        return {
            "folders": len(self._folders),
            "paths": sum(k.size for k in self._folders.values()),
            "gone": len(self._gone),
            "turn": len(self._turn),
            "ended": self._ended.qsize(),
        }

    def _pause(self) -> float:
        if not self._folders:
            return LIST_SECONDS
        has_work = any(k.has_work for k in self._folders.values())
        return WORKING_SECONDS if has_work else STEP_SECONDS

    def _read_watch_list(self) -> None:
        stamp = self._watch_list.stamp()
        if stamp == self._stamp and (stamp is not None or not self._folders):
            return
        watches = {watch.id: watch for watch in self._watch_list.watches()}
        for watch_id in [i for i in self._folders if i not in watches]:
            self._folders.pop(watch_id).release()
            self._statuses.forget(watch_id)
        for watch_id, watch in watches.items():
            folder = self._folders.get(watch_id)
            if folder is None:
                self._folders[watch_id] = WatchedFolder(watch, self._context)
            elif folder.watch.folder != watch.folder:  # edited by a user
                folder.release()
                self._folders[watch_id] = WatchedFolder(watch, self._context)
            elif folder.watch != watch:
                folder.change(watch)
        self._turn = list(self._folders)
        self._stamp = stamp

    def _check_collections(self) -> None:
        now = self._clock.monotonic()
        if now < self._collections_at or not self._folders:
            return
        self._collections_at = now + COLLECTIONS_SECONDS
        if not self._collections_dir.is_dir():
            return  # a missing disk deletes nothing
        gone = set()
        for folder in self._folders.values():
            collection_id = folder.watch.collection_id
            home = self._collections_dir / collection_id
            if home.is_dir():
                folder.resting = _is_read_only(home)
            else:
                gone.add(collection_id)
        self._drop(gone & self._gone)
        self._gone = gone

    def _drop(self, collection_ids: set[str]) -> None:
        if not collection_ids:
            return
        watches = [folder.watch for folder in self._folders.values()]
        doomed = {watch.id for watch in watches if watch.collection_id in collection_ids}
        for watch in self._watch_list.remove(doomed):
            repairs.warning(
                "The folder %s is not watched any more: its collection was deleted.", watch.folder
            )
        self._read_watch_list()

    def _begin(self) -> None:
        for watch_id in tuple(self._turn):
            folder = self._folders[watch_id]
            task = folder.next_task()
            if task is not None:
                # A folder that had a turn is last in the next round.
                self._turn.remove(watch_id)
                self._turn.append(watch_id)
                self._start(partial(self._do, folder, task))
                self._collect()
                return
        collection_id = self._quiet.due()
        if collection_id is not None:
            self._start(partial(self._quiet.run, collection_id, self.stopping))

    def _start(self, work: Callable[[], None]) -> None:
        self._idle.clear()

        def guarded() -> None:
            try:
                work()
            except Exception:
                logger.exception("Work in the background failed")
            finally:
                self._idle.set()

        try:
            self._run(guarded)
        except BaseException:
            self._idle.set()
            raise

    def _do(self, folder: WatchedFolder, task: SyncTask) -> None:
        outcome: SyncReport | Exception
        try:
            only = None if task.paths is None else tuple(map(Path, task.paths))
            outcome = self._sync(task.watch, only, task.cancel)
        except Exception as error:  # noqa: BLE001 - shown in the status, and tried again
            outcome = error
        self._ended.put((folder, task, outcome))

    def _collect(self) -> None:
        while True:
            try:
                folder, task, outcome = self._ended.get_nowait()
            except queue.Empty:
                return
            folder.finished(task, outcome)
            if self._on_sync is not None:
                self._on_sync(task.watch, task, outcome)


def _is_read_only(folder: Path) -> bool:
    try:
        return read_info(folder).status != "active"
    except (CollectionDamaged, FutureSchema):
        return False  # the sync reports the reason


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


@dataclass(eq=False)
class Background:
    """A :class:`~casetrack.api.watch.manager.WatchManager` in a daemon thread of a server.

    Nothing is imported before *delay* seconds are over. *owner* is the server's name in statuses.
    *running* contains an event while the thread runs; setting it stops the watching.
    """

    library: Library
    running: set[threading.Event]
    owner: str
    delay: float = DELAY_SECONDS

    def __post_init__(self) -> None:
        """Prepare the thread."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="casetrack-watch", daemon=True)

    def start(self) -> None:
        """Start in the background."""
        self.running.add(self._stop)
        self._thread.start()

    def stop(self, timeout: float = STOP_SECONDS) -> None:
        """Stop: a running sync ends at its next file without a commit."""
        self._stop.set()
        self._thread.join(timeout)

    def _work(self) -> None:
        try:
            if self._stop.wait(self.delay):
                return
            from casetrack.api.watch.manager import WatchManager

            WatchManager(self.library, owner=self.owner, stopping=self._stop).run()
        finally:
            self.running.discard(self._stop)
