"""Passages related to those of a search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.graph.relations.expand import Expansion, expand
from casetrack.graph.relations.neighbours import build
from graph.fakes import HandMadeGraph, Written

if TYPE_CHECKING:
    from collections.abc import Callable

HALYARD, RELAY = "[[organization:halyard|Halyard]]", "[[concept:relay-k17|relay K17]]"


def made(**chunks: list[str]) -> HandMadeGraph:
    return HandMadeGraph([Written(f"{name}.txt", texts) for name, texts in chunks.items()])


def test_chunks_with_the_same_rare_names_and_why() -> None:
    graph = made(
        a=[f"{HALYARD} bridged {RELAY}", f"beside: {HALYARD}", f"not beside: {HALYARD}"],
        b=["x", f"{RELAY} was bridged by {HALYARD}"],
        c=["nothing"],
    )
    result = expand(graph, ["000-000"], neighbours=None)
    # Halyard is in four chunks, the relay in two.
    assert [row[:2] for row in result] == [("001-001", 0.75), ("000-002", 0.25)]
    assert ["relay K17" in reason for *_, reason in result] == [True, False]
    assert all("Halyard" in reason for *_, reason in result)
    assert expand(graph, ["000-000"], limit=1, neighbours=None) == result[:1]
    assert expand(graph, ["000-000", "001-001"], neighbours=None) == result[1:]


def test_more_names_are_counted() -> None:
    text = " ".join(f"[[person:p{i}|P{i}]]" for i in range(4))
    ((*_, reason),) = expand(made(a=[text], b=[text]), ["000-000"], neighbours=None)
    assert [name in reason for name in ("P0", "P1", "P2", "P3")] == [True, True, False, False]


def test_nearness_counts_and_repeats_are_left_out() -> None:
    lease = "The tenant pays the rent on the first working day of each month in advance"
    graph = made(a=[lease], b=[f"{lease} always"], c=[lease], d=["fish swim in rivers"])
    result = Expansion(graph, build(graph.chunk_vectors())).expand(["000-000"])
    assert [chunk for chunk, *_ in result] == ["001-000"]
    assert 0.5 < result[0][1] < 1


def test_both_reasons_add_up(messages: Callable[[str], None]) -> None:
    lease = "The tenant pays the rent on the first working day of each month in advance to "
    graph = made(a=[lease + HALYARD], b=[lease + HALYARD + " always"], c=["x " + HALYARD])
    near = build(graph.chunk_vectors())
    result = expand(graph, ["000-000"], neighbours=near)
    messages("\n".join(f"{chunk} {reason}" for chunk, _, reason in result))
    assert 1 / 3 < result[0][1] <= 1


def test_what_is_mentioned_everywhere_leads_nowhere() -> None:
    graph = HandMadeGraph([Written(f"{i:03}.txt", [HALYARD]) for i in range(51)])
    assert expand(graph, ["000-000"], neighbours=None) == []
    graph = HandMadeGraph([Written(f"{i:03}.txt", [HALYARD]) for i in range(50)])
    result = expand(graph, ["000-000"], limit=3, neighbours=None)
    # Equally strong: by id.
    assert [chunk for chunk, _, _ in result] == ["001-000", "002-000", "003-000"]


def test_unknown_chunks_and_no_chunks_lead_nowhere() -> None:
    graph = made(a=[HALYARD], b=[HALYARD])
    assert expand(graph, ["gone"], neighbours=None) == []
    assert expand(graph, [], neighbours=None) == []
    assert expand(graph, ["000-000"], limit=0, neighbours=None) == []
    assert expand(made(), ["x"], neighbours=None) == []
