"""A window that serves a data folder, and a headless Chromium that shows it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from headless import Browser, chromium

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def opened(home: Path, profile: Path) -> Iterator[tuple[Browser, str, int]]:
    """Serve a data folder while the block runs; yield browser, address with key, process id."""
    program = chromium()
    if program is None:
        raise SystemExit("Chromium is missing; install it or set CHROME.")
    served = subprocess.Popen(
        [sys.executable, "-m", "casetrack", "browse", "--no-open", "--port", "0"],
        env=os.environ | {"CASETRACK_HOME": str(home)},
        stderr=subprocess.PIPE,
        text=True,
    )
    browser = Browser(program, profile)
    try:
        assert served.stderr is not None
        address = next(line.strip() for line in served.stderr if "http" in line)
        yield browser, address, served.pid
    finally:
        browser.close()
        served.terminate()
        served.wait()
