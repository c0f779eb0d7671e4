"""Every notebook runs from top to bottom against the sample collection, and is kept stripped."""

from __future__ import annotations

from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parent.parent / "notebooks").glob("*.ipynb"))


def test_there_is_a_notebook() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_notebook_runs(
    path: Path, demo_home: Path, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("CASETRACK_HOME", str(demo_home))
    monkeypatch.setenv("CASETRACK_MODELS", str(models_dir))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    notebook = nbformat.read(path, as_version=4)
    assert all(not c.get("outputs") for c in notebook.cells), "strip the outputs before committing"
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    outputs = [o for c in notebook.cells for o in c.get("outputs", [])]
    assert any("image/png" in o.get("data", {}) for o in outputs), "it shows no plot"
    assert "p. " in str(outputs), "it shows no citation"
