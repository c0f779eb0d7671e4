"""What the bundle's ``server.py`` does: run the server, after fetching what it needs.

Only the standard library is imported until the libraries are there.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

from casetrack.faces.setup.bundle.preparing import Preparation
from casetrack.faces.setup.bundle.progress_page import serve_progress
from casetrack.faces.setup.bundle.waiting import Doorkeeper

ENV_NO_PAGE = "CASETRACK_NO_PROGRESS_PAGE"
_NEEDED = ("mcp", "lance", "typer")
"""Whoever has these runs in an environment that was made for CaseTrack."""


def has_libraries() -> bool:
    """Return whether this Python has what CaseTrack needs, so that it can simply be run."""
    return all(importlib.util.find_spec(name) is not None for name in _NEEDED)


def main(root: Path, arguments: list[str], /) -> int:
    """Make the environment of the bundle in *root* if need be, and run the server in it.

    Parameters
    ----------
    arguments
        Those of ``casetrack``.

    Returns
    -------
    int
        The server's exit code.
    """
    data_dir = arguments[arguments.index("--data-dir") + 1] if "--data-dir" in arguments else ""
    preparation = Preparation(root, Path(data_dir or Path.home() / "Documents" / "CaseTrack"))
    server = [str(preparation.python), str(root / "server.py")]
    if preparation.is_prepared:
        if os.name == "posix":
            os.execv(server[0], [*server, *arguments])  # noqa: S606 - it takes the place of this one
        return subprocess.run([*server, *arguments], check=False).returncode
    about = _about(root)
    if not os.environ.get(ENV_NO_PAGE):
        _show(serve_progress(preparation.progress, about["title"]))
    preparation.start()

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*server, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    return Doorkeeper(preparation, about, start, sys.stdin.buffer, sys.stdout.buffer).run()


def _show(url: str) -> None:
    """Open the page in the browser, whose words must not get among those to the AI program."""
    nothing = subprocess.DEVNULL
    subprocess.Popen(
        [sys.executable, "-m", "webbrowser", url], stdin=nothing, stdout=nothing, stderr=nothing
    )


def _about(root: Path) -> dict[str, str]:
    manifest = json.loads((root / "manifest.json").read_text(encoding="utf-8"))
    found = {"name": manifest["name"], "title": manifest["display_name"]}
    return found | {"version": manifest["version"]}
