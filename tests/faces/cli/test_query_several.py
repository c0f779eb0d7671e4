"""``casetrack query -c A -c B``: each collection is a schema, and nothing of another is seen."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings

if TYPE_CHECKING:
    from pathlib import Path

    from faces.cli.conftest import Run

ODD = 'Müller & "Söhne", O\'Neil; main.x'
QUOTED = '"Müller & ""Söhne"", O\'Neil; main.x"'
JOINED = f"SELECT name, b.page_count FROM Mill.documents JOIN {QUOTED}.documents b USING (name)"
BOTH = ("-c", "Mill", "-c", ODD)


@pytest.fixture(scope="module")
def two(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the collections Mill, an oddly named one, and an empty third."""
    base = tmp_path_factory.mktemp("two")
    home = shutil.copytree(template / "home", base / "home")
    library = Library(load_settings(home))
    note = base / "lease.txt"
    note.write_text("The tenant of the other mill pays a rent of 900.00 a month.")
    library.create(ODD).ingest([note])
    library.create("Third")
    return home


@pytest.fixture
def both(run: Run, home: Path, two: Path) -> Run:
    """The command runner, with a copy of these collections."""
    shutil.copytree(two, home)
    return run


def asked(run: Run, sql: str, *options: str) -> list[dict[str, object]]:
    ended = run("query", sql, *BOTH, "--json", *options)
    assert ended.code == 0, ended.err
    rows: list[dict[str, object]] = json.loads(ended.out)
    return rows


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("FROM documents", f'"Mill".documents or {QUOTED}.documents'),
        ('FROM "Milk".documents', '"Mill"'),
    ],
)
def test_a_name_that_leaves_it_open_is_refused_with_the_names_there_are(
    both: Run, sql: str, text: str
) -> None:
    ended = both("query", sql, *BOTH)
    assert (ended.code, ended.out) == (2, "")
    assert text in ended.err
    assert re.search(r"\b1\b", ended.err)


@pytest.mark.slow
def test_a_collection_that_is_not_there_is_reported_before_anything_is_asked(both: Run) -> None:
    ended = both("query", "SELECT 1", "-c", "Mill", "-c", "Nobody")
    assert (ended.code, '"Nobody"' in ended.err) == (2, True)
    without = both("query", "SELECT 1")
    assert (without.code, "Third" in without.err) == (2, True)


@pytest.mark.slow
def test_a_query_over_several_is_saved_in_the_data_folder(both: Run, home: Path) -> None:
    sql = f"SELECT name FROM Mill.documents INTERSECT SELECT name FROM {QUOTED}.documents"
    assert both("query", sql, *BOTH, "--save", "in-both").code == 0
    assert [p.name for p in home.glob("queries/*")] == ["in-both.sql"]
    assert both("query", "--saved", "in-both", *BOTH).out == "name\nlease.txt\n"


def test_explain_tells_which_collection_was_searched(both: Run) -> None:
    ended = both("query", f"FROM {QUOTED}.search('rent', k => 1)", *BOTH, "--explain", "--json")
    assert ended.code == 0
    assert f"search('rent', k := 1) in {ODD}: 1 " in ended.err
