"""The dialogue of ``casetrack query``: keys, commands, completion, history, Ctrl-C."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from casetrack.api.sql.completion import Words, candidates
from casetrack.faces.cli import output
from casetrack.faces.cli.query import prompt, repl
from casetrack.faces.cli.query.repl import Shell, pieces
from casetrack.faces.cli.query.running import How, QueryTarget, run_reporting
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from faces.cli.conftest import Run

CTRL_C, CTRL_D = "\x03", "\x04"
ENDLESS = "SELECT sum((a.range * b.range) % 7) FROM range(10000000) a, range(100000) b;"
Talk = Callable[..., tuple[str, str]]


@pytest.fixture
def shell(filled: Run, home: Path) -> Shell:
    """A dialogue with the collection Mill."""
    return Shell(QueryTarget(State(), ("Mill",)), How(), {})


@pytest.fixture
def talk(shell: Shell, capfd: pytest.CaptureFixture[str]) -> Talk:
    """Type keys into the dialogue; return standard output and error."""

    def type_keys(*keys: str) -> tuple[str, str]:
        with create_pipe_input() as keyboard:
            keyboard.send_text("".join(keys) + CTRL_D)
            with create_app_session(input=keyboard, output=DummyOutput()):
                prompt.converse(shell)
        sys.stdout.flush()
        return capfd.readouterr()

    return type_keys


def test_statements_may_have_many_lines_and_errors_do_not_end_it(talk: Talk, home: Path) -> None:
    out, err = talk("SELECT 1 AS a,\r2 AS b;\r", "SELECT oops;\r", "SELECT 3 AS c;\r")
    assert out == "a  b\n1  2\nc\n3\n"
    assert "Mill" in err
    assert '"oops"' in err
    history = home / prompt.HISTORY_FILE
    assert history.stat().st_mode & 0o777 == 0o600
    assert list(prompt.QueryHistory(history).load_history_strings()) == [
        "SELECT 3 AS c;",
        "SELECT oops;",
        "SELECT 1 AS a,\n2 AS b;",
    ]


def test_ctrl_c_forgets_what_was_typed_and_q_leaves(talk: Talk) -> None:
    out, err = talk("SELECT 'half" + CTRL_C, "SELECT 1 AS a;\r", "\\q\r", "SELECT 2 AS b;\r")
    assert out == "a\n1\n"
    assert "half" not in err


def test_the_editor_completes_documents_commands_and_saved_queries(
    shell: Shell, filled: Run
) -> None:
    assert filled("collection", "create", "Other").code == 0

    def completed(text: str) -> list[str]:
        result = prompt.StatementCompleter(shell).get_completions(Document(text), CompleteEvent())
        return [text[: len(text) + c.start_position] + c.text for c in result]

    begun = "SELECT name FROM documents\nWHERE name = 'lea"
    assert completed(begun) == [begun + "se.txt'"]
    assert completed("\\run amo") == ["\\run amounts-above"]
    assert completed("\\use O") == ["\\use Other"]
    assert completed("\\format par") == ["\\format parquet"]


@pytest.mark.parametrize(
    ("entered", "text"),
    [
        ("\\d", "documents"),
        ("\\d postings", "chunk_id  string"),
        ("\\d search", "rank"),
        ("\\f", "search(question, k := 20"),
        ("\\f cite", "SELECT cite($chunk);"),
        ("\\run passages-about question='the rent' k=1", "lease.txt, p. 1"),
        ("\\help", "\\run NAME [name=value ...]"),
    ],
)
def test_commands_answer_on_standard_output(
    shell: Shell, capfd: pytest.CaptureFixture[str], entered: str, text: str
) -> None:
    run_reporting(lambda: shell.execute(entered))
    sys.stdout.flush()
    assert text in capfd.readouterr().out


@pytest.mark.parametrize(
    "entered", ["help", "HELP;", "?", ".help", "\\h", "\\?", "\\help", " help ; "]
)
def test_help_is_found_by_any_of_its_names(
    shell: Shell, capfd: pytest.CaptureFixture[str], entered: str
) -> None:
    assert prompt.is_whole(entered)
    assert list(pieces([f"{entered}\n", "SELECT 1;"]))[1:] == ["SELECT 1"]
    shell.execute(entered)
    sys.stdout.flush()
    answer = capfd.readouterr()
    assert ("\\help" in answer.out, answer.err) == (True, "")


def test_a_view_is_described_legibly_on_80_columns(
    shell: Shell, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for module in (output, repl):
        monkeypatch.setattr(module, "is_terminal", lambda _: True)
    output._console.cache_clear()
    try:
        shell.execute("\\d documents")
    finally:
        output._console.cache_clear()
    sys.stdout.flush()
    lines = capfd.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 130
    (count,) = [line for line in lines if line.startswith("page_count ")]
    assert count.split()[:2] == ["page_count", "int32"]


@pytest.mark.parametrize(
    ("entered", "text"),
    [
        ("\\nothing", " \\nothing"),
        ("\\d nothing", "'nothing'"),
        ("\\format xml", "table, json"),
        ("\\o x.doc", " .doc "),
        ("\\run timeline-between from_day=2024-01-01", "\\set to_day=VALUE"),
        ("\\use Nobody", "Nobody"),
        ("\\run 'x", "."),
        ("SELECT $x;", "\\set x=VALUE"),
        ("DELETE FROM documents;", "DELETE"),
    ],
)
def test_mistakes_are_reported_and_do_not_end_it(
    shell: Shell, capfd: pytest.CaptureFixture[str], entered: str, text: str
) -> None:
    run_reporting(lambda: shell.execute(entered))
    assert text in capfd.readouterr().err


def test_commands_change_what_comes_next(
    shell: Shell, filled: Run, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert filled("collection", "create", "Other").code == 0
    target = tmp_path / "out.csv"
    for entered in (
        "\\timing",
        "\\format jsonl",
        "\\set n=5",
        "SELECT $n AS n;",
        f"\\o {target}",
        "",
        "SELECT 6 AS n;",
        "SELECT 7 AS n;",
        "\\use Other",
        "SELECT count(*) AS n FROM documents;",
    ):
        shell.execute(entered)
    sys.stdout.flush()
    captured = capfd.readouterr()
    assert captured.out == '{"n": 5}\n{"n": 7}\n{"n": 0}\n'
    assert target.read_text() == "n\n6\n"
    assert "Other" in captured.err
    assert "(1 " not in captured.err
    with pytest.raises(EOFError):
        shell.execute("exit;")


def test_saved_queries_are_listed_below_each_other_on_a_terminal(
    shell: Shell, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("casetrack.faces.cli.query.repl.is_terminal", lambda _stream: True)
    run_reporting(lambda: shell.execute("\\saved"))
    sys.stdout.flush()
    listed = capfd.readouterr().out
    assert "passages-about  CaseTrack\n  " in listed
    assert "\n  $k integer = 10: " in listed
    assert "\n  $name text = '': " in listed


def test_a_script_is_cut_into_statements_and_commands() -> None:
    lines = ["-- first\n", "\\d\n", "SELECT 1;SELECT\n", " ';' AS \\\n", ";\n", "SELECT 3"]
    assert list(pieces(lines)) == ["\\d", "SELECT 1", "SELECT\n ';' AS \\", "SELECT 3"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("", True),
        ("\\d", True),
        ("quit", True),
        ("SELECT 1", False),
        ("SELECT ';", False),
        ("SELECT 1; -- done", True),
        ("SELECT 1; SELECT", False),
    ],
)
def test_enter_runs_what_is_whole(text: str, whole: bool) -> None:
    assert prompt.is_whole(text) is whole


# --- completion -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "offered", "not_offered"),
    [
        ("SEL", "SELECT", "documents"),
        ("SELECT * FROM doc", "documents", "chunks"),
        ("SELECT * FROM amounts WHERE un", "unit", "unnested"),
        ("SELECT * FROM amounts AS a JOIN chunks c USING (chunk_id) WHERE a.val", "value", "text"),
        ("SELECT * FROM search('x') s WHERE s.ra", "rank", "unit"),
        ("FROM documents WHERE name IN ('memo.md', 'le", "lease.txt'", "memo.md'"),
        ("FROM search('x', document => '", "d''été'", "d'été'"),
        ("FROM documents WHERE path = 'le", None, "lease.txt'"),
        ("SELECT 1; FROM doc", "documents", "SELECT"),
        ("SELECT name, title FROM documents WHERE lang", "language", "label"),
        ("FROM search('x'), chunks c WHERE c.chunk_in", "chunk_index", "chunk_id"),
        ("\\ru", "\\run", "\\d"),
        ("\\run am", "amounts", "timeline"),
    ],
)
def test_completion_offers_what_fits(text: str, offered: str | None, not_offered: str) -> None:
    words = Words(
        documents=lambda: ("lease.txt", "memo.md", "d'été"),
        commands={"\\run": lambda: ("amounts", "timeline"), "\\d": tuple},
    )
    texts = {c.text for c in candidates(text, words)}
    assert offered in texts or (offered is None and not texts)
    assert not_offered not in texts
    assert all(
        text.lower().endswith(text[len(text) - c.replaces :].lower())
        for c in candidates(text, words)
    )


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        ("SELECT * FROM ", ['"Mill".', '"O\'Neil ""2"" x".']),
        ("SELECT * FROM \"O'N", ['"O\'Neil ""2"" x".']),
        ("FROM mill.docu", ["documents"]),
        ('FROM "O\'Neil ""2"" x".sea', ["search("]),
        ('FROM "O\'Neil ""2"" x".documents d WHERE d.page_', ["page_count"]),
        ('FROM "Mill".documents WHERE document_typ', ["document_type", "document_type_evidence"]),
    ],
)
def test_completion_names_the_collection_where_several_are_asked(
    text: str, offered: list[str]
) -> None:
    words = Words(documents=tuple, schemas=("Mill", 'O\'Neil "2" x'))
    assert [c.text for c in candidates(text, words)] == offered


# --- history --------------------------------------------------------------------------------


def test_history_keeps_each_text_once_and_nothing_after_a_space(tmp_path: Path) -> None:
    path = tmp_path / "history"
    history = prompt.QueryHistory(path)
    for text in ("SELECT 1;", "SELECT\n'é';", " secret;", "SELECT 1;", "SELECT 1;"):
        history.append_string(text)
    assert history.get_strings() == ["SELECT 1;", "SELECT\n'é';", "SELECT 1;"]
    assert list(prompt.QueryHistory(path).load_history_strings()) == ["SELECT 1;", "SELECT\n'é';"]
    path.write_text("damaged\n" + path.read_text())
    assert list(prompt.QueryHistory(path).load_history_strings()) == ["SELECT 1;", "SELECT\n'é';"]
    assert "secret" not in path.read_text()


# --- a real terminal ------------------------------------------------------------------------


@pytest.mark.slow
def test_a_statement_whose_process_is_ended_from_outside_does_not_end_the_dialogue(
    shell: Shell, capfd: pytest.CaptureFixture[str]
) -> None:
    with closing(prompt.Child(shell.source.state)) as child:
        shell.run = child.run

        def kill() -> BaseProcess:
            (process,) = multiprocessing.active_children()
            process.kill()
            return process

        # Only one thread may wait for a process: the second gets no exit code.
        soon = threading.Timer(0.5, kill)
        soon.start()
        run_reporting(lambda: shell.execute(ENDLESS))
        soon.join()
        assert "-9" in capfd.readouterr().err
        run_reporting(lambda: shell.execute("SELECT 6 * 7 AS answer;"))
        kill().join()
        run_reporting(lambda: shell.execute("\\format csv"))
        run_reporting(lambda: shell.execute("SELECT 6 * 7 AS answer;"))
        captured = capfd.readouterr()
    assert "42" in captured.out
    assert captured.out.endswith("answer\n42\n")
    assert not multiprocessing.active_children()
