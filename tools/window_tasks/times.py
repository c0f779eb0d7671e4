"""Time per page of the window, drawn by a headless Chromium, over a data folder's first collection.

Prints for each page the median and the maximum of the clock from the click to the drawn page, and
of the processor time of the server.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED
from window_tasks.opened import opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headless import Browser

_QUESTIONS = (
    *("Who may terminate the agreement?", "notice of termination", "What is the governing law?"),
    *(
        "liability for indirect damages",
        "payment within thirty days",
        "insurance coverage required",
    ),
    *("assignment without consent", "exclusive distributor territory", "renewal term of the lease"),
)
_STATEMENTS = (
    "SELECT document_name, count(*) AS passages FROM chunks GROUP BY ALL ORDER BY passages DESC",
    "SELECT name, kind, mention_count FROM entities ORDER BY mention_count DESC",
)
_PARTS = ("", "documents", "map", "timeline", "people", "references", "topics", "compare", "health")
_DRAWN = "(t => t.loadEventEnd && t.loadEventEnd)(performance.getEntriesByType('navigation')[0])"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m window_tasks.times", description=__doc__)
    parser.add_argument("home", type=Path, help="data folder")
    parser.add_argument("--repeat", type=int, default=5)
    asked = parser.parse_args(arguments)
    os.environ["CASETRACK_HOME"] = str(asked.home)
    library = Library(load_settings(), tier=UNLIMITED)
    collection = library.get(library.collections()[0].id)
    start = f"/c/{quote(collection.name, safe='')}"
    pages = {part or "overview": [f"{start}/{part}".rstrip("/")] * asked.repeat for part in _PARTS}
    pages["search"] = [f"{start}/search?q={quote(q)}" for q in _QUESTIONS]
    found = collection.search("termination", limit=asked.repeat)
    pages["passage"] = [f"{start}/passage/{r.chunk_id}?q=termination" for r in found]
    documents = list(dict.fromkeys(r.provenance.document_id for r in found))
    pages["document"] = [f"{start}/document/{each}" for each in documents]
    for n, sql in enumerate(_STATEMENTS, 1):
        pages[f"SQL {n}"] = [f"{start}/sql?q={quote(sql)}"] * asked.repeat
    with (
        tempfile.TemporaryDirectory() as name,
        opened(asked.home, Path(name) / "profile") as (browser, address, server),
    ):
        browser.show(address)
        root = "{0.scheme}://{0.netloc}".format(urlsplit(address))
        print(f"{collection.stats().chunk_count:,} passages; milliseconds: clock, processor")
        print(f"{'page':10} {'first':>13} {'median':>13} {'maximum':>13}")
        for page, urls in pages.items():
            times = [_measured(browser, root + url, server) for url in urls]
            clock, used = zip(*times[1:] or times, strict=True)
            rows = (times[0], (statistics.median(clock), statistics.median(used)))
            columns = [f"{a:6.0f} {b:6.0f}" for a, b in (*rows, (max(clock), max(used)))]
            print(f"{page:10} {' '.join(columns)}", flush=True)
    return 0


def _measured(browser: Browser, url: str, server: int) -> tuple[float, float]:
    """Return milliseconds from the click to the drawn page, and of the server's processor."""
    before = _processor(server)
    browser.show(url)
    drawn = 0.0
    while not (drawn := browser.js(_DRAWN)):
        time.sleep(0.01)
    return drawn, 1000 * (_processor(server) - before)


def _processor(process: int) -> float:
    """Return the processor time of a process with its ended children, in seconds (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    sys.exit(main())
