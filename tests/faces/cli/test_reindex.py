"""``casetrack reindex`` and ``collection create --profile``, in the words that people read."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import casetrack
from casetrack.base.errors import ProviderUnreachable
from faces.cli.conftest import Run, error_of
from fakes import FakeEncoders, WordEncoder

ROOT = Path(casetrack.__file__).parents[1]
SLOW = """
import sys, time
import casetrack.api.library
from casetrack.faces.cli.main import main
from fakes import FakeEncoders, WordEncoder

class Slow(WordEncoder):
    def encode_documents(self, texts, /, *, layers=()):
        for encoding in super().encode_documents(texts):
            print("embedded", flush=True)
            time.sleep(0.1)
            yield encoding

class Encoders(FakeEncoders):
    def __init__(self, *_, **__):
        super().__init__(Slow("mini", 384, token_width=None), Slow("ollama", 12))

    of = classmethod(lambda cls, _: cls())

casetrack.api.holdings.Encoders = Encoders
sys.exit(main(sys.argv[1:]))
"""


class Models(FakeEncoders):
    """The models that every library of a test gets."""

    def __init__(self, *_: object, **__: object) -> None:
        super().__init__(
            WordEncoder("mini", 384, token_width=None),
            WordEncoder("openai", 8, token_width=None),
            WordEncoder("ollama", 12, token_width=None),
        )

    @classmethod
    def of(cls, _: object, /) -> Models:
        return cls()


@pytest.fixture
def models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of small dimensions for all commands of this process."""
    monkeypatch.setattr("casetrack.api.holdings.Encoders", Models)


def info(run: Run) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(run("collection", "info", "--json").out)
    return data


@pytest.mark.slow
@pytest.mark.usefixtures("models")
def test_from_no_vectors_to_other_models_and_back(filled: Run, sources: Path) -> None:
    first = filled("reindex")
    assert first.code == 0, first.err
    assert re.match(r"\D*3\D+3\D", first.out)
    again = json.loads(filled("reindex", "-c", "Mill", "--json").out)
    assert (again["documents"], again["chunks"]) == (0, 0)
    other = filled("reindex", "-c", "Mill", "--profile", "ollama")
    assert (other.code, "ollama" in other.out, "mini" in other.out) == (0, True, True)
    assert (info(filled)["profile"], info(filled)["dimension"]) == ("ollama", 12)
    text = (sources / "memo.md").read_text()
    hits = filled("search", text, "--mode", "semantic", "--json")
    assert json.loads(hits.out)["results"][0]["source"]["document"] == "memo.md"
    report = json.loads(filled("reindex", "--profile", "MINI", "--json").out)
    assert (report["profile"], report["previous_profile"]) == ("mini", "ollama")
    assert (report["documents"], report["cancelled"], report["files"]) == (3, False, None)


@pytest.mark.usefixtures("models")
def test_text_that_would_leave_is_announced(filled: Run, messages: Callable[[str], None]) -> None:
    ended = filled("reindex", "--profile", "openai")
    assert ended.code == 0
    messages(ended.err)
    made = filled("collection", "create", "Far", "--profile", "openai", "--json")
    assert "api.openai.com" in made.err
    assert json.loads(made.out)["profile"] == "openai"
    assert filled("collection", "create", "Near", "--profile", "ollama").err == ""


@pytest.fixture
def mine(run: Run, template: Path, tmp_path: Path) -> Path:
    """A folder of files and an up-to-date collection of them."""
    files = tmp_path / "mine"
    shutil.copytree(template / "files", files)
    assert run("ingest", files, "--create", "-c", "Mine").code == 0
    return files


@pytest.mark.slow
@pytest.mark.usefixtures("models")
def test_one_document(run: Run, mine: Path) -> None:
    def report(*words: str) -> dict[str, Any]:
        ended = run("reindex", "memo.md", *words, "--json")
        assert ended.code == 0, ended.err
        data: dict[str, Any] = json.loads(ended.out)
        return data

    assert report()["documents"] == 0
    (mine / "memo.md").write_text("The roof is dry again.")
    kept = report("--no-reparse", "--force")
    assert (kept["documents"], kept["chunks"], bool(kept["notes"])) == (1, 1, True)
    assert report()["files"]
    assert "dry again" in run("search", "roof", "--mode", "keyword").out
    assert run("reindex", "memo.md", "--profile", "ollama").code == 2
    assert run("reindex", "none.md").code == 2


@pytest.mark.usefixtures("models")
def test_index_status(run: Run, mine: Path) -> None:
    good = run("index-status")
    assert (good.code, good.err) == (0, "")
    assert good.out.count(" 100 %") >= 2
    (mine / "memo.md").write_text("The roof is dry again.")
    (mine / "lease.txt").unlink()
    bad = run("index-status", "--problems")
    assert (bad.code, "Grüße" in bad.out) == (1, False)
    assert "casetrack reindex --reparse -c Mine" in bad.out
    raw = json.loads(run("index-status", "--json", "--problems").out)
    assert raw["problems"] == {"source_changed": 1, "source_missing": 1}
    assert [d["name"] for d in raw["documents"]] == ["lease.txt", "memo.md"]
    assert run("reindex", "--reparse").code == 0
    assert json.loads(run("index-status", "memo.md", "--json").out)["ok"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "ended_with", "code", "fact"),
    [
        (["--profile", "huge"], 2, "usage", "mini, standard, legal, mini-sparse"),
        (["--profile", "legal"], 1, "model_not_found", "casetrack models pull legal"),
        ([], 1, "model_not_found", "casetrack models pull"),
        (["-c", "None"], 2, "collection_not_found", "None"),
    ],
)
def test_what_cannot_be_done_is_reported(
    filled: Run, words: list[str], ended_with: int, code: str, fact: str
) -> None:
    before = info(filled)
    ended = filled("reindex", *words, "--json")
    error = error_of(ended)
    assert (ended.code, error["code"]) == (ended_with, code)
    assert fact in error["message"] + error["hint"]
    assert info(filled) == before


@pytest.mark.slow
def test_a_collection_is_made_before_its_models_are_there(run: Run) -> None:
    made = run("collection", "create", "Law", "--profile", "legal")
    assert made.code == 0
    assert "casetrack models pull legal" in made.err
    assert (info(run)["profile"], info(run)["dimension"]) == ("legal", 768)
    assert run("collection", "create", "Other", "--profile", "huge").code == 2
    assert len(json.loads(run("collection", "list", "--json").out)) == 1


def test_a_service_that_fails_leaves_no_collection(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Gone(Models):
        def get(self, name: str, /) -> Any:
            raise ProviderUnreachable("It is gone.")

    monkeypatch.setattr("casetrack.api.holdings.Encoders", Gone)
    ended = run("collection", "create", "Far", "--profile", "ollama", "--json")
    assert (ended.code, error_of(ended)["code"]) == (1, "provider_unreachable")
    assert run("collection", "list", "--json").out.strip() == "[]"


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="a signal of its own")
def test_ctrl_c_keeps_the_collection_whole(filled: Run, home: Path) -> None:
    paths = {"CASETRACK_HOME": str(home), "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    with subprocess.Popen(
        [sys.executable, "-c", SLOW, "reindex", "--profile", "ollama"],
        env=os.environ | paths,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert first == "embedded\n", errors
    assert process.returncode == 130
    assert re.search(r'\b3\D+"Mill"', errors)
    assert "Traceback" not in errors
    assert info(filled)["profile"] == "mini"
    assert "Mill House" in filled("search", "roof", "--mode", "keyword").out
