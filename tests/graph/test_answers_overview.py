"""A collection at a glance: topics, counts, summary."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casetrack.base import schema
from casetrack.graph.answers.sentence import sentence_around, sentences
from casetrack.graph.answers.statistics import statistics, topic_records
from casetrack.graph.answers.summary import version_chains
from casetrack.graph.passages import Vectors
from casetrack.graph.topics.build import distinctive_terms, sampled, topics
from graph.fakes import HandMadeGraph, Written

SUBJECTS = {
    "rent": "the tenant pays the [[concept:monthly-rent|monthly rent]] and a deposit to the owner",
    "outage": "the [[concept:server-outage|server outage]] stopped the network and its backup disk",
    "goods": "pallets of [[concept:frozen-goods|frozen goods]] were condemned in the cold store",
}


def corpus(*, vectors: bool = True) -> HandMadeGraph:
    return HandMadeGraph(
        [
            Written(
                f"{name}-{i}.txt",
                [
                    f"Notice {i}.{j}: {text}, says [[person:ann;director|Ann Lee]] of "
                    "[[organization:acme|Acme Corp]]."
                    for j in range(3 + (name == "rent"))
                ],
                type="contract" if name == "rent" else None,
            )
            for name, text in SUBJECTS.items()
            for i in range(4)
        ],
        vectors=vectors,
    )


@pytest.mark.parametrize("vectors", [True, False])
def test_topics_are_the_subjects_of_the_passages(vectors: bool) -> None:
    source = corpus(vectors=vectors)
    table = topics(source)
    assert table.schema.equals(schema.table("topics").arrow())
    rows = table.to_pylist()
    assert {r["label"] for r in rows} >= {"Monthly rent", "Server outage", "Frozen goods"}
    assert rows[0]["topic_id"] == "topic-1"
    assert [r["chunk_count"] for r in rows] == sorted(
        (r["chunk_count"] for r in rows), reverse=True
    )
    assert sum(r["chunk_count"] for r in rows) == 4 * (4 + 3 + 3)
    rent = next(r for r in rows if r["label"] == "Monthly rent")
    assert {i.rpartition("-")[0] for i in rent["document_ids"]} == {"id-rent"}
    assert len(rent["chunk_ids"]) == 5


def test_topic_records_quote_typical_passages() -> None:
    source = corpus()
    source.set_table("topics", topics(source))
    result = topic_records(source)
    assert all(
        "monthly rent" in q.text for t in result if t.label == "Monthly rent" for q in t.quotes
    )
    assert all(len(t.quotes) == 3 for t in result)


def test_topics_do_not_depend_on_the_order_of_documents() -> None:
    source = corpus()
    again = HandMadeGraph(list(reversed(source._written)))
    assert topics(source).equals(topics(again))


@pytest.mark.parametrize("most", [1, 2])
def test_at_most_so_many_topics(most: int) -> None:
    assert topics(corpus(), most=most).num_rows <= most


def test_a_collection_without_phrases_or_passages_has_topics_or_none() -> None:
    bare = HandMadeGraph([Written("a.txt", ["One sentence here.", "Another one there."])])
    (rest,) = topics(bare).to_pylist()
    assert (rest["chunk_count"], bool(rest["label"])) == (2, True)
    without = HandMadeGraph([Written("a.txt", ["One sentence here."])], vectors=False)
    assert topics(without).num_rows == 0
    assert topics(HandMadeGraph([])).num_rows == 0


def test_the_sample_depends_on_the_chunks_only() -> None:
    ids = tuple(f"chunk-{i}" for i in range(1000))
    documents = np.repeat(np.arange(5, dtype=np.int32), (960, 10, 10, 10, 10))
    usable, codes = np.ones(1000, bool), np.zeros((1000, 1), np.int8)
    of = Vectors(ids, documents, codes, usable.astype(np.float32))
    chosen = sampled(of, usable, 100)
    turned = replace(of, ids=ids[::-1], documents=documents[::-1])
    assert {ids[-1 - i] for i in sampled(turned, usable, 100)} == {ids[i] for i in chosen}
    # Each document has its share of the sample.
    assert np.bincount(documents[chosen]).tolist() == [20, 10, 10, 10, 10]


def test_terms_that_all_groups_share_say_nothing() -> None:
    groups = [
        [(document, [name, "notice", f"{name}-{i}"]) for document, i in ((0, 1), (1, 2), (1, 3))]
        for name in ("rent", "server")
    ]
    assert [terms[0] for terms in distinctive_terms(groups)] == ["rent", "server"]


def test_what_one_of_many_documents_repeats_names_no_group() -> None:
    repeated = [(0, ["running head", "rent", str(i)]) for i in range(9)]
    others = [(document, ["rent", "deposit", f"{document}"]) for document in range(1, 10)]
    copies = [(10, ["copied words", "a copy"])] * 12
    other_group = [(document, ["server", str(document)]) for document in range(4)]
    (terms, _) = distinctive_terms([[*repeated, *others, *copies], other_group])
    assert terms[:2] == ["rent", "deposit"]
    assert "copied words" not in terms


@pytest.mark.slow
def test_statistics_count_everything_once() -> None:
    source = corpus()
    result = statistics(source, storage_bytes=123)
    assert (result.document_count, result.chunk_count, result.storage_bytes) == (12, 40, 123)
    assert result.document_types == {"unknown": 8, "contract": 4}
    assert result.file_formats == {"txt": 12}
    assert result.entity_counts == {
        "person": 1, "organization": 1, "location": 0, "date": 0, "amount": 0, "concept": 3
    }  # fmt: skip
    assert result.mention_count == 120
    assert result.embedder_coverage == {"dense": 1.0, "names": 1.0}
    assert (result.notes, result.last_updated) == (("A note.",), "2025-01-02T03:04:05Z")
    bare = statistics(corpus(vectors=False), storage_bytes=0)
    assert bare.embedder_coverage == {"dense": 0.0, "names": 1.0}
    (note,) = bare.notes[1:]
    assert note.count("40") == 2


def case() -> HandMadeGraph:
    version = {"type": "version"}
    return HandMadeGraph(
        [
            Written("Draft 1.txt", [("[[person:ann|Ann]] drafted it on [[date:2024-01-05|5 January "
                                    "2024]] as agreed.")], type="contract"),
            Written("Draft 2.txt", ["[[person:ann|Ann]] again, under [[ref standard:iso|ISO 1]]."],
                    type="contract"),
            Written("Final.txt", [("[[person:ann;seller|Ann Lee]], the seller, signed on "
                                  "[[date:2024-03-12|12 March 2024]]."),
                                  "[[organization:acme|Acme]] paid."], type="contract"),
            Written("Note.txt", ["[[location:paris|Paris]] is nice, see [[ref section:s|§ 1]]."]),
        ],
        edges=[
            {"source": "id-Draft 2.txt", "target": "id-Final.txt"} | version,
            {"source": "id-Draft 1.txt", "target": "id-Draft 2.txt"} | version,
        ],
    )  # fmt: skip


def test_versions_that_go_round_still_come_out() -> None:
    edges = [{"source": a, "target": b, "type": "version"}
             for a, b in (("id-a.txt", "id-b.txt"), ("id-b.txt", "id-a.txt"))]  # fmt: skip
    source = HandMadeGraph([Written("a.txt", ["One."]), Written("b.txt", ["Two."])], edges=edges)
    assert [[d.name for d in chain] for chain in version_chains(source)] == [["a.txt", "b.txt"]]


@pytest.mark.parametrize(
    ("text", "word", "sentence"),
    [
        ("One. Two is here. Three.", "Two", "Two is here."),
        ("Head\n\nSigned\non 5 May in\nfull. More.", "5 May", "Signed\non 5 May in\nfull."),
        ("- **3 Sep.** Bats found.\n- **5 Sep.** Gone.", "Bats", "- **3 Sep.** Bats found."),
        ("Mr A. Whitlock\nGranary House\nAldermere", "Granary", "Granary House"),
        ("Sent: 5 May 2024\nTo: Priya\nSubject: Update", "5 May", "Sent: 5 May 2024"),
        ("a | b\nc | d", "d", "c | d"),
        ("It pays (56 Fed. Reg. 461). (n) It signs. (o) It ends.", "signs", "(n) It signs."),
    ],
)
def test_the_sentence_around_a_place(text: str, word: str, sentence: str) -> None:
    start = text.index(word)
    low, high = sentence_around(text, start, start + len(word))
    assert text[low:high] == sentence
    assert (low, high) in list(sentences(text)) or "**" in sentence
