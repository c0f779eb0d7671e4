"""An index of reported decisions: files that the user adds to the folder ``citations``.

The folder is in the data folder. Read are CSV files with the columns of CourtListener's bulk data
(``volume``, ``reporter``, ``page``, ``cluster_id``; ``id``, ``case_name``, ``date_filed``), also
compressed, and the JSON metadata of volumes by Harvard's Caselaw Access Project.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

FOLDER = "citations"
_MADE = "index.parquet"
_PLACE = ("volume", "reporter", "page", "cluster_id")
_CLUSTER = ("id", "case_name", "date_filed")


class Reported(NamedTuple):
    """A decision of the index."""

    name: str
    year: int | None


def decisions_at(data_dir: Path, keys: Collection[str], /) -> dict[str, list[Reported]] | None:
    """Return the decisions of the index by citation key; ``None`` without an index.

    The index is made again when a source file is newer. Raises ``UsageError``: a file has none of
    the known columns.
    """
    import pyarrow.parquet as pq

    folder = data_dir / FOLDER
    sources = [p for p in sorted(folder.glob("*")) if p.name != _MADE] if folder.is_dir() else []
    if not sources:
        return None
    made = folder / _MADE
    if not made.exists() or made.stat().st_mtime < max(p.stat().st_mtime for p in sources):
        pq.write_table(_read(sources).sort_by("key"), made, row_group_size=50_000)
    found: dict[str, list[Reported]] = {key: [] for key in keys}
    for row in pq.read_table(made, filters=[("key", "in", list(keys) or [""])]).to_pylist():
        year = (row["date_filed"] or "")[:4]
        found[row["key"]].append(Reported(row["case_name"] or "", int(year) if year else None))
    return found


def _read(sources: Iterable[Path]) -> pa.Table:
    places, names, rows = [], [], list[dict[str, Any]]()
    for path in sources:
        if path.suffix == ".json":
            rows += [
                {"cite": each["cite"], "case_name": case["name_abbreviation"],
                 "date_filed": case["decision_date"]}
                for case in json.loads(path.read_text(encoding="utf-8"))
                for each in case["citations"]
            ]  # fmt: skip
            continue
        table = _csv(path)
        if set(_PLACE) <= set(table.column_names):
            places.append(table.select(_PLACE))
        elif set(_CLUSTER) <= set(table.column_names):
            names.append(table.select(_CLUSTER))
        else:
            raise UsageError(
                f"{path} has no columns of a citation index.",
                hint=f"Use {', '.join(_PLACE)}; or {', '.join(_CLUSTER)}; or Harvard's JSON.",
            )
    columns = {"cite": pa.string(), "case_name": pa.string(), "date_filed": pa.string()}
    whole = pa.Table.from_pylist(rows, pa.schema(columns))
    if places:
        table = pa.concat_tables(places)
        parts = [table["volume"], table["reporter"], table["page"]]
        table = table.append_column("cite", pc.binary_join_element_wise(*parts, " "))
        clusters = (
            pa.concat_tables(names)
            if names
            else pa.table({c: pa.array([], pa.string()) for c in _CLUSTER})
        )
        joined = table.join(clusters, "cluster_id", "id").select(list(columns))
        whole = pa.concat_tables([whole, joined])
    plain = pc.replace_substring(pc.utf8_lower(whole["cite"]), ".", "")
    keys = pc.binary_join_element_wise(
        "case:", pc.replace_substring_regex(plain, "[^a-z0-9]+", "-"), ""
    )
    return whole.append_column("key", keys).select(["key", "case_name", "date_filed"])


def _csv(path: Path) -> pa.Table:
    from pyarrow import csv

    with pa.input_stream(str(path)) as stream:
        names = [*_PLACE, *_CLUSTER]
        return csv.read_csv(
            stream,
            parse_options=csv.ParseOptions(newlines_in_values=True, escape_char="\\"),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True
            ),
        )
