"""Agents of a config: sections and files, and what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from casetrack.context.agents import agents_of
from casetrack.context.config import load_config
from casetrack.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return ``write(config, **files)``: the agents of a config with files beside it."""
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
    found = write(
        '[agents.architect]\nsystem_prompt = "Design."\n'
        '[agents.inline.writer]\ndescription = "Writes"\nsystem_prompt = "Write."\n'
        'tools = ["search"]\n[agents.script.old]\npath = "old.lua"\n',
        reviewer='system_prompt = "Review."',
        writer='system_prompt = "Not this one."',
    )
    assert [a.name for a in found] == ["architect", "reviewer", "writer"]
    assert found[1].text({}) == "Review."
    assert found[2].text({}) == "Write.\n\nUse these tools of CaseTrack: search."
    assert "the agent old is written in Lua" in caplog.text


BROKEN = {
    '[agents.a]\nsystem_promt = "x"': "did you mean 'system_prompt'?",
    "[agents.a]\ndescription = 'x'": "[agents.a] has no system_prompt",
    "[agents]\na = 1": "[agents.a] is no section",
    '[agents."a b"]\nsystem_prompt = "x"': "cannot be the name of an agent",
    '[agents.a]\nsystem_prompt = "x"\ntools = "search"': "must be lists",
    '[agents.a]\nsystem_prompt = "x"\narguments = [{nam = "y"}]': "did you mean 'name'?",
    '[agents.a]\nsystem_prompt = "x"\narguments = [{}]': "An argument of [agents.a] has no name",
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
    for given, said in (
        ({}, "a needs one."),
        ({"one": " "}, "a needs one."),
        ({"one": "x", "four": "y"}, "a has no argument 'four'. Arguments: one, two"),
        ({"one": "x" * 5_000}, "one is too long: 5,000 of 4,000 characters."),
    ):
        with pytest.raises(ValueError, match=said.replace("(", r"\(")):
            agent.text(given)
