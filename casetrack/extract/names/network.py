"""The network that scores labels: a few small sums in numpy over the encoder's states.

The states of three layers are projected, what the words' form says is added, words see their
neighbours and the mean over the other places where the same capitalised word stands. It can be run
over part of a text's words: those are then told apart from where they stand, and see each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from casetrack.extract.names.words import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.extract.names.words import Words
    from casetrack.models.base import Floats

_SIZES = dict(COLUMNS)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The words that a network is run over.

    Attributes
    ----------
    words
        int64 [n], ascending: which words of the text.
    tokens
        int64 [m]: which tokens of the encoder they consist of, ``None`` for all.
    first
        int64 [n]: where each word's tokens begin among those.
    groups
        int64 [n]: as in `Words.groups`.
    forms
        Per table of forms, the row of each word.
    """

    words: NDArray[np.int64]
    tokens: NDArray[np.int64] | None
    first: NDArray[np.int64]
    groups: NDArray[np.int64]
    forms: tuple[NDArray[np.int64], ...]


def all_rows(words: Words, token_starts: NDArray[np.int32], /) -> Rows:
    """Return all words of a text.

    Parameters
    ----------
    words
        At least one.
    token_starts
        Where the encoder's tokens begin, in code points. A word without a token of its own takes
        the next one.
    """
    first = np.searchsorted(token_starts, words.starts)
    first = np.minimum(first, len(token_starts) - 1)
    chosen = np.arange(len(words.texts))
    return Rows(chosen, None, first, words.groups, _form_rows(words.features))


def some_rows(rows: Rows, chosen: NDArray[np.int64], tokens: int, /) -> Rows:
    """Return part of all words of a text.

    Parameters
    ----------
    rows
        All words.
    chosen
        Which of them, ascending, at least one.
    tokens
        How many tokens the text has.
    """
    start = rows.first[chosen]
    sizes = np.maximum(np.diff(rows.first, append=tokens)[chosen], 1)
    first = np.cumsum(sizes) - sizes
    inside = np.arange(int(sizes.sum())) + np.repeat(start - first, sizes)
    forms = tuple(part[chosen] for part in rows.forms)
    return Rows(chosen, inside, first, rows.groups[chosen], forms)


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """One network, all float32.

    Attributes
    ----------
    project
        [layers, states, width], the last layer at the end, and its *bias* [width].
    forms
        What the words' form adds, [n, width] each; see `form_tables`.
    near, far
        [3 * width, width] with a bias each, over the neighbours one and two words away.
    out
        [2 * width, labels] and its bias.
    """

    project: Floats
    bias: Floats
    forms: tuple[Floats, ...]
    near: tuple[Floats, Floats]
    far: tuple[Floats, Floats]
    out: tuple[Floats, Floats]

    @classmethod
    def of(cls, part: Mapping[str, Floats], /) -> Network:
        """Make one of its arrays by name, as training names them."""
        pairs = {n: (part[n], part[f"{n}_bias"]) for n in ("near", "far", "out")}
        return cls(part["project"], part["bias"], form_tables(part["table"]), **pairs)

    def scores(self, rows: Rows, states: Sequence[Floats], /) -> Floats:
        """Return the log probabilities of the labels, float32 [words, labels].

        Parameters
        ----------
        rows
            The words.
        states
            float32 [tokens, states] per layer, of all tokens of the text.
        """
        hidden = self._projected(rows, states)
        for table, form in zip(self.forms, rows.forms, strict=True):
            hidden += table[form]
        np.maximum(hidden, 0.0, out=hidden)
        hidden += _beside(hidden, rows.words, 1, *self.near)
        hidden += _beside(hidden, rows.words, 2, *self.far)
        width = hidden.shape[1]
        scores: Floats = hidden @ self.out[0][:width]
        scores += _company(hidden, rows.groups) @ self.out[0][width:]
        scores += self.out[1]
        scores -= scores.max(axis=1, keepdims=True)
        scores -= np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return scores

    def _projected(self, rows: Rows, states: Sequence[Floats]) -> Floats:
        """Return the projected states, of each word the mean over its tokens."""
        if rows.tokens is not None:
            states = [layer[rows.tokens] for layer in states]
        total = states[0] @ self.project[0]
        for layer, part in zip(states[1:], self.project[1:], strict=True):
            total += layer @ part
        sizes = np.maximum(np.diff(rows.first, append=len(total)), 1).astype(np.float32)
        pooled: Floats = np.add.reduceat(total, rows.first, axis=0)
        pooled /= sizes[:, None]
        pooled += self.bias
        return pooled


def form_tables(table: Floats, /) -> tuple[Floats, ...]:
    """Add up what the columns of words give, so that four tables do for all of them.

    The first is by shape and length; the second by ending, then by mark, which no word has both of;
    the third by the word's lists; the last by all that depends on the word's place.

    Parameters
    ----------
    table
        float32 [values of all `COLUMNS`, width], column after column.
    """
    cuts = np.cumsum([size for _, size in COLUMNS])[:-1]
    shape, length, mark, suffix, flags, *places = np.split(table, cuts)
    ends = np.concatenate([suffix + mark[0], mark + suffix[0]])
    total = places[0]
    for part in places[1:]:
        total = (total[:, None] + part[None]).reshape(-1, table.shape[1])
    return (shape[:, None] + length[None]).reshape(-1, table.shape[1]), ends, flags, total


def _form_rows(features: NDArray[np.int64]) -> tuple[NDArray[np.int64], ...]:
    """Return the row of each word in each of the tables of forms."""
    shape, length, mark, suffix, flags, gap, first, line, company = features.T
    place = ((gap * _SIZES["first"] + first) * _SIZES["line"] + line) * _SIZES["company"] + company
    ends = np.where(mark > 0, _SIZES["suffix"] + mark, suffix)
    return shape * _SIZES["length"] + length, ends, flags, place


def _beside(hidden: Floats, at: NDArray[np.int64], by: int, weight: Floats, bias: Floats) -> Floats:
    """Return what a word gets from itself and the words *by* away on both sides."""
    width = hidden.shape[1]
    found: Floats = hidden @ weight[width : 2 * width]
    found += bias
    if len(hidden) > by:
        is_near = (at[by:] - at[:-by] == by).astype(np.float32)[:, None]
        found[by:] += (hidden[:-by] @ weight[:width]) * is_near
        found[:-by] += (hidden[by:] @ weight[2 * width :]) * is_near
    np.maximum(found, 0.0, out=found)
    return found


def _company(hidden: Floats, groups: NDArray[np.int64]) -> Floats:
    """Return the mean over all places of the same capitalised word; zero for other words."""
    mean = np.zeros_like(hidden)
    at = np.flatnonzero(groups >= 0)
    if len(at):
        _, own = np.unique(groups[at], return_inverse=True)
        order = np.argsort(own, kind="stable")
        sizes = np.bincount(own)
        first = np.cumsum(sizes) - sizes
        total = np.add.reduceat(hidden[at[order]], first, axis=0)
        mean[at] = (total / sizes[:, None].astype(np.float32))[own]
    return mean
