"""``casetrack setup`` as people run it, and its old spelling."""

from __future__ import annotations

import json
import sys
from importlib.metadata import Distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import casetrack
from casetrack.cli.setup import ClientName
from casetrack.setup import entry
from casetrack.setup.clients import CLIENTS

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., Any]

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
"""Three programs load tools on demand; the others are offered what a day's work needs."""


@pytest.fixture(autouse=True)
def a_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is installed here, CaseTrack runs as in a checkout."""
    monkeypatch.setattr(entry, "own_distribution", lambda: None)


def entry_of(user: Path, name: str, server: str = "casetrack") -> Any:
    """Return the entry in a client's file."""
    client = CLIENTS[name].of(server)
    return client.format.value_at((user / FILES[name]).read_text(), client.path)


def test_every_client_can_be_named() -> None:
    *named, desktop = (name.value for name in ClientName)
    assert named == list(CLIENTS) == list(FILES)
    assert desktop == "desktop"


@pytest.mark.parametrize("name", FILES)
def test_every_client_is_set_up_and_left_again(run: Run, user: Path, name: str) -> None:
    file = user / FILES[name]
    ended = run("setup", name)
    assert (ended.code, ended.err) == (0, "")
    title = CLIENTS[name].title
    note, model, done, then = ended.out.splitlines()
    assert note.startswith(f"Note: {title} does not seem to be installed")
    assert "first start fetches that in the background" in model
    assert done == f"CaseTrack is set up in {title}: {file}"
    assert then.endswith(', then ask: "Which collections of documents do I have in CaseTrack?"')
    server = {"command": sys.executable, "args": ["-m", "casetrack", "serve", *SUITED[name]]}
    server |= {"env": {"PYTHONPATH": CHECKOUT}}
    assert entry_of(user, name) == CLIENTS[name].shaped(server)
    assert f"\nCaseTrack is already set up in {title}: " in run("setup", name).out
    ended = run("setup", name, "--undo")
    assert ended.out.startswith(f"CaseTrack is no longer in {title}: {file}\n")
    assert not file.exists()
    assert "there is nothing to remove" in run("setup", name, "--undo").out


@pytest.mark.parametrize(
    ("name", "place"),
    [("claude-code", ".mcp.json"), ("cursor", ".cursor/mcp.json"), ("vscode", ".vscode/mcp.json")],
)
def test_a_project_has_an_entry_of_its_own(run: Run, user: Path, name: str, place: str) -> None:
    ended = run("setup", name, "--scope", "project")
    assert "Note: The entry names folders of this computer" in ended.out
    assert "casetrack" in (user / "project" / place).read_text()
    assert not (user / FILES[name]).exists()
    assert run("setup", name, "--scope", "project", "--undo").code == 0
    assert not (user / "project" / place).exists()


@pytest.mark.parametrize(
    ("words", "args", "env"),
    [
        ([], [], {}),
        (["--tools", "core,get_chunk"], ["--tools", "core,get_chunk"], {}),
        (["--tools", "daily"], ["--tools", "daily"], {}),
        (["--read-only"], ["--read-only"], {}),
        (["--offline"], ["--offline"], {}),
        (["--data-dir", "{user}/Cases"], [], {"CASETRACK_HOME": "{user}/Cases"}),
        (["--data-dir", "Cases"], [], {"CASETRACK_HOME": "{user}/project/Cases"}),
    ],
)
def test_the_entry_says_what_was_asked_for(
    run: Run, user: Path, words: list[str], args: list[str], env: dict[str, str]
) -> None:
    assert run("setup", "cursor", *(w.format(user=user) for w in words)).code == 0
    written = entry_of(user, "cursor")
    assert written["args"] == ["-m", "casetrack", "serve", *args]
    expected = {key: value.format(user=user) for key, value in env.items()}
    assert written["env"] == {"PYTHONPATH": CHECKOUT, **expected}


