"""The supported AI programs, and the files of their server settings.

Sources are the programs' documentation and, for Claude Desktop on Windows, the behavior of its
packaged (MSIX) builds: Windows redirects their ``%APPDATA%`` to a private copy, so that a file in
the original folder is never read.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from casetrack.base.errors import NoSuchScope
from casetrack.faces.setup.formats import CONTINUE, JSON, TOML, YAML

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from casetrack.faces.setup.jsonc import Format

# The computer whose programs are set up: its system, and where programs keep their files.


@dataclass(frozen=True, slots=True)
class Machine:
    """System, home folder and environment, which decide the paths of settings.

    *system* is ``sys.platform``: ``linux``, ``darwin`` or ``win32``.
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
        """The folder of programs' settings."""
        if self.system == "win32":
            return self.variable("APPDATA", self.home / "AppData" / "Roaming")
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        return self.variable("XDG_CONFIG_HOME", self.home / ".config")

    @property
    def shared_data(self) -> Path:
        """The folder for data of this computer only, such as menu entries and icons."""
        if self.system == "win32":
            return self.variable("LOCALAPPDATA", self.home / "AppData" / "Local")
        if self.system == "darwin":
            return self.home / "Library" / "Application Support"
        return self.variable("XDG_DATA_HOME", self.home / ".local" / "share")

    @property
    def own_settings(self) -> Path:
        """The folder of programs that use ``~/.config`` on macOS, too."""
        if self.system == "win32":
            return self.application_data
        return self.variable("XDG_CONFIG_HOME", self.home / ".config")


Scope = Literal["user", "project"]
Server = dict[str, Any]
"""``command``, ``args`` and, where needed, ``env``."""
NAME = "casetrack"
"""Name of the server in every client; an edition may have another name."""
DAILY = "daily"
"""Tools for programs that show every tool in every conversation."""
_DESCRIPTION = "Answers from your documents, with their exact source"
_GOOSE_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Client:
    """An AI program.

    Attributes
    ----------
    name
        Its name on the command line.
    container
        Key of the object with the servers.
    restart
        How to reload its servers, as a clause; ``{server}`` is the server's name.
    files
        Possible files of a user's servers, the first one for a new file; a program may have several
        builds. They need not exist.
    project
        Its file in a project's folder; ``None`` if it has no projects.
    shape
        Converts a server to the program's format; the second argument is the server's name.
    variables
        Key of the environment variables in its format.
    format
        The format of its files.
    lenient
        Whether the program accepts JSON with comments.
    on_demand
        Whether the program shows tools to its model only on a search, so that many tools cost few
        tokens; see :data:`CLIENTS`.
    """

    name: str
    title: str
    container: str
    restart: str
    files: Callable[[Machine], tuple[Path, ...]]
    project: Path | None = None
    shape: Callable[[Server, str], Server] = lambda server, _: dict(server)
    variables: str = "env"
    format: Format = JSON
    lenient: bool = False
    server: str = NAME
    on_demand: bool = False

    @property
    def tools(self) -> str | None:
        """The suitable set of tools; ``None`` is all."""
        return None if self.on_demand else DAILY

    def shaped(self, server: Mapping[str, Any], /) -> Server:
        """Return *server* (command, args, env) in this program's format."""
        return self.shape(dict(server), self.server)

    @property
    def path(self) -> tuple[str, str]:
        """Keys from the root of the file to the entry."""
        return self.container, self.server

    @property
    def next_step(self) -> str:
        """How to reload its servers, as a clause."""
        return self.restart.format(server=self.server)

    def of(self, server: str, /) -> Client:
        """Return the same with another server."""
        return replace(self, server=server)


def user_files(client: Client, machine: Machine, /) -> tuple[Path, ...]:
    """Return the possible files of a user's servers, the one for new entries first."""
    return client.files(machine)


def project_file(client: Client, folder: Path, /) -> Path:
    """Return the file with the servers of *client* for the project in *folder*.

    Raises
    ------
    NoSuchScope
        The program has no projects.
    """
    if client.project is None:
        raise NoSuchScope(client.title, client.name, "project")
    return folder / client.project


