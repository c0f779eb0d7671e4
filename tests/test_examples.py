"""Every block of the README and of docs is run, or named here with the reason why it is not."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import shlex
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.faces.cli.main import main
from casetrack.faces.setup.clients import Machine
from casetrack.parse import known_extensions
from test_hints import bad_commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.api.collection import Collection

CHECKOUT = Path(__file__).parents[1]
PAGES = (
    CHECKOUT / "README.md",
    CHECKOUT / "CONTRIBUTING.md",
    CHECKOUT / "SECURITY.md",
    *sorted((CHECKOUT / "docs").rglob("*.md")),
    CHECKOUT / "data-samples" / "README.md",
)

NOT_RUN = {
    "casetrack serve": "it waits for its client; tests/faces/mcp runs it",
    "CASETRACK_HTTP_TOKEN=": "the same",
    "ctx serve mcp": "it waits for its client; tests/editions/context/test_serving.py runs it",
    "curl 'http://": "it asks that server; the same test asks it so",
    "casetrack models pull standard": "it fetches 600 MB from the model hub",
    'casetrack reindex -c "Project Alpha" --profile standard': "it needs those models",
    "sh install.sh": "tests/faces/setup/test_install_scripts.py runs it",
    "python3 -m venv": "the first is what .ci/run and an installation do, the second runs this",
    "casetrack browse": "it serves until it is ended; tests/faces/window/test_program.py starts it",
    "python data-samples/make_samples.py": "tests/test_samples.py runs it",
    "casetrack update ": "it asks the package index; tests/faces/setup runs it",
    "casetrack ingest ~/Letters": "it starts a cluster; tests/cluster starts one",
    "casetrack ingest /srv/letters": "the same",
    "casetrack ingest s3://": "it needs a bucket and a cluster; tests/cluster has both",
    "casetrack shards": "it needs a cluster; tests/cluster starts one, and what this runs",
    "pip install 'casetrack[ray]'": "what is tested is installed",
    "minisign -Vm": "it checks a release that was fetched, as tests/faces/setup does",
    "gh attestation verify": "it asks GitHub about such a release",
    ".venv/bin/just": "the same as just",
    "just ": "recipes are commands of the checkout's developers",
}
"""Commands that are not run here, by how they begin, and why."""

ELSEWHERE = {
    ("docs/python.md", "python"): "tests/faces/notebook/test_docs.py",
    ("docs/query.md", "sql"): "tests/store/sql/test_reference.py",
    ("docs/sql-reference.md", "sql"): "tests/store/sql/test_reference.py",
    ("docs/query.md", "console"): "tests/faces/cli/test_query_reference.py",
    ("docs/pipelines.md", "console"): "tests/ingest/test_user_pipelines.py",
    ("docs/pipelines.md", "toml"): "tests/ingest/test_user_pipelines.py",
    ("docs/pipelines.md", "python"): "tests/ingest/test_user_pipelines.py",
    ("docs/legal.md", "console"): "tests/editions/legal/test_docs.py",
    ("docs/discovery.md", "console"): "tests/editions/legal/test_docs.py",
    ("docs/sources.md", "console"): "tests/editions/context/test_docs.py",
    ("docs/sources.md", "toml"): "tests/editions/context/test_docs.py",
    ("docs/searching.md", "toml"): "tests/search/test_asking.py",
    ("docs/beyond-one-machine.md", "python"): "tests/cluster/test_actors.py",
}
"""Blocks that another test runs, by page and language."""

NOT_CODE = {
    "mermaid": "a drawing, made by who shows the page",
    "text": "what a command writes; held against what it really writes",
}
"""Languages of blocks that hold nothing to run."""

DRAWN = {("docs/architecture.md", ""): "the layout of a data folder"}
"""Blocks of single pages that hold nothing to run, by page and language."""

NAMED_FILE = re.compile(
    r"`((?:casetrack|deploy|editions|notebooks|pipelines|schemas|tests|tools)/[\w./-]*)(?:::(\w+))?`"
)
STANDS_FOR = {
    "Lease.pdf": "Master Services Agreement.pdf",
    "Agreement.pdf": "Master Services Agreement.pdf",
    "Proposal.docx": "Proposal TS-P-2024-017.docx",
    "Notice of Claim.docx": "2024-10-21 Notice of Claim.docx",
    "Annex 2.docx": "Amendment No 1.docx",
    "Lease v1.docx": "Proposal TS-P-2024-017.docx",
    "Lease v2.docx": "Amendment No 1.docx",
    "organization:halyard": "organization:halyard-cold-services",
}
"""Values in the sample case file for the names on the pages."""

COLLECTIONS = ("Demo", "My collection", "Project Alpha")
"""Names of the sample case file on the pages; the first on a page is used."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its position, language, and text."""

    page: str
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line} ({self.language})"


