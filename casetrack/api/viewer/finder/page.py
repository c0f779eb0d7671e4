"""Puts the page together: a field, what is found, and the packed collection."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.viewer.finder.gather import gather
from casetrack.api.viewer.finder.pack import pack
from casetrack.api.viewer.graph_figure import counted
from casetrack.api.viewer.markup import esc
from casetrack.api.viewer.sheet import sheet
from casetrack.base.provenance import iso_utc
from casetrack.search.lexical import K1, B

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from casetrack.api.viewer.finder.gather import Gathered, Link
    from casetrack.store.workspace import State

_HERE = Path(__file__).parent
_SCRIPTS = ("words.js", "finder.js")


def finder_html(
    state: State,
    /,
    *,
    name: str | None = None,
    link: Link | None = None,
    made: datetime | None = None,
) -> str:
    """Return a page of HTML that searches a collection by words and loads nothing.

    Words and ranking are those of a search in mode ``keyword``: the same terms, BM25 over the
    passages, the best passage of each document; of equal documents the newer one comes first.

    Parameters
    ----------
    name
        What the page is called; by default as the collection.
    link
        Returns the address that opens a document at a place; by default the document's own.
    made
        What stands in it as the time it was made; now where it is not given.

    Raises
    ------
    CollectionDamaged
        What is stored cannot be read.
    """
    return finder_page(gather(state, name=name, link=link, made=made))


def finder_page(gathered: Gathered, /) -> str:
    """Return the page that holds *gathered*."""
    head = f"'use strict';\nconst K1 = {K1}, B = {B};\n"
    script = head + "".join((_HERE / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    return sheet(
        "search",
        f"Search {gathered.name}",
        _body(gathered),
        style=(_HERE / "finder.css").read_text(encoding="utf-8"),
        script=script,
    )


def _body(gathered: Gathered) -> Iterator[str]:
    documents = len(gathered.documents)
    passages = sum(len(d.passages) for d in gathered.documents)
    yield '<header class="top"><div class="inner">\n<p class="eyebrow">'
    yield f"{counted(documents, 'document')}, {counted(passages, 'passage')}, as of "
    yield f'<time datetime="{iso_utc(gathered.made)}">{gathered.made:%d %B %Y}</time></p>\n'
    yield f"<h1><bdi>{esc(gathered.name)}</bdi></h1>\n"
    yield '<search><label class="ask" for="q"><span class="lens" aria-hidden="true"></span>'
    yield '<input id="q" type="search" autocomplete="off" autocapitalize="off" spellcheck="false" '
    yield 'enterkeyhint="search" placeholder="Words to look for" aria-label="Search" autofocus>'
    yield '<kbd aria-hidden="true">/</kbd></label>\n'
    yield '<div id="sources" role="group" aria-label="Sources"></div></search>\n</div></header>\n'
    yield '<main class="inner">\n<p id="told" role="status">Opening \u2026</p>\n'
    yield '<ol id="found"></ol>\n<p id="rest" hidden><button type="button">Show more</button></p>\n'
    yield '<noscript><p class="note">This page searches with a script of its own, which the '
    yield "browser was told not to run.</p></noscript>\n</main>\n"
    for name, part in pack(gathered).items():
        yield f'<script type="application/octet-stream" id="{name}">{part}</script>\n'
