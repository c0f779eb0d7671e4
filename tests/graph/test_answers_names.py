"""Resolution of typed names."""

from __future__ import annotations

import pytest

from casetrack.base.errors import EntityNotFound, ReferenceNotFound, UsageError
from casetrack.graph.answers.lookup import match_entities, match_references
from graph.fakes import HandMadeGraph, Written

GRAPH = HandMadeGraph(
    [
        Written(
            "Agreement.pdf",
            [
                (
                    "[[person:adaeze-okafor;buyer|Adaeze Okafor]] of [[organization:halyard|"
                    "Halyard Cold Stores B.V.]] and [[person:john-smith|John Smith]] of "
                    "[[organization:tidewell|Tidewell Systems GmbH]] met [[person:mary-smith|Mary "
                    "Smith]] in [[location:paris|Paris]] on [[date:2024-03-12|12 March 2024]]."
                ),
                (
                    "[[person:john-smith|Mr. Smith]] pays [[amount:USD:1200000|US$1.2 million]], "
                    "then [[amount:GBP:318400|£318,400]] by [[date:2024-03-31|31/03/2024]], under "
                    "[[ref standard:iso-9001-2015|ISO 9001:2015]] and "
                    "[[ref document:Master Services.pdf|the MSA]]. "
                    "[[person:bjorn-angstrom|Bjørn Ångström]] and [[organization:john-smith-ltd|"
                    "John Smith & Sons Ltd]] owe [[concept:late-fee|late fees]] "
                    "since [[date:2023|2023]]."
                ),
                (
                    "[[person:john-smith|John Smith]] saw [[person:paris-jones|Paris Jones]]. See "
                    "[[ref regulation:gdpr|Regulation (EU) 2016/679]]. "
                    "[[person:o-brien|Siobhán O’Brien]] of [[organization:3m|3M Company]] came too."
                ),
            ],
        )
    ]
)


SPELLINGS = {
    "person:john-smith": "person:john-smith | John Smith | JOHN   smith | Mr Smith | John Smith's",
    "person:bjorn-angstrom": "Bjorn Angstrom",
    "person:o-brien": "siobhan obrien",
    "organization:halyard": "Halyard Cold Stores | halyard cold stores bv | Halyard",
    "organization:tidewell": "Tidewell Systems Ltd | The Tidewell Systems | Tidwell Systems",
    "person:adaeze-okafor": "Okafr | Adaese Okafor | A. Okafor | Okafor, Adaeze | Okafor Adaese",
    "organization:3m": "3 M",
    "concept:late-fee": "late fee",
    "date:2024-03-12": "12 March 2024 | 2024-03-12 | March 12, 2024",
    "date:2023": "2023",
    "amount:USD:1200000": "$1.2 million | USD 1,200,000",
    "amount:GBP:318400": "£318,400.00 | £318.4k",
}


@pytest.mark.parametrize(
    ("typed", "best"),
    [(typed, best) for best in SPELLINGS for typed in SPELLINGS[best].split(" | ")],
)
def test_any_spelling_finds_the_entity(typed: str, best: str) -> None:
    (entity, score), *_ = match_entities(GRAPH, typed)
    assert entity.entity_id == best
    assert 0.6 <= score <= 1


def test_the_exact_name_scores_one_and_a_part_less() -> None:
    assert match_entities(GRAPH, "john smith")[0][1] == 1
    assert match_entities(GRAPH, "Tidewell Systems")[0][1] == 0.97
    assert match_entities(GRAPH, "Okafor")[0][1] < 0.97


def test_a_surname_lists_all_who_bear_it_most_mentioned_first() -> None:
    actual = [e.entity_id for e, _ in match_entities(GRAPH, "Smith", kind="person")]
    assert actual == ["person:john-smith", "person:mary-smith"]
    assert [e.entity_id for e, _ in match_entities(GRAPH, "Smith", limit=1)] == [actual[0]]


def test_a_month_finds_its_days() -> None:
    actual = {e.entity_id for e, _ in match_entities(GRAPH, "March 2024")}
    assert actual == {"date:2024-03-12", "date:2024-03-31"}


@pytest.mark.parametrize(
    ("typed", "kind", "best"),
    [
        ("Paris", "any", "location:paris"),
        ("Paris", "person", "person:paris-jones"),
        ("John Smith", "organization", "organization:john-smith-ltd"),
    ],
)
def test_the_kind_decides(typed: str, kind: str, best: str) -> None:
    assert match_entities(GRAPH, typed, kind=kind)[0][0].entity_id == best


@pytest.mark.parametrize(
    "typed",
    [
        *("'; DROP TABLE entities; --", '"%_%"', "*", "100 % \\ [a-z]+ (?:", "a\x00b\nc"),
        *("x" * 10_000, "John Smith " * 1_000, "\ud800 \udfff x9", "日本"),
        *("12345", "$999", "9", "J.", "1 January 1999"),
    ],
)
def test_odd_names_are_harmless(typed: str) -> None:
    with pytest.raises(UsageError) as caught:
        match_entities(GRAPH, typed)
    assert len(str(caught.value)) < 600
    assert "\x00" not in str(caught.value)


def test_another_number_is_another_thing() -> None:
    with pytest.raises(ReferenceNotFound, match="ISO 9001:2015"):
        match_references(GRAPH, "ISO 9002:2015")


def test_unknown_names_list_similar_ones() -> None:
    for typed, kind, near in (
        ("Tidal System", "any", ("Tidewell Systems GmbH", "organization")),
        ("Adaeze Okafor", "location", ("Adaeze Okafor", "person")),
    ):
        with pytest.raises(EntityNotFound) as caught:
            match_entities(GRAPH, typed, kind=kind)
        assert near in caught.value.near
        assert f'"{typed}"' in str(caught.value)
        assert all(part in str(caught.value) for part in near)
    with pytest.raises(EntityNotFound) as caught:
        match_entities(GRAPH, "Zyzzyva")
    assert caught.value.near == ()


@pytest.mark.parametrize("typed", ["", "  ", "?!", "\n"])
def test_an_empty_name_is_a_usage_error(typed: str) -> None:
    for match in (match_entities, match_references):
        with pytest.raises(UsageError) as caught:
            match(GRAPH, typed)
        assert caught.value.code == "usage"


def test_an_unknown_kind_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"animal[\s\S]*organization") as caught:
        match_entities(GRAPH, "John", kind="animal")
    assert caught.value.code == "usage"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("typed", "best"),
    [
        ("ISO 9001", "standard:iso-9001-2015"),
        ("iso-9001:2015", "standard:iso-9001-2015"),
        ("ISO9001", "standard:iso-9001-2015"),
        ("the MSA", "document:Master Services.pdf"),
        ("Master Services", "document:Master Services.pdf"),
        ("2016/679", "regulation:gdpr"),
        ("regulation:gdpr", "regulation:gdpr"),
        ("Regulaton (EU) 2016/679", "regulation:gdpr"),
    ],
)
def test_any_spelling_finds_the_reference(typed: str, best: str) -> None:
    assert match_references(GRAPH, typed)[0][0].reference_id == best


def test_a_reference_that_is_not_there() -> None:
    with pytest.raises(ReferenceNotFound):
        match_references(GRAPH, "Zyzzyva")


def test_a_collection_without_anything() -> None:
    empty = HandMadeGraph([Written("a.txt", ["Nothing is marked."])])
    with pytest.raises(EntityNotFound):
        match_entities(empty, "John")
    with pytest.raises(ReferenceNotFound):
        match_references(empty, "John")
