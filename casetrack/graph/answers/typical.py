"""Quotes that show what a group of passages is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.graph.answers.sentence import sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records.graph import Quote
    from casetrack.graph.graph import ContextGraph

_LONGEST = 300


def typical_quotes(
    source: ContextGraph, wanted: Sequence[tuple[Sequence[str], Sequence[str]]], /
) -> list[tuple[Quote, ...]]:
    """Return for each group the most telling sentence of each of its chunks.

    Parameters
    ----------
    wanted
        For each group its chunk ids, and its terms, the most telling first.
    """
    ids = list(dict.fromkeys(i for chunk_ids, _ in wanted for i in chunk_ids))
    texts = {c.chunk_id: c.text for c in source.chunks(ids)} if ids else {}
    places = [
        (chunk_id, *telling_sentence(texts[chunk_id], terms))
        for chunk_ids, terms in wanted
        for chunk_id in chunk_ids
    ]
    quotes = iter(source.quotes(places)) if places else iter(())
    return [tuple(next(quotes) for _ in chunk_ids) for chunk_ids, _ in wanted]


def telling_sentence(text: str, terms: Sequence[str], /) -> tuple[int, int]:
    """Return the place of the sentence that holds most of *terms*, the first of equal ones."""
    words = [word.casefold() for term in terms for word in term.split()]
    best, best_score = (0, min(len(text), _LONGEST)), -1.0
    for start, end in sentences(text):
        sentence = text[start:end].casefold()
        score = float(sum(1 / (1 + i) ** 0.5 for i, w in enumerate(words) if w in sentence))
        # A heading or a stub says little, a very long sentence much of everything.
        score *= min(len(sentence), 60) / 60 * min(1.0, 250 / max(len(sentence), 1))
        if score > best_score + 1e-9:
            best, best_score = (start, min(end, start + _LONGEST)), score
    return best
