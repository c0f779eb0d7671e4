"""Facets count all matching passages, and filtering by a facet gives that count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from casetrack.base.arguments import Filter
from casetrack.base.errors import EntityNotFound, UsageError

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

QUESTION = "Who may terminate the agreement for convenience?"
FIELDS = {
    "document": "documents",
    "kind": "kinds",
    "language": "languages",
    "source": "sources",
    "person": "mentions",
    "organization": "mentions",
}


def narrowed(where: Filter, facet: str, value: str) -> Filter:
    if facet == "year":
        return replace(where, since=value, until=value)
    kept = getattr(where, FIELDS[facet]) if FIELDS[facet] == "mentions" else None
    return replace(where, **{FIELDS[facet]: [*(kept or ()), value]})


@pytest.mark.slow
@pytest.mark.parametrize("query", [QUESTION, "the"])
def test_a_value_leaves_as_many_passages_as_it_says(demo: Collection, query: str) -> None:
    first = demo.facets(query)
    people = next(f for f in first.facets if f.name == "person").values
    starts = [Filter(), *(Filter(mentions=[p.value]) for p in people[:1])]
    for start in starts:
        for facet in demo.facets(query, **start.asked(), most=2).facets:
            for value in facet.values[:2]:
                left = demo.facets(query, **narrowed(start, facet.name, value.value).asked())
                assert left.passages == value.passages, (facet.name, value)


def test_another_value_of_a_facet_can_be_chosen_next_to_the_first(demo: Collection) -> None:
    kinds = {f.name: f for f in demo.facets(QUESTION).facets}["kind"]
    assert len(kinds.values) > 1
    one = demo.facets(QUESTION, kinds=[kinds.values[0].value])
    assert {f.name: f for f in one.facets}["kind"] == kinds
    both = demo.facets(QUESTION, kinds=[v.value for v in kinds.values])
    assert both.passages == sum(v.passages for v in kinds.values)


def test_all_passages_count_and_not_only_the_best(demo: Collection) -> None:
    answer = demo.search("payment", limit=1)
    facets = demo.facets("payment", shown=[r.chunk_id for r in answer])
    assert facets.passages > 1
    documents = facets.facets[0]
    held = demo.sql("SELECT DISTINCT chunk_id FROM postings WHERE term = query_terms('payment')[1]")
    assert facets.passages >= held.num_rows > 1
    assert documents.total == len({v.value for v in documents.values}) or documents.total > 8


def test_what_was_chosen_stays_though_nothing_has_it(demo: Collection) -> None:
    wanted = demo.documents()[0].document_id
    facets = demo.facets("zzzunknown", documents=[wanted], kinds=["contract"])
    named = {f.name: [(v.value, v.passages) for v in f.values] for f in facets.facets}
    assert named["document"] == [(wanted, 0)]
    assert named["kind"] == [("contract", 0)]
    assert facets.passages == 0


def test_passages_must_mention_all_that_are_named(demo: Collection) -> None:
    people = list(demo.map.entities(kind="person", limit=20))
    pairs = demo.sql(
        "SELECT a.entity_id AS one, b.entity_id AS other, list(DISTINCT chunk_id) AS chunks "
        "FROM mentions a JOIN mentions b USING (chunk_id) "
        "WHERE a.kind = 'person' AND b.kind = 'person' AND a.entity_id < b.entity_id "
        "GROUP BY ALL ORDER BY len(chunks) DESC, 1, 2 LIMIT 3"
    ).to_pylist()
    assert pairs
    for pair in pairs:
        answer = demo.search("what was agreed", mentions=[pair["one"], pair["other"]], limit=50)
        shown = {r.chunk_id for r in answer} | {s.chunk_id for r in answer for s in r.also}
        assert shown == set(pair["chunks"])
    by_name = demo.search("notice", mentions=people[0].name, limit=50)
    by_id = demo.search("notice", mentions=people[0].entity_id, limit=50)
    assert [r.chunk_id for r in by_name] == [r.chunk_id for r in by_id]
    assert by_id.searched_chunks < demo.search("notice").searched_chunks


def test_nobody_of_the_name_is_reported(demo: Collection) -> None:
    with pytest.raises(EntityNotFound, match="Xyzzy Plugh"):
        demo.search("notice", mentions="Xyzzy Plugh")
    with pytest.raises(UsageError):
        demo.facets(" ")


def test_where_no_document_mentions_all_of_them_a_note_says_so(demo: Collection) -> None:
    lonely = demo.sql(
        "SELECT a.entity_id AS one, b.entity_id AS other FROM entities a, entities b "
        "WHERE a.kind = 'person' AND b.kind = 'person' AND a.entity_id < b.entity_id "
        "AND NOT EXISTS (FROM mentions m JOIN mentions n USING (chunk_id) "
        "WHERE m.entity_id = a.entity_id AND n.entity_id = b.entity_id) ORDER BY ALL LIMIT 1"
    ).to_pylist()[0]
    answer = demo.search("notice", mentions=[lonely["one"], lonely["other"]])
    assert not answer.results
    assert len(answer.notes) > len(demo.search("notice").notes)
