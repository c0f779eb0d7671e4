"""What the statements of the answers return, said once more: loops over rows of the tables."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from casetrack.sql.views import GRAPH_VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graph.fakes import HandMadeGraph

Row = dict[str, Any]
Place = tuple[str, int, int]
NAMES = ("person", "organization", "location")
ACTORS = ("person", "organization")
PUBLIC = ("High Court",)
NAMED_THINGS = ("standard", "regulation", "case", "report", "document", "link")
PRECISIONS = {"day": 1, "range": 0.85, "week": 0.8, "month": 0.7, "quarter": 0.55, "half": 0.5,
              "year": 0.25}  # fmt: skip


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
        return [
            r
            for r in self.tables[table]
            if not r.get("repeated")
            and all(r[k] in v if isinstance(v, (tuple, list, set)) else r[k] == v
                    for k, v in wanted.items())
        ]  # fmt: skip

    def counting(self, table: str, **wanted: Any) -> list[Row]:
        """Those rows that are of no copy."""
        copies = self.copies()
        return [r for r in self.rows(table, **wanted) if r["document_id"] not in copies]

    def copies(self) -> set[str]:
        return {e["source_id"] for e in self.rows("edges", source_kind="document", type="copy")}

    # --- counts ------------------------------------------------------------------------------

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

    def counts(self, entity: Row) -> tuple[int, int]:
        """Places and documents of an entity; those of copies where there are no others."""
        own = [r for r in self.counting("mentions") if r["entity_id"] == entity["entity_id"]]
        documents = {r["document_id"] for r in own}
        return (len(own), len(documents)) if own else (
            entity["mention_count"], entity["document_count"]
        )  # fmt: skip

    def entities(self, kind: str, sort_by: str) -> list[str]:
        def key(row: Row) -> tuple[Any, ...]:
            both = self.counts(row)
            if sort_by == "name":
                return row["name"].lower(), row["name"], row["entity_id"]
            nothing = row["entity_id"].startswith("amount:") and row["entity_id"].endswith(":0")
            first, second = both if sort_by == "mentions" else both[::-1]
            return nothing, -first, -second, row["name"], row["entity_id"]

        found = [r for r in self.tables["entities"] if kind in {"all", r["kind"]}]
        return [r["entity_id"] for r in sorted(found, key=key)]

    def references(self, sort_by: str) -> list[str]:
        def key(row: Row) -> tuple[Any, ...]:
            both = row["citation_count"], row["document_count"]
            last = row["name"], -row["citation_count"], row["reference_id"]
            if sort_by == "name":
                return row["name"].lower(), *last
            first, second = both if sort_by == "citations" else both[::-1]
            return -first, -second, *last

        found = [r for r in self.tables["references"] if r["type"] not in {"section", "exhibit"}]
        return [r["reference_id"] for r in sorted(found, key=key) if r["citation_count"]]

    def amounts(self, least: float, most: float, sort_by: str) -> list[Place]:
        found = [
            r for r in self.rows("amounts")
            if (r["value"] if r["high"] is None else r["high"]) >= least and r["value"] <= most
        ]  # fmt: skip
        if sort_by != "document":
            sign = -1 if sort_by == "value" else 1
            counts = Counter((r["kind"], r["unit"]) for r in found)
            found.sort(
                key=lambda r: (
                    -counts[r["kind"], r["unit"]], r["kind"], r["unit"] is None, r["unit"] or "",
                    sign * r["value"],
                )
            )  # fmt: skip
        return [place(r) for r in found]

    # --- places ------------------------------------------------------------------------------

    def key_entities(self, kinds: Sequence[str]) -> list[tuple[str, Place | None]]:
        found = [r for r in self.tables["entities"] if r["kind"] in kinds and self._tells_apart(r)]
        worth = {r["entity_id"]: self._worth(r) for r in found}
        found = [r for r in found if worth[r["entity_id"]] > 0]
        found.sort(key=lambda r: (-worth[r["entity_id"]], -r["mention_count"], r["entity_id"]))
        return [(r["entity_id"], self._telling(r)) for r in found]

    def _tells_apart(self, entity: Row) -> bool:
        total = len(self.documents)
        is_actor = entity["kind"] in ACTORS
        return is_actor or total < 10 or entity["document_count"] <= total / 3

    def _worth(self, entity: Row) -> float:
        total, kind = len(self.documents), entity["kind"]
        rare = math.log(1 + total / entity["document_count"]) / math.log(1 + total)
        worth = 0.0
        for own in by_document(self.counting("mentions", entity_id=entity["entity_id"])):
            here = self.rows("mentions", document_id=own[0]["document_id"], kind=ACTORS)
            public = kind == "organization" and entity["name"] in PUBLIC
            if kind not in ACTORS:
                counts = rare * (0.5 if kind == "concept" else 1)
            elif any(r["role"] or (r["found_by"] == "defined" and not public) for r in own):
                counts = 3
            else:
                counts = 0.05 if public else 1 if len(own) >= 0.1 * len(here) else 0.25
            worth += (1 + math.log(len(own))) * counts
        return round(worth, 6)

    def _telling(self, entity: Row) -> Place | None:
        every = self.rows("mentions", entity_id=entity["entity_id"])
        own = [
            r for r in every
            if r["text"].lower() in entity["name"].lower() or r["text"] in entity["aliases"]
        ]  # fmt: skip
        said = [r for r in own if entity["role"] is not None and r["role"] == entity["role"]]
        if said:
            return place(max(said, key=lambda r: r["confidence"]))
        full = (
            [r for r in own if r["found_by"] == "defined"]
            or [r for r in own if r["text"] == entity["name"]] or own or every
        )  # fmt: skip
        return place(full[0]) if full else None

    def places_of_entity(self, entity: str, limit: int, *, spread: bool) -> list[Place]:
        own = self.rows("mentions", entity_id=entity)
        if not spread:
            return [place(r) for group in by_document(own) for r in group][:limit]
        return self.spread(own, limit, lambda r: (
            (r["role"] is not None) + min(len(r["text"]), 60) / 60 + r["confidence"]
        ))  # fmt: skip

    def places_of_reference(self, reference: str, limit: int) -> list[Place]:
        own = self.rows("citations", reference_id=reference, resolved=True)
        return self.spread(own, limit, tells)

    def spread(self, rows: Sequence[Row], limit: int, best: Callable[[Row], float]) -> list[Place]:
        return [place(r) for r in spread(rows, limit, best, self.reading)]

    def document_entities(self, document: str) -> list[str]:
        kinds = {r["entity_id"]: r["kind"] for r in self.tables["entities"]}
        counts = Counter(r["entity_id"] for r in self.rows("mentions", document_id=document))
        found = [i for i in counts if kinds[i] in {*NAMES, "concept"}]
        return sorted(found, key=lambda i: (kinds[i] == "concept", -counts[i], i))

    def together(self, ids: Sequence[str]) -> list[tuple[str, str, Place]]:
        """Passage, entity, place."""
        chunks: dict[str, list[Row]] = {}
        copies = self.copies()
        for row in self.tables["mentions"]:
            if row["entity_id"] in ids and row["document_id"] not in copies:
                chunks.setdefault(row["chunk_id"], []).append(row)
        heads = [
            r for rows in chunks.values() for r in rows
            if r["chunk_index"] == 0 and r["role"] in {"sender", "recipient", "copied in"}
        ]  # fmt: skip
        found = []
        for passage, rows in chunks.items():
            own = {r["entity_id"] for r in rows}
            above = [
                h for h in heads
                if rows[0]["chunk_index"] > 0 and h["document_id"] == rows[0]["document_id"]
                and h["entity_id"] not in own
            ]  # fmt: skip
            if len(own | {h["entity_id"] for h in above}) < 2 or all(r["repeated"] for r in rows):
                continue
            found += [(passage, r["entity_id"], place(r)) for r in [*above, *rows]]
        return found

    def timeline(self, places: int) -> list[tuple[str, int, int, int, Place]]:
        """Value, mentions, documents, what stands beside, place."""
        spots = {(r["chunk_id"], r["char_start"]) for r in self.tables["citations"]} | {
            (r["chunk_id"], r["char_start"]) for r in self.tables["mentions"]
            if r["kind"] in {"person", "organization", "amount"}
        }  # fmt: skip
        values: dict[str, list[tuple[int, Row]]] = {}
        for row in self.counting("dates"):
            if row["entity_id"] is None or row["precision"] not in PRECISIONS or self._named(row):
                continue
            beside = sum(
                chunk == row["chunk_id"]
                and row["char_start"] - 150 <= at < row["char_end"] + 150
                for chunk, at in spots
            )  # fmt: skip
            values.setdefault(row["value"], []).append((beside, row))
        promises = {}
        for value, own in values.items():
            own.sort(key=lambda pair: -pair[0])
            beside, first = own[0]
            documents = len({r["document_id"] for _, r in own})
            promises[value] = (
                0.3 * PRECISIONS[first["precision"]]
                + 0.2 * first["confidence"]
                + 0.1 * min(math.log2(documents) / 3, 1)
                + 0.05 * min(math.log2(len(own)) / 4, 1)
                + 0.15 * min(beside, 4) / 4
                - 0.2 * (len(own) > 8 * documents)
            )
        return [
            (v, len(values[v]), len({r["document_id"] for _, r in values[v]}), n, place(r))
            for v in sorted(values, key=lambda v: (-round(promises[v], 12), v))
            for n, r in values[v][:places]
        ]  # fmt: skip

    def _named(self, date: Row) -> bool:
        return date["precision"] == "year" and any(
            r["chunk_id"] == date["chunk_id"]
            and r["type"] in NAMED_THINGS
            and r["char_start"] <= date["char_start"]
            and date["char_end"] <= r["char_end"]
            for r in self.tables["citations"]
        )

    # --- connections -------------------------------------------------------------------------

    def met(self, center: str | None = None) -> list[Row]:
        telling = {center} | {
            r["entity_id"] for r in self.tables["entities"]
            if self._tells_apart(r) and (r["role"] is not None or r["name"] not in PUBLIC)
        }  # fmt: skip
        return [
            r for r in self.rows("edges", source_kind="entity", type="co_occurrence")
            if {r["source_id"], r["target_id"]} <= telling
        ]  # fmt: skip

    def around(self, center: str, depth: int, limit: int) -> list[tuple[str, int]]:
        strength, distance = {center: 1.0}, {center: 0}
        for step in range(1, depth + 1):
            reached = dict(strength)
            for edge in self.met(center):
                for here, there in both_ways(edge):
                    if here in strength:
                        carried = strength[here] * edge["weight"]
                        reached[there] = max(reached.get(there, 0.0), carried)
            for entity in reached:
                distance.setdefault(entity, step)
            strength = reached
        worth = {i: s * interest(i) for i, s in strength.items()}
        kept = sorted(worth, key=lambda i: (-worth[i], distance[i], i))[:limit]
        return [(i, distance[i]) for i in sorted(kept, key=lambda i: (distance[i], -worth[i], i))]

    def best_connected(self) -> list[str]:
        named: dict[str, set[str]] = defaultdict(set)
        document = {}
        for row in self.rows("mentions", kind=(*NAMES, "concept")):
            named[row["chunk_id"]].add(row["entity_id"])
            document[row["chunk_id"]] = row["document_id"]
        telling: Counter[str] = Counter()
        for edge in self.met():
            shown = [c for c in edge["evidence"] if c in named]
            if not shown:
                continue
            share = sum(1 / max(len(named[c]) - 1, 1) for c in shown) / len(shown)
            told = math.log1p(edge["count"] * share)
            told *= (1 + math.log(len({document[c] for c in shown}))) * edge["weight"]
            for here, there in both_ways(edge):
                telling[here] += told * interest(here) ** 2 * interest(there)
        return sorted(telling, key=lambda i: (-round(telling[i], 9), i))

    def edges_among(self, ids: Sequence[str]) -> list[tuple[str, str]]:
        met = self.rows("edges", source_kind="entity", type="co_occurrence")
        own = [e for e in met if {e["source_id"], e["target_id"]} <= set(ids)]
        own.sort(key=lambda e: (-e["weight"], -e["count"], e["source_id"], e["target_id"]))
        kept, seen = [], set[str]()
        for number, edge in enumerate(own):
            pair = edge["source_id"], edge["target_id"]
            if number < 4 * len(ids) or set(pair) - seen:
                kept.append(pair)
            seen |= set(pair)
        return kept

    def related(self, document: str) -> list[tuple[str, float]]:
        rest: dict[str, float] = {}
        for edge in self.rows("edges", source_kind="document"):
            for here, there in both_ways(edge):
                if here == document:
                    rest[there] = rest.get(there, 1.0) * (1 - edge["weight"])
        names = {d.document_id: d.name for d in self.documents}
        found = [(i, 1 - left) for i, left in rest.items()]
        return sorted(found, key=lambda f: (-round(f[1], 9), names[f[0]], f[0]))

    def families(self) -> set[frozenset[str]]:
        families: list[set[str]] = []
        for edge in self.rows("edges", source_kind="document", type="version"):
            own = {edge["source_id"], edge["target_id"]}
            touched = [f for f in families if f & own]
            families = [f for f in families if not f & own] + [own.union(*touched)]
        return {frozenset(f) for f in families}

    def shared(self, document: str, other: str) -> dict[str, list[str]]:
        spread = {r["entity_id"]: r["document_count"] for r in self.tables["entities"]}
        held = {
            "shared_entities": [
                Counter(r["entity_id"] for r in self.rows("mentions", document_id=d)
                        if r["kind"] in {*NAMES, "concept"}) for d in (document, other)
            ],
            "shared_references": [
                Counter(r["reference_id"] for r in self.rows("citations", document_id=d)
                        if r["resolved"] and r["type"] != "section") for d in (document, other)
            ],
        }  # fmt: skip
        found = {
            type_: sorted(
                one.keys() & two.keys(),
                key=lambda i: (i.startswith("concept:"), spread.get(i, 0), -min(one[i], two[i]),
                               -one[i] - two[i], i),
            )
            for type_, (one, two) in held.items()
        }  # fmt: skip
        return {type_: ids for type_, ids in found.items() if ids}

    def features(self) -> dict[tuple[str, str], tuple[int, Place]]:
        held: dict[tuple[str, str], list[Row]] = {}
        for row in self.rows("mentions", kind=NAMES):
            held.setdefault((row["entity_id"], row["document_id"]), []).append(row)
        held = {
            key: rows for key, rows in held.items()
            if rows[0]["name"] not in PUBLIC or any(r["role"] for r in rows)
        }  # fmt: skip
        spread = Counter(entity for entity, _ in held)
        found = {}
        for key, rows in held.items():
            share = 0.1 if rows[0]["kind"] == "location" else 0.9
            if 1 < spread[key[0]] <= max(2, share * len(self.documents)):
                found[key] = (len(rows), place(rows[0]))
        return found

    def largest_amounts(self) -> list[tuple[str, list[tuple[float, int, Place]]]]:
        units: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
        for row in self.counting("amounts", kind="money"):
            units[row["unit"]][row["entity_id"]].append(row)
        found = []
        for unit in sorted(units, key=lambda u: (-sum(map(len, units[u].values())), u)):
            sums = sorted(units[unit].items(), key=lambda s: (-abs(s[1][0]["value"]), s[0]))
            found.append((unit, [
                (rows[0]["value"], len(rows), place(max(rows, key=lambda r: r["confidence"])))
                for _, rows in sums
            ]))  # fmt: skip
        return found

    def key_references(self) -> list[tuple[str, Place]]:
        found = []
        for reference in self.references("citations"):
            own = self.rows("citations", reference_id=reference, resolved=True)
            best = max(spread(own, 5, tells, self.reading), key=tells)
            found.append((reference, place(best)))
        return found


def place(row: Row) -> Place:
    return row["chunk_id"], row["char_start"], row["char_end"]


def tells(citation: Row) -> float:
    return float(citation["relationship"] not in {"cites", "discusses"}) + citation["confidence"]


def interest(entity: str) -> float:
    return 0.5 if entity.startswith(("concept:", "location:")) else 1.0


def both_ways(edge: Row) -> Iterable[tuple[str, str]]:
    yield edge["source_id"], edge["target_id"]
    yield edge["target_id"], edge["source_id"]


def by_document(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows in reading order by document, those with most rows first."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row["document_id"], []).append(row)
    return sorted(grouped.values(), key=lambda rows: -len(rows))


def spread(
    rows: Sequence[Row],
    limit: int,
    best: Callable[[Row], float],
    reading: Callable[[Row], Any],
) -> list[Row]:
    """The best row of each document, then the second best of each, and so on.

    Shown are the best ones in the order of documents, then in reading order what else there is.
    """
    rounds = [sorted(group, key=lambda r: (-best(r), reading(r))) for group in by_document(rows)]
    first = [group[0] for group in rounds][:limit]
    most = max((len(group) for group in rounds), default=0)
    rest = [g[turn] for turn in range(1, most) for g in rounds if turn < len(g)]
    return first + sorted(rest[: limit - len(first)], key=reading)


def held(rows: Sequence[Mapping[str, Any]]) -> list[Place]:
    return [place(dict(row)) for row in rows]
