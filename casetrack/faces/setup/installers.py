"""Runs package managers (pip and uv) as separate programs.

The environments of pipx have pip, or pipx can use its own one.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from casetrack.base.errors import InstallerFailed, UpdateUnknown
from casetrack.faces.setup.installation import PACKAGE, Installation, shown

_SECONDS = 600.0
_ASK_SECONDS = 60.0
"""Longest time for the answer of an index."""
# Building a package would run its code before the check of its signature.
_BUILT = "--only-binary=:all:"
_PIP = ("--quiet", "--disable-pip-version-check", "--no-input", "--retries=1", "--timeout=10")
_PIP_REPORT = ("install", "--dry-run", "--no-deps", _BUILT, *_PIP, "--report=-")


def run_installer(command: Sequence[str], /) -> str:
    """Run *command* and return its output.

    Raises
    ------
    InstallerFailed
        It cannot be run, or it reports a failure.
    """
    try:
        done = _run(command, _SECONDS)
    except subprocess.TimeoutExpired:
        late = f"It was stopped after {_SECONDS:.0f} seconds."
        raise InstallerFailed(shown(tuple(command)), -1, late) from None
    if done.returncode != 0:
        raise InstallerFailed(shown(tuple(command)), done.returncode, done.stderr or done.stdout)
    return done.stdout


def newest_version(installation: Installation, current: str, /) -> str | None:
    """Return the newest version of the package index for this Python; ``None`` if not newer.

    The package manager asks, so that its settings (another index, a proxy) apply. Nothing is
    installed.

    Raises
    ------
    UpdateUnknown
        No index could be reached, or it has no CaseTrack.
    """
    if installation.by_uv:
        return _newest_by_uv(installation)
    pip = (installation.python, "-m", "pip")
    # Without an index, pip returns the installed version. So the first question ignores it.
    known = _reported((*pip, *_PIP_REPORT, "--ignore-installed", PACKAGE))
    if known in {current, None}:
        return None
    return _reported((*pip, *_PIP_REPORT, "--upgrade", PACKAGE))


def unpack(installation: Installation, wanted: str, folder: Path, /) -> None:
    """Let the package manager download a version and unpack it into *folder*, without running it.

    Raises
    ------
    InstallerFailed
        It failed.
    """
    release = f"{PACKAGE}=={wanted}"
    where = ("--target", str(folder), "--no-deps", _BUILT)
    if installation.by_uv:
        fresh = ("--refresh-package", PACKAGE, "--no-progress")
        run_installer((*_uv_install(installation), *where, *fresh, release))
        return
    pip = (installation.python, "-m", "pip", "install")
    run_installer((*pip, *where, "--no-compile", "--ignore-installed", *_PIP, release))


def install_missing(installation: Installation, requires: Sequence[str], /) -> tuple[str, ...]:
    """Install the missing or too old packages of *requires*, and return them.

    Raises
    ------
    InstallerFailed
        The package manager failed.
    """
    missing = tuple(each for each in requires if not _is_there(each))
    if missing and installation.by_uv:
        run_installer((*_uv_install(installation), "--no-progress", *missing))
    elif missing:
        run_installer((installation.python, "-m", "pip", "install", *_PIP, *missing))
    return missing


def _is_there(requirement: str) -> bool:
    from packaging.requirements import Requirement

    wanted = Requirement(requirement)
    if wanted.marker is not None and not wanted.marker.evaluate({"extra": ""}):
        return True
    try:
        return wanted.specifier.contains(version(wanted.name), prereleases=True)
    except PackageNotFoundError:
        return False


def _uv_install(installation: Installation) -> tuple[str, ...]:
    return ("uv", "pip", "install", "--python", installation.python)


def _reported(command: Sequence[str]) -> str | None:
    """Return the version that pip would install; ``None`` if it would install nothing."""
    done = _asked(command)
    plan: dict[str, Any] = json.loads(done.stdout)
    return next((str(item["metadata"]["version"]) for item in plan["install"]), None)


def _newest_by_uv(installation: Installation) -> str | None:
    options = ("--dry-run", "--no-deps", _BUILT, "--upgrade", "--refresh-package", PACKAGE)
    done = _asked((*_uv_install(installation), *options, PACKAGE))
    rows = (row.split() for row in done.stderr.splitlines())
    added = [row[1] for row in rows if len(row) >= 2 and row[0] == "+"]
    prefix = f"{PACKAGE}=="
    return next((a.removeprefix(prefix) for a in added if a.startswith(prefix)), None)


def _asked(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        done = _run(command, _ASK_SECONDS)
    except subprocess.TimeoutExpired:
        raise UpdateUnknown(f"no answer came within {_ASK_SECONDS:.0f} seconds") from None
    if done.returncode != 0:
        raise UpdateUnknown(_reason(done.stderr))
    return done


def _run(command: Sequence[str], seconds: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            list(command),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
            check=False,
        )
    except OSError as error:
        reason = error.strerror or str(error)
        raise InstallerFailed(shown(tuple(command)), -1, reason) from error


def _reason(output: str) -> str:
    """Return the sentence with the reason: uv writes it first, pip last."""
    rows = [row.strip() for row in output.splitlines() if row.strip()]
    message = next((row for row in rows if row.startswith("error: ")), rows[-1] if rows else "")
    return (
        message.removeprefix("error: ").removeprefix("ERROR: ").rstrip(".") or "it gave no reason"
    )
