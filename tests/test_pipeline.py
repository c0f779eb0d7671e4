"""Pipelines are checked when they are built, and a broken one names both steps."""

from __future__ import annotations

from typing import Any

import pytest

from casetrack.errors import PipelineError
from casetrack.pipeline import Tools, build_pipeline, load_pipeline, pipeline_names

ALL = ["parse", "language", "chunk", "terms", "embed"]


def described(*steps: str, **parameters: dict[str, Any]) -> dict[str, Any]:
    return {"name": "test", "step": [{"name": s} | parameters.get(s, {}) for s in steps]}


def test_every_shipped_pipeline_builds() -> None:
    assert "standard" in pipeline_names()
    for name in pipeline_names():
        pipeline = load_pipeline(name)
        assert pipeline.name == name
        assert pipeline.is_current(pipeline.fingerprint)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (described("parse", "terms"), "Step 'terms' reads chunks, but step 'parse' gives pages"),
        (
            described("parse", "chunk"),
            "Step 'chunk' needs pages.language, which step 'parse' and what stands before it",
        ),
        (described("chunk"), "Step 'chunk' reads pages, but the file list gives files"),
        (described("parse", "language"), "it must give chunks"),
        (described("parse", "frobnicate"), "unknown step 'frobnicate'; known: parse, language"),
        (described(*ALL, chunk={"size": 3}), "step 'chunk': there is no parameter 'size'; it has"),
        (described(*ALL, chunk={"target_char": 3}), "did you mean 'target_chars'"),
        (described(*ALL, chunk={"target_chars": "9"}), "must be a whole number, not '9'"),
        (described(*ALL, "embed"), "Step 'embed' stands in the pipeline twice"),
        (described("parse", "language", "chunk", "embed"), "No step gives chunks.terms"),
        (described(*ALL, "nmes"), r"unknown step 'nmes' \(did you mean 'names'"),
        (described(*ALL, chunk={"overlap_chars": 900}), "Chunk sizes do not fit together"),
        (described(*ALL, language={"min_letter": 3}), "did you mean 'min_letters'"),
    ],
)
def test_broken_pipelines(raw: dict[str, Any], message: str) -> None:
    with pytest.raises(PipelineError, match=message):
        build_pipeline(raw, Tools())


def test_unknown_pipeline_lists_the_known_ones() -> None:
    with pytest.raises(PipelineError, match=r"Unknown pipeline 'x'; known: .*standard"):
        load_pipeline("x")


def test_fingerprint_changes_with_parameters_and_not_by_itself() -> None:
    same = build_pipeline(described(*ALL), Tools()).fingerprint
    assert build_pipeline(described(*ALL), Tools()).fingerprint == same
    other = build_pipeline(described(*ALL, chunk={"target_chars": 1500}), Tools())
    assert other.fingerprint != same
