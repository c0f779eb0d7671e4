"""Related documents and their differences."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import ChunkNotFound, UsageError
from casetrack.graph.answers.clusters import clusters
from casetrack.graph.answers.compare import changes, comparison, paragraphs, word_changes
from casetrack.graph.answers.related import related_documents, similar_chunks, some_of
from graph.fakes import HandMadeGraph, Written

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.base.records.graph import Changes

ACME, TIDE = "[[organization:acme|Acme Corp]]", "[[organization:tide|Tidewell Systems]]"


@functools.cache
def letters() -> HandMadeGraph:
    return HandMadeGraph(
        [
            Written("Claim.txt", [f"{ACME} sues {TIDE} under [[ref standard:iso-1|ISO 1]]."]),
            Written(
                "Reply.txt",
                [(f"{TIDE} to {ACME}: we answer [[ref document:Claim.txt;responds_to|your claim]]. "
                 "[[ref standard:iso-1|ISO 1]] does not apply.")],
            ),
            Written("Draft.txt", ["A draft of the reply. Nothing else."]),
            Written("Alone.txt", ["Weather report for the week."]),
        ],
        edges=[
            {"source": "id-Claim.txt", "target": "id-Reply.txt", "type": "shared_entities",
             "weight": 0.4, "count": 5, "evidence": ["001-000", "003-000"]},
            {"source": "id-Claim.txt", "target": "id-Reply.txt", "type": "shared_references",
             "weight": 0.2, "count": 1, "evidence": ["003-000"]},
            {"source": "id-Reply.txt", "target": "id-Claim.txt", "type": "response_to",
             "weight": 0.9, "count": 1, "evidence": ["003-000"]},
            {"source": "id-Draft.txt", "target": "id-Reply.txt", "type": "version",
             "weight": 0.7, "count": 1, "evidence": ["002-000"]},
            {"source": "id-Draft.txt", "target": "id-Reply.txt", "type": "semantic", "weight": 0.8},
        ],
    )  # fmt: skip


def test_related_documents_say_why_in_words_and_quotes(messages: Callable[[str], None]) -> None:
    source = letters()
    reply, draft = related_documents(source, source.document("Reply.txt"))
    assert (reply.document.name, draft.document.name) == ("Claim.txt", "Draft.txt")
    assert reply.weight == pytest.approx(1 - 0.6 * 0.8 * 0.1)
    assert [(r.type, r.outgoing) for r in reply.relations] == [
        ("response_to", True), ("shared_entities", None), ("shared_references", None)
    ]  # fmt: skip
    assert [[q.text for q in r.quotes] for r in reply.relations] == [
        ["your claim"],
        ["Acme Corp", "Tidewell Systems"],
        ["ISO 1"],
    ]
    assert [(r.type, r.outgoing) for r in draft.relations] == [
        ("semantic", None), ("version", False)
    ]  # fmt: skip
    assert draft.relations[1].quotes[0].text == "A draft of the reply."
    (claim,) = related_documents(source, source.document("Claim.txt"), "response_to")
    assert [(r.type, r.outgoing) for r in claim.relations] == [("response_to", False)]
    relations = [*reply.relations, *draft.relations, *claim.relations]
    messages("\n".join(f"{r.type}: {r.description}" for r in relations))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("relation", "names"),
    [
        ("all", ["Claim.txt", "Draft.txt"]),
        ("version_chain", ["Draft.txt"]),
        ("semantic_similar", ["Draft.txt"]),
        ("shared_references", ["Claim.txt"]),
        ("amends", []),
    ],
)
def test_relations_can_be_chosen(relation: str, names: list[str]) -> None:
    source = letters()
    result = related_documents(source, source.document("Reply.txt"), relation)
    assert [r.document.name for r in result] == names


@pytest.mark.parametrize(("names", "count"), [("ABCD", 9), ("AB", 2)])
def test_some_names_stand_for_many(names: str, count: int) -> None:
    some = some_of([*names], count)
    assert [sign for sign in some if sign in names] == [*names[:3]]
    assert ("6" in some) == (count == 9)


# --- clusters ----------------------------------------------------------------------------------


@functools.cache
def library(*, vectors: bool = True) -> HandMadeGraph:
    subjects = {
        "Lease": (("[[concept:monthly-rent|monthly rent]] and [[concept:tenant|tenant]] of the "
                  "flat {}, the landlord keeps the deposit"), "[[organization:acme|Acme Corp]]"),
        "Server": (("[[concept:server-outage|server outage]] and [[concept:backup|backup]] of the "
                   "network {}, the engineer replaced a disk"), "[[organization:tide|Tidewell]]"),
    }  # fmt: skip
    written = [
        Written(f"{name} {i}.txt", [f"{text.format(i)} with {who}. {text.format(i)}."] * 3,
                type="contract" if name == "Lease" else "report")
        for name, (text, who) in subjects.items()
        for i in range(4)
    ]  # fmt: skip
    zebra = Written("Zebra.txt", ["Zebras graze quietly under umbrella acacias."], type=None)
    return HandMadeGraph([*written, zebra], vectors=vectors)


@pytest.mark.parametrize("vectors", [True, False])
def test_topical_clusters_are_named_by_their_subjects(vectors: bool) -> None:
    result = clusters(library(vectors=vectors))
    assert [{d.name[:5] for d in c.documents} for c in result.clusters] == [{"Lease"}, {"Serve"}]
    assert result.clusters[0].label.lower() == "monthly rent, tenant"
    assert "server outage" in result.clusters[1].label.lower()
    assert result.clusters[0].shared == ("monthly rent", "tenant")
    assert all(c.quotes for c in result.clusters)
    assert [d.name for d in result.rest] == ["Zebra.txt"]


def test_clusters_by_what_is_cited_take_two_names_of_a_document_for_one() -> None:
    result = clusters(
        HandMadeGraph(
            [
                Written("a.txt", [("See [[ref document:Lease.pdf|the Lease]] and "
                                  "[[ref document:Lease.pdf|the Lease]].")]),
                Written("b.txt", ["See [[ref document:dated:Lease.pdf|Lease of 1 May 2024]]."]),
                Written("c.txt", ["See [[ref standard:iso-1|ISO 1]]."]),
            ]
        ),
        "reference",
    )  # fmt: skip
    assert [(c.label, [d.name for d in c.documents]) for c in result.clusters] == [
        ("the Lease", ["a.txt", "b.txt"])
    ]
    assert [q.text for q in result.clusters[0].quotes] == ["the Lease"]
    assert [d.name for d in result.rest] == ["c.txt"]


def test_a_few_documents_are_grouped_only_where_they_are_alike() -> None:
    few = [w for w in library()._written if w.name in {"Lease 0.txt", "Lease 1.txt", "Zebra.txt"}]
    result = clusters(HandMadeGraph(few))
    assert [[d.name for d in c.documents] for c in result.clusters] == [
        ["Lease 0.txt", "Lease 1.txt"]
    ]
    assert [d.name for d in result.rest] == ["Zebra.txt"]
    one = clusters(HandMadeGraph(few[:1]))
    assert (one.clusters, len(one.rest)) == ((), 1)


@pytest.mark.parametrize("by", ["topical", "entity"])
def test_more_groups_than_asked_for_are_not_none(by: str) -> None:
    many = [
        Written(f"{boat} {i}.txt", [f"[[person:{boat};captain|Captain {boat}]] sails {boat}."])
        for boat in ("Alba", "Brig", "Cog", "Dory", "Etna", "Flyer", "Gig", "Hoy", "Iris", "Junk")
        for i in range(5)
    ]  # fmt: skip
    result = clusters(HandMadeGraph(many), by, limit=4)
    assert len(result.clusters) == 4
    assert sum(len(c.documents) for c in result.clusters) + len(result.rest) == 50


def test_clusters_by_names_go_by_parties_and_not_by_places_or_courts() -> None:
    court = "[[organization:court|High Court]] of [[location:leeds|Leeds]]"
    written = [
        Written(
            f"{party} {i}.txt",
            [f"[[organization:{party};tenant|{party} Ltd]] rents mill {i} near the {court}. "
             + " ".join(f"[[person:{party}-{i}-{n}|Jo {party}{i}{n}]]" for n in range(4))],
        )
        for party in ("Tarn", "Vale")
        for i in range(3)
    ]  # fmt: skip
    loners = [
        Written(f"Note {i}.txt", [f"[[person:note-{i}|Note Writer {i}]] was in the {court}."])
        for i in range(6)
    ]
    result = clusters(HandMadeGraph([*written, *loners]), "entity")
    assert [(c.label, len(c.documents)) for c in result.clusters] == [
        ("Tarn Ltd", 3),
        ("Vale Ltd", 3),
    ]
    assert len(result.rest) == 6


def test_clusters_by_who_is_mentioned() -> None:
    result = clusters(library(), "entity")
    assert [c.label for c in result.clusters] == ["Acme Corp", "Tidewell"]
    assert [q.text for q in result.clusters[0].quotes] == ["Acme Corp", "Acme Corp"]


def test_clusters_by_kind_hold_every_document() -> None:
    result = clusters(library(), "document_type")
    kinds = [{d.document_type for d in c.documents} for c in result.clusters]
    assert kinds == [{"contract"}, {"report"}, {None}]
    assert ([len(c.documents) for c in result.clusters], result.rest) == ([4, 4, 1], ())
    few = clusters(library(), "document_type", limit=1)
    assert (len(few.clusters), len(few.rest)) == (1, 5)


def test_without_references_all_documents_are_loners() -> None:
    result = clusters(library(), "reference")
    assert (result.clusters, len(result.rest)) == ((), 9)


@pytest.mark.slow
def test_clusters_do_not_depend_on_the_order_of_documents() -> None:
    source = library()
    again = HandMadeGraph(list(reversed(source._written)))
    assert clusters(source).as_dict() == clusters(again).as_dict()


# --- similar passages --------------------------------------------------------------------------


def test_similar_passages_of_other_documents() -> None:
    source = library()
    own = source.chunk_ids("Lease 0.txt")[0]
    result = similar_chunks(source, own)
    assert {f.chunk.provenance.document_name[:5] for f in result} == {"Lease"}
    assert own not in {f.chunk.chunk_id for f in result}
    assert [f.similarity for f in result] == sorted((f.similarity for f in result), reverse=True)
    same = similar_chunks(source, own, exclude_same_document=False, limit=2)
    assert {f.chunk.provenance.document_name for f in same} == {"Lease 0.txt"}
    assert same[0].similarity == pytest.approx(1, abs=0.02)


def test_similar_passages_need_a_passage_with_a_vector() -> None:
    with pytest.raises(ChunkNotFound):
        similar_chunks(library(), "no-such-chunk")
    bare = library(vectors=False)
    (zebra,) = bare.chunk_ids("Zebra.txt")
    with pytest.raises(UsageError, match="reindex"):
        similar_chunks(bare, zebra)
    with pytest.raises(UsageError, match="7"):
        similar_chunks(bare, zebra, min_similarity=7)


# --- changes -----------------------------------------------------------------------------------


def changed(before: list[str], after: list[str]) -> Changes:
    source = HandMadeGraph([Written("v1.txt", before), Written("v2.txt", after)])
    old, new = source.documents
    return changes(source, old, new, source.chunks_of(old), source.chunks_of(new))


def test_changes_quote_both_sides() -> None:
    result = changed(
        ["Title\nThe term is 12 months.\nEither party may leave.\nClosing words."],
        ["Title\nA preamble.\nThe term is 24 months.\nClosing words."],
    )
    assert result.unchanged == 2
    rows = [(c.kind, c.before and c.before.text, c.after and c.after.text) for c in result.changes]
    assert sorted(rows, key=str) == [
        ("added", None, "A preamble."),
        ("changed", "The term is 12 months.", "The term is 24 months."),
        ("removed", "Either party may leave.", None),
    ]
    (words,) = (c.words for c in result.changes if c.kind == "changed")
    assert [op for op, _ in words] == ["same", "removed", "added", "same"]
    assert [text for _, text in words] == ["The term is ", "12", "24", " months."]


def test_what_moved_or_is_only_written_otherwise_did_not_change() -> None:
    result = changed(
        ["One stands here.\nTwo “is” quoted.\nThree – dashed."],
        ['Two "is"  quoted.\nThree - dashed.\nOne stands here.'],
    )
    assert (result.unchanged, result.changes) == (3, ())


def test_a_paragraph_over_two_chunks_is_one() -> None:
    source = HandMadeGraph(
        [Written("a.txt", ["One.\n\nTwo begins here and", "goes on there.\n\nThree."])]
    )
    chunks = source.chunks_of(source.documents[0])
    # The fake's chunks are one blank apart; the same paragraph goes on.
    same = {"paragraph_start": 2, "paragraph_end": 2}
    merged = [replace(c, provenance=replace(c.provenance, **same)) for c in chunks]
    assert [p.text for p in paragraphs(merged)] == [
        "One.", "Two begins here and\ngoes on there.", "Three."
    ]  # fmt: skip


def test_overlapping_chunks_do_not_repeat_paragraphs() -> None:
    source = HandMadeGraph([Written("a.txt", ["One.\nTwo.", "Two.\nThree."])])
    first, second = source.chunks_of(source.documents[0])
    shifted = replace(second, provenance=replace(second.provenance, char_start=5, char_end=16))
    result = paragraphs([first, shifted])
    assert [(p.text, p.chunk_id) for p in result] == [
        ("One.", "000-000"), ("Two.", "000-000"), ("Three.", "000-001")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The fee is £5 per day.", "The fee is £7.50 per working day!"),
        *(("a b c d", "x y z"), ("same", "same"), ("", "new words"), ("one  two", "one two")),
    ],
)
def test_words_make_both_texts(before: str, after: str) -> None:
    words = word_changes(before, after)
    assert "".join(t for op, t in words if op != "added") == before
    assert "".join(t for op, t in words if op != "removed") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [("£750,000", "£1,200,000"), ("7.5 %", "7.25 %"), ("1.000,50", "1.000,75"), ("1’000", "2’000")],
)
def test_a_number_changes_as_a_whole(before: str, after: str) -> None:
    changed = [text for op, text in word_changes(before, after) if op != "same"]
    assert changed == [before.strip("£ %"), after.strip("£ %")]


# --- comparison --------------------------------------------------------------------------------


@functools.cache
def offers(*, version: bool) -> HandMadeGraph:
    edges = [{"source": "id-v1.txt", "target": "id-v2.txt", "type": "version"}] if version else []
    return HandMadeGraph(
        [
            Written("v1.txt", [f"{ACME} pays [[amount:GBP:500|£500]] a day.", "Weather is fine."]),
            Written("v2.txt", [f"{ACME} pays [[amount:GBP:700|£700]] a day.", "Weather is bad."]),
        ],
        edges=edges,
    )


def test_a_comparison_names_what_both_and_what_one_alone_says() -> None:
    source = offers(version=False)
    a, b = source.documents
    result = comparison(
        source, a, b, "payment",
        passages_a=((source.chunks_of(a)[0], 0.9),),
        passages_b=((source.chunks_of(b)[0], 0.8),),
        chunks_of=source.chunks_of,
    )  # fmt: skip
    assert [e.name for e in result.shared_entities] == ["Acme Corp"]
    assert [e.name for e in result.only_a] == ["£500"]
    assert [e.name for e in result.only_b] == ["£700"]
    assert result.similarity is not None
    assert 0.5 < result.similarity <= 1
    assert (result.changes, result.notes) == (None, ())


def test_versions_are_compared_on_the_topic_only() -> None:
    source = offers(version=True)
    old, new = source.documents
    result = comparison(
        source, new, old, "payment", passages_a=((source.chunks_of(new)[0], 1.0),), passages_b=(),
        chunks_of=source.chunks_of,
    )  # fmt: skip
    assert result.changes is not None
    assert (result.changes.before.name, result.changes.after.name) == ("v1.txt", "v2.txt")
    assert [c.after and c.after.text for c in result.changes.changes] == [
        "Acme Corp pays £700 a day."
    ]
    (note,) = result.notes
    assert "v1.txt" in note
    assert "payment" in note


def test_a_comparison_needs_a_topic_and_two_documents() -> None:
    source = offers(version=False)
    a, b = source.documents
    for documents, topic in (((a, b), " "), ((a, a), "fee")):
        with pytest.raises(UsageError) as caught:
            comparison(
                source, *documents, topic, passages_a=(), passages_b=(), chunks_of=source.chunks_of
            )
        assert caught.value.hint
