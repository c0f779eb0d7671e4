"""Where each client keeps its servers, on every system; nothing here looks at this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from casetrack.faces.setup.clients import CLIENTS, Machine, project_file, remarks, user_files

MAC = "Library/Application Support"
CLINE = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
# Those on Linux: tests/faces/setup/test_setup_command.py
PLACES = [
    ("claude-code", "win32", ".claude.json"),
    ("claude-desktop", "darwin", f"{MAC}/Claude/claude_desktop_config.json"),
    ("claude-desktop", "win32", "AppData/Roaming/Claude/claude_desktop_config.json"),
    ("cursor", "win32", ".cursor/mcp.json"),
    ("vscode", "darwin", f"{MAC}/Code/User/mcp.json"),
    ("vscode", "win32", "AppData/Roaming/Code/User/mcp.json"),
    ("codex", "win32", ".codex/config.toml"),
    ("gemini", "darwin", ".gemini/settings.json"),
    ("opencode", "win32", ".config/opencode/opencode.json"),
    ("windsurf", "darwin", ".codeium/windsurf/mcp_config.json"),
    ("cline", "darwin", f"{MAC}/Code/User/{CLINE}"),
    ("cline", "win32", f"AppData/Roaming/Code/User/{CLINE}"),
    ("lm-studio", "win32", ".lmstudio/mcp.json"),
    ("zed", "darwin", ".config/zed/settings.json"),
    ("zed", "win32", "AppData/Roaming/Zed/settings.json"),
    ("goose", "darwin", ".config/goose/config.yaml"),
    ("goose", "win32", "AppData/Roaming/Block/goose/config/config.yaml"),
]


@pytest.mark.parametrize(("name", "system", "place"), PLACES)
def test_the_users_file(tmp_path: Path, name: str, system: str, place: str) -> None:
    assert user_files(CLIENTS[name], Machine(system, tmp_path))[0] == tmp_path / place


@pytest.mark.parametrize(
    ("name", "system", "variable", "place"),
    [
        ("claude-code", "linux", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("claude-desktop", "linux", "XDG_CONFIG_HOME", "Claude/claude_desktop_config.json"),
        ("vscode", "linux", "XDG_CONFIG_HOME", "Code/User/mcp.json"),
        ("vscode", "win32", "APPDATA", "Code/User/mcp.json"),
        ("codex", "darwin", "CODEX_HOME", "config.toml"),
    ],
)
def test_the_environment_moves_it(
    tmp_path: Path, name: str, system: str, variable: str, place: str
) -> None:
    elsewhere = tmp_path / "elsewhere"
    machine = Machine(system, tmp_path / "home", {variable: str(elsewhere)})
    assert user_files(CLIENTS[name], machine)[0] == elsewhere / place


def test_packaged_claude_desktop_on_windows_has_a_file_of_its_own(tmp_path: Path) -> None:
    machine = Machine("win32", tmp_path, {"LOCALAPPDATA": str(tmp_path / "Local")})
    plain = tmp_path / "AppData/Roaming/Claude/claude_desktop_config.json"
    inside = "LocalCache/Roaming/Claude/claude_desktop_config.json"
    first, second = (tmp_path / "Local/Packages" / n / inside for n in ("Claude_1", "Claude_2"))
    (tmp_path / "Local/Packages/Other_1").mkdir(parents=True)
    assert user_files(CLIENTS["claude-desktop"], machine) == (plain,)
    for file in (first, second):
        file.parent.mkdir(parents=True)
    assert user_files(CLIENTS["claude-desktop"], machine) == (first, second, plain)
    second.write_text("{}")
    assert user_files(CLIENTS["claude-desktop"], machine)[0] == second


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("claude-code", ".mcp.json"),
        ("cursor", ".cursor/mcp.json"),
        ("vscode", ".vscode/mcp.json"),
        ("codex", ".codex/config.toml"),
        ("gemini", ".gemini/settings.json"),
        ("opencode", "opencode.json"),
        ("zed", ".zed/settings.json"),
    ],
)
def test_the_projects_file(tmp_path: Path, name: str, place: str) -> None:
    assert project_file(CLIENTS[name], tmp_path) == tmp_path / place


def test_profiles_of_vs_code_are_mentioned(tmp_path: Path) -> None:
    machine = Machine("linux", tmp_path)
    (tmp_path / ".config/Code/User/profiles").mkdir(parents=True)
    (file, *_) = user_files(CLIENTS["vscode"], machine)
    (text,) = remarks(CLIENTS["vscode"], file, "user", machine)
    assert "profile" in text


def test_a_projects_file_is_not_for_sharing(tmp_path: Path) -> None:
    file = project_file(CLIENTS["cursor"], tmp_path)
    assert len(remarks(CLIENTS["cursor"], file, "project", Machine("linux", tmp_path))) == 1


SERVER = {"command": "c", "args": ["serve"], "env": {"A": "1"}}
WORDS: dict[str, tuple[str, dict[str, object]]] = {
    "vscode": ("servers", {"type": "stdio", **SERVER}),
    "codex": ("mcp_servers", SERVER),
    "opencode": (
        "mcp",
        {"type": "local", "command": ["c", "serve"], "enabled": True, "environment": {"A": "1"}},
    ),
    "zed": ("context_servers", SERVER),
    "continue": ("mcpServers", {"name": "casetrack", "type": "stdio", **SERVER}),
    "goose": (
        "extensions",
        {
            "enabled": True,
            "type": "stdio",
            "name": "casetrack",
            "description": "Answers from your documents, with their exact source",
            "cmd": "c",
            "args": ["serve"],
            "envs": {"A": "1"},
            "timeout": 600,
        },
    ),
}


@pytest.mark.parametrize("name", CLIENTS)
def test_a_server_in_the_words_of_each(name: str) -> None:
    container, words = WORDS.get(name, ("mcpServers", SERVER))
    assert CLIENTS[name].path == (container, "casetrack")
    assert CLIENTS[name].shaped(SERVER) == words
