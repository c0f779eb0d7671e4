"""Index terms: words that keyword search treats as equal or different."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from casetrack.ingest.steps.words import index_terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the licence of a neighbouring harbour", "the license of a neighboring harbor"),
        ("organisations recognised labour", "organizations recognized labor"),
        ("cancelled instalments, analysed", "canceled installments, analyzed"),
        ("centred on the theatre's defence", "centered on the theater's defense"),
        ("a programme of fulfilment", "a program of fulfillment"),
        ("payment", "Payments"),
        ("1,250,000.00", "1250000"),
        ("CHF 1’000.50", "chf 1000.5"),
        ("Müller", "MULLER"),
        ("Straße", "strasse"),
        ("tenant's", "tenants"),
        ("U.S.", "US"),
        ("ﬁnance", "finance"),
        ("１２３", "123"),
        ("договора", "Договорам"),
        ("ёлка", "елки"),
        ("Brăila", "BRAILA"),
        ("शर्तें", "शर्तों"),
        ("क़ानून", "कानून"),
        ("العقد", "عقد"),
        (
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0645\u06cc\u062e\u0648\u0627\u0647\u0645",
        ),
        ("συμβάσεων", "συμβάσεις"),
    ],
)
def test_same_terms(one: str, other: str) -> None:
    assert index_terms(one) == index_terms(other) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("four", "for"),
        ("a storey", "a story"),
        ("hatred", "hated"),
        ("size", "sise"),
        ("8.2", "82"),
        ("2024", "2025"),
        ("contract", "contact"),
        ("10,5", "105"),
        ("किताब", "कताब"),
    ],
)
def test_different_terms(one: str, other: str) -> None:
    assert index_terms(one) != index_terms(other)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("the of and to", []),
        ("Section 8.2 of the MSA", ["section", "8.2", "msa"]),
        ("AC-2024-017", ["ac", "2024", "017"]),
        ("ISO 27001", ["iso", "27001"]),
        ("part 2", ["part", "2"]),
        ("北京大学", ["北京", "京大", "大学"]),
        (
            "\u0a2d\u0a3e\u0a38\u0a3c\u0a3e",
            ["\u0a2d\u0a3e\u0a38\u0a3e"],
        ),  # vowel signs are no ends of words
        ("ພາສາ", ["ພາ", "າສ", "ສາ"]),
        ("!?*", []),
        ("😀", []),
    ],
)
def test_terms(text: str, terms: list[str]) -> None:
    assert index_terms(text) == terms


def test_many_threads_get_the_same_terms() -> None:
    texts = [f"running{i} nationalities{i} organisations{i}" for i in range(400)]
    expected = [index_terms(t) for t in texts]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(index_terms, [t.replace("running", "Running") for t in texts])) == (
            expected
        )
