"""After the model is there, nothing touches the network: proven where there is none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

READ = ("Contracts/Amendment No 1.docx", "Exhibits/Exhibit C Condemned Goods.pdf")
"""A text, and pages that have to be recognised."""
ISOLATED = ["unshare", "--map-root-user", "--net"]


def can_isolate() -> bool:
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*ISOLATED, "true"], capture_output=True, check=False).returncode == 0


def program(
    *arguments: str,
    before: list[str] | None = None,
    environment: dict[str, str] | None = None,
    **variables: object,
) -> subprocess.CompletedProcess[str]:
    """Run the program with these variables of the environment."""
    known = os.environ if environment is None else environment
    return subprocess.run(
        [*(before or ()), sys.executable, "-m", "casetrack", *arguments],
        env={**known, **{name: str(value) for name, value in variables.items()}},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


isolated = pytest.mark.skipif(
    not can_isolate(), reason="this system cannot start a program without network"
)


@isolated
def test_ingest_and_search_without_any_network(tmp_path: Path, models_dir: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Earnings dropped sharply in the third quarter.")

    def casetrack(*arguments: str) -> subprocess.CompletedProcess[str]:
        places = {"CASETRACK_HOME": tmp_path / "data", "CASETRACK_MODELS": models_dir}
        return program(*arguments, before=ISOLATED, **places)

    assert casetrack("ingest", str(tmp_path / "in"), "--create", "-c", "Case").returncode == 0
    result = casetrack("search", "revenue decline", "-c", "Case", "--json")
    raw = json.loads(result.stdout)
    assert raw["mode"] == "full"
    assert raw["results"][0]["source"]["document"] == "a.txt"


def test_no_library_notes_anything_in_the_home_of_the_user(
    tmp_path: Path, models_dir: Path, samples: Path
) -> None:
    """Such records are made to be sent: a device, a system, a count."""
    home = tmp_path / "home"
    home.mkdir()
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "ORT_"))}
    places = {"HOME": home, "CASETRACK_HOME": tmp_path / "data", "CASETRACK_MODELS": models_dir}
    read = [str(samples / name) for name in READ]
    for arguments in (
        ("ingest", *read, "--create", "-c", "Case", "--ocr", "rapidocr"),
        ("search", "who is liable for spoiled goods", "-c", "Case"),
    ):
        done = program(*arguments, environment=kept, **places)
        assert done.returncode == 0, done.stderr
    assert [str(path) for path in home.rglob("*") if path.is_file()] == []


@isolated
def test_pulling_a_model_without_network_says_what_to_do(tmp_path: Path) -> None:
    places = {"CASETRACK_HOME": tmp_path, "CASETRACK_MODELS": tmp_path / "models"}
    options = {"CASETRACK_PIP_ARGS": "--no-index"}
    done = program("models", "pull", before=ISOLATED, **places, **options)
    assert done.returncode == 1
    assert '"mini"' in done.stderr
    assert "Traceback" not in done.stderr
