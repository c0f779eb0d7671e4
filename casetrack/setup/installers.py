"""Running package managers: pip, uv and pipx, always as programs of their own."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING, Any

from casetrack.errors import InstallerFailed, UpdateUnknown
from casetrack.setup.installation import PACKAGE, Installation, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

_SECONDS = 600
_PIP_REPORT = (
    "install",
    "--dry-run",
    "--no-deps",
    "--quiet",
    "--disable-pip-version-check",
    "--no-input",
    "--retries=1",
    "--timeout=10",
    "--report=-",
)


def run_installer(command: Sequence[str], /) -> str:
    """Run *command* and return what it said.

    Raises
    ------
    InstallerFailed
        It cannot be run, or it says that it failed.
    """
    done = _run(command)
    if done.returncode != 0:
        raise InstallerFailed(shown(tuple(command)), done.returncode, done.stderr or done.stdout)
    return done.stdout


def newest_version(installation: Installation, current: str, /) -> str | None:
    """Return the newest version that the package index has for this Python, if newer.

    The package manager is asked, so that its settings (another index, a proxy) count. Nothing is
    installed.

    Parameters
    ----------
    current
        The version that is installed.

    Returns
    -------
    str or None
        ``None`` where *current* is the newest already, or newer than what the index has.

    Raises
    ------
    UpdateUnknown
        No index could be asked, or it has no CaseTrack.
    """
    if installation.kind in {"uv", "uv-tool"}:
        return _newest_by_uv(installation)
    pip = (
        ("pipx", "runpip", PACKAGE)
        if installation.kind == "pipx"
        else (installation.python, "-m", "pip")
    )
    # pip takes what is installed for an answer while no index can be reached. So it is first
    # asked as if nothing were.
    known = _reported((*pip, *_PIP_REPORT, "--ignore-installed", PACKAGE))
    if known in {current, None}:
        return None
    return _reported((*pip, *_PIP_REPORT, "--upgrade", PACKAGE))


def _reported(command: Sequence[str]) -> str | None:
    """Return the version that pip would install; ``None`` where it would install nothing."""
    done = _run(command)
    if done.returncode != 0:
        raise UpdateUnknown(_reason(done.stderr))
    plan: dict[str, Any] = json.loads(done.stdout)
    return next((str(item["metadata"]["version"]) for item in plan["install"]), None)


def _newest_by_uv(installation: Installation) -> str | None:
    where = ("--python", installation.python)
    options = ("--dry-run", "--no-deps", "--upgrade", "--refresh-package", PACKAGE)
    done = _run(("uv", "pip", "install", *where, *options, PACKAGE))
    if done.returncode != 0:
        raise UpdateUnknown(_reason(done.stderr))
    rows = (row.split() for row in done.stderr.splitlines())
    added = [row[1] for row in rows if len(row) >= 2 and row[0] == "+"]
    prefix = f"{PACKAGE}=="
    return next((a.removeprefix(prefix) for a in added if a.startswith(prefix)), None)


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            list(command),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InstallerFailed(shown(tuple(command)), -1, reason) from error


def _reason(said: str) -> str:
    """Return the sentence that says what went wrong: uv puts it first, pip last."""
    rows = [row.strip() for row in said.splitlines() if row.strip()]
    told = next((row for row in rows if row.startswith("error: ")), rows[-1] if rows else "")
    return told.removeprefix("error: ").removeprefix("ERROR: ").rstrip(".") or "it gave no reason"
