"""A server that fetches what its default profile lacks, from a real hub on this machine."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest

from casetrack.config import Settings
from casetrack.library import Library
from casetrack.mcp.fetching import fetch_in_background
from casetrack.models.pull import installed


@pytest.fixture
def library(tiny, hub, tmp_path, monkeypatch) -> Library:
    """A library whose default profile is the tiny model of the hub."""
    profile = SimpleNamespace(name="mini", models=(tiny.spec,), model_names=(tiny.spec.name,))
    monkeypatch.setattr("casetrack.models.profiles.find_profile", lambda _name: profile)
    monkeypatch.setattr("casetrack.models.pull.MODELS", (tiny.spec,), raising=False)
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setenv("CASETRACK_PIP_ARGS", "--no-index")
    return Library(Settings(data_dir=tmp_path / "data", models_dir=tmp_path / "models"))


def fetched(library: Library) -> None:
    thread = fetch_in_background(library)
    thread.join(60)
    assert not thread.is_alive()


def test_the_model_is_fetched_once(tiny, hub, library, caplog):
    with caplog.at_level(logging.INFO, "casetrack.mcp"):
        fetched(library)
    folder = library.settings.models_dir / tiny.spec.name
    assert {path.name for path in folder.iterdir()} >= {file.name for file in tiny.spec.files}
    assert "fetching the models of the profile mini" in caplog.text
    asked = sum(hub.asked().values())
    assert asked
    fetched(library)
    assert sum(hub.asked().values()) == asked


def test_without_a_network_the_server_goes_on(library, monkeypatch, caplog):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    fetched(library)
    assert "the search model could not be fetched" in caplog.text
    assert not installed(library.settings.models_dir)
