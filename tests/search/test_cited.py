"""Citations in a question: their places come first, and the usual results follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.base.records import SearchResults

TEXTS = {
    "brief-experts.txt": (
        "An expert may speak to the jury only where the method is reliable. Daubert v. Merrell Dow "
        "Pharmaceuticals, Inc., 509 U.S. 579, 593 (1993). The trial judge keeps the gate."
    ),
    "brief-weight.txt": (
        "Shaky evidence is attacked by cross-examination. Daubert v. Merrell Dow Pharms., Inc., "
        "509 U.S. 579 (1993). Vigorous contrary proof does the rest. Daubert, 509 U.S. at 596."
    ),
    "order-contract.txt": (
        "The clause is enforceable under New York law. See Hooper Assocs., Ltd. v. AGS Computers, "
        "Inc., 74 N.Y.2d 487 (1989). Section 8.2 of the Master Agreement says no more."
    ),
    "complaint.txt": (
        "John Smith,\n\nPlaintiff,\n\nv.\n\nMary Jones,\n\nDefendant.\n\nNo. 1:24-cv-01234-ABC\n\n"
        "1. This is an action under 42 U.S.C. \u00a7 1983 and Cal. Civ. Code \u00a7 1750."
    ),
    "reply.txt": (
        "The duty is settled. Smith v. Jones, 410 F.3d 12, 42 (2d Cir. 2005). The plaintiff says "
        "otherwise, and is wrong. Smith, supra, at 42. See also Dkt. 12 at 3; Jones Dep. 24:11-20."
    ),
    "securities.txt": (
        "The claim is one under 17 C.F.R. \u00a7 240.10b-5. In re Enron Corp. Securities "
        "Litigation, 235 F. Supp. 2d 549 (S.D. Tex. 2002), is the leading case on schemes."
    ),
    "safety.txt": (
        "An employer keeps the workplace safe. 29 C.F.R. Part 1910. A motion under Fed. R. Civ. P. "
        "12(b)(6) tests the complaint alone, and Fed. R. Evid. 702 the witness."
    ),
    "letter.txt": "Thank you for the documents ABC000123 to ABC000130. We look through them now.",
    "minutes.txt": "The board approved the budget of the year and thanked the canteen's staff.",
    "experts.txt": "The reliability of experts and the gate that a judge keeps, told for students.",
}  # fmt: skip


@pytest.fixture(scope="module")
def collection(stored: Callable[..., Collection]) -> Collection:
    result = stored(TEXTS)
    result.workspace.catch_up()
    return result


def names(results: SearchResults) -> list[str]:
    return [r.provenance.document_name for r in results]


CITED = {r.removesuffix(".txt"): r for r in TEXTS}


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Daubert v. Merrell Dow", {"brief-experts", "brief-weight"}),
        ("Daubert v. Merrell Dow Pharm., 509 U. S. 579 (1993)", {"brief-experts", "brief-weight"}),
        ("Daubart v. Merrell Dow", {"brief-experts", "brief-weight"}),
        ("509 US 579", {"brief-experts", "brief-weight"}),
        ("Daubert", {"brief-experts", "brief-weight"}),
        ("What does Daubert say of the canteen?", {"brief-experts", "brief-weight"}),
        ("Smith v. Jones", {"reply"}),
        ("In re Enron", {"securities"}),
        ("42 U.S.C. ss 1983", {"complaint"}),
        ("section 1983 claims", {"complaint"}),
        ("Cal. Civ. Code ss 1750", {"complaint"}),
        ("17 C.F.R. ss 240.10b-5", {"securities"}),
        ("29 C.F.R. Part 1910", {"safety"}),
        ("FRCP 12(b)(6)", {"safety"}),
        ("Federal Rule of Evidence 702", {"safety"}),
        ("Smith, supra, at 42", {"reply"}),
        ("Dkt. 12 at 3", {"reply"}),
        ("Tr. 24:11-20", {"reply"}),
        ("24-cv-1234", {"complaint"}),
        ("ABC000123", {"letter"}),
        ("Hooper Associates v. AGS", {"order-contract"}),
    ],
)  # fmt: skip
def test_places_of_what_a_question_cites_come_first(
    collection: Collection, query: str, first: set[str]
) -> None:
    results = collection.search(query)
    assert results.stages_used[0] == "citation"
    assert set(names(results)[: len(first)]) == {CITED[name] for name in first}
    assert [r.rank for r in results] == list(range(1, len(results) + 1))
    assert [r.score for r in results] == sorted((r.score for r in results), reverse=True)
    assert all("citation" in r.signals for r in results[: len(first)])


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Daubert, 509 U.S. at 593", "brief-experts"),
        ("Daubert v. Merrell Dow, 509 U.S. 579, 596", "brief-weight"),
        ("509 U.S. at 596", "brief-weight"),
    ],
)
def test_the_page_that_is_cited_comes_before_the_rest(
    collection: Collection, query: str, first: str
) -> None:
    results = collection.search(query)
    assert names(results)[0] == CITED[first]
    assert {*names(results)[:2]} == {"brief-experts.txt", "brief-weight.txt"}


@pytest.mark.parametrize("query", ["Id.", "Id. at 579", "id.", "Ibid."])
def test_a_bare_id_falls_through_and_says_so(collection: Collection, query: str) -> None:
    results = collection.search(query)
    assert "citation" not in results.stages_used
    assert any(query.split(" ", maxsplit=1)[0].rstrip(".") in note for note in results.notes)


def test_what_nobody_cites_is_said(collection: Collection, messages: Callable[..., None]) -> None:
    results = collection.search("Roe v. Wade, 410 U.S. 113 on the board and the budget")
    assert "citation" not in results.stages_used
    (note,) = (note for note in results.notes if "Roe v. Wade, 410 U.S. 113" in note)
    messages(note)
    assert names(results)[0] == "minutes.txt"


@pytest.mark.parametrize(
    "query", ["Who approved the budget?", "reliability of experts", "Thank you for documents"]
)
def test_a_question_without_citations_is_answered_as_before(
    collection: Collection, query: str
) -> None:
    results = collection.search(query)
    assert "citation" not in results.stages_used
    assert not any("citation" in r.signals for r in results)


def test_the_usual_results_follow_as_they_would_stand_alone(collection: Collection) -> None:
    query = "Daubert on the gate that a judge keeps for experts"
    first = names(collection.search(query))
    usual = [n for n in names(collection.search(query, stages="bm25")) if n not in first[:2]]
    assert first[2:] == usual


def test_only_chosen_documents_are_looked_at(collection: Collection) -> None:
    results = collection.search("Daubert v. Merrell Dow", documents=["brief-weight.txt"])
    assert names(results) == ["brief-weight.txt"]


def test_a_result_that_is_cited_is_relevant(collection: Collection) -> None:
    results = collection.search("42 U.S.C. ss 1983")
    assert results.evidence == "strong"
    assert 0.9 < results[0].relevance <= 1.0
    assert not any("ss" in note for note in results.notes)


def test_results_list_what_they_cite_in_words(collection: Collection) -> None:
    message = {
        r.provenance.document_name: r.legal_citations
        for q in ("Daubert", "Hooper v. AGS", "Daubert and the board")
        for r in collection.search(q)
    }
    experts, hooper, section = *message["brief-experts.txt"], *message["order-contract.txt"]
    assert experts == "Daubert v. Merrell Dow Pharmaceuticals, Inc., 509 U.S. 579 (1993)"
    assert hooper == "Hooper Assocs., Ltd. v. AGS Computers, Inc., 74 N.Y.2d 487 (1989)"
    assert section == "Master Agreement, Section 8.2"
    assert message["minutes.txt"] == ()
    raw = collection.search("Hooper v. AGS").as_dict()["results"]
    assert raw[0]["legal_citations"] == list(message["order-contract.txt"])
    assert all(r["legal_citations"] for r in raw if "legal_citations" in r)


def test_sql_finds_the_same_places(collection: Collection) -> None:
    rows = collection.sql(
        "SELECT document_name FROM search('509 U.S. 579', k => 5) ORDER BY rank"
    ).to_pylist()
    answer = names(collection.search("509 U.S. 579", limit=5, fold=False))
    assert [r["document_name"] for r in rows] == answer
