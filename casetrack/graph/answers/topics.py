"""What the passages of a collection are about, with quotes that are typical of each topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.records.graph import Topic
from casetrack.graph.answers.statements import ask
from casetrack.graph.answers.typical import typical_quotes

if TYPE_CHECKING:
    from casetrack.graph.graph import ContextGraph

_MOST = 15
_SHOWN_QUOTES = 3


def topic_records(graph: ContextGraph, /, *, limit: int = _MOST) -> tuple[Topic, ...]:
    """Return the topics with a few quotes that are typical of each."""
    rows = ask(graph, "topics", limit=limit).to_pylist()
    wanted = [(r["chunk_ids"][:_SHOWN_QUOTES], r["terms"]) for r in rows]
    quotes = typical_quotes(graph, wanted)
    return tuple(
        Topic(
            topic_id=row["topic_id"],
            label=row["label"],
            terms=tuple(row["terms"]),
            chunk_count=row["chunk_count"],
            document_count=row["document_count"],
            document_ids=tuple(row["document_ids"]),
            quotes=found,
        )
        for row, found in zip(rows, quotes, strict=True)
    )
