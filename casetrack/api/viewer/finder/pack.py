"""Packs what a page searches: small to send, quick to open, and without a sign of markup.

Each part is zlib in base64, which no text of a document can end:

- ``facts``: JSON: the documents, the passages but for their texts, the terms in order.
- ``postings``: little-endian arrays, one after the other, of all terms in their order: per posting
  the distance of its passage to the one before (of the first: its number), 4 bytes; then how often
  the term stands there, 2 bytes.
- ``texts``: JSON lists of :data:`BLOCK` texts, each packed by itself and opened when it is shown.
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

from casetrack.api.viewer.markup import printable
from casetrack.base.provenance import iso_utc
from casetrack.ingest.steps.spelling import RULES
from casetrack.ingest.steps.words import STOP_WORDS, stems_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from casetrack.api.viewer.finder.gather import Found, Gathered

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
