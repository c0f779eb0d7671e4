"""The tables ``authorities``, ``authority_cites``, ``record_cites`` and ``quotations``.

They are put together from the segments each time, in the order of the documents and of their text,
so that nothing depends on how the segments came about.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.editions.legal.graph.reading import legal_folder
from casetrack.extract.papers.spans import LegalCitation
from casetrack.graph.paper_sources import Sources, one_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from casetrack.base.records import Document
    from casetrack.editions.legal.graph.segment import LegalSegment
    from casetrack.graph.graph import ContextGraph

_ORDER = ("chunk_index", "char_start", "char_end")
_PLACE = ("chunk_id", "chunk_index", "page", "char_start", "char_end", "text")
_SAID = (
    *("name", "form", "pins", "signal", "treatment", "parenthetical", "sentence"),
    *("resolved", "confidence", "note"),
)


def legal_tables(graph: ContextGraph, /) -> LegalTables:
    """Return what the documents cite and quote; only what was not read before is read."""
    return graph.once(_of_all)


def _of_all(graph: ContextGraph) -> LegalTables:
    return tables_of(graph, graph.documents)


def tables_of(graph: ContextGraph, chosen: Sequence[Document], /) -> LegalTables:
    """Return what some of the documents cite and quote."""
    folder = legal_folder(graph.home / "legal", graph.snapshot)
    found = folder.segments(graph.snapshot, only={d.revision for d in chosen})
    return LegalTables(graph.documents, tuple(chosen), tuple(found))


@dataclass(frozen=True)
class LegalTables:
    """What the documents of one state cite and quote.

    Attributes
    ----------
    every
        All documents, in order: what is cited may be one of them.
    documents
        Those that are read, in order.
    segments
        Segments that hold their revisions, and maybe others.
    """

    every: tuple[Document, ...]
    documents: tuple[Document, ...]
    segments: tuple[LegalSegment, ...]
    _known: dict[tuple[Any, ...], Document | None] = field(default_factory=dict, repr=False)

    @cached_property
    def cites(self) -> list[dict[str, Any]]:
        """Every citation in order, with its document.

        What an opinion says at its head of where it is reported cites nothing.
        """
        return [row for row in self._rows("cites") if not self._is_own(row)]

    def _is_own(self, row: dict[str, Any]) -> bool:
        if row["kind"] != "case" or row["form"] != "full":
            return False
        source = self.source(row)
        return source is not None and source.document_id == row["document_id"]

    def _rows(self, name: str) -> list[dict[str, Any]]:
        ranks = {d.revision: rank for rank, d in enumerate(self.documents)}
        taken: dict[str, int] = {}
        rows: list[tuple[tuple[int, ...], dict[str, Any]]] = []
        for number, part in enumerate(self.segments):
            # Two programs may have read one revision at the same moment: one of them counts.
            for revision in part.revisions:
                taken.setdefault(revision, number)
            for at, row in enumerate(part.tables[name].to_pylist()):
                revision = part.revisions[row["revision"]]
                rank = ranks.get(revision)
                if rank is None or taken[revision] != number:
                    continue
                document = self.documents[rank]
                row |= {
                    "document_id": document.document_id,
                    "document_name": document.name,
                    "at": (number, at),
                }
                rows.append(((rank, *(row[n] for n in _ORDER)), row))
        rows.sort(key=lambda pair: pair[0])
        return [row for _, row in rows]

    @cached_property
    def sources(self) -> Sources:
        """What the documents are to those who cite them."""
        return Sources(self.every)

    def source(self, row: dict[str, Any], /) -> Document | None:
        """Return the document that a citation means, where exactly one fits."""
        cited = (row["key"], row["name"], row["year"])
        if cited not in self._known:
            citation = LegalCitation(
                *(0, 0, "", row["kind"], "full", row["key"], row["name"]),
                keys=tuple(row["keys"] or ()),
                year=row["year"],
                resolved=row["resolved"],
            )
            self._known[cited] = one_of(self.sources.sources_of(citation))
        return self._known[cited]

    @cached_property
    def _names(self) -> dict[str, tuple[str, str]]:
        """Return by key the name that most citations of it have, the longest of these; its kind."""
        counted: dict[str, Counter[tuple[str, str]]] = {}
        for row in self.cites:
            if row["resolved"]:
                counted.setdefault(row["key"], Counter())[row["name"], row["kind"]] += 1
        return {
            key: min(names, key=lambda n: (-names[n], -len(n[0]), n))
            for key, names in counted.items()
        }

    def authorities(self) -> pa.Table:
        """Return the table ``authorities``: what is surely cited, most often cited first."""
        groups: dict[str, list[dict[str, Any]]] = {}
        for row in self.cites:
            if row["resolved"] and row["kind"] != "record":
                groups.setdefault(row["key"], []).append(row)
        rows: list[dict[str, Any]] = []
        for key, places in groups.items():
            name, kind = self._names[key]
            sources = (self.source(row) for row in places)
            source = next((found for found in sources if found is not None), None)
            rows.append(
                {
                    "authority_id": key,
                    "kind": kind,
                    "name": name,
                    "parallel_ids": sorted({k for r in places for k in r["keys"] or ()} - {key}),
                    "year": next((r["year"] for r in places if r["year"] is not None), None),
                    "court": next((r["court"] for r in places if r["court"]), None),
                    "citation_count": len(places),
                    "document_count": len({r["document_id"] for r in places}),
                    "treatments": sorted({r["treatment"] for r in places} - {""}),
                    **_source(source),
                }
            )
        rows.sort(key=lambda row: (-row["citation_count"], row["authority_id"]))
        return _declared("authorities", rows)

    def authority_cites(self) -> pa.Table:
        """Return the table ``authority_cites``."""
        rows = (r for r in self.cites if r["kind"] != "record")
        return _declared("authority_cites", [self._cite(r) for r in rows])

    def record_cites(self) -> pa.Table:
        """Return the table ``record_cites``."""
        rows = (r for r in self.cites if r["kind"] == "record")
        return _declared("record_cites", [self._cite(r) for r in rows])

    def _cite(self, row: dict[str, Any]) -> dict[str, Any]:
        source = self.source(row)
        return {
            "authority_id": row["key"] or None,
            "record_id": row["key"] or None,
            "kind": row["kind"],
            "pin": pin_of(row),
            **_source(source),
            **_placed(row),
            **{n: row[n] for n in _SAID},
        }

    def quotations(self) -> pa.Table:
        """Return the table ``quotations``."""
        cited = {row["at"]: row for row in self.cites}
        rows = []
        for row in self._rows("quotes"):
            cite = cited.get((row["at"][0], row["cite"]))
            rows.append(
                {
                    **_placed(row),
                    "quotation": row["words"],
                    "is_block": row["is_block"],
                    "authority_id": cite["key"] or None if cite else None,
                    "authority_name": cite["name"] if cite and cite["key"] else None,
                    "pin": cite and pin_of(cite),
                    "confidence": row["confidence"],
                }
            )
        return _declared("quotations", rows)


def pin_of(row: dict[str, Any], /) -> str | None:
    """Return the pin cites of a citation as written; ``None`` for none."""
    return ", ".join(pin["text"] for pin in row["pins"] or ()) or None


def _source(document: Document | None) -> dict[str, str | None]:
    return {
        "source_document_id": document.document_id if document else None,
        "source_document_name": document.name if document else None,
    }


def _placed(row: dict[str, Any]) -> dict[str, Any]:
    return {n: row[n] for n in ("document_id", "document_name", *_PLACE)}


def _declared(name: str, rows: Sequence[dict[str, Any]] | Iterable[dict[str, Any]]) -> pa.Table:
    declared = schema.table(name).arrow()
    found = list(rows)
    columns = {f.name: pa.array([row[f.name] for row in found], f.type) for f in declared}
    return pa.table(columns, schema=declared)


TABLES: dict[str, Callable[[ContextGraph], pa.Table]] = {
    "authorities": lambda graph: legal_tables(graph).authorities(),
    "authority_cites": lambda graph: legal_tables(graph).authority_cites(),
    "record_cites": lambda graph: legal_tables(graph).record_cites(),
    "quotations": lambda graph: legal_tables(graph).quotations(),
}
"""Tables of the map that this edition makes."""
