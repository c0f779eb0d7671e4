"""A large table is taken in without waiting for the models: a reindex lets them read the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.ingest.pipeline import chain
from fakes import FakeEncoders, NamesByList, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection

MOST = 3
"""So many passages of tables are read by the models of these tests at once."""
WORDS = "the pump of the northern hall was looked at and found to be in order"


class Models(FakeEncoders):
    """Models that know one name."""

    def names(self, profile: str, /) -> Any:
        return NamesByList(Ann="person")


@pytest.fixture(autouse=True)
def _few_passages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "TABLE_PASSAGES", MOST)


def write(path: Path, rows: range) -> Path:
    lines = [f"M{n:04d},{WORDS},Ann,{n * 3}.50 USD" for n in rows]
    path.write_text("\n".join(["number,finding,who,cost", *lines]) + "\n", encoding="utf-8")
    return path


def opened(library: Library) -> tuple[Collection, WordEncoder]:
    models = WordEncoder("ollama", 12, token_width=4)
    result = Library(library.settings)
    result.encoders = Models(models)  # type: ignore[assignment]
    return result.create("C", profile="ollama"), models


def without_vectors(collection: Collection) -> int:
    rows = collection.workspace.state().snapshot.scan(["dense", "tokens", "mentions", "embedders"])
    nulls = {rows[name].null_count for name in ("dense", "tokens", "mentions")}
    assert nulls == {rows["embedders"].to_pylist().count([])}
    return nulls.pop()


@pytest.mark.slow
def test_the_first_passages_are_read_and_a_reindex_adds_the_others(
    library: Library, tmp_path: Path, messages: Callable[..., None]
) -> None:
    collection, models = opened(library)
    (tmp_path / "note.txt").write_text("\n\n".join(f"{n}. {WORDS}. " * 9 for n in range(20)))
    report = collection.ingest([write(tmp_path / "log.csv", range(200)), tmp_path / "note.txt"])
    outcome = next(o for o in report.outcomes if o.document_name == "log.csv")
    left = outcome.chunks - MOST
    assert left > MOST
    assert outcome.status == "ingested"
    (warning,) = outcome.warnings
    messages(warning, hide={str(left): "<left>", str(outcome.chunks): "<all>"})
    assert without_vectors(collection) == left
    assert len(models.seen) == report.chunks - left

    # Every row can be found at once, and every face reports the missing parts.
    for number in (0, 99, 199):
        answer = collection.search(f"M{number:04d}", mode="keyword", limit=1).results[0]
        assert f"M{number:04d}" in answer.text
    notes = " ".join(collection.search("pump", mode="semantic").notes)
    assert {str(left), str(report.chunks)} <= {*notes.split()}
    status = collection.admin.index_status()
    assert status.problems == {"incomplete": 1}
    assert status.action == "reindex"
    assert status.coverage["dense"] == report.chunks - left
    (mine,) = [d for d in status.documents if d.problems]
    assert "dense" in mine.reason
    assert collection.admin.doctor().ok
    share = collection.map.statistics().embedder_coverage["dense"]
    assert share == pytest.approx((report.chunks - left) / report.chunks)

    models.seen.clear()
    assert collection.admin.reindex().documents == 1
    assert len(models.seen) == left
    assert without_vectors(collection) == 0
    assert collection.document("log.csv").warnings == ()
    assert collection.admin.index_status().ok
    assert collection.admin.reindex().did_nothing


@pytest.mark.slow
def test_a_changed_table_has_only_its_new_rows_read(library: Library, tmp_path: Path) -> None:
    collection, models = opened(library)
    path = write(tmp_path / "log.csv", range(200))
    collection.ingest([path])
    collection.admin.reindex()
    models.seen.clear()
    write(path, range(205))
    report = collection.ingest([path])
    assert report.updated == 1
    assert 0 < len(models.seen) <= MOST
    assert without_vectors(collection) == 0
    assert report.outcomes[0].warnings == ()

    models.seen.clear()
    write(path, range(400))
    (outcome,) = collection.ingest([path]).outcomes
    assert len(models.seen) == MOST
    left = without_vectors(collection)
    assert 0 < left < outcome.chunks / 2
    assert str(left) in outcome.warnings[0]
