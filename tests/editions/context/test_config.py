"""Configs: which files count, how they override each other, and errors of wrong ones."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from casetrack.base.errors import ConfigError, SourceError, UsageError
from casetrack.editions.context.config import config_text, load_config
from casetrack.editions.context.home import ContextHome, pipeline_text, profile_of
from casetrack.keep.sources import KINDS

THEIRS = Path(__file__).with_name("theirs.toml").read_text(encoding="utf-8")
"""Every section and key that ctx has, as its users write them."""


@pytest.fixture(autouse=True)
def nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without a user config and without variables."""
    for name in ("CTX_CONFIG", "CTX_CONFIG_DIR", "JIRA_API_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path / "casetrack"))


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# --- which files count ------------------------------------------------------------------------


def test_a_config_of_ctx_is_read_unchanged(tmp_path: Path) -> None:
    path = write(tmp_path / "shop" / "config" / "ctx.toml", THEIRS)
    config = load_config(folder=tmp_path / "shop")
    assert (config.files, config.base) == ((path,), tmp_path / "shop")
    assert config.data_dir == tmp_path / "shop" / "data" / "ctx"
    assert config.address == ("127.0.0.1", 7332)
    labels = "filesystem:docs git:platform s3:runbooks script:jira"
    assert [s.label for s in config.sources] == labels.split()
    assert dict(config.agents)["inline"]["reviewer"]["system_prompt"] == "Say ${nothing} of it."
    home = ContextHome(config)
    assert (home.ranking.hybrid_alpha, home.ranking.final_limit) == (0.5, 7)
    assert (home.ranking.candidate_k_keyword, home.ranking.candidate_k_vector) == (60, 70)
    assert home.ranking.max_chunks_per_doc == 2
    openai = home.library.settings.providers.openai
    assert openai.model == "text-embedding-3-small"
    assert (openai.dimensions, openai.timeout_seconds) == (1536, 30)
    assert "max_chars = 2800" in pipeline_text(config)
    assert "overlap_chars = 320" in pipeline_text(config)
    assert [note.partition(" ")[0] for note in config.notes] == ["[vector_index]", "[registries]"]


def test_the_projects_config_lies_over_the_users_table_by_table(tmp_path: Path) -> None:
    write(
        tmp_path / "user" / "ctx" / "config.toml",
        "[retrieval]\nfinal_limit = 5\nhybrid_alpha = 0.1\n"
        '[connectors.filesystem.notes]\nroot = "/n"\n'
        '[connectors.git.shop]\nurl = "https://a.example/b"\nbranch = "old"\n',
    )
    project = write(
        tmp_path / "shop" / ".ctx" / "config.toml",
        '[retrieval]\nhybrid_alpha = 0.9\n[connectors.git.shop]\nbranch = "new"\n',
    )
    config = load_config(folder=tmp_path / "shop")
    assert config.files == (project, tmp_path / "user" / "ctx" / "config.toml")
    assert (config.retrieval["final_limit"], config.retrieval["hybrid_alpha"]) == (5, 0.9)
    assert [s.label for s in config.sources] == ["filesystem:notes", "git:shop"]
    assert config.sources[1].settings() == {"url": "https://a.example/b", "branch": "new"}


def test_which_file_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = tmp_path / "shop"
    made = {
        name: write(shop / name, f"[retrieval]\nfinal_limit = {limit}\n")
        for limit, name in enumerate(("given.toml", "env.toml", ".ctx/config.toml"), start=1)
    }
    write(shop / "config" / "ctx.toml", "[retrieval]\nfinal_limit = 4\n")
    inside = shop / "a" / "b"
    inside.mkdir(parents=True)
    assert load_config(folder=inside).retrieval["final_limit"] == 3
    (made[".ctx/config.toml"]).unlink()
    assert load_config(folder=inside).retrieval["final_limit"] == 4
    monkeypatch.setenv("CTX_CONFIG", str(made["env.toml"]))
    assert load_config(folder=inside).retrieval["final_limit"] == 2
    assert load_config(made["given.toml"], folder=inside).retrieval["final_limit"] == 1
    assert load_config(made["given.toml"], folder=inside).base == shop


def test_without_any_config_the_next_step_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.ctx/config\.toml") as e:
        load_config(folder=tmp_path)
    assert "ctx init" in e.value.hint
    with pytest.raises(ConfigError, match=str(tmp_path / "gone.toml")):
        load_config(tmp_path / "gone.toml")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs to give away")
def test_a_config_above_in_anothers_folder_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "theirs" / ".ctx" / "config.toml", '[connectors.script.x]\npath = "x"\n')
    inside = tmp_path / "theirs" / "mine"
    inside.mkdir()
    assert load_config(folder=inside).sources
    os.chown(tmp_path / "theirs", 12345, 12345)
    with pytest.raises(UsageError, match="ctx init"):
        load_config(folder=inside)


# --- variables --------------------------------------------------------------------------------


def test_a_missing_variable_stops_its_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = load_config(write(tmp_path / "c.toml", THEIRS))
    jira = config.sources[3]
    with pytest.raises(SourceError, match=r"script:jira: .*api_token .*JIRA_API_TOKEN"):
        jira.settings()
    monkeypatch.setenv("JIRA_API_TOKEN", "s3cret")
    assert jira.settings()["api_token"] == "s3cret"
    assert "s3cret" not in repr(config)


@pytest.mark.parametrize("path", ["${NOWHERE}/x", "${}/x", "${A B}/x", "a${B"])
def test_variables_of_settings_are_needed_at_once(tmp_path: Path, path: str) -> None:
    with pytest.raises(ConfigError, match=r"db\.path"):
        load_config(write(tmp_path / "c.toml", f'[db]\npath = "{path}"'))


