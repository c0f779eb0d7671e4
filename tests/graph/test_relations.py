"""Edges between documents, chunks and entities, over hand-made graphs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from casetrack.base import schema
from casetrack.graph.relations.documents import document_edges
from casetrack.graph.relations.entities import chunk_edges, entity_edges
from casetrack.graph.relations.neighbours import build
from graph.fakes import HandMadeGraph, Written

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

NOW = datetime(2024, 5, 1, tzinfo=UTC)
LEASE = (
    "The tenant pays the rent on the first working day of each month in advance and keeps the "
    "premises insured against fire and water at its own cost for the whole of the term "
)
MINUTES = "Present were the directors and the secretary and the minutes were read and agreed "


def graph(
    documents: dict[str, Sequence[str]],
    facts: dict[str, dict[str, Any]] | None = None,
    *,
    reverse: bool = False,
    **options: Any,
) -> HandMadeGraph:
    """Documents by name with their marked chunks; *facts* are fields of single ones."""
    written = [Written(name, list(chunks)) for name, chunks in documents.items()]
    made = HandMadeGraph(written[::-1] if reverse else written, **options)
    made.documents = tuple(
        replace(d, file_hash=f"hash of {d.name}", file_modified_at=NOW + timedelta(days=i))
        for i, d in enumerate(made.documents)
    )
    made.documents = tuple(replace(d, **(facts or {}).get(d.name, {})) for d in made.documents)
    return made


def edges(table: pa.Table, *types: str) -> list[tuple[str, str, str]]:
    assert table.schema == schema.table("edges").arrow()
    return [
        (r["source_id"].removeprefix("id-"), r["target_id"].removeprefix("id-"), r["type"])
        for r in table.to_pylist()
        if not types or r["type"] in types
    ]


def only(table: pa.Table, type_: str) -> dict[str, Any]:
    rows = [r for r in table.to_pylist() if r["type"] == type_]
    assert len(rows) == 1, rows
    return rows[0]


# --- documents: shared names --------------------------------------------------------------------


def test_three_shared_names_join_documents_and_two_do_not() -> None:
    three = "[[person:a|Ada]] [[organization:b|Bond]] [[location:c|Cork]]"
    two = "[[person:a|Ada]] [[organization:b|Bond]] [[date:2024-01-01|then]]"
    texts = {"a.txt": ["nothing here", three], "b.txt": [three], "c.txt": [two]}
    table = document_edges(graph(texts, vectors=False))
    assert edges(table) == [("a.txt", "b.txt", "shared_entities")]
    row = only(table, "shared_entities")
    assert (row["count"], row["directed"], row["source_kind"]) == (3, False, "document")
    # Both name nothing else, so all that they have is shared.
    assert row["weight"] == 1.0
    # Of the rarest shared names the chunks of both.
    assert row["evidence"] == ["000-001", "001-000"]


def test_rare_names_weigh_more_than_common_ones() -> None:
    common = "[[person:a|Ada]] [[person:b|Bob]] [[person:c|Cyd]]"
    rare = "[[person:x|Xia]] [[person:y|Yan]] [[person:z|Zoe]]"
    texts = {f"{i}.txt": [f"{common} [[person:n{i}|Nil]]"] for i in range(8)}
    texts |= {"r1.txt": [f"{rare} [[person:n1r|Nil]]"], "r2.txt": [f"{rare} [[person:n2r|Nil]]"]}
    rows = document_edges(graph(texts, vectors=False)).to_pylist()
    weights = {(r["source_id"], r["target_id"]): r["weight"] for r in rows}
    assert weights["id-r1.txt", "id-r2.txt"] > weights["id-0.txt", "id-1.txt"] > 0


def test_names_in_nearly_all_documents_join_nothing() -> None:
    everywhere = "[[person:a|Ada]] [[person:b|Bob]] [[person:c|Cyd]]"
    few = graph({f"{i:02}.txt": [everywhere] for i in range(50)}, vectors=False)
    many = graph({f"{i:02}.txt": [everywhere] for i in range(51)}, vectors=False)
    assert len(document_edges(few)) > 0
    assert len(document_edges(many)) == 0


def test_a_document_keeps_its_twenty_strongest_and_those_that_keep_it() -> None:
    three = "[[person:a|Ada]] [[person:b|Bob]] [[person:c|Cyd]]"
    made = graph({f"{i:02}.txt": [three] for i in range(30)}, vectors=False)
    ends = [end for edge in edges(document_edges(made)) for end in edge[:2]]
    # All are equally strong: each takes the first twenty others, and the last are taken by none.
    assert ends.count("29.txt") == 20
    assert ends.count("00.txt") == 29


def test_shared_references_are_of_things_outside() -> None:
    made = graph(
        {
            "a.txt": ["x", "[[ref standard:iso-9001|ISO 9001]] [[ref section:1@a|clause 1]]"],
            "b.txt": ["[[ref standard:iso-9001|ISO 9001:2015]] [[ref section:1@a|clause 1]]"],
            "c.txt": ["[[ref section:1@a|clause 1]] [[ref case:roe;open|id.]]"],
            "d.txt": ["[[ref case:roe|Roe v. Wade]] [[ref link:x|example.org]]"],
            "e.txt": ["[[ref link:x|example.org]]"],
        },
        vectors=False,
    )
    table = document_edges(made)
    assert edges(table) == [("a.txt", "b.txt", "shared_references")]
    assert only(table, "shared_references")["evidence"] == ["000-001", "001-000"]


def test_documents_of_nearly_the_same_words_are_semantic_neighbours() -> None:
    made = graph(
        {"a.txt": [LEASE], "b.txt": [LEASE + "annually"], "c.txt": ["Fish swim in rivers"]}
    )
    table = document_edges(made)
    assert edges(table) == [("a.txt", "b.txt", "semantic")]
    row = only(table, "semantic")
    assert (row["evidence"], row["count"]) == ([], 1)
    assert 0.75 <= row["weight"] <= 1


# --- documents: places, names and files ---------------------------------------------------------


def test_a_reference_to_a_document_is_an_edge_with_its_places() -> None:
    lease = "[[ref document:b.txt|the Lease]]"
    texts = [f"see {lease}", f"as {lease} and [[ref document:a.txt|this letter]]"]
    table = document_edges(graph({"a.txt": texts, "b.txt": ["x"]}, vectors=False))
    assert edges(table) == [("a.txt", "b.txt", "explicit")]
    row = only(table, "explicit")
    assert (row["directed"], row["count"], row["evidence"]) == (True, 2, ["000-000", "000-001"])
    assert row["weight"] == pytest.approx(0.9)


@pytest.mark.parametrize(
    ("relationship", "edge"),
    [
        ("amends", ("b.txt", "a.txt", "amends")),
        ("supersedes", ("b.txt", "a.txt", "amends")),
        ("responds_to", ("b.txt", "a.txt", "response_to")),
        ("attaches", ("a.txt", "b.txt", "attachment")),
    ],
)
def test_what_the_text_says_that_it_does(relationship: str, edge: tuple[str, str, str]) -> None:
    made = graph(
        {"a.txt": ["x"], "b.txt": [f"[[ref document:a.txt;{relationship}|that]]"]}, vectors=False
    )
    assert edges(document_edges(made)) == sorted(
        [("b.txt", "a.txt", "explicit"), edge], key=lambda e: e[2]
    )


def test_open_and_repeated_places_say_nothing() -> None:
    written = Written("b.txt", ["see [[ref document:a.txt|that]]"], repeated={(0, "that")})
    made = HandMadeGraph([Written("a.txt", ["x"]), written], vectors=False)
    made.documents = tuple(replace(d, file_hash=d.name) for d in made.documents)
    assert edges(document_edges(made)) == []
    made = graph({"a.txt": ["x"], "b.txt": ["[[ref document:a.txt;open|that]]"]}, vectors=False)
    assert edges(document_edges(made)) == []


def test_what_is_attached_leads_to_its_mail() -> None:
    made = graph(
        {"mail.eml": ["see attached"], "plan.pdf": ["x"], "lost.pdf": ["y"]},
        {"plan.pdf": {"parent_id": "id-mail.eml"}, "lost.pdf": {"parent_id": "gone"}},
        vectors=False,
    )
    table = document_edges(made)
    assert edges(table) == [("plan.pdf", "mail.eml", "attachment")]
    assert only(table, "attachment")["evidence"] == ["002-000"]


def test_an_amendment_names_what_it_amends() -> None:
    made = graph(
        {"Amendment No 1.docx": ["x"], "Lease of Mill Road.pdf": ["y"], "Other.pdf": ["z"]},
        {"Amendment No 1.docx": {"title": "First Amendment to the Lease of Mill Road"}},
        vectors=False,
    )
    assert edges(document_edges(made)) == [
        ("Amendment No 1.docx", "Lease of Mill Road.pdf", "amends")
    ]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["2024-10-21 Notice of Claim.docx", "2024-11-04 Reply to Notice of Claim.pdf"], [(1, 0)]),
        (["Notice of Claim.docx", "Response to the Notice of Claim.pdf"], [(1, 0)]),
        # Two notices of claim: which one is answered is not known.
        (["1 May 2024 Claim.docx", "2 May 2024 Claim.docx", "Reply to Claim.pdf"], []),
        # A mail cannot answer a later one.
        (["2024-12-21 Notice of Claim.docx", "2024-11-04 Reply to Notice of Claim.pdf"], []),
        (["Notice of Claim.docx", "Reply to Notice of Default.pdf"], []),
    ],
)
def test_a_reply_by_its_name(names: list[str], expected: list[tuple[int, int]]) -> None:
    made = graph({name: [f"text {i}"] for i, name in enumerate(names)}, vectors=False)
    assert edges(document_edges(made), "response_to") == [
        (names[a], names[b], "response_to") for a, b in expected
    ]


ADA, BO = "ada@x.org", "bo@x.org"


def mail(day: int, subject: str, sender: str, to: str, **more: str) -> dict[str, Any]:
    facts = {"from": sender, "to": to, "subject": subject, "message_id": f"<{day}@x>", **more}
    when = {"content_created_at": NOW + timedelta(days=day)}
    return when | {"properties": tuple(facts.items()), "title": subject}


RENT, OTHER, ANSWER = mail(1, "Rent", ADA, BO), mail(1, "Rent", "cy@x.org", BO), "Re: Rent"
MAILS = {
    "by its id": ([RENT, mail(2, "Other", BO, ADA, in_reply_to="<1@x>")], [(1, 0)]),
    "by its subject": (
        [mail(1, "Rent due", "Ada <ada@x.org>", BO), mail(2, "RE: AW: rent  due", BO, "ADA@x.org")],
        [(1, 0)],
    ),
    "what it answers is not here": ([RENT, mail(2, ANSWER, BO, ADA, in_reply_to="<99@x>")], []),
    "two came before": ([RENT, mail(2, "Rent", ADA, BO), mail(3, ANSWER, BO, ADA)], []),
    "of two by its addressee": ([RENT, OTHER, mail(3, ANSWER, BO, ADA)], [(2, 0)]),
    "it came before": ([mail(5, "Rent", ADA, BO), mail(3, ANSWER, BO, ADA)], []),
    "no answer": ([RENT, mail(3, "Rent", BO, ADA)], []),
}


@pytest.mark.parametrize(("mails", "expected"), MAILS.values(), ids=MAILS)
def test_a_mail_answers_one_mail(
    mails: list[dict[str, Any]], expected: list[tuple[int, int]]
) -> None:
    facts = {f"mail{i}.eml": messages for i, messages in enumerate(mails)}
    made = graph({name: [f"words {name}"] for name in facts}, facts, vectors=False)
    assert edges(document_edges(made), "response_to") == [
        (f"mail{a}.eml", f"mail{b}.eml", "response_to") for a, b in expected
    ]


# --- documents: versions ------------------------------------------------------------------------


def versions(names: Sequence[str], texts: Sequence[str], **facts: Any) -> list[tuple[str, str]]:
    made = graph({n: [t] for n, t in zip(names, texts, strict=True)}, facts.get("facts"))
    result = edges(document_edges(made), "version")
    return [(a, b) for a, b, _ in result]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "names",
    [
        ["Lease v2.docx", "Lease v10.docx", "Lease v11.docx"],
        ["Lease draft.docx", "Lease v2.docx", "Lease final.pdf"],
        ["Lease_Draft.docx", "Lease.docx", "Lease (signed).pdf"],
        ["Lease rev A.docx", "Lease rev B.docx", "Lease rev C.docx"],
        ["2024-01-05 Lease.docx", "2024-02-05 Lease.docx", "2024-03-05 Lease.docx"],
        ["Lease 5 January 2024.docx", "Lease 1 March 2024.docx", "Lease April 2, 2024.docx"],
    ],
)
def test_versions_form_a_chain_from_the_earliest(names: list[str]) -> None:
    texts = [LEASE + "Signed.", LEASE + "Signed here.", LEASE + "Signed twice."]
    expected = sorted([(names[0], names[1]), (names[1], names[2])])
    assert versions(names, texts) == expected
    assert versions(names[::-1], texts) == expected


def test_equal_names_go_by_their_own_dates_then_by_the_files() -> None:
    names, texts = ["Lease.docx", "Lease.pdf"], [LEASE, LEASE + "Signed."]
    assert versions(names, texts) == [("Lease.docx", "Lease.pdf")]
    days = {"Lease.docx": timedelta(days=9), "Lease.pdf": timedelta()}
    written = {name: {"content_created_at": NOW + after} for name, after in days.items()}
    assert versions(names, texts, facts=written) == [("Lease.pdf", "Lease.docx")]


@pytest.mark.parametrize(
    ("names", "texts"),
    [
        # The same form for two meetings.
        (
            ["Minutes 2024-01-30.docx", "Minutes 2024-02-27.docx"],
            [MINUTES + "It was resolved to buy two cranes from the lowest bidder by June",
             MINUTES + "The chair reported on a leaking roof and a fire drill in hall five"],
        ),
        (["Invoice TS-0187.pdf", "Invoice TS-0188.pdf"], [LEASE, LEASE]),
        (["Amendment No 1.docx", "Amendment No 2.docx"], [LEASE, LEASE]),
        (["Notes v1.txt", "Notes v2.txt"], ["fish swim in cold rivers and lakes", LEASE]),
        (["Cover letter.pdf", "Cover letter.docx"], ["we enclose the plans of the mill", LEASE]),
        (["2024-01-05.pdf", "2024-01-06.pdf"], [LEASE, LEASE + "Signed."]),
    ],
)  # fmt: skip
def test_what_is_not_a_version(names: list[str], texts: list[str]) -> None:
    assert versions(names, texts) == []


def test_copies_are_joined_and_the_first_stands_for_them() -> None:
    names = ["Exhibit B.docx", "Lease v1.docx", "Lease v2.docx"]
    same = {n: {"file_hash": "same", "file_modified_at": NOW} for n in names[:2]}
    made = graph(dict(zip(names, [[LEASE], [LEASE], [LEASE + "Signed."]], strict=True)), same)
    rows = [r for r in document_edges(made).to_pylist() if r["type"] == "version"]
    actual = [(r["source_id"], r["target_id"], r["count"]) for r in rows]
    assert actual == [
        ("id-Exhibit B.docx", "id-Lease v1.docx", 0),
        ("id-Exhibit B.docx", "id-Lease v2.docx", 1),
    ]
    assert rows[0]["weight"] == 1.0
    assert rows[1]["evidence"] == ["000-000", "002-000"]


def test_titles_tell_versions_where_names_do_not() -> None:
    names = ["scan1.pdf", "doc77.pdf"]
    titles = {n: {"title": f"Lease of Mill Road, version {i}"} for i, n in enumerate(names, 1)}
    assert versions(names, [LEASE, LEASE + "Signed."], facts=titles) == [tuple(names)]


# --- chunks -------------------------------------------------------------------------------------


def test_similar_chunks_show_both_ends() -> None:
    made = graph({"a.txt": [LEASE, "fish"], "b.txt": ["rivers", LEASE + "annually"]})
    table = chunk_edges(made, build(made.chunk_vectors()))
    assert edges(table) == [("000-000", "001-001", "similar")]
    row = only(table, "similar")
    assert row["evidence"] == ["000-000", "001-001"]
    assert 0.8 <= row["weight"] < 1
    assert edges(chunk_edges(made, None)) == []


def test_a_rare_name_joins_chunks_that_are_not_next_to_each_other() -> None:
    iso = ["[[ref standard:iso-1|ISO 1]] [[concept:rent|rent]]"]
    texts = {"a.txt": ["[[person:a|Ada]]"] * 3, "b.txt": iso, "c.txt": iso}
    table = chunk_edges(graph(texts, vectors=False), None)
    ends = [("000-000", "000-002"), ("001-000", "002-000")]
    assert edges(table) == [(*both, "coreference") for both in ends]
    assert table["weight"].to_pylist() == pytest.approx([1 / 3, 1 / 2])
    assert table["count"].to_pylist() == [1, 1]
    assert table["evidence"].to_pylist()[1] == ["001-000", "002-000"]


def test_shares_add_up_to_one_at_most() -> None:
    three = "[[person:a|Ada]] [[person:b|Bob]] [[person:c|Cyd]]"
    row = only(chunk_edges(graph({"a.txt": [three], "b.txt": [three]}, vectors=False), None),
               "coreference")  # fmt: skip
    assert (row["weight"], row["count"]) == (1.0, 3)


def test_a_name_in_nine_chunks_is_not_rare() -> None:
    eight = graph({f"{i}.txt": ["[[person:a|Ada]]"] for i in range(8)}, vectors=False)
    nine = graph({f"{i}.txt": ["[[person:a|Ada]]"] for i in range(9)}, vectors=False)
    assert len(chunk_edges(eight, None)) == 28
    assert len(chunk_edges(nine, None)) == 0


# --- entities -----------------------------------------------------------------------------------


def test_names_of_one_chunk_occur_together() -> None:
    near = "[[person:b|Bob]] [[person:a|Ada]] [[date:2024|2024]] [[person:a|Ada]]"
    texts = ["[[person:a|Ada]] and a long way from here [[person:b|Bob]]", near]
    rent = ["[[person:a|Ada]] [[concept:rent|rent]]"]
    made = graph({"a.txt": texts, "b.txt": rent}, vectors=False)
    table = entity_edges(made)
    assert edges(table) == [
        ("concept:rent", "person:a", "co_occurrence"),
        ("person:a", "person:b", "co_occurrence"),
    ]
    row = table.to_pylist()[1]
    # Dice's coefficient of 3 and 2 chunks with 2 in common is 0.8; two chunks count two thirds.
    assert row["weight"] == pytest.approx(0.8 * 2 / 3)
    assert (row["count"], row["source_kind"], row["directed"]) == (2, "entity", False)
    # The pair with the smallest distance comes first.
    assert row["evidence"] == ["000-001", "000-000"]


def test_a_repeated_mention_counts_once() -> None:
    written = Written(
        "a.txt", ["[[person:a|Ada]] [[person:b|Bob]]"] * 2, repeated={(1, "Ada"), (1, "Bob")}
    )
    assert only(entity_edges(HandMadeGraph([written])), "co_occurrence")["count"] == 1


def test_evidence_is_five_chunks_at_most() -> None:
    both = "[[person:a|Ada]] [[person:b|Bob]]"
    row = only(entity_edges(graph({"a.txt": [both] * 9}, vectors=False)), "co_occurrence")
    assert (row["count"], len(row["evidence"])) == (9, 5)


def test_a_concept_that_is_everywhere_connects_nothing() -> None:
    common = "[[concept:rent|rent]] [[person:p|Pat]] [[person:q|Quy]]"
    made = graph({"a.txt": [common] * 6 + ["[[concept:roof|roof]] [[person:p|Pat]]"] * 2},
                 vectors=False)  # fmt: skip
    # Rent is in 6 of 8 chunks, and so is Pat, who may connect to names but not to concepts.
    assert edges(entity_edges(made)) == [("person:p", "person:q", "co_occurrence")]


def test_a_page_of_names_is_bounded_to_its_rarest() -> None:
    page = " ".join(f"[[person:n{i:03}|N{i}]]" for i in range(100))
    common = " ".join(f"[[person:n{i:03}|N{i}]]" for i in range(60))
    table = entity_edges(graph({"a.txt": [page, common]}, vectors=False))
    ends = {end for a, b, _ in edges(table) for end in (a, b)}
    # The first page pairs its own forty; the second one its first forty.
    assert ends == {f"person:n{i:03}" for i in range(100) if i < 40 or i >= 60}
    assert table.num_rows <= 2 * 40 * 39 // 2


# --- all of them --------------------------------------------------------------------------------


@pytest.mark.slow
def test_nothing_depends_on_the_order_in_which_documents_came() -> None:
    chance = np.random.default_rng(5)
    names = ["Lease v1.docx", "Lease v2.docx", "Reply to Lease.pdf", "b.txt", "c.txt", "d.txt"]
    texts = {
        name: [
            LEASE + " ".join(f"[[person:p{i}|P{i}]]" for i in chance.integers(0, 12, 5))
            + " [[ref standard:iso-1|ISO 1]]"
            for _ in range(3)
        ]
        for name in names
    }  # fmt: skip
    one, other = graph(texts), graph(texts, reverse=True)
    result = [
        (document_edges(g), chunk_edges(g, build(g.chunk_vectors())), entity_edges(g))
        for g in (one, other)
    ]
    assert all(a.equals(b) for a, b in zip(*result, strict=True))
    assert all(len(table) for table in result[0])
    for table in result[0]:
        keys = list(zip(*(table[c].to_pylist() for c in ("source_id", "target_id", "type")),
                        strict=True))  # fmt: skip
        assert len(set(keys)) == len(keys)
        assert all(a < b for a, b, t in keys if t in {"similar", "coreference", "co_occurrence"})
        weights = table["weight"].to_pylist()
        assert min(weights) > 0
        assert max(weights) <= 1


def test_an_empty_collection_has_no_edges() -> None:
    made = graph({})
    chunks = chunk_edges(made, build(made.chunk_vectors()))
    assert [edges(t) for t in (document_edges(made), entity_edges(made), chunks)] == [[], [], []]


def test_what_every_third_document_mentions_makes_none_belong_together() -> None:
    common = "[[location:leeds|Leeds]] [[concept:notice|notice]] [[concept:payment|payment]]"
    texts = {f"{n:02}.txt": [f"{common} [[person:p{n}|Person {n}]]"] for n in range(12)}
    assert edges(document_edges(graph(texts, vectors=False))) == []
    few = {name: texts[name] for name in ("00.txt", "01.txt")}
    assert edges(document_edges(graph(few, vectors=False))) == [
        ("00.txt", "01.txt", "shared_entities")
    ]


def test_the_mere_title_of_a_document_is_little_to_share() -> None:
    title, dated = "supply-agreement", "supply-agreement:2031-05-04"
    keys = {"a.txt": title, "b.txt": title, "c.txt": dated, "d.txt": dated}
    made = {name: [f"[[ref document:{key}|the Supply Agreement]]"] for name, key in keys.items()}
    table = document_edges(graph(made, vectors=False))
    weights = [round(row["weight"], 2) for row in table.to_pylist()]
    assert edges(table) == [
        ("a.txt", "b.txt", "shared_references"),
        ("c.txt", "d.txt", "shared_references"),
    ]
    assert weights == [0.25, 1.0]
