"""The command ``ctx`` on real folders and a real repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import casetrack
from casetrack.cli.context.main import main
from git_repository import Repository

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(casetrack.__file__).parents[1]
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


@pytest.fixture
def ctx(capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command in this process."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(list(arguments))
        sys.stdout.flush()
        return (code, *capfd.readouterr())

    return run


def launch(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a program of its own, in the present folder."""
    return subprocess.run(
        [sys.executable, "-c", "from casetrack.cli.context.main import run; run()", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_the_life_of_a_project_with_several_sources(
    shop: Path, ctx: Callable[..., tuple[int, str, str]]
) -> None:
    def answers(query: str, *options: str) -> list[dict[str, Any]]:
        code, out, _ = ctx("search", query, "--json", *options)
        assert code == 0
        found: list[dict[str, Any]] = json.loads(out)["results"]
        return found

    write(shop / "docs" / "deploy.md", "# Deploying\n\nWe switch blue and green machines.\n")
    write(shop / "docs" / ".env", "PASSWORD=hunter2")
    write(shop / "readme.md", "# Shop\n\nThe payroll runs on the last Friday.\n")
    repository = Repository(shop / "platform")
    repository.commit(
        {"src/auth.py": "def check():\n    pass\n\n\ndef token():\n    '''Sign it.'''"}
    )
    write(shop / "config" / "ctx.toml", CONFIG)

    done = launch("sync", "all")
    assert done.returncode == 1
    assert "2 sources of 5 failed: git:gone, script:tickets" in done.stderr
    assert "needs the environment variable TICKETS_TOKEN, which is not set." in done.stdout
    assert (shop / "data" / "ctx" / "collections").is_dir()

    for question, source, path in (
        ("green machines", "filesystem:docs", "deploy.md"),
        ("payroll on Friday", "filesystem:project", "readme.md"),
        ("sign a token", "git:platform", "src/auth.py"),
    ):
        best = answers(question)[0]
        assert (best["source"], best["source_id"]) == (source, path)
    assert answers("hunter2") == []
    assert [hit["source"] for hit in answers("token machines", "--source", "filesystem")] == [
        "filesystem:docs"
    ]

    # What is renamed, deleted or rewritten leaves nothing behind; what failed changes nothing.
    (shop / "docs" / "deploy.md").rename(shop / "docs" / "release.md")
    (shop / "readme.md").unlink()
    write(shop / "faq.md", "Nothing yet.")
    repository.git("mv", "src/auth.py", "src/tokens.py")
    repository.commit({"src/tokens.py": "def token():\n    '''Encrypt it.'''"})
    assert launch("sync").returncode == 1
    assert [h["source_id"] for h in answers("green machines")] == ["release.md"]
    assert answers("payroll") == []
    assert [h["source_id"] for h in answers("encrypt")] == ["src/tokens.py"]


def test_sources_stats_and_get(shop: Path, ctx: Callable[..., tuple[int, str, str]]) -> None:
    long = "\n\n".join(f"## Part {n}\n\n{'Blue and green machines. ' * 30}" for n in range(12))
    write(shop / "docs" / "deploy.md", f"# Deploying\n\n{long}")
    write(shop / "config" / "ctx.toml", CONFIG)
    assert ctx("sync", "filesystem:docs")[0] == 0
    assert ctx("sync", "script")[0] == 1

    code, out, _ = ctx("sources")
    assert code == 0
    assert "filesystem:docs" in out
    assert "git:platform" in out
    assert "TICKETS_TOKEN, which is not set" in out

    code, out, _ = ctx("stats", "--json")
    told = json.loads(out)
    assert (told["documents"], told["embedded"]) == (1, 0)
    assert told["sources"][0]["source"] == "filesystem:docs"
    count = told["chunks"]

    code, out, _ = ctx("search", "machines", "--json", "--explain")
    hit = json.loads(out)["results"][0]
    assert hit["explain"]["alpha"] is not None
    code, out, _ = ctx("get", hit["id"], "--json")
    whole = json.loads(out)
    assert len(whole["chunks"]) == count > 2
    code, out, _ = ctx("get", f"{hit['id']}:1:1", "--json")
    part = json.loads(out)
    assert [c["index"] for c in part["chunks"]] == [1]
    assert part["chunks"][0]["text"] == whole["chunks"][1]["text"]
    code, out, _ = ctx("get", f"{hit['id']}:0:1")
    assert f"Go on with: ctx get {hit['id']}:1:1" in out
    code, _, err = ctx("get", f"{hit['id']}:99:1")
    assert code == 2
    assert "has no passage 99" in err
    assert ctx("get", "nonsense")[0] == 2


def test_what_was_only_looked_at_or_only_in_part_removes_nothing(
    shop: Path, ctx: Callable[..., tuple[int, str, str]]
) -> None:
    for name in "abc":
        write(shop / "docs" / f"{name}.md", f"Machine {name}.")
    write(shop / "config" / "ctx.toml", CONFIG)
    code, out, _ = ctx("sync", "filesystem:docs", "--dry-run")
    assert code == 0
    assert "3 new" in out
    assert ctx("stats", "--json")[1].count('"documents": 0') >= 1
    assert "1 new" in ctx("sync", "filesystem:docs", "--limit", "1")[1]
    assert ctx("sync", "filesystem:docs")[0] == 0
    (shop / "docs" / "a.md").unlink()
    for options in (["--limit", "1"], ["--since", "2099"], ["--until", "1999-12-31"]):
        assert ctx("sync", "filesystem:docs", *options)[0] == 0
        assert json.loads(ctx("stats", "--json")[1])["documents"] == 3
    code, _, err = ctx("sync", "filesystem:docs", "--progress", "json", "--json")
    assert code == 0
    events = [json.loads(line) for line in err.splitlines()]
    assert {e["connector"] for e in events} == {"filesystem:docs"}
    assert events[-1]["event"] == "done"
    assert events[-1]["counts"]["removed"] == 1
    assert json.loads(ctx("stats", "--json")[1])["documents"] == 2


def test_a_source_of_ones_own_is_begun_checked_and_synced(
    shop: Path, ctx: Callable[..., tuple[int, str, str]]
) -> None:
    code, out, _ = ctx("connector", "init", "tickets")
    assert code == 0
    assert '[connectors.script.tickets]\n  path = "connectors/tickets.py"' in out
    code, out, _ = ctx("connector", "test", "connectors/tickets.py")  # no config is needed
    assert (code, "problem" in out) == (0, False)
    assert "Lists 1 item." in out
    assert ctx("connector", "init", "tickets")[0] == 2
    assert ctx("connector", "init", "../x")[0] == 2

    text = '[connectors.script.tickets]\npath = "connectors/tickets.py"\nauthor = "${WHO}"\n'
    write(shop / ".ctx" / "config.toml", text)
    code, _, err = ctx("connector", "test", "script:tickets")
    assert code == 1
    assert "environment variable WHO" in err
    os.environ["WHO"] = "Ann"
    try:
        assert ctx("sync")[0] == 0
    finally:
        del os.environ["WHO"]
    hit = json.loads(ctx("search", "your system", "--json")[1])["results"][0]
    assert (hit["source"], hit["source_id"], hit["title"]) == (
        "script:tickets",
        "welcome",
        "Welcome",
    )
    found = json.loads(ctx("get", "script:tickets/welcome", "--json")[1])
    assert (found["author"], found["metadata"]["labels"]) == ("Ann", ["first"])

    (shop / "connectors" / "tickets.py").write_text("print('{')")
    code, out, err = ctx("connector", "test", "connectors/tickets.py")
    assert code == 1
    assert "program" in err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["sync", "git:platfrom"], 2, "no source 'git:platfrom' (did you mean 'git:platform'?)"),
        (["sync", "--since", "yesterday"], 2, "cannot be read as a date"),
        (["sync", "--since", "2024", "--until", "2023"], 2, "No day is after 2024"),
        (["search", "x"], 2, "There is nothing in"),
        (["embed", "pending"], 2, "[embedding] provider is disabled"),
        (["--config", "no.toml", "stats"], 2, "There is no such config. (In "),
        (["stats", "--config", "no.toml"], 2, "Write one with: ctx --config"),
        (["sync", "filesystem:docs"], 1, "docs"),
    ],
)
def test_what_cannot_be_done_says_what_and_how_else(
    shop: Path,
    ctx: Callable[..., tuple[int, str, str]],
    arguments: list[str],
    code: int,
    said: str,
) -> None:
    write(shop / "config" / "ctx.toml", CONFIG)
    ended, out, err = ctx(*arguments)
    assert ended == code
    assert said in out + err


