"""Courts, judges, witnesses and parties of a paper as entities, each where the paper names it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.extract.papers.caption import read_caption
from casetrack.extract.papers.text import TextPage, WholeText
from casetrack.graph.document import read_document
from casetrack.graph.document.facts import ChunkFacts, DocumentFacts, DocumentGraph

BRIEF = """UNITED STATES DISTRICT COURT
FOR THE DISTRICT OF VERMONT

MARGARET HARLAN,
          Plaintiff,
     v.                                   Case No. 2:24-cv-00417
CORVID FREIGHT, INC.; CITY OF ELMHURST;
QUILL; and DOES 1 through 10,
          Defendants.

MOTION TO COMPEL

The Honorable Ambrose T. Merriwether

Ms. Harlan moves. Corvid Freight did not answer; the U.S. District Court for the District of Vermont
has said so, as has the Ninth Circuit."""
DEPOSITION = """IN THE SUPERIOR COURT OF THE STATE OF CALIFORNIA
COUNTY OF MARIN

TEASDALE, Plaintiff, v. QUORN CARTAGE CO., Defendant.
No. CV-24-1234

DEPOSITION OF DANIEL VALE

Mr. Vale was first duly sworn and testified as follows."""
VERMONT = "organization:united-states-district-court-for-the-district-of-vermont"


def chunk(number: int, text: str, start: int) -> ChunkFacts:
    return ChunkFacts(f"c{number}", number, 1, start, start + len(text), text, (), (), (), (), ())


def graph_of(text: str, *cuts: int) -> tuple[DocumentGraph, list[ChunkFacts]]:
    """Read a paper of one page, cut into chunks at places."""
    caption = read_caption(WholeText((TextPage(1, text),)))
    facts = DocumentFacts(
        *("d", "r", "paper.txt", None, None, "txt", None, "en", None, ()),
        court=caption.court,
        judge=caption.judge,
        witness=caption.witness,
        parties=caption.parties,
    )
    ends = [0, *sorted(cuts), len(text)]
    chunks = [chunk(i, text[a:b], a) for i, (a, b) in enumerate(pairwise(ends))]
    return read_document(facts, chunks), chunks


def told(graph: DocumentGraph) -> dict[str, str | None]:
    """Return the first stated role of each named entity by its id."""
    return {
        f"{e.kind}:{e.key}": e.roles[0][0] if e.roles else None
        for e in graph.entities
        if e.kind in {"person", "organization"}
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            BRIEF,
            {
                "person:margaret-harlan": "plaintiff",
                "organization:corvid-freight-inc": "defendant",
                "organization:city-of-elmhurst": "defendant",
                "person:ambrose-t-merriwether": "judge",
                VERMONT: "court",
            },
        ),
        (
            DEPOSITION,
            {
                "organization:quorn-cartage-co": "defendant",
                "person:daniel-vale": "witness",
                "organization:superior-court-of-the-state-of-california-county-of-marin": "court",
            },
        ),
    ],
)
def test_a_caption_makes_entities_with_their_parts(text: str, expected: dict[str, str]) -> None:
    graph, _ = graph_of(text)
    result = told(graph)
    assert {key: result.get(key) for key in expected} == expected
    assert not any("doe" in key for key in result)


def test_a_court_is_where_the_caption_names_it_on_all_its_lines() -> None:
    graph, chunks = graph_of(BRIEF)
    (court,) = [i for i, e in enumerate(graph.entities) if f"{e.kind}:{e.key}" == VERMONT]
    places = [chunks[m.chunk].text[m.start : m.end] for m in graph.mentions if m.entity == court]
    assert places[0] == "UNITED STATES DISTRICT COURT\nFOR THE DISTRICT OF VERMONT"
    assert graph.entities[court].name == "United States District Court for the District of Vermont"


def test_a_paper_without_a_caption_has_no_parts() -> None:
    assert told(graph_of("The crane was delivered to Pier 9 on 3 May 2024.")[0]) == {}


@given(st.sampled_from([BRIEF, DEPOSITION]), st.data())
def test_places_hold_their_words_wherever_a_page_is_cut(text: str, data: st.DataObject) -> None:
    cuts = data.draw(st.lists(st.integers(1, len(text) - 1), max_size=4, unique=True))
    graph, chunks = graph_of(text, *cuts)
    for mention in graph.mentions:
        words = chunks[mention.chunk].text[mention.start : mention.end]
        assert words.strip()
        assert 0 <= mention.start < mention.end <= len(chunks[mention.chunk].text)
    assert all(e.mention_count and e.first_chunk >= 0 for e in graph.entities)
