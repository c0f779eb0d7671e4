"""The hub's protocol: requests, resumed downloads, and the message of each failure."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest

from casetrack.base.errors import DownloadFailed
from casetrack.models import downloads as module
from casetrack.models.downloads import HubSource
from casetrack.models.pull import pull, verify
from tests.models.conftest import STORAGE

WEIGHTS = "model.safetensors"
PIECE = 512


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch, naps):
    """Reduce the unit of kept downloads to the size of these files."""
    monkeypatch.setattr(module, "PIECE", PIECE)


def ranges(hub, name=WEIGHTS) -> list[str | None]:
    return [wanted for asked, wanted, _ in hub.requests if asked == name]


def kept(size: int) -> int:
    """Return the bytes that are on the disk after *size* have come."""
    return size // PIECE * PIECE


@pytest.mark.parametrize("linked", [set(), {WEIGHTS}])
def test_broken_connection_goes_on_where_it_stopped(tiny, hub, tmp_path, linked):
    hub.linked = linked
    # More breaks than the library tries: each brought something.
    hub.faults[WEIGHTS] = ["drop"] * 7
    pull(tiny.spec, tmp_path, sources=[hub.source()])
    size = len(tiny.files[WEIGHTS])
    first = kept(size // 2)
    second = first + kept((size - first) // 2)
    assert ranges(hub)[:3] == [None, f"bytes={first}-", f"bytes={second}-"]
    assert len(ranges(hub)) == 8
    assert {check.state for check in verify(tiny.spec, tmp_path)} == {"ok"}


def test_next_pull_continues_what_an_earlier_one_left(tiny, hub, tmp_path):
    hub.faults[WEIGHTS] = ["drop", "403"]
    with pytest.raises(DownloadFailed, match="403"):
        pull(tiny.spec, tmp_path, sources=[hub.source()])
    (part,) = (tmp_path / "tiny").glob("*.part")
    size = part.stat().st_size
    assert size == kept(len(tiny.files[WEIGHTS]) // 2) > 0
    assert part.read_bytes() == tiny.files[WEIGHTS][:size]
    seen = []
    pull(tiny.spec, tmp_path, sources=[hub.source()], progress=lambda *at: seen.append(at))
    assert ranges(hub)[-1] == f"bytes={size}-"
    done = [at for what, at, _ in seen if what == f"{WEIGHTS} from the hub"]
    assert done[0] == size + PIECE
    assert done[-1] == len(tiny.files[WEIGHTS])
    assert {check.state for check in verify(tiny.spec, tmp_path)} == {"ok"}


def test_server_without_ranges_starts_the_file_again(tiny, hub, tmp_path):
    hub.faults[WEIGHTS] = ["drop", "no range"]
    pull(tiny.spec, tmp_path, sources=[hub.source()])
    assert len(ranges(hub)) == 2


def test_rest_that_does_not_fit_is_dropped(tiny, hub, tmp_path):
    hub.faults[WEIGHTS] = ["drop", "416"]
    pull(tiny.spec, tmp_path, sources=[hub.source()])
    assert [wanted is None for wanted in ranges(hub)] == [True, False, True]


def test_slow_server_is_asked_again(tiny, hub, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DOWNLOAD_TIMEOUT", 0.1)
    hub.faults["config.json"] = ["slow", "redirect", "drop"]
    pull(tiny.spec, tmp_path, sources=[hub.source()])
    assert len(ranges(hub, "config.json")) == 4


def test_busy_hub_is_given_the_time_it_asks_for(tiny, hub, tmp_path, naps):
    seen = []
    hub.patience = "7"
    hub.refusals["config.json"] = [503, 429, 500]
    pull(tiny.spec, tmp_path, sources=[hub.source()], progress=lambda *at: seen.append(at))
    assert naps == [8.0, 8.0]
    assert any("config.json" in what and total is None for what, _done, total in seen)


@pytest.mark.parametrize(
    ("refusals", "left", "message"),
    [
        ([404], 0, ["404"]),
        ([401], 0, ["401", "HF_TOKEN"]),
        ([403], 0, ["403", "HF_TOKEN"]),
        ([503] * 9, 2, ["503"]),
    ],
)
def test_lasting_trouble_is_reported_with_its_reason(tiny, hub, tmp_path, refusals, left, message):
    hub.refusals["config.json"] = refusals
    with pytest.raises(DownloadFailed) as caught:
        pull(tiny.spec, tmp_path, sources=[hub.source()])
    for fact in ("hub", "config.json", str(tmp_path / "tiny"), *message):
        assert fact in caught.value.message
    assert caught.value.hint
    assert len(refusals) == left
    assert not hub.requests


def test_token_is_sent_to_the_hub_alone(tiny, hub, tmp_path, monkeypatch):
    hub.token = "hf_of_the_user"
    hub.linked = {WEIGHTS}
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with pytest.raises(DownloadFailed, match="HF_TOKEN"):
        pull(tiny.spec, tmp_path, sources=[hub.source()])
    monkeypatch.setenv("HF_TOKEN", hub.token)
    pull(tiny.spec, tmp_path, sources=[hub.source()])
    stored = [headers for request, headers in hub.headers if STORAGE in request]
    assert [headers["Authorization"] for headers in stored] == [None]


def test_offline_mode_of_the_library_is_kept(tiny, hub, tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(DownloadFailed, match="HF_HUB_OFFLINE"):
        pull(tiny.spec, tmp_path, sources=[hub.source()])
    assert not hub.headers


def test_file_that_is_too_long_is_not_fetched_to_its_end(tiny, hub, tmp_path):
    hub.faults["config.json"] = ["long"]
    size = len(tiny.files["config.json"])
    with pytest.raises(DownloadFailed, match=rf"config\.json .*\b{size}\b"):
        pull(tiny.spec, tmp_path, sources=[hub.source()])
    pull(tiny.spec, tmp_path, sources=[hub.source()])
    assert {check.state for check in verify(tiny.spec, tmp_path)} == {"ok"}


def test_endpoint_that_is_no_web_address(tiny, tmp_path):
    with pytest.raises(DownloadFailed, match=r"HF_ENDPOINT .*'file:///etc'"):
        pull(tiny.spec, tmp_path, sources=[HubSource("file:///etc")])


def test_nothing_is_reported_and_nothing_left_in_the_home(tiny, hub, tmp_path):
    """By default, the library reports the running AI program, from a list that it fetches."""
    home = tmp_path / "home"
    home.mkdir()
    code = (
        "import pathlib, pickle, sys\n"
        "from casetrack.models.pull import default_sources, pull\n"
        "spec = pickle.loads(bytes.fromhex(sys.argv[1]))\n"
        "pull(spec, pathlib.Path(sys.argv[2]), sources=default_sources()[:1])\n"
    )
    variables = ("HF_", "XDG_", "DO_NOT_TRACK", "DISABLE_TELEMETRY")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(variables)}
    done = subprocess.run(
        [sys.executable, "-c", code, pickle.dumps(tiny.spec).hex(), str(tmp_path / "models")],
        env=environment | {"HOME": str(home), "HF_ENDPOINT": hub.url, "AI_AGENT": "claude-code"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [path for path in home.rglob("*") if path.is_file()] == []
    names = [file.name for file in tiny.spec.files]
    asked = [f"{method} {name}" for name in names for method in ("HEAD", "GET")]
    prefix = f"/{tiny.spec.repository}/resolve/{tiny.spec.revision}/"
    assert [request.replace(prefix, "") for request, _ in hub.headers] == asked
    assert {headers["User-Agent"] for _, headers in hub.headers} == {"casetrack"}
