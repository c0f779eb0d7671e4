"""Names for groups of passages: the phrases that set each of them apart."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.graph.spelling import normalised
from casetrack.records.graph import NAME_KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.graph.graph import ContextGraph

_LABEL_TERMS = 3
_TERMS = 8
_LENGTHS = {1: 1.0, 2: 1.25, 3: 1.15}
"""Two words say more than one; long phrases are seldom what a reader calls a thing."""
_CONCEPT = "concept:"


def telling_terms(groups: Sequence[Sequence[Sequence[str]]], /) -> list[list[str]]:
    """Return for each group the phrases that set it apart, most telling first.

    Class-based tf-idf: the share of a group's passages that hold a phrase, times how rare the
    phrase is among the groups, each group counting the same.

    Parameters
    ----------
    groups
        For each group its passages, each as its phrases.

    Returns
    -------
    list of list of str
        Phrases that at least two passages of the group hold, or, where there is no such, any.
    """
    counts = [Counter(p for passage in group for p in set(passage)) for group in groups]
    shares = [
        {p: n / max(len(group), 1) for p, n in count.items()}
        for group, count in zip(groups, counts, strict=True)
    ]
    overall: Counter[str] = Counter()
    for share in shares:
        overall.update(share)
    average = sum(overall.values()) / max(len(groups), 1)
    found = []
    for count, share in zip(counts, shares, strict=True):
        scores = {
            p: share[p]
            * math.log1p(average / overall[p])
            * (share[p] / overall[p])
            * _LENGTHS.get(len(p.replace("-", " ").split()), 0.7)
            for p in share
        }
        repeated = {p: s for p, s in scores.items() if count[p] > 1} or scores
        found.append(sorted(repeated, key=lambda p: (-repeated[p], p)))
    return found


class TermNames:
    """How phrases are shown to people, and which of them only name somebody."""

    def __init__(self, source: ContextGraph, /) -> None:
        entities = source.table("entities")
        concepts = entities.filter(pc.equal(entities["kind"], "concept"))
        self._names = dict(
            zip(concepts["entity_id"].to_pylist(), concepts["name"].to_pylist(), strict=True)
        )
        is_name = pc.is_in(entities["kind"], value_set=pa.array(NAME_KINDS))
        names = entities.filter(is_name)["name"]
        words = pc.split_pattern(normalised(names), " ") if len(names) else None
        self._words = set(pc.list_flatten(words).to_pylist()) if words is not None else set()

    def name(self, phrase: str, /) -> str:
        """Return a phrase as it is written most often."""
        return str(self._names.get(_CONCEPT + phrase, phrase.replace("-", " ")))

    def is_name(self, phrase: str, /) -> bool:
        """Whether every word of the phrase is part of somebody's or some place's name."""
        words = phrase.replace("-", " ").split()
        return all(word in self._words for word in words)

    def chosen(self, phrases: Sequence[str], /) -> tuple[str, tuple[str, ...]]:
        """Return a label of two to four terms, and all terms, of phrases in order of worth.

        Terms that say the same as one before them, or only name somebody, are left out as long as
        there are others.
        """
        # The key of a phrase has lost its accents; one that is an entity can be shown as written.
        known = [p for p in phrases if _CONCEPT + p in self._names] or list(phrases)
        plain = [p for p in known if not self.is_name(p)] or known
        terms: list[str] = []
        words: list[set[str]] = []
        for phrase in plain:
            own = set(phrase.replace("-", " ").split())
            if any(own <= other or other <= own for other in words):
                continue
            terms.append(self.name(phrase))
            words.append(own)
            if len(terms) == _TERMS:
                break
        label = ", ".join(terms[:_LABEL_TERMS])
        return label[:1].upper() + label[1:], tuple(terms)


def distinct_labels(labels: Sequence[str], fallback: str, /) -> list[str]:
    """Return labels that differ: an empty one is *fallback*, and the same ones are numbered."""
    seen: dict[str, int] = {}
    found = []
    for label in labels:
        text = label or fallback
        seen[text] = seen.get(text, 0) + 1
        found.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return found


def phrases_of(source: ContextGraph, chunk_ids: Sequence[str], /) -> Mapping[str, list[str]]:
    """Return the phrases of each chunk, each once, by chunk id."""
    found = source.phrases(chunk_ids)
    return {i: list(dict.fromkeys(p)) for i, p in zip(chunk_ids, found, strict=True)}
