"""Entities, their mentions, their encounters, and their references."""

from __future__ import annotations

import functools

import pytest

from casetrack.base.errors import EntityNotFound, UsageError
from casetrack.graph.answers.amounts import reference_citations, references
from casetrack.graph.answers.entities import (
    document_entities,
    encounters,
    entities,
    entity_graph,
    entity_mentions,
)
from graph.fakes import HandMadeGraph, Written

ANN, BOB, CEO, DAN, EVE = (f"person:{n}" for n in ("ann", "bob", "ceo", "dan", "eve"))


def mark(entity: str, words: str | None = None) -> str:
    return f"[[{entity}|{words or entity.partition(':')[2].capitalize()}]]"


@functools.cache
def graph() -> HandMadeGraph:
    return HandMadeGraph(
        [
            Written(
                "a.txt",
                [
                    f"{mark(ANN)} wrote to {mark(BOB)}. {mark(ANN)} wrote again.",
                    f"{mark(ANN)} and {mark(BOB)} met. {mark(DAN)} was not there.",
                    (
                        f"{mark(ANN)} stood alone, see [[ref section:a-1|Section 1]], "
                        "[[ref section:a-1|Section 1]] and [[ref section:a-1|Section 1]]."
                    ),
                ],
            ),
            Written(
                "b.txt",
                [
                    f"{mark(ANN)} is here, under [[ref standard:iso-1|ISO 1]].",
                    (
                        f"{mark(ANN + ';director', 'Ann Director Lee')}, {mark(BOB)} and "
                        f"{mark(CEO)} signed [[ref document:a.txt;amends|the Plan]] and "
                        "[[ref standard:iso-1;implements|ISO 1]], "
                        "also [[ref standard:iso-1;open|id.]]."
                    ),
                ],
            ),
            Written("c.txt", [f"{mark(CEO)} knows {mark(EVE)}.", f"{mark(CEO)} pays {mark(EVE)}."]),
            Written("d.txt", [f"{mark(ANN)} again: {mark('date:2024-01-02', '2 January 2024')}."]),
        ]
    )


@pytest.mark.slow
def test_lists_can_be_searched_and_paged_through() -> None:
    source = graph()
    everybody = [e.entity_id for e in entities(source, kind="person")]
    for skip in range(len(everybody) + 2):
        result = entities(source, kind="person", skip=skip, limit=2)
        assert [e.entity_id for e in result] == everybody[skip : skip + 2]
    assert result.total == 0
    assert entities(source, kind="person", skip=1, limit=1).total == len(everybody)
    assert [e.entity_id for e in entities(source, named="director l")] == [ANN]
    assert [e.entity_id for e in entities(source, named="%")] == []
    names = {r.name: r.target_document for r in references(source)}
    remote = {r.name for r in references(source, in_collection=True)}
    missing = {r.name for r in references(source, in_collection=False)}
    assert remote == {name for name, target in names.items() if target}
    assert remote | missing == set(names)
    assert not remote & missing
    assert [r.reference_id for r in references(source, named="iso")] == ["standard:iso-1"]
    assert references(source, skip=1, limit=1)[0] == references(source)[1]


def test_find_entity_shows_the_best_place_of_each_document_first() -> None:
    entity = entity_mentions(graph(), "Ann", limit=4, spread=True)
    assert entity.total == 7
    assert entity.documents == (("id-a.txt", "a.txt", 4), ("id-b.txt", "b.txt", 2),
                               ("id-d.txt", "d.txt", 1))  # fmt: skip
    names = [m.quote.provenance.document_name for m in entity.mentions]
    assert names[:3] == ["a.txt", "b.txt", "d.txt"]
    # The place with her role comes before the first one.
    assert entity.mentions[1].quote.text == "Ann Director Lee"
    assert len(entity.mentions) == 4


def test_a_place_that_the_chunk_before_holds_counts_once() -> None:
    source = HandMadeGraph(
        [Written("a.txt", [f"{mark(ANN)} met {mark(BOB)}.", f"{mark(ANN)} met {mark(BOB)}."],
                 repeated={(1, "Ann"), (1, "Bob")})]
    )  # fmt: skip
    assert entity_mentions(source, "Ann").total == 1
    assert encounters(source, ["Ann", "Bob"]).total == 1


def test_encounters_with_all_of_them_come_first_then_the_closest() -> None:
    result = encounters(graph(), ["Ann", "Bob", "Ceo"])
    assert [e.chunk.chunk_id for e in result.encounters] == ["001-001", "000-000", "000-001"]
    assert result.total == 3
    first = result.encounters[0]
    assert first.entities == (ANN, BOB, CEO)
    assert [q.text for q in first.quotes] == ["Ann Director Lee", "Bob", "Ceo"]
    assert [len(e.quotes) for e in result.encounters] == [3, 2, 2]
    assert first.score > result.encounters[1].score


def test_what_a_document_mentions_most() -> None:
    source = graph()
    result = document_entities(source, source.document("a.txt"), limit=2)
    assert [e.entity_id for e in result] == [ANN, BOB]


