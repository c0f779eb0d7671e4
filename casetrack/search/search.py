"""Search in a collection: which signals take part, and the cited passages of the winners."""

from __future__ import annotations

import time
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, get_args

import numpy as np

from casetrack.base.arguments import Filter, one_of, several, within
from casetrack.base.errors import ModelError, UsageError, withheld
from casetrack.base.machine import one_thread_each
from casetrack.base.models.profiles import was_made_for
from casetrack.base.records import SamePlace, SearchResult, SearchResults
from casetrack.extract.language import called
from casetrack.graph.opened import graph_of
from casetrack.models.token_matrix import token_form
from casetrack.search.asked_words import asked_words
from casetrack.search.candidates import FusionMethod, Ranked, StageTimes
from casetrack.search.cited import Found, cited_in, find_cited, with_cited
from casetrack.search.cited_sources import LegalNames
from casetrack.search.evidence import (
    JUDGED,
    LOOKED_AT,
    check_relevance,
    has_fit,
    judged,
    left_out,
    missing_from,
    sentence,
)
from casetrack.search.filters import choose
from casetrack.search.lists import PlacedText, lists_of, name_at, texts_at
from casetrack.search.pinpoint.find import Finder, Passage
from casetrack.search.pinpoint.scoring import Encoded
from casetrack.search.plan import RERANK, ask, holds_code, make_plan, words_only
from casetrack.search.priors import priors_of
from casetrack.search.ranking import Rerank, rank
from casetrack.store.index.matrices import Matrices
from casetrack.store.index.scope import Question

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import RelatedChunk, SearchMode
    from casetrack.base.records.reading import Reading
    from casetrack.base.records.search import Evidence
    from casetrack.search.asked_words import AskedWords
    from casetrack.search.evidence import Verdict
    from casetrack.search.plan import Plan
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.index.rows import Place
    from casetrack.store.workspace import State

MAX_RESULTS = 1000
MAX_QUERY_CHARS = 20_000
EVERYWHERE = Filter()