def test_folders_that_the_environment_names_are_written_down(
    run: Run, user: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASETRACK_HOME", str(user / "Cases"))
    monkeypatch.setenv("CASETRACK_MODELS", str(user / "Models"))
    run("setup", "claude-code")
    env = entry_of(user, "claude-code")["env"]
    assert env["CASETRACK_HOME"] == str(user / "Cases")
    assert env["CASETRACK_MODELS"] == str(user / "Models")
    monkeypatch.setenv("CASETRACK_HOME", str(entry.default_data_dir()))
    run("setup", "claude-code")
    assert "CASETRACK_HOME" not in entry_of(user, "claude-code")["env"]


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
    assert "Cannot read" in ended.err
    assert ".cursor/mcp.json, line 1, column 3" in ended.err
    assert [row.split(": ")[0] for row in ended.out.splitlines() if " is set up in " in row] == [
        f"CaseTrack is set up in {title}" for title in ("Codex", "Gemini CLI", "OpenCode", "Goose")
    ]
    assert "does not seem to be installed" not in ended.out
    assert "[mcp_servers.casetrack.env]" in (user / ".codex/config.toml").read_text()
    ended = run("setup", "--all", "--undo", "--json")
    said = json.loads(ended.out)
    assert {c["client"]: c["action"] for c in said["clients"]} == dict.fromkeys(
        ("Codex", "Gemini CLI", "OpenCode", "Goose"), "removed"
    )
    assert [problem["code"] for problem in said["problems"]] == ["client_file_invalid"]
    for place, text in before.items():
        assert (user / place).read_text() == text
        assert sorted(p.name for p in (user / place).parent.iterdir()) == [Path(place).name]


def test_nothing_is_installed(run: Run) -> None:
    ended = run("setup", "--all")
    assert ended.code == 0
    assert ended.out.startswith("No AI program that can be set up was found here.")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "Name one AI program, or give --all."),
        (["cursor", "--all"], "Name no program with --all."),
        (["--all", "--scope", "project"], "--all is for your own settings"),
        (["--all", "--print"], "--all is for your own settings"),
        (["goose", "--scope", "project"], "Goose has no settings per project"),
    ],
)
def test_what_does_not_go_together_is_told(run: Run, words: list[str], told: str) -> None:
    ended = run("setup", *words)
    assert ended.code == 2
    assert told in ended.err


def test_what_a_user_changed_in_an_entry_stays(run: Run, user: Path) -> None:
    run("setup", "goose")
    file = user / FILES["goose"]
    file.write_text(file.read_text().replace("enabled: true", "enabled: false # not now"))
    assert "is up to date now" in run("setup", "goose", "--read-only").out
    assert "enabled: false # not now" in file.read_text()
    assert entry_of(user, "goose")["args"][2:] == ["serve", *DAILY, "--read-only"]
    run("setup", "opencode")
    file = user / FILES["opencode"]
    file.write_text(file.read_text().replace("true", "false"))
    run("setup", "opencode", "--read-only")
    assert entry_of(user, "opencode")["enabled"] is False
    assert entry_of(user, "opencode")["command"][-1] == "--read-only"


def test_all_tools_can_be_asked_for_where_a_day_s_would_be_offered(run: Run, user: Path) -> None:
    run("setup", "gemini", "--tools", "all")
    assert entry_of(user, "gemini")["args"][2:] == ["serve", "--tools", "all"]
    run("setup", "gemini")
    assert entry_of(user, "gemini")["args"][2:] == ["serve", *DAILY]
    run("setup", "gemini", "--edition", "legal")
    legal = ["serve", "--edition", "legal"]
    assert entry_of(user, "gemini", "casetrack-legal")["args"][2:] == legal