def test_who_heads_a_mail_is_together_with_all_whom_it_mentions() -> None:
    head = f"From: {mark(ANN + ';sender', 'Ann')}\nTo: {mark(BOB + ';recipient', 'Bob')}\n\nHello."
    later = f"I met {mark(CEO)} and {mark(CEO)} on Monday."
    source = HandMadeGraph([Written("1.eml", [head, later, "Goodbye."])])
    result = encounters(source, ["Ann", "Ceo"])
    (met,) = result.encounters
    assert (result.total, met.chunk.chunk_id, met.mention_count) == (1, "000-001", 3)
    assert [(q.text, q.chunk_id) for q in met.quotes] == [("Ann", "000-000"), ("Ceo", "000-001")]
    assert encounters(source, ["Ann", "Bob"]).total == 1


def test_every_place_of_a_passage_counts() -> None:
    text = f"{mark(ANN)} met {mark(BOB)}. " * 12 + f"{mark(ANN)}{mark(BOB)}"
    (met,) = encounters(HandMadeGraph([Written("a.txt", [text])]), ["Ann", "Bob"]).encounters
    assert met.mention_count == 26
    assert met.quotes[0].char_end == met.quotes[1].char_start


def test_entities_that_never_meet_have_no_encounters() -> None:
    result = encounters(graph(), ["Dan", "Eve"])
    assert (result.total, result.encounters) == (0, ())


@pytest.mark.parametrize(
    ("names", "fact"),
    [
        (["Ann"], "1"),
        (["Ann", "Bob", "Ceo", "Dan", "Eve", "Ann"], "6"),
        (["Ann", "Ann Director Lee"], "Ann Director Lee"),
        ("Ann Bob", ""),
    ],
)
def test_encounters_need_different_names(names: list[str], fact: str) -> None:
    with pytest.raises(UsageError) as caught:
        encounters(graph(), names)
    assert fact in caught.value.message


@pytest.mark.slow
def test_the_graph_around_an_entity_goes_by_steps() -> None:
    source = graph()
    near = entity_graph(source, "Bob", depth=1)
    assert [(n.entity_id, d) for n, d in zip(near.nodes, near.distances, strict=True)] == [
        (BOB, 0), (ANN, 1), (CEO, 1), (DAN, 1)
    ]  # fmt: skip
    far = entity_graph(source, "Bob", depth=2)
    assert dict(zip([n.entity_id for n in far.nodes], far.distances, strict=True))[EVE] == 2
    assert far.center is not None
    assert far.center.entity_id == BOB
    assert [e.weight for e in far.edges] == sorted((e.weight for e in far.edges), reverse=True)
    for edge in far.edges:
        assert edge.quote is not None
        assert edge.quote.chunk_id == edge.evidence[0]


def test_the_strongest_chains_are_kept() -> None:
    result = entity_graph(graph(), "Bob", depth=2, limit=2)
    assert [n.entity_id for n in result.nodes] == [BOB, ANN]
    assert [(e.source, e.target, e.count) for e in result.edges] == [(ANN, BOB, 3)]
    assert result.edges[0].quote is not None
    assert result.edges[0].quote.text == "Bob. Ann"


def test_the_graph_without_a_centre_shows_the_best_connected() -> None:
    result = entity_graph(graph(), limit=3)
    assert (result.center, result.distances) == (None, ())
    assert [n.entity_id for n in result.nodes] == [ANN, BOB, CEO]
    with pytest.raises(EntityNotFound):
        entity_graph(graph(), "Nobody Else")


@pytest.mark.slow
def test_a_list_in_one_passage_makes_nobody_well_connected() -> None:
    names = "Aachen Bergen Calais Dover Essen Florence Geneva Haarlem Izmir Jena".split()
    listed = ", ".join(mark(f"location:{name.lower()}", name) for name in names)
    letters = [
        Written(f"{n}.txt", [f"{mark(ANN)} wrote to {mark(BOB)}.", f"{mark(BOB)} met {mark(CEO)}."])
        for n in range(3)
    ]
    hotels = Written("hotels.txt", [f"Our hotels: {listed}."])
    both = entity_graph(HandMadeGraph([hotels, *letters]), limit=5).nodes
    assert [n.entity_id for n in both[:3]] == [BOB, ANN, CEO]
    alone = entity_graph(HandMadeGraph([hotels]), limit=5).nodes
    assert [n.name for n in alone] == names[:5]


def test_an_entity_that_meets_nobody_stands_alone() -> None:
    source = HandMadeGraph([Written("a.txt", [mark(ANN)])])
    result = entity_graph(source, "Ann")
    assert ([n.entity_id for n in result.nodes], result.edges) == ([ANN], ())
    assert entity_graph(source).nodes == ()


def test_pointers_within_a_document_are_listed_on_request() -> None:
    source = graph()
    assert [r.name for r in references(source)] == ["ISO 1", "the Plan"]
    assert [r.name for r in references(source, type="section")] == ["Section 1"]
    assert [r.name for r in references(source, limit=1)] == ["ISO 1"]
    plan = references(source, type="document")[0]
    assert (plan.target_document_id, plan.target_document) == ("id-a.txt", "a.txt")


def test_citations_that_leave_open_what_is_meant_count_for_nothing() -> None:
    result = reference_citations(graph(), "ISO 1")
    assert result.total == 2
    # One place of the document states the relationship to the standard; it comes first.
    assert [c.relationship for c in result.citations] == ["implements", "cites"]
    assert [c.quote.text for c in result.citations] == ["ISO 1", "ISO 1"]
