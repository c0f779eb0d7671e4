"""Pairs of names: one, two, or open. Written by hand, for many countries and trades.

*one* is one entity in a document and in two related ones; *two* are two everywhere; *open* can be
either: they are not joined over documents. A first name pairs with every other one of its group.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from casetrack.graph.entities.organizations import read_organization
from graph.name_collections import NEAR, entities_of
from sections import sections

_TABLES = sections(Path(__file__).with_name("entity_pairs.txt"))


_WRITTEN_ALIKE = [
    ("Norvane GmbH", "Norvane Gesellschaft mit beschränkter Haftung"),
    ("Norvane GmbH & Co. KG", "Norvane GmbH und Co KG"),
    ("Tarn & Holm LLP", "Tarn and Holm LLP"),
    ("Norvane Paints Ltd", "Norvane\nPaints Ltd"),
    ("Société Norvane SAS", "Societe Norvane S.A.S."),
    ("Norvane a.s.", "NORVANE A.S."),
]


def _pairs(table: str, kind: str) -> list[tuple[str, str, str, str]]:
    collected: list[tuple[str, str, str, str]] = []
    for group in re.split(r"\n(?! )", table.strip()):
        head, _, pairs = group.partition(": ")
        for names in " ".join(pairs.split()).split("; "):
            first, *others = names.split(" / ")
            collected += [(head.partition(" ")[0], kind, first, other) for other in others]
    return collected


PAIRS = _pairs(_TABLES["persons"], "P") + _pairs(_TABLES["firms"], "O")


def is_one(kind: str, a: str, b: str, where: str) -> bool:
    """Return whether two names are one in a document, in two near ones, or in any two."""
    one, other = f"so wrote [{kind}:{a}] that day.", f"the answer came from [{kind}:{b}] later."
    if where == "within":
        ((first, second, *_),) = entities_of([f"{one} {other}"])
        return first == second
    end = f" {NEAR}" if where == "near" else ""
    first_document, second_document = entities_of([one + end, other + end])
    return first_document[0] == second_document[0]


WHERE = {"one": ("within", "near"), "two": ("within", "near", "far"), "open": ("far",)}


@pytest.mark.parametrize(("a", "b"), _WRITTEN_ALIKE)
def test_two_spellings_of_a_firm_have_one_key(a: str, b: str) -> None:
    one, other = read_organization(a), read_organization(b)
    assert one is not None
    assert other is not None
    assert (one.key, bool(one.family)) == (other.key, True)


@pytest.mark.sampled(80)
@pytest.mark.parametrize(("verdict", "kind", "a", "b"), PAIRS)
def test_two_names(verdict: str, kind: str, a: str, b: str) -> None:
    for pair in ((a, b), (b, a)):
        for where in WHERE[verdict]:
            assert is_one(kind, *pair, where) == (verdict == "one"), where
