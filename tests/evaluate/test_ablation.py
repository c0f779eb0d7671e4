"""Every signal added and left out, with the embedded model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from casetrack.cli.main import main
from casetrack.errors import ModelNotFound
from casetrack.evaluate import measure, open_beir
from casetrack.evaluate.ablation import available_signals, combinations

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.library import Library


def test_signals_one_by_one(library_with_model: Library, folder: Path) -> None:
    asked = open_beir(folder, library_with_model)
    signals = available_signals(asked)
    assert signals == ("bm25", "semantic", "maxsim", "feedback")
    runs = [measure(asked, stages=some) for some in combinations(signals)]
    assert [run.stages for run in runs] == combinations(signals)
    assert {run.mode for run in runs} == {"stages"}
    assert runs[-1].label == "bm25 + semantic + maxsim + feedback"
    full = measure(asked, mode="full")
    assert full.scores == runs[-1].scores
    assert full.embedders == runs[-1].embedders
    assert len(full.embedders) == 1


def test_the_command_compares_each_with_all(
    library_with_model: Library, folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    home = f"--data-dir={library_with_model.settings.data_dir}"
    assert main(["eval", str(folder), home, "--ablate", "--json"]) == 0
    found = json.loads(capfd.readouterr().out)
    whole = "bm25 + semantic + maxsim + feedback"
    assert len(found["runs"]) == 6
    assert {d["with"] for d in found["differences"]} == {whole}
    assert [d["compared"] for d in found["differences"]] == [
        " + ".join(run["stages"]) for run in found["runs"][:-1]
    ]


def test_nothing_to_leave_out(library: Library, folder: Path) -> None:
    with pytest.raises(ModelNotFound, match="models pull"):
        available_signals(open_beir(folder, library))