def is_installed(client: Client, file: Path, machine: Machine, /) -> bool:
    """Return whether the folder of *client* exists for this user."""
    if client.name == "claude-code":  # Its file is in the user's folder, which always exists.
        folder = machine.variable("CLAUDE_CONFIG_DIR", machine.home / ".claude")
        return file.exists() or folder.is_dir()
    if client.name == "cline":  # it makes the folder of its settings when it is used first
        return file.parent.parent.is_dir()
    return file.parent.is_dir()


def remarks(client: Client, file: Path, scope: Scope, machine: Machine, /) -> tuple[str, ...]:
    """Return notes about a change of *file*, as sentences."""
    sentences: list[str] = []
    if scope == "project":
        sentences.append(
            "The entry contains folders of this computer: do not share the file; other users need "
            "their own entry."
        )
    elif not is_installed(client, file, machine):
        missing = file if client.name == "claude-code" else file.parent
        sentences.append(f"{client.title} does not seem to be installed: {missing} does not exist.")
    if client.name == "codex" and scope == "project":
        sentences.append("Codex reads the file only in a trusted project.")
    profiles = file.parent / "profiles"
    if client.name == "vscode" and scope == "user" and profiles.is_dir():
        sentences.append(
            "This entry is for VS Code's default profile. In another profile, run the command "
            '"MCP: Open User Configuration" and paste the output of --print.'
        )
    return tuple(sentences)


def _in_home(*parts: str) -> Callable[[Machine], tuple[Path, ...]]:
    return lambda machine: (machine.home.joinpath(*parts),)


def _claude_code(machine: Machine) -> tuple[Path, ...]:
    return (machine.variable("CLAUDE_CONFIG_DIR", machine.home) / ".claude.json",)


def _claude_desktop(machine: Machine) -> tuple[Path, ...]:
    plain = machine.application_data / "Claude" / "claude_desktop_config.json"
    if machine.system != "win32":
        return (plain,)
    packages = machine.variable("LOCALAPPDATA", machine.home / "AppData" / "Local") / "Packages"
    inside = Path("LocalCache", "Roaming", "Claude", "claude_desktop_config.json")
    packaged = tuple(p / inside for p in sorted(packages.glob("Claude_*")))
    return (*_present_first(packaged), plain)


def _vscode(machine: Machine) -> tuple[Path, ...]:
    builds = ("Code", "Code - Insiders", "VSCodium")
    files = tuple(machine.application_data / build / "User" / "mcp.json" for build in builds)
    return _present_first(files)


def _cline(machine: Machine) -> tuple[Path, ...]:
    inside = Path("globalStorage", "saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json")
    return tuple(
        file.with_name(inside.parts[0]) / Path(*inside.parts[1:]) for file in _vscode(machine)
    )


def _codex(machine: Machine) -> tuple[Path, ...]:
    return (machine.variable("CODEX_HOME", machine.home / ".codex") / "config.toml",)


def _opencode(machine: Machine) -> tuple[Path, ...]:
    folder = machine.variable("XDG_CONFIG_HOME", machine.home / ".config") / "opencode"
    files = (folder / "opencode.json", folder / "opencode.jsonc")
    return tuple(sorted(files, key=lambda file: not file.exists()))


def _zed(machine: Machine) -> tuple[Path, ...]:
    name = "Zed" if machine.system == "win32" else "zed"
    return (machine.own_settings / name / "settings.json",)


def _goose(machine: Machine) -> tuple[Path, ...]:
    if machine.system == "win32":
        return (machine.application_data / "Block" / "goose" / "config" / "config.yaml",)
    return (machine.own_settings / "goose" / "config.yaml",)


