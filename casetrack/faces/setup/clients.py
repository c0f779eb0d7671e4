"""The supported AI programs, and the files of their server settings.

Sources are the programs' documentation and, for Claude Desktop on Windows, the behavior of its
packaged (MSIX) builds: Windows redirects their ``%APPDATA%`` to a private copy, so that a file in
the original folder is never read.
"""

from __future__ import annotations

import os
import sys
import tomllib
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
        tokens; see ``clients.toml``.
    """

    name: str
    title: str
    restart: str
    files: Callable[[Machine], tuple[Path, ...]]
    shape: Callable[[Server, str], Server]
    format: Format
    project: Path | None
    container: str = "mcpServers"
    variables: str = "env"
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


def _plain(server: Server, _: str) -> Server:
    return dict(server)


_FILES = {
    "claude-code": _claude_code,
    "claude-desktop": _claude_desktop,
    "vscode": _vscode,
    "codex": _codex,
    "opencode": _opencode,
    "cline": _cline,
    "zed": _zed,
    "goose": _goose,
}
_SHAPES = {"vscode": _typed, "opencode": _of_opencode, "continue": _of_continue, "goose": _of_goose}
_FORMATS: Mapping[str, Format] = {"codex": TOML, "continue": CONTINUE, "goose": YAML}


def _client(name: str, *, home: str = "", project: str | None = None, **table: Any) -> Client:
    return Client(
        name,
        files=_FILES.get(name) or (lambda machine: (machine.home / home,)),
        project=None if project is None else Path(project),
        shape=_SHAPES.get(name, _plain),
        format=_FORMATS.get(name, JSON),
        **table,
    )


_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
CLIENTS: Mapping[str, Client] = {name: _client(name, **table) for name, table in _TABLES.items()}
"""The programs, by name."""
