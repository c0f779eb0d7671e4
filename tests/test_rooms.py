"""Editions, cluster and window can each be left out: the rest works and passes its checks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
NEEDED = ("casetrack", "pipelines", "schemas", "data-samples", "tools", "tests", "pyproject.toml")
CHECKS = ("-m ruff check casetrack", "-m mypy -p casetrack", "bin/lint-imports --no-cache")


LEFT_OUT = ("editions/legal", "editions/context", "cluster", "faces/window")


@pytest.mark.slow
def test_the_rest_works_without_each(tmp_path: Path, models_dir: Path) -> None:
    for name in NEEDED:
        copy = shutil.copytree if (CHECKOUT / name).is_dir() else shutil.copy
        copy(CHECKOUT / name, tmp_path / name)
    home = {"CASETRACK_HOME": str(tmp_path / "home"), "CASETRACK_MODELS": str(models_dir)}

    def run(*words: str, typed: str = "") -> str:
        done = subprocess.run(
            [sys.executable, *words],
            input=typed,
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, **home, "PYTHONPATH": str(tmp_path)},
        )
        assert done.returncode == 0, (left_out, done.stdout[-3000:] + done.stderr[-3000:])
        return done.stdout

    for left_out in LEFT_OUT:
        shutil.rmtree(tmp_path / "home", ignore_errors=True)
        shutil.move(tmp_path / "casetrack" / left_out, tmp_path / "left_out")
        run("-m", "casetrack", "demo")
        asked = ("search", "Who compensates for spoiled goods?", "-c", "Demo", "--json")
        assert json.loads(run("-m", "casetrack", *asked))["results"], left_out
        client = {"name": "x", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        assert json.loads(run("-m", "casetrack", "serve", typed=line + "\n"))["result"]
        for words in CHECKS:
            run(*words.replace("bin/", f"{Path(sys.executable).parent}/").split())
        shutil.move(tmp_path / "left_out", tmp_path / "casetrack" / left_out)
