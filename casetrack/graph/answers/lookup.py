"""Resolution of a typed name to an entity or reference, by any spelling or a similar one."""

from __future__ import annotations

import difflib
import weakref
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.arguments import one_of, shown
from casetrack.base.errors import EntityNotFound, ReferenceNotFound, UsageError
from casetrack.base.records.graph import COURT, ENTITY_KINDS
from casetrack.base.words.lists import LEGAL_FORMS, title_words
from casetrack.extract.days import LONGEST, dates_of, is_all
from casetrack.graph.answers.rows import entity_of, numbers, picked, reference_of
from casetrack.graph.spelling import normalised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records.graph import Entity, Reference
    from casetrack.extract.spans import AmountSpan, DateSpan
    from casetrack.graph.graph import ContextGraph

# Similarity of a typed name to known names: normal forms, parts of names, typing errors.

EXACT = 1.0
FITS = 0.6
"""Names with a lower score are only suggested, never used."""
NEAR = 0.45
_SAME_CORE = 0.97
_LEGAL_FORMS = "|".join(LEGAL_FORMS.words("ignored"))
_TITLES = "|".join(
    sorted(
        title_words("address", "academic", "knights", "peers", "german")
        | set("miss mx professor hon judge justice the".split())
    )
)
_LONGEST_TYPED = 200
_GRAM = 3
_MOST_COMPARED = 150


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Names in normal form; ``owners``, int64 [names], has the position of the entry of each."""

    forms: pa.Array
    owners: NDArray[np.int64]


def known_names(names: Sequence[tuple[pa.ChunkedArray, NDArray[np.int64]]], /) -> KnownNames:
    """Normalise columns of names, each given with the positions of its entries."""
    columns = [normalised(column) for column, _ in names]
    return KnownNames(
        pa.concat_arrays(columns) if columns else pa.array([], pa.string()),
        np.concatenate([owners for _, owners in names]) if names else np.zeros(0, np.int64),
    )


def flattened(lists: pa.ChunkedArray, /) -> tuple[pa.ChunkedArray, NDArray[np.int64]]:
    """Return the strings of a column of lists, and the row of each."""
    column = lists.combine_chunks()
    rows = pc.list_parent_indices(column)
    return pc.list_flatten(column), np.asarray(rows, dtype=np.int64)


def normal_form(name: str, /) -> str:
    """Return a typed name in the form of :func:`normalised`, at most 200 characters."""
    return str(normalised(pa.array([name[:_LONGEST_TYPED]]))[0].as_py())


def nearness(typed: str, known: KnownNames, entries: int, /) -> NDArray[np.float64]:
    """Return for each entry the best score of its names for a typed name, 0..1.

    1 is the same name; 0.97 the name with another legal form or title; 0.6..0.95 a part of the name
    (higher for a larger part) or a typing error; lower scores are only similar. *typed* is in
    normal form and not empty; *entries* is the number of entries that *known* covers.
    """
    best = np.zeros(entries)
    if len(known.forms) == 0:
        return best
    scores = _same(typed, known.forms)
    scores = np.maximum(scores, _parts(typed, known.forms))
    if scores.max() < EXACT:
        scores = np.maximum(scores, _slips(typed, known.forms))
    np.maximum.at(best, known.owners, scores)
    return best


def _same(typed: str, forms: pa.Array) -> NDArray[np.float64]:
    score = np.where(_mask(pc.equal(forms, typed)), EXACT, 0.0)
    core = str(_core(pa.array([typed]))[0].as_py())
    if core:
        score = np.maximum(score, np.where(_mask(pc.equal(_core(forms), core)), _SAME_CORE, 0.0))
    return score


def _core(forms: pa.Array) -> pa.Array:
    text = pc.replace_substring_regex(forms, rf"^(?:(?:{_TITLES}) )+", "")
    return pc.replace_substring_regex(text, rf"(?: (?:and )?(?:{_LEGAL_FORMS}))+$", "")


def _parts(typed: str, forms: pa.Array) -> NDArray[np.float64]:
    """Score names that contain every typed word; a single letter matches a word that it starts."""
    words = str(_core(pa.array([typed]))[0].as_py()).split() or typed.split()
    padded = pc.binary_join_element_wise("", forms, "", " ")
    holds = np.ones(len(forms), dtype=bool)
    for word in dict.fromkeys(words):
        open_ended = len(word) == 1 and word.isalpha()
        holds &= _mask(pc.match_substring(padded, f" {word}" + ("" if open_ended else " ")))
    if not any(len(word) >= (3 if word.isdigit() else 2) for word in words):
        # An initial or a short number alone matches too many names.
        holds[:] = False
    lengths = np.asarray(pc.count_substring(forms, " "), dtype=np.float64) + 1
    covered = np.clip(len(words) / lengths, 0, 1)
    return np.where(holds, 0.65 + 0.3 * covered, 0.0)


def _slips(typed: str, forms: pa.Array) -> NDArray[np.float64]:
    """Score names with typing errors, among those that share most trigrams."""
    scores = np.zeros(len(forms))
    padded = f" {typed} "
    grams = {padded[i : i + _GRAM] for i in range(len(padded) - _GRAM + 1)}
    text = pc.binary_join_element_wise("", forms, "", " ")
    shared = np.zeros(len(forms))
    for gram in sorted(grams):
        shared += _mask(pc.match_substring(text, gram))
    share = shared / max(len(grams), 1)
    likely = np.flatnonzero(share >= 0.3)
    order = likely[np.argsort(-share[likely], kind="stable")][:_MOST_COMPARED]
    for place, form in zip(order, forms.take(pa.array(order)).to_pylist(), strict=True):
        scores[place] = _likeness(typed, form)
    return scores


def _likeness(typed: str, form: str) -> float:
    """Return the similarity of two names, or of the typed one and consecutive words of the other.

    Figures are compared exactly: another number is another thing.
    """
    if {w for w in typed.split() if w.isdigit()} - set(form.split()):
        return min(0.5, 0.7 * _ratio(typed, form))
    count, words = len(typed.split()), form.split()
    turned = _ratio(" ".join(sorted(typed.split())), " ".join(sorted(words)))
    whole = max(_ratio(typed, form), 0.95 * turned)
    if len(words) <= count:
        return _graded(whole)
    windows = (" ".join(words[i : i + count]) for i in range(len(words) - count + 1))
    return max(_graded(whole), 0.9 * _graded(max(_ratio(typed, w) for w in windows)))


def _ratio(a: str, b: str) -> float:
    return difflib.SequenceMatcher(None, a, b, autojunk=False).ratio()


def _graded(ratio: float) -> float:
    """Return the graded score: from 0.8 a typing error, below only similar."""
    return 0.95 * ratio if ratio >= 0.8 else 0.7 * ratio


def _mask(values: Any) -> NDArray[np.bool_]:
    return np.asarray(pc.fill_null(values, fill_value=False)).astype(bool)


# Typed dates and amounts in any form, resolved to entities of the collection.

_SAME = 1.0
_SAME_DAY_OR_NUMBER = 0.85
_WITHIN = 0.65
_MOST = 20
_ROUNDING = 1e-9
_SHARED_SIGNS = {
    "dollar": frozenset("USD CAD AUD NZD HKD SGD TWD".split()),
    "krona/krone": frozenset("SEK NOK DKK ISK".split()),
    "yen/yuan": frozenset("JPY CNY".split()),
    "peso": frozenset("MXN ARS CLP COP PHP UYU".split()),
    "franc": frozenset("CHF XOF XAF".split()),
    "rupee": frozenset("INR PKR LKR NPR".split()),
}


def value_scores(source: ContextGraph, typed: str, kind: str, /) -> dict[str, float]:
    """Return the entities that match a typed date or amount, with their scores.

    The same value scores 1; a day without its year, a reading of an ambiguous date, or a number
    with another or no currency 0.85; a day within a typed month or year 0.65.
    """
    text = typed.strip()
    if len(text) > LONGEST or not any(c.isdigit() or c.isalpha() for c in text):
        return {}
    scores: dict[str, float] = {}
    if kind in {"any", "amount"}:
        for amount in _amounts(text):
            scores |= _same_amounts(source, amount)
    if kind in {"any", "date"}:
        for date in dates_of(text):
            scores |= _same_dates(source, date)
    return scores


def _amounts(text: str) -> list[AmountSpan]:
    from casetrack.extract.amounts import find_amounts

    return [a for a in find_amounts(text) if is_all(text, a.start, a.end)]


def _same_amounts(source: ContextGraph, asked: AmountSpan) -> dict[str, float]:
    table = source.table("amounts")
    near = pc.less_equal(
        pc.abs(pc.subtract(table["value"], asked.value)), abs(asked.value) * _ROUNDING
    )
    scores: dict[str, float] = {}
    for row in table.filter(near).select(["entity_id", "unit", "high"]).to_pylist():
        if row["high"] != asked.high:
            continue
        if row["unit"] == asked.unit:
            scores[row["entity_id"]] = _SAME
        elif _may_be(asked.unit, row["unit"]):
            scores.setdefault(row["entity_id"], _SAME_DAY_OR_NUMBER)
    return scores


def _may_be(asked: str | None, stored: str | None) -> bool:
    """Return whether two units may be the same: no typed unit, or an ambiguous currency sign."""
    if asked is None:
        return True
    return stored in _SHARED_SIGNS.get(asked, ()) or asked in _SHARED_SIGNS.get(stored or "", ())


def _same_dates(source: ContextGraph, asked: DateSpan) -> dict[str, float]:
    table = source.table("dates").select(["entity_id", "value", "first_day", "last_day"])
    table = table.filter(pc.is_valid(table["entity_id"]))
    if asked.value is not None and asked.kind == "partial":
        fits = pc.ends_with(table["value"], asked.value.removeprefix("-"))
        return _some(table.filter(fits)["entity_id"].to_pylist(), _SAME_DAY_OR_NUMBER)
    scores: dict[str, float] = {}
    if asked.first is not None and asked.last is not None:
        inside = pc.and_(
            pc.greater_equal(table["first_day"], asked.first),
            pc.less_equal(table["last_day"], asked.last),
        )
        scores = _some(table.filter(inside)["entity_id"].to_pylist(), _WITHIN)
    for value, score in [(asked.value, _SAME), *((r, _SAME_DAY_OR_NUMBER) for r in asked.readings)]:
        if value is not None:
            same = table.filter(pc.equal(table["value"], value))["entity_id"].to_pylist()
            scores |= _some(same, score)
    return scores


def _some(ids: list[str], score: float) -> dict[str, float]:
    """Return the most frequent of *ids*, each with *score*."""
    counts = Counter(ids)
    most = sorted(counts, key=lambda i: (-counts[i], i))[:_MOST]
    return dict.fromkeys(most, score)


_NEAR_SHOWN = 5


def match_entities(
    source: ContextGraph, name: str, /, *, kind: str = "any", limit: int = 5
) -> list[tuple[Entity, float]]:
    """Return the entities that a typed name, date or amount may refer to, at least one, best first.

    Each has a score, 0..1; equal scores are ordered by number of mentions. *name* is an id, a name
    or alias in any spelling, a part of one ("Smith"), one with a typing error; a date or an amount
    in any form ("12 March 2024", "$1.2 million"). *kind* is one of ``ENTITY_KINDS``, ``court`` for
    the organisations that are courts, or ``any``. Raises ``EntityNotFound`` with similar names if
    nothing matches.
    """
    one_of("kind", kind, ("any", *ENTITY_KINDS, COURT))
    name = _plain(name)
    typed = _typed(name, "a person, an organisation, a place, a date or an amount")
    table = source.table("entities")
    known = _names_of(table, lambda: _entity_names(source))
    scores = _named(name, typed, table, "entity_id", known)
    for entity_id, score in value_scores(source, name, kind).items():
        scores[_mask(pc.equal(table["entity_id"], entity_id))] = score
    if kind == "any":
        allowed = np.ones(len(scores), bool)
    else:
        allowed = _mask(pc.equal(table["role" if kind == COURT else "kind"], kind))
    best = _best(np.where(allowed, scores, 0.0), table, "mention_count", "entity_id")
    if fitting := _fitting(best, scores, table, limit):
        return [(entity_of(row), score) for row, score in fitting]
    near = _best(scores, table, "mention_count", "entity_id")
    raise EntityNotFound(shown(name), _similar(near, table, "kind"), kind=kind)


def entity_ids(source: ContextGraph, names: Iterable[str], /) -> tuple[str, ...]:
    """Return the ids of the entities that names refer to; an id is returned unchanged."""
    known = source.table("entities")["entity_id"]
    return tuple(
        name if pc.index(known, name).as_py() >= 0 else match_entities(source, name)[0][0].entity_id
        for name in map(_plain, names)
    )


def match_references(
    source: ContextGraph, name: str, /, *, limit: int = 5
) -> list[tuple[Reference, float]]:
    """Find the references that a typed name may mean, like :func:`match_entities`.

    The citing words in the texts and the name of the target document count as names. Raises
    ``ReferenceNotFound`` with similar names if nothing matches.
    """
    name = _plain(name)
    typed = _typed(name, "a document, a standard, a law or a case")
    table = source.table("references")
    known = _names_of(table, lambda: _reference_names(source))
    scores = _named(name, typed, table, "reference_id", known)
    best = _best(scores, table, "citation_count", "reference_id")
    if fitting := _fitting(best, scores, table, limit):
        return [(reference_of(row), score) for row, score in fitting]
    raise ReferenceNotFound(shown(name), _similar(best, table, "type"))


def _fitting(
    best: Sequence[int], scores: NDArray[np.float64], table: pa.Table, limit: int
) -> list[tuple[dict[str, Any], float]]:
    """Return the rows with a sufficient score."""
    fitting = [i for i in best if scores[i] >= FITS][:limit]
    return list(zip(picked(table, fitting).to_pylist(), scores[fitting].tolist(), strict=True))


def _similar(best: Sequence[int], table: pa.Table, kind: str) -> list[tuple[str, str]]:
    rows = picked(table, best[:_NEAR_SHOWN])
    return list(zip(rows["name"].to_pylist(), rows[kind].to_pylist(), strict=True))


def _plain(name: str) -> str:
    """Return the text without lone surrogates, which Arrow tables cannot store."""
    return name.encode("utf-8", "replace").decode("utf-8")


def _typed(name: str, what: str) -> str:
    typed = normal_form(name)
    if not typed and not any(c.isalnum() for c in name):
        problem = f'"{shown(name)}" contains no name' if shown(name) else "The name is empty"
        raise UsageError(f"{problem}.", hint=f"Type the name of {what}.")
    return typed


def _named(
    name: str, typed: str, table: pa.Table, id_column: str, known: KnownNames
) -> NDArray[np.float64]:
    scores = nearness(typed, known, table.num_rows) if typed else np.zeros(table.num_rows)
    for column in (id_column, "name"):
        scores[_mask(pc.equal(table[column], name.strip()))] = EXACT
    return scores


def _entity_names(source: ContextGraph) -> KnownNames:
    """Return the names and aliases of entities; dates and amounts are found by their value."""
    table = source.table("entities")
    own = np.flatnonzero(~_mask(pc.is_in(table["kind"], value_set=pa.array(["date", "amount"]))))
    named = table.take(pa.array(own))
    aliases, owners = flattened(named["aliases"])
    return known_names([(named["name"], own), (aliases, own[owners])])


def _reference_names(source: ContextGraph) -> KnownNames:
    table = source.table("references")
    kept = np.flatnonzero(_mask(pc.is_valid(table["target_document_name"])))
    # A document may be named with or without its file extension.
    stems = pc.replace_substring_regex(
        table["target_document_name"].take(pa.array(kept)), r"\.[A-Za-z0-9]{1,5}$", ""
    )
    cited = source.table("citations")
    used = cited.filter(cited["resolved"]).group_by(["reference_id", "text"]).aggregate([])
    owners = pc.index_in(used["reference_id"], value_set=table["reference_id"].combine_chunks())
    known = _mask(pc.is_valid(owners))
    return known_names(
        [
            (table["name"], np.arange(table.num_rows, dtype=np.int64)),
            (stems, kept),
            (used["text"].filter(known), np.asarray(owners.filter(known), dtype=np.int64)),
        ]
    )


_kept: dict[int, tuple[weakref.ref[pa.Table], KnownNames]] = {}


def _names_of(table: pa.Table, make: Callable[[], KnownNames]) -> KnownNames:
    """Return the normalised names of a table, cached for the lifetime of the table."""
    key = id(table)
    held = _kept.get(key)
    if held is None or held[0]() is not table:
        held = (weakref.ref(table, lambda _: _kept.pop(key, None)), make())
        _kept[key] = held
    return held[1]


def _best(scores: NDArray[np.float64], table: pa.Table, count: str, id_column: str) -> list[int]:
    """Return positions by score, then by number of places, then by id; none without a score.

    The id of a reference may end in "@" and a random document id, which is ignored.
    """
    some = np.flatnonzero(scores >= NEAR)
    ids = table[id_column].take(pa.array(some)).to_pylist()
    counts = numbers(table, count)[some]
    # Tiny score differences come from lengths of names, not from the meaning.
    steps = np.round(scores[some], 2)
    plain = [i.partition("@")[0] for i in ids]
    order = sorted(range(len(some)), key=lambda i: (-steps[i], -counts[i], plain[i], i))
    return [int(some[i]) for i in order]