def test_init_writes_a_config_once_and_checks_it_after_that(
    shop: Path, ctx: Callable[..., tuple[int, str, str]]
) -> None:
    assert ctx("stats")[2].endswith("Write one with: ctx init\n")
    code, out, _ = ctx("init", "--print")
    assert code == 0
    assert not (shop / ".ctx").exists()
    code, said, _ = ctx("init")
    assert code == 0
    path = shop / ".ctx" / "config.toml"
    assert path.read_text(encoding="utf-8") == out
    assert f"Written: {path}" in said
    assert (shop / ".ctx" / ".gitignore").read_text() == "/data/\n"
    path.write_text("[retrieval]\nfinal_limt = 1\n")
    code, _, err = ctx("init")
    assert code == 2
    assert "did you mean 'final_limit'?" in err
    assert path.read_text() == "[retrieval]\nfinal_limt = 1\n"


def test_no_tier_limits_this_edition(shop: Path, ctx: Callable[..., tuple[int, str, str]]) -> None:
    for number in range(150):
        write(shop / "docs" / f"{number}.txt", f"Machine number {number}.")
    write(shop / "config" / "ctx.toml", CONFIG)
    code, _, err = ctx("sync", "filesystem:docs")
    assert (code, "tier" in err) == (0, False)
    assert json.loads(ctx("stats", "--json")[1])["documents"] == 150
    # The rest of the program keeps its limits, and does not count this collection.
    from casetrack.library import Library

    library = Library.open(shop / "data" / "ctx")
    for name in "ABC":
        library.create(name)
    with pytest.raises(casetrack.errors.FreeTierLimit):
        library.create("D")


