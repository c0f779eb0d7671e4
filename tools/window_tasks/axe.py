"""Check every page of the window with axe-core: three widths, light and dark, each language.

axe-core is not part of this repository: ``npm install axe-core`` in another folder, and give the
path of its ``axe.min.js``. Without ``--home``, the sample files are read into a new data folder.
Prints each finding once; the exit code is 1 if there are any.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.faces.window.pages.operations import reading
from casetrack.faces.window.texts import LANGUAGES
from window_tasks.opened import opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.api.collection import Collection
    from headless import Browser

_SAMPLES = Path(__file__).resolve().parents[2] / "data-samples" / "files"
_WIDTHS = (1440, 820, 390)
_LIBRARY = ("/", "/settings", "/jobs", "/no/such/page")
_PARTS = (
    *("", "search", "documents", "map", "timeline", "people", "people?kind=organization"),
    *("people?kind=concept", "people?kind=amount", "people?kind=date", "graph", "references"),
    *("correspondence", "likely-same", "topics", "related", "compare", "corrections", "ask"),
    *("kept", "sql", "health", "add"),
    *("choose", "folders", "manage", "snapshots", "briefing"),
)
_RUN = """axe.run(document, {resultTypes: ['violations']}).then(r => r.violations.map(v =>
    [v.id, v.nodes.length, v.nodes[0].html.slice(0, 160), v.nodes[0].failureSummary.slice(0, 300)]
))"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the pages; return 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="python -m window_tasks.axe", description=__doc__)
    parser.add_argument("axe", type=Path, help="axe.min.js of axe-core")
    parser.add_argument("--home", type=Path, help="data folder; its first collection is shown")
    parser.add_argument("--widths", type=int, nargs="*", default=_WIDTHS)
    parser.add_argument("--languages", nargs="*", default=list(LANGUAGES))
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        home = asked.home or Path(name) / "home"
        os.environ["CASETRACK_HOME"] = str(home)
        library = Library(load_settings())
        if not library.collections():
            library.create("Samples").ingest([_SAMPLES], progress=False)
        pages = [*_LIBRARY, *_addresses(library.get(library.collections()[0].id))]
        with opened(home, Path(name) / "profile") as (browser, address, _):
            browser.call("Page.setBypassCSP", enabled=True)
            browser.show(address)
            root = "{0.scheme}://{0.netloc}".format(urlsplit(address))
            found: dict[tuple[str, str], int] = {}
            ways = list(itertools.product(asked.widths, (False, True), asked.languages))
            for width, dark, language in ways:
                browser.call(
                    "Network.setCookie", name="casetrack_language", value=language, url=root
                )
                for page in pages:
                    browser.show(root + page, width=width, height=900, dark=dark)
                    for rule, count, *facts in _findings(browser, asked.axe.read_text("utf-8")):
                        if (rule, page) not in found:
                            print(rule, page, width, "dark" if dark else "light", language, *facts)
                        found[rule, page] = found.get((rule, page), 0) + int(count)
                print(f"{width} {'dark' if dark else 'light'} {language}", flush=True)
    print(f"{sum(found.values())} findings, {len(pages)} pages, {len(ways)} ways")
    return int(bool(found))


def _findings(browser: Browser, axe: str) -> list[list[str | int]]:
    """Return rule, count, element and reason of each finding on a page."""
    browser.js(axe + ";0")
    found: list[list[str | int]] = browser.js(_RUN)
    over = browser.js("document.documentElement.scrollWidth - innerWidth")
    return [*found, *([["wider-than-the-screen", 1, f"{over} pixels", ""]] if over > 0 else [])]


def _addresses(collection: Collection) -> Iterator[str]:
    """Yield the addresses of a collection: its parts, one document of each format, and more."""
    start = f"/c/{quote(collection.name, safe='')}"
    yield from (f"{start}/{part}".rstrip("/") for part in _PARTS)
    yield from (f"{start}/ask/{quote(name)}" for name in reading())
    for words in ("Who may terminate the agreement?", "Which hospital in Nairobi treats malaria?"):
        yield f"{start}/search?q={quote(words)}"
    statement = "SELECT document_name, count(*) AS passages FROM chunks GROUP BY ALL"
    yield f"{start}/sql?q={quote(statement)}"
    formats = {document.format: document for document in collection.documents()}
    documents = [document.document_id for document in formats.values()]
    yield from (f"{start}/document/{each}" for each in documents)
    yield f"{start}/document/{documents[0]}?as=text&beside={documents[-1]}"
    yield f"{start}/compare?before={documents[0]}&after={documents[-1]}"
    yield f"{start}/related?document={documents[0]}"
    for result in collection.search("agreement", limit=2):
        yield f"{start}/passage/{result.chunk_id}?q=agreement"
    for actor in collection.map.summary().key_actors[:2]:
        yield f"{start}/people/{actor.entity.entity_id}"
    for cited in collection.map.references(limit=1):
        yield f"{start}/references/{cited.reference_id}"


if __name__ == "__main__":
    sys.exit(main())
