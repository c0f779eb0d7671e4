"""``casetrack query``: formats, files, options, several ways to give a statement."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest

from casetrack.base.sql.statements import all_of, is_blank, parameters, split
from casetrack.faces.cli.query import formats
from casetrack.faces.cli.query.formats import unique_names
from faces.cli.conftest import Run, error_of


def test_a_link_stays_and_its_target_is_replaced(filled: Run, tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    assert filled("query", "SELECT 1 AS a", "-o", link).code == 0
    assert link.is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o777) == ("a\n1\n", 0o640)


@pytest.mark.parametrize("name", ["out.xlsx", "no/such.csv"])
def test_a_file_that_cannot_be_written_is_refused(filled: Run, tmp_path: Path, name: str) -> None:
    ended = filled("query", "SELECT 1", "-o", tmp_path / name)
    assert (ended.code, ended.out) == (2, "")
    assert str(tmp_path / name) in ended.err


@pytest.mark.slow
def test_rows_are_counted_and_limited(filled: Run) -> None:
    assert re.match(r"\(1 [^)]*\d s\)$", filled("query", "SELECT 1").err)
    ended = filled("query", "SELECT range FROM range(100) ORDER BY range DESC -- x", "--limit", 2)
    assert ended.out.split() == ["range", "99", "98"]
    assert ended.err.startswith("(2 ")
    assert filled("query", "DESCRIBE documents", "--limit", 1).code == 0


def test_what_is_run_is_shown_next_to_the_rows(filled: Run) -> None:
    sql = "SELECT rank FROM search($q, k => $k)"
    ended = filled("query", sql, "-p", "q=the rent", "-p", "k=1", "--show-sql", "--explain")
    assert ended.out == "rank\n   1\n"
    assert ended.err.startswith(f"{sql};\n-- $q = 'the rent'\n-- $k = 1\n")
    assert "\n  search('the rent'" in ended.err
    assert ": 1 " in ended.err
    assert "search(" not in filled("query", "SELECT 1", "--explain").err


def test_a_file_of_statements_is_run_in_order(filled: Run, tmp_path: Path) -> None:
    script = tmp_path / "two.sql"
    script.write_text(
        "-- Title\n-- :param n integer default 5\nSELECT $n AS n;\nSELECT 'a;b' AS t;"
    )
    assert filled("query", "--file", script).out == "n\n5\nt\na;b\n"
    assert filled("query", "-f", script, "-p", "n=6", "--format", "jsonl").out == (
        '{"n": 6}\n{"t": "a;b"}\n'
    )
    assert filled("query", "-f", script, "-o", tmp_path / "x.csv").code == 2


@pytest.mark.slow
def test_statements_come_through_a_pipe(launch: Run, filled: Run) -> None:
    text = "\\format jsonl\nSELECT 1 AS a;\nSELECT\n 2 AS a; SELECT oops; SELECT 3"
    ended = launch("query", stdin=text)
    assert (ended.code, ended.out) == (2, '{"a": 1}\n{"a": 2}\n')
    assert "oops" in ended.err
    nothing = launch("query", stdin="-- no statement\n")
    assert (nothing.code, nothing.out) == (2, "")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["SELECT $a, $b, $c", "-p", "b=1"], "  - a\n  - c\n"),
        (["SELECT 1", "-p", "a=1"], " a."),
        (["SELECT $1"], "$1"),
        (["SELECT 1", "--file", "x.sql"], "--file"),
        (["--file", "not-there.sql"], "not-there.sql"),
        ([" -- nothing"], "."),
    ],
)
def test_misuse_is_an_error(filled: Run, arguments: list[str], text: str) -> None:
    ended = filled("query", *arguments, "--json")
    error = error_of(ended)
    assert (ended.code, error["code"]) == (2, "usage")
    assert text in ended.err


@pytest.mark.slow
def test_large_results_are_written_in_blocks() -> None:
    rows = pa.table({"n": list(range(5000)), "text": ["x" * 50] * 5000})
    for wanted in ("json", "jsonl", "csv", "markdown", "table"):
        blocks = list(formats.text_blocks(rows, wanted))
        assert len(blocks) >= 5
        assert max(map(len, blocks)) < sum(map(len, blocks)) / 3
    assert len(json.loads("".join(formats.text_blocks(rows, "json")))) == 5000
    assert "".join(formats.text_blocks(rows.slice(0, 0), "json")) == "[]\n"


# --- tables ---------------------------------------------------------------------------------


def test_a_table_fits_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    long = "The tenant pays a rent. " * 40
    formats.show(
        pa.table({"n": [1], "text": [long], "none": [None], "wide": ["日本" * 60]}), width=60
    )
    shown = capsys.readouterr()
    from rich.cells import cell_len

    assert max(map(cell_len, shown.out.splitlines())) <= 60
    assert len(shown.out.splitlines()) == 2 + 4
    assert "\u2026" in shown.out
    assert "(\u2026)" in shown.err
    formats.show(pa.table({"n": [1], "text": ["short"]}), width=60)
    assert capsys.readouterr().err == ""


def test_control_characters_drive_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    formats.show(pa.table({"t": ["a\x1b[31mb"]}), width=60)
    formats.write_stdout(pa.table({"t": ["a\x1b[31mb"]}), "table")
    assert "\x1b" not in capsys.readouterr().out


# --- statements -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "statements", "rest"),
    [
        ("SELECT 1", (), "SELECT 1"),
        ("SELECT ';'; SELECT 2", ("SELECT ';'",), " SELECT 2"),
        ("SELECT 'it''s;' ; ;", ("SELECT 'it''s;'",), ""),
        ('SELECT ";" -- ;\n;', ('SELECT ";" -- ;',), ""),
        ("/* ; */ SELECT $$;$$;", ("/* ; */ SELECT $$;$$",), ""),
        ("SELECT $t$;$$;$t$;x", ("SELECT $t$;$$;$t$",), "x"),
        ("SELECT e'\\';';", ("SELECT e'\\';'",), ""),
        ("SELECT 'open; ", (), "SELECT 'open; "),
    ],
)
def test_statements_end_at_their_semicolons(
    text: str, statements: tuple[str, ...], rest: str
) -> None:
    cut = split(text)
    assert (cut.statements, cut.rest) == (statements, rest)


def test_parameters_and_blanks() -> None:
    assert parameters("SELECT $b, '$c', $a, $b, $$d$$ -- $e") == ("b", "a")
    assert is_blank(" -- nothing\n/* ; */")
    assert not is_blank("x")
    assert all_of("a; b;\n-- end") == ("a", "b")
    assert unique_names(["a", "a", "a_1"]) == ["a", "a_2", "a_1"]
