"""Statements of docs/query.md on the command line are true, and its dialogues run."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from casetrack.api.library import Library
from casetrack.api.sql.parameters import PARAMETER_TYPES
from casetrack.base.config import load_settings
from casetrack.faces.cli.query.formats import BY_ENDING, FORMATS
from casetrack.faces.cli.query.repl import Shell
from casetrack.faces.cli.query.running import How

if TYPE_CHECKING:
    from faces.cli.conftest import Run

PAGE = (Path(__file__).parents[3] / "docs" / "query.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    match = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## )", PAGE, re.DOTALL | re.MULTILINE)
    assert match, title
    return match[1]


def console(title: str) -> str:
    match = re.search(r"^```console\n(.*?)^```", section(title), re.DOTALL | re.MULTILINE)
    assert match, title
    return match[1]


def rows(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_every_command_of_the_dialogue_is_listed() -> None:
    shell = Shell(cast("Any", None), How(), {})
    assert rows(section("Interactive prompt")) == [
        [f"`{c.usage}`", c.about.partition(": ")[0]] for c in shell.commands.values()
    ]


def test_every_format_is_listed_with_its_endings() -> None:
    listed = {
        row[0].strip("`"): re.findall(r"`(\.\w+)`", row[1]) for row in rows(section("Formats"))
    }
    assert tuple(listed) == FORMATS
    assert listed == {f: [e for e, of in BY_ENDING.items() if of == f] for f in FORMATS}


def test_every_type_of_a_parameter_is_listed() -> None:
    match = re.search(r"Types are (.*?)\.", section("Saved queries"), re.DOTALL)
    assert match
    assert tuple(re.findall(r"`(\w+)`", match[1])) == PARAMETER_TYPES


def test_every_link_leads_to_a_heading_of_the_page() -> None:
    headings = re.findall(r"^#+ (.*)$", PAGE, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings}
    assert set(re.findall(r"\]\(#([^)]*)\)", PAGE)) <= anchors


@pytest.fixture
def alpha(
    run: Run, home: Path, demo_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Run:
    """The command runner, with the collections of the page."""
    shutil.copytree(demo_home, home)
    library = Library(load_settings(home))
    demo = library.get("Demo")
    demo.admin.rename("Project Alpha")
    shared = tmp_path / demo.documents()[0].name
    shared.with_suffix(".txt").write_text("The rent is due on Monday.")
    beta = library.create("Project Beta")
    beta.ingest(shared.with_suffix(".txt"), document_name=shared.name)
    monkeypatch.chdir(tmp_path)
    return run


@pytest.mark.slow
def test_the_dialogue_runs_as_it_is_shown(alpha: Run, launch: Run, tmp_path: Path) -> None:
    first, *lines = console("Interactive prompt").splitlines()
    entered = "".join(re.sub(r"^(Project Alpha| *-)> ", "", line) + "\n" for line in lines)
    assert first == "$ casetrack query"
    assert ">" not in entered.replace("=>", "")
    ended = launch("query", "-c", "Project Alpha", stdin=entered)
    assert (ended.code, "Error" in ended.err) == (0, False), ended.err
    assert len(ended.out.splitlines()) == 1 + 3 + 1 + 3
    assert len((tmp_path / "passages.csv").read_text().splitlines()) > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    re.split(r"^\$ casetrack ", console("Query several collections"), flags=re.MULTILINE)[1:],
)
def test_statements_over_several_collections_run(alpha: Run, command: str) -> None:
    ended = alpha(*shlex.split(command))
    assert ended.code == 0, ended.err
    assert len(ended.out.splitlines()) > 1


@pytest.mark.slow
def test_the_saved_query_of_the_page_runs(alpha: Run, home: Path) -> None:
    match = re.search(r"^```sql\n(-- .*?)^```", section("Saved queries"), re.DOTALL | re.MULTILINE)
    assert match
    (home / "queries").mkdir()
    (home / "queries" / "topic.sql").write_text(match[1])
    for given in ((), ("-p", "question=rent")):
        ended = alpha("query", "-c", "Project Alpha", "--saved", "topic", *given)
        assert ended.code == 0, ended.err
        assert len(ended.out.splitlines()) > 1
