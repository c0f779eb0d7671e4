"""Shortened names of one document that refer to a full name of another."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from casetrack.graph.entities.lexicon import PLACED
from graph.test_entities import groups, local, merged

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

FIRM = "organization:acme-foods-plc"


def joined(*documents: Sequence[str | tuple[str, dict[str, Any]]]) -> list[list[str | None]]:
    """Return the entity of each name by document; a name may come with its fields."""
    rows = []
    for number, names in enumerate(documents):
        for name in names:
            key, fields = (name, {}) if isinstance(name, str) else name
            rows.append(local(number, key, **fields))
    ids = iter(groups(*rows))
    return [list(itertools.islice(ids, len(names))) for names in documents]


JULIAN = "person:julian-whitlock"
TIDEWELL = "organization:tidewell-systems-ltd"
SHORT = [
    ("person:mr-whitlock", JULIAN),
    ("person:j-whitlock", JULIAN),
    ("person:whitlock", JULIAN),
    ("person:mr-van-der-berg", "person:ludwig-van-der-berg"),
    ("person:l-van-der-berg", "person:ludwig-van-der-berg"),
    ("organization:tidewell", TIDEWELL),
    ("organization:tidewell-systems", TIDEWELL),
    ("organization:halyard-cold-services", "organization:halyard-cold-services-and-repairs-llp"),
]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("short", "full"), SHORT)
def test_a_shortened_name_joins_the_full_one_within_reach(short: str, full: str) -> None:
    assert joined([full, FIRM], [short, FIRM])[1] == [full, FIRM]
    assert joined([short, FIRM], [full, FIRM])[0] == [full, FIRM]
    other = "person:priya-raman"
    assert joined([full, other], [short, other])[1] == [full, other]


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("short", "full"), SHORT)
def test_out_of_reach_it_stays_apart(short: str, full: str) -> None:
    alone = full if short == "organization:tidewell-systems" else short
    assert joined([full, FIRM], [short])[1] == [alone]
    assert joined([full, FIRM], [short, "organization:borealis-rail-plc"])[1][0] == alone
    # Amounts, dates and common subjects relate no documents, nor do surnames.
    shared = ["date:2024-03-12", "amount:GBP:5", "concept:cold store", "person:ms-oduya"]
    assert joined([full, *shared], [short, *shared])[1][0] == alone


def test_a_place_brings_an_organisation_into_reach_and_no_person() -> None:
    place = "location:stanwick-bridge"
    assert joined([TIDEWELL, place], ["organization:tidewell", place])[1][0] == TIDEWELL
    assert joined([JULIAN, place], ["person:mr-whitlock", place])[1][0] == "person:mr-whitlock"
    # Countries and capitals are in every second letter.
    known = "location:united-kingdom"
    apart = joined([TIDEWELL, known], ["organization:tidewell", known])[1][0]
    assert apart == "organization:tidewell"


# A short name < those it may mean; a name without a kind is a person's.
APART = {
    "two people of the collection, wherever": """
whitlock < julian-whitlock anna-whitlock | mr-whitlock < julian-whitlock peter-whitlock
j-whitlock < julian-whitlock jane-whitlock | gray < mr-robin-gray ms-robin-gray
""",
    "the title, the initial or the suffix is somebody else's": """
ms-whitlock < peter-whitlock | a-whitlock < julian-whitlock
whitlock-sr < julian-whitlock-jr | j-b-whitlock < julian-albert-whitlock
""",
    "another shortened name speaks of somebody else whom this one may mean": """
okafor < adaeze-okafor mr-okafor ms-okafor | mr-okafor < adaeze-okafor ms-okafor
whitlock < julian-whitlock r-whitlock | mr-whitlock < julian-whitlock r-whitlock
""",
    "a given name is no surname": """
martin < paul-martin | dennis < paul-dennis dennis-achterberg | julian < julian-whitlock
mr-and-mrs-whitlock < julian-whitlock | whitlock-2 < julian-whitlock
carrow < hugo-carrow organization:carrow-linden-llp
""",
    "several organisations begin so, or the word says too little": """