def blocks(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page, in order; one that does not end is an error."""
    name, fence, start = page.relative_to(CHECKOUT).as_posix(), None, 0
    held: list[str] = []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), start=1):
        if fence is None and (opened := re.fullmatch(r" {0,3}(`{3,}|~{3,}) *(\S*).*", line)):
            fence, language, start, held = opened[1], opened[2], number, []
        elif fence is not None and line.strip() == fence:
            yield Block(name, start, language, "\n".join(held) + "\n")
            fence = None
        elif fence is not None:
            held.append(line)
    assert fence is None, f"{name}: the block of line {start} does not end"


BLOCKS = tuple(block for page in PAGES for block in blocks(page))


def commands(block: Block) -> Iterator[str]:
    """Yield the commands of a block of shell; a command in quotes may run over lines."""
    held = ""
    for line in block.text.replace("\\\n", " ").splitlines():
        held = f"{held}\n{line}" if held else line
        try:
            words = shlex.split(held, comments=True)
        except ValueError:  # its quotation marks are still open
            continue
        if words:
            yield held
        held = ""
    assert not held, f"{block}: quotation marks that are never closed"


def is_run(command: str) -> bool:
    return not command.startswith(tuple(NOT_RUN))


# --- content of the pages ------------------------------------------------------------------


def test_no_block_is_left_out() -> None:
    """A block is of a language that is run here, held by another test, or listed."""
    assert len(BLOCKS) > 40
    assert {block.page for block in BLOCKS} >= {"README.md", "docs/mcp.md", "docs/map.md"}
    for block in BLOCKS:
        known = block.language in {*RUN, *NOT_CODE}
        assert known or is_listed(block), f"not run: {block}"
        if block.language == "sh":
            for command in commands(block):
                assert command.startswith("casetrack ") or not is_run(command), (
                    f"{block}: {command}"
                )


def is_listed(block: Block) -> bool:
    """Return whether a block is listed, or, where it has no language, all of its lines are."""
    return (block.page, block.language) in {*ELSEWHERE, *DRAWN} or all(
        not is_run(line) for line in block.text.splitlines() if line.strip()
    )


def test_what_is_listed_is_there() -> None:
    messages = [c for block in BLOCKS if block.language in {"sh", ""} for c in commands(block)]
    for start in NOT_RUN:
        if start != "just ":
            assert [command for command in messages if command.startswith(start)], start
    for (page, language), test in ELSEWHERE.items():
        assert [b for b in BLOCKS if (b.page, b.language) == (page, language)], (page, language)
        assert Path(page).name in (CHECKOUT / test).read_text(encoding="utf-8")


def test_the_two_lines_stand_alone() -> None:
    """The first block sets everything up, the second runs the tests; .ci/run looks for it."""
    first, second = [b.text for b in BLOCKS if b.page == "README.md" and b.language == "sh"][:2]
    assert re.fullmatch(r"python3 -m venv .*casetrack demo\n", first)
    assert re.fullmatch(r"python3 -m venv .*pytest -n 2\n", second)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Files and headings that a page links to are there."""
    for target in targets(page):
        name, _, heading = target.partition("#")
        led = (page.parent / name).resolve() if name else page
        assert led.exists(), f"{page.name}: {target}"
        if heading:
            assert heading in anchors(led), f"{page.name}: {target}"


def targets(page: Path) -> Iterator[str]:
    """Yield the files of this checkout that a page links to or shows."""
    text = re.sub(r"(?ms)^ {0,3}```.*?^ {0,3}```", "", page.read_text(encoding="utf-8"))
    for linked, shown in re.findall(r"\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"", text):
        if not re.match(r"[a-z]+:", target := linked or shown):
            yield target


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings."""
    headings = re.findall(r"(?m)^#+ (.+)$", page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def test_every_page_is_in_the_index() -> None:
    index = CHECKOUT / "docs" / "README.md"
    listed = set(re.findall(r"\]\(([^)#\s]+\.md)", index.read_text(encoding="utf-8")))
    pages = {p.relative_to(index.parent).as_posix() for p in index.parent.rglob("*.md")}
    ways_in = {name for name in listed if name.endswith("/README.md")}
    for page in pages - {"README.md"}:
        assert page in listed or f"{Path(page).parent.as_posix()}/README.md" in ways_in, page


@pytest.mark.parametrize("page", ["README.md", "docs/reading-files.md"])
def test_formats_named_are_those_that_are_read(page: str) -> None:
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| .*(?:PDF|DOCX|XLSX|EML|TXT|HTML|PPTX).*$", text)
    names = {name.lower() for row in rows for name in re.findall(r"\b[A-Z]{3,5}\b|WebP", row)}
    read = {suffix.removeprefix(".") for suffix in known_extensions()}
    assert len(names) > 20
    assert names <= read


def test_pictures_of_the_tour_are_whole_and_small() -> None:
    """GitHub shows them without a network; each is in the README, and none names this machine."""
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    pictures = sorted((CHECKOUT / "docs" / "tour").iterdir())
    assert pictures
    for picture in pictures:
        assert f"](docs/tour/{picture.name})" in readme
        assert picture.stat().st_size < 150_000
        if picture.suffix == ".svg":
            svg = picture.read_text(encoding="utf-8")
            assert re.findall(r"https?://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]
            assert not re.search(r"@import|@font-face|<script|/(?:tmp|home|root|work|Users)/", svg)


def test_every_picture_is_made_by_the_script_and_shown() -> None:
    """``just release pictures`` and ``just window-tasks --walk docs`` make all that are shown."""
    pytest.importorskip("pty", reason="the pictures are made on Linux or macOS")
    from pictures.__main__ import PICTURES
    from window_tasks.walk import STEPS, file_of

    made = {*PICTURES, *map(file_of, STEPS)}
    docs = CHECKOUT / "docs"
    kept = {p.relative_to(docs).as_posix() for p in docs.rglob("*") if p.suffix in {".png", ".svg"}}
    assert kept == made
    shown = {(page.parent / target).resolve() for page in PAGES for target in targets(page)}
    assert {name for name in made if (docs / name).resolve() not in shown} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_files_and_tests_that_a_page_names_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert list(bad_commands(text)) == []
    for path, test in re.findall(NAMED_FILE, text):
        if not re.search("[A-Z]{4}", path):  # a name to fill in
            assert (CHECKOUT / path).exists(), path
            assert not test or f"def {test}(" in (CHECKOUT / path).read_text(), test


def test_no_command_names_an_id_of_one_machine() -> None:
    for block in BLOCKS:
        for command in commands(block) if block.language == "sh" else ():
            assert not re.search(r"\s[0-9a-f]{8}\b", command), f"{block}: {command}"


# --- run -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """A user's home, and the id of the collection of the sample case file."""

    home: Path
    collection_id: str

    @property
    def library(self) -> Library:
        return Library(load_settings(self.home / "data"))

    @property
    def collection(self) -> Collection:
        return self.library.get(self.collection_id)

    def words(self, command: str) -> list[str]:
        """Return the arguments of a command, with its names replaced."""
        if "CHUNK_ID" in command:
            chunk = self.collection.search("rent", limit=1)[0].provenance.chunk_id
            command = command.replace("CHUNK_ID", chunk[:8])
        words = shlex.split(command, comments=True)[1:]
        for name, what in STANDS_FOR.items():
            words = [what if w == name else w.replace(f"'{name}'", f"'{what}'") for w in words]
        return [w.replace("~", str(self.home), 1) if w.startswith("~") else w for w in words]

    def only_one_collection(self) -> None:
        """Remove the collections of an example: pages leave ``-c`` out while there is one
        collection.
        """
        library = self.library
        for other in library.collections():
            if other.id != self.collection_id:
                library.delete(other.id)


@pytest.fixture
def place(
    tmp_path: Path,
    demo_home: Path,
    models_dir: Path,
    samples: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Place:
    """A user's home: documents, scans, and a data folder with the sample case file."""
    home = tmp_path
    alpha = home / "Projects" / "Alpha"
    shutil.copytree(samples / "Contracts", alpha)
    shutil.copy(samples / "Exhibits" / "Exhibit D Separator Sheet.pdf", alpha)
    shutil.copytree(samples / "Exhibits", home / "work" / "Scans")
    shutil.copytree(demo_home, home / "data")
    for name, value in (
        ("HOME", home),
        ("USERPROFILE", home),
        ("CASETRACK_HOME", home / "data"),
        ("CASETRACK_MODELS", models_dir),
    ):
        monkeypatch.setenv(name, str(value))
    monkeypatch.setattr(Machine, "here", lambda: Machine("linux", home, {}))
    monkeypatch.setattr("webbrowser.open", lambda _address: True)
    monkeypatch.chdir(home / "work")
    return Place(home, Library(load_settings(home / "data")).get("Demo").info.id)


def run_shell(block: Block, place: Place, _names: dict[str, Any]) -> None:
    for command in filter(is_run, commands(block)):
        words = place.words(command)
        with contextlib.ExitStack() as redirected:
            if ">" in words:
                file = redirected.enter_context(Path(words[-1]).open("w", encoding="utf-8"))
                words = words[: words.index(">")]
                redirected.enter_context(contextlib.redirect_stdout(file))
            assert main(words) == 0, command


def run_python(block: Block, _place: Place, names: dict[str, Any]) -> None:
    """Run it like a notebook: the value of its last line is shown."""
    tree = ast.parse(block.text)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, str(block), "exec"), names)
    if isinstance(last, ast.Expr):
        shown = eval(compile(ast.Expression(last.value), str(block), "eval"), names)
        for drawn in ("_repr_html_", "_repr_png_"):
            if hasattr(shown, drawn):
                assert getattr(shown, drawn)()


def run_sql(block: Block, place: Place, _names: dict[str, Any]) -> None:
    """Run each statement; there must be an answer."""
    for statement in filter(str.strip, block.text.split(";\n")):
        assert place.collection.sql(statement).num_rows, statement


def read_toml(block: Block, place: Place, _names: dict[str, Any]) -> None:
    """Take it for ``config.toml``: every key must be known."""
    folder = place.home / f"settings-{block.line}"
    folder.mkdir()
    (folder / "config.toml").write_text(block.text, encoding="utf-8")
    load_settings(folder)


def read_json(block: Block, _place: Place, _names: dict[str, Any]) -> None:
    try:
        json.loads(block.text)
    except json.JSONDecodeError:
        for line in block.text.splitlines():
            json.loads(line)


RUN = {"sh": run_shell, "python": run_python, "sql": run_sql, "toml": read_toml, "json": read_json}
"""Action for a block by its language."""


def assert_written(block: Block, written: str, place: Place) -> None:
    """Compare a shortened output with the actual one: each of its lines must be present."""
    assert written, f"{block}: there is nothing that wrote it"
    remote = {squeezed(row) for row in written.replace(str(place.home), "~").splitlines()}
    for row in block.text.splitlines():
        if squeezed(row) not in {"", "\u2026"}:
            assert squeezed(row) in remote, f"{block}: {row}\n{written}"


def squeezed(row: str) -> str:
    return " ".join(row.split())


def pages_to_run() -> list[str]:
    """Return the pages with a block that is run here."""
    return sorted(
        {b.page for b in BLOCKS if b.language in RUN and (b.page, b.language) not in ELSEWHERE}
    )


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_to_run())
def test_every_block_runs(
    page: str,
    place: Place,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    subtests: pytest.Subtests,
) -> None:
    """Blocks run in the order of the page, in a temporary home: one may need an earlier one."""
    if page == "README.md":  # its tour is for new users, who have no license
        monkeypatch.delenv("CASETRACK_LICENSE")
    mine = [block for block in BLOCKS if block.page == page]
    text = "".join(block.text for block in mine)
    name = next((c for c in COLLECTIONS if c in text), COLLECTIONS[-1])
    if name != place.collection.name:
        place.collection.admin.rename(name)
    names: dict[str, Any] = {"path": CHECKOUT / "data-samples" / "golden.jsonl"}
    written = ""
    for block in mine:
        if (block.page, block.language) in ELSEWHERE:
            continue
        with subtests.test(block=str(block)):
            if block.language == "text":
                assert_written(block, written, place)
            elif block.language in RUN:
                capsys.readouterr()
                RUN[block.language](block, place, names)
                written = capsys.readouterr().out
        place.only_one_collection()
