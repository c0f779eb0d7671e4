"""``casetrack setup`` as people run it, and its old spelling."""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import Distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import casetrack
from casetrack.faces.setup import entry
from casetrack.faces.setup.clients import CLIENTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from faces.setup.conftest import Run

CHECKOUT = str(Path(casetrack.__file__).resolve().parents[1])
FILES = {
    "claude-code": ".claude.json",
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "cline": ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/"
    "cline_mcp_settings.json",
    "lm-studio": ".lmstudio/mcp.json",
    "zed": ".config/zed/settings.json",
    "continue": ".continue/config.yaml",
    "goose": ".config/goose/config.yaml",
}
DAILY = ["--tools", "daily"]
SUITED = dict.fromkeys(FILES, DAILY) | {"claude-code": [], "cursor": [], "codex": []}
"""Three programs load tools on demand; the others get the daily set."""


@pytest.fixture(autouse=True)
def a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """CaseTrack runs as in a checkout, regardless of the installation."""
    monkeypatch.setattr(entry, "own_distribution", lambda: None)


def entry_of(user: Path, name: str, server: str = "casetrack") -> Any:
    """Return the entry in a client's file."""
    client = CLIENTS[name].of(server)
    return client.format.value_at((user / FILES[name]).read_text(), client.path)


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_every_client_is_set_up_and_left_again(
    run: Run, user: Path, name: str, messages: Callable[..., None]
) -> None:
    file = user / FILES[name]
    title = CLIENTS[name].title
    ended = run("setup", name)
    assert (ended.code, ended.err) == (0, "")
    assert f"{title}: {file}" in ended.out
    if name == "goose":
        messages(ended.out)
    server = {"command": sys.executable, "args": ["-m", "casetrack", "serve", *SUITED[name]]}
    server |= {"env": {"PYTHONPATH": CHECKOUT}}
    assert entry_of(user, name) == CLIENTS[name].shaped(server)
    assert action(run, name) == "unchanged"
    assert action(run, name, "--undo") == "removed"
    assert not file.exists()
    run("setup", name)
    # The edition for lawyers is a second entry.
    ended = run("setup", name, "--edition", "legal", "--tools", "core")
    assert f"{title}: {file}" in ended.out
    serve = ["-m", "casetrack", "serve"]
    legal = [*serve, "--edition", "legal", "--tools", "core"]
    for served, args in (("casetrack", [*serve, *SUITED[name]]), ("casetrack-legal", legal)):
        written = entry_of(user, name, served)
        assert (written["command"][1:] if name == "opencode" else written["args"]) == args
    assert run("uninstall", "--dry-run").out.count(f" {title}: ") == 1
    assert action(run, name, "--undo") == "removed"
    assert entry_of(user, name) is None
    assert action(run, name, "--edition", "legal", "--undo") == "removed"
    assert action(run, name, "--undo") == "absent"


def action(run: Run, *words: str) -> str:
    """Return the action for the entry of a program."""
    done: str = json.loads(run("setup", *words, "--json").out)["action"]
    return done


@pytest.mark.sampled(1)
def test_a_project_has_an_entry_of_its_own(run: Run, user: Path) -> None:
    place = user / "project" / ".mcp.json"
    assert run("setup", "claude-code", "--scope", "project").code == 0
    assert "casetrack" in place.read_text()
    assert not (user / FILES["claude-code"]).exists()
    assert run("setup", "claude-code", "--scope", "project", "--undo").code == 0
    assert not place.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "args", "env"),
    [
        ([], [], {}),
        (["--tools", "core,get_chunk"], ["--tools", "core,get_chunk"], {}),
        (["--read-only"], ["--read-only"], {}),
        (["--data-dir", "{user}/Cases"], [], {"CASETRACK_HOME": "{user}/Cases"}),
        (["--data-dir", "Cases"], [], {"CASETRACK_HOME": "{user}/project/Cases"}),
        (["CASETRACK_HOME={user}/Cases"], [], {"CASETRACK_HOME": "{user}/Cases"}),
        (["CASETRACK_MODELS={user}/Models"], [], {"CASETRACK_MODELS": "{user}/Models"}),
        (["CASETRACK_HOME={default}"], [], {}),
    ],
)
def test_the_entry_says_what_was_asked_for(
    run: Run,
    user: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    args: list[str],
    env: dict[str, str],
) -> None:
    given = [w.format(user=user, default=entry.default_data_dir()) for w in words]
    if words and words[0].startswith("CASETRACK"):
        monkeypatch.setenv(*given.pop().split("="))
    assert run("setup", "cursor", *given).code == 0
    written = entry_of(user, "cursor")
    assert written["args"] == ["-m", "casetrack", "serve", *args]
    expected = {key: value.format(user=user) for key, value in env.items()}
    assert written["env"] == {"PYTHONPATH": CHECKOUT, **expected}


def test_all_that_is_installed_is_set_up_and_left_again(run: Run, user: Path) -> None:
    before = {
        ".codex/config.toml": 'model = "gpt-6" # mine\n',
        ".gemini/settings.json": '{"ui": {"theme": "GitHub"}}',
        ".config/opencode/opencode.jsonc": "{\n  // mine\n}\n",
        ".config/goose/config.yaml": "extensions:\n  memory:\n    enabled: true\n",
        ".cursor/mcp.json": "{ broken",
    }
    for place, text in before.items():
        (user / place).parent.mkdir(parents=True)
        (user / place).write_text(text)
    ended = run("setup", "--all", "--data-dir", user / "Cases")
    assert ended.code == 1
    assert re.search(r"\.cursor/mcp\.json\D+1\D+3\D", ended.err)
    titles = ("Codex", "Gemini CLI", "OpenCode", "Goose")
    assert all(f" {title}: " in ended.out for title in titles)
    assert "[mcp_servers.casetrack.env]" in (user / ".codex/config.toml").read_text()
    ended = run("setup", "--all", "--undo", "--json")
    facts = json.loads(ended.out)
    assert {c["client"]: c["action"] for c in facts["clients"]} == dict.fromkeys(titles, "removed")
    assert [problem["code"] for problem in facts["problems"]] == ["client_file_invalid"]
    for place, text in before.items():
        assert (user / place).read_text() == text
        assert sorted(p.name for p in (user / place).parent.iterdir()) == [Path(place).name]


