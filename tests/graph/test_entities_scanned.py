"""Slips of a scanner in the names of one document."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.graph.entities.people import scanned_variants
from graph.name_collections import entities_of
from graph.test_document import keys_of, read


def pairs(table: str) -> list[tuple[str, ...]]:
    return [tuple(pair.split(" / ")) for pair in re.split(r" \| |\n", table.strip())]


SLIPS = pairs("""
barnstead holdings ltd / bamstead holdings ltd | adaeze okafor / adaeze 0kafor
adaeze okafor / adaeze okaf0r | halden marine brokers / ha1den marine brokers
interlaken foods plc / lnterlaken foods plc | claverton mills / daverton mills
kestrel iii lp / kestrel ill lp | kestrel ii lp / kestrel ll lp | cornelia vance / comelia vance
norvane wharf gmbh / norvane vvharf gmbh
""")


@pytest.mark.parametrize(("right", "slip"), SLIPS)
def test_a_slip_next_to_the_right_name_is_that_name(right: str, slip: str) -> None:
    assert scanned_variants({right: 4, slip: 1}) == {slip: right}
    # As often as the right one it is none, unless a digit gives it away.
    is_odd = any(c.isdigit() for c in slip)
    assert scanned_variants({right: 3, slip: 3}) == ({slip: right} if is_odd else {})


TWO = pairs("""
jo homer / jo horner | clean foods ltd / dean foods ltd | clark mills / dark mills
kestrel i lp / kestrel ii lp | kestrel 1 lp / kestrel i lp | trust 2019-1 / trust 2019-l
unit 101 / unit 10l | anna turner / anna tumer | bill quist / bili quist
wham ltd / wharn ltd and sons | dan mills / clan mills | tom mills / torn mills
""")


@pytest.mark.parametrize(("one", "other"), TWO)
def test_two_names_stay_two(one: str, other: str) -> None:
    for counts in ({one: 9, other: 1}, {one: 1, other: 9}):
        result = scanned_variants(counts)
        # "Tumer" is not a known name, so a rare one is a recognition error of "Turner".
        assert not result or (one, other) in {
            ("anna turner", "anna tumer"),
            ("bill quist", "bili quist"),
        }


def test_a_word_of_the_document_is_no_slip() -> None:
    counts = {"modern mills": 9, "modem mills": 1}
    assert scanned_variants(counts, words={"modem"}) == {}


NAMES = st.dictionaries(
    st.sampled_from([n for pair in SLIPS for n in pair] + ["jo homer", "jo horner", "ill", "lll"]),
    st.integers(1, 9),
)


@pytest.mark.slow
@given(NAMES)
def test_a_slip_leads_to_a_name_that_is_none(counts: dict[str, int]) -> None:
    result = scanned_variants(counts)
    assert result.keys().isdisjoint(result.values())
    assert result == scanned_variants(dict(sorted(counts.items(), reverse=True)))


def test_it_holds_within_one_document_only() -> None:
    right = "so wrote [O:Barnstead Mills Ltd]. " * 3
    slip = "so wrote [O:Bamstead Mills Ltd]."
    assert set(keys_of(read(f"{right} {slip}"))) == {"barnstead-mills-ltd"}
    first, second = entities_of([right, slip])
    assert first[0] != second[0]
