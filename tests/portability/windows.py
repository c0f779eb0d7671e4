"""Runs tests on Linux as if their files were on Windows: ``python -m portability.windows NAME``.

A small library in C (``windows.c``), loaded by all processes of the tests, refuses the operations
that Windows refuses; it lists them. It cannot be built everywhere.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

_SOURCE = Path(__file__).with_name("windows.c")
_PLUGIN = "portability.as_windows"


@functools.cache
def reason_without() -> str | None:
    """Return why Linux cannot simulate the refusals of Windows; ``None`` if it can."""
    if not sys.platform.startswith("linux"):
        return "files are watched on Linux only"
    if shutil.which("cc") is None:
        return "there is no C compiler (cc)"
    return None


def environment(home: Path, root: Path, *, prefix: int = 60) -> dict[str, str]:
    """Return the environment of a process that sees files below *root* as on Windows.

    Parameters
    ----------
    home
        Folder of the library and of the log of refusals (``refused.txt``); not below *root*.
    prefix
        Number of characters of *root* in the length of a path.
    """
    library = home / "windows.so"
    if not library.exists():
        command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(_SOURCE)]
        subprocess.run([*command, "-ldl"], check=True)
    return {
        "LD_PRELOAD": str(library),
        "WINDOWS_ROOT": str(root.resolve()),
        "WINDOWS_PREFIX": str(prefix),
        "WINDOWS_LOG": str(home / "refused.txt"),
    }


def main() -> int:
    """Run pytest with the arguments of the command line on files as on Windows."""
    problem = reason_without()
    if problem:
        sys.exit(f"This machine cannot be made to behave like Windows: {problem}.")
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as made:
        home, root = Path(made, "home"), Path(made, "root")
        home.mkdir()
        root.mkdir()
        command = [sys.executable, "-m", "pytest", "-p", _PLUGIN, f"--basetemp={root / 't'}"]
        given = {**os.environ, **environment(home, root)}
        return subprocess.run([*command, *sys.argv[1:]], env=given, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
