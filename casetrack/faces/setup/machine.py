"""The computer whose programs are set up: its system, and where programs keep their files."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Machine:
    """What decides where programs keep their files.

    Attributes
    ----------
    system
        ``sys.platform``: ``linux``, ``darwin`` or ``win32``.
    home
        The user's folder.
    environment
        Environment variables.
    """

    system: str
    home: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def here(cls) -> Machine:
        """Return the one on which this runs."""
        return cls(sys.platform, Path.home(), dict(os.environ))

    def variable(self, name: str, otherwise: Path, /) -> Path:
        """Return the folder that an environment variable names."""
        named = self.environment.get(name, "").strip()
        return Path(named) if named else otherwise

    @property
    def application_data(self) -> Path:
        """The folder in which programs keep their settings."""
        if self.system == "win32":
            return self.variable("APPDATA", self.home / "AppData" / "Roaming")
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        return self.variable("XDG_CONFIG_HOME", self.home / ".config")

    @property
    def shared_data(self) -> Path:
        """The folder in which programs keep what belongs to one computer: menu entries, icons."""
        if self.system == "win32":
            return self.variable("LOCALAPPDATA", self.home / "AppData" / "Local")
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        return self.variable("XDG_DATA_HOME", self.home / ".local" / "share")

    @property
    def own_settings(self) -> Path:
        """The folder of programs that keep to ``~/.config`` on macOS, too."""
        if self.system == "win32":
            return self.application_data
        return self.variable("XDG_CONFIG_HOME", self.home / ".config")
