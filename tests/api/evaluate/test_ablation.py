"""Every signal added and left out, with the embedded model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from casetrack.api.evaluate import measure, open_beir
from casetrack.api.evaluate.measures import available_signals, combinations
from casetrack.base.errors import ModelNotFound
from casetrack.faces.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.library import Library


def test_the_command_compares_each_with_all(
    library_with_model: Library, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home = f"--data-dir={library_with_model.settings.data_dir}"
    assert main(["eval", str(folder), home, "--ablate", "--json"]) == 0
    data = json.loads(capfd.readouterr().out)
    asked = open_beir(folder, library_with_model)
    signals = available_signals(asked)
    assert signals == ("bm25", "semantic", "maxsim", "feedback")
    stages = [run["stages"] for run in data["runs"]]
    assert [*map(tuple, stages)] == combinations(signals)
    assert {run["mode"] for run in data["runs"]} == {"stages"}
    assert {d["with"] for d in data["differences"]} == {" + ".join(signals)}
    assert [d["compared"] for d in data["differences"]] == [" + ".join(s) for s in stages[:-1]]
    full = measure(asked, mode="full")
    assert full.means == pytest.approx(data["runs"][-1]["means"], abs=1e-6)
    assert len(full.embedders) == 1


def test_nothing_to_leave_out(library: Library, folder: Path) -> None:
    with pytest.raises(ModelNotFound, match="mini"):
        available_signals(open_beir(folder, library))
