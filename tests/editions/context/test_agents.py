"""Agents of a config: sections and files, and their errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from casetrack.base.errors import ConfigError
from casetrack.editions.context.config import load_config
from casetrack.editions.context.mcp.edition import agents_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return ``write(config, **files)``: the agents of a config with files next to it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))

    def written(config: str, **files: str) -> Any:
        path = tmp_path / ".ctx" / "config.toml"
        (path.parent / "agents").mkdir(parents=True)
        path.write_text(config, encoding="utf-8")
        for name, text in files.items():
            (path.parent / "agents" / f"{name}.toml").write_text(text, encoding="utf-8")
        return agents_of(load_config(path))

    return written


def test_sections_and_files_are_agents(write: Any, caplog: pytest.LogCaptureFixture) -> None:
    result = write(
        '[agents.architect]\nsystem_prompt = "Design."\n'
        '[agents.inline.writer]\ndescription = "Writes"\nsystem_prompt = "Write."\n'
        'tools = ["search"]\n[agents.script.old]\npath = "old.lua"\n',
        reviewer='system_prompt = "Review."',
        writer='system_prompt = "Not this one."',
    )
    assert [a.name for a in result] == ["architect", "reviewer", "writer"]
    assert result[1].text({}) == "Review."
    text, _, tools = result[2].text({}).partition("\n\n")
    assert (text, "search" in tools) == ("Write.", True)
    assert "old" in caplog.text.split()


BROKEN = {
    '[agents.a]\nsystem_promt = "x"': "'system_prompt'",
    "[agents.a]\ndescription = 'x'": "system_prompt",
    "[agents]\na = 1": "[agents.a]",
    '[agents."a b"]\nsystem_prompt = "x"': "a b",
    '[agents.a]\nsystem_prompt = "x"\ntools = "search"': "[agents.a]",
    '[agents.a]\nsystem_prompt = "x"\narguments = [{nam = "y"}]': "'name'",
    '[agents.a]\nsystem_prompt = "x"\narguments = [{}]': "[agents.a]",
}


@pytest.mark.parametrize("config", BROKEN)
def test_what_cannot_be_understood_is_named(write: Any, config: str) -> None:
    with pytest.raises(ConfigError) as raised:
        write(config)
    assert BROKEN[config] in str(raised.value)
    assert "config.toml" in str(raised.value)


def test_what_is_filled_in(write: Any) -> None:
    (agent,) = write(
        '[agents.a]\nsystem_prompt = "Of {one}, {two}, {three}."\n'
        'arguments = [{name = "one", required = true}, {name = "two"}]'
    )
    assert agent.text({"one": "{two}"}) == "Of {two}, , {three}."
    for given, messages in (
        ({}, "one"),
        ({"one": " "}, "one"),
        ({"one": "x", "four": "y"}, "four.* one, two"),
        ({"one": "x" * 5_000}, "one .*5,000 .*4,000"),
    ):
        with pytest.raises(ValueError, match=messages):
            agent.text(given)
