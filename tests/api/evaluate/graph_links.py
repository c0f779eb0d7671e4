"""Scores references and stated relations between documents; see :mod:`evaluate.graph_truth`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from api.evaluate.graph_tally import Tally, holds, tokens_of

STATED_RELATIONS = ("amends", "response_to", "attachment", "version", "explicit")
"""Relations between documents that the notes know of; those that are measures are not judged."""


def _is_section(row: Mapping[str, Any]) -> bool:
    return row["type"] == "section" or row["name"].casefold().startswith("schedule")


def score_references(
    truth: Mapping[str, Any],
    rows: Iterable[Mapping[str, Any]],
    citations: Sequence[Mapping[str, Any]],
    documents: Mapping[str, str],
) -> dict[str, Tally]:
    """Score the reference targets, their documents, and the resolved document."""
    wanted = truth["reference"]
    spelled = [
        (tokens_of(spelling), number)
        for number, entry in enumerate(wanted)
        for spelling in entry["spellings"]
    ]
    spelled.sort(key=lambda pair: -len(pair[0]))

    def meant(*texts: str) -> set[int]:
        """Return the names that the texts use, each in its longest spelling."""
        numbers = set()
        for tokens in map(tokens_of, texts):
            numbers.update([n for part, n in spelled if holds(tokens, part)][:1])
        return numbers

    places: dict[str, list[Mapping[str, Any]]] = {}
    for row in citations:
        places.setdefault(row["reference_id"], []).append(row)
    targets: dict[int, set[str]] = {}
    cited = set[tuple[int, str]]()
    wrong, astray, typed, judged, resolved = list[str](), list[str](), 0, 0, 0
    for row in rows:
        own = places.get(row["reference_id"], [])
        numbers = meant(row["name"], *(c["text"] for c in own))
        aside = any(
            holds(tokens_of(row["name"]), tokens_of(a)) for a in truth["aside"]["references"]
        )
        if _is_section(row) or (aside and not numbers):
            continue
        judged += 1
        if not numbers:
            wrong.append(f"{row['name']} ({', '.join(sorted({c['document_name'] for c in own}))})")
        cited |= {(n, c["document_name"]) for c in own for n in meant(c["text"], c["name"])}
        typed += any(row["type"] == wanted[n]["type"] for n in numbers)
        target = documents.get(row["target_document_id"] or "")
        if target is not None:
            resolved += 1
            for number in numbers:
                targets.setdefault(number, set()).add(target)
            if not any(target == wanted[n].get("document") for n in numbers):
                astray.append(f"{row['name']}: {target}")
    pairs = [(n, document) for n, entry in enumerate(wanted) for document in entry["cited_in"]]
    clear = [n for n, entry in enumerate(wanted) if "document" in entry]
    actual = {n for n, _ in cited}
    lost = [n for n in clear if wanted[n]["document"] not in targets.get(n, ())]
    unseen = [(n, d) for n, d in pairs if (n, d) not in cited]
    true = judged - len(wrong)
    return {
        "references": Tally(
            len(wanted),
            len(actual),
            judged,
            true,
            tuple(e["name"] for n, e in enumerate(wanted) if n not in actual),
            tuple(wrong),
        ),
        "references by citing document": Tally(
            len(pairs),
            len(pairs) - len(unseen),
            missed=tuple(f"{d}: {wanted[n]['name']}" for n, d in unseen),
        ),
        "types of references": Tally(true, typed, true, typed),
        "documents meant": Tally(
            len(clear),
            len(clear) - len(lost),
            resolved,
            resolved - len(astray),
            tuple(f"{wanted[n]['name']}: {wanted[n]['document']}" for n in lost),
            tuple(astray),
        ),
    }


def score_sections(
    truth: Mapping[str, Any], citations: Iterable[Mapping[str, Any]], documents: Mapping[str, str]
) -> dict[str, Tally]:
    """Score the clauses and schedules that a document cites, and their documents."""
    by_name: dict[str, list[Mapping[str, Any]]] = {}
    for row in citations:
        if _is_section(row):
            by_name.setdefault(row["document_name"], []).append(row)
    missed, lost = list[str](), list[str]()
    wanted = elsewhere = 0
    for document, entries in truth["sections"].items():
        for spelling, home in entries.items():
            tokens = tokens_of(spelling)
            held = [
                row
                for row in by_name.get(document, ())
                if holds(tokens_of(row["name"]), tokens) or holds(tokens_of(row["text"]), tokens)
            ]
            wanted += 1
            if not held:
                missed.append(f"{document}: {spelling}")
            if home == "self":
                continue
            elsewhere += 1
            if home not in {documents.get(row["target_document_id"] or "") for row in held}:
                lost.append(f"{document}: {spelling} of {home}")
    return {
        "clauses and schedules": Tally(wanted, wanted - len(missed), missed=tuple(missed)),
        "documents of clauses elsewhere": Tally(
            elsewhere, elsewhere - len(lost), missed=tuple(lost)
        ),
    }


# --- relations ------------------------------------------------------------------------------------


def score_relations(
    truth: Mapping[str, Any], edges: Iterable[Mapping[str, Any]], documents: Mapping[str, str]
) -> dict[str, Tally]:
    """Score the explicit relations between documents of the collection.

    A wanted explicit reference counts as present if a stronger relation has the same direction. A
    result is right if the notes have any relation of the two documents.
    """
    held = set(documents.values())
    wanted: dict[str, set[tuple[str, str]]] = {kind: set() for kind in STATED_RELATIONS}
    values: dict[str, set[tuple[str, str]]] = {kind: set() for kind in STATED_RELATIONS}
    for entry in truth["relation"]:
        pair = (entry["from"], entry["to"])
        if held.issuperset(pair):
            wanted[entry["type"]].add(_ordered(entry["type"], pair))
    for row in edges:
        if row["source_kind"] == row["target_kind"] == "document" and row["type"] in values:
            pair = documents[row["source_id"]], documents[row["target_id"]]
            values[row["type"]].add(_ordered(row["type"], pair))
    tallies = {}
    for kind in STATED_RELATIONS:
        local, good = values[kind], wanted[kind]
        if kind == "explicit":
            local = set().union(*values.values())
            good = set().union(*wanted.values())
        missed = sorted(wanted[kind] - local)
        wrong = sorted(values[kind] - good)
        tallies[f"relation {kind}"] = Tally(
            len(wanted[kind]),
            len(wanted[kind]) - len(missed),
            len(values[kind]),
            len(values[kind]) - len(wrong),
            tuple(map(" -> ".join, missed)),
            tuple(map(" -> ".join, wrong)),
        )
    return tallies


def _ordered(kind: str, pair: tuple[str, str]) -> tuple[str, str]:
    return (min(pair), max(pair)) if kind == "version" else pair
