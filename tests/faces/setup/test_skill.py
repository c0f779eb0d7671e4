"""Teaching AI programs when to ask and how to cite: skills, and blocks in files of instructions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.faces.mcp.catalogue import declared
from casetrack.faces.setup import skill

if TYPE_CHECKING:
    from faces.setup.conftest import Run

PLUGIN = Path(skill.__file__).with_name("plugin")
BLOCKS = [
    ("codex", ".codex/AGENTS.md", "AGENTS.md"),
    ("opencode", ".config/opencode/AGENTS.md", "AGENTS.md"),
    ("gemini", ".gemini/GEMINI.md", "GEMINI.md"),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("text", ["", "# Mine\n\nBe brief.\n", "Be brief.", "a\r\n\r\nb\r\n"])
@pytest.mark.parametrize(("name", "place", "project"), BLOCKS)
def test_a_block_comes_and_goes_in_the_users_file(
    run: Run, user: Path, name: str, place: str, project: str, text: str
) -> None:
    for scope, file in (("user", user / place), ("project", user / "project" / project)):
        if text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        words = ("setup", name, "--scope", scope, "--json")
        facts = json.loads(run(*words, "--skill").out)
        assert facts["skill"] == {"file": str(file), "action": "added"}
        written = file.read_bytes().decode()
        assert written.startswith(text)
        assert "`citation`" in written
        assert ("\r\n" in written) == ("\r\n" in text)
        assert json.loads(run(*words, "--skill").out)["skill"]["action"] == "unchanged"
        assert file.read_bytes().decode() == written
        assert json.loads(run(*words, "--undo").out)["skill"]["action"] == "removed"
        if text:
            assert file.read_bytes().decode().rstrip() == text.rstrip()
            assert [p.name for p in file.parent.iterdir() if "backup" in p.name] == []
        else:
            assert not file.exists()


def test_an_old_block_is_brought_up_to_date(run: Run, user: Path) -> None:
    run("setup", "codex", "--skill")
    file = user / ".codex/AGENTS.md"
    new = file.read_text()
    file.write_text(new.replace("`citation`", "`old`") + "\n# After it\n")
    facts = json.loads(run("setup", "codex", "--skill", "--json").out)
    assert facts["skill"]["action"] == "changed"
    assert file.read_text() == new + "\n# After it\n"


def test_claude_code_gets_a_skill(run: Run, user: Path) -> None:
    file = user / ".claude/skills/casetrack/SKILL.md"
    facts = json.loads(run("setup", "claude-code", "--skill", "--json").out)
    assert facts["skill"] == {"file": str(file), "action": "added"}
    assert file.read_text() == (PLUGIN / "skills/casetrack/SKILL.md").read_text()
    assert str(file) in run("setup", "claude-code", "--undo", "--dry-run").out
    run("uninstall", "--yes", "--dry-run")
    assert file.exists()
    run("setup", "claude-code", "--undo")
    assert not file.parent.exists()


def test_a_skill_of_another_program_stays(run: Run, user: Path) -> None:
    file = user / ".claude/skills/casetrack/SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("---\nname: mine\n---\n")
    for word in ("--skill", "--undo"):
        assert str(file) in run("setup", "claude-code", word).out
        assert file.read_text() == "---\nname: mine\n---\n"


def test_who_cannot_be_taught_says_so_before_anything_is_done(run: Run, user: Path) -> None:
    ended = run("setup", "cursor", "--skill", "--json")
    assert (ended.code, json.loads(ended.out)["error"]["code"]) == (2, "no_skill")
    assert not (user / ".cursor").exists()


def test_all_that_can_be_taught_are(run: Run, user: Path) -> None:
    for folder in (".cursor", ".codex", ".claude"):
        (user / folder).mkdir()
    assert run("setup", "--all", "--skill").code == 0
    assert (user / ".cursor/mcp.json").exists()
    assert (user / ".codex/AGENTS.md").exists()
    assert (user / ".claude/skills/casetrack/SKILL.md").exists()


@pytest.mark.parametrize("file", ["skills/casetrack/SKILL.md", "AGENTS.md"])
def test_what_is_taught_names_tools_that_exist(file: str) -> None:
    text = (PLUGIN / file).read_text()
    named = set(re.findall(r"`([a-z]+(?:_[a-z]+)+)`", text))
    assert named
    assert named <= set(declared())
    assert len(text) < 3500


def test_the_plugin_is_one() -> None:
    about = json.loads((PLUGIN / ".claude-plugin/plugin.json").read_text())
    market = json.loads((PLUGIN.parents[3] / ".claude-plugin/marketplace.json").read_text())
    (entry,) = market["plugins"]
    assert entry["name"] == about["name"] == "casetrack"
    assert (PLUGIN.parents[3] / entry["source"]).resolve() == PLUGIN.resolve()
    server = json.loads((PLUGIN / ".mcp.json").read_text())["mcpServers"]["casetrack"]
    assert server == {"command": "casetrack", "args": ["serve"]}
    head = (PLUGIN / "skills/casetrack/SKILL.md").read_text().split("---")[1]
    assert re.search(r"^name: casetrack$", head, re.MULTILINE)
    assert re.search(r"^description: .{40,1000}$", head, re.MULTILINE)
