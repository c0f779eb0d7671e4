"""The sample case file equals the output of its script, and contains every golden text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "data-samples" / "make_samples.py"


@pytest.mark.slow
def test_samples_are_what_the_script_makes() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
