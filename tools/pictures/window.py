"""The pictures of ``docs/window.md``: the window as a first-time user sees it, served for real."""

from __future__ import annotations

import functools
import subprocess
import sys
from typing import TYPE_CHECKING
from urllib.parse import quote

from pictures.browser import View, photograph, small_png

if TYPE_CHECKING:
    from collections.abc import Callable

    from pictures.studio import Studio

QUESTION = "Who is liable for the spoiled goods?"
_DRAWN = """new Promise(done => { const look = () => {
  const page = document.querySelector("#preview .frame img");
  page && page.complete && page.naturalWidth ? done() : setTimeout(look, 100); }; look(); })"""
VIEWS = {
    "search": (f"/c/Demo/search?q={quote(QUESTION)}", View(1440, 900, first=_DRAWN)),
    "phone": (f"/c/Demo/search?q={quote(QUESTION)}", View(390, 844, scale=2.0)),
    "documents": ("/c/Demo/documents", View(1440, 900, dark=True)),
    "timeline": ("/c/Demo/timeline", View(1440, 900)),
    "people": ("/c/Demo/people?kind=organization", View(1440, 900)),
    "sql": (
        "/c/Demo/sql?q="
        + quote(
            "SELECT document_type, count(*) AS documents\n"
            "FROM documents\nGROUP BY ALL\nORDER BY documents DESC"
        ),
        View(1100, 800, first="document.querySelector('.chart').open = true"),
    ),
}
"""By the name of the picture: the address, and how it is looked at."""


@functools.cache
def _key(studio: Studio) -> str:
    """Serve the window until the studio closes; return its address with the key."""
    served = subprocess.Popen(
        [sys.executable, "-m", "casetrack", "browse", "--no-open", "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
    )
    studio.closing.callback(served.wait)
    studio.closing.callback(served.terminate)
    assert served.stderr is not None
    for line in served.stderr:
        if line.strip().startswith("http"):
            return line.strip()
    raise SystemExit("The window did not start.")


def _seen(path: str, view: View, studio: Studio) -> bytes:
    address = _key(studio)
    studio.browser.show(address)  # the key becomes a cookie
    page = address.partition("/?")[0] + path
    studio.browser.show(page)  # the first run in a process is not representative
    return small_png(photograph(studio.browser, page, view))


PICTURES: dict[str, Callable[[Studio], bytes]] = {
    f"window/{name}.png": functools.partial(_seen, path, view)
    for name, (path, view) in VIEWS.items()
}
