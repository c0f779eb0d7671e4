"""Statements that count and list, against plain definitions, over graphs of Hypothesis."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.graph.answers.rows import ask
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

chunks = st.lists(st.sampled_from(MARKS), min_size=1, max_size=6).map(" and ".join)


@st.composite
def graphs(draw: st.DrawFn) -> HandMadeGraph:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    written = []
    for name in names:
        texts = draw(st.lists(chunks, min_size=1, max_size=3))
        # The overlap of two consecutive chunks counts once.
        again = {(1, text) for text in ("Ann", "ISO 1", "2024") if f"|{text}]]" in texts[0]}
        kind = draw(st.sampled_from(("contract", None)))
        written.append(
            Written(name, texts, type=kind, repeated=draw(st.sampled_from((set(), again))))
        )
    ends = st.sampled_from([f"id-{name}" for name in names])
    drawn = draw(st.lists(st.tuples(ends, ends, st.sampled_from(TYPES)), max_size=6, unique=True))
    edges = [
        {"source": one, "target": two, "type": type_, "weight": 0.5}
        for one, two, type_ in drawn
        if one != two
    ]
    graph = HandMadeGraph(written, edges=edges)
    sure = draw(st.lists(st.sampled_from((0.5, 0.7, 0.9)), min_size=3, max_size=3))
    for name in ("mentions", "dates", "amounts", "citations"):
        graph.set_column(name, "confidence", sure)
    return graph


def asker(graph: HandMadeGraph) -> Callable[..., list[dict[str, Any]]]:
    return lambda name, **values: ask(graph, name, **values).to_pylist()


@pytest.mark.slow
@given(graph=graphs())
@SETTINGS
def test_counts_and_lists_are_as_defined(graph: HandMadeGraph) -> None:
    defined, rows = Definitions(graph), asker(graph)
    all_of_them = {"named": None, "skip": 0, "limit": None}
    by_name = {(r["measure"], r["value"]): r["count"] for r in rows("statistics") if r["count"]}
    assert by_name == defined.statistics()
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
