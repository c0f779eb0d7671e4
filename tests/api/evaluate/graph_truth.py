"""Scores the context graph of the sample case file against notes of a careful reader.

The notes are ``data-samples/graph.toml``. All functions are pure: they compare the notes with rows
of the graph's tables. Names are compared by their words, without case, titles and punctuation.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from api.evaluate.graph_links import score_references, score_relations, score_sections
from api.evaluate.graph_tally import Tally, holds, words_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from casetrack.graph.graph import ContextGraph

NAME_KINDS = ("person", "organization", "location")
_YEAR = re.compile(r"^\d{4}")


@dataclass(frozen=True, slots=True)
class NameScore:
    """Scores of the entities of one kind.

    Attributes
    ----------
    entities
        An entity with a wrong kind is both wrong and missed.
    mention_precision
        Share of right mentions among all mentions.
    merged
        Number of entities that combine two true ones, with their names.
    split
        Number of true entities that several entities share, with their names.
    roles
        Wanted roles (of entities with a role in the texts) and given ones.
    """

    entities: Tally
    mention_precision: float
    merged: tuple[str, ...]
    split: tuple[str, ...]
    roles: Tally


@dataclass(frozen=True, slots=True)
class Report:
    """All scores."""

    names: dict[str, NameScore]
    tallies: dict[str, Tally] = field(default_factory=dict)


def load_truth(path: Path, /) -> dict[str, Any]:
    """Return the notes."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


def rows_of(graph: ContextGraph, /) -> Callable[[str], list[dict[str, Any]]]:
    """Return the function that reads the rows of a graph for :func:`score_graph`."""

    def rows(name: str) -> list[dict[str, Any]]:
        if name == "documents":
            return [{"document_id": d.document_id, "name": d.name} for d in graph.documents]
        return graph.table(name).to_pylist()  # type: ignore[arg-type]

    return rows


def score_graph(truth: Mapping[str, Any], rows: Callable[[str], Any], /) -> Report:
    """Score a graph; *rows* returns the rows of a graph table, or of ``documents``, as mappings."""
    documents = {row["document_id"]: row["name"] for row in rows("documents")}
    citations = [row for row in rows("citations") if row["resolved"]]
    return Report(
        {kind: score_names(truth, kind, rows("entities")) for kind in NAME_KINDS},
        {
            "dates": score_values(truth, "dates", dates_by_document(rows("dates"))),
            "days of dates, the year open": score_days(truth, rows("dates")),
            "amounts of money, percentages": score_values(
                truth, "amounts", amounts_by_document(rows("amounts"))
            ),
            **score_references(truth, rows("references"), citations, documents),
            **score_sections(truth, citations, documents),
            **score_relations(truth, rows("edges"), documents),
        },
    )


# --- names ----------------------------------------------------------------------------------------


def score_names(
    truth: Mapping[str, Any], kind: str, rows: Iterable[Mapping[str, Any]]
) -> NameScore:
    """Score the entities of one kind; an entity is right if its name or an alias is a spelling."""
    wanted = truth[kind]
    by_words = {
        words_of(spelling): number
        for number, entry in enumerate(wanted)
        for spelling in (entry["name"], *entry["spellings"], *entry.get("defined", ()))
    }
    aside = {words_of(name) for name in truth["aside"]["names"]}
    holders: dict[int, list[Mapping[str, Any]]] = {number: [] for number in range(len(wanted))}
    merged, wrong, places = list[str](), list[str](), Counter[bool]()
    for row in rows:
        if row["kind"] != kind:
            continue
        spelled = [words_of(text) for text in (row["name"], *row["aliases"])]
        numbers = sorted({by_words[words] for words in spelled if words in by_words})
        for number in numbers:
            holders[number].append(row)
        if len(numbers) > 1:
            merged.append(f"{row['name']} = {', '.join(wanted[n]['name'] for n in numbers)}")
        if not numbers and not aside.intersection(spelled):
            wrong.append(f"{row['name']} ({row['mention_count']})")
        if numbers or not aside.intersection(spelled):
            places[bool(numbers)] += row["mention_count"]
    actual = {row["entity_id"] for held in holders.values() for row in held}
    missed = tuple(wanted[n]["name"] for n, held in holders.items() if not held)
    return NameScore(
        Tally(
            len(wanted),
            len(wanted) - len(missed),
            len(actual) + len(wrong),
            len(actual),
            missed,
            tuple(wrong),
        ),
        places[True] / max(1, places.total()),
        tuple(merged),
        tuple(
            f"{wanted[n]['name']} = {', '.join(row['name'] for row in held)}"
            for n, held in holders.items()
            if len(held) > 1
        ),
        _roles(wanted, holders),
    )


