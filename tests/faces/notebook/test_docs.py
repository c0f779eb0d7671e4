"""Every example of docs/python.md runs, in its order, against the sample collection."""

from __future__ import annotations

import ast
import re
import shutil
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import casetrack

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.api.collection import Collection

PAGE = Path(__file__).parents[3] / "docs" / "python.md"
EXAMPLES = re.findall(r"(?ms)^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def home(
    demo_home: Path, models_dir: Path, samples: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """Return a folder that is the user's home, with a copy of the sample collection."""
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(demo_home, home / "data")
    (home / "Contracts").mkdir()
    shutil.copy(next((samples / "Exhibits").glob("*.txt")), home / "Contracts")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        patch.setenv("USERPROFILE", str(home))
        patch.setenv("CASETRACK_HOME", str(home / "data"))
        patch.setenv("CASETRACK_MODELS", str(models_dir))
        patch.chdir(home)
        yield home


def run(example: str, names: dict[str, Any]) -> Any:
    """Run a cell like a notebook: the value of its last line is the result."""
    tree = ast.parse(example)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(PAGE), "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), str(PAGE), "eval"), names)


@pytest.mark.slow
def test_examples_run(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for example in EXAMPLES:
        answer = run(example, names)
        for drawn in ("_repr_html_", "_repr_png_"):
            if hasattr(answer, drawn):
                assert getattr(answer, drawn)()
    assert {entry.name for entry in casetrack.collections()} == {"Demo", "Contracts 2025"}
    assert names["report"].count("ingested") == 1
    assert not names["report"].cancelled
    assert len(names["hits"]) == 20
    assert "Master Services Agreement" in names["best"].citation
    assert (home / "termination.png").read_bytes().startswith(b"\x89PNG")
    assert names["table"].num_rows > 0
    printed = capsys.readouterr().out
    assert "p. 1" in printed
    assert "Demmo" in printed


def test_table_of_calls_names_what_there_is(demo: Collection) -> None:
    text = PAGE.read_text(encoding="utf-8")
    named = set(re.findall(r"`c\.([\w.]+)\(", text))
    assert len(named) > 15
    assert all(callable(attrgetter(name)(demo)) for name in named)
