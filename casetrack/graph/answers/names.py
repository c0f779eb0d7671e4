"""How near a typed name is to names that are known: forms, parts of names, slips of the finger."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.words.legal_forms import LEGAL_FORMS
from casetrack.base.words.titles import title_words
from casetrack.graph.spelling import normalised

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

EXACT = 1.0
FITS = 0.6
"""Names that are less near are offered, never taken."""
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
    """Names in their compared form, each with the position of what it stands for.

    Attributes
    ----------
    forms
        Normalised names.
    owners
        int64 [names], position of the entry that each name belongs to.
    """

    forms: pa.Array
    owners: NDArray[np.int64]


def known_names(names: Sequence[tuple[pa.ChunkedArray, NDArray[np.int64]]], /) -> KnownNames:
    """Bring columns of names, each with the positions of their entries, into one form."""
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
    """Return one typed name in the form of :func:`normalised`, of at most 200 characters."""
    return str(normalised(pa.array([name[:_LONGEST_TYPED]]))[0].as_py())


def nearness(typed: str, known: KnownNames, entries: int, /) -> NDArray[np.float64]:
    """Return for each entry how near the best of its names is to what was typed, 0..1.

    1 is the name itself; 0.97 the name but for its legal form or title; 0.6..0.95 a part of it,
    the more of it the higher, or a name with a slip of the finger; less is only similar.

    Parameters
    ----------
    typed
        A name in normal form, not empty.
    entries
        Number of entries that *known* tells of.
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
    """Score names that hold every typed word; a single letter stands for a word it begins."""
    words = str(_core(pa.array([typed]))[0].as_py()).split() or typed.split()
    padded = pc.binary_join_element_wise("", forms, "", " ")
    holds = np.ones(len(forms), dtype=bool)
    for word in dict.fromkeys(words):
        open_ended = len(word) == 1 and word.isalpha()
        holds &= _mask(pc.match_substring(padded, f" {word}" + ("" if open_ended else " ")))
    if not any(len(word) >= (3 if word.isdigit() else 2) for word in words):
        # An initial or a short number alone is a part of too much.
        holds[:] = False
    lengths = np.asarray(pc.count_substring(forms, " "), dtype=np.float64) + 1
    covered = np.clip(len(words) / lengths, 0, 1)
    return np.where(holds, 0.65 + 0.3 * covered, 0.0)


def _slips(typed: str, forms: pa.Array) -> NDArray[np.float64]:
    """Score names with a slip of the finger, among those that share most of their letters."""
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
    """Return how alike two names are, or what was typed and some words in a row of the other.

    Figures are no matter of spelling: another number is another thing.
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
    """Four letters of five in place is a slip; less is only similar."""
    return 0.95 * ratio if ratio >= 0.8 else 0.7 * ratio


def _mask(found: Any) -> NDArray[np.bool_]:
    return np.asarray(pc.fill_null(found, fill_value=False)).astype(bool)
