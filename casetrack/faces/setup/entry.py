"""The command that starts this installation of CaseTrack.

Clients start servers with a short search path and in any folder, so the paths are absolute: the
console script of this environment, or its Python.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import casetrack
from casetrack.base.config import ENV_HOME, ENV_MODELS, default_data_dir, resolve_path
from casetrack.faces.setup.installation import own_distribution


def server_entry(
    *,
    data_dir: str | None = None,
    edition: str | None = None,
    tools: str | None = None,
    read_only: bool = False,
    offline: bool = False,
) -> dict[str, Any]:
    """Return ``command``, ``args`` and, if needed, ``env`` of the server.

    Parameters
    ----------
    data_dir
        The requested data folder. Without it, the server finds the folder itself; a different
        ``CASETRACK_HOME`` is added to the entry, because clients do not pass it on.
    edition
        The edition to serve; ``None`` is the one for any collection.
    tools
        Checked names of tool sets or tools for ``serve --tools``.
    read_only
        Whether to leave out tools that change anything.
    offline
        Whether the server must not download missing models.
    """
    command, first = launcher()
    choice = ["--edition", str(edition)] if edition is not None else []
    choice += ["--tools", tools] if tools is not None else []
    choice += ["--read-only"] if read_only else []
    choice += ["--offline"] if offline else []
    args = [*first, "serve", *choice]
    entry: dict[str, Any] = {"command": command, "args": args}
    env = _environment(data_dir, os.environ)
    return entry | {"env": env} if env else entry


def launcher() -> tuple[str, list[str]]:
    """Return the command that starts CaseTrack, and its first arguments."""
    script = console_script()
    if script is not None:
        return str(script), []
    return sys.executable, ["-m", "casetrack"]


def window_launcher(data_dir: str | None, /) -> tuple[list[str], dict[str, str]]:
    """Return the command that opens the window from a desktop, and the variables that it needs."""
    script = console_script("casetrack-window")
    command = [str(script)] if script else [sys.executable, "-m", "casetrack.faces.cli.desktop"]
    env = _environment(data_dir, os.environ)
    if env.pop(ENV_HOME, None) and data_dir is None:
        data_dir = os.environ[ENV_HOME]
    if data_dir is not None:
        command += ["--data-dir", str(resolve_path(data_dir))]
    return command, env


def console_script(script: str = "casetrack", /) -> Path | None:
    """Return a script of this installation; ``None`` if it has none of that name.

    The list of installed files is used, so that no script of another installation is returned.
    """
    installed = own_distribution()
    name = f"{script}.exe" if sys.platform == "win32" else script
    for file in (installed.files or ()) if installed is not None else ():
        if file.name == name and file.parent.name.lower() in {"bin", "scripts"}:
            path = resolve_path(str(file.locate()))
            return path if path.is_file() else None
    return None


def _environment(data_dir: str | None, outer: Mapping[str, str]) -> dict[str, str]:
    env: dict[str, str] = {}
    if data_dir is not None:
        env[ENV_HOME] = str(resolve_path(data_dir))
    elif outer.get(ENV_HOME) and resolve_path(outer[ENV_HOME]) != default_data_dir():
        env[ENV_HOME] = str(resolve_path(outer[ENV_HOME]))
    if outer.get(ENV_MODELS):
        env[ENV_MODELS] = str(resolve_path(outer[ENV_MODELS]))
    if own_distribution() is None:  # a checkout is found only from inside its folder
        env["PYTHONPATH"] = str(Path(casetrack.__file__).resolve().parents[1])
    return env


OWN_VARIABLES = (ENV_HOME, ENV_MODELS, "PYTHONPATH")
"""Environment variables of an entry that CaseTrack sets; others belong to the user."""
