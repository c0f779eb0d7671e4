"""A mistake in a notebook shows its line and its reason, and no frames of the program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from casetrack.api.library import Library

ROOT = Path(__file__).parents[3]
# A shell changes its process permanently: interactive mode, hooks, handlers.
PROGRAM = """
import sys
from IPython.core.interactiveshell import InteractiveShell
import casetrack

shell = InteractiveShell()
shell.user_ns["c"] = casetrack.open("Case", data_dir=sys.argv[1])
done = shell.run_cell("one = 1\\nrows = c.sql('SELECT * FROM own')")
sys.exit(0 if not done.success else 7)
"""


@pytest.mark.slow
def test_a_mistake_is_reported_in_a_few_lines(library: Library, tmp_path: Path) -> None:
    folder = library.create("Case").folder
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder.parent.parent)],
        env=os.environ | {"PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path / "ipython")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    message = ended.stdout.strip()
    assert "rows = c.sql('SELECT * FROM own')" in message.splitlines()[0]
    assert "\nQueryError: " in message
    assert '"own"' in message
    assert "casetrack/store/sql" not in message
    assert len(message.splitlines()) < 12
