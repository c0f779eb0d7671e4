"""Common parts of the command line: start, global options, errors and exit codes."""

from __future__ import annotations

import json
import logging
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import casetrack
from casetrack.faces.cli.layout import Family
from casetrack.faces.cli.main import GROUPS

if TYPE_CHECKING:
    from faces.cli.conftest import Run

ROOT = Path(casetrack.__file__).parents[1]

COMMANDS = [entry.name for group in GROUPS.values() for entry in group]
GROUPED = {
    entry.name: [command.name for command in entry.commands]
    for group in GROUPS.values()
    for entry in group
    if isinstance(entry, Family)
}
EVERY = [[c] for c in COMMANDS] + [[g, c] for g, cs in GROUPED.items() for c in cs]


def test_help_lists_every_command_whole(run: Run) -> None:
    ended = run("--help")
    assert ended.code == 0
    sections = ended.out.split(f"\n{next(iter(GROUPS))}:\n")[1]
    listed = re.findall(r"^  ([\w-]+)  +(\S.*)$", sections, re.MULTILINE)
    assert [name for name, _ in listed] == COMMANDS
    assert re.findall(r"^(\w.*):$", sections, re.MULTILINE) == list(GROUPS)[1:]
    assert all(text.endswith(".") and not text.endswith("...") for _, text in listed)


@pytest.mark.sampled(40)
@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_command_explains_itself(run: Run, words: list[str]) -> None:
    ended = run(*words, "--help")
    assert ended.code == 0
    assert ended.out.startswith(f"Usage: casetrack {' '.join(words)} ")
    assert max(map(len, ended.out.splitlines())) <= 100
    if words[0] not in GROUPED or len(words) == 2:
        assert f"Example: casetrack {' '.join(words)}" in ended.out


def test_help_imports_nothing_heavy() -> None:
    heavy = "lance lancedb pymupdf duckdb mcp onnxruntime onnx polars pyarrow numpy rich"
    code = (
        "import sys\nfrom casetrack.faces.cli.main import main\n"
        "for words in (['--help'], ['ingest', '--help'], ['--version']): main(words)\n"
        f"print(sorted(set({heavy.split()!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True)
    assert done.stderr.strip() == b"[]"


def test_version(run: Run) -> None:
    ended = run("--version")
    assert ended.code == 0
    assert re.fullmatch(r"casetrack \d\S*( \(not installed\))?\n", ended.out)


@pytest.mark.slow
def test_after_two_dashes_everything_is_an_argument(run: Run, home: Path) -> None:
    assert run("collection", "create", "--", "--data-dir").code == 0
    assert json.loads(run("collection", "list", "--json").out)[0]["name"] == "--data-dir"


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        (["colection"], "'collection'"),
        (["search"], "'QUERY'"),
        (["search", "rent", "-k", "many"], "'-k'"),
        (["search", "rent", "--mode", "magic"], "magic"),
        (["search", "rent"], "home"),
        (["documents", "-c", "Acme"], '"Acme"'),
        (["collection", "create", "  "], "200"),
        (["collection", "create", "x" * 201], "200"),
        (["collection", "create", "A", "--type", "zoo"], "archive, business, compliance"),
        (["collection", "list", "--status", "gone"], "'active', 'closed', 'archived'"),
        (["schema", "chunk"], "amounts, authorities, "),
        (["query", "SELECT 1", "-p", "novalue"], "-p name=value"),
    ],
)
def test_misuse_is_an_error_with_exit_code_2(run: Run, words: list[str], fact: str) -> None:
    ended = run(*words)
    assert (ended.code, ended.out) == (2, "")
    assert fact in " ".join(ended.err.split())


def test_without_a_name_several_collections_are_listed(run: Run) -> None:
    run("collection", "create", "One & all")
    assert run("documents").code == 0
    run("collection", "create", "Two & three")
    ended = run("documents")
    assert ended.code == 2
    assert "- One & all (ID: " in ended.err
    assert re.search(r"-c '(One & all|Two & three)'$", ended.err.strip())


def test_a_fault_is_one_line_and_its_trace_only_on_request(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from casetrack.api.library import Library

    def broken(*_: object, **__: object) -> None:
        logging.getLogger("casetrack").error("An extractor", exc_info=ValueError("at all"))
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(logging.root, "handlers", [])
    monkeypatch.setattr(Library, "listed", broken)
    ended = run("collection", "list", "--json")
    assert ended.code == 1
    assert "ZeroDivisionError: of all things" in ended.err
    assert len(ended.err.splitlines()) == 2
    assert json.loads(ended.out)["error"]["code"] == "unexpected"
    monkeypatch.setenv("CASETRACK_DEBUG", "1")
    assert "Traceback" in run("collection", "list").err


def test_ctrl_c_is_one_line_with_exit_code_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from casetrack.api.library import Library

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Library, "listed", interrupted)
    ended = run("collection", "list")
    assert (ended.code, len(ended.err.splitlines())) == (130, 1)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("text", ["inference_threads = 'many'", "colour = 1", "not toml"])
def test_a_wrong_settings_file_is_reported(run: Run, home: Path, text: str) -> None:
    home.mkdir()
    (home / "config.toml").write_text(text)
    ended = run("collection", "list")
    assert ended.code == 2
    assert "config.toml" in ended.err


def test_a_data_folder_that_cannot_be_written_is_reported(run: Run, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    ended = run("collection", "create", "A", "--data-dir", blocked / "home")
    assert ended.code == 1
    assert str(blocked) in ended.err
    assert "--data-dir" in ended.err
    assert "Error: " in ended.err


def test_a_reader_that_goes_away_is_no_error() -> None:
    with subprocess.Popen(
        SCHEMA, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full device")
def test_output_that_cannot_be_written_is_reported() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            SCHEMA, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr.splitlines()[0]
    assert "Exception ignored" not in done.stderr


SCHEMA = [sys.executable, "-m", "casetrack", "schema"]
