"""Pipelines are checked when they are built, and a broken one names both steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.pipelines import explain_pipelines
from casetrack.base.errors import PipelineError
from casetrack.base.resources import resource_dir
from casetrack.ingest.pipeline import Tools, build_pipeline, load_pipeline, pipeline_names
from casetrack.ingest.pipeline.catalogue import OWN_STEPS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ALL = ["parse", "language", "chunk", "terms", "embed"]


def described(*steps: str, **parameters: dict[str, Any]) -> dict[str, Any]:
    return {"name": "test", "step": [{"name": s} | parameters.get(s, {}) for s in steps]}


def test_every_shipped_pipeline_builds() -> None:
    assert "standard" in pipeline_names()
    for name in pipeline_names():
        pipeline = load_pipeline(name)
        assert pipeline.name == name
        assert pipeline.is_current(pipeline.fingerprint)


BROKEN = (
    described("parse", "terms"),
    described("parse", "chunk"),
    described("chunk"),
    described("parse", "language"),
    described(*ALL, chunk={"size": 3}),
    described(*ALL, "embed"),
    described("parse", "language", "chunk", "embed"),
    described(*ALL, chunk={"overlap_chars": 900}),
)


def test_broken_pipelines(messages: Callable[[str], None]) -> None:
    lines = []
    for raw in BROKEN:
        with pytest.raises(PipelineError) as refused:
            build_pipeline(raw, Tools())
        assert refused.value.hint
        lines.append(str(refused.value))
    messages("\n\n\n".join(lines))


def test_what_a_pipeline_does_is_explained(tmp_path: Path) -> None:
    (tmp_path / "pipelines").mkdir()
    shipped = (resource_dir("pipelines") / "standard.toml").read_text(encoding="utf-8")
    for name, text in {
        "mine": shipped.replace('"standard"', '"mine"', 1).replace("= 2000", "= 1800"),
        "standard": shipped,
        "torn": shipped.replace('"standard"', '"torn"', 1).replace('"chunk"', '"chank"'),
    }.items():
        (tmp_path / "pipelines" / f"{name}.toml").write_text(text, encoding="utf-8")
    standard, mine, shadow, torn = explain_pipelines(tmp_path)
    assert (standard.name, standard.origin, standard.problem) == ("standard", "casetrack", "")
    assert [s.name for s in standard.steps] == [*OWN_STEPS, "join_entities"]
    assert [s.over for s in standard.steps[-2:]] == ["documents", "collection"]
    steps = {s.name: s for s in mine.steps}
    assert steps["names"].shares_pass_with == ("embed",)
    assert steps["extract"].shares_pass_with == ()
    assert [
        (p["type"], p["default"], p["value"])
        for p in steps["chunk"].parameters
        if p["name"] == "target_chars"
    ] == [("whole number", 2000, 1800)]
    assert all(p["meaning"].endswith(".") for s in mine.steps for p in s.parameters)
    changed = [s.name for s, t in zip(mine.steps, standard.steps, strict=True) if s != t]
    assert changed == ["chunk"]
    assert mine.fingerprint != standard.fingerprint
    assert "'standard'" in shadow.problem
    assert "'chank'" in torn.problem
    assert "'chunk'" in torn.problem
