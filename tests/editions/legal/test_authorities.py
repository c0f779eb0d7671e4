"""The table of authorities: citations, pages, order, and format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from casetrack.base.errors import UsageError
from casetrack.base.numerals import roman
from casetrack.editions.legal.authorities import table_of_authorities
from casetrack.editions.legal.own_table import number_of, page_numbers, sort_key
from casetrack.extract.papers.text import PrintedPlace, TextPage
from citing import AUTHORITIES, DAUBERT, citations_of, draft_of
from editions.legal.hard_citations import Passage, tabled

if TYPE_CHECKING:
    from casetrack.editions.legal.records.authorities import TableOfAuthorities

RULE = "Fed. R. Civ. P. 12(b)(6)"


def table(*pages: str, labels: tuple[str | None, ...] = (), **more: object) -> TableOfAuthorities:
    """Return the table of a brief of these pages."""
    draft = draft_of(*pages, labels=labels)
    return table_of_authorities(draft, read=citations_of, **more)  # type: ignore[arg-type]


def listed(result: TableOfAuthorities) -> dict[str, str]:
    """Return the pages of each authority as they are listed."""
    return {a.name: a.listed for a in result.authorities}


def test_short_forms_count_and_the_record_does_not() -> None:
    result = table(f"See {DAUBERT}.", "Dkt. 12 at 3 says so.", "Daubert, 509 U.S. at 593.")
    assert listed(result) == {DAUBERT: "1, 3"}
    (authority,) = result.authorities
    assert authority.name[: authority.name_end] == "Daubert v. Merrell Dow Pharmaceuticals, Inc."
    assert [p.page for p in authority.places] == [1, 3]


def test_an_opinion_is_no_authority_of_itself() -> None:
    head = (
        "UNITED STATES COURT OF APPEALS\nFOR THE NINTH CIRCUIT\n\nJANE ROE, Plaintiff,\nv.\n"
        "ACME CORP., Defendant.\n\nNo. 21-1234\n\nOPINION\n\nCite as: {}\n\nWe affirm. {}"
    )
    assert listed(table(head.format("509 U.S. 579", DAUBERT))) == {}
    assert listed(table(head.format("45 F.4th 678", DAUBERT))) == {DAUBERT: "1"}


def test_sections_are_in_the_order_of_courts_and_entries_as_they_are_sorted() -> None:
    result = table("\n".join(reversed(AUTHORITIES)))
    assert [(a.section, a.name) for a in result.authorities] == [
        ("Cases", DAUBERT),
        ("Cases", "U.S. v. Nixon, 418 U.S. 683 (1974)"),
        ("Cases", "In re Zyprexa, 1 F.4th 2 (2d Cir. 2021)"),
        ("Constitutional Provisions", "U.S. Const. amend. XIV"),
        ("Statutes", "5 U.S.C. \u00a7 706"),
        ("Statutes", "28 U.S.C. \u00a7 1331"),
        ("Rules", RULE),
        ("Regulations", "17 C.F.R. \u00a7 240.10b-5"),
    ]


@tabled("sorted.txt")
def test_names_go_by_letters_titles_and_sections_by_numbers(passage: Passage) -> None:
    section, in_order = passage.text, passage.expected

    def key(name: str) -> object:
        end = name.index(", ") if section == "Cases" else 0
        return sort_key(section, name, end)  # type: ignore[arg-type]

    mixed = [*in_order[1::2], *in_order[::2]]
    assert tuple(sorted(mixed, key=key)) == in_order  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pages", "passim", "expected"),
    [
        ([1, 2, 3, 4], 5, "1\u20134"),
        ([1, 2, 4, 6, 7, 8], 0, "1, 2, 4, 6\u20138"),
        ([1, 3, 5, 7, 9], 5, "passim"),
        ([1, 1, 1, 1, 1], 5, "1"),
        ([2, 4], 2, "passim"),
    ],
)
def test_pages_become_ranges_and_passim(pages: list[int], passim: int, expected: str) -> None:
    texts = ["nothing" if n not in pages else RULE for n in range(1, 10)]
    assert listed(table(*texts, passim=passim)) == {RULE: expected}


@pytest.mark.parametrize("passim", [-1, 1])
def test_passim_from_one_page_on_is_refused(passim: int) -> None:
    with pytest.raises(UsageError, match="passim"):
        table("Nothing.", passim=passim)


def test_pages_are_called_as_printed() -> None:
    labels = (None, "ii", "iii", None, "2", "3", "4")
    result = table(*([RULE] * 7), labels=labels, passim=0)
    assert listed(result) == {RULE: "i\u2013iii, 1\u20134"}
    assert result.page_numbers == "printed"
    assert "1, 4" in result.notes[0]
    assert result.authorities[0].places[3].citation == "p. 4 (1), l. 1"


def test_an_appendix_with_its_own_page_numbers_is_not_counted() -> None:
    labels = (*map(str, range(1, 12)), "1", "2")
    assert listed(table(*([RULE] * 13), labels=labels, passim=0)) == {RULE: "1\u201311"}


def test_a_citation_over_two_pages_counts_for_both() -> None:
    name, _, rest = DAUBERT.partition("Merrell ")
    draft = draft_of(f"See {name}Merrell", f"{rest}.", labels=("09", "10"))
    assert listed(table_of_authorities(draft)) == {DAUBERT: "9, 10"}


def test_a_number_that_cannot_be_known_is_not_guessed() -> None:
    pages = [
        TextPage(n + 1, "x", (PrintedPlace("page", label, 0, 1),) if label else ())
        for n, label in enumerate([None, "1", None, "7", None])
    ]
    numbers = page_numbers(pages)
    assert numbers.labels == {1: "[1]", 2: "1", 3: "[3]", 4: "7", 5: "8"}
    assert (numbers.inferred, numbers.unknown) == ((5,), (1, 3))


def test_roman_numbers_go_both_ways() -> None:
    assert all(number_of(roman(n)) == ("roman", n) for n in range(1, 400))
    assert not any(map(number_of, ("", "A-3", "iiii", "vx", "mix")))


def test_open_citations_are_counted_nowhere_and_reported() -> None:
    draft = draft_of("Id. at 5.")
    known = {
        "Id. at 5": {"kind": "case", "key": "", "form": "id", "resolved": False, "note": "Two."}
    }
    result = table_of_authorities(draft, read=lambda whole: citations_of(whole, known))
    assert not result.authorities
    assert [(u.text, u.reason, u.place.page) for u in result.uncounted] == [("Id. at 5", "Two.", 1)]
    assert result.notes


def test_parallel_citations_are_one_authority() -> None:
    full = "Roe v. Wade, 410 U.S. 113 (1973)"
    draft = draft_of("Roe v. Wade, 410 U.S. 113, 93 S. Ct. 705 (1973).", "93 S. Ct. at 710.")
    known = {
        "Roe v. Wade, 410 U.S. 113, 93 S. Ct. 705 (1973)": {
            "kind": "case", "key": "a", "keys": ("a", "b"), "name": full
        },
        "93 S. Ct. at 710": {"kind": "case", "key": "b", "form": "short", "name": ""},
    }  # fmt: skip
    result = table_of_authorities(draft, read=lambda whole: citations_of(whole, known))
    assert listed(result) == {full: "1, 2"}


# --- the table in the brief -------------------------------------------------------------------

CONTENTS = f"""TABLE OF CONTENTS
I. THE COMPLAINT FAILS UNDER {RULE} ........ 1
CONCLUSION ........................ 4"""
TABLE = f"""TABLE OF AUTHORITIES
Page(s)
Cases
{DAUBERT} ....... 1, 3-4
Roe v. Wade,
410 U.S. 113 (1973) .............. passim
ii
TABLE OF AUTHORITIES\u2014Continued
Rules
{RULE} ............ 2
ii"""
BODY = ("INTRODUCTION\nUnder " + RULE, DAUBERT, f"{DAUBERT} and 5 U.S.C. \u00a7 706")


def test_the_briefs_own_tables_are_not_counted() -> None:
    result = table(CONTENTS, TABLE, *BODY, labels=("i", "ii", "1", "2", "3"))
    assert listed(result) == {DAUBERT: "2, 3", "5 U.S.C. \u00a7 706": "3", RULE: "1"}
    assert result.has_own_table
    assert result.differences is None


def test_the_briefs_own_table_is_compared(messages: Any) -> None:
    rest = "\nIt is so." * 40
    body = (f"{rest}\n{page}{rest}" for page in BODY)
    result = table(CONTENTS, TABLE, *body, labels=("i", "ii", "1", "2", "3"), compare=True)
    assert result.differences is not None
    kinds = [d.kind for d in result.differences]
    assert kinds == ["entry not found", "citation not found", "other pages"]
    messages("\n".join(d.said for d in result.differences))


def test_without_a_table_there_is_nothing_to_compare() -> None:
    result = table(*BODY, compare=True)
    assert result.differences is None
    assert len(result.notes) > len(table(*BODY).notes)
