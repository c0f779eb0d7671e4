"""Label networks: small sums in numpy over the encoder's states.

The states of three layers are projected, features of the words' form are added, and words see their
neighbours and the mean over other occurrences of the same capitalised word. A smaller gate selects
candidate words; the networks process these and their neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from casetrack.extract.names.words import COLUMNS, Words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.models.base import Floats

_SIZES = dict(COLUMNS)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The words that a network processes."""

    words: NDArray[np.int64]  # int64 [n], ascending indices of words of the text
    tokens: NDArray[np.int64]  # int64 [m], indices of their tokens
    first: NDArray[np.int64]  # int64 [n], start of each word's tokens in *tokens*
    groups: NDArray[np.int64]  # int64 [n], as in `Words.groups`
    forms: tuple[NDArray[np.int64], ...]  # per table of forms, the row of each word


def all_rows(words: Words, token_starts: NDArray[np.int32], /) -> Rows:
    """Return all words of a text; a word without a token at *token_starts* uses the next one."""
    first = np.searchsorted(token_starts, words.starts)
    first = np.minimum(first, len(token_starts) - 1)
    chosen, tokens = np.arange(len(words.texts)), np.arange(len(token_starts))
    return Rows(chosen, tokens, first, words.groups, _form_rows(words.features))


def some_rows(rows: Rows, chosen: NDArray[np.int64], /) -> Rows:
    """Return the words with the indices *chosen*, ascending, at least one."""
    start = rows.first[chosen]
    sizes = np.maximum(np.diff(rows.first, append=len(rows.tokens))[chosen], 1)
    first = np.cumsum(sizes) - sizes
    inside = np.arange(int(sizes.sum())) + np.repeat(start - first, sizes)
    forms = tuple(part[chosen] for part in rows.forms)
    return Rows(chosen, inside, first, rows.groups[chosen], forms)


@dataclass(frozen=True, slots=True, eq=False)
class Head:
    """The layers of one network after the projection, float32."""

    # near, far: [3 * width, width] with a bias each, over the neighbours one and two words away.
    near: tuple[Floats, Floats]
    far: tuple[Floats, Floats]
    out: tuple[Floats, Floats]  # [2 * width, labels] and its bias

    def probabilities(self, hidden: Floats, rows: Rows, places: _Companies, /) -> Floats:
        """Return the label probabilities, float32 [words, labels].

        *hidden*, float32 [words, width], is modified; *places* groups equal words.
        """
        hidden += _beside(hidden, rows.words, 1, *self.near)
        hidden += _beside(hidden, rows.words, 2, *self.far)
        width = hidden.shape[1]
        scores: Floats = hidden @ self.out[0][:width]
        if len(places.at):
            scores[places.at] += places.means(hidden) @ self.out[0][width:]
        scores += self.out[1]
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores


@dataclass(frozen=True, slots=True, eq=False)
class Networks:
    """Several networks with joined projections, float32."""

    project: Floats  # [layers, states, networks * width], the last layer at the end
    bias: Floats  # [networks * width]
    # Sums for the words' form, [n, networks * width] each; see `form_tables`.
    forms: tuple[Floats, ...]
    heads: tuple[Head, ...]  # one per network

    @classmethod
    def of(cls, part: Mapping[str, Floats], /) -> Networks:
        """Make them of arrays by name, as training names them, one network above the other."""
        project = np.ascontiguousarray(np.concatenate([*part["project"]], axis=2))
        forms = form_tables(np.concatenate([*part["table"]], axis=1))
        heads = tuple(
            Head(*((part[n][i], part[f"{n}_bias"][i]) for n in ("near", "far", "out")))
            for i in range(len(part["bias"]))
        )
        return cls(project, part["bias"].ravel(), forms, heads)

    def scores(self, rows: Rows, states: Sequence[Floats], /) -> Floats:
        """Return the logs of the labels' mean probabilities, float32 [words, labels].

        *states* are float32 [tokens, states] per layer, of the tokens in *rows*.
        """
        projected = states[0] @ self.project[0]
        for layer, part in zip(states[1:], self.project[1:], strict=True):
            projected += layer @ part
        hidden = _seen(projected, rows, self.bias, self.forms)
        places = _Companies.of(rows.groups)
        parts = np.split(hidden, len(self.heads), axis=1)
        total = self.heads[0].probabilities(parts[0].copy(), rows, places)
        for head, part in zip(self.heads[1:], parts[1:], strict=True):
            total += head.probabilities(part.copy(), rows, places)
        total /= len(self.heads)
        logs: Floats = np.log(np.maximum(total, 1e-13, out=total), out=total)
        return logs


