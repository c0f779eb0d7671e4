"""Serving the window until it is ended."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
import threading
import time
import tomllib
import webbrowser
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import filelock
import platformdirs

from casetrack.api.watch.manager import Background
from casetrack.base.errors import CannotListen
from casetrack.base.files import private_folder, write_atomic
from casetrack.base.http.address import DEFAULT_HOST, access, bind
from casetrack.base.http.listening import listen
from casetrack.faces.window.app import application
from casetrack.faces.window.entry import KEY, TICKET, issue_ticket, window_key
from casetrack.faces.window.work import end_all, is_busy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from starlette.types import ASGIApp, Receive, Scope, Send

    from casetrack.api.library import Library
    from casetrack.base.http.address import Address

# The window as a desktop program: one for each data folder, in a separate browser window. A second
# start opens another view of the first one and exits. If a browser can show one page as an
# application, closing its window stops the program; otherwise the page opens in the default
# browser, and the program stops after hours without a request.

_LOCK_FILE, _PLACE_FILE = "window.lock", "window.json"
_IDLE_SECONDS = 8 * 3600.0
_AT_ONCE = 4.0
"""A browser that exits within so many seconds has failed, or another process shows the page."""


@contextlib.contextmanager
def only_one(data_dir: Path, /) -> Iterator[Claim]:
    """Claim the window of a data folder for this process while the block runs.

    The system's lock is released when a process ends.
    """
    private_folder(data_dir)
    lock = filelock.FileLock(data_dir / _LOCK_FILE, fallback_to_soft=False)
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout:
        yield Claim(data_dir, mine=False)
        return
    try:
        yield Claim(data_dir, mine=True)
    finally:
        (data_dir / _PLACE_FILE).unlink(missing_ok=True)
        lock.release()


@dataclass(frozen=True, slots=True)
class Claim:
    """The claim of a data folder's window; *mine* means that no other process serves it."""

    data_dir: Path
    mine: bool

    def say(self, url: str, /) -> None:
        """Store the address of the window for later starts."""
        write_atomic(self.data_dir / _PLACE_FILE, json.dumps({"url": url}).encode(), durable=False)

    def place(self, *, patience: float = 10.0) -> str | None:
        """Return the address of the other process's window, after waiting for it."""
        end = time.monotonic() + patience
        while True:
            with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
                return str(json.loads((self.data_dir / _PLACE_FILE).read_bytes())["url"])
            if time.monotonic() > end:
                return None
            time.sleep(0.1)


@dataclass(slots=True)
class Ending:
    """The conditions that stop the program.

    Attributes
    ----------
    seen
        Time of the last request, by the monotonic clock.
    closed
        Whether the browser window was closed.
    watched
        Whether the end of a browser window is watched.
    """

    seen: float = field(default_factory=time.monotonic)
    closed: bool = False
    watched: bool = False

    def is_due(self, *, busy: bool) -> bool:
        """Return whether to stop now; never during long work."""
        if busy:
            self.seen = time.monotonic()
            return False
        idle = not self.watched and time.monotonic() - self.seen > _IDLE_SECONDS
        return self.closed or idle

    def around(self, app: ASGIApp, /) -> ASGIApp:
        """Return *app*, noting each request."""

        async def noted(scope: Scope, receive: Receive, send: Send) -> None:
            self.seen = time.monotonic()
            await app(scope, receive, send)

        return noted


def find_browser(system: str = sys.platform, /) -> str | None:
    """Return a browser that can show one page as an application, or ``None``."""
    known = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return next(filter(None, map(shutil.which, known.get(system, ()))), None)


def show(url: str, ending: Ending | None = None, /) -> None:
    """Show a page as an application if a browser supports that, else in the default browser.

    *url* contains a ticket; *ending* is informed when the browser window is closed.
    """
    browser = find_browser()
    if browser is None:
        webbrowser.open(url)
        return
    profile = Path(platformdirs.user_cache_dir("casetrack")) / "browser"
    command = [browser, f"--app={url}", f"--user-data-dir={profile}"]
    command += ["--no-first-run", "--no-default-browser-check"]
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
    except OSError:
        webbrowser.open(url)
        return
    if ending is not None:
        # On macOS a browser goes on without a window.
        ending.watched = sys.platform != "darwin"
    watch = threading.Thread(target=_watch, args=(process, url, ending), daemon=True)
    watch.start()
    if ending is None:
        watch.join(
            _AT_ONCE
        )  # No other code waits for the browser, so its failure must be noticed here.


def _watch(process: subprocess.Popen[bytes], url: str, ending: Ending | None) -> None:
    began = time.monotonic()
    code = process.wait()
    if time.monotonic() - began < _AT_ONCE:
        if ending is not None:
            ending.watched = False
        if code != 0:
            webbrowser.open(url)
    elif ending is not None:
        ending.closed = True


DEFAULT_PORT = 8766


def serve_window(
    library: Library,
    /,
    *,
    port: int = DEFAULT_PORT,
    read_only: bool = False,
    open_it: bool = True,
    as_program: bool = False,
) -> None:
    """Serve the window on this computer until the process is stopped.

    If the window of this data folder is already open, and the port is free or its own, that window
    is shown, and this function returns.

    Parameters
    ----------
    port
        0 selects a free one.
    read_only
        Whether changes are forbidden.
    open_it
        Whether to open it in the browser.
    as_program
        Whether it is a desktop program: in a separate browser window, on another port if the port
        is in use, and stopped with that window.
    """
    data_dir = library.settings.data_dir
    with only_one(data_dir) as claim:
        if as_program and not claim.mine and _shown_elsewhere(claim, data_dir, open_it, show):
            return
        try:
            address = bind(DEFAULT_HOST, port, token=None)
        except CannotListen:
            if as_program:
                address = bind(DEFAULT_HOST, 0, token=None)
            elif claim.mine or not _shown_elsewhere(claim, data_dir, open_it, webbrowser.open):
                raise
            else:
                return
        _serve(library, claim, address, read_only, open_it, as_program)


def _serve(
    library: Library,
    claim: Claim,
    address: Address,
    read_only: bool,
    open_it: bool,
    as_program: bool,
) -> None:
    data_dir, ending = library.settings.data_dir, Ending()
    key = window_key(data_dir)

    def announce() -> None:
        if claim.mine:
            claim.say(address.url)
        sys.stderr.write(
            f"The window is open at:\n  {address.url}/?{KEY}={key}\nCtrl-C stops it.\n"
        )
        sys.stderr.flush()
        if not open_it:
            return
        ticket = f"{address.url}/?{TICKET}={issue_ticket(data_dir)}"
        if as_program:
            show(ticket, ending)
        else:
            webbrowser.open(ticket)

    app = application(library, access(address, (), None), key, read_only=read_only)
    watcher = Background(library, set(), owner="the window")
    if not read_only:
        watcher.start()
    try:
        ends = lambda: as_program and ending.is_due(busy=is_busy())  # noqa: E731
        listen(ending.around(app), address, announce, ends=ends)
    finally:
        if not read_only:
            watcher.stop()
        end_all()


def _shown_elsewhere(
    claim: Claim, data_dir: Path, open_it: bool, view: Callable[[str], object]
) -> bool:
    """Show the window that another process serves; return whether there is one."""
    url = claim.place()
    if url is None:
        return False
    sys.stderr.write(f"The window is already open at:\n  {url}/?{KEY}={window_key(data_dir)}\n")
    if open_it:
        view(f"{url}/?{TICKET}={issue_ticket(data_dir)}")
    return True
