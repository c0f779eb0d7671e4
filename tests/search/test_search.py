"""Search: exact scores, deterministic order, filters inside recall, cited results."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import DocumentNotFound, ModelNotFound, UsageError
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection

PAGES = {
    "lease.txt": "The tenant pays the rent monthly.\n\nLate rent bears interest of 4 %.",
    "supply.txt": "The supplier delivers goods. Late delivery bears a penalty.",
    "letter.txt": "Dear tenant, the rent is late. Please pay the rent of CHF 1,250.00 now.",
    "minutes.txt": "The board approved the budget and thanked the staff.",
}
QUERIES = ["late rent", "penalty for delivery", "1250", "tenant tenant rent", "budget", "the of"]


@pytest.fixture(scope="module")
def collection(stored: Callable[..., Collection]) -> Collection:
    return stored(PAGES, one_by_one=True)


def found(results: object) -> list[str]:
    return [r.provenance.document_name for r in results]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("query", QUERIES)
def test_keyword_scores_equal_the_sql_definition(collection: Collection, query: str) -> None:
    rows = collection.sql("SELECT * FROM bm25($q, k := 10)", params={"q": query}).to_pylist()
    hits = collection.search(query, limit=10, mode="keyword")
    assert [r["chunk_id"] for r in rows] == [h.provenance.chunk_id for h in hits]
    assert [r["score"] for r in rows] == pytest.approx([h.score for h in hits], rel=1e-5)


def test_words_in_quotation_marks_come_first_where_they_stand_so(
    stored: Callable[..., Collection],
) -> None:
    texts = {
        "near.txt": "Penalty of the late: late penalty, penalty, late. Late.",
        "exact.txt": "A late\npenalty is due. Whatever else there is to pay.",
    }
    collection = stored(texts)
    plain = collection.search("late penalty", mode="keyword")
    quoted = collection.search('"late penalty"', mode="keyword")
    assert {h.signals.keys() >= {"phrase"} for h in plain} == {False}
    assert all(h.signals["phrase"].contribution > 0 for h in quoted)
    other = collection.search('"penalty is due"', mode="keyword")
    assert found(other)[0] == "exact.txt"
    assert [h.signals["phrase"].contribution > 0 for h in other] == [True, False]


@pytest.fixture(scope="module")
def with_and_without(
    stored: Callable[..., Collection], store_text: Callable[..., object]
) -> tuple[Collection, Collection]:
    """Return a collection in which a document was deleted, and one that never had it."""
    ours = stored(PAGES, one_by_one=True)
    with write_session(ours.folder) as session:
        store_text(session, "gone.txt", "rent rent rent tenant penalty delivery budget 1250 late")
    _ = ours.workspace.state().index
    ours.delete_document("gone.txt")
    return ours, stored(PAGES)


@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES)
def test_scores_do_not_depend_on_deleted_documents(
    with_and_without: tuple[Collection, Collection], query: str
) -> None:
    ours, theirs = (
        sorted((h.provenance.document_name, round(h.score, 5)) for h in each.search(query))
        for each in with_and_without
    )
    assert ours == theirs


def test_results_are_cited_and_have_their_surroundings(stored: Callable[..., Collection]) -> None:
    pages = [" ".join(f"page{p}word{i}" for i in range(400)) for p in (1, 2)]
    collection = stored({"long.txt": pages})
    siblings = collection.read.chunks("long.txt")
    hit = collection.search("page1word399", limit=1)[0]
    place = hit.provenance.chunk_index
    before, own, after = siblings[place - 1 : place + 2]
    assert hit.text == own.text
    context = hit.context
    assert context["before"] + own.text == pages[0][before.provenance.char_start :]
    assert context["after"] == after.text  # the next page: nothing overlaps
    assert context["before_citation"] == before.citation
    assert context["after_citation"] == after.citation
    source = hit.as_dict()["source"]
    assert pages[0][source["char_start"] : source["char_end"]] == hit.text
    assert hit.citation == "long.txt, p. 1, para. 1, l. 1"


@pytest.mark.slow
def test_equal_scores_are_ordered_by_path(stored: Callable[..., Collection]) -> None:
    same = {f"{number}.txt": "the same words everywhere" for number in range(12)}
    collection = stored(same, one_by_one=True)
    hits = collection.search("same words", limit=7, fold=False)
    first = [h.provenance.document_path for h in hits]
    assert first == sorted(first)
    every = collection.search("same words", limit=50, fold=False)
    everything = [h.provenance.document_path for h in every]
    assert everything[:7] == first
    assert len(everything) == 12


@pytest.mark.parametrize(
    ("query", "arguments", "named"),
    [
        ("  ", {}, None),
        ("x", {"limit": 0}, "limit.* 0; .* 1 .* 1,000"),
        ("x", {"limit": 1001}, "limit.* 1001; .* 1 .* 1,000"),
        ("x", {"mode": "magic"}, "magic"),
        ("x" * 20_001, {}, "20,001"),
    ],
)
def test_bad_arguments(
    collection: Collection, query: str, arguments: dict, named: str | None
) -> None:
    with pytest.raises(UsageError, match=named):
        collection.search(query, **arguments)


@pytest.mark.parametrize(
    "query", ["x", "!?", "😀", "'; DROP TABLE chunks; --", ".*", "NOT a OR b*", "\\", "日本"]
)
def test_odd_queries_find_nothing_and_do_no_harm(collection: Collection, query: str) -> None:
    assert len(collection.search(query)) == 0


def test_without_a_model(collection: Collection, messages: Callable[..., None]) -> None:
    results = collection.search("rent")
    assert results.mode == "keyword"
    (note,) = results.notes
    messages(note)
    for mode in ("semantic", "hybrid", "full"):
        with pytest.raises(ModelNotFound):
            collection.search("rent", mode=mode)


def test_unknown_document_filter_suggests_a_near_name(collection: Collection) -> None:
    with pytest.raises(DocumentNotFound, match=r"(?s)leese\.txt.*lease\.txt"):
        collection.search("rent", document="leese.txt")


def test_an_empty_collection_answers_with_a_note(library: Library) -> None:
    results = library.create("Empty").search("rent")
    assert len(results) == 0
    assert results.notes
    assert results.to_polars().height == 0
    assert re.search(r"\b0\b", repr(results))


@pytest.fixture(scope="module")
def meaning(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Collection:
    home = tmp_path_factory.mktemp("meaning")
    settings = replace(load_settings(home / "data"), models_dir=models_dir)
    collection = Library(settings).create("Meaning")
    texts = {
        "results.txt": "Earnings dropped sharply in the third quarter.",
        "office.txt": "The office will be painted in spring.",
        "cats.txt": "Cats sleep most of the day.",
    }
    for name, text in texts.items():
        (home / name).write_text(text)
    report = collection.ingest([home / n for n in texts])
    assert report.count("ingested") == 3
    return collection


class TestWithModel:
    """Tests that need vectors."""

    def test_other_words_are_found(self, meaning: Collection) -> None:
        query = "revenue decline"
        assert found(meaning.search(query, mode="keyword", vocabulary=False)) == []
        assert found(meaning.search(query, mode="semantic"))[0] == "results.txt"
        results = meaning.search(query)
        assert results.mode == "full"
        assert results.stages_used == ("bm25", "semantic", "maxsim", "feedback")
        assert found(results)[0] == "results.txt"

    def test_every_candidate_has_an_exact_score_of_each_signal(self, meaning: Collection) -> None:
        for hit in meaning.search("earnings of the office", vocabulary=False):
            signals = {"bm25", "semantic", "maxsim", "feedback", "relevance"}
            assert set(hit.signals) == signals
            assert hit.signals["semantic"].score != 0
            assert hit.score == pytest.approx(sum(s.contribution for s in hit.signals.values()))

    @pytest.mark.parametrize("mode", ["keyword", "semantic", "hybrid", "full"])
    def test_the_filter_works_in_both_recalls(self, meaning: Collection, mode: str) -> None:
        hits = meaning.search("earnings of sleeping cats", mode=mode, document="cats.txt")
        assert found(hits) == ["cats.txt"]
