"""Related passages are one result, and every matching passage is in exactly one result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from casetrack.base.records import SamePlace
from casetrack.base.records.search import also_text
from casetrack.search.folding import are_copies, distinct, fold, folded_words
from casetrack.store.index.scope import scope_of
from store.index.made import WORDS, index_of, rows_of, saved

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection

CLAUSE = (
    "The warehouse keeper insures the stored goods against fire and theft at their invoice value "
    "and sends the depositor a copy of the policy within thirty days of every renewal."
)
QUESTION = "Who insures the stored goods against fire?"


@pytest.fixture
def kept(stored: Callable[..., Collection]) -> Callable[..., Collection]:
    return lambda **documents: stored({f"{name}.txt": t for name, t in documents.items()})


def named(results) -> list[list[str]]:
    """Return the documents of each place."""
    return [
        sorted([r.provenance.document_name, *(s.citation.split(",")[0] for s in r.also)])
        for r in results
    ]


def test_the_same_text_is_one_result(kept):
    chain = {f"mail{n}": ["Weather and greetings.", CLAUSE] for n in range(3)}
    collection = kept(**chain, other="The goods were stored in a hall. A fire broke out in spring.")
    results = collection.search(QUESTION, mode="keyword")
    assert named(results) == [["mail0.txt", "mail1.txt", "mail2.txt"], ["other.txt"]]
    assert len({same.reason for same in results[0].also}) == 1
    assert len(collection.search(QUESTION, mode="keyword", fold=False)) == 4


@pytest.mark.slow
def test_so_many_copies_do_not_hide_what_is_different(kept):
    copies = {f"copy{n:03d}": CLAUSE for n in range(110)}
    collection = kept(**copies, hall="The stored goods lay in a hall. " + "Nothing else. " * 40)
    for k in (2, 5):
        results = collection.search(QUESTION, limit=k, mode="keyword")
        assert [len(r.also) for r in results] == [109, 0]
        assert results[1].provenance.document_name == "hall.txt"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (CLAUSE.replace("thirty", "sixty"), False),
        (CLAUSE.replace("insures", "does not insure"), False),
        (CLAUSE.upper(), True),
        ("> " + CLAUSE.replace(" and ", "\n> and "), True),
        ("Clause 7. " + CLAUSE, True),
        (CLAUSE[: CLAUSE.index("and theft")], False),
        ("", False),
    ],
)
def test_a_copy_differs_at_its_ends_alone(other, same):
    one, two = folded_words(CLAUSE), folded_words(other)
    assert are_copies(one, two) is are_copies(two, one) is same


def test_the_next_passage_folds_where_both_share_what_was_found(kept):
    filler = [f"Paragraph {n} speaks of ropes, pallets and the yard at length." for n in range(60)]
    text = "\n\n".join([*filler[:30], CLAUSE, *filler[30:]])
    collection = kept(handbook=text)
    plain = collection.search(QUESTION, mode="keyword", fold=False)
    holding = [r for r in plain if CLAUSE in r.text]
    results = collection.search(QUESTION, mode="keyword")
    assert len(results) == len(plain) - max(0, len(holding) - 1)
    assert CLAUSE in results[0].text
    listed = {same.chunk_id for same in results[0].also}
    assert listed == {r.chunk_id for r in holding} - {results[0].chunk_id}


def test_two_pages_that_both_answer_stay_two(kept):
    pages = [CLAUSE, CLAUSE.replace("thirty", "sixty")]
    results = kept(contract=pages).search(QUESTION, mode="keyword")
    assert [(r.provenance.page, r.also) for r in results] in (
        [(1, ()), (2, ())],
        [(2, ()), (1, ())],
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("mode", ["keyword", None])
def test_the_first_five_are_the_first_five_of_ten(demo, mode):
    for question in ("payment of the invoice", "data leak", "termination of the contract"):
        ten = demo.search(question, limit=10, mode=mode)
        five = demo.search(question, limit=5, mode=mode)
        assert [(r.chunk_id, r.score, r.also) for r in five] == [
            (r.chunk_id, r.score, r.also) for r in ten[:5]
        ]
        plain = [r.chunk_id for r in demo.search(question, limit=5, mode=mode, fold=False)]
        assert plain[0] == five[0].chunk_id


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    home = tmp_path_factory.mktemp("index")
    twice = rows_of(60, 4)
    again = twice.set_column(
        twice.schema.get_field_index("revision"),
        "revision",
        [[name.replace("004", "005") for name in twice["revision"].to_pylist()]],
    )
    return index_of(
        *(saved(t, home / str(n)) for n, t in enumerate((twice, again, rows_of(40, 6))))
    )


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_every_passage_is_in_exactly_one_place(index, data):
    every = [(n, row) for n, part in enumerate(index.segments) for row in range(part.data.size)]
    places = data.draw(st.lists(st.sampled_from(every), unique=True, max_size=80))
    result = fold(scope_of(index), places, {WORDS[0]: 1.0, WORDS[5]: 1.0})
    positions = [p for each in result for p in (each.head, *(other for other, _ in each.also))]
    assert sorted(positions) == list(range(len(places)))
    assert [each.head for each in result] == sorted(each.head for each in result)
    assert all(other > each.head for each in result for other, _ in each.also)
    # Later passages never change the representative of a place.
    cut = data.draw(st.integers(0, len(places)))
    fewer = fold(scope_of(index), places[:cut], {WORDS[0]: 1.0, WORDS[5]: 1.0})
    assert [e.head for e in fewer] == [e.head for e in result if e.head < cut]
    keys = [index.texts([place])[place] for place in places]
    assert [keys[p] for p in distinct(index, places)] == list(dict.fromkeys(keys))


def test_many_other_places_are_told_in_a_few_words(messages):
    also = [SamePlace(f"Mail {n}.eml, p. 1", f"c{n}", "a reason", "d", 1) for n in range(5)]
    messages(also_text(also))
    assert also_text([]) == ""
