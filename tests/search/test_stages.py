"""The three stages: participation, explanation, and a missing stage."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import ModelCorrupt, ModelError, ProviderUnreachable, UsageError
from casetrack.base.records import RelatedChunk
from casetrack.graph.graph import ContextGraph
from casetrack.search.ranking import READ, RERANKED
from fakes import FakeEncoders, WordEncoder, direction

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from casetrack.api.collection import Collection

TEXTS = {
    "lease.txt": "The tenant pays the rent monthly. Late rent bears interest of four percent.",
    "supply.txt": "The supplier delivers goods. Late delivery bears a penalty.",
    "letter.txt": "Dear tenant, the rent is late. Please pay the rent now.",
    "minutes.txt": "The board approved the budget and thanked the staff.",
    "retention.txt": "Retention matters. Every customer gets a call.",
    "exact.txt": "Our customer retention is strong.",
}
RUSSIAN = {**TEXTS, "ru.txt": "Арендатор платит аренду ежемесячно. Кто опоздал, тот должен."}
ALL = ("bm25", "semantic", "sparse", "maxsim", "feedback")


def make(
    library: Library, folder: Path, *, texts: dict[str, str] = TEXTS, **model: Any
) -> tuple[Collection, WordEncoder]:
    """Return a collection whose profile is a model of words."""
    encoder = WordEncoder("legal", 768, **model)
    library.encoders = FakeEncoders(encoder)  # type: ignore[assignment]
    collection = library.create("Case", profile=encoder.name)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    report = collection.ingest([folder / name for name in texts])
    assert report.count("ingested") == len(texts)
    return collection, encoder


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Collection]:
    """Return a function that returns the collection of a kind of model; do not change it."""
    made: dict[str, Collection] = {}

    def of(**model: Any) -> Collection:
        if repr(model) not in made:
            home = tmp_path_factory.mktemp("stages")
            settings = replace(load_settings(home / "data"), models_dir=home / "no-models")
            made[repr(model)], _ = make(Library(settings), home, **model)
        return made[repr(model)]

    return of


@pytest.mark.slow
def test_maxsim_by_hand(library: Library, tmp_path: Path) -> None:
    """Of a question's words each counts with its nearest row; a row is the mean of three words."""
    collection, _ = make(library, tmp_path, texts={"a.txt": "Red green blue. Black white."})
    (hit,) = collection.search("green white", stages=["bm25", "maxsim"])
    words = ["red", "green", "blue", "black", "white"]  # the context, a name, has no row
    states = np.array([direction(w, 16) for w in words])
    rows = np.add.reduceat(states, [0, 3], axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    expected = np.mean([(rows @ direction(w, 16)).max() for w in ("green", "white")])
    assert hit.signals["maxsim"].score == pytest.approx(expected, abs=0.08)
    assert hit.signals["maxsim"].rank == 1


def test_ranks_of_a_stage_count_its_own_list(shared: Callable[..., Collection]) -> None:
    hits = list(shared().search("customer retention", limit=6))
    by_tokens = sorted(hits, key=lambda h: -h.signals["maxsim"].score)
    assert [h.signals["maxsim"].rank for h in by_tokens] == list(range(1, len(hits) + 1))
    assert hits[0].provenance.document_name == "exact.txt"


@pytest.mark.parametrize(
    ("model", "arguments", "stages"),
    [
        ({"token_width": None}, {"mode": "full"}, ("bm25", "semantic")),
        ({}, {"stages": ["sparse"]}, ("bm25",)),
        ({}, {"stages": ["sparse", "maxsim"]}, ("bm25", "maxsim")),
        ({}, {"stages": ["sparse", "semantic"]}, ("semantic",)),
        ({}, {"stages": ["semantic", "rerank"]}, ("semantic",)),
    ],
)
def test_what_a_profile_lacks_is_reported(
    shared: Callable[..., Collection],
    model: dict[str, Any],
    arguments: dict[str, Any],
    stages: tuple[str, ...],
) -> None:
    results = shared(**model).search("late rent", **arguments)
    assert results.stages_used == stages
    assert "legal" in results.notes[0]  # the name of the profile


@pytest.mark.sampled(7)
@pytest.mark.parametrize(
    ("query", "arguments", "mode", "named"),
    [
        ("Кто платит аренду", {}, "keyword", "Russian"),
        ("谁付 rent", {}, "keyword", "Chinese"),
        ("What does аренда mean", {}, "full", ""),
        ("Wer zahlt die Miete", {}, "full", "German"),
        ("12", {}, "full", ""),
        ("Кто платит аренду", {"mode": "full"}, "full", "Russian"),
        ("Кто платит аренду", {"stages": ["semantic"]}, "semantic", "Russian"),
        ("Кто платит аренду", {"mode": "keyword"}, "keyword", ""),
    ],
)
def test_a_script_that_the_models_do_not_read_is_searched_by_its_words(
    shared: Callable[..., Collection], query: str, arguments: dict[str, Any], mode: str, named: str
) -> None:
    """A stage that is named is run nevertheless, with a note."""
    results = shared(texts=RUSSIAN).search(query, **arguments)
    assert results.mode == mode
    assert (named in results.notes[0]) if named else not results.notes


@pytest.mark.parametrize("query", ["Кто платит аренду", "Wer zahlt die Miete"])
def test_a_note_on_the_language_of_a_question(
    shared: Callable[..., Collection], query: str, messages: Callable[..., None]
) -> None:
    messages("\n".join(shared(texts=RUSSIAN).search(query).notes), query)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("fails_at", ["loading", "asking"])
@pytest.mark.parametrize("error", [ModelCorrupt, ProviderUnreachable])
def test_models_that_fail_leave_the_words(
    library: Library,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fails_at: str,
    error: type[ModelError],
) -> None:
    """A search without a mode returns an answer and the reason; a semantic one raises the error."""
    collection, encoder = make(library, tmp_path)

    def fail(*_: object, **__: object) -> None:
        raise error("Model xyz fails.", hint="Put it right.")

    if fails_at == "loading":
        for name in ("get", "get_installed"):
            monkeypatch.setattr(library.encoders, name, fail)
        # As in a new process, which knows no index yet.
        encoders, library = library.encoders, Library(library.settings)
        library.encoders = encoders
        collection = library.get("Case")
    else:
        monkeypatch.setattr(encoder, "encode_query", fail)
    results = collection.search("late rent")
    assert (results.mode, results.stages_used) == ("keyword", ("bm25",))
    assert all(part in results.notes[-1] for part in ("Model xyz", "Put it right"))
    assert results[0].provenance.document_name in {"lease.txt", "letter.txt"}
    assert collection.search("late rent", mode="keyword").notes == ()
    with pytest.raises(error, match="xyz"):
        collection.search("late rent", mode="full")


def test_where_no_passage_has_a_matrix_nothing_is_reranked(
    library: Library, tmp_path: Path
) -> None:
    """So it is in a collection that an earlier version made."""
    collection, encoder = make(library, tmp_path, token_width=None)
    encoder.token_width = 16
    for mode in ("full", None):
        results = collection.search("late rent", mode=mode)  # type: ignore[arg-type]
        assert (results.mode, results.stages_used) == ("hybrid", ("bm25", "semantic"))
        assert "casetrack reindex" in results.notes[-1]
        assert set(results[0].signals) == {"bm25", "semantic", "relevance"}


def test_passages_without_a_matrix_are_in_the_middle(library: Library, tmp_path: Path) -> None:
    collection, _ = make(library, tmp_path)
    (tmp_path / "more.txt").write_text("The rent is late again.", encoding="utf-8")
    without = Library(library.settings)
    without.encoders = FakeEncoders()  # type: ignore[assignment]
    assert without.get("Case").ingest([tmp_path / "more.txt"]).count("ingested") == 1
    results = collection.search("late rent", limit=10)
    assert re.findall(r"\d+", results.notes[0]) == ["1", "7"]
    (new,) = [h for h in results if h.provenance.document_name == "more.txt"]
    assert new.signals["maxsim"].rank is None
    assert new.signals["maxsim"].contribution == pytest.approx(0.0, abs=1e-6)
    assert new.signals["semantic"].rank is None


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"stages": ["bm26"]}, "bm26"),
        ({"stages": ["maxsim"]}, "bm25"),
        ({"stages": []}, "bm25"),
        ({"stages": ["bm25", "maxsim", "feedback"]}, "feedback"),
        ({"stages": ["bm25"], "mode": "full"}, "mode"),
        ({"mode": "best"}, "best"),
    ],
)
def test_bad_plans(
    shared: Callable[..., Collection], arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(UsageError, match=named):
        shared().search("rent", **arguments)


@pytest.mark.slow
def test_more_results_than_are_reranked_by_default(library: Library, tmp_path: Path) -> None:
    texts = {f"{n:03}.txt": f"The rent of house {n} is due." for n in range(70)}
    collection, _ = make(library, tmp_path, texts=texts)
    hits = list(collection.search("rent of house", limit=70))
    assert len(hits) == 70
    scores = [h.score for h in hits]
    assert scores == sorted(scores, reverse=True)
    read = [h for h in hits if h.signals["maxsim"].score is not None]
    assert read == hits[:RERANKED]
    assert all(
        h.score == pytest.approx(sum(s.contribution for s in h.signals.values())) for h in hits
    )
    few = [h.provenance.chunk_id for h in collection.search("rent of house", limit=7)]
    assert few == [h.provenance.chunk_id for h in hits[:7]]


def test_cross_encoder_reads_the_best(library: Library, tmp_path: Path) -> None:
    read: list[str] = []

    def prefers_nine(_query: str, texts: Sequence[str]) -> np.ndarray:
        read[:] = texts
        return np.array(["9" in text for text in texts], dtype=np.float32)

    texts = {f"{n:03}.txt": f"The rent of house {n} is due." for n in range(14)}
    collection, _ = make(library, tmp_path, texts=texts, reranker=prefers_nine)
    hits = collection.search("rent of house", limit=14)
    assert hits.stages_used == ("bm25", "semantic", "maxsim", "feedback", "rerank")
    assert sorted(read) == sorted(h.text for h in hits[:READ])
    assert "9" in hits[0].text
    assert hits[0].signals["rerank"].rank == 1
    assert {h.signals["rerank"].rank for h in hits[READ:]} == {None}
    without = collection.search("rent of house", limit=14, stages=hits.stages_used[:-1])
    assert {h.text for h in without[:READ]} == set(read)
    assert "9" not in without[0].text
    words = collection.search("rent of house", stages=["bm25", "rerank"])
    assert (words.mode, "9" in words[0].text) == ("full", True)
    assert "rerank" not in collection.search("rent of house", mode="hybrid").stages_used


def test_reciprocal_ranks_join_all_stages(shared: Callable[..., Collection]) -> None:
    hits = shared().search("customer retention", fusion="rrf")
    for hit in hits:
        own = {n: s.rank for n, s in hit.signals.items() if n != "semantic"}
        ranks = [rank for rank in own.values() if rank is not None]
        assert hit.score == pytest.approx(sum(1 / (60 + rank) for rank in ranks))


@pytest.mark.slow
def test_what_is_not_the_text_is_seen_but_never_stored(library: Library, tmp_path: Path) -> None:
    texts = {"Ferry timetable.txt": "Every hour from eight.", "other.txt": "Every hour from nine."}
    collection, encoder = make(library, tmp_path, texts=texts)
    assert "Ferry timetable\nEvery hour from eight." in encoder.seen
    for mode in ("keyword", "semantic", "full"):
        hit = collection.search("ferry", mode=mode)[0]  # type: ignore[arg-type]
        assert hit.provenance.document_name == "Ferry timetable.txt"
        assert hit.text == "Every hour from eight."
    assert collection.admin.doctor().ok


@pytest.mark.slow
def test_related_chunks_stand_next_to_the_results(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection, _ = make(library, tmp_path)
    other = collection.read.chunks("minutes.txt")[0]
    asked: list[str] = []

    def related(_: ContextGraph, chunk_ids: Any, *, limit: int) -> list[RelatedChunk]:
        assert limit == 3
        asked.extend(chunk_ids)
        return [RelatedChunk(other, 0.9, "a reason")]

    monkeypatch.setattr(ContextGraph, "related", related)
    results = collection.search("late rent", limit=2, related=3)
    assert asked == [r.provenance.chunk_id for r in results]
    assert results.stages_used[-1] == "graph"
    (result,) = results.as_dict()["related"]
    assert (result["text"], result["reason"], result["weight"]) == (other.text, "a reason", 0.9)
    assert result["citation"] == other.citation