@pytest.mark.parametrize("there", [True, False])
def test_the_script_of_this_very_installation_is_preferred(
    run: Run, user: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    name = "casetrack.exe" if sys.platform == "win32" else "casetrack"
    info = tmp_path / "lib" / "casetrack-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "RECORD").write_text(f"casetrack/__init__.py,,\ncasetrack,,\n../bin/{name},,\n")
    script = tmp_path / "bin" / name
    script.parent.mkdir()
    if there:
        script.touch()
    monkeypatch.setattr(entry, "own_distribution", lambda: Distribution.at(info))
    run("setup", "claude-desktop")
    expected = {"command": str(script), "args": ["serve", *DAILY]}
    module = {"command": sys.executable, "args": ["-m", "casetrack", "serve", *DAILY]}
    assert entry_of(user, "claude-desktop") == (expected if there else module)


def test_print_and_dry_run_change_nothing(run: Run, user: Path) -> None:
    file = user / FILES["vscode"]
    shown = run("setup", "vscode", "--print")
    assert shown.out.startswith(f"In {file}, merge this into what is there:\n\n{{")
    snippet = json.loads(shown.out[shown.out.index("{") : shown.out.rindex("}") + 1])
    assert snippet["servers"]["casetrack"]["type"] == "stdio"
    as_json = json.loads(run("setup", "vscode", "--print", "--json").out)
    assert as_json == {"client": "VS Code", "file": str(file), "entry": snippet}
    dry = run("setup", "vscode", "--dry-run")
    assert f"This would change in {file}:\n--- {file} (now)\n" in dry.out
    assert '+    "casetrack": {\n' in dry.out
    assert not file.exists()
    run("setup", "vscode")
    assert "Nothing would change in" in run("setup", "vscode", "--dry-run").out
    assert '-    "casetrack": {\n' in run("setup", "vscode", "--undo", "--dry-run").out
    assert entry_of(user, "vscode") == snippet["servers"]["casetrack"]


def test_json_says_all(run: Run, user: Path) -> None:
    (user / ".claude.json").write_text("{}")
    told = json.loads(run("setup", "claude-code", "--json").out)
    assert told["action"] == "added"
    assert told["file"] == str(user / ".claude.json")
    assert told["backup"] == str(user / ".claude.json.casetrack-backup")
    (note,) = told["notes"]
    assert note.startswith(
        "The search model (90 MB) is not here yet. The program's first start fetch"
    )
    other = json.loads(run("setup", "claude-code", "--json", "--offline").out)["notes"][0]
    assert "here yet. Run `casetrack models pull` once while online. Until then documents" in other
    assert told["next_step"].startswith("Start Claude Code anew")
    assert json.loads(run("setup", "claude-code", "--json", "--undo").out)["action"] == "removed"


def test_a_broken_file_is_told_with_its_place(run: Run, user: Path) -> None:
    (user / ".claude.json").write_text('{\n  "mcpServers": {\n')
    ended = run("setup", "claude-code")
    assert ended.code == 1
    assert f"Cannot read {user}/.claude.json, line 3, column 1: " in ended.err
    assert "Nothing was changed." in ended.err
    assert "casetrack setup claude-code --print" in ended.err
    assert run("setup", "claude-code", "--print").code == 0


def test_comments_are_mentioned_where_the_client_may_not_read_them(run: Run, user: Path) -> None:
    for name in ("claude-code", "cursor"):
        file = user / FILES[name]
        file.parent.mkdir(exist_ok=True)
        file.write_text("{} // mine\n")
    assert "Claude Code may not understand these" in run("setup", "claude-code").out
    assert "may not understand" not in run("setup", "cursor").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["setup"], "Name one AI program, or give --all."),
        (["setup", "emacs"], "'claude-code', 'claude-desktop', 'cursor', 'vscode'"),
        (["setup", "claude-desktop", "--scope", "project"], "has no settings per project"),
        (["setup", "cursor", "--tools", "reed-only"], 'Did you mean "read-only"?'),
    ],
)
def test_misuse(run: Run, words: list[str], told: str) -> None:
    ended = run(*words)
    assert ended.code == 2
    assert told in " ".join(ended.err.split())


def test_a_variant_of_the_program_is_undone_where_it_was_set_up(run: Run, user: Path) -> None:
    insiders = user / ".config/Code - Insiders/User"
    insiders.mkdir(parents=True)
    run("setup", "vscode")
    assert (insiders / "mcp.json").exists()
    (user / ".config/Code/User").mkdir(parents=True)
    assert run("setup", "vscode", "--undo").code == 0
    assert not (insiders / "mcp.json").exists()


def test_the_old_spelling(run: Run, user: Path) -> None:
    assert run("--setup-claude-code", "--data-dir", user / "Cases").code == 0
    assert entry_of(user, "claude-code")["env"]["CASETRACK_HOME"] == str(user / "Cases")
    ended = run(f"--data-dir={user / 'Cases'}", "--uninstall", "--dry-run")
    assert f"Would be removed from Claude Code: {user}/.claude.json" in ended.out
    assert "--setup-claude-code" in run("search", "--setup-claude-code").err


@pytest.mark.parametrize("name", FILES)
def test_the_edition_for_lawyers_stands_beside_the_other(run: Run, user: Path, name: str) -> None:
    run("setup", name)
    ended = run("setup", name, "--edition", "legal", "--tools", "core")
    title = CLIENTS[name].title
    assert f"CaseTrack Legal is set up in {title}: {user / FILES[name]}" in ended.out
    assert 'then ask: "Which cases do I have in CaseTrack?"' in ended.out
    serve = ["-m", "casetrack", "serve"]
    legal = [*serve, "--edition", "legal", "--tools", "core"]
    for server, args in (("casetrack", [*serve, *SUITED[name]]), ("casetrack-legal", legal)):
        written = entry_of(user, name, server)
        assert (written["command"][1:] if name == "opencode" else written["args"]) == args
    gone = run("uninstall", "--dry-run")
    assert gone.out.count(f"Would be removed from {title}: ") == 1
    assert run("setup", name, "--undo").code == 0
    assert entry_of(user, name) is None
    assert entry_of(user, name, "casetrack-legal")
    assert "CaseTrack Legal is no longer in" in run("setup", name, "--edition=legal", "--undo").out


def test_tools_are_those_of_the_edition(run: Run, user: Path) -> None:
    ended = run("setup", "cursor", "--edition", "legal", "--tools", "search_documents")
    assert ended.code == 2
    assert 'No such tool or set of tools: "search_documents".' in ended.err
    assert run("setup", "cursor", "--edition", "poems").code == 2
