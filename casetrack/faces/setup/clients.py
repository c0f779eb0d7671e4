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

from casetrack.base.errors import NoSuchScope
from casetrack.faces.setup.formats import CONTINUE, JSON, TOML, YAML

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from casetrack.faces.setup.jsonc import Format

# The computer whose programs are set up: its system, and where programs keep their files.


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


Scope = Literal["user", "project"]
Server = dict[str, Any]
"""``command``, ``args`` and, where needed, ``env``."""
NAME = "casetrack"
"""What the server is called in every client; an edition may have a name of its own."""
DAILY = "daily"
"""The set of tools for programs that show their model every tool in every conversation."""
_DESCRIPTION = "Answers from your own documents, with their exact source"
_GOOSE_SECONDS = 600


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
        Key of what holds the servers.
    restart
        What to do before its servers are read again, as a clause; ``{server}`` is its name there.
    files
        The files in which it may keep a user's servers, the one it reads first; several where a
        program comes in several builds. None of them needs to exist.
    project
        Its file in a project's folder; ``None`` where it knows no projects.
    shape
        Puts a server into the program's words; the second argument is its name there.
    variables
        Key of the environment variables in its words.
    format
        The format of its files.
    lenient
        Whether the program reads JSON with comments.
    server
        What the server is called there.
    on_demand
        Whether the program shows its model a tool only when that looks for it, so that many tools
        cost it little; see :data:`CLIENTS`.
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
        """The set of tools that suits it; ``None`` is all."""
        return None if self.on_demand else DAILY

    def shaped(self, server: Mapping[str, Any], /) -> Server:
        """Return *server* (command, args, env) in this program's words."""
        return self.shape(dict(server), self.server)

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


def user_files(client: Client, machine: Machine, /) -> tuple[Path, ...]:
    """Return the files in which *client* may keep a user's servers, the one it reads first."""
    return client.files(machine)


def project_file(client: Client, folder: Path, /) -> Path:
    """Return the file in which *client* keeps the servers of the project in *folder*.

    Raises
    ------
    NoSuchScope
        The program knows no projects.
    """
    if client.project is None:
        raise NoSuchScope(client.title, client.name, "project")
    return folder / client.project


def is_installed(client: Client, file: Path, machine: Machine, /) -> bool:
    """Return whether *client* seems to be installed for this user: its folder is there."""
    if client.name == "claude-code":  # its file lies in the user's folder, which is always there
        folder = machine.variable("CLAUDE_CONFIG_DIR", machine.home / ".claude")
        return file.exists() or folder.is_dir()
    if client.name == "cline":  # it makes the folder of its settings when it is used first
        return file.parent.parent.is_dir()
    return file.parent.is_dir()


def remarks(client: Client, file: Path, scope: Scope, machine: Machine, /) -> tuple[str, ...]:
    """Return what a person should know before or after *file* is changed, as sentences."""
    said: list[str] = []
    if scope == "project":
        said.append(
            "The entry names folders of this computer: keep the file out of what you share, "
            "or let everybody make their own."
        )
    elif not is_installed(client, file, machine):
        missing = file if client.name == "claude-code" else file.parent
        said.append(f"{client.title} does not seem to be installed: {missing} is not there yet.")
    if client.name == "codex" and scope == "project":
        said.append("Codex reads the file only in a project that you have told it to trust.")
    profiles = file.parent / "profiles"
    if client.name == "vscode" and scope == "user" and profiles.is_dir():
        said.append(
            "This is for VS Code's default profile. In another one, run its command "
            '"MCP: Open User Configuration" and paste what --print shows.'
        )
    return tuple(said)


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
    """Return *files*, those of builds that are installed first; stable otherwise."""
    return tuple(sorted(files, key=lambda f: (not f.exists(), not f.parent.is_dir())))


def _typed(server: Server, _: str) -> Server:
    return {"type": "stdio", **server}


def _of_opencode(server: Server, _: str) -> Server:
    said = {"type": "local", "command": [server["command"], *server["args"]], "enabled": True}
    return said | ({"environment": server["env"]} if "env" in server else {})


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
            "Start Claude Code anew (in a running one, /mcp shows the servers)",
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
            "Restart Cursor, or switch {server} on in its settings under MCP",
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
            "Start Codex anew (in a running one, /mcp shows the servers)",
            _codex,
            Path(".codex", "config.toml"),
            format=TOML,
            on_demand=True,
        ),
        Client(
            "gemini",
            "Gemini CLI",
            _SERVERS,
            "Start Gemini CLI anew in a folder that it trusts (/mcp shows the servers)",
            _in_home(".gemini", "settings.json"),
            Path(".gemini", "settings.json"),
            lenient=True,
        ),
        Client(
            "opencode",
            "OpenCode",
            "mcp",
            "Start OpenCode anew",
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
            "Switch mcp/{server} on in LM Studio's Program tab",
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

Which of them load tools on demand is what their makers said in 2026: Claude Code ("scale with MCP
tool search": names and instructions at the start, the rest when it is searched for), Codex (all
tools of MCP behind its tool search since 0.142, where model and provider know it) and Cursor
("dynamic context discovery": names at first, descriptions in files). VS Code does so with some
models only; of the others nothing of the kind is known.
"""
