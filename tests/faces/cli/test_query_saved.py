"""Saved queries: where they are looked up, their heads, and those that come with the program."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from casetrack.api.sql import saved
from casetrack.api.sql.parameters import Parameter
from casetrack.base.errors import UsageError
from casetrack.base.resources import resource_dir
from casetrack.base.sql.statements import all_of, parameters

if TYPE_CHECKING:
    from pathlib import Path

    from faces.cli.conftest import Run

PACKAGED = sorted(p.stem for p in (resource_dir("pipelines") / "queries").glob("*.sql"))
NEEDED = {
    "passages-about": ["question=rent of the Mill House"],
    "amounts-above": ["least=1000"],
    "timeline-between": ["from_day=2024-01-01", "to_day=2024-12-31"],
}
COLUMNS = {
    "amounts-above": ["value", "unit", "written", "citation", "passage"],
    "deadlines": (
        "rule direction anchor anchor_day day citation chunk_id char_start char_end".split()
    ),
    "documents-by-type-and-month": ["type", "month", "documents", "pages", "characters"],
    "figures": [
        *("metric", "period", "value", "unit", "compared_with", "change", "change_percent"),
        *("citation", "written"),
    ],
    "passages-about": ["rank", "citation", "text"],
    "payments": ["payer", "payee", "value", "unit", "what_for", "citation", "passage"],
    "stale-or-partly-read": ["name", "why", "read_at", "path"],
    "timeline-between": ["day", "written", "citation", "passage"],
    "who-wrote-to-whom": "sender recipient mails in_copy first_day last_day for_instance".split(),
    "who-appears-with-whom": ("name kind with_name with_kind passages weight for_instance".split()),
}


def given(name: str) -> list[str]:
    return [word for pair in NEEDED.get(name, []) for word in ("-p", pair)]


@pytest.mark.parametrize("name", PACKAGED)
def test_every_packaged_query_has_a_title_and_declares_what_it_uses(name: str) -> None:
    query = saved.load(resource_dir("pipelines") / "queries" / f"{name}.sql", "CaseTrack")
    (statement,) = all_of(query.sql)
    assert query.title.endswith(".")
    assert {p.name for p in query.parameters} == set(parameters(statement))
    assert all(p.about for p in query.parameters)


@pytest.mark.slow
def test_packaged_queries_find_what_is_there(filled: Run, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text(
        'The fee is £5,000, due on 12 March 2024 (the "Due Date"). '
        "The Tenant paid Kay Ltd. £900 as a deposit. "
        "Notice is given within ten days after the Due Date, at least 5 days before an audit."
    )
    table = tmp_path / "rows.csv"
    table.write_text("Item,2031,2030\nFares,€12,€10\nTolls,€3,-€4\n")
    mail = tmp_path / "rent.eml"
    head = "From: Hale Jo <jo.hale@mill.example>\nTo: Ann Lee <a@x.example>\nSubject: Rent"
    mail.write_text(f"{head}\nDate: Thu, 4 Oct 2012 13:02:39 +0200\n\nDear Ann, thanks.\n")
    assert filled("ingest", note, table, mail, "-c", "Mill").code == 0

    def asked(name: str) -> list[dict[str, object]]:
        data: list[dict[str, object]] = json.loads(
            filled("query", "--saved", name, *given(name), "--json").out
        )
        return data

    (amount,) = asked("amounts-above")
    assert (amount["value"], amount["unit"], amount["written"]) == (5000.0, "GBP", "£5,000")
    (day,) = asked("timeline-between")
    assert (day["day"], day["written"]) == ("2024-03-12", "12 March 2024")
    assert str(day["passage"]).startswith("The fee is")
    assert day["citation"] == amount["citation"] == "note.txt, p. 1, para. 1, l. 1"
    assert [row["day"] for row in asked("deadlines")] == ["2024-03-22", None]
    assert "2024-03-22" in filled("timeline", "--type", "deadline").out
    assert [(row["value"], row["change"], row["change_percent"]) for row in asked("figures")] == [
        *((12, 2, 20.0), (10, None, None), (3, 7, None), (-4, None, None))
    ]
    (pair,) = asked("who-wrote-to-whom")
    assert (pair["sender"], pair["recipient"], pair["mails"]) == ("Jo Hale", "Ann Lee", 1)
    assert pair["first_day"] == pair["last_day"] == "2012-10-04"
    (paid,) = asked("payments")
    assert [*paid.values()][:5] == ["The Tenant", "Kay Ltd.", 900, "GBP", "as a deposit"]
    assert str(asked("passages-about")[0]["citation"]).startswith("lease.txt, p. 1")
    assert sum(int(str(row["documents"])) for row in asked("documents-by-type-and-month")) == 6


def test_a_query_is_saved_with_its_collection_and_wins_over_others(filled: Run, home: Path) -> None:
    sql = "SELECT $name AS name, $n AS n;"
    ended = filled("query", sql, "--save", "passages-about", "-p", "n=3")
    assert (ended.code, ended.out) == (0, "")
    (path,) = home.glob("collections/*/queries/passages-about.sql")
    assert str(path) in ended.err
    assert path.read_text() == (
        "-- :param name text\n-- :param n integer default 3\nSELECT $name AS name, $n AS n;\n"
    )
    run = filled("query", "--saved", "passages-about", "-p", "name=x", "--json")
    assert json.loads(run.out) == [{"name": "x", "n": 3}]
    again = filled("query", "SELECT 1", "--save", "passages-about")
    assert (again.code, "--overwrite" in again.err) == (2, True)
    assert filled("query", "SELECT 1", "--save", "passages-about", "--overwrite").code == 0
    (home / "queries").mkdir()
    (home / "queries" / "mine.sql").write_text("-- Mine.\nSELECT 2 AS two")
    listed = {q["name"]: q for q in json.loads(filled("query", "--list-saved", "--json").out)}
    assert listed["passages-about"]["from"] == "collection"
    assert (listed["mine"]["from"], listed["mine"]["title"]) == ("data folder", "Mine.")
    assert set(listed) == {*PACKAGED, "mine"}
    table = filled("query", "--list-saved").out
    assert "timeline-between" in table
    assert "from_day date; to_day date" in table


def test_missing_and_wrong_values_are_named(filled: Run) -> None:
    missing = filled("query", "--saved", "timeline-between")
    assert missing.code == 2
    assert ("- from_day (date: " in missing.err, "- to_day (date: " in missing.err) == (True, True)
    wrong = filled("query", "--saved", "amounts-above", "-p", "least=much")
    assert ("'much'" in wrong.err, " least " in wrong.err) == (True, True)
    unknown = filled("query", "--saved", "amounts-above", "-p", "leest=1")
    assert ("leest" in unknown.err, "least, unit" in unknown.err) == (True, True)


def test_one_that_is_broken_hides_no_other(filled: Run, home: Path) -> None:
    folder = home / "queries"
    folder.mkdir()
    (folder / "bad-head.sql").write_text("-- :param least money\nSELECT $least")
    (folder / "bad-text.sql").write_bytes(b"SELECT '\xff'")
    listed = {q["name"]: q for q in json.loads(filled("query", "--list-saved", "--json").out)}
    assert set(listed) == {*PACKAGED, "bad-head", "bad-text"}
    assert "UTF-8" in listed["bad-text"]["title"]
    assert "text, integer" in filled("query", "--saved", "bad-head").err
    unknown = filled("query", "--saved", "nothing")
    assert (unknown.code, "amounts-above" in unknown.err) == (2, True)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "con", "x" * 65, "a b", "..\\x"])
def test_a_name_is_no_path(filled: Run, home: Path, name: str) -> None:
    for words in (["SELECT 1", "--save", name], ["--saved", name]):
        ended = filled("query", *words)
        assert (ended.code, repr(name) in ended.err) == (2, True)
    assert list(home.rglob("*.sql")) == []


@pytest.mark.parametrize(
    ("line", "parameter"),
    [
        ("-- :param a text", Parameter("a", "text", None, "")),
        ("-- :param a text default 'it''s' who", Parameter("a", "text", "it's", "who")),
        ("-- :param a integer default 5", Parameter("a", "integer", "5", "")),
        ("--:param day date first day", Parameter("day", "date", None, "first day")),
    ],
)
def test_heads_are_read(line: str, parameter: Parameter) -> None:
    assert saved.read_head(f"-- Title\n{line}\nSELECT 1", "x") == ("Title", (parameter,))


@pytest.mark.slow
def test_the_folder_of_saved_queries_belongs_to_the_collection(filled: Run) -> None:
    assert filled("query", "SELECT 1", "--save", "one").code == 0
    checked = filled("doctor", "-c", "Mill")
    assert (checked.code, "queries" in checked.out) == (0, False)


@pytest.mark.parametrize(
    "line", ["-- :param", "-- :param a", "-- :param a money", "-- :param a integer default x"]
)
def test_a_wrong_head_is_reported(line: str) -> None:
    with pytest.raises(UsageError):
        saved.read_head(line, "x.sql")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("SELECT nmae FROM documents WHERE page_count > $n", "name"),
        ("SELECT 1; SELEC 2", '"SELEC"'),
        ("SELECT $n FROM documnets", "documents"),
        ("DELETE FROM documents", "DELETE"),
        ("\n-- :param n money\nSELECT $n", "text, integer"),
    ],
)
def test_what_cannot_run_is_not_saved(filled: Run, home: Path, sql: str, text: str) -> None:
    ended = filled("query", sql, "--save", "bad")
    assert (ended.code, ended.out) == (2, "")
    assert text in ended.err
    assert list(home.rglob("bad.sql")) == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("sql", "rest"),
    [
        ("SELECT name FROM documents", ""),
        ("SELECT name FROM documents WHERE page_count > $n AND name <> $word", " -p n=VALUE"),
        ("\n-- :param n integer default 1\nSELECT $n, $word", ""),
        ("EXPLAIN SELECT 1", ""),
        ("SHOW TABLES", ""),
        ("DESCRIBE documents", ""),
        ("SELECT 1; SELECT rank FROM search($word, k => $n)", " -p n=VALUE"),
    ],
)
def test_the_line_that_runs_what_was_saved_is_whole(filled: Run, sql: str, rest: str) -> None:
    assert filled("collection", "create", "Other").code == 0
    word = ["-p", "word=roof"] if "$word" in sql else []
    ended = filled("query", sql, "--save", "kept", "-c", "Mill", *word)
    assert ended.code == 0, ended.err
    assert ended.err.endswith(f" casetrack query --saved kept -c Mill{rest}\n")
    line = ended.err.splitlines()[-1].partition("casetrack ")[2].replace("VALUE", "1")
    assert filled(*shlex.split(line)).code == 0


@pytest.mark.slow
def test_the_name_of_a_collection_is_quoted_for_the_shell(run: Run) -> None:
    assert run("collection", "create", "Mill & Sons' case").code == 0
    ended = run("query", "SELECT 1", "--save", "kept", "-c", "Mill & Sons' case")
    line = ended.err.splitlines()[-1].partition("casetrack ")[2]
    assert shlex.split(line) == ["query", "--saved", "kept", "-c", "Mill & Sons' case"]


def test_what_only_a_value_can_tell_is_noted(filled: Run, home: Path) -> None:
    ended = filled("query", "SELECT year($day) AS y", "--save", "kept")
    assert ended.code == 0
    assert "$day" in ended.err
    assert len(list(home.rglob("kept.sql"))) == 1
