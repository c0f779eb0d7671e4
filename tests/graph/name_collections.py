"""Small collections of made-up names, read and merged by the product's own functions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pyarrow as pa

from casetrack.graph.document import read_document
from casetrack.graph.entities.merge import merge
from casetrack.ingest.steps.join import ALL_JOINS
from graph.test_document import NAMED, document, marked
from graph.test_entities import LOCALS, local

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.ingest.steps.join import JoinRules

NEAR = "[O:Borealis Rail plc] was told. [P:Priya Raman] saw it."
"""A text that relates two documents that both contain it."""
Statements = dict[str, tuple[str, ...]]
"""For a name the other names that the text states for it, or its addresses."""


def rows_of(
    number: int,
    text: str,
    /,
    *,
    addresses: Mapping[str, tuple[str, ...]] | None = None,
    defined: Mapping[str, tuple[str, ...]] | None = None,
    evidence: Mapping[str, Mapping[str, int]] | None = None,
) -> tuple[list[dict[str, object]], list[tuple[str, str]]]:
    """Return the rows of a document with marked names, and the kind and key of each place.

    Parameters
    ----------
    text
        With names as in :func:`graph.test_document.marked`.
    addresses, defined, evidence
        Facts of the document about a name, by one of its spellings.
    """
    graph = read_document(document(document_id=f"d{number:05}"), [marked(text)])
    rows = []
    for entity in graph.entities:
        if entity.kind not in NAMED:
            continue
        spelled = [name for name, _ in entity.spellings]

        def given(known: Mapping[str, tuple[str, ...]] | None, spelled: Sequence[str]) -> list[str]:
            return sorted({v for s in spelled for v in (known or {}).get(s, ())})

        sure = {k: n for s in spelled for k, n in (evidence or {}).get(s, {}).items()}
        row = local(
            number,
            f"{entity.kind}:{entity.key}",
            name=entity.name,
            spellings=dict(entity.spellings),
            mention_count=entity.mention_count,
            chunk_count=entity.chunk_count,
            roles=dict(entity.roles),
            evidence=sure or dict(entity.evidence),
            addresses=given(addresses, spelled) or list(entity.addresses),
            defined=given(defined, spelled) or list(entity.defined),
        )
        rows.append(row)
    places = [
        (e.kind, e.key)
        for e in (graph.entities[m.entity] for m in graph.mentions)
        if e.kind in NAMED
    ]
    return rows, places


def entities_of(
    texts: Sequence[str], /, rules: JoinRules = ALL_JOINS, **given: Mapping[str, object]
) -> list[list[str]]:
    """Return the entity of each place of each text, merged as one collection.

    Parameters
    ----------
    rules
        Rules of joining.
    given
        Arguments of :func:`rows_of`.
    """
    made = [rows_of(i, text, **given) for i, text in enumerate(texts)]  # type: ignore[arg-type]
    return merged_places(made, rules)


def merged_places(
    made: Sequence[tuple[list[dict[str, object]], list[tuple[str, str]]]],
    rules: JoinRules = ALL_JOINS,
    /,
) -> list[list[str]]:
    """Return the entity of each place of documents that :func:`rows_of` has read."""
    rows = [row for result, _ in made for row in result]
    merged = merge(pa.Table.from_pylist(rows, schema=LOCALS), rules)
    ids = merged.entities["entity_id"].to_pylist()
    named = {
        (row["document_id"], row["kind"], row["key"]): ids[code]
        for row, code in zip(rows, merged.codes.tolist(), strict=True)
    }
    return [
        [named[result[0]["document_id"], kind, key] for kind, key in places] if result else []
        for result, places in made
    ]


def without(name: str, /) -> JoinRules:
    """Return the rules with one of them off."""
    return replace(ALL_JOINS, **{name: False})
