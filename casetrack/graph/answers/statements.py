"""The SQL of the answers: files of ``pipelines/queries/answers``, each one statement."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from casetrack.base.resources import resource_dir

if TYPE_CHECKING:
    import pyarrow as pa

    from casetrack.graph.graph import ContextGraph


@cache
def statement(name: str, /) -> str:
    """Return the text of ``NAME.sql``."""
    folder = resource_dir("pipelines") / "queries" / "answers"
    return (folder / f"{name}.sql").read_text(encoding="utf-8")


def ask(graph: ContextGraph, name: str, /, **values: Any) -> pa.Table:
    """Run the statement of a file over a graph.

    Parameters
    ----------
    values
        Of all its parameters.
    """
    return graph.sql(statement(name), values)