@one_thread_each()
def search(
    state: State,
    query: str,
    /,
    *,
    limit: int = 10,
    mode: SearchMode | None = None,
    stages: Sequence[str] | str | None = None,
    where: Filter = EVERYWHERE,
    fusion: FusionMethod = "zscore",
    related: int = 0,
    vocabulary: bool = True,
    fold: bool = True,
    min_relevance: float | None = None,
) -> SearchResults:
    """Search one state of a collection.

    Parameters and errors are those of :meth:`search`. The models
    are loaded only where they take part.
    """
    started = time.perf_counter()
    check(query, limit, fusion, related)
    check_relevance(min_relevance)
    stages = None if stages is None else several(stages)
    entitlements = state.workspace.entitlements
    if mode == "full" or (stages is not None and set(stages) & set(RERANK)):
        entitlements.require("rerank")
    snapshot, encoders = state.snapshot, state.workspace.encoders
    chosen, index = choose(state, where), state.index
    times = StageTimes()
    plan = make_plan(
        mode,
        stages,
        index,
        lambda: encoders.get(snapshot.profile, dimension=snapshot.dimension),
        query=query,
        rerank=entitlements.allows("rerank"),
    )
    chosen_for_user = mode is None and stages is None
    reading, told = ask(state, query, vocabulary=vocabulary, document=chosen.only)
    times.lap("question")
    words = asked_words(reading, chosen.scope(index))
    plan, question, look, encoded = _question(reading, words, plan, state, yields=chosen_for_user)
    notes = [*told, *chosen.notes, *plan.notes]
    if plan.encoder is not None:
        times.lap("encode")
    # Who chooses the stages has them, and no others.
    cited = find_cited(state, reading, words.scope) if stages is None else Found()
    notes += cited.notes
    times.lap("citation")
    if plan.stages == ("bm25",) and not question.terms and index.chunk_count:
        notes.append("The query has no searchable word; only very common words or signs.")
    lists = lists_of(state)
    ranked = rank(
        index,
        max(limit, JUDGED),
        question,
        within=words.scope,
        priors=priors_of(snapshot, index, reading, code=holds_code(state)),
        fusion=fusion,
        look=look.rerank if look else None,
        fold=fold,
        times=times,
        cited=cited.places,
        lists=lists,
    )
    usual = [hit for hit in ranked if "citation" not in hit.signals]
    if look is not None and usual and "maxsim" not in usual[0].signals:
        plan = plan.without_matrices()
        notes = [*told, *chosen.notes, *plan.notes, *cited.notes]
    verdict, missing = _judged(words, reading, ranked, look, plan, cited)
    notes += [*lists.unsearched.notes, *missing]
    times.lap("evidence")
    shown = [n for n, (r, _) in enumerate(verdict.results[:limit]) if r >= (min_relevance or 0.0)]
    if hidden := min(limit, len(ranked)) - len(shown):
        notes.append(left_out(hidden, min_relevance))
    ranked = [ranked[n] for n in shown]
    finder = Finder.of(snapshot, index, reading, encoded)
    judgements = [verdict.results[number] for number in shown]
    names = LegalNames(lambda: state.once(cited_in), snapshot, index)
    results, damaged = _results(snapshot, index, ranked, judgements, finder, names)
    notes += [*withheld(damaged), *state.stale_notes(r.provenance.source for r in results)]
    times.lap("fetch")
    connected: tuple[RelatedChunk, ...] = ()
    if related:
        connected = tuple(graph_of(state).related([r.chunk_id for r in ranked], limit=related))
        times.lap("graph")
    license_status = entitlements.status()
    return SearchResults(
        query=query,
        collection=state.workspace.name,
        mode=plan.mode,
        results=results,
        stages_used=(
            *(("citation",) if cited.places else ()),
            *plan.stages,
            *(("graph",) if related else ()),
        ),
        stage_ms=times.milliseconds,
        search_time_ms=(time.perf_counter() - started) * 1000,
        searched_documents=len(
            snapshot.documents if chosen.documents is None else chosen.documents
        ),
        searched_chunks=words.scope.chunk_count - lists.unsearched.chunks,
        notes=(*notes, *license_status.notes),
        related=connected,
        tier=license_status.tier.name,
        relevance=verdict.relevance,
        evidence=verdict.evidence,
        reading=reading,
    )


def check(query: object, limit: object, fusion: str = "zscore", related: int = 0, /) -> None:
    """Refuse what cannot be meant, before anything is opened for it.

    Raises
    ------
    UsageError
        An argument does not fit.
    """
    if not isinstance(query, str):
        raise UsageError(
            f"The query is a {type(query).__name__}, not text.", hint="Ask in words, as text."
        )
    if not query.strip():
        raise UsageError("The query is empty.", hint="Ask a question or give some words.")
    if len(query) > MAX_QUERY_CHARS:
        raise UsageError(
            f"The query has {len(query):,} characters; at most {MAX_QUERY_CHARS:,} are allowed.",
            hint="Ask a shorter question.",
        )
    if not isinstance(limit, Integral):
        raise UsageError(
            f"The number of results is a whole number, not {limit!r}.", hint="Such as limit=20."
        )
    within("limit", int(limit), 1, MAX_RESULTS)
    one_of("fusion", fusion, get_args(FusionMethod))
    within("related", related, 0)


@dataclass(frozen=True, slots=True)
class _Look:
    """The second look, and what it sees that ranking does not use.

    Attributes
    ----------
    rerank
        The look itself.
    nearness
        For each passage that was looked at, how near it comes to each token of the question,
        in the mean by the rarity of their words.
    """

    rerank: Rerank
    nearness: dict[Place, float]


