"""``casetrack reindex`` and ``collection create --profile``, in the words that people read."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import casetrack
from fakes import FakeEncoders, WordEncoder

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., Any]

ROOT = Path(casetrack.__file__).parents[1]
SLOW = """
import sys, time
import casetrack.library
from casetrack.cli.main import main
from fakes import FakeEncoders, WordEncoder

class Slow(WordEncoder):
    def encode_documents(self, texts, /, *, layers=()):
        for encoding in super().encode_documents(texts):
            print("embedded", flush=True)
            time.sleep(0.2)
            yield encoding

class Encoders(FakeEncoders):
    def __init__(self, *_, **__):
        super().__init__(Slow("mini", 384, token_width=None), Slow("ollama", 12))

    of = classmethod(lambda cls, _: cls())

casetrack.library.Encoders = Encoders
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
    monkeypatch.setattr("casetrack.library.Encoders", Models)


def info(run: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("collection", "info", "--json").out)
    return found


@pytest.mark.usefixtures("models")
def test_from_no_vectors_to_other_models_and_back(filled: Run, sources: Path) -> None:
    first = filled("reindex")
    assert first.code == 0, first.err
    assert "3 documents, 3 chunks made anew in " in first.out
    assert "profile" not in first.out
    again = filled("reindex", "-c", "Mill")
    assert again.out.splitlines()[0] == '"Mill" is up to date; there was nothing to do.'
    other = filled("reindex", "-c", "Mill", "--profile", "ollama")
    assert other.code == 0
    assert '"Mill" uses the profile ollama now (before: mini).' in other.out
    assert "leaves this machine" not in other.err
    assert (info(filled)["profile"], info(filled)["dimension"]) == ("ollama", 12)
    text = (sources / "memo.md").read_text()
    hits = filled("search", text, "--mode", "semantic", "--json")
    assert json.loads(hits.out)["results"][0]["source"]["document"] == "memo.md"
    back = filled("reindex", "--profile", "MINI", "--json")
    report = json.loads(back.out)
    assert (report["profile"], report["previous_profile"]) == ("mini", "ollama")
    assert (report["documents"], report["cancelled"], report["files"]) == (3, False, None)


@pytest.mark.usefixtures("models")
def test_text_that_would_leave_is_announced(filled: Run) -> None:
    ended = filled("reindex", "--profile", "openai")
    assert ended.code == 0
    assert "Notice: the text of every document and every search" in ended.err
    assert "api.openai.com" in ended.err
    made = filled("collection", "create", "Far", "--profile", "openai", "--json")
    assert "leaves this machine" in made.err
    assert json.loads(made.out)["profile"] == "openai"
    near = filled("collection", "create", "Near", "--profile", "ollama")
    assert near.err == ""


@pytest.mark.usefixtures("models")
def test_files_are_read_again(home: Path, run: Run, template: Path, tmp_path: Path) -> None:
    files = tmp_path / "mine"
    shutil.copytree(template / "files", files)
    run("ingest", files, "--create", "-c", "Mine")
    (files / "memo.md").unlink()
    (files / "lease.txt").write_text("The rent is lower now.")
    ended = run("reindex", "--reparse", "--force")
    assert ended.code == 0, ended.err
    assert "2 files read again." in ended.out
    assert "1 file not found any more; what is stored of them was kept:" in ended.out
    assert str(files / "memo.md") in ended.out
    assert "lower now" in run("search", "rent lower", "--mode", "keyword").out
    assert "leaks over the north room" in run("search", "roof leaks", "--mode", "keyword").out


@pytest.fixture
def mine(run: Run, template: Path, tmp_path: Path) -> Path:
    """A folder of files of our own, and a collection of them that is up to date."""
    files = tmp_path / "mine"
    shutil.copytree(template / "files", files)
    assert run("ingest", files, "--create", "-c", "Mine").code == 0
    return files


