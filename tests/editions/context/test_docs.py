"""The page on sources: its configs are loaded, its tour is taken, its tables name every key."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.editions.context.cli.main import GROUPS, main
from casetrack.editions.context.config import SECTIONS, WITHOUT_EFFECT, load_config
from casetrack.faces.cli.layout import Family
from casetrack.keep.sources import KINDS
from git_repository import Repository

if TYPE_CHECKING:
    import pytest

CHECKOUT = Path(__file__).parents[3]
PAGE = (CHECKOUT / "docs" / "sources.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_names_every_key_kind_and_command() -> None:
    keys = [key.name for kind in (*SECTIONS.values(), *KINDS.values()) for key in kind.keys]
    entries = [entry for group in GROUPS.values() for entry in group]
    commands = [
        f"ctx {e.name} {c.name}" for e in entries if isinstance(e, Family) for c in e.commands
    ] + [f"ctx {e.name}" for e in entries if not isinstance(e, Family)]
    for name in [*(f"`{key}`" for key in keys), *(f"`{kind}`" for kind in KINDS), *commands]:
        assert name in PAGE, name
    for section in (*SECTIONS, *WITHOUT_EFFECT):
        assert f"`[{section}]`" in PAGE, section


def test_every_config_on_the_page_is_one(tmp_path: Path) -> None:
    sources = []
    for text in blocks("toml"):
        path = tmp_path / "config.toml"
        path.write_text(text, encoding="utf-8")
        sources.append([s.label for s in load_config(path).sources])
    assert sources == [
        ["filesystem:docs", "git:code"],
        ["filesystem:docs", "filesystem:top", "git:code"],
    ]


def test_the_tour_goes_as_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Run the tour in a repository with some of our pages and code."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("CASETRACK_HOME", str(tmp_path / "casetrack"))
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    repository = Repository(tmp_path / "repository")
    for name in ("docs/reading-files.md", "docs/marks.md"):
        repository.write(name, (CHECKOUT / name).read_text(encoding="utf-8"))
    code = ("progress", "show", "output")
    for path in (f"casetrack/faces/cli/{name}.py" for name in code):
        repository.write(path, (CHECKOUT / path).read_text(encoding="utf-8"))
    repository.commit()
    monkeypatch.chdir(repository.folder)

    config = repository.folder / ".ctx" / "config.toml"
    chosen = blocks("toml")[0]
    ran = []
    for block in blocks("console"):
        for messages in re.findall(r"^\$ (ctx .*?)(?: +#.*)?$", block, re.MULTILINE):
            if messages.startswith(("ctx serve", "ctx export")):
                continue  # tests/editions/context and tests/faces/mcp run these
            code_of = main(shlex.split(messages)[1:])
            sys.stdout.flush()
            out = capfd.readouterr().out
            assert code_of == 0, messages
            ran.append(messages)
            if messages == "ctx init":
                text = config.read_text(encoding="utf-8")
                config.write_text(_replaced(text, chosen), encoding="utf-8")
            if messages.startswith("ctx search"):
                best = block.partition(messages)[2].split("\n")[1]
                assert best.partition("] ")[2] in out, messages
    assert len(ran) == 8
    shutil.rmtree(repository.folder / ".ctx")


def _replaced(text: str, chosen: str) -> str:
    """Replace the source of a new config by a block, as the page describes."""
    old = re.search(r"^\[connectors\.filesystem\.project\]\nroot = .*$", text, re.MULTILINE)
    assert old is not None
    return text.replace(old[0], chosen)
