"""How long the window takes to pixels: ``python -m bench.window_speed DATA_FOLDER COLLECTION``.

A real browser opens the first page, a search, a page of the longest document and the list of
documents of a collection that is there already, several times each. Printed are the medians, in
milliseconds from the click: until the answer is there, until the first words are painted, and until
everything is drawn, pictures of pages with it. The first round of each is told apart.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import tempfile
from pathlib import Path
from urllib.parse import quote

from bench.window_tasks import served
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from headless import Browser, chromium

_TIMES = """(() => {
  const all = performance.getEntriesByType("navigation")[0];
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return [all.responseEnd, paint ? paint.startTime : all.domComplete, all.loadEventEnd];
})()"""
_DRAWN = """new Promise(done => { const look = () => {
  const parts = [...document.images];
  parts.every(i => i.complete) && performance.getEntriesByType("navigation")[0].loadEventEnd
    ? done(performance.now()) : setTimeout(look, 10); }; look(); })"""


def main() -> None:
    """Open pages, and print how long each took."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("collection")
    parser.add_argument("--question", action="append", default=[])
    parser.add_argument("--times", type=int, default=15)
    asked = parser.parse_args()
    program = chromium()
    if program is None:
        raise SystemExit("No Chromium was found. Install it, or name one in CHROME.")
    collection = Library(load_settings(asked.data)).get(asked.collection)
    longest = max(collection.documents(), key=lambda document: document.page_count)
    place = f"/c/{quote(asked.collection, safe='')}"
    questions = asked.question or ["termination for convenience", "who is liable"]
    paths = {
        "first page": ["/"],
        "search": [f"{place}/search?q={quote(each)}" for each in questions],
        f"page of {longest.page_count} pages": [
            f"{place}/document/{longest.document_id}?page={1 + n * 7 % longest.page_count}"
            for n in range(asked.times + 1)
        ],
        "documents": [f"{place}/documents"],
    }
    stats = collection.stats()
    print(f"{stats.document_count:,} documents, {stats.chunk_count:,} passages; milliseconds")
    print("| page | first | answer | painted | drawn |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        address = stack.enter_context(served(asked.data))
        browser = Browser(program, Path(folder) / "profile")
        stack.callback(browser.close)
        browser.show(address)
        root = address.partition("/?")[0]
        for name, several in paths.items():
            rounds = []
            for nth in range(asked.times + 1):
                browser.show(root + several[nth % len(several)], width=1440, height=900)
                drawn = float(browser.js(_DRAWN))
                rounds.append([*map(float, browser.js(_TIMES)), drawn])
            later = [statistics.median(r[i] for r in rounds[1:]) for i in (0, 1, 3)]
            told = " | ".join(f"{value:.0f}" for value in (rounds[0][3], *later))
            print(f"| {name} | {told} |", flush=True)


if __name__ == "__main__":
    main()
