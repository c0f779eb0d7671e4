"""Sets of numbered papers and of standards, laws and links that the texts refer to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.search.computed.asked import REFERENCES, TYPES
from casetrack.search.computed.parts import counted
from casetrack.search.question.wanted import query_terms as stems

if TYPE_CHECKING:
    from casetrack.base.records.search import ComputedAnswer
    from casetrack.search.computed.asked import AskedSet
    from casetrack.search.computed.parts import Source, Spot

_NUMBER = re.compile(r"\b(?P<prefix>(?:[A-Z]{1,6}[-/])+)(?P<digits>\d+(?:[-/.]\d+)*)\b")
_ANY_NUMBER = re.compile(r"[\w/-]*\d[\w/.-]*")
_LEAST = 2
"""Minimum number of papers of a series: one number alone may be a name."""
_MOST_CHUNKS = 2_000
"""Maximum number of chunks that are read for numbers."""


def papers_answer(source: Source, asked: AskedSet, /) -> ComputedAnswer | None:
    """Return the list or number of papers with numbers, or of cited sources, or ``None``."""
    if asked.form not in {"list", "count"} or asked.rest or source.only is not None:
        return None
    if len(asked.words) == 1 and asked.words[0] in REFERENCES:
        return _cited(source, REFERENCES[asked.words[0]])
    return None if asked.words[-1] in TYPES else _series(source, asked)


def _cited(source: Source, kind: str) -> ComputedAnswer | None:
    """Return all references of a type."""
    table = source.graph.table("references")
    rows = [
        r for r in table.select(["reference_id", "name", "type"]).to_pylist() if r["type"] == kind
    ]
    by = "reference_id"
    places = source.first_places("citations", by, {row[by] for row in rows}, by)
    parts = [
        (row["name"], None, places[row["reference_id"]])
        for row in sorted(rows, key=lambda row: row["name"].casefold())
        if row["reference_id"] in places
    ]
    how = f"references of the type {kind}, each name once"
    return source.answer(counted(len(parts), "reference"), how, parts) if parts else None


def _series(source: Source, asked: AskedSet) -> ComputedAnswer | None:
    """Return the papers whose numbers have one prefix: CR-01, CR-02, ..."""
    wanted = stems(asked.name)
    table = source.graph.table("references")
    prefixes: set[tuple[str, int]] = set()
    kinds, names = table["type"].to_pylist(), table["name"].to_pylist()
    for name in (name for name, kind in zip(names, kinds, strict=True) if kind == "document"):
        if stems(_ANY_NUMBER.sub(" ", name)) == wanted and (any_number := _ANY_NUMBER.search(name)):
            number = _NUMBER.fullmatch(any_number.group())
            prefixes.add((number["prefix"], _groups(number["digits"])) if number else ("", 0))
    # A paper with another form of number shows that the numbers of one form are not all.
    if len(prefixes) != 1 or not all(prefix for prefix, _ in prefixes):
        return None
    prefix, groups = prefixes.pop()
    letters = sorted(stems(re.sub(r"[-/]", " ", prefix)))
    chunks = source.places_with(letters) if letters else []
    if not chunks or len(chunks) > _MOST_CHUNKS:
        return None
    found: dict[str, Spot] = {}
    for chunk_id, text in source.texts(chunks):
        for match in _NUMBER.finditer(text):
            if match["prefix"] == prefix and _groups(match["digits"]) == groups:
                found.setdefault(match.group(), (chunk_id, match.start(), match.end()))
    if len(found) < _LEAST:
        return None
    parts = [(number, None, found[number]) for number in sorted(found, key=_natural)]
    text = f"{counted(len(parts), 'different number')}: {parts[0][0]} to {parts[-1][0]}"
    how = f'numbers with the prefix {prefix} in all texts, as in "{asked.name}"'
    return source.answer(text, how, parts)


def _groups(digits: str) -> int:
    return len(re.findall(r"\d+", digits))


def _natural(number: str) -> tuple[int | str, ...]:
    return tuple(int(p) if p.isdigit() else p for p in re.split(r"(\d+)", number))
