"""Citations as briefs really write them: 225 passages, every field."""

from __future__ import annotations

import pytest

from legal.hard_citations import Passage, passages, read

ALL = passages()


def test_there_are_many() -> None:
    assert len(ALL) > 200


@pytest.mark.parametrize("passage", ALL, ids=[passage.text[:60] for passage in ALL])
def test_passage(passage: Passage) -> None:
    assert read(passage.text) == passage.expected