def _question(
    reading: Reading, words: AskedWords, plan: Plan, state: State, *, yields: bool
) -> tuple[Plan, Question, _Look | None, Encoded | None]:
    """Return what each stage of the plan looks for, and the plan that can be followed.

    Beside them, what the models made of the question, if they read it.

    A plan that *yields* does without models that fail, such as a service that is down.
    """
    terms = reading.terms if "bm25" in plan.stages else None
    if plan.encoder is None:
        return plan, Question(terms), None, None
    try:
        encoding = plan.encoder.encode_query(reading.text)
    except ValueError:
        # Signs that no model has a token for, such as joiners alone.
        why = "The query has nothing that the models know; it was searched for by its words."
        return plan.by_words_only(why), Question(reading.terms), None, None
    except ModelError as error:
        if not yields:
            raise
        return plan.by_words_only(words_only(error)), Question(reading.terms), None, None
    question = Question(
        terms,
        encoding.dense if "semantic" in plan.stages else None,
        encoding.sparse if "sparse" in plan.stages else None,
    )
    encoded = Encoded(plan.encoder, encoding)
    form = token_form(plan.encoder)
    tokens, spans = encoding.tokens, encoding.token_spans
    if "maxsim" not in plan.stages or tokens is None or spans is None or form is None:
        return plan, question, None, encoded
    matrices = state.once(_matrices)
    nearness: dict[Place, float] = {}
    weights = words.token_weights(reading.text, spans)

    def maxsim(places: Sequence[Place]) -> np.ndarray:
        """Score chunks by their token matrices, which only now are read."""
        rows = _row_ids(words.scope.index, places)
        found = form.nearest(tokens, matrices.take(rows))
        if not found.shape[1]:
            return np.full(len(places), np.nan, dtype=np.float32)
        near = np.average(found, axis=1, weights=weights)
        read = ~np.isnan(near)
        nearness.update({place: float(near[n]) for n, place in enumerate(places) if read[n]})
        mean: np.ndarray = found.mean(axis=1)
        return mean

    feedback = encoding.dense if "feedback" in plan.stages else None
    return plan, question, _Look(Rerank(maxsim, feedback), nearness), encoded


def _matrices(state: State) -> Matrices:
    return Matrices(state.workspace.folder, state.snapshot)


def _row_ids(index: Index, places: Sequence[Place]) -> list[int]:
    return [int(index.segments[n].data.column("row_id")[row]) for n, row in places]


def _judged(
    words: AskedWords,
    reading: Reading,
    ranked: list[Ranked],
    look: _Look | None,
    plan: Plan,
    cited: Found,
) -> tuple[Verdict, list[str]]:
    """Return what is thought of a search, and what the question names that is not there."""
    missing = [m for m in missing_from(words.scope, reading) if not cited.names(m.text)]
    # A number that is the name of a document found is there, though no passage contains it.
    naming = _naming(words.scope.index, ranked, reading) if missing else []
    missing = [m for m in missing if not any(m.text in part for part in naming)]
    near = [look.nearness.get(hit.place) if look else None for hit in ranked]
    profile = plan.encoder.name if plan.encoder else None
    if profile and reading.language and not was_made_for(profile, reading.language):
        # The little that such models find of it means nothing on the scale of the fit.
        profile = None
    index = words.scope.index
    # A document has a title and a date, in whatever words; and what models find in another
    # language holds no word of the question, nor do those without a fit of their own. A statement
    # asks for nothing: of the denials of claims at most four in five were right, too few.
    foreign = _other_languages(index, ranked, reading)
    is_open = "head" in reading.wants or (
        profile is not None and (bool(foreign) or not has_fit(profile))
    )
    is_exact = any(m.is_exact for m in missing)
    never_none = reading.text.rstrip().endswith(".") or (is_open and not is_exact)
    verdict = judged(words, ranked, near, missing, profile=profile, never_none=never_none)
    told = [sentence(missing, lambda at: index.texts([at])[at])] if missing else []
    if foreign:
        theirs = " and ".join(map(called, foreign))
        told.append(
            f"The question is in {called(reading.language or '')}, what was found in {theirs}: "
            f"ask in {theirs}, too, since words are only found in the language of the text."
        )
    return with_cited(verdict, ranked, cited, reading), told


def _naming(index: Index, ranked: Sequence[Ranked], reading: Reading) -> list[str]:
    """Return the words of the question that name a document of the results."""
    found = {
        index.segments[number].data.places_of([row], ["document_id"])[0]["document_id"]
        for number, row in (hit.place for hit in ranked)
    }
    return [each.part.text for each in reading.named if each.document_id in found]


