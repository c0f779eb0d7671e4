"""The statements of the answers against plain definitions, over graphs that Hypothesis makes up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.answers.statements import ask
from casetrack.records.graph import NAME_KINDS
from graph.definitions import Definitions, held, place
from graph.fakes import HandMadeGraph, Written

if TYPE_CHECKING:
    from collections.abc import Callable

MARKS = re.findall(
    r"\[\[.+?\]\]",
    """
[[person:ann;seller|Ann]] [[person:ann;seller|Ann Lee]] [[person:ann|Ann Lee]]
[[person:bob;buyer|Bob]] [[person:bob;sender|Bob]] [[organization:acme;recipient|Acme]]
[[organization:acme|Acme]] [[organization:high-court|High Court]] [[location:paris|Paris]]
[[concept:rent|rent]] [[concept:notice|notice]] [[date:2024-03-12|12 March 2024]]
[[date:2024-03|March 2024]] [[date:2024|2024]] [[date?|03/04/2024]] [[amount:USD:500|$500]]
[[amount:USD:0|$0]] [[amount:GBP:900|£900]] [[ref standard:iso|ISO 1]]
[[ref standard:iso;amends|ISO 1]] [[ref regulation:gdpr;open|the Regulation]]
[[ref regulation:gdpr|the Regulation]] [[ref section:s|§ 1]]
""",
)
NAMES = ("a.txt", "B.txt", "b.txt", "Äpfel.txt", "Z.txt")
TYPES = ("version", "explicit", "semantic", "shared_entities", "amends", "copy")
SETTINGS = settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])

words = st.one_of(st.sampled_from(MARKS), st.sampled_from(MARKS), st.just("said that " * 20))
chunks = st.lists(words, min_size=1, max_size=6).map(" and ".join)


@st.composite
def graphs(draw: st.DrawFn) -> HandMadeGraph:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    written = []
    for name in names:
        texts = draw(st.lists(chunks, min_size=1, max_size=3))
        # What the end of a chunk and the beginning of the next one both hold counts once.
        again = {(1, text) for text in ("Ann", "ISO 1", "2024") if f"|{text}]]" in texts[0]}
        kind = draw(st.sampled_from(("contract", None)))
        written.append(
            Written(name, texts, type=kind, repeated=draw(st.sampled_from((set(), again))))
        )
    ends = st.sampled_from([f"id-{name}" for name in names])
    drawn = draw(
        st.lists(
            st.tuples(ends, ends, st.sampled_from(TYPES), st.integers(1, 9)),
            max_size=6,
            unique_by=lambda edge: edge[:3],
        )
    )
    edges = [
        {"source": one, "target": two, "type": type_, "weight": weight / 10}
        for one, two, type_, weight in drawn
        if one != two
    ]
    graph = HandMadeGraph(written, edges=edges)
    sure = draw(st.lists(st.sampled_from((0.5, 0.7, 0.9)), min_size=3, max_size=3))
    for name in ("mentions", "dates", "amounts", "citations"):
        graph.set_column(name, "confidence", sure)
    found_by = draw(st.lists(st.sampled_from(("defined", "tagged", None)), min_size=3, max_size=3))
    graph.set_column("mentions", "found_by", found_by)
    return graph


def asker(graph: HandMadeGraph) -> Callable[..., list[dict[str, Any]]]:
    return lambda name, **values: ask(graph, name, **values).to_pylist()


@given(graph=graphs())
@SETTINGS
def test_counts_and_lists_are_as_defined(graph: HandMadeGraph) -> None:
    defined, rows = Definitions(graph), asker(graph)
    all_of_them = {"named": None, "skip": 0, "limit": None}
    found = {(r["measure"], r["value"]): r["count"] for r in rows("statistics") if r["count"]}
    assert found == defined.statistics()
    for sort_by in ("mentions", "documents", "name"):
        for kind in ("all", "person"):
            listed = rows("entities", kind=kind, sort_by=sort_by, **all_of_them)
            assert [r["entity_id"] for r in listed] == defined.entities(kind, sort_by)
            assert all(r["total"] == len(listed) for r in listed)
    for sort_by in ("citations", "documents", "name"):
        listed = rows("references", type="all", sort_by=sort_by, there=None, **all_of_them)
        assert [r["reference_id"] for r in listed] == defined.references(sort_by)
    for sort_by in ("document", "value", "lowest"):
        values = {"kind": "all", "unit": None, "document_id": None, "limit": None}
        listed = rows("amounts", **values, least=1, most=600, sort_by=sort_by)
        assert held(listed) == defined.amounts(1, 600, sort_by)
    money = [
        (r["unit"], r["value"], r["mention_count"], place(r))
        for r in rows("largest-amounts", limit=5)
    ]
    assert money == [(u, *one) for u, sums in defined.largest_amounts() for one in sums]


@given(graph=graphs(), limit=st.integers(1, 6))
@SETTINGS
def test_places_are_as_defined(graph: HandMadeGraph, limit: int) -> None:
    defined, rows = Definitions(graph), asker(graph)
    key = rows("key-entities", limit=limit)
    for rank, kinds in (("rank", (*NAME_KINDS, "concept")), ("actor_rank", NAME_KINDS[:2])):
        found = [
            (r["entity_id"], None if r["chunk_id"] is None else place(r))
            for r in key
            if r[rank] is not None and r[rank] <= limit
        ]
        assert found == defined.key_entities(kinds)[:limit]
    ids = [row["entity_id"] for row in defined.tables["entities"]]
    for entity in ids[:4]:
        for spread in (True, False):
            found = held(rows("entity-places", entity_id=entity, spread=spread, limit=limit))
            assert found == defined.places_of_entity(entity, limit, spread=spread)
    for reference in {row["reference_id"] for row in defined.tables["references"]}:
        found = held(rows("reference-places", reference_id=reference, limit=limit))
        assert found == defined.places_of_reference(reference, limit)
    found = [(r["reference_id"], place(r)) for r in rows("key-references", limit=9)]
    assert found == defined.key_references()
    for document in graph.documents:
        found = rows("document-entities", document_id=document.document_id, limit=None)
        listed = [r["entity_id"] for r in found]
        assert listed == defined.document_entities(document.document_id)
    found = rows("together", entity_ids=ids[:3])
    together = [(r["passage_id"], r["entity_id"], place(r)) for r in found]
    assert together == defined.together(ids[:3])
    dates = rows("timeline", start=None, end=None, limit=None, places=2)
    assert [
        (r["value"], r["mention_count"], r["document_count"], r["beside"], place(r))
        for r in dates
        if r["value"] is not None
    ] == defined.timeline(2)


@given(graph=graphs(), depth=st.integers(1, 4), limit=st.integers(2, 6))
@SETTINGS
def test_connections_are_as_defined(graph: HandMadeGraph, depth: int, limit: int) -> None:
    defined, rows = Definitions(graph), asker(graph)
    ids = [row["entity_id"] for row in defined.tables["entities"]]
    for entity in ids[:3]:
        found = rows("graph-around", entity_id=entity, depth=depth, limit=limit)
        listed = [(r["entity_id"], r["distance"]) for r in found]
        assert listed == defined.around(entity, depth, limit)
    best = [r["entity_id"] for r in rows("graph-best-connected", limit=9)]
    assert best == defined.best_connected()
    for some in (best, best[:2]):
        found = rows("graph-edges", entity_ids=some)
        assert [(r["source_id"], r["target_id"]) for r in found] == defined.edges_among(some)
    families = {
        frozenset(end for pair in r["pairs"] for end in pair.values())
        for r in rows("version-families")
    }
    assert families == defined.families()
    features = {(r["id"], r["document_id"]): r for r in rows("cluster-features", by="entity")}
    assert {k: (r["places"], place(r)) for k, r in features.items()} == defined.features()
    for document in graph.documents:
        own = document.document_id
        found = rows("related", document_id=own, relation="all", limit=None)
        strengths = dict.fromkeys((r["document_id"], r["strength"]) for r in found)
        expected = defined.related(own)
        assert [i for i, _ in strengths] == [i for i, _ in expected]
        assert [s for _, s in strengths] == pytest.approx([s for _, s in expected])
        for other in graph.documents:
            if other is document:
                continue
            shared: dict[str, list[str]] = {}
            for r in rows("related-shared", document_id=own, other_ids=[other.document_id]):
                shared.setdefault(r["type"], []).append(r["id"])
            assert shared == defined.shared(own, other.document_id)