def _roles(
    wanted: Sequence[Mapping[str, Any]], holders: Mapping[int, Sequence[Mapping[str, Any]]]
) -> Tally:
    """Compare roles; one that names its firm too ("fitter of Halyard") is right as well."""
    missed, wrong = list[str](), list[str]()
    known = given = true = 0
    for number, held in holders.items():
        true_roles = [words_of(role) for role in wanted[number].get("roles", ())]
        roles = [row["role"] for row in held if row["role"]]
        right = [r for r in roles if any(holds(words_of(r), role) for role in true_roles)]
        known += bool(true_roles)
        given += len(roles)
        true += len(right)
        name = wanted[number]["name"]
        if true_roles and not right:
            missed.append(f"{name}: {wanted[number]['roles'][0]}")
        wrong += [f"{name}: {role}" for role in roles if role not in right]
    return Tally(known, known - len(missed), given, true, tuple(missed), tuple(wrong))


# --- dates and amounts ----------------------------------------------------------------------------

Value = tuple[str, float] | str


def dates_by_document(rows: Iterable[Mapping[str, Any]], /) -> dict[str, set[str]]:
    """Return the dates with a year by document; a range counts as its two ends."""
    keys: dict[str, set[str]] = {}
    for row in rows:
        ends = (row["value"] or "").split("/")
        values = {value for value in ends if _YEAR.match(value)}
        keys.setdefault(row["document_name"], set()).update(values)
    return keys


def amounts_by_document(rows: Iterable[Mapping[str, Any]], /) -> dict[str, set[tuple[str, float]]]:
    """Return the sums of money and percentages by document, both ends of a range."""
    keys: dict[str, set[tuple[str, float]]] = {}
    for row in rows:
        if row["kind"] in {"money", "percent"}:
            ends = [row["value"]] if row["high"] is None else [row["value"], row["high"]]
            values = {(str(row["unit"]), round(end, 4)) for end in ends}
            keys.setdefault(row["document_name"], set()).update(values)
    return keys


def score_values(truth: Mapping[str, Any], what: str, result: Mapping[str, set[Any]]) -> Tally:
    """Score ``dates`` or ``amounts``: a value counts once in a document."""

    def read(text: str) -> Value:
        if what == "dates":
            return text
        unit, number = text.split()
        return unit, round(float(number), 4)

    aside = {read(text) for text in truth["aside"][what]}
    missed, wrong = list[str](), list[str]()
    wanted_count = judged = 0
    for document, entries in truth[what].items():
        wanted = {read(text): f"{document}: {text} ({why})" for text, why in entries.items()}
        local = result.get(document, set())
        wanted_count += len(wanted)
        missed += [note for value, note in wanted.items() if value not in local]
        if document in truth["aside"]["complete"]:
            clear = local - aside
            judged += len(clear)
            wrong += [f"{document}: {value}" for value in sorted(clear - wanted.keys())]
    return Tally(
        wanted_count,
        wanted_count - len(missed),
        judged,
        judged - len(wrong),
        tuple(missed),
        tuple(wrong),
    )


def score_days(truth: Mapping[str, Any], rows: Iterable[Mapping[str, Any]]) -> Tally:
    """Score days of the notes, where a date that leaves the year open (``--10-08``) will do."""
    values: dict[str, set[str]] = {}
    for row in rows:
        values.setdefault(row["document_name"], set()).update((row["value"] or "").split("/"))
    wanted = [(d, day) for d, days in truth["dates"].items() for day in days if len(day) == 10]
    missed = tuple(
        f"{document}: {day}"
        for document, day in wanted
        if not {day, f"-{day[4:]}"} & values.get(document, set())
    )
    return Tally(len(wanted), len(wanted) - len(missed), missed=missed)
