"""How this CaseTrack was installed, and which command updates or removes it."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal

import casetrack

Kind = Literal["pip", "uv", "pipx", "uv-tool", "conda", "editable", "source", "temporary", "other"]
PACKAGE = "casetrack"


@dataclass(frozen=True, slots=True)
class Installation:
    """A copy of CaseTrack and its installer.

    Attributes
    ----------
    kind
        Its installer: ``pip``; ``uv`` (``uv pip``); the tool environments of ``pipx`` and
        ``uv-tool``; ``conda``. ``editable`` and ``source`` run from a checkout, ``temporary`` from
        a disposable environment, ``other`` from an address of a wheel or repository, or by an
        unknown installer.
    place
        The folder of its files, or the address of its origin.
    python
        Its interpreter.
    """

    kind: Kind
    place: str
    python: str

    @property
    def by_uv(self) -> bool:
        """Whether uv installed it; then uv's settings name the index."""
        return self.kind in {"uv", "uv-tool"}

    def update_command(self, version: str | None = None, /) -> tuple[str, ...] | None:
        """Return the command that installs a version (default: newest), if there is one."""
        named = f"{PACKAGE}=={version}"
        newest: dict[str, tuple[str, ...]] = {
            "pip": (self.python, "-m", "pip", "install", "--upgrade", PACKAGE),
            "uv": ("uv", "pip", "install", "--python", self.python, "--upgrade", PACKAGE),
            "pipx": ("pipx", "upgrade", PACKAGE),
            "uv-tool": ("uv", "tool", "upgrade", PACKAGE),
            "conda": ("conda", "update", PACKAGE),
        }
        one: dict[str, tuple[str, ...]] = {
            "pip": (self.python, "-m", "pip", "install", named),
            "uv": ("uv", "pip", "install", "--python", self.python, named),
            "pipx": ("pipx", "install", "--force", named),
            "uv-tool": ("uv", "tool", "install", "--force", named),
            "conda": ("conda", "install", f"{PACKAGE}={version}"),
        }
        return (newest if version is None else one).get(self.kind)

    @property
    def uninstall_command(self) -> tuple[str, ...] | None:
        """The command that removes the program, if there is one."""
        commands: dict[str, tuple[str, ...]] = {
            "pip": (self.python, "-m", "pip", "uninstall", "--yes", PACKAGE),
            "uv": ("uv", "pip", "uninstall", "--python", self.python, PACKAGE),
            "pipx": ("pipx", "uninstall", PACKAGE),
            "uv-tool": ("uv", "tool", "uninstall", PACKAGE),
            "conda": ("conda", "remove", PACKAGE),
        }
        if self.kind in {"editable", "other"} and importlib.util.find_spec("pip") is not None:
            return commands["pip"]
        return commands.get(self.kind)

    @property
    def by_hand(self) -> str | None:
        """Why CaseTrack must not run these commands itself; ``None`` if it may."""
        if sys.platform == "win32":
            return "a running program cannot be replaced on Windows"
        if self.kind in {"editable", "source", "temporary", "other", "conda"}:
            return "its installer is unknown"
        if self.kind in {"pip", "pipx"} and importlib.util.find_spec("pip") is None:
            return "this environment has no pip"
        tool = {"uv": "uv", "uv-tool": "uv", "pipx": "pipx"}.get(self.kind)
        if tool is not None and shutil.which(tool) is None:
            return f"{tool} is not on the search path"
        return _protected()


def find_installation() -> Installation:
    """Return how the CaseTrack that runs now was installed."""
    installed = own_distribution()
    folder = str(Path(casetrack.__file__).resolve().parent)
    if installed is None:
        return Installation("source", str(Path(folder).parent), sys.executable)
    prefix = Path(sys.prefix)
    origin = json.loads(installed.read_text("direct_url.json") or "{}")
    installer = (installed.read_text("INSTALLER") or "").strip().lower()
    kind: Kind = "other"
    place = folder
    if origin.get("dir_info", {}).get("editable"):
        kind, place = "editable", str(origin.get("url", folder))
    elif _is_temporary(prefix):
        kind = "temporary"
    elif (prefix / "pipx_metadata.json").is_file():
        kind = "pipx"
    elif (prefix / "uv-receipt.toml").is_file():
        kind = "uv-tool"
    elif origin:
        place = str(origin.get("url", folder))
    elif installer == "pip":
        kind = "pip"
    elif installer == "uv":
        kind = "uv"
    elif installer == "conda":
        kind = "conda"
    return Installation(kind, place, sys.executable)


def own_distribution() -> Distribution | None:
    """Return the metadata of the running package; ``None`` in a checkout."""
    try:
        own = distribution(PACKAGE)
    except PackageNotFoundError:
        return None
    package = Path(casetrack.__file__).resolve().parent
    if json.loads(own.read_text("direct_url.json") or "{}").get("dir_info", {}).get("editable"):
        return own
    same = Path(str(own.locate_file(PACKAGE))).resolve() == package
    return own if same else None


def shown(command: tuple[str, ...], /) -> str:
    """Return *command* quoted for the shell of this system."""
    return subprocess.list2cmdline(command) if sys.platform == "win32" else shlex.join(command)


def _is_temporary(prefix: Path) -> bool:
    """Return whether the environment is a temporary one of ``uvx`` or ``pipx run``."""
    parts = prefix.parts
    return "archive-v0" in parts or ("pipx" in parts and ".cache" in parts)


def _protected() -> str | None:
    """Return why packages of this environment must not be changed from inside."""
    marker = Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED"
    if sys.prefix == sys.base_prefix and marker.is_file():
        return "the packages of this Python belong to the operating system"
    folder = Path(casetrack.__file__).resolve().parents[1]
    if not os.access(folder, os.W_OK):
        return f"{folder} is not writable for you"
    return None