@dataclass(frozen=True, slots=True, eq=False)
class Gate:
    """Selects candidate words of names, float32."""

    # project, bias: [states, width] and [width], of the last layer.
    project: Floats
    bias: Floats
    forms: tuple[Floats, ...]  # sums for the words' form; see `form_tables`
    out: Floats  # [width, 3], over the word before, the word itself and the next one
    limit: float  # minimum score of a candidate

    @classmethod
    def of(cls, part: Mapping[str, Floats], /) -> Gate:
        """Make one of its arrays by name, as training names them."""
        forms = form_tables(part["table"])
        return cls(part["project"], part["bias"], forms, part["out"], float(part["limit"]))

    def opens(self, rows: Rows, last: Floats, /) -> NDArray[np.bool_]:
        """Return the candidates, bool [words]; *last* is float32 [tokens, states]."""
        hidden = _seen(last @ self.project, rows, self.bias, self.forms)
        parts = hidden @ self.out
        scores = parts[:, 1].copy()
        scores[1:] += parts[:-1, 0]
        scores[:-1] += parts[1:, 2]
        is_open: NDArray[np.bool_] = scores >= self.limit
        return is_open


def _seen(projected: Floats, rows: Rows, bias: Floats, forms: tuple[Floats, ...]) -> Floats:
    sizes = np.maximum(np.diff(rows.first, append=len(projected)), 1).astype(np.float32)
    hidden: Floats = np.add.reduceat(projected, rows.first, axis=0)
    hidden /= sizes[:, None]
    hidden += bias
    for table, form in zip(forms, rows.forms, strict=True):
        hidden += table[form]
    np.maximum(hidden, 0.0, out=hidden)
    return hidden


def form_tables(table: Floats, /) -> tuple[Floats, ...]:
    """Add up the sums of feature columns to four tables.

    By shape and length; by ending or mark, which exclude each other; by the word's lists; by all
    features of the position. *table* is float32 [values of all `COLUMNS`, width].
    """
    cuts = np.cumsum([size for _, size in COLUMNS])[:-1]
    shape, length, mark, suffix, flags, *places = np.split(table, cuts)
    ends = np.concatenate([suffix + mark[0], mark + suffix[0]])
    total = places[0]
    for part in places[1:]:
        total = (total[:, None] + part[None]).reshape(-1, table.shape[1])
    return (shape[:, None] + length[None]).reshape(-1, table.shape[1]), ends, flags, total


def _form_rows(features: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    shape, length, mark, suffix, flags, gap, first, line, company = features.T
    place = ((gap * _SIZES["first"] + first) * _SIZES["line"] + line) * _SIZES["company"] + company
    ends = np.where(mark > 0, _SIZES["suffix"] + mark, suffix)
    return shape * _SIZES["length"] + length, ends, flags, place


def _beside(hidden: Floats, at: NDArray[np.int64], by: int, weight: Floats, bias: Floats) -> Floats:
    width = hidden.shape[1]
    sums: Floats = hidden @ weight[width : 2 * width]
    sums += bias
    if len(hidden) > by:
        is_near = (at[by:] - at[:-by] == by).astype(np.float32)[:, None]
        sums[by:] += (hidden[:-by] @ weight[:width]) * is_near
        sums[:-by] += (hidden[by:] @ weight[2 * width :]) * is_near
    np.maximum(sums, 0.0, out=sums)
    return sums


@dataclass(frozen=True, slots=True, eq=False)
class _Companies:
    """Which words are the same: at *at* those that any others are, sorted by *order* into runs."""

    at: NDArray[np.int64]
    order: NDArray[np.int64]
    first: NDArray[np.int64]
    sizes: Floats
    own: NDArray[np.int64]

    @classmethod
    def of(cls, groups: NDArray[np.int64], /) -> _Companies:
        at = np.flatnonzero(groups >= 0)
        _, own = np.unique(groups[at], return_inverse=True)
        sizes = np.bincount(own)
        order = at[np.argsort(own, kind="stable")]
        return cls(at, order, np.cumsum(sizes) - sizes, sizes.astype(np.float32)[:, None], own)

    def means(self, hidden: Floats) -> Floats:
        """Return the mean over all places of each word at *at*."""
        total = np.add.reduceat(hidden[self.order], self.first, axis=0)
        total /= self.sizes
        means: Floats = total[self.own]
        return means
