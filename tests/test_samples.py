"""The sample case file is what its script makes, and every golden text stands where it says."""

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
