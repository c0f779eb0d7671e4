"""What two documents share, and the places that show how they are connected."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Any

from casetrack.answers.rows import among, counted
from casetrack.answers.typical import telling_sentence
from casetrack.records.graph import NAME_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from casetrack.graph.graph import ContextGraph

Span = tuple[str, int, int]
_INSIDE = {"section"}
_CITED = {"explicit", "response_to", "amends", "version", "attachment"}


class Evidence:
    """What a document and some others have in common.

    Parameters
    ----------
    own
        Id of the document.
    others
        Ids of the others.
    """

    def __init__(self, source: ContextGraph, own: str, others: Sequence[str], /) -> None:
        self._source = source
        self._own = own
        self._documents = [own, *others]

    def shared_entities(self, other: str, /) -> list[str]:
        """Return the names of who and what both mention, the rarest in the collection first."""
        return [self._entity_names[i] for i in self._shared(self._entities, other, rare=True)]

    def shared_references(self, other: str, /) -> list[str]:
        """Return the names of what both refer to, the most cited by the two first."""
        return [self._reference_names[i] for i in self._shared(self._references, other)]

    def places(self, other: str, edge: Mapping[str, Any], most: int, /) -> list[Span]:
        """Return places that show an edge: the words that name what is shared or referred to."""
        chunks = list(edge["evidence"] or ())[:most]
        if edge["type"] == "semantic":
            return []
        if edge["type"] == "shared_entities":
            wanted = set(self._shared(self._entities, other))
            return self._in(chunks, self._mention_spans, wanted)
        if edge["type"] == "shared_references":
            wanted = set(self._shared(self._references, other))
            return self._in(chunks, self._citation_spans, wanted)
        ends = {edge["source_id"], edge["target_id"]}
        return self._in(chunks, self._target_spans if edge["type"] in _CITED else {}, ends)

    # --- what is shared ---------------------------------------------------------------------

    def _shared(
        self, held: Mapping[str, Counter[str]], other: str, *, rare: bool = False
    ) -> list[str]:
        own, theirs = held.get(self._own, Counter()), held.get(other, Counter())
        spread = self._entity_spread if rare else {}
        return sorted(
            own.keys() & theirs.keys(),
            key=lambda i: (
                # Names say more than concepts.
                i.startswith("concept:"),
                spread.get(i, 0),
                -min(own[i], theirs[i]),
                -own[i] - theirs[i],
                i,
            ),
        )

    @cached_property
    def _mentions(self) -> pa.Table:
        table = among(self._source.table("mentions"), "document_id", self._documents)
        return counted(among(table, "kind", [*NAME_KINDS, "concept"]))

    @cached_property
    def _citations(self) -> pa.Table:
        table = among(self._source.table("citations"), "document_id", self._documents)
        return counted(table.filter(table["resolved"]))

    @cached_property
    def _entities(self) -> dict[str, Counter[str]]:
        return _held(self._mentions, "entity_id")

    @cached_property
    def _references(self) -> dict[str, Counter[str]]:
        held = _held(self._citations, "reference_id")
        types = dict(
            zip(
                self._citations["reference_id"].to_pylist(),
                self._citations["type"].to_pylist(),
                strict=True,
            )
        )
        return {
            document: Counter({i: n for i, n in counts.items() if types[i] not in _INSIDE})
            for document, counts in held.items()
        }

    @cached_property
    def _entity_names(self) -> dict[str, str]:
        return _pairs(self._mentions, "entity_id", "name")

    @cached_property
    def _entity_spread(self) -> dict[str, int]:
        table = among(self._source.table("entities"), "entity_id", sorted(self._entity_names))
        return _pairs(table, "entity_id", "document_count")

    @cached_property
    def _reference_names(self) -> dict[str, str]:
        table = self._source.table("references")
        ids = sorted({i for counts in self._references.values() for i in counts})
        return _pairs(among(table, "reference_id", ids), "reference_id", "name")

    # --- places -----------------------------------------------------------------------------

    def _in(
        self,
        chunks: Sequence[str],
        spans: Mapping[str, list[tuple[str, int, int]]],
        wanted: set[str],
    ) -> list[Span]:
        """Return the first wanted place in each chunk, or its first telling sentence."""
        found: list[Span] = []
        for chunk in chunks:
            fitting = [s for s in spans.get(chunk, ()) if s[0] in wanted]
            if fitting:
                found.append((chunk, *min(s[1:] for s in fitting)))
            else:
                text = self._source.chunks([chunk])[0].text
                found.append((chunk, *telling_sentence(text, ())))
        return found

    @cached_property
    def _mention_spans(self) -> dict[str, list[tuple[str, int, int]]]:
        return _spans(self._mentions, "entity_id")

    @cached_property
    def _citation_spans(self) -> dict[str, list[tuple[str, int, int]]]:
        return _spans(self._citations, "reference_id")

    @cached_property
    def _target_spans(self) -> dict[str, list[tuple[str, int, int]]]:
        return _spans(self._citations, "target_document_id")


def _held(table: pa.Table, column: str) -> dict[str, Counter[str]]:
    held: dict[str, Counter[str]] = {}
    pairs = zip(table["document_id"].to_pylist(), table[column].to_pylist(), strict=True)
    for document, thing in pairs:
        held.setdefault(document, Counter())[thing] += 1
    return held


def _pairs(table: pa.Table, key: str, value: str) -> dict[str, Any]:
    return dict(zip(table[key].to_pylist(), table[value].to_pylist(), strict=True))


def _spans(table: pa.Table, column: str) -> dict[str, list[tuple[str, int, int]]]:
    spans: dict[str, list[tuple[str, int, int]]] = {}
    columns = [table[c].to_pylist() for c in ("chunk_id", column, "char_start", "char_end")]
    for chunk, thing, start, end in zip(*columns, strict=True):
        spans.setdefault(chunk, []).append((thing, start, end))
    return spans