@pytest.mark.usefixtures("models")
def test_one_document(run: Run, mine: Path) -> None:
    idle = run("reindex", "memo.md")
    assert '"memo.md" is up to date; there was nothing to do.' in idle.out
    (mine / "memo.md").write_text("The roof is dry again.")
    kept = run("reindex", "memo.md", "--no-reparse", "--force")
    assert "1 document, 1 chunk made anew" in kept.out
    assert "Note: The file of" in kept.out
    read = run("reindex", "memo.md")
    assert read.code == 0, read.err
    assert "1 file read again." in read.out
    assert "dry again" in run("search", "roof", "--mode", "keyword").out
    wrong = run("reindex", "memo.md", "--profile", "ollama")
    assert wrong.code == 2
    assert "for a whole collection" in wrong.err
    assert run("reindex", "none.md").code == 2


@pytest.mark.usefixtures("models")
def test_index_status(run: Run, mine: Path) -> None:
    good = run("index-status")
    assert (good.code, good.err) == (0, "")
    assert "All is up to date." in good.out
    assert "dense 100 %, terms 100 %" in good.out
    (mine / "memo.md").write_text("The roof is dry again.")
    (mine / "lease.txt").unlink()
    bad = run("index-status", "--problems")
    assert bad.code == 1
    assert "the file has changed since" in bad.out
    assert "1 document: the file is not there any more" in bad.out
    assert "Next: casetrack reindex --reparse -c Mine" in bad.out
    assert "Grüße" not in bad.out
    raw = json.loads(run("index-status", "--json", "--problems").out)
    assert raw["problems"] == {"source_changed": 1, "source_missing": 1}
    assert [d["name"] for d in raw["documents"]] == ["lease.txt", "memo.md"]
    one = run("index-status", "memo.md")
    assert "1 document, 1 chunk" in one.out
    assert run("reindex", "--reparse").code == 0
    assert json.loads(run("index-status", "memo.md", "--json").out)["ok"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ["--profile", "huge"],
            2,
            "Unknown profile 'huge'; known: mini, standard, legal, mini-sparse",
        ),
        (["--profile", "legal"], 1, "casetrack models pull"),
        ([], 1, "casetrack models pull"),
        (["-c", "None"], 2, "None"),
    ],
)
def test_what_cannot_be_done_is_said(filled: Run, words: list[str], code: int, said: str) -> None:
    before = info(filled)
    ended = filled("reindex", *words)
    assert ended.code == code
    assert said in ended.err
    assert ended.out == ""
    as_json = filled("reindex", *words, "--json")
    assert json.loads(as_json.out)["error"]["message"] in as_json.err
    assert info(filled) == before


def test_a_collection_is_made_before_its_models_are_there(run: Run) -> None:
    made = run("collection", "create", "Law", "--profile", "legal")
    assert made.code == 0
    assert "casetrack models pull legal" in made.err
    assert (info(run)["profile"], info(run)["dimension"]) == ("legal", 768)
    wrong = run("collection", "create", "Other", "--profile", "huge")
    assert wrong.code == 2
    assert "known: mini, standard, legal, mini-sparse, " in wrong.err
    assert len(json.loads(run("collection", "list", "--json").out)) == 1


def test_a_service_that_fails_leaves_no_collection(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from casetrack.errors import ProviderUnreachable

    class Gone(Models):
        def get(self, name: str, /) -> Any:
            raise ProviderUnreachable("The service does not answer.", hint="Try again later.")

    monkeypatch.setattr("casetrack.library.Encoders", Gone)
    ended = run("collection", "create", "Far", "--profile", "ollama")
    assert ended.code == 1
    assert "The service does not answer." in ended.err
    assert run("collection", "list", "--json").out.strip() == "[]"


def test_without_standard_input(filled: Run, home: Path) -> None:
    ended = subprocess.run(
        f'"{sys.executable}" -m casetrack reindex <&-',
        shell=True,
        cwd=ROOT,
        env=os.environ | {"CASETRACK_HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 1
    assert 'Model "mini" is not installed' in ended.stderr


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
    assert 'Stopped by Ctrl-C: 3 texts embedded and kept. "Mill" is whole and uses' in errors
    assert "profile mini. Run the same command again to go on." in " ".join(errors.split())
    assert info(filled)["profile"] == "mini"
    assert "Mill House" in filled("search", "roof", "--mode", "keyword").out