def _present_first(files: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return *files* with those of installed builds first; otherwise stable."""
    return tuple(sorted(files, key=lambda f: (not f.exists(), not f.parent.is_dir())))


def _typed(server: Server, _: str) -> Server:
    return {"type": "stdio", **server}


def _of_opencode(server: Server, _: str) -> Server:
    settings = {"type": "local", "command": [server["command"], *server["args"]], "enabled": True}
    return settings | ({"environment": server["env"]} if "env" in server else {})


def _of_goose(server: Server, name: str) -> Server:
    return {
        "enabled": True,
        "type": "stdio",
        "name": name,
        "description": _DESCRIPTION,
        "cmd": server["command"],
        "args": server["args"],
        "envs": server.get("env", {}),
        "timeout": _GOOSE_SECONDS,
    }


def _of_continue(server: Server, name: str) -> Server:
    return {"name": name, "type": "stdio", **server}


_SERVERS = "mcpServers"
CLIENTS: Mapping[str, Client] = {
    client.name: client
    for client in (
        Client(
            "claude-code",
            "Claude Code",
            _SERVERS,
            "Restart Claude Code (/mcp lists the servers)",
            _claude_code,
            Path(".mcp.json"),
            on_demand=True,
        ),
        Client(
            "claude-desktop",
            "Claude Desktop",
            _SERVERS,
            "Quit Claude Desktop entirely and start it again",
            _claude_desktop,
        ),
        Client(
            "cursor",
            "Cursor",
            _SERVERS,
            "Restart Cursor, or enable {server} in its settings under MCP",
            _in_home(".cursor", "mcp.json"),
            Path(".cursor", "mcp.json"),
            lenient=True,
            on_demand=True,
        ),
        Client(
            "vscode",
            "VS Code",
            "servers",
            'Reload VS Code, or start {server} with its command "MCP: List Servers"',
            _vscode,
            Path(".vscode", "mcp.json"),
            _typed,
            lenient=True,
        ),
        Client(
            "codex",
            "Codex",
            "mcp_servers",
            "Restart Codex (/mcp lists the servers)",
            _codex,
            Path(".codex", "config.toml"),
            format=TOML,
            on_demand=True,
        ),
        Client(
            "gemini",
            "Gemini CLI",
            _SERVERS,
            "Restart Gemini CLI in a trusted folder (/mcp lists the servers)",
            _in_home(".gemini", "settings.json"),
            Path(".gemini", "settings.json"),
            lenient=True,
        ),
        Client(
            "opencode",
            "OpenCode",
            "mcp",
            "Restart OpenCode",
            _opencode,
            Path("opencode.json"),
            _of_opencode,
            "environment",
            lenient=True,
        ),
        Client(
            "windsurf",
            "Windsurf",
            _SERVERS,
            "Refresh the servers in Windsurf's settings under Cascade, or restart it",
            _in_home(".codeium", "windsurf", "mcp_config.json"),
        ),
        Client(
            "cline",
            "Cline",
            _SERVERS,
            "Open Cline's MCP Servers and restart {server}, or reload VS Code",
            _cline,
        ),
        Client(
            "lm-studio",
            "LM Studio",
            _SERVERS,
            "Enable mcp/{server} in LM Studio's Program tab",
            _in_home(".lmstudio", "mcp.json"),
        ),
        Client(
            "zed",
            "Zed",
            "context_servers",
            "Look for {server} in Zed's agent settings: its dot turns green",
            _zed,
            Path(".zed", "settings.json"),
            lenient=True,
        ),
        Client(
            "continue",
            "Continue",
            _SERVERS,
            "Reload Continue's configuration, and ask in its agent mode",
            _in_home(".continue", "config.yaml"),
            None,
            _of_continue,
            format=CONTINUE,
        ),
        Client(
            "goose",
            "Goose",
            "extensions",
            "Start a new Goose session",
            _goose,
            None,
            _of_goose,
            "envs",
            YAML,
        ),
    )
}
"""The programs, by name.

Tools on demand are according to their makers in 2026: Claude Code ("scale with MCP tool search":
names and instructions at the start, the rest on a search), Codex (all MCP tools in its tool search
since 0.142, if model and provider support it) and Cursor ("dynamic context discovery": names at
first, descriptions in files). VS Code supports it with some models only.
"""
