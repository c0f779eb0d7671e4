"""Citations as briefs really write them: every field of each passage."""

from __future__ import annotations

from editions.legal.hard_citations import Passage, passages, read, tabled


def test_there_are_many() -> None:
    assert len(passages()) > 200


@tabled("hard_citations.txt")
def test_passage(passage: Passage) -> None:
    assert read(passage.text) == passage.expected
