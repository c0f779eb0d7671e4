"""Properties of any chain of steps: its checks, and its fingerprint."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

from casetrack.base import schema
from casetrack.base.errors import PipelineError
from casetrack.ingest.pipeline import Pipeline, Tools, build_pipeline
from casetrack.ingest.pipeline.catalogue import OWN_STEPS
from casetrack.parse.workers.messages import page_schema
from conftest import page_row
from fakes import NamesByList, WordEncoder

NAMES = list(OWN_STEPS)
DOCUMENT = "00000000-0000-0000-0000-000000000001"
TEXT = "\n\n".join(f"Ann Lee paid {n} euros on {n} May 2021 in Bern. " * 9 for n in range(1, 25))
SEEDS = range(14)


def built(order: list[str], tools: Tools | None = None, /, **given: dict[str, Any]) -> Pipeline:
    steps = [{"name": name} | given.get(name, {}) for name in order]
    return build_pipeline({"name": "test", "step": steps}, tools or Tools())


def run(pipeline: Pipeline) -> pa.Table:
    pages = pa.RecordBatch.from_pylist([page_row(TEXT), page_row("A. B.", 2)], page_schema())
    return pa.Table.from_batches(pipeline.run(DOCUMENT, iter([pages]), name="a.txt"))


def tools(finder: str = "by list", width: int = 8) -> Tools:
    names = NamesByList(Ann_Lee="person", Bern="location")
    names.fingerprint = finder
    return Tools(None, WordEncoder("words", 12, token_width=width), 12, names)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_a_chain_is_refused_or_gives_what_is_declared(seed: int) -> None:
    """No chain that is accepted fails on data, or gives rows that cannot be stored."""
    chance = random.Random(seed)
    names = [n for n in NAMES if n == "parse" or chance.random() < 0.85]
    if chance.random() < 0.6:
        first, second = chance.sample(range(len(names)), 2)
        names[first], names[second] = names[second], names[first]
    try:
        pipeline = built(names, tools())
    except PipelineError as error:
        refusal: PipelineError | None = error
    else:
        refusal = None
    if refusal is not None:
        assert any(repr(n) in refusal.message for n in [*names, "parse"])
        return
    assert names[0] == "parse"
    table = run(pipeline)
    declared = schema.table("chunks")
    sealed = {"revision", "chunk_index", "document_path", "created_at"}
    assert set(table.column_names) == set(declared.names) - sealed
    for name in table.column_names:
        column = declared.column(name)
        assert column.fits(table[name].type)
        assert column.nullable or table[name].null_count == 0


@pytest.mark.slow
def test_every_order_of_steps_on_chunks_gives_the_same() -> None:
    after = ["terms", "embed", "names", "extract"]
    usual = run(built(NAMES, tools())).drop_columns(["embedded_at"])
    for seed in range(3):
        mixed = random.Random(seed).sample(after, len(after))
        ended = run(built([*NAMES[:3], *mixed], tools()))
        assert ended.select(usual.column_names).equals(usual)


@pytest.mark.slow
def test_leaving_a_step_out_empties_its_columns_only() -> None:
    usual = run(built(NAMES, tools()))
    for name in ("embed", "names", "extract"):
        ended = run(built([n for n in NAMES if n != name], tools()))
        gone = set(OWN_STEPS[name].contract.adds)
        for column in usual.column_names:
            if column in gone:
                values = ended[column].to_pylist()
                assert not any(values), column
            elif column != "embedded_at":
                assert ended[column].equals(usual[column]), column


@pytest.mark.parametrize(
    ("changed", "stale"),
    [
        ({"tools": tools(finder="another")}, {"names"}),
        ({"tools": tools(width=4)}, {"embed"}),
        ({"names": {"min_confidence": 0.5}}, {"names"}),
        ({"chunk": {"target_chars": 1500}}, set()),
    ],
)
def test_the_fingerprint_tells_which_step_is_another(
    changed: dict[str, Any], stale: set[str]
) -> None:
    before = built(NAMES, tools())
    given = {k: v for k, v in changed.items() if k != "tools"}
    after = built(NAMES, changed.get("tools", tools()), **given)
    assert after.changed_steps(before.fingerprint) == stale
    assert after.fingerprint != before.fingerprint
    assert (after.reading != before.reading) is (not stale)
    # Once its steps have gone over a document, it is as they make it; how it was read stays.
    now = after.fingerprint_after(before.fingerprint)
    assert after.is_current(now)
    assert not after.changed_steps(now)
    assert now.partition("-")[0] == before.reading
    assert before.fingerprint == built(NAMES, tools()).fingerprint


def test_parameters_of_names_keep_what_they_say() -> None:
    everything = run(built(NAMES, tools()))["mentions"].to_pylist()
    people = run(built(NAMES, tools(), names={"kinds": ["person"]}))["mentions"].to_pylist()
    sure = run(built(NAMES, tools(), names={"min_confidence": 0.95}))["mentions"].to_pylist()
    assert {m["kind"] for row in everything for m in row} == {"person", "location"}
    assert people == [[m for m in row if m["kind"] == "person"] for row in everything]
    assert not any(sure)
    for wrong in ({"kinds": ["animal"]}, {"min_confidence": 2}):
        with pytest.raises(PipelineError, match=r"animal|\b2\b"):
            built(NAMES, tools(), names=wrong)
