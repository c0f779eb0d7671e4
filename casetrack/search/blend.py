"""The ranking of the context edition: documents by their fields, each with its best passages.

The candidates are the best passages by BM25 and by cosine, and documents with the words or the name
of the question; :mod:`casetrack.search.documents` orders them. The passages of a document are
ordered by a blend of both scores, each scaled to 0..1 by its minimum and maximum over the passages
of the answer: ``(1 - alpha) * keyword + alpha * vector``; a line that the question names is first.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from casetrack.base.arguments import within
from casetrack.base.errors import EmbeddingsDisabled, ModelError
from casetrack.base.machine import one_thread_each
from casetrack.search.documents import Fields, asked_names, asked_terms, best_documents
from casetrack.search.filters import choose
from casetrack.search.plan import make_plan, words_only
from casetrack.search.scores import cosine_at, lexical_at, lists_of
from casetrack.store.index.scope import Question

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from casetrack.base.arguments import Filter
    from casetrack.base.records import SearchMode
    from casetrack.search.documents import Match
    from casetrack.search.plan import Plan
    from casetrack.store.index.index import Index
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
class Blended:
    """A passage with its scores."""

    chunk: Place
    # Raw scores; ``None`` if the mode does not use them.
    keyword: float | None
    vector: float | None
    # Scaled scores, 0 to 1
    keyword_part: float
    vector_part: float
    score: float  # The blended score


@dataclass(frozen=True, slots=True)
class BlendedDocument:
    """A document with its best passages, the best first."""

    match: Match
    chunks: tuple[Blended, ...]


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
    documents: Sequence[BlendedDocument]  # Best first
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
    terms, names = asked_terms(query), asked_names(query)
    scope = chosen.scope(index)
    lists = lists_of(state)
    alpha = {"keyword": 0.0, "semantic": 1.0}.get(plan.mode, settings.hybrid_alpha)
    places: dict[Place, None] = {}
    words = Question({**terms, **dict.fromkeys(names, 1.0)})
    for question, depth, used in (
        (words, settings.candidate_k_keyword, alpha < 1),
        (Question(vector=asked), settings.candidate_k_vector, alpha > 0),
    ):
        if used:
            places |= dict.fromkeys(
                p for _, top, _ in lists.top(scope, question, depth) for p in top
            )
    if plan.mode != "semantic" and not terms and index.chunk_count:
        notes.append("The query has no searchable word; only very common words or signs.")
    notes += lists.unsearched.notes

    def scores(some: Sequence[Place], wanted: Mapping[str, float]) -> tuple[list[float], ...]:
        keyword = lexical_at(scope, wanted, some) if alpha < 1 else [0.0] * len(some)
        vector = [0.0] * len(some) if asked is None else cosine_at(index, asked, some)
        return list(map(float, keyword)), list(map(float, vector))

    fields = state.once(Fields)
    found = dict(zip(places, zip(*scores(list(places), terms), strict=True), strict=True))
    best = best_documents(fields, scope, query, found, alpha)

    def order(match: Match) -> tuple[float, float, int | str]:
        document = snapshot.documents[match.document_id]
        return -round(match.score, 9), -document.dated_at.timestamp(), ranks[match.document_id]

    ranks = snapshot.documents.ranks
    shown = heapq.nsmallest(settings.final_limit, best, key=order)
    rows = {match.document_id: [*scope.places_of(match.document_id)] for match in shown}
    every = [place for some in rows.values() for place in some]
    keyword, vector = (dict(zip(every, v, strict=True)) for v in scores(every, words.terms or {}))
    parts = unit_scale(keyword), unit_scale(vector)

    def passage(place: Place, line: int | None) -> Blended:
        k, v = (part[place] for part in parts)
        is_named = line is not None and _holds(index, place, line)
        score = 1.0 if is_named else (1.0 - alpha) * k + alpha * v
        raw = keyword[place] if alpha < 1 else None, vector[place] if alpha > 0 else None
        return Blended(place, *raw, k, v, score)

    def best_of(match: Match) -> tuple[Blended, ...]:
        some = [passage(place, match.line) for place in rows[match.document_id]]
        some.sort(key=lambda one: (-one.score, one.chunk))
        return tuple(some[: settings.max_chunks_per_doc])

    documents = [BlendedDocument(match, best_of(match)) for match in shown]
    return BlendedAnswer(plan.mode, alpha, documents, tuple(notes))


def _holds(index: Index, place: Place, line: int) -> bool:
    """Return whether a passage has a line."""
    number, row = place
    (lines,) = index.segments[number].data.places_of([row], ["line_start", "line_end"])
    return bool(lines["line_start"] <= line <= lines["line_end"])


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
