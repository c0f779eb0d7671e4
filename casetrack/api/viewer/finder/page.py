"""Builds the search page: a field, the results, and the packed collection."""

from __future__ import annotations

import base64
import json
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.api.viewer.markup import printable
from casetrack.api.viewer.sheet import sheet
from casetrack.api.viewer.templating import rendered
from casetrack.base.provenance import Provenance, iso_utc
from casetrack.base.records.documents import FILES
from casetrack.ingest.steps.words import RULES, STOP_WORDS, TURKISH, stems_in
from casetrack.search.scores import K1, B
from casetrack.store.passages import CITE_COLUMNS, make_provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from casetrack.base.records import Document
    from casetrack.store.workspace import State

    Link = Callable[[Document, Provenance], str | None]

# Collects the content of the page: documents, their passages, and the terms.

_COLUMNS = tuple(
    dict.fromkeys(
        [
            *CITE_COLUMNS,
            *("chunk_index", "text", "heading_path", "terms", "term_counts", "term_total"),
        ]
    )
)
_LINKED = frozenset({"http", "https", "file"})
"""Allowed schemes of links on the page."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage: its text, its place, and its number of terms.

    *place* is the citation without the document's name (``p. 1, para. 2, ll. 10-20``); *lines* are
    the first and last line of the page (from 1) in formats with lines.
    """

    text: str
    place: str
    lines: tuple[int, int]
    heading: str
    url: str | None
    length: int


@dataclass(frozen=True, slots=True)
class FoundDocument:
    """A document and its passages in reading order.

    *label* is that of its source, such as ``git:platform``; *key* is its id in the source.
    """

    title: str
    label: str
    key: str
    url: str | None
    updated_at: datetime
    passages: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Content of the page.

    *documents* are sorted newest first, then by id, which is the order of equal scores. *terms* has
    one row per term and passage, in the order of passages: ``term``, ``row``, ``count``.
    """

    name: str
    made: datetime
    documents: tuple[FoundDocument, ...]
    terms: pa.Table


def gather(
    state: State,
    /,
    *,
    name: str | None = None,
    link: Link | None = None,
    made: datetime | None = None,
) -> Gathered:
    """Return the content of a page for this state.

    The page is called *name*, by default as the collection. *link* returns the address of a place
    in a document, by default the document's own. *made* is the time on the page, by default now.
    Raises ``CollectionDamaged`` if stored data cannot be read.
    """
    snapshot = state.snapshot
    ordered = sorted(snapshot.documents.values(), key=_newest_first)
    table = snapshot.scan(_COLUMNS)
    ranks = pa.array([d.document_id for d in ordered], pa.string())
    table = table.append_column("_rank", pc.index_in(table["document_id"], value_set=ranks))
    table = table.sort_by([("_rank", "ascending"), ("chunk_index", "ascending")]).combine_chunks()
    passages: dict[str, list[Passage]] = {}
    for row in table.drop_columns(["_rank", "terms", "term_counts"]).to_pylist():
        document = snapshot.documents[row["document_id"]]
        place = make_provenance(row, snapshot)
        passages.setdefault(document.document_id, []).append(
            Passage(
                text=row["text"],
                place=place.cite().removeprefix(f"{document.name}, "),
                lines=(place.line_start, place.line_end),
                heading=" \u203a ".join(h.lstrip("# ") for h in place.heading_path),
                url=_safe(link(document, place) if link else document.source_url),
                length=row["term_total"],
            )
        )
    terms = pa.table(
        {
            "term": pc.list_flatten(table["terms"]),
            "row": pc.list_parent_indices(table["terms"]),
            "count": pc.list_flatten(table["term_counts"]),
        }
    )
    documents = tuple(_found(d, tuple(passages.get(d.document_id, ()))) for d in ordered)
    return Gathered(name or state.workspace.name, made or datetime.now(UTC), documents, terms)


def _found(document: Document, passages: tuple[Passage, ...]) -> FoundDocument:
    return FoundDocument(
        title=document.title or document.name,
        label=document.source or FILES,
        key=document.source_id or document.path,
        url=_safe(document.source_url),
        updated_at=document.dated_at,
        passages=passages,
    )


def _safe(url: str | None) -> str | None:
    """Return an address with an allowed scheme, else an empty text."""
    try:
        return url if url and urlsplit(url).scheme.lower() in _LINKED else None
    except ValueError:
        return None


def _newest_first(document: Document) -> tuple[float, str]:
    return -document.dated_at.timestamp(), document.document_id


# Packs the content of a page: small, fast to open, and without characters of markup.

BLOCK = 32
"""Texts that are packed together."""
_MOST = 65_535
"""Maximum count of a term in one passage."""
_NO_LATIN = "\u0370"
"""First letter of the scripts that the page cannot stem: Greek, Cyrillic and so on."""


def pack(gathered: Gathered, /) -> dict[str, str]:
    """Return the parts by name."""
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
        "endings": TURKISH,
        "spellings": [[rule.pattern, other.replace("\\1", "$1")] for rule, other in RULES],
        "forms": _forms(p.text for p in passages),
        "block": BLOCK,
    }


def _has_own(documents: tuple[FoundDocument, ...]) -> bool:
    """Return whether a passage has a different address than its document."""
    return any(p.url != d.url for d in documents for p in d.passages)


def _texts(gathered: Gathered) -> Iterator[str]:
    texts = [printable(p.text) for d in gathered.documents for p in d.passages]
    for start in range(0, len(texts), BLOCK):
        yield _packed(_json(texts[start : start + BLOCK]))


def _forms(texts: Iterable[str]) -> dict[str, str]:
    """Return the terms of words that the page cannot stem, if they differ from the words."""
    stems: dict[str, str] = {}
    for text in texts:
        if not text.isascii():
            stems |= stems_in(text)
    return {w: stems[w] for w in sorted(stems) if w >= _NO_LATIN and w != stems[w]}


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
    """Return a page of HTML that searches a collection by words without external resources.

    Terms and ranking are those of a search in mode ``keyword``: BM25 over the passages, and the
    best passage of each document; of equal documents the newer one is first. Parameters and errors
    are those of :func:`gather`.
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
