"""Serving the window until it is ended."""

from __future__ import annotations

import sys
import webbrowser
from typing import TYPE_CHECKING

from casetrack.api.watch.background import Background
from casetrack.base.errors import CannotListen
from casetrack.base.http.address import DEFAULT_HOST, bind, door
from casetrack.base.http.listening import listen
from casetrack.faces.window.app import application
from casetrack.faces.window.entry import KEY, TICKET, issue_ticket, window_key
from casetrack.faces.window.program import Ending, only_one, show
from casetrack.faces.window.work import end_all, is_busy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library
    from casetrack.base.http.address import Address
    from casetrack.faces.window.program import Claim

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
    """Serve the window on this computer until the process is ended.

    Where the window of this data folder is open already and the port is its own, that one is
    shown, and this returns.

    Parameters
    ----------
    library
        The data folder that it shows.
    port
        Where; 0 takes a free one.
    read_only
        Whether nothing may be changed through it.
    open_it
        Whether it is opened in the browser.
    as_program
        Whether it is a program of the desktop: in a browser window of its own, on another port
        where that one is taken, and ended with that window.

    Raises
    ------
    CannotListen
        Another program has the port, or it is not allowed.
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
        sys.stderr.write(f"The window is open at:\n  {address.url}/?{KEY}={key}\nCtrl-C ends it.\n")
        sys.stderr.flush()
        if not open_it:
            return
        ticket = f"{address.url}/?{TICKET}={issue_ticket(data_dir)}"
        if as_program:
            show(ticket, ending)
        else:
            webbrowser.open(ticket)

    app = application(library, door(address, (), None), key, read_only=read_only)
    watcher = Background(library, set(), owner="the window")
    if not read_only:
        watcher.start()
    try:
        if as_program:
            listen(
                ending.around(app), address, announce, ends=lambda: ending.is_due(busy=is_busy())
            )
        else:
            listen(app, address, announce)
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
    sys.stderr.write(f"The window is open already at:\n  {url}/?{KEY}={window_key(data_dir)}\n")
    if open_it:
        view(f"{url}/?{TICKET}={issue_ticket(data_dir)}")
    return True
