"""Stored runs: kept whole, found again, compared, and their trend."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from casetrack.api.evaluate import find_run, measure, open_beir, save_run, stored_runs
from casetrack.api.evaluate.runs import Run, compare_runs, load_run, runs_dir, trends
from casetrack.base.errors import FileNotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.library import Library

START = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)


def made(name: str, hits: int, *, day: int = 0, questions: int = 40, mode: str = "keyword") -> Run:
    """Return a run of *questions* whose first *hits* were answered well."""
    scores = {f"q{n}": {"ndcg@10": float(n < hits)} for n in range(questions)}
    return Run(
        id=name,
        date=START + timedelta(days=day),
        versions={"casetrack": "0.1.0"},
        profile="mini",
        pipelines=("p",),
        embedders=(),
        mode=mode,
        stages=("bm25",),
        dataset="set",
        kind="beir",
        digest="0123456789abcdef",
        collection="set 1",
        documents=4,
        chunks=5,
        available=40,
        scores=scores,
        kinds={},
        milliseconds=dict.fromkeys(scores, 2.0),
        stage_milliseconds={"bm25": 1.0},
    )


@pytest.mark.slow
def test_a_run_is_kept_whole(library: Library, folder: Path) -> None:
    run = measure(open_beir(folder, library), mode="keyword")
    path = save_run(run, library.settings)
    assert path.parent == library.settings.data_dir / "eval" / "runs"
    again = load_run(path)
    assert again == replace(
        run, milliseconds=again.milliseconds, stage_milliseconds=again.stage_milliseconds
    )
    assert again.milliseconds == pytest.approx(run.milliseconds, abs=1e-6)
    raw = json.loads(path.read_text(encoding="utf-8"))
    assert set(raw["versions"]) >= {"casetrack", "python", "numpy"}
    assert (raw["profile"], raw["mode"], raw["dataset"]) == ("mini", "keyword", "tiny")


def test_rare_languages_stand_together() -> None:
    messages = {f"q{n}": "de" if n < 20 else "en" for n in range(39)} | {"q39": "la"}
    run = replace(made("several", 20), languages=messages)
    by_name = {one: (n, means["ndcg@10"]) for one, (n, means) in run.means_by_language().items()}
    assert by_name == {"de": (20, 1.0), "en": (19, 0.0), "other": (1, 0.0)}
    assert run.summary()["languages"]["de"] == {"questions": 20, "means": {"ndcg@10": 1.0}}


def test_runs_are_found_by_what_people_type(library: Library, tmp_path: Path) -> None:
    for name in ("20250301-a", "20250302-b"):
        path = save_run(made(name, 1), library.settings)
    assert find_run("20250301-a", library.settings).id == "20250301-a"
    assert find_run("20250302", library.settings).id == "20250302-b"
    assert find_run(str(path), library.settings).id == "20250302-b"
    with pytest.raises(UsageError, match=r"20250301-a\n.*20250302-b"):
        find_run("2025", library.settings)
    with pytest.raises(UsageError, match='"x"'):
        find_run("x", library.settings)
    with pytest.raises(UsageError, match='""'):
        find_run("", library.settings)
    with pytest.raises(FileNotFound):
        find_run(str(tmp_path / "none.json"), library.settings)


@pytest.mark.parametrize(
    ("content", "named"),
    [("{", ""), ("[]", ""), ('{"format": 1}', ""), ('{"format": 9}', ".* 9.* 1")],
)
def test_a_broken_run_is_named_and_the_others_are_shown(
    library: Library, content: str, named: str
) -> None:
    save_run(made("good", 1), library.settings)
    path = runs_dir(library.settings) / "bad.json"
    path.write_text(content)
    with pytest.raises(UsageError, match=rf"bad\.json.*{named}"):
        load_run(path)
    runs, notes = stored_runs(library.settings)
    assert [run.id for run in runs] == ["good"]
    assert len(notes) == 1
    assert "bad.json" in notes[0]


def test_two_runs_next_to_each_other() -> None:
    runs = compare_runs(made("a", 10), made("b", 30))
    (difference,) = runs.differences
    assert (difference.first, difference.second, difference.difference) == (0.25, 0.75, 0.5)
    assert difference.verdict == "better"
    assert 0.3 < difference.low < 0.5 < difference.high < 0.7
    assert compare_runs(made("b", 30), made("a", 10)).differences[0].verdict == "worse"
    near = compare_runs(made("a", 20), made("b", 21)).differences[0]
    assert not near.is_clear


def test_what_else_differs_is_told(messages: Callable[..., None]) -> None:
    other = replace(made("b", 5, questions=20), documents=9, pipelines=("q",))
    messages("\n".join(compare_runs(made("a", 10), other).notes))
    with pytest.raises(UsageError, match=r"a .*set.*0123456789abcdef.*c .*f{16}"):
        compare_runs(made("a", 1), replace(made("c", 1), digest="f" * 16))


def test_the_trend_of_each_mode() -> None:
    runs = [
        made("late", 31, day=2),
        made("first", 10),
        made("middle", 30, day=1),
        made("other", 5, day=1, mode="hybrid"),
        made("short", 5, day=3, questions=20),
    ]
    by_name = {tuple(p.run.id for p in series): series for series in trends(runs)}
    assert set(by_name) == {("first", "middle", "late"), ("other",), ("short",)}
    first, middle, late = by_name["first", "middle", "late"]
    assert first.change is None
    assert middle.change is not None
    assert late.change is not None
    assert (middle.change.difference, middle.change.verdict) == (0.5, "better")
    assert not late.change.is_clear