def test_two_dollars_stand_for_the_signs_themselves(tmp_path: Path) -> None:
    text = '[connectors.script.x]\npath = "p"\nkey = ["$${HOME}", "a$b", "{x}"]\n'
    config = load_config(write(tmp_path / "c.toml", text))
    assert config.sources[0].settings()["key"] == ["${HOME}", "a$b", "{x}"]


# --- wrong ones -------------------------------------------------------------------------------


WRONG = {
    "section": "[retreival]\n",
    "key at the top": "top = 1\n",
    "no table": "db = 1\n",
    "key": "[retrieval]\nfinal_limt = 1",
    "share": "[retrieval]\nhybrid_alpha = 2",
    "zero": "[retrieval]\nfinal_limit = 0",
    "choice": '[retrieval]\ngroup_by = "chunk"',
    "provider": '[embedding]\nprovider = "opnai"',
    "kind": "[connectors.gti.a]\n",
    "kind as a value": "[connectors]\ngit = 3",
    "source as a value": "[connectors.git]\nurl = 'x'",
    "source without its key": "[connectors.git.a]\n",
    "key of a source": "[connectors.git.a]\nurl = 'x'\nbrnch = 'y'",
    "name of a source": "[connectors.git.'a/b']\nurl = 'x'",
    "path of a source": "[connectors.filesystem.a]\nroot = 3",
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_said(tmp_path: Path, wrong: str, messages: Any) -> None:
    path = write(tmp_path / "c.toml", WRONG[wrong])
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert str(path) in caught.value.message
    messages(str(caught.value))


def test_the_line_that_is_no_toml_is_named(tmp_path: Path) -> None:
    for line, text in enumerate(("[db\n", '[db]\npath = "x\n\n', "[db]\n\npath ="), start=1):
        with pytest.raises(ConfigError, match=rf"c\.toml.* {line}\)"):
            load_config(write(tmp_path / "c.toml", text))


def test_no_error_repeats_a_secret(tmp_path: Path) -> None:
    for text in (
        '[embedding]\nurl = ["hunter2"]',
        'api_token = "hunter2',
        '[connectors.git.a]\nurl = "x"\ntoken = "hunter2"',
        '[connectors.script.a]\npath = "x"\ntimeout = "hunter2"',
    ):
        with pytest.raises(ConfigError) as caught:
            load_config(write(tmp_path / "c.toml", text))
        assert "hunter2" not in str(caught.value)


def test_a_file_that_is_no_text_or_cannot_be_read_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "c.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"c\.toml"):
        load_config(path)
    with pytest.raises(ConfigError, match=str(tmp_path)):
        load_config(tmp_path)


# --- meaning of the keys ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("embedding", "profile"),
    [
        ("", None),
        ('provider = "disabled"', None),
        ('provider = "local"', "auto"),
        ('provider = "local"\nmodel = "all-minilm-l6-v2"', "mini"),
        ('provider = "local"\nmodel = "bge-small-en-v1.5"', "standard"),
        ('provider = "local"\nmodel = "mini-sparse"', "mini-sparse"),
        ('provider = "ollama"\nmodel = "nomic-embed-text"\ndims = 768', "ollama"),
        ('provider = "openai"', "openai"),
    ],
)
def test_what_makes_vectors(tmp_path: Path, embedding: str, profile: str | None) -> None:
    config = load_config(write(tmp_path / "c.toml", f"[embedding]\n{embedding}\n"))
    assert profile_of(config) == profile
    assert ('name = "embed"' in pipeline_text(config)) == (profile is not None)


def test_a_model_that_is_not_known_here_is_reported_with_those_that_are(tmp_path: Path) -> None:
    text = '[embedding]\nprovider = "local"\nmodel = "bge-smal-en-v1.5"\n'
    config = load_config(write(tmp_path / "c.toml", text))
    with pytest.raises(ConfigError, match=r"'bge-small-en-v1\.5'") as caught:
        profile_of(config)
    assert "mini" in caught.value.hint


@pytest.mark.parametrize(("most", "overlap", "least"), [(100, 90, 199), (10, 5, 12), (1, 0, 2)])
def test_overlap_that_leaves_no_room(tmp_path: Path, most: int, overlap: int, least: int) -> None:
    path = tmp_path / "c.toml"
    write(path, f"[chunking]\nmax_tokens = {most}\noverlap_tokens = {overlap}\n")
    with pytest.raises(ConfigError, match="overlap_tokens") as caught:
        pipeline_text(load_config(path))
    assert str(least) in re.findall(r"\d+", caught.value.hint)
    write(path, f"[chunking]\nmax_tokens = {least}\noverlap_tokens = {overlap}\n")
    assert "chunk" in pipeline_text(load_config(path))


def test_a_data_folder_with_files_of_the_users_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "mine.md").write_text("# Mine")
    path = write(tmp_path / "c.toml", '[db]\npath = "docs.db"\n')
    with pytest.raises(ConfigError, match=str(tmp_path / "docs")):
        ContextHome.open(path).make()
    assert [p.name for p in (tmp_path / "docs").iterdir()] == ["mine.md"]


def test_the_written_config_holds_every_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_TOKEN", "x")
    text = config_text()
    assert max(map(len, text.splitlines())) <= 100
    config = load_config(write(tmp_path / "a.toml", text))
    assert [s.label for s in config.sources] == ["filesystem:project"]
    every = re.sub(r"(?m)^# (?=\[|[a-z_0-9]+ = )", "", text)
    whole = load_config(write(tmp_path / "b.toml", every))
    assert [s.kind for s in whole.sources] == list(KINDS)
    for source in whole.sources:
        message = source.settings()
        assert {key.name for key in KINDS[source.kind].keys} <= set(message)
