"""Display of results: cut lists, problems, single records, returned rows."""

from __future__ import annotations

import html
import pickle
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.evaluate.questions import Question, QuestionSet
from casetrack.api.evaluate.runs import Run
from casetrack.base.errors import UsageError
from casetrack.base.records import FileOutcome, IngestReport, Rows
from casetrack.base.records.graph import Change

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

AGREEMENT = "Master Services Agreement.pdf"
AMENDMENT = "Amendment No 1.docx"


def outcome(path: str, **facts: Any) -> FileOutcome:
    return FileOutcome(**({"path": path, "status": "ingested"} | facts))


@pytest.mark.parametrize(
    ("paths", "shown"),
    [
        (("/a.txt", "/b/c.txt"), ["/a.txt", "/b/c.txt"]),
        (("a.txt", "b/c.txt"), ["a.txt", "b/c.txt"]),
        (("/x/a.txt",), ["a.txt"]),
        (("/x/a.txt", "a.txt"), ["/x/a.txt", "a.txt"]),
    ],
)
def test_files_are_named_below_the_folder_they_share(paths: Any, shown: list[str]) -> None:
    report = IngestReport(tuple(outcome(path) for path in paths), 1.0)
    assert [line.split()[1] for line in repr(report).splitlines()[2:]] == shown


LIMITED: dict[str, Callable[..., Rows[Any]]] = {
    "amounts": lambda c, **k: c.map.amounts(**k),
    "entities": lambda c, **k: c.map.entities(**k),
    "references": lambda c, **k: c.map.references(type="section", **k),
    "document_entities": lambda c, **k: c.map.document_entities(AGREEMENT, **k),
    "related_documents": lambda c, **k: c.map.related_documents(AMENDMENT, **k),
    "similar_chunks": lambda c, **k: c.map.similar_chunks(c.read.chunks(AGREEMENT)[3], **k),
}


@pytest.mark.parametrize("name", LIMITED)
def test_cut_answer_says_how_many_there_are(demo: Collection, name: str) -> None:
    ask = LIMITED[name]
    every = ask(demo, limit=None)
    assert every.total == len(every) > 2
    assert " of " not in every._heading()
    some = ask(demo, limit=2)
    assert some == every[:2]
    assert some.total == len(every)
    text = f"2 of {len(every):,} "
    assert repr(some).startswith(text)
    assert text in str(some._repr_html_())
    assert pickle.loads(pickle.dumps(some)).total == len(every)
    assert some[:1].total == 1, "a part is not cut by a limit"
    with pytest.raises(UsageError, match="limit"):
        ask(demo, limit=0)


CARDS: dict[str, tuple[Callable[[Collection], Any], tuple[str, ...]]] = {
    "summary": (lambda c: c.map.summary(), ("Okafor",)),
    "statistics": (lambda c: c.map.statistics(), ("pdf ", "person ")),
    "stats": (lambda c: c.stats(), ("25",)),
    "info": (lambda c: c.info, ("active", "mini")),
    "document": (lambda c: c.document(AGREEMENT), (AGREEMENT, "pdf", "contract")),
    "structure": (lambda c: c.read.structure(AGREEMENT), ("Liability  p. ",)),
    "context": (lambda c: c.read.context(c.read.chunks(AGREEMENT)[3]), (AGREEMENT,)),
    "query report": (lambda c: c.sql("FROM search('rent', k => 2)", explain=True), ("rent",)),
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("name", CARDS)
def test_single_record_shows_itself(demo: Collection, name: str) -> None:
    ask, words = CARDS[name]
    result = ask(demo)
    text, page = repr(result), result._repr_html_()
    assert all(word in text for word in words), text
    assert len(text) < 3000
    assert max(map(len, text.splitlines())) < 200
    for shown in (text, page):
        assert not set(re.findall(r"\w+\(\w+=|datetime|None\b", shown))
    assert "<p" in page
    assert "background" not in page
    assert pickle.loads(pickle.dumps(replace(result))) == result


def test_what_was_measured_shows_itself(demo: Collection, messages: Callable[..., None]) -> None:
    questions = tuple(Question(f"q{n}", f"What of {n}?", {"a": 1}, kind="table") for n in range(9))
    asked = QuestionSet("set", "golden", "0123", demo, questions, judge=None, available=40)  # type: ignore[arg-type]
    run = Run(
        id="2025-a1", date=datetime(2025, 3, 1, tzinfo=UTC), versions={}, profile="mini",
        pipelines=(), embedders=(), mode="hybrid", stages=("bm25",), dataset="set", kind="golden",
        digest="0123", collection="Demo", documents=25, chunks=79, available=40,
        scores={f"q{n}": {"ndcg@10": n / 8} for n in range(9)}, kinds={},
        milliseconds={f"q{n}": 10.0 for n in range(9)}, stage_milliseconds={}, notes=("Mind.",),
    )  # fmt: skip
    lines = [line for line in repr(asked).splitlines() if "<Collection" not in line]
    messages("\n".join([*lines, repr(run)]))
    for shown in (run, asked):
        assert "<table" in shown._repr_html_()
        assert len(repr(shown)) < 700
    assert " ms" not in repr(replace(run, milliseconds={}))


def test_summary_in_a_notebook_cites(demo: Collection) -> None:
    summary = demo.map.summary()
    page = summary._repr_html_()
    assert html.escape(summary.key_dates[0].citation) in page
    assert all(html.escape(a.entity.name) in page for a in summary.key_actors)


def test_deleted_collection_still_shows_itself(library: Library) -> None:
    gone = library.create("Gone")
    library.delete("Gone")
    assert repr(gone).startswith(f"<Collection at {gone.folder}: ")


def test_unrelated_texts_are_no_versions(demo: Collection) -> None:
    unlike = demo.map.changes(AMENDMENT, AGREEMENT)
    assert unlike.kept < 0.1
    kept = Change("changed", None, None, (("same", "x" * 90), ("added", "y" * 10)))
    versions = replace(unlike, unchanged=1, changes=(kept, kept, Change("added", None, None)))
    assert versions.kept == pytest.approx((1 + 0.9 + 0.9) / 4)
    assert len(versions._heading()) < len(unlike._heading())
    assert replace(unlike, unchanged=0, changes=()).kept == 1.0