def test_nothing_is_installed(run: Run, messages: Callable[..., None]) -> None:
    ended = run("setup", "--all")
    assert ended.code == 0
    messages(ended.out)


@pytest.mark.slow
def test_all_tools_can_be_asked_for_where_a_day_s_would_be_offered(run: Run, user: Path) -> None:
    run("setup", "gemini", "--tools", "all")
    assert entry_of(user, "gemini")["args"][2:] == ["serve", "--tools", "all"]
    run("setup", "gemini")
    assert entry_of(user, "gemini")["args"][2:] == ["serve", *DAILY]
    run("setup", "gemini", "--edition", "legal")
    legal = ["serve", "--edition", "legal"]
    assert entry_of(user, "gemini", "casetrack-legal")["args"][2:] == legal


@pytest.mark.parametrize("remote", [True, False])
def test_the_script_of_this_very_installation_is_preferred(
    run: Run, user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, remote: bool
) -> None:
    name = "casetrack.exe" if sys.platform == "win32" else "casetrack"
    info = tmp_path / "lib" / "casetrack-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "RECORD").write_text(f"casetrack/__init__.py,,\ncasetrack,,\n../bin/{name},,\n")
    script = tmp_path / "bin" / name
    script.parent.mkdir()
    if remote:
        script.touch()
    monkeypatch.setattr(entry, "own_distribution", lambda: Distribution.at(info))
    run("setup", "claude-desktop")
    expected = {"command": str(script), "args": ["serve", *DAILY]}
    module = {"command": sys.executable, "args": ["-m", "casetrack", "serve", *DAILY]}
    assert entry_of(user, "claude-desktop") == (expected if remote else module)


def test_print_and_dry_run_change_nothing(run: Run, user: Path) -> None:
    file = user / FILES["vscode"]
    shown = run("setup", "vscode", "--print")
    assert str(file) in shown.out
    snippet = json.loads(shown.out[shown.out.index("{") : shown.out.rindex("}") + 1])
    assert snippet["servers"]["casetrack"]["type"] == "stdio"
    as_json = json.loads(run("setup", "vscode", "--print", "--json").out)
    assert as_json == {"client": "VS Code", "file": str(file), "entry": snippet}
    dry = run("setup", "vscode", "--dry-run")
    assert f"--- {file} " in dry.out
    assert '+    "casetrack": {\n' in dry.out
    assert not file.exists()
    run("setup", "vscode")
    assert "---" not in run("setup", "vscode", "--dry-run").out
    assert '-    "casetrack": {\n' in run("setup", "vscode", "--undo", "--dry-run").out
    assert entry_of(user, "vscode") == snippet["servers"]["casetrack"]


def test_comments_are_mentioned_where_the_client_may_not_read_them(run: Run, user: Path) -> None:
    for name, notes in (("claude-code", 2), ("cursor", 1)):
        file = user / FILES[name]
        file.parent.mkdir(exist_ok=True)
        file.write_text("{} // mine\n")
        assert len(json.loads(run("setup", name, "--json").out)["notes"]) == notes


@pytest.mark.parametrize(
    ("words", "code", "fact"),
    [
        ([], "usage", "--all"),
        (["cursor", "--all"], "usage", "--all"),
        (["--all", "--scope", "project"], "usage", "--all"),
        (["--all", "--print"], "usage", "--all"),
        (["goose", "--scope", "project"], "no_such_scope", "Goose"),
        (["claude-desktop", "--scope", "project"], "no_such_scope", "Claude Desktop"),
        (["emacs"], "usage", "'claude-code', 'claude-desktop', 'cursor', 'vscode'"),
        (["cursor", "--tools", "reed-only"], "usage", '"read-only"'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_misuse(run: Run, words: list[str], code: str, fact: str) -> None:
    ended = run("setup", *words, "--json")
    error = json.loads(ended.out)["error"]
    assert (ended.code, error["code"]) == (2, code)
    assert fact in error["message"] + error["hint"]


def test_a_variant_of_the_program_is_undone_where_it_was_set_up(run: Run, user: Path) -> None:
    insiders = user / ".config/Code - Insiders/User"
    insiders.mkdir(parents=True)
    run("setup", "vscode")
    assert (insiders / "mcp.json").exists()
    (user / ".config/Code/User").mkdir(parents=True)
    assert run("setup", "vscode", "--undo").code == 0
    assert not (insiders / "mcp.json").exists()


@pytest.mark.slow
def test_the_old_spelling(run: Run, user: Path) -> None:
    assert run("--setup-claude-code", "--data-dir", user / "Cases").code == 0
    assert entry_of(user, "claude-code")["env"]["CASETRACK_HOME"] == str(user / "Cases")
    ended = run(f"--data-dir={user / 'Cases'}", "--uninstall", "--dry-run")
    assert f" Claude Code: {user}/.claude.json" in ended.out
    assert "--setup-claude-code" in run("search", "--setup-claude-code").err


def test_tools_are_those_of_the_edition(run: Run, user: Path) -> None:
    ended = run("setup", "cursor", "--edition", "legal", "--tools", "search_documents")
    assert (ended.code, '"search_documents"' in ended.err) == (2, True)
    assert run("setup", "cursor", "--edition", "poems").code == 2
