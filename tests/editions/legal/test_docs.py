"""docs/legal.md and docs/discovery.md: every command runs and prints its output."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.faces.cli.main import main

if TYPE_CHECKING:
    import pytest

CHECKOUT = Path(__file__).parents[3]
PAGES = ("legal.md", "discovery.md")
FINDS = {"redactions", "check"}
"""Commands that end with 1 where they found something wrong."""


def test_every_command_of_the_page(
    tmp_path: Path,
    models_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(CHECKOUT / "data-samples" / "case", tmp_path / "case")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CASETRACK_MODELS", str(models_dir))
    text = "".join((CHECKOUT / "docs" / page).read_text(encoding="utf-8") for page in PAGES)
    blocks = re.findall(r"(?ms)^```console\n(.*?)^```", text)
    run = 0
    for block in blocks:
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            words = shlex.split(command)
            code = main(words[1:])
            sys.stdout.flush()
            out, err = capfd.readouterr()
            assert code == 0 or (code == 1 and words[1] in FINDS), f"{command}: {err}{out}"
            for line in shown:
                message = " ".join(out.split())
                assert " ".join(line.split()) in message, (
                    f"{command}: {line!r} is not in\n{out}{err}"
                )
            run += 1
    assert run > 15
