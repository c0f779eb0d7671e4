"""A pull that is killed: no half model is ever used, and the next pull completes it."""

from __future__ import annotations

import json
import os
import pickle
import random
from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import CaseTrackError, ModelNotFound
from casetrack.models.encoders import Encoder
from casetrack.models.pull import installed, pull, verify
from tests.crash.faults import KILL
from tests.models.conftest import (
    CONFIG,
    WORDS,
    Hub,
    TinyModel,
    hub_of,
    random_weights,
    tiny_spec,
    tokenizer_file,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crash.bench import Bench

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
QUICK, MANY = 4, 60


@pytest.fixture(scope="module")
def model() -> TinyModel:
    from safetensors.numpy import save

    weights = random_weights()
    files = {
        "config.json": json.dumps(CONFIG).encode(),
        "tokenizer.json": tokenizer_file(WORDS),
        "model.safetensors": save(weights),
    }
    return TinyModel(tiny_spec("tiny", files), files, CONFIG, weights)


@pytest.fixture
def hub(model: TinyModel, tmp_path: Path) -> Iterator[Hub]:
    """Serve the model; the folder ``hub`` has the files that a process needs for pulling it."""
    with hub_of(model.spec, model.files) as server:
        (tmp_path / "hub").mkdir()
        (tmp_path / "hub" / "address").write_text(server.url)
        (tmp_path / "hub" / "spec").write_bytes(pickle.dumps(model.spec))
        yield server


def cut_off(bench: Bench, hub: Hub, home: Path, model: TinyModel, at: int) -> None:
    """Kill a pull at a call, and check the models folder before and after the next pull."""
    models = home / f"models-{at}"
    models.mkdir()
    if at % 3 == 0:
        hub.faults["model.safetensors"] = ["drop"]  # so that one part of it comes later
    bench.faults.arm(models, KILL, at)
    child = bench.zygote.start("pull", models, home / "hub")
    status = child.wait()
    bench.faults.disarm()
    hub.faults.clear()
    assert status in {0, -9}, child.error
    ready = installed(models)
    if child.acknowledged:
        assert [m.name for m in ready] == ["tiny"]
    if ready:
        assert {check.state for check in verify(model.spec, models)} == {"ok"}
        assert len(Encoder.load(models, "tiny").encode_query("the lease ends").tokens) == 3
    else:
        with pytest.raises(ModelNotFound):
            Encoder.load(models, "tiny")
    pull(model.spec, models, sources=[hub.source()])
    assert {check.state for check in verify(model.spec, models)} == {"ok"}
    assert sorted(p.name for p in (models / "tiny").iterdir()) == sorted(
        [*model.files, "manifest.json", "model.int8.onnx"]
    ), child.error


def calls_of_a_pull(bench: Bench, home: Path) -> int:
    if not bench.faults.counts:
        pytest.skip("the calls of a pull cannot be counted on this machine")
    (home / "models-0").mkdir()
    bench.faults.arm(home / "models-0")
    child = bench.zygote.start("pull", home / "models-0", home / "hub")
    assert child.wait() == 0, child.error["trace"]
    return bench.faults.count


def test_killed_now_and_then(bench: Bench, hub: Hub, tmp_path: Path, model: TinyModel) -> None:
    calls = calls_of_a_pull(bench, tmp_path)
    for at in sorted(random.Random(11).sample(range(1, calls + 1), QUICK)):
        cut_off(bench, hub, tmp_path, model, at)


@pytest.mark.slow
def test_killed_at_many_calls(bench: Bench, hub: Hub, tmp_path: Path, model: TinyModel) -> None:
    calls = calls_of_a_pull(bench, tmp_path)
    for at in sorted(random.Random(2).sample(range(1, calls + 1), min(MANY, calls))):
        cut_off(bench, hub, tmp_path, model, at)


def test_torn_model_is_not_used(tmp_path: Path, model: TinyModel, hub: Hub) -> None:
    pull(model.spec, tmp_path, sources=[hub.source()])
    source = random.Random(4)
    for name in ("model.int8.onnx", "manifest.json", "tokenizer.json"):
        path = tmp_path / "tiny" / name
        whole = path.read_bytes().rstrip()
        for length in (0, 1, source.randrange(2, len(whole)), len(whole) - 1):
            path.write_bytes(whole[:length])
            with pytest.raises(CaseTrackError, match="tiny") as caught:  # noqa: PT012
                Encoder.load(tmp_path, "tiny")
                pytest.fail(f"{name} of {length} bytes was taken for whole")
            assert "casetrack models pull" in caught.value.hint
            pull(model.spec, tmp_path, sources=[hub.source()])
            assert {check.state for check in verify(model.spec, tmp_path)} == {"ok"}
            assert len(Encoder.load(tmp_path, "tiny").encode_query("the lease").tokens) == 2
