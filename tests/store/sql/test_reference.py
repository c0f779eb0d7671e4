"""docs/sql-reference.md is generated from the catalog; its statements and the guide's run."""

from __future__ import annotations

import re
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.api.reference import reference as operations
from casetrack.api.sql.reference import reference
from casetrack.base.config import SqlLimits, load_settings

if TYPE_CHECKING:
    from casetrack.api.collection import Collection

DOCS = Path(__file__).parents[3] / "docs"
GUIDE = (DOCS / "query.md").read_text(encoding="utf-8")
PAGE = DOCS / "sql-reference.md"
STATEMENTS = re.findall(r"^```sql\n(.*?)^```", GUIDE + reference(), re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def demo(demo_home: Path) -> Collection:
    return Library(load_settings(demo_home)).get("Demo")


@pytest.fixture(scope="module")
def values(demo: Collection) -> dict[str, Any]:
    """Values of the parameters of the examples."""
    edges = demo.sql("SELECT source_id, target_id FROM edges WHERE type = 'co_occurrence' LIMIT 1")
    (edge,) = edges.to_pylist()
    return {
        "question": "Who pays for thawed goods?",
        "chunk": demo.search("thawed goods", limit=1)[0].provenance.chunk_id,
        "entity": edge["source_id"],
        "other": edge["target_id"],
    }


def test_the_pages_are_up_to_date() -> None:
    assert (DOCS / "reference.md").read_text(encoding="utf-8") == operations(), (
        "run: python -m casetrack.api.reference > docs/reference.md"
    )
    assert PAGE.read_text(encoding="utf-8") == reference(), (
        "run: python -m casetrack.api.sql.reference > docs/sql-reference.md"
    )


def test_the_guide_states_the_limits() -> None:
    limits = SqlLimits()
    assert f"{limits.timeout_seconds:.0f} seconds and {limits.memory_mb} MB" in GUIDE


def test_python_names_of_the_reference_exist(demo: Collection) -> None:
    for name in re.findall(r"Python `collection\.([\w.]+)\(\)`", operations()):
        assert callable(attrgetter(name)(demo)), name


@pytest.mark.parametrize("statement", STATEMENTS)
def test_every_statement_of_the_page_finds_something(
    demo: Collection, values: dict[str, Any], statement: str
) -> None:
    named = set(re.findall(r"\$(\w+)", statement))
    actual = demo.sql(statement, params={name: values[name] for name in named})
    assert actual.num_rows