organization:acme < organization:acme-foods-plc organization:acme-rail-plc
organization:acme < organization:acme-foods-plc organization:acme-foods-gmbh
organization:tidewell < organization:tidewell-ltd organization:tidewell-foods-ltd
organization:national < organization:national-grid-plc
organization:baker < organization:baker-foods-plc tom-baker
organization:foods < organization:acme-foods-plc
""",
}


def kinds(names: str) -> list[str]:
    return [name if ":" in name else f"person:{name}" for name in names.split()]


@pytest.mark.parametrize(
    "line", [one for t in APART.values() for one in t.strip().replace(" | ", "\n").splitlines()]
)
def test_in_doubt_it_stays_apart(line: str) -> None:
    short, others = map(kinds, line.split(" < "))
    shared = ["organization:borealis-rail-plc", "person:priya-raman"]
    combined = joined([*others, *shared], [*short, *shared])
    apart = joined(*([other, *shared] for other in others), [*short, *shared])
    assert combined[1] == apart[-1] == [*short, *shared]


def test_a_title_of_the_other_gender_does_not_disturb_who_is_known() -> None:
    julian = (JULIAN, {"spellings": {"Mr Julian Whitlock": 1}})
    joined_names = joined([julian, "person:ms-whitlock", FIRM], ["person:mr-whitlock", FIRM])
    assert joined_names[1][0] == JULIAN
    assert joined_names[0][1] == "person:ms-whitlock"
    assert joined([julian, FIRM], ["person:whitlock", FIRM], ["person:ms-whitlock"]) == [
        [JULIAN, FIRM],
        ["person:whitlock", FIRM],
        ["person:ms-whitlock"],
    ]


def test_what_a_document_kept_apart_stays_apart_in_it() -> None:
    joined_names = joined([JULIAN, "person:whitlock", FIRM], ["person:whitlock", FIRM])
    assert joined_names == [[JULIAN, "person:whitlock", FIRM], [JULIAN, FIRM]]


def test_what_is_joined_widens_no_reach() -> None:
    # The second document is within reach of the first; the third only of the joined entity.
    joined_names = joined(
        [TIDEWELL, FIRM],
        ["organization:tidewell", FIRM, "person:priya-raman"],
        ["organization:tidewell", "person:priya-raman"],
    )
    assert [names[0] for names in joined_names] == [TIDEWELL, TIDEWELL, "organization:tidewell"]


def test_what_nearly_every_document_names_needs_a_second_one() -> None:
    rest = [[FIRM, "organization:borealis-rail-plc"]] * 20
    one = joined([JULIAN, FIRM], ["person:mr-whitlock", FIRM], *rest)
    two = joined(
        [JULIAN, FIRM, "organization:borealis-rail-plc"],
        ["person:mr-whitlock", FIRM, "organization:borealis-rail-plc"],
        *rest,
    )
    assert one[1][0] == "person:mr-whitlock"
    assert two[1][0] == JULIAN
    few = joined([JULIAN, FIRM], ["person:mr-whitlock", FIRM], *rest[:18])
    assert few[1][0] == JULIAN


CIRCLE = ["person:grace-adeyemi", "person:owen-prytherch", "person:ruth-calloway"]


@pytest.mark.parametrize(
    ("short", "are_joined"),
    [
        (["person:adeyemi", "person:mr-prytherch", "person:r-calloway"], True),
        (["person:adeyemi", "person:mr-prytherch"], False),
        (["person:adeyemi", "person:mr-prytherch", "person:r-smith"], False),
    ],
)
def test_three_surnames_of_one_circle_mean_that_circle(short: list[str], are_joined: bool) -> None:
    full = [*CIRCLE, "person:ruth-smith"]
    for each in (joined(full, short)[1], joined(short, full)[0]):
        assert each == (CIRCLE if are_joined else short)
    # No document names the three together.
    assert joined(*([name] for name in full), short)[-1] == short


SPELLED = {"spellings": {"Tidewell Systems Limited": 2, "Tidewell": 5}, "mention_count": 7}


@pytest.mark.parametrize("kind", ["location", "person"])
def test_a_word_taken_for_something_else_joins_the_organisation_called_so(kind: str) -> None:
    word = (f"{kind}:tidewell", {"mention_count": 3})
    assert joined([(TIDEWELL, SPELLED), FIRM], [word, FIRM])[1][0] == TIDEWELL
    # In the document of the full name as well, which is nearest of all.
    assert joined([(TIDEWELL, SPELLED), word])[0] == [TIDEWELL, TIDEWELL]
    assert joined([(TIDEWELL, SPELLED), FIRM], [word])[1][0] == f"{kind}:tidewell"
    # No document uses this name of the firm.
    assert joined([TIDEWELL, FIRM], [word, FIRM])[1][0] == f"{kind}:tidewell"


@pytest.mark.parametrize(("placed", "is_firm"), [(0, True), (2, True), (3, False), (4, False)])
def test_a_word_that_stands_as_towns_do_is_a_town(placed: int, is_firm: bool) -> None:
    word = ("location:tidewell", {"mention_count": 4, "roles": {PLACED: placed}})
    joined_names = joined([(TIDEWELL, SPELLED), FIRM], [word, FIRM])[1][0]
    assert joined_names == (TIDEWELL if is_firm else "location:tidewell")


def test_a_namesake_keeps_a_word_a_person() -> None:
    word = ("person:tidewell", {"mention_count": 3})
    for namesake in ("person:mr-tidewell", "person:anna-tidewell"):
        joined_names = joined([(TIDEWELL, SPELLED), FIRM, namesake], [word, FIRM])
        assert TIDEWELL not in joined_names[1]


def test_an_office_says_more_than_the_head_of_a_mail() -> None:
    row = local(0, JULIAN, roles={"sender": 9, "chief financial officer": 1})
    assert merged(row).entities["role"].to_pylist() == ["chief financial officer"]
    assert merged(local(0, JULIAN, roles={"sender": 9})).entities["role"].to_pylist() == ["sender"]


PERSONS = st.sampled_from(
    "john-smith jane-smith robert-smith kofi-smith smith mr-smith ms-smith j-smith r-smith k-smith "
    "john-smith-jr ludwig-van-berg berg mr-berg ana-berg".split()
)
FIRMS = st.sampled_from("acme acme-foods acme-foods-plc acme-rail-plc acme-ltd smith-foods".split())
NAMES = st.one_of(
    PERSONS.map(lambda k: f"person:{k}"),
    FIRMS.map(lambda k: f"organization:{k}"),
    st.sampled_from(["location:acme", "location:leeds", "organization:borealis", "person:acme"]),
)
CASES = st.lists(st.lists(NAMES, max_size=7, unique=True), min_size=1, max_size=6)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(CASES)
def test_two_full_names_are_never_one(case: list[list[str]]) -> None:
    joined_names = joined(*case)
    full = {"john-smith", "jane-smith", "robert-smith", "kofi-smith", "ana-berg", "ludwig-van-berg"}
    full |= {"john-smith-jr", "acme-foods-plc", "acme-rail-plc", "acme-ltd"}
    entities: dict[str | None, set[str]] = {}
    for names, ids in zip(case, joined_names, strict=True):
        for name, entity in zip(names, ids, strict=True):
            if name.partition(":")[2] in full:
                entities.setdefault(entity, set()).add(name)
    assert all(len(same) == 1 for same in entities.values())


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(CASES, st.sampled_from(["kofi", "ama"]), st.integers(0, 5), st.integers(0, 5))
def test_a_surname_of_two_people_names_neither(
    case: list[list[str]], other: str, one: int, two: int
) -> None:
    case = [list(names) for names in case]
    for name, where in ((f"person:{other}-smith", one), ("person:lee-smith", two)):
        place = case[where % len(case)]
        if name not in place:
            place.append(name)
    for names, ids in zip(case, joined(*case), strict=True):
        for name, entity in zip(names, ids, strict=True):
            if name in {"person:smith", "person:mr-smith", "person:ms-smith"}:
                assert entity == name


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(CASES, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_count(case: list[list[str]], rng: random.Random) -> None:
    rows = [local(number, name) for number, names in enumerate(case) for name in names]
    order = list(range(len(rows)))
    rng.shuffle(order)
    one, other = merged(*rows), merged(*(rows[i] for i in order))
    assert one.entities.equals(other.entities)
    assert one.codes[order].tolist() == other.codes.tolist()