def test_another_chunking_or_model_is_told_and_followed_by_what_is_read(
    shop: Path, ctx: Callable[..., tuple[int, str, str]]
) -> None:
    write(shop / "docs" / "a.md", "Machines of many kinds. " * 100)
    write(shop / "config" / "ctx.toml", CONFIG)
    assert ctx("sync", "filesystem:docs")[0] == 0
    before = json.loads(ctx("stats", "--json")[1])["chunks"]
    write(shop / "config" / "ctx.toml", f"{CONFIG}\n[chunking]\nmax_tokens = 100\n")
    write(shop / "docs" / "b.md", "Machines of other kinds. " * 100)
    code, _, err = ctx("sync", "filesystem:docs")
    assert code == 0
    assert "is not as it was" in err
    after = json.loads(ctx("stats", "--json")[1])["chunks"]
    assert after > 3 * before
    assert "is not as it was" not in ctx("sync", "filesystem:docs")[2]
    _, out, _ = ctx("sync", "filesystem:docs", "--full", "--json")
    (report,) = json.loads(out)["sources"]
    assert [Path(c["path"]).name for c in report["changes"] if c["kind"] == "changed"] == ["a.md"]
    anew = json.loads(ctx("stats", "--json")[1])["chunks"]
    assert anew > after
    _, out, _ = ctx("sync", "filesystem:docs", "--full", "--json")
    assert json.loads(out)["sources"][0]["counts"]["changed"] == 0


def test_the_shell_completes_commands_and_sources(shop: Path) -> None:
    write(shop / "config" / "ctx.toml", CONFIG)
    assert "_CTX_COMPLETE" in launch("completions", "bash").stdout
    done = subprocess.run(
        [sys.executable, "-c", "from casetrack.cli.context.main import run; run()"],
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "_CTX_COMPLETE": "complete_bash",
            "COMP_WORDS": "ctx sync git:",
            "COMP_CWORD": "2",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["git:platform", "git:gone"]
