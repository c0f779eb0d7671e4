"""Key actors of a case file: parties, signers and correspondents, not the most frequent names."""

from __future__ import annotations

import pytest

from casetrack.graph.answers.summary import key_actors
from graph.fakes import HandMadeGraph, Written

SEC = "[[organization:sec|Securities and Exchange Commission]]"
CUSTOMER = "[[organization:brookvale;customer|Brookvale Foods Ltd]]"
COURT = "[[organization:court|District Court of Westmark]]"


def actors(written: list[Written], *, defined: frozenset[str] = frozenset()) -> list[str]:
    """Names in order; places whose text is in *defined* are definitions."""
    source = HandMadeGraph(written)
    texts = source.table("mentions")["text"].to_pylist()
    source.set_column("mentions", "found_by", ["defined" if t in defined else None for t in texts])
    return [actor.entity.name for actor in key_actors(source)]


def supplier(number: int) -> str:
    return f"[[organization:s{number};supplier|Supplier {number} GmbH]]"


def supply() -> list[Written]:
    """One customer with twelve suppliers; every contract is filed with a regulator."""
    return [
        Written(
            f"supply-{i:02}.txt",
            [f"Filed with the {SEC}. {CUSTOMER} and {supplier(i)} agree. {SEC} {SEC} The {COURT}."],
        )
        for i in range(12)
    ]


def test_the_customer_of_twelve_suppliers_leads_and_the_regulator_does_not() -> None:
    result = actors(supply())
    assert result[0] == "Brookvale Foods Ltd"
    assert all(name.startswith("Supplier") for name in result[1:10])


def test_a_party_goes_before_a_name_that_one_document_repeats() -> None:
    repeated = "[[person:kurt|Kurt Maas]] spoke. " * 200
    lease = (
        "[[organization:harbour;landlord|Harbour Estates]] lets to [[person:ida;tenant|Ida Roth]]. "
    )
    result = actors(
        [
            Written("minutes.txt", [repeated]),
            *(Written(f"lease-{i}.txt", [lease]) for i in range(6)),
        ]
    )
    assert result == ["Harbour Estates", "Ida Roth", "Kurt Maas"]


def test_a_name_in_passing_comes_last_even_in_more_places() -> None:
    claim = (
        "[[person:lena;claimant|Lena Aalto]] sues [[organization:orrin;respondent|Orrin Freight]]. "
        + "A driver of Orrin spoke. [[person:lena|Lena Aalto]] was dismissed. " * 3
        + "[[organization:orrin|Orrin Freight]] denies it. " * 12
        + "[[organization:cafe|Corner Bakery]] lies opposite."
    )
    assert actors([Written(f"claim-{i}.txt", [claim]) for i in range(3)])[-1] == "Corner Bakery"


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "public",
    [
        "Court of Appeal",
        "New York Stock Exchange, Inc.",
        "FDA",
        "Tarnshire Pollution Control Agency",
        "American Arbitration Association",
        "Financial Accounting Standards Board",
    ],
)
def test_public_bodies_lead_only_where_they_are_parties(public: str) -> None:
    body = f"[[organization:public|{public}]]"
    letter = f"{body} {body} {body} [[organization:mill|Tarn Mill Ltd]] writes to Oslo."
    written = [Written(f"{i}.txt", [letter]) for i in range(4)]
    assert actors(written, defined=frozenset({public})) == ["Tarn Mill Ltd", public]
    sued = letter.replace("[[organization:public|", "[[organization:public;respondent|")
    assert actors([Written(f"{i}.txt", [sued]) for i in range(4)])[0] == public


@pytest.mark.slow
def test_what_is_defined_stands_as_a_party() -> None:
    other = "[[organization:b|Vale Oats]]"
    both = f"[[organization:a|Tarn Mill]] and {other} {other}."
    assert actors([Written("a.txt", [both])]) == ["Vale Oats", "Tarn Mill"]
    assert actors([Written("a.txt", [both])], defined=frozenset({"Tarn Mill"}))[0] == "Tarn Mill"


def test_a_word_for_a_part_does_not_show_who_it_is() -> None:
    lease = (
        "[[organization:harbour;landlord|the Landlord]] lets the mill. "
        "[[organization:harbour;landlord|Harbour Estates]] (the Landlord) repairs it."
    )
    source = HandMadeGraph([Written("lease.txt", [lease])])
    source.set_column("entities", "aliases", [[]])
    (actor,) = key_actors(source)
    assert actor.quote is not None
    assert (actor.entity.role, actor.quote.text) == ("landlord", "Harbour Estates")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("firm", ["Tarn Insurance Agency", "Vale Agency LLC", "Wick Travel Agency"])
def test_an_agency_may_be_a_firm(firm: str) -> None:
    letter = f"[[organization:firm|{firm}]] writes to [[organization:mill|Tarn Mill Ltd]] " * 2
    twice = letter + f"[[organization:firm|{firm}]]"
    assert actors([Written("a.txt", [twice])], defined=frozenset({firm}))[0] == firm
