"""The context graph of the sample case file against notes of a careful reader."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from api.evaluate.graph_truth import Report, load_truth, rows_of, score_graph
from casetrack.graph.opened import graph_of

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

NOTES = Path(__file__).parents[3] / "data-samples" / "graph.toml"


@pytest.fixture(scope="module")
def truth() -> dict[str, Any]:
    """Return the notes."""
    return load_truth(NOTES)


@pytest.fixture(scope="module")
def report(demo: Collection, truth: dict[str, Any]) -> Report:
    """Return the scores of the current graph."""
    return score_graph(truth, rows_of(graph_of(demo.workspace.state())))


NAMES = {"person": (0.80, 0.75), "organization": (0.50, 0.60), "location": (0.65, 0.0)}
TALLIES = {
    "dates": (0.60, 0.95),
    "days of dates, the year open": (0.95, 0.0),
    "amounts of money, percentages": (0.97, 0.97),
    "references": (0.75, 0.90),
    "documents meant": (0.85, 0.80),
    "clauses and schedules": (0.95, 0.0),
    "documents of clauses elsewhere": (0.75, 0.0),
    "relation explicit": (0.58, 0.90),
    "relation amends": (1.0, 0.0),
    "relation response_to": (1.0, 0.0),
    "relation attachment": (1.0, 0.0),
    "relation version": (0.0, 1.0),
}
"""Least recall and precision: slightly below the measured values."""


def test_scores_of_the_sample_case_file(report: Report) -> None:
    tallies = report.tallies | {kind: score.entities for kind, score in report.names.items()}
    below = {
        what: (tallies[what].recall, tallies[what].precision)
        for what, (recall, precision) in (NAMES | TALLIES).items()
        if tallies[what].recall < recall or tallies[what].precision < precision
    }
    assert not below
    persons = report.names["person"]
    assert len(persons.split) <= 0.30 * persons.entities.wanted
    assert not persons.merged
    assert not report.names["organization"].merged


def test_the_notes_speak_of_files_that_are_there(truth: dict[str, Any], samples: Path) -> None:
    files = {path.name for path in samples.rglob("*") if path.is_file()}
    named = {name for part in ("dates", "amounts", "sections") for name in truth[part]}
    named |= {entry[end] for entry in truth["relation"] for end in ("from", "to")}
    for entry in truth["reference"]:
        named |= {*entry["cited_in"], entry.get("document", entry["cited_in"][0])}
    for entries in truth["sections"].values():
        named |= set(entries.values()) - {"self"}
    assert named | set(truth["aside"]["complete"]) <= files


@pytest.mark.slow
def test_every_name_of_the_notes_is_in_the_texts(demo: Collection, truth: dict[str, Any]) -> None:
    texts = [
        " ".join(c.text.split()) for d in demo.documents() for c in demo.read.chunks(d.document_id)
    ]
    spelled = {
        spelling
        for kind in ("person", "organization", "location", "reference")
        for entry in truth[kind]
        for spelling in entry["spellings"]
    }
    # Spellings that the texts contain only with a title or in capitals.
    together = "\n".join(texts).casefold()
    assert [s for s in sorted(spelled) if s.casefold() not in together] == []