def _other_languages(index: Index, ranked: Sequence[Ranked], reading: Reading) -> list[str]:
    """Return the languages of the best results where all are surely others than the question's."""
    found = {
        index.segments[number].data.places_of([row], ["language"])[0]["language"]
        for number, row in (hit.place for hit in ranked[:LOOKED_AT])
    }
    if reading.language is None or not found.isdisjoint({None, reading.language}):
        return []
    return sorted(found)


def _results(
    snapshot: Snapshot,
    index: Index,
    ranked: list[Ranked],
    judgements: Sequence[tuple[float, Evidence]],
    finder: Finder,
    names: LegalNames,
) -> tuple[tuple[SearchResult, ...], list[str]]:
    """Return results with their texts and sources; where they answer is found when it is asked.

    Beside them the names of the documents of which a passage is not what was written.
    """
    threes = [_with_neighbours(index, r.place) for r in ranked]
    neighbours = [p for before, _, after in threes for p in (before, after) if p is not None]
    neighbours += [place for hit in ranked for place, _ in hit.also]
    passages = texts_at(snapshot, index, [r.place for r in ranked], neighbours)
    sound = [n for n, hit in enumerate(ranked) if hit.place in passages]
    damaged = [name_at(snapshot, index, r.place) for r in ranked if r.place not in passages]
    ranked, judgements = [ranked[n] for n in sound], [judgements[n] for n in sound]
    around = [
        (before and passages.get(before), passages[own], after and passages.get(after))
        for before, own, after in (threes[n] for n in sound)
    ]
    rows = _row_ids(index, [hit.place for hit in ranked])
    looks = finder.looks(
        [
            Passage(chunk.text, chunk.provenance, _before(previous, chunk) or "", row)
            for (previous, chunk, _), row in zip(around, rows, strict=True)
        ]
    )
    results = []
    each = zip(ranked, around, judgements, looks, strict=True)
    for number, (hit, (previous, chunk, following), (relevance, evidence), look) in enumerate(
        each, start=1
    ):
        results.append(
            SearchResult(
                rank=number,
                score=hit.score,
                text=chunk.text,
                provenance=chunk.provenance,
                context_before=_before(previous, chunk),
                context_after=_after(chunk, following),
                signals=hit.signals,
                before_citation=previous.provenance.cite() if previous else None,
                after_citation=following.provenance.cite() if following else None,
                also=tuple(
                    _same_place(passages[place], reason)
                    for place, reason in hit.also
                    if place in passages
                ),
                relevance=relevance,
                evidence=evidence,
                look=look,
                cites=names.of(hit.place, chunk.text),
            )
        )
    return tuple(results), damaged


def _same_place(passage: PlacedText, reason: str) -> SamePlace:
    source = passage.provenance
    return SamePlace(source.cite(), source.chunk_id, reason, source.document_id, source.page)


def _with_neighbours(index: Index, place: Place) -> tuple[Place | None, Place, Place | None]:
    """Return a chunk's place with those of the chunks before and after it in its document."""
    number, row = place
    data = index.segments[number].data
    revisions = data.column("revision")

    def neighbour(other: int) -> Place | None:
        inside = 0 <= other < data.size and revisions[other] == revisions[row]
        return (number, other) if inside else None

    return neighbour(row - 1), place, neighbour(row + 1)


def _before(previous: PlacedText | None, chunk: PlacedText) -> str | None:
    if previous is None:
        return None
    shared = previous.provenance.char_end - chunk.provenance.char_start
    if previous.provenance.page != chunk.provenance.page or shared <= 0:
        return previous.text
    return previous.text[:-shared] or None


def _after(chunk: PlacedText, following: PlacedText | None) -> str | None:
    if following is None:
        return None
    shared = chunk.provenance.char_end - following.provenance.char_start
    if following.provenance.page != chunk.provenance.page or shared <= 0:
        return following.text
    return following.text[shared:] or None
