"""The command ``ctx`` on real folders and a real repository."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from casetrack.api.library import Library
from casetrack.base.errors import FreeTierLimit
from casetrack.editions.context.cli.main import main
from git_repository import Repository

ROOT = Path(__file__).parents[3]
CONFIG = """\
[db]
path = "./data/ctx.sqlite"

[connectors.filesystem.docs]
root = "./docs"

[connectors.filesystem.project]
root = "."
include_globs = ["*.md"]

[connectors.git.platform]
url = "./platform"

[connectors.git.gone]
url = "./no-such-repository"

[connectors.script.tickets]
path = "tickets.py"
token = "${TICKETS_TOKEN}"
"""


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in the present folder, without a license, a model or a config of the user's."""
    for name in ("CTX_CONFIG", "CTX_CONFIG_DIR", "TICKETS_TOKEN", "CASETRACK_LICENSE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path / "casetrack"))
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


class Ctx:
    """Runs commands in this process."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        sys.stdout.flush()
        return (code, *self._capfd.readouterr())

    def json(self, *arguments: str) -> Any:
        """Return the parsed JSON output of a command that succeeds."""
        code, out, err = self(*arguments, "--json")
        assert code == 0, err
        return json.loads(out)

    def answers(self, query: str, *options: str) -> list[dict[str, Any]]:
        """Return the results of a search."""
        collected: list[dict[str, Any]] = self.json("search", query, *options)["results"]
        return collected


@pytest.fixture
def ctx(capfd: pytest.CaptureFixture[str]) -> Ctx:
    return Ctx(capfd)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def config(shop: Path) -> Path:
    """The config of the project."""
    write(shop / "config" / "ctx.toml", CONFIG)
    return shop / "config" / "ctx.toml"


def test_the_life_of_a_project_with_several_sources(shop: Path, config: Path, ctx: Ctx) -> None:
    write(shop / "docs" / "deploy.md", "# Deploying\n\nWe switch blue and green machines.\n")
    write(shop / "docs" / ".env", "PASSWORD=hunter2")
    write(shop / "readme.md", "# Shop\n\nThe payroll runs on the last Friday.\n")
    repository = Repository(shop / "platform")
    signing = "def check():\n    pass\n\n\ndef token():\n    '''Sign it.'''"
    repository.commit({"src/auth.py": signing})

    code, out, err = ctx("sync", "all")
    assert code == 1
    assert err.rstrip().endswith("git:gone, script:tickets")
    assert "TICKETS_TOKEN" in out
    assert (shop / "data" / "ctx" / "collections").is_dir()

    for question, source, path in (
        ("green machines", "filesystem:docs", "deploy.md"),
        ("payroll on Friday", "filesystem:project", "readme.md"),
        ("sign a token", "git:platform", "src/auth.py"),
    ):
        best = ctx.answers(question)[0]
        assert (best["source"], best["source_id"]) == (source, path)
    assert ctx.answers("hunter2") == []
    code, out, _ = ctx("search", "sign a token", "--format", "vimgrep")
    assert out.splitlines()[0].startswith("platform/src/auth.py:5:1:def token()")
    (only,) = ctx.answers("token machines", "--source", "filesystem")
    assert only["source"] == "filesystem:docs"

    # Renamed, deleted or rewritten files leave nothing behind; failed ones change nothing.
    (shop / "docs" / "deploy.md").rename(shop / "docs" / "release.md")
    (shop / "readme.md").unlink()
    write(shop / "faq.md", "Nothing yet.")
    repository.git("mv", "src/auth.py", "src/tokens.py")
    repository.commit({"src/tokens.py": "def token():\n    '''Encrypt it.'''"})
    assert ctx("sync")[0] == 1
    assert [h["source_id"] for h in ctx.answers("green machines")] == ["release.md"]
    assert ctx.answers("payroll") == []
    assert [h["source_id"] for h in ctx.answers("encrypt")] == ["src/tokens.py"]

    assert ctx("forget", "git:platform")[0] == 2  # without a terminal to ask
    assert ctx.json("forget", "git:platform", "--yes")["documents"] == 1
    assert ctx.answers("encrypt") == []
    assert ctx.answers("green machines")
    assert ctx("forget", "git:platform", "--yes")[0] == 2


def test_sources_stats_and_get(shop: Path, config: Path, ctx: Ctx) -> None:
    long = "\n\n".join(f"## Part {n}\n\n{'Blue and green machines. ' * 30}" for n in range(12))
    write(shop / "docs" / "deploy.md", f"# Deploying\n\n{long}")
    assert ctx("sync", "filesystem:docs")[0] == 0
    assert ctx("sync", "script")[0] == 1

    code, out, _ = ctx("sources")
    assert code == 0
    assert all(name in out for name in ("filesystem:docs", "git:platform", "TICKETS_TOKEN"))
    facts = ctx.json("stats")
    assert (facts["documents"], facts["embedded"]) == (1, 0)
    assert facts["sources"][0]["source"] == "filesystem:docs"

    hit = ctx.answers("machines", "--explain")[0]
    assert hit["explain"]["alpha"] is not None
    whole = ctx.json("get", hit["id"])
    assert len(whole["chunks"]) == facts["chunks"] > 2
    (part,) = ctx.json("get", f"{hit['id']}:1:1")["chunks"]
    assert (part["index"], part["text"]) == (1, whole["chunks"][1]["text"])
    assert f"ctx get {hit['id']}:1:1" in ctx("get", f"{hit['id']}:0:1")[1]
    code, _, err = ctx("get", f"{hit['id']}:99:1")
    assert (code, "99" in err) == (2, True)
    assert ctx("get", "nonsense")[0] == 2


@pytest.mark.slow
def test_a_watched_folder_is_synced_when_it_changes(shop: Path, config: Path) -> None:
    write(shop / "docs" / "deploy.md", "# Deploying\n\nWe switch blue and green machines.\n")
    command = "from casetrack.editions.context.cli.main import run; run()"
    watching = subprocess.Popen(
        [sys.executable, "-c", command, "watch", "filesystem:docs", "--every", "3600"],
        stdout=subprocess.PIPE,
        text=True,
    )
    with watching:
        assert watching.stdout is not None
        seen = iter(watching.stdout.readline, "")
        assert any("deploy.md" in row for row in seen)
        write(shop / "docs" / "faq.md", "# Questions\n\nWho is on call?\n")
        assert any("faq.md" in row for row in seen)
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=60)
    assert watching.returncode == 130


@pytest.mark.slow
def test_a_look_or_a_part_removes_nothing(shop: Path, config: Path, ctx: Ctx) -> None:
    for name in "abc":
        write(shop / "docs" / f"{name}.md", f"Machine {name}.")
    (report,) = ctx.json("sync", "filesystem:docs", "--dry-run")["sources"]
    assert report["counts"]["new"] == 3
    assert ctx.json("stats")["documents"] == 0
    (report,) = ctx.json("sync", "filesystem:docs", "--limit", "1")["sources"]
    assert report["counts"]["new"] == 1
    assert ctx("sync", "filesystem:docs")[0] == 0
    (shop / "docs" / "a.md").unlink()
    for options in (["--limit", "1"], ["--since", "2099"], ["--until", "1999-12-31"]):
        assert ctx("sync", "filesystem:docs", *options)[0] == 0
        assert ctx.json("stats")["documents"] == 3
    code, _, err = ctx("sync", "filesystem:docs", "--progress", "json", "--json")
    assert code == 0
    events = [json.loads(line) for line in err.splitlines()]
    assert {e["connector"] for e in events} == {"filesystem:docs"}
    assert events[-1]["event"] == "done"
    assert events[-1]["counts"]["removed"] == 1
    assert ctx.json("stats")["documents"] == 2


def test_a_source_is_begun_checked_and_synced(
    shop: Path, ctx: Ctx, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = ctx("connector", "init", "tickets")
    assert code == 0
    assert '[connectors.script.tickets]\n  path = "connectors/tickets.py"' in out
    assert ctx("connector", "test", "connectors/tickets.py")[0] == 0  # no config is needed
    for name in ("tickets", "../x"):
        assert ctx("connector", "init", name)[0] == 2

    text = '[connectors.script.tickets]\npath = "connectors/tickets.py"\nauthor = "${WHO}"\n'
    write(shop / ".ctx" / "config.toml", text)
    code, _, err = ctx("connector", "test", "script:tickets")
    assert (code, "WHO" in err) == (1, True)
    monkeypatch.setenv("WHO", "Ann")
    assert ctx("sync")[0] == 0
    hit = ctx.answers("your system")[0]
    assert (hit["source"], hit["source_id"]) == ("script:tickets", "welcome")
    result = ctx.json("get", "script:tickets/welcome")
    assert (result["author"], result["metadata"]["labels"]) == ("Ann", ["first"])

    (shop / "connectors" / "tickets.py").write_text("print('{')")
    code, _, err = ctx("connector", "test", "connectors/tickets.py")
    assert (code, "tickets.py" in err) == (1, True)


CANNOT = {
    "sync git:platfrom": 2,
    "sync --since yesterday": 2,
    "sync --since 2024 --until 2023": 2,
    "search x": 2,
    "embed pending": 2,
    "--config no.toml stats": 2,
    "stats --config no.toml": 2,
    "sync filesystem:docs": 1,
}


@pytest.mark.parametrize("command", CANNOT)
def test_what_cannot_be_done(
    command: str, shop: Path, config: Path, ctx: Ctx, messages: Any
) -> None:
    code, out, err = ctx(*command.split())
    assert code == CANNOT[command]
    messages(re.sub(r"\d\.\d s", "<seconds>", out + err))


def test_init_writes_a_config_once_and_checks_it_after_that(shop: Path, ctx: Ctx) -> None:
    assert "ctx init" in ctx("stats")[2]
    code, out, _ = ctx("init", "--print")
    assert code == 0
    assert not (shop / ".ctx").exists()
    code, text, _ = ctx("init")
    assert code == 0
    path = shop / ".ctx" / "config.toml"
    assert path.read_text(encoding="utf-8") == out
    assert str(path) in text
    assert (shop / ".ctx" / ".gitignore").read_text() == "/data/\n"
    path.write_text("[retrieval]\nfinal_limt = 1\n")
    code, _, err = ctx("init")
    assert (code, "'final_limit'" in err) == (2, True)
    assert path.read_text() == "[retrieval]\nfinal_limt = 1\n"


@pytest.mark.slow
def test_no_tier_limits_this_edition(shop: Path, config: Path, ctx: Ctx) -> None:
    for number in range(101):
        write(shop / "docs" / f"{number}.txt", f"Machine number {number}.")
    assert ctx("sync", "filesystem:docs")[0] == 0
    assert ctx.json("stats")["documents"] == 101
    # The rest of the program keeps its limits, and does not count this collection.
    library = Library.open(shop / "data" / "ctx")
    for name in "ABC":
        library.create(name)
    with pytest.raises(FreeTierLimit):
        library.create("D")


def test_another_chunking_is_reported_and_followed(shop: Path, config: Path, ctx: Ctx) -> None:
    def synced(*options: str) -> tuple[list[str], list[str]]:
        (report,) = ctx.json("sync", "filesystem:docs", *options)["sources"]
        changed = [c["path"] for c in report["changes"] if c["kind"] == "changed"]
        return [Path(path).name for path in changed], report["notes"]

    write(shop / "docs" / "a.md", "Machines of many kinds. " * 100)
    synced()
    before = ctx.json("stats")["chunks"]
    write(config, f"{CONFIG}\n[chunking]\nmax_tokens = 100\n")
    write(shop / "docs" / "b.md", "Machines of other kinds. " * 100)
    message = ctx("sync", "filesystem:docs")[2]
    after = ctx.json("stats")["chunks"]
    assert after > 3 * before
    assert len(message) > len(ctx("sync", "filesystem:docs")[2])  # reported once
    assert synced("--full")[0] == ["a.md"]
    assert ctx.json("stats")["chunks"] > after
    assert synced("--full")[0] == []


def test_the_shell_completes_commands_and_sources(config: Path, ctx: Ctx) -> None:
    assert "_CTX_COMPLETE" in ctx("completions", "bash")[1]
    asked = {"_CTX_COMPLETE": "complete_bash", "COMP_WORDS": "ctx sync git:", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-c", "from casetrack.editions.context.cli.main import run; run()"],
        env={**os.environ, "PYTHONPATH": str(ROOT), **asked},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["git:platform", "git:gone"]
