"""Puts the page together: a field, what is found, and the packed collection."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.api.viewer.finder.gather import gather
from casetrack.api.viewer.markup import printable
from casetrack.api.viewer.sheet import sheet
from casetrack.api.viewer.templating import rendered
from casetrack.base.provenance import iso_utc
from casetrack.ingest.steps.words import RULES, STOP_WORDS, stems_in
from casetrack.search.scores import K1, B

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from casetrack.api.viewer.finder.gather import Found, Gathered, Link
    from casetrack.store.workspace import State

# Packs what a page searches: small to send, quick to open, and without a sign of markup.

BLOCK = 32
"""Texts that are packed together."""
_MOST = 65_535
"""More often than so a term does not count in one passage."""
_NO_LATIN = "\u0370"
"""From this letter on the page does not work out stems: those of Greek, Cyrillic and so on."""


def pack(gathered: Gathered, /) -> dict[str, str]:
    """Return the parts by name."""
    import numpy as np

    terms = gathered.terms
    codes = terms["term"].combine_chunks().dictionary_encode()
    names = codes.dictionary.to_pylist()
    code, row = codes.indices.to_numpy(), terms["row"].to_numpy()
    order = np.lexsort((row, code))
    row, count = row[order].astype(np.int64), terms["count"].to_numpy()[order]
    frequencies = np.bincount(code, minlength=len(names))
    distance = np.diff(row, prepend=0)
    starts = np.cumsum(frequencies) - frequencies
    distance[starts] = row[starts]
    postings = distance.astype("<u4").tobytes() + np.minimum(count, _MOST).astype("<u2").tobytes()
    return {
        "facts": _packed(_json(_facts(gathered, names, frequencies.tolist()))),
        "postings": _packed(postings),
        "texts": " ".join(_texts(gathered)),
    }


def _facts(gathered: Gathered, names: list[str], frequencies: list[int]) -> dict[str, Any]:
    documents = gathered.documents
    passages = [p for d in documents for p in d.passages]
    labels = sorted({d.label for d in documents})
    headings = list(dict.fromkeys(p.heading for p in passages))
    numbered = {heading: number for number, heading in enumerate(headings)}
    return {
        "documents": [
            {
                "title": printable(d.title),
                "source": labels.index(d.label),
                "id": printable(d.key),
                "url": d.url,
                "updated": iso_utc(d.updated_at),
                "passages": len(d.passages),
            }
            for d in documents
        ],
        "sources": [printable(label) for label in labels],
        "places": [p.place for p in passages],
        "lines": [line for p in passages for line in p.lines],
        "urls": [p.url for p in passages] if _has_own(documents) else None,
        "headings": [printable(heading) for heading in headings],
        "heading": [numbered[p.heading] for p in passages],
        "lengths": [p.length for p in passages],
        "terms": names,
        "frequencies": frequencies,
        "stop": sorted(STOP_WORDS),
        "spellings": [[rule.pattern, other.replace("\\1", "$1")] for rule, other in RULES],
        "forms": _forms(p.text for p in passages),
        "block": BLOCK,
    }


def _has_own(documents: tuple[Found, ...]) -> bool:
    """Say whether a passage has another address than its document."""
    return any(p.url != d.url for d in documents for p in d.passages)


def _texts(gathered: Gathered) -> Iterator[str]:
    texts = [printable(p.text) for d in gathered.documents for p in d.passages]
    for start in range(0, len(texts), BLOCK):
        yield _packed(_json(texts[start : start + BLOCK]))


def _forms(texts: Iterable[str]) -> dict[str, str]:
    """Return the terms of words that the page cannot stem, where they differ from the words."""
    found: dict[str, str] = {}
    for text in texts:
        if not text.isascii():
            found |= stems_in(text)
    return {w: found[w] for w in sorted(found) if w >= _NO_LATIN and w != found[w]}


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data)).decode("ascii")


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
    body = rendered(
        "finder.html",
        _HERE,
        gathered=gathered,
        passages=sum(len(d.passages) for d in gathered.documents),
        moment=iso_utc(gathered.made),
        packed=pack(gathered),
    )
    return sheet(
        "search",
        f"Search {gathered.name}",
        [body],
        style=(_HERE / "finder.css").read_text(encoding="utf-8"),
        script=script,
    )
