"""Definitions of counting and listing statements, as loops over the rows of the tables."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from casetrack.base.sql.catalog import GRAPH_VIEWS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graph.fakes import HandMadeGraph

Row = dict[str, Any]
Place = tuple[str, int, int]


class Definitions:
    """The tables of a graph as rows; the places in reading order."""

    def __init__(self, graph: HandMadeGraph, /) -> None:
        self.documents = sorted(
            graph.documents, key=lambda d: (d.name.lower(), d.path, d.document_id)
        )
        self.rank = {d.document_id: i for i, d in enumerate(self.documents)}
        self.tables: dict[str, list[Row]] = {
            view: graph.table(view).to_pylist() for view in GRAPH_VIEWS
        }
        for name in ("mentions", "dates", "amounts", "citations"):
            self.tables[name].sort(key=self.reading)

    def reading(self, row: Row) -> tuple[int, ...]:
        at = self.rank[row["document_id"]]
        return at, row["chunk_index"], row["char_start"], row["char_end"]

    def rows(self, table: str, **wanted: Any) -> list[Row]:
        """Rows that count (no repeated ones) with these values."""
        opened = [r for r in self.tables[table] if not r.get("repeated")]
        return [r for r in opened if all(r[k] == v for k, v in wanted.items())]

    def statistics(self) -> dict[tuple[str, str | None], int]:
        counts: Counter[tuple[str, str | None]] = Counter()
        for d in self.documents:
            counts["documents", None] += 1
            counts["pages", None] += d.page_count
            counts["chunks", None] += d.chunk_count
            counts["document type", d.document_type or "unknown"] += 1
            counts["file format", d.format or "unknown"] += 1
            counts["language", d.language or "unknown"] += 1
            counts["extraction method", d.extraction_method] += 1
        for row in self.tables["entities"]:
            counts["entity kind", row["kind"]] += 1
        for row in self.tables["references"]:
            counts["reference type", row["type"]] += 1
        for row in self.rows("edges", source_kind="document"):
            counts["edge type", row["type"]] += 1
        counts["mentions", None] += len(self.rows("mentions"))
        counts["citations", None] += len(self.rows("citations", resolved=True))
        return {what: count for what, count in counts.items() if count}

    def entities(self, kind: str, sort_by: str) -> list[str]:
        def key(row: Row) -> tuple[Any, ...]:
            both = row["mention_count"], row["document_count"]
            if sort_by == "name":
                return row["name"].lower(), row["name"], row["entity_id"]
            nothing = row["entity_id"].startswith("amount:") and row["entity_id"].endswith(":0")
            group = {"concept": 1, "date": 2, "amount": 2}.get(row["kind"], 0)  # names are first
            first, second = both if sort_by == "mentions" else both[::-1]
            return group, nothing, -first, -second, row["name"], row["entity_id"]

        actual = [r for r in self.tables["entities"] if kind in {"all", r["kind"]}]
        return [r["entity_id"] for r in sorted(actual, key=key)]

    def references(self, sort_by: str) -> list[str]:
        def key(row: Row) -> tuple[Any, ...]:
            both = row["citation_count"], row["document_count"]
            last = row["name"], -row["citation_count"], row["reference_id"]
            if sort_by == "name":
                return row["name"].lower(), *last
            first, second = both if sort_by == "citations" else both[::-1]
            return -first, -second, *last

        actual = [r for r in self.tables["references"] if r["type"] not in {"section", "exhibit"}]
        return [r["reference_id"] for r in sorted(actual, key=key) if r["citation_count"]]

    def amounts(self, least: float, most: float, sort_by: str) -> list[Place]:
        result = [
            r for r in self.rows("amounts")
            if (r["value"] if r["high"] is None else r["high"]) >= least and r["value"] <= most
        ]  # fmt: skip
        if sort_by != "document":
            sign = -1 if sort_by == "value" else 1
            counts = Counter((r["kind"], r["unit"]) for r in result)
            result.sort(
                key=lambda r: (
                    r["kind"] != "money", -counts[r["kind"], r["unit"]], r["kind"],
                    r["unit"] is None, r["unit"] or "",
                    sign < 0 and r["kind"] == "money" and r["confidence"] < 0.65,
                    sign * r["value"],
                )
            )  # fmt: skip
        return [place(r) for r in result]

    def largest_amounts(self) -> list[tuple[str, list[tuple[float, int, Place]]]]:
        units: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
        money = [r for r in self.rows("amounts", kind="money") if r["confidence"] > 0.64]
        signed = [r for r in money if r["confidence"] > 0.89]
        for row in money:
            most = [abs(r["value"]) for r in signed if r["unit"] == row["unit"]]
            if row in signed or not most or abs(row["value"]) <= 10 * max(most):
                units[row["unit"]][row["entity_id"]].append(row)
        collected = []
        for unit in sorted(units, key=lambda u: (-sum(map(len, units[u].values())), u)):
            sums = sorted(units[unit].items(), key=lambda s: (-abs(s[1][0]["value"]), s[0]))
            collected.append((unit, [
                (rows[0]["value"], len(rows), place(max(rows, key=lambda r: r["confidence"])))
                for _, rows in sums
            ]))  # fmt: skip
        return collected


def place(row: Row) -> Place:
    return row["chunk_id"], row["char_start"], row["char_end"]


def held(rows: Sequence[Mapping[str, Any]]) -> list[Place]:
    return [place(dict(row)) for row in rows]
