"""The rules on names work on any text and any guess of the tagger."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.extract.names.places import Place
from casetrack.extract.names.shape import with_companies
from casetrack.extract.names.words import words_of

WORDS = ("Orchard", "Inc", "Inc.", "Nora", "Whitfield", "LLC", "and", ",", "of", "GmbH", "Co", "a")


@settings(max_examples=300)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9), st.data())
def test_places_are_completed_within_the_text(parts: list[str], data: st.DataObject) -> None:
    words = words_of(" ".join(parts))
    count = len(words.texts)
    first = data.draw(st.integers(0, count - 1))
    after = data.draw(st.integers(first + 1, count))
    kind = data.draw(st.sampled_from(["person", "organization"]))
    for place in with_companies(words, [Place(first, after, kind, -0.01)]):
        assert 0 <= place.first < place.after <= count


def test_a_person_may_end_the_text() -> None:
    words = words_of("Nora Whitfield Inc")
    assert with_companies(words, [Place(0, 3, "person", 0.0)])
    assert with_companies(words, [Place(1, 3, "person", 0.0)])
