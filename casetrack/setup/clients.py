"""The AI programs that CaseTrack can be entered into, and where each keeps its servers.

Sources are the programs' own documentation and, for Claude Desktop on Windows, what its packaged
(MSIX) builds do: Windows shows such a program its own copy of ``%APPDATA%``, so that a file in the
real one is never read.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from casetrack.errors import NoSuchScope

if TYPE_CHECKING:
    from collections.abc import Mapping

Scope = Literal["user", "project"]
NAME = "casetrack"
"""What the server is called in every client; an edition may have a name of its own."""


@dataclass(frozen=True, slots=True)
class Client:
    """An AI program.

    Attributes
    ----------
    name
        Its word on the command line.
    title
        What people call it.
    container
        Key of the object that holds the servers.
    typed
        Whether each server says that it speaks over standard input and output.
    lenient
        Whether the program reads JSON with comments.
    restart
        What to do before its servers are read again, as a clause; ``{server}`` is its name there.
    server
        What the server is called there.
    """

    name: str
    title: str
    container: str
    restart: str
    typed: bool = False
    lenient: bool = False
    server: str = NAME

    def shaped(self, server: Mapping[str, Any], /) -> dict[str, Any]:
        """Return *server* (command, args, env) in this program's words."""
        return ({"type": "stdio"} if self.typed else {}) | dict(server)

    @property
    def path(self) -> tuple[str, str]:
        """Keys from the root of the file to the entry."""
        return self.container, self.server

    @property
    def next_step(self) -> str:
        """What to do before its servers are read again, as a clause."""
        return self.restart.format(server=self.server)

    def of(self, server: str, /) -> Client:
        """Return the same with another server."""
        return replace(self, server=server)


CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "Claude Code",
            "mcpServers",
            "Start Claude Code anew (in a running one, /mcp shows the servers)",
        ),
        Client(
            "claude-desktop",
            "Claude Desktop",
            "mcpServers",
            "Quit Claude Desktop entirely and start it again",
        ),
        Client(
            "cursor",
            "Cursor",
            "mcpServers",
            "Restart Cursor, or switch {server} on in its settings under MCP",
            lenient=True,
        ),
        Client(
            "vscode",
            "VS Code",
            "servers",
            'Reload VS Code, or start {server} with its command "MCP: List Servers"',
            typed=True,
            lenient=True,
        ),
    )
}


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


def user_files(client: Client, machine: Machine, /) -> tuple[Path, ...]:
    """Return the files in which *client* may keep a user's servers, the one it reads first.

    Several exist where a program comes in several builds. None of them needs to exist.
    """
    if client.name == "claude-code":
        folder = machine.variable("CLAUDE_CONFIG_DIR", machine.home)
        return (folder / ".claude.json",)
    if client.name == "cursor":
        return (machine.home / ".cursor" / "mcp.json",)
    if client.name == "vscode":
        return _present_first(
            tuple(
                machine.application_data / build / "User" / "mcp.json"
                for build in ("Code", "Code - Insiders", "VSCodium")
            )
        )
    plain = machine.application_data / "Claude" / "claude_desktop_config.json"
    return (*_packaged(machine), plain)


def _packaged(machine: Machine) -> tuple[Path, ...]:
    """Return where packaged builds of Claude Desktop for Windows keep their file."""
    if machine.system != "win32":
        return ()
    packages = machine.variable("LOCALAPPDATA", machine.home / "AppData" / "Local") / "Packages"
    inside = Path("LocalCache", "Roaming", "Claude", "claude_desktop_config.json")
    return _present_first(tuple(p / inside for p in sorted(packages.glob("Claude_*"))))


def _present_first(files: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return *files*, those of builds that are installed first; stable otherwise."""
    return tuple(sorted(files, key=lambda f: (not f.exists(), not installed_at(f))))


def installed_at(file: Path, /) -> bool:
    """Return whether the program that would read *file* seems to be there: its folder is."""
    return file.parent.is_dir()


def project_file(client: Client, folder: Path, /) -> Path:
    """Return the file in which *client* keeps the servers of the project in *folder*.

    Raises
    ------
    NoSuchScope
        The program knows no projects.
    """
    places = {
        "claude-code": Path(".mcp.json"),
        "cursor": Path(".cursor", "mcp.json"),
        "vscode": Path(".vscode", "mcp.json"),
    }
    if client.name not in places:
        raise NoSuchScope(client.title, client.name, "project")
    return folder / places[client.name]


def is_installed(client: Client, file: Path, machine: Machine, /) -> bool:
    """Return whether *client* seems to be installed for this user."""
    if client.name == "claude-code":  # its file lies in the user's folder, which is always there
        folder = machine.variable("CLAUDE_CONFIG_DIR", machine.home / ".claude")
        return file.exists() or folder.is_dir()
    return installed_at(file)


def remarks(client: Client, file: Path, scope: Scope, machine: Machine, /) -> tuple[str, ...]:
    """Return what a person should know before or after *file* is changed, as sentences."""
    said: list[str] = []
    if scope == "project":
        said.append(
            "The entry names folders of this computer: keep the file out of what you share, "
            "or let everybody make their own."
        )
    elif not is_installed(client, file, machine):
        said.append(
            f"{client.title} does not seem to be installed: {file.parent} is not there yet."
            if client.name != "claude-code"
            else f"{client.title} does not seem to be installed: {file} is not there yet."
        )
    profiles = file.parent / "profiles"
    if client.name == "vscode" and scope == "user" and profiles.is_dir():
        said.append(
            "This is for VS Code's default profile. In another one, run its command "
            '"MCP: Open User Configuration" and paste what --print shows.'
        )
    return tuple(said)
