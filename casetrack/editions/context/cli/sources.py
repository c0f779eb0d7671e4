"""``ctx sources`` and ``ctx stats``: where the documents come from, and how many there are."""

from typing import Any

import typer

from casetrack.base.provenance import iso_utc
from casetrack.editions.context.cli.state import ContextState
from casetrack.faces.cli.options import JsonOption
from casetrack.faces.cli.output import Field, byte_text, cell_text, facts, line, table, write_json

_BY_SOURCE = """
SELECT coalesce(d.source, 'filesystem') AS source, count(DISTINCT d.document_id) AS documents,
       count(c.chunk_id) AS chunks, count(c.embedded_at) AS embedded,
       max(d.source_updated_at) AS newest
FROM documents d LEFT JOIN chunks c USING (document_id)
GROUP BY ALL ORDER BY source
"""


def sources(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """List the sources, when each was last in step, and what is wrong with it."""
    home = ctx.ensure_object(ContextState).home
    from casetrack.editions.context.api import sources as listed

    found = listed(home.collection, configured=home.config.labels)
    if as_json:
        write_json(found.as_dict())
        return
    fields = [Field("Source"), Field("Documents", "right"), Field("Passages", "right")]
    fields += [Field("State")]
    rows = [
        [s.name, f"{s.documents:,}", f"{s.chunks:,}", (s.notes or "ok").removeprefix(f"{s.name}: ")]
        for s in found.sources
    ]
    table(fields, rows)
    for note in home.config.notes:
        line((f"Note: {note}", "yellow"))


def stats(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """Count documents, passages and vectors, all together and by source."""
    home = ctx.ensure_object(ContextState).home
    counted: list[dict[str, Any]] = home.collection.sql(_BY_SOURCE).to_pylist()
    total = {key: sum(row[key] for row in counted) for key in ("documents", "chunks", "embedded")}
    size = home.collection.stats().storage_bytes
    config = home.config
    if as_json:
        for row in counted:
            row["newest"] = row["newest"] and iso_utc(row["newest"])
        raw = {"config": [str(file) for file in config.files], "data": str(config.data_dir)}
        write_json({**raw, **total, "storage_bytes": size, "sources": counted})
        return
    facts(
        [
            ("Config", " over ".join(str(file) for file in config.files)),
            ("Data", f"{config.data_dir} ({byte_text(size)})"),
            ("Documents", f"{total['documents']:,}"),
            ("Passages", f"{total['chunks']:,}, of which {total['embedded']:,} have vectors"),
        ]
    )
    line()
    fields = [Field("Source"), *(Field(n.capitalize(), "right") for n in total)]
    fields += [Field("Newest")]
    newest = (row.pop("newest") for row in counted)
    table(fields, ([*row.values(), cell_text(n)] for row, n in zip(counted, newest, strict=True)))
