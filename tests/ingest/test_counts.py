"""The ledger's counts of names and references of a document equal those of its chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library

TOLD = """
WITH found AS (
    SELECT document_id, 'name' AS what, lower(concat_ws('|', m.kind, m.text)) AS thing
    FROM (SELECT document_id, unnest(mentions) AS m FROM chunks) WHERE NOT m.is_role
    UNION SELECT document_id, 'date', concat_ws('|', d.kind, coalesce(d.value, d.text))
    FROM (SELECT document_id, unnest(dates) AS d FROM chunks)
    UNION SELECT document_id, 'amount', concat_ws('|', a.kind, a.value, coalesce(a.unit, a.text))
    FROM (SELECT document_id, unnest(amounts) AS a FROM chunks)
    UNION SELECT document_id, 'reference', concat_ws('|', c.type, c.key)
    FROM (SELECT document_id, unnest(citations) AS c FROM chunks)
)
SELECT
    name, entity_count, reference_count,
    count(thing) FILTER (what <> 'reference') AS entities,
    count(thing) FILTER (what = 'reference') AS "references"
FROM documents LEFT JOIN found USING (document_id)
GROUP BY ALL
"""


@pytest.mark.slow
def test_different_names_dates_amounts_and_references_are_counted(demo: Collection) -> None:
    rows = demo.sql(TOLD).to_pylist()
    assert len(rows) == len(demo.documents())
    assert [r for r in rows if r["entity_count"] != r["entities"]] == []
    assert [r for r in rows if r["reference_count"] != r["references"]] == []
    assert sum(r["entity_count"] for r in rows) > sum(r["reference_count"] for r in rows) > 0


def test_without_a_model_nobody_has_looked_for_names(library: Library, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("See ISO 9001 and ISO 9001, of 1 May 2024.", encoding="utf-8")
    collection = library.create("Words")
    collection.ingest([tmp_path / "a.txt"])
    rows = collection.sql("SELECT entity_count, reference_count FROM documents").to_pylist()
    assert rows == [{"entity_count": None, "reference_count": 1}]


def test_the_hash_of_a_text_is_what_sql_makes_of_it(demo: Collection) -> None:
    wrong = "SELECT count(*) AS n FROM chunks WHERE text_hash IS DISTINCT FROM sha256(text)"
    assert demo.sql(wrong)["n"].to_pylist() == [0]
