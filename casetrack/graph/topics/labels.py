"""Names for groups of passages: the phrases that set each of them apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.records.graph import NAME_KINDS
from casetrack.graph.spelling import normalised

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.graph.state_tables import StateTables

_LABEL_TERMS = 3
_TERMS = 8
_LENGTHS = {1: 1.0, 2: 1.25, 3: 1.15}
"""Two words say more than one; long phrases are seldom what a reader calls a thing."""
_LEAST_SHARE = 0.05
_MANY = 20
_CONCEPT = "concept:"
MANY_DOCUMENTS = 10
"""From here on, what stands in more than a third of the documents tells none of them."""


Passage = tuple[int, Sequence[str]]
"""A passage as what a label is made of: the number of its document, and its phrases."""


def telling_terms(groups: Sequence[Sequence[Passage]], /) -> list[list[str]]:
    """Return for each group the phrases that set it apart, most telling first.

    Class-based tf-idf: how much of a group a phrase stands in, the geometric mean of its shares
    of the passages and of the documents, times how rare it is among the groups, each group
    counting the same. So a phrase that one of many documents repeats names no group. Passages with
    the very same phrases, as of two copies of a mail, count once.

    Returns
    -------
    list of list of str
        Phrases that at least two passages of the group hold, and a twentieth of its documents;
        where there is no such, any, and of a group of twenty documents or more, none.
    """
    repeated_in: list[set[str]] = []
    shares: list[dict[str, float]] = []
    for group in groups:
        passages = {tuple(phrases): document for document, phrases in group if phrases}
        documents: dict[str, set[int]] = {}
        count: Counter[str] = Counter()
        for phrases, document in passages.items():
            for phrase in set(phrases):
                count[phrase] += 1
                documents.setdefault(phrase, set()).add(document)
        size, spread = max(len(passages), 1), max(len(set(passages.values())), 1)
        least = math.ceil(_LEAST_SHARE * spread)
        several = {p for p, n in count.items() if n > 1 and len(documents[p]) >= least}
        repeated_in.append(several)
        shares.append(
            {p: math.sqrt(n / size * len(documents[p]) / spread) for p, n in count.items()}
        )
    overall: Counter[str] = Counter()
    for share in shares:
        overall.update(share)
    average = sum(overall.values()) / max(len(groups), 1)
    found = []
    for group, several, share in zip(groups, repeated_in, shares, strict=True):
        scores = {
            p: share[p]
            * math.log1p(average / overall[p])
            * (share[p] / overall[p])
            * _LENGTHS.get(len(p.replace("-", " ").split()), 0.7)
            for p in share
        }
        repeated = {p: s for p, s in scores.items() if p in several}
        if not repeated and len({document for document, _ in group}) < _MANY:
            repeated = scores
        found.append(sorted(repeated, key=lambda p: (-repeated[p], p)))
    return found


class TermNames:
    """How phrases are shown to people, and which of them only name somebody."""

    def __init__(self, source: StateTables, /) -> None:
        entities = source.table("entities")
        concepts = entities.filter(pc.equal(entities["kind"], "concept"))
        self._names = dict(
            zip(concepts["entity_id"].to_pylist(), concepts["name"].to_pylist(), strict=True)
        )
        total = len(source.documents)
        spread = pc.greater(concepts["document_count"], total / 3)
        self._common = (
            frozenset(concepts.filter(spread)["entity_id"].to_pylist())
            if total >= MANY_DOCUMENTS
            else frozenset()
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

        Terms that say the same as one before them, only name somebody, or stand in more than a
        third of ten documents or more, are left out as long as there are others.
        """
        # The key of a phrase has lost its accents; one that is an entity can be shown as written.
        known = [p for p in phrases if _CONCEPT + p in self._names] or list(phrases)
        known = [p for p in known if _CONCEPT + p not in self._common] or known
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


def phrases_of(source: StateTables, chunk_ids: Sequence[str], /) -> Mapping[str, list[str]]:
    """Return the phrases of each chunk, each once, by chunk id."""
    found = source.phrases(chunk_ids)
    return {i: list(dict.fromkeys(p)) for i, p in zip(chunk_ids, found, strict=True)}
