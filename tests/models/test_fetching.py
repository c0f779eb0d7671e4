"""A server that fetches the missing models of its default profile from a local hub."""

from __future__ import annotations

import logging
from threading import Event
from types import SimpleNamespace

import pytest
from mcp.types import CallToolResult, TextContent

from casetrack.api.library import Library
from casetrack.base.config import Settings
from casetrack.base.errors import DownloadFailed
from casetrack.faces.mcp.fetching import NOTICE, MissingModels, with_notice
from casetrack.models.downloads import SourceFailed, WheelSource
from casetrack.models.pull import installed


def no_package(*_: object) -> None:
    raise SourceFailed("there is no package index")


@pytest.fixture
def library(tiny, hub, tmp_path, monkeypatch) -> Library:
    """A library whose default profile is the tiny model of the hub."""
    profile = SimpleNamespace(name="mini", models=(tiny.spec,), model_names=(tiny.spec.name,))
    monkeypatch.setattr("casetrack.api.models.supplies.find_profile", lambda _name: profile)
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setattr(WheelSource, "fetch", no_package)
    return Library(Settings(data_dir=tmp_path / "data", models_dir=tmp_path / "models"))


def fetched(library: Library, *pauses: float) -> MissingModels:
    missing_models = MissingModels(library)
    thread = missing_models.fetch(pauses)
    thread.join(60)
    assert not thread.is_alive()
    return missing_models


def test_the_model_is_fetched_once(tiny, hub, library, caplog):
    with caplog.at_level(logging.INFO, "casetrack.mcp"):
        fetched(library)
    folder = library.settings.models_dir / tiny.spec.name
    assert {path.name for path in folder.iterdir()} >= {file.name for file in tiny.spec.files}
    assert str(folder) in caplog.text
    assert "rapidocr" in caplog.text  # there is no package index
    (job,) = library.jobs.list()
    assert (job.kind, job.state) == ("models", "failed")
    assert all(name in job.title for name in ("mini", "rapidocr"))
    assert "rapidocr" in job.error["message"]
    asked = sum(hub.asked().values())
    assert asked
    fetched(library)
    assert sum(hub.asked().values()) == asked


def test_without_a_network_the_server_goes_on_and_tries_again(
    tiny, hub, library, monkeypatch, caplog
):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    missing_models = fetched(library)
    assert "tiny" in caplog.text
    assert not installed(library.settings.models_dir)
    message = missing_models.notice() or ""
    assert "tiny" in message
    assert "casetrack models pull" in message
    pause = Event()

    def online(_seconds: float) -> bool:
        assert " 7 " in (later.notice() or "")
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        return False

    later = MissingModels(library)
    monkeypatch.setattr(pause, "wait", online)
    with pytest.raises(DownloadFailed, match="rapidocr"):  # the search model itself has come
        later._fetched(lambda *_: None, pause, (7.0,))
    assert later.notice() is None
    assert [model.name for model in installed(library.settings.models_dir)] == [tiny.spec.name]


def test_each_result_says_so_until_the_model_is_there(tiny, library, messages) -> None:
    missing_models = MissingModels(library)

    def call() -> CallToolResult:
        text = TextContent(type="text", text="2 passages")
        return with_notice(
            CallToolResult(content=[text], structured_content={"found": 2}), missing_models.notice()
        )

    message = call()
    assert message.structured_content == {"found": 2, NOTICE: missing_models.notice()}
    assert missing_models.notice() in message.content[-1].text
    messages(message.content[-1].text)
    failed = CallToolResult(content=[], is_error=True)
    assert with_notice(failed, "a notice").content == []
    fetched(library)
    assert call().structured_content == {"found": 2}
