"""Lays out stored rows anew: the same texts and sources, with the columns made from them fresh."""

from __future__ import annotations

import hashlib
import itertools
from typing import TYPE_CHECKING, Any

from casetrack import schema
from casetrack.steps.chunk import text_hash
from casetrack.steps.context import CONTEXT_COLUMNS
from casetrack.steps.embed import OUTPUTS, ContextText
from casetrack.steps.extract import ExtractStep
from casetrack.steps.terms import TermsStep

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from casetrack.models.base import ProfileEncoder
    from casetrack.records import Document
    from casetrack.store.datasets import Snapshot
    from casetrack.store.rewrite import Stage


def remade(
    snapshot: Snapshot,
    documents: Sequence[Document],
    encoder: ProfileEncoder,
    stage: Stage,
    /,
) -> pa.Table:
    """Return the rows of documents with their derived columns made anew.

    Parameters
    ----------
    snapshot, documents
        What is stored, and whose rows are wanted.
    encoder
        The models whose outputs they get.
    stage
        These outputs, by :func:`keyed`.

    Raises
    ------
    KeyError
        The models have not read a text yet.
    """
    import pyarrow as pa

    declared = schema.table("chunks")
    table = snapshot.scan(declared.names, revisions=[d.revision for d in documents])
    table = table.sort_by([("revision", "ascending"), ("chunk_index", "ascending")])
    layout = declared.arrow(dimension=encoder.dimension)
    if not table.num_rows:
        return layout.empty_table()
    context = table.select(list(CONTEXT_COLUMNS)).combine_chunks()
    terms = pa.Table.from_batches(TermsStep()(iter(context.to_batches())))
    made: dict[str, Any] = {name: terms[name] for name in TermsStep.contract.adds}
    made |= _extracted(table)
    outputs = stage.take([key for key, _ in keyed(context)])
    made |= {name: outputs[name] for name in OUTPUTS}
    rows = table.num_rows
    made["embedders"] = pa.array([[encoder.fingerprint]] * rows, layout.field("embedders").type)
    made["text_hash"] = pa.array([text_hash(text) for text in table["text"].to_pylist()])
    columns = {name: made[name] if name in made else table[name] for name in layout.names}
    return pa.table(columns, schema=layout).combine_chunks()


def keyed(table: pa.Table) -> list[tuple[bytes, ContextText]]:
    """Return what models see of each row of ``chunks``, with a key that stands for it."""
    texts = [ContextText.of(row) for row in table.select(list(CONTEXT_COLUMNS)).to_pylist()]
    return [(_key(text), text) for text in texts]


def _key(text: ContextText) -> bytes:
    # The same characters may be divided in another way between the context and the text.
    data = f"{len(text.context)} {text.whole}".encode()
    return hashlib.blake2b(data, digest_size=16).digest()


def _extracted(table: pa.Table) -> dict[str, pa.ChunkedArray]:
    """Return what the words alone tell; *table* holds documents one after the other, in order."""
    import pyarrow as pa

    step, made, seen = ExtractStep(), list[pa.RecordBatch](), 0
    revisions = table["revision"].to_pylist()
    needs = table.select(list(step.contract.needs)).combine_chunks()
    for _, rows in itertools.groupby(revisions):
        count = sum(1 for _ in rows)
        made += step(iter(needs.slice(seen, count).to_batches()))
        seen += count
    found = pa.Table.from_batches(made)
    return {name: found[name] for name in step.contract.adds}
