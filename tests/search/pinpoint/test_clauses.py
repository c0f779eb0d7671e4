"""The clause number of a citation: the numbered part around a place, or none."""

from __future__ import annotations

import pytest

from casetrack.search.pinpoint.clauses import clause_at


@pytest.mark.parametrize(
    ("text", "place", "clause"),
    [
        ("14.4 Data leaks. The contractor reports HERE within a day.", "HERE", "\u00a7 14.4"),
        ("14.4 Leaks.\n\n(a) It tells us HERE.\n(b) It pays.", "HERE", "\u00a7 14.4(a)"),
        ("14.4 Leaks.\n\n(a) It tells us.\n(b) It pays HERE.", "HERE", "\u00a7 14.4(b)"),
        ("5.1 Duties.\n(a) One;\n(i) small HERE;\n(ii) large.", "HERE", "\u00a7 5.1(a)(i)"),
        ("5.1 Duties.\n(a) One;\n(i) small;\n(ii) large;\n(b) Two HERE.", "HERE", "\u00a7 5.1(b)"),
        ("Section 3(b) Payment\nThe fee is HERE.", "HERE", "Section 3(b)"),
        ("ARTICLE IV\nTERM\nIt runs HERE.", "HERE", "Article IV"),
        ("Item 7. Management's Discussion\nSales rose HERE.", "HERE", "Item 7"),
        ("NOTE 5 \u2013 Inventories\nStocks are HERE.", "HERE", "Note 5"),
        ("\u00a7 5 Miete\nDie Miete betr\u00e4gt HERE.", "HERE", "\u00a7 5"),
        # Similar to the number of a part.
        ("The parties agree under clause\n14.4 of the lease HERE.", "HERE", None),
        ("3.5 % of the rent is due HERE.", "HERE", None),
        ("2. pay the rent when it is due and HERE", "HERE", None),
        ("14.4 Data leaks ......... 25\nThe next page HERE.", "HERE", None),
        ("14.4 Data leaks 25\nThe next page HERE.", "HERE", None),
        ("(c) It pays HERE.", "HERE", None),
        ("HERE before 14.4 Leaks.", "HERE", None),
    ],
)
def test_the_number_in_force(text: str, place: str, clause: str | None) -> None:
    assert clause_at(text, text.index(place)) == clause


def test_the_number_may_stand_before_the_passage() -> None:
    assert (
        clause_at("It tells us.", 0, before="14.4 Leaks. The contractor is quick.") == "\u00a7 14.4"
    )
    assert clause_at("It tells us.", 0, headings=("ARTICLE IV Duties", "4.2 Leaks")) == "\u00a7 4.2"
    assert clause_at("It tells us.", 0, headings=("Item 7. Discussion", "Liquidity")) == "Item 7"
    assert clause_at("It tells us.", 0, headings=("4.2 Leaks", "Definitions")) is None


def test_numbers_within_a_table_say_nothing() -> None:
    text = "14.4 Costs\n\n15.5 Total"
    table = [{"start": 12, "end": 22, "kind": "table"}]
    assert clause_at(text, 17, table) == "\u00a7 14.4"
    assert clause_at(text, 17) == "\u00a7 15.5"


FLAT = (
    "12.2 The Customer may end this. Philips may end it; 12.4 If Philips ends it, the stock stays. "
    "13. GENERAL 13.1 Notices are in writing. See Section 12.2 The Buyer pays. 19.7 Other words."
)


@pytest.mark.parametrize(
    ("place", "clause"),
    [("Customer", "12.2"), ("the stock", "12.4"), ("writing", "13.1"), ("The Buyer", "13.1")],
)
def test_clauses_within_a_line(place: str, clause: str) -> None:
    assert clause_at(FLAT, FLAT.index(place)) == f"\u00a7 {clause}"


def test_a_number_out_of_order_leaves_the_clause_open() -> None:
    assert clause_at(FLAT, FLAT.index("Other")) is None
