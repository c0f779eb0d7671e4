"""The ranking of the context edition: two blended lists of passages, one result per document.

The best passages by BM25 and by cosine are each scaled to 0..1 by their minimum and maximum (1 if
these are equal; 0 for a passage that is not in the list): ``(1 - alpha) * keyword + alpha *
vector``. The score of a document is that of its best passage; ties are ordered newest first, then
by id. The keyword list is that of ``bm25()`` in SQL.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from casetrack.base.arguments import within
from casetrack.base.errors import EmbeddingsDisabled, ModelError
from casetrack.base.machine import one_thread_each
from casetrack.ingest.steps.words import index_terms
from casetrack.search.filters import choose
from casetrack.search.plan import make_plan, words_only
from casetrack.search.scores import lists_of
from casetrack.store.index.scope import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from casetrack.base.arguments import Filter
    from casetrack.base.records import SearchMode
    from casetrack.search.plan import Plan
    from casetrack.store.index.scope import Place
    from casetrack.store.workspace import State

K = TypeVar("K")

MOST = 1000


@dataclass(frozen=True, slots=True)
class BlendSettings:
    """Settings of the blend, as in the key ``[retrieval]``; ``UsageError`` if out of range."""

    hybrid_alpha: float = 0.6  # Weight of the vectors, 0 to 1; the words have the rest
    # Length of each list.
    candidate_k_keyword: int = 80
    candidate_k_vector: int = 80
    final_limit: int = 12  # Maximum number of documents
    max_chunks_per_doc: int = 3  # Maximum number of passages per document

    def __post_init__(self) -> None:
        within("hybrid_alpha", self.hybrid_alpha, 0, 1)
        for name in ("candidate_k_keyword", "candidate_k_vector", "final_limit"):
            within(name, getattr(self, name), 1, MOST)
        within("max_chunks_per_doc", self.max_chunks_per_doc, 1)


@dataclass(frozen=True, slots=True)
class Blended(Generic[K]):
    """A passage with its scores."""

    chunk: K
    # Raw score of each list; ``None`` if the passage is not in it.
    keyword: float | None
    vector: float | None
    # Scaled score, 0 to 1; 0 if the passage is not in the list.
    keyword_part: float
    vector_part: float
    score: float  # The blended score


@dataclass(frozen=True, slots=True)
class BlendedDocument(Generic[K]):
    """A document with its best passages, the best first."""

    document_id: str
    chunks: tuple[Blended[K], ...]

    @property
    def score(self) -> float:
        """The score of its best passage."""
        return self.chunks[0].score


def blend(
    keyword: Mapping[K, float],
    vector: Mapping[K, float],
    alpha: float,
    /,
    *,
    document_of: Callable[[K], str],
    newness: Callable[[str], float],
    name: Callable[[K], int | str],
    limit: int,
    per_document: int,
    rank: Callable[[str], int | str] = str,
) -> list[BlendedDocument[K]]:
    """Return the best documents of two lists of passages with their scores.

    *alpha* is the weight of the vectors, 0 to 1. *newness* returns a number that is larger for
    newer documents; it is called only for ties. *name* and *rank* return the sort keys of passages
    and documents with equal scores. *per_document* is the maximum number of passages of each.
    """
    words, meanings = unit_scale(keyword), unit_scale(vector)
    kept: dict[str, list[Blended[K]]] = {}
    for chunk in dict.fromkeys((*keyword, *vector)):
        k, v = words.get(chunk, 0.0), meanings.get(chunk, 0.0)
        score = (1.0 - alpha) * k + alpha * v
        one = Blended(chunk, keyword.get(chunk), vector.get(chunk), k, v, score)
        kept.setdefault(document_of(chunk), []).append(one)
    best = {document: max(one.score for one in chunks) for document, chunks in kept.items()}
    times = Counter(best.values())

    def order(document: str) -> tuple[float, float, int | str]:
        score = best[document]
        return -score, -newness(document) if times[score] > 1 else 0.0, rank(document)

    return [
        BlendedDocument(
            document,
            tuple(
                heapq.nsmallest(per_document, kept[document], lambda c: (-c.score, name(c.chunk)))
            ),
        )
        for document in sorted(kept, key=order)[:limit]
    ]


def unit_scale(scores: Mapping[K, float], /) -> dict[K, float]:
    """Return scores scaled from 0 (minimum) to 1 (maximum); all 1 if they are equal."""
    if not scores:
        return {}
    least, most = min(scores.values()), max(scores.values())
    if least == most:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - least) / (most - least) for key, score in scores.items()}


@dataclass(frozen=True, slots=True)
class BlendedAnswer:
    """The result of a blended search."""

    mode: SearchMode  # The requested or chosen mode
    alpha: float  # The weight of the vectors that was used
    documents: Sequence[BlendedDocument[Place]]  # Best first
    notes: tuple[str, ...]


@one_thread_each()
def blended_search(
    state: State, query: str, /, *, mode: SearchMode | None, where: Filter, settings: BlendSettings
) -> BlendedAnswer:
    """Return the best documents of a collection.

    *mode* is ``keyword``, ``semantic`` or ``hybrid``; ``None`` is hybrid if the collection has
    vectors and their models, else keyword. Raises ``EmbeddingsDisabled`` if the mode needs vectors
    that the collection does not have, ``ModelError`` if the models are not available.
    """
    index, snapshot = state.index, state.snapshot
    encoders = state.workspace.encoders
    chosen = choose(state, where)
    if mode in ("semantic", "hybrid") and index.chunk_count and not index.embedded_count:
        raise EmbeddingsDisabled(mode)
    if not index.embedded_count:
        # Without vectors, keyword search is all there is: no note is needed.
        mode = "keyword"
    chosen_for_user = mode is None
    plan = make_plan(
        mode,
        None,
        index,
        lambda: encoders.get(snapshot.profile, dimension=snapshot.dimension),
        query=query,
        rerank=False,
    )
    plan, asked = _encoded(plan, query, yields=chosen_for_user)
    notes = [*chosen.notes, *plan.notes]
    terms = {term: float(n) for term, n in Counter(index_terms(query)).items()}
    words: dict[Place, float] = {}
    meanings: dict[Place, float] = {}
    scope = chosen.scope(index)
    lists = lists_of(state)

    def listed(question: Question, depth: int) -> dict[Place, float]:
        ((_, places, scores),) = lists.top(scope, question, depth)
        return dict(zip(places, map(float, scores), strict=True))

    if plan.mode != "semantic":
        words = listed(Question(terms), settings.candidate_k_keyword)
        if not terms and index.chunk_count:
            notes.append("The query has no searchable word; only very common words or signs.")
    if asked is not None:
        meanings = listed(Question(vector=asked), settings.candidate_k_vector)
    notes += lists.unsearched.notes
    alpha = {"keyword": 0.0, "semantic": 1.0}.get(plan.mode, settings.hybrid_alpha)

    def document_of(place: Place) -> str:
        part = index.segments[place[0]]
        # Only live rows are in the lists, so there is a document.
        return part.documents[part.data.column("revision")[place[1]]] or ""

    documents = blend(
        words,
        meanings,
        alpha,
        document_of=document_of,
        newness=lambda document: snapshot.documents[document].dated_at.timestamp(),
        name=lambda place: int(index.segments[place[0]].data.column("chunk_index")[place[1]]),
        rank=snapshot.documents.ranks.__getitem__,
        limit=settings.final_limit,
        per_document=settings.max_chunks_per_doc,
    )
    return BlendedAnswer(plan.mode, alpha, documents, tuple(notes))


def _encoded(plan: Plan, query: str, *, yields: bool) -> tuple[Plan, NDArray[np.float32] | None]:
    """Return the question's vector if the plan needs it, and the plan to follow.

    With *yields*, the plan continues without models that fail, such as an unavailable service.
    """
    if plan.encoder is None:
        return plan, None
    try:
        return plan, plan.encoder.encode_query(query).dense
    except ValueError:
        # Characters for which no model has a token, such as joiners alone.
        why = "The models know no word of the query; the search used its words only."
        return plan.by_words_only(why), None
    except ModelError as error:
        if not yields:
            raise
        return plan.by_words_only(words_only(error)), None
