"""A shipped vocabulary is read as questions name its terms, with the same result as read whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.search.question import vocabularies
from casetrack.search.question.vocabularies import SHIPPED, matches, read_vocabulary, shipped
from casetrack.search.question.words import words_of

WHOLE = [read_vocabulary(path) for path in SHIPPED]
IN_PARTS = shipped({"contract": 1.0}, lambda _: 1.0)
NAMES = sorted({n for v in WHOLE for term in v.terms for n in (*term.names, *term.asked)})
BETWEEN = "of the|and|how much is|Acme's|2018|ÉQUITY|ﬁscal|R&D|die|U.S.".split("|")


def test_all_are_there() -> None:
    assert [v.name for v in IN_PARTS] == [v.name for v in WHOLE]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", range(len(WHOLE)))
def test_every_name_is_found_with_its_term(number: int) -> None:
    for term in WHOLE[number].terms:
        for name in (*term.names, *term.asked):
            words = words_of(name)
            assert matches(words, [IN_PARTS[number]]) == matches(words, [WHOLE[number]]), name


@given(st.lists(st.sampled_from([*NAMES, *BETWEEN]), min_size=1, max_size=5))
def test_a_question_means_the_same_terms(parts: list[str]) -> None:
    words = words_of(" ".join(parts))
    assert matches(words, IN_PARTS) == matches(words, WHOLE)


@given(st.lists(st.sampled_from([*NAMES, *BETWEEN]), min_size=1, max_size=4))
def test_no_name_is_passed_over_by_its_letters(parts: list[str]) -> None:
    words = words_of(" ".join(parts).title())
    result = matches(words, WHOLE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vocabularies, "_letters", lambda _: frozenset())
        assert matches(words, WHOLE) == result
