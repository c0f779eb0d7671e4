"""Search in a collection: choice of signals, and cited passages of the results."""

from __future__ import annotations

import functools
import time
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from casetrack.base.arguments import Filter, as_list, one_of, within
from casetrack.base.errors import ModelError, UsageError, withheld
from casetrack.base.machine import one_thread_each
from casetrack.base.models.profiles import supports_language
from casetrack.base.records import SamePlace, SearchResult, SearchResults
from casetrack.base.records.reading import OnDemand
from casetrack.extract.language import called
from casetrack.graph.cited import legal_names
from casetrack.graph.opened import graph_of
from casetrack.models.token_matrix import token_form
from casetrack.search.asked_words import asked_words, priors_of
from casetrack.search.cited import CitationMatches, cited_in, find_cited, with_cited
from casetrack.search.evidence import (
    LOOKED_AT,
    NONE_BELOW,
    Nearness,
    check_relevance,
    evidence_of,
    has_fit,
    judged,
    left_out,
    missing_from,
    nearness,
    sentence,
)
from casetrack.search.filters import choose
from casetrack.search.ordering import ORDERED, falling, with_relevance
from casetrack.search.pinpoint.find import POINT_COLUMNS, Finder, Passage
from casetrack.search.pinpoint.scoring import Encoded
from casetrack.search.pinpoint.values import kinds_asked
from casetrack.search.plan import RERANK, ask, holds_code, make_plan, words_only
from casetrack.search.question.form import COMPUTED, PROPERTIES
from casetrack.search.question.meaning import PROFILES, meaning_of
from casetrack.search.question.read import without
from casetrack.search.ranking import FusionMethod, Ranked, Rerank, StageTimes, rank
from casetrack.search.scores import PlacedText, lists_of, name_at, texts_at
from casetrack.store.index.matrices import Matrices
from casetrack.store.index.scope import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.base.records import Chunk, ChunkWindow, RelatedChunk, SearchMode
    from casetrack.base.records.reading import AnswerLocation
    from casetrack.base.records.search import ComputedAnswer, Context
    from casetrack.models.base import Encoding, ProfileEncoder, Reranker
    from casetrack.models.token_matrix import TokenForm
    from casetrack.search.question.meaning import Meaning
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.index.scope import Place
    from casetrack.store.workspace import State

MAX_RESULTS = 1000
MAX_QUERY_CHARS = 20_000
EVERYWHERE = Filter()
_OTHER_NAMES = 0.5
"""Weight of all tokens of other names, relative to those of the question."""
_NO_WORD = "The query has no searchable word; only very common words or signs."


@functools.lru_cache(maxsize=64)
def _tokens_of(encoder: ProfileEncoder, names: str) -> np.ndarray:
    """Return the tokens of other names, float32 [n, width]; the same names are often asked."""
    none = np.empty((0, encoder.token_width or 0), dtype=np.float32)
    try:
        encoding = encoder.encode_query(names)
    except ValueError:  # no token, such as a user's name of joiners alone
        return none
    if encoding.tokens is None or encoding.token_spans is None:
        return none
    spans = encoding.token_spans
    return encoding.tokens[spans[:, 0] < spans[:, 1]]  # [MASK] tokens have an empty span


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
    """Search one state as in ``Collection.search``; models are loaded only if they take part."""
    check(query, limit, fusion, related)
    check_relevance(min_relevance)
    run = _Run(state, query, limit)
    run.choose(mode, None if stages is None else as_list(stages), where)
    run.read(vocabulary=vocabulary)
    run.encode(yields=mode is None and stages is None)
    # Explicit stages disable the automatic ones.
    run.cite(looks=stages is None)
    run.rank(fusion, fold=fold)
    run.judge(min_relevance or 0.0)
    return run.answer(related)


def answer_within(state: State, around: ChunkWindow, question: str, /) -> AnswerLocation:
    """Return the answer to a question in one passage, found as in the results of a search."""
    run = _Run(state, question, 1)
    run.choose(None, None, EVERYWHERE)
    run.read(vocabulary=True)
    run.encode(yields=True)
    chunk, before = around.chunk, around.before[-1] if around.before else None
    rows = state.snapshot.where("chunk_id", chunk.chunk_id, POINT_COLUMNS).to_pylist()
    passage = Passage(chunk.text, chunk.provenance, lambda: _before(before, chunk) or "")
    finder = Finder(state.snapshot, run.index, run.reading, run.encoded, [passage], rows=rows)
    return finder.at(0)


def check(query: object, limit: object, fusion: str = "zscore", related: int = 0, /) -> None:
    """Check the arguments before anything is opened."""
    if not isinstance(query, str):
        raise UsageError(
            f"The query is a {type(query).__name__}, not text.", hint="Pass the query as text."
        )
    if not query.strip():
        raise UsageError("The query is empty.", hint="Enter a question or some words.")
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


class _Run:
    """One search of a state; its stages run in the order of the methods.

    Attributes
    ----------
    look
        Reranking of the best candidates, or ``None``.
    nearness
        For each reranked passage its nearness to the question's tokens; not used for ranking.
    shown
        Numbers of the ranked passages that are relevant enough.
    """

    def __init__(self, state: State, query: str, limit: int) -> None:
        self.started = time.perf_counter()
        self.state, self.query, self.limit = state, query, limit
        self.snapshot, self.entitlements = state.snapshot, state.workspace.entitlements
        self.times = StageTimes()
        self.fuses = False
        self.look: Rerank | None = None
        self.encoded: Encoded | None = None
        self.encoding: Encoding | None = None  # Of the question, if its meaning was needed
        self.nearness: dict[Place, Nearness] = {}
        self.texts: dict[Place, str] = {}  # Of the passages that were read

    def choose(self, mode: SearchMode | None, stages: Sequence[str] | None, where: Filter) -> None:
        """Choose the documents and the stages; models are loaded if a stage needs them."""
        if mode == "full" or (stages is not None and set(stages) & set(RERANK)):
            self.entitlements.require("rerank")
        # Explicit stages disable the automatic ones; one signal alone is a list as it is.
        self.fuses = stages is None and mode not in {"keyword", "semantic"}
        self.chosen, self.index = choose(self.state, where), self.state.index
        encoders, snapshot = self.state.workspace.encoders, self.snapshot
        self.times = StageTimes()
        self.plan = make_plan(
            mode,
            stages,
            self.index,
            lambda: encoders.get(snapshot.profile, dimension=snapshot.dimension),
            query=self.query,
            rerank=self.entitlements.allows("rerank"),
        )

    def read(self, *, vocabulary: bool) -> None:
        """Read the question with the names and vocabularies of the collection."""
        scope = self.chosen.scope(self.index)
        self.reading, self.reading_notes = ask(
            self.state,
            self.query,
            vocabulary=vocabulary,
            document=self.chosen.only,
            meaning=self._meaning,
            scope=scope,
        )
        self.times.lap("question")
        self.words = asked_words(self.reading, scope)

    def _meaning(self, text: str) -> Meaning | None:
        """Return the meaning of the question; ``None`` without a model for it."""
        if self.plan.encoder is None or self.plan.encoder.name not in PROFILES:
            return None
        try:
            self.encoding = self.plan.encoder.encode_query(text)
        except (ValueError, ModelError):
            # Encoding the text for the search fails as well, which is reported there.
            return None
        return meaning_of(self.plan.encoder.name, self.encoding.dense)

    def encode(self, *, yields: bool) -> None:
        """Encode the question for each stage; with *yields*, without models that fail."""
        plan, reading = self.plan, self.reading
        self.question = Question(reading.terms if "bm25" in plan.stages else None)
        if plan.encoder is None:
            return
        try:
            encoding = self.encoding or plan.encoder.encode_query(reading.text)
        except (ValueError, ModelError) as error:
            # A text for which no model has a token, such as joiners alone, raises ValueError.
            why = "The models know no word of the query; the search used its words only."
            if isinstance(error, ModelError):
                if not yields:
                    raise
                why = words_only(error)
            self.plan, self.question = plan.by_words_only(why), Question(reading.terms)
            return
        self.question = replace(
            self.question,
            vector=encoding.dense if "semantic" in plan.stages else None,
            sparse=encoding.sparse if "sparse" in plan.stages else None,
        )
        self.encoded = Encoded(plan.encoder, encoding)
        form, tokens, spans = token_form(plan.encoder), encoding.tokens, encoding.token_spans
        if "rerank" in plan.stages and (score := plan.encoder.reranker) is not None:
            self.look = Rerank(pairs=self._pairs(score))
        if "maxsim" in plan.stages and not (tokens is None or spans is None or form is None):
            feedback = encoding.dense if "feedback" in plan.stages else None
            weights = self.words.token_weights(reading.text, spans)
            names = reading.other_names
            others = _tokens_of(plan.encoder, names) if names else tokens[:0]
            maxsim = self._maxsim(form, tokens, weights, others)
            self.look = replace(self.look or Rerank(), maxsim=maxsim, feedback=feedback)
        self.times.lap("encode")

    def _maxsim(
        self, form: TokenForm, tokens: np.ndarray, weights: np.ndarray, others: np.ndarray
    ) -> Callable[[Sequence[Place]], np.ndarray]:
        matrices, own = self.state.once(_matrices), len(tokens)
        asked = np.concatenate([tokens, others])
        other = min(1.0, _OTHER_NAMES * own / max(1, len(others)))
        counts = np.repeat(np.array([1.0, other], np.float32), [own, len(others)])

        def maxsim(places: Sequence[Place]) -> np.ndarray:
            """Score chunks by their token matrices, which are read now."""
            similarities = form.nearest(asked, matrices.take(self.index.row_ids(places)))
            if not similarities.shape[1]:
                return np.full(len(places), np.nan, dtype=np.float32)
            self.nearness |= nearness(places, similarities[:, :own], weights)
            mean: np.ndarray = (similarities * counts).sum(axis=1) / counts.sum()  # Without BLAS
            return mean

        return maxsim

    def _pairs(self, score: Reranker) -> Callable[[Sequence[Place]], np.ndarray]:
        def pairs(places: Sequence[Place]) -> np.ndarray:
            """Score chunks by a model that reads each together with the question."""
            texts = self.index.texts(places)
            return score(self.reading.text, [texts[place] for place in places])

        return pairs

    def cite(self, *, looks: bool) -> None:
        """Find the places of the question's citations."""
        self.cited = (
            find_cited(self.state, self.reading, self.words.scope) if looks else CitationMatches()
        )
        self.times.lap("citation")

    def rank(self, fusion: FusionMethod, *, fold: bool) -> None:
        """Rank the passages, as many as are shown or judged."""
        code = holds_code(self.state)
        self.fuses &= fusion == "zscore"
        self.lists = lists_of(self.state)
        self.ranked = rank(
            self.index,
            max(self.limit, ORDERED),
            self.question,
            within=self.words.scope,
            priors=priors_of(self.snapshot, self.index, self.reading, code=code),
            fusion=fusion,
            look=self.look,
            fold=fold,
            times=self.times,
            cited=self.cited.places,
            lists=self.lists,
        )
        usual = next((hit for hit in self.ranked if "citation" not in hit.signals), None)
        looked = self.look is not None and self.look.maxsim is not None
        if looked and usual is not None and "maxsim" not in usual.signals:
            self.plan = self.plan.without_matrices()

    def judge(self, least: float) -> None:
        """Judge the relevance of the passages, and keep those with at least *least*."""
        words, reading, ranked, index = self.words, self.reading, self.ranked, self.index
        missing = [m for m in missing_from(words.scope, reading) if not self.cited.names(m.text)]
        # A number in the name of a result's document is not missing, even if no passage contains
        # it.
        document_ids = self._values("document_id", ranked) if missing else ()
        naming = [each.part.text for each in reading.named if each.document_id in document_ids]
        missing = [m for m in missing if not any(m.text in part for part in naming)]
        near = [self.nearness.get(hit.place) for hit in ranked]
        profile = self.plan.encoder.name if self.plan.encoder else None
        if profile and reading.language and not supports_language(profile, reading.language):
            # Low similarities of such models are meaningless on the scale of the fit.
            profile = None
        # Every document has a title and a date, in any words. Results in another language, and of
        # models without a fit, contain no word of the question. A statement asks nothing: at most
        # four in five denials of claims were right, which is too few. Keywords ask nothing either.
        foreign, first = self._other_languages(), self._values("language", ranked[:1])
        own = reading.language
        is_foreign = bool(foreign) or (own is not None and first.isdisjoint({None, own}))
        is_open = "head" in reading.wants or (
            profile is not None and (is_foreign or not has_fit(profile))
        )
        is_exact = any(m.is_exact for m in missing)
        is_open |= reading.form == "words" and any(words.frequencies.values())
        never_none = reading.text.rstrip().endswith(".") or (is_open and not is_exact)
        verdict = judged(
            words,
            ranked,
            near,
            missing,
            self._texts,
            profile=profile,
            language=reading.language,
            never_none=never_none,
            # Vectors alone miss too many passages to deny a value.
            asks_value="bm25" in self.plan.stages
            and bool(kinds_asked(reading.form, reading.query)),
        )
        self.remarks = [sentence(missing, lambda at: index.texts([at])[at])] if missing else []
        if foreign:
            theirs = " and ".join(map(called, foreign))
            self.remarks.append(
                f"The question is in {called(reading.language or '')}, the results in {theirs}: "
                f"ask in {theirs}, too, because words only match in the language of the text."
            )
        self.verdict = with_cited(verdict, ranked, self.cited, reading)
        self._order()
        self.times.lap("evidence")
        best = enumerate(self.verdict.results[: self.limit])
        self.shown = [n for n, relevance in best if relevance >= least]
        if hidden := min(self.limit, len(ranked)) - len(self.shown):
            self.remarks.append(left_out(hidden, least))

    def _order(self) -> None:
        """Order the results by score and relevance, after the places of a cited authority."""
        results, ranked = self.verdict.results, self.ranked
        order: Sequence[int] = range(len(ranked))
        # A statement asks nothing, and the beginning of a document answers a question about it in
        # any words: the relevance does not order their results.
        asks = self.reading.form != "statement" and "head" not in self.reading.wants
        if self.fuses and asks:
            fitted = self.verdict.fitted
            ranked = [with_relevance(h, r) for h, r in zip(ranked, fitted, strict=True)]
            order = sorted(
                order,
                key=lambda n: (0, n) if "citation" in ranked[n].signals else (1, -ranked[n].score),
            )
        self.ranked = [ranked[n] for n in order]
        relevances = falling([results[n] for n in order])
        self.verdict = replace(self.verdict, results=tuple(relevances))

    def _values(self, column: str, ranked: Sequence[Ranked]) -> set[Any]:
        """Return the values of a column for passages."""
        return {row[column] for row in self.index.rows_at([h.place for h in ranked], [column])}

    def _texts(self, places: Sequence[Place]) -> list[tuple[str, list[str]]]:
        """Return the texts of passages with their headings and the names of their documents."""
        index, texts = self.index, self.texts
        texts |= index.texts([place for place in places if place not in texts])
        titles = index.rows_at(places, ["heading_path"])
        return [
            (texts[place], [*(title["heading_path"] or ()), name_at(self.snapshot, index, place)])
            for place, title in zip(places, titles, strict=True)
        ]

    def _other_languages(self) -> list[str]:
        """Return the languages of the best results if all certainly differ from the question's.

        Keywords are easily taken for another language: the index lacks most words of one.
        """
        languages, own = self._values("language", self.ranked[:LOOKED_AT]), self.reading.language
        counts = self.words.frequencies.values()
        is_known = 2 * sum(map(bool, counts)) > len(counts)
        is_same = own is None or is_known or not languages.isdisjoint({None, own})
        return [] if is_same else sorted(languages)

    def answer(self, related: int) -> SearchResults:
        """Return the results with their sources, and the notes for the user."""
        computed, advice = self._computed()
        ranked = [self.ranked[n] for n in self.shown]
        results, damaged = self._results(ranked, computed)
        remarks = [*self.remarks, *(withheld(damaged) if damaged else ())]
        remarks += self.state.stale_notes(r.provenance.source for r in results)
        self.times.lap("fetch")
        connected: tuple[RelatedChunk, ...] = ()
        if related:
            ids = self.index.chunk_ids([hit.place for hit in ranked])
            connected = tuple(graph_of(self.state).related(ids, limit=related))
            self.times.lap("graph")
        relevance = max(self.verdict.relevance, NONE_BELOW if computed else 0.0)
        license_status, unsearched = self.entitlements.status(), self.lists.unsearched
        documents = self.chosen.documents
        by_words = self.plan.stages == ("bm25",) and not self.question.terms
        return SearchResults(
            query=self.query,
            collection=self.state.workspace.name,
            mode=self.plan.mode,
            results=results,
            stages_used=(
                *(("citation",) if self.cited.places else ()),
                *self.plan.stages,
                *(("graph",) if related else ()),
            ),
            stage_ms=self.times.milliseconds,
            search_time_ms=(time.perf_counter() - self.started) * 1000,
            searched_documents=len(self.snapshot.documents if documents is None else documents),
            searched_chunks=self.words.scope.chunk_count - unsearched.chunks,
            notes=(
                *self.reading_notes,
                *self.chosen.notes,
                *self.plan.notes,
                *self.cited.notes,
                *((_NO_WORD,) if by_words and self.index.chunk_count else ()),
                *unsearched.notes,
                *((advice,) if advice else ()),
                *remarks,
                *license_status.notes,
            ),
            related=connected,
            tier=license_status.tier.name,
            relevance=relevance,
            evidence=evidence_of(relevance),
            reading=self.reading,
            computed=computed,
        )

    def _computed(self) -> tuple[ComputedAnswer | None, str]:
        """Return the computed answer to a question, and a note; mostly neither."""
        reading, only = self.reading, self.chosen.documents
        if reading.form not in COMPUTED | PROPERTIES:
            return None, ""
        from casetrack.search.computed.parts import Source
        from casetrack.search.computed.properties import property_answer

        source = Source(self.state, reading, None if only is None else frozenset(only))
        text, advice = without(self.query, reading.dropped), ""
        computed = property_answer(source, text)
        if computed is None and reading.form in COMPUTED:
            from casetrack.search.computed.answer import answered

            computed, advice = answered(source, text)
        self.times.lap("computed")
        return computed, advice

    def _results(
        self, ranked: list[Ranked], computed: ComputedAnswer | None
    ) -> tuple[tuple[SearchResult, ...], list[str]]:
        """Return results with texts and sources, and the names of documents with a damaged passage.

        The places of the answers are found on demand, and without a *computed* answer a value.
        """
        state, snapshot, index = self.state, self.snapshot, self.index
        places = [hit.place for hit in ranked]
        also = [place for hit in ranked for place, _ in hit.also]
        passages = texts_at(snapshot, index, places, also, self.texts)
        damaged = [name_at(snapshot, index, place) for place in places if place not in passages]
        intact = [(n, hit) for n, hit in enumerate(ranked) if hit.place in passages]
        shown = [(hit.place, passages[hit.place]) for _, hit in intact]
        around = _Surroundings(snapshot, index, shown)
        texts = [
            Passage(chunk.text, chunk.provenance, partial(around.before, at), place)
            for at, (place, chunk) in enumerate(shown)
        ]
        finder = Finder(
            snapshot,
            index,
            self.reading,
            self.encoded,
            texts,
            state.once(_matrices),
            has_value=computed is None,
            computed=computed.parts[0].quote if computed and computed.total == 1 else None,
        )
        results = []
        for at, (n, hit) in enumerate(intact):
            chunk, relevance = passages[hit.place], self.verdict.results[self.shown[n]]
            cites = partial(
                legal_names, lambda: state.once(cited_in), snapshot, index, hit.place, chunk.text
            )
            results.append(
                SearchResult(
                    rank=at + 1,
                    score=hit.score,
                    text=chunk.text,
                    provenance=chunk.provenance,
                    signals=hit.signals,
                    also=tuple(
                        _same_place(passages[place], reason)
                        for place, reason in hit.also
                        if place in passages
                    ),
                    relevance=relevance,
                    evidence=evidence_of(relevance),
                    locate=OnDemand(partial(finder.at, at)),
                    cites=OnDemand(cites),
                    around=OnDemand(partial(around.of, at)),
                )
            )
        return tuple(results), damaged


class _Surroundings:
    """The texts before and after results, all read at the first call."""

    def __init__(
        self, snapshot: Snapshot, index: Index, shown: Sequence[tuple[Place, PlacedText]]
    ) -> None:
        self._snapshot, self._index, self._shown = snapshot, index, shown

    @functools.cached_property
    def _sides(self) -> list[list[PlacedText | None]]:
        """The passages before and after each result; damaged ones are left out."""
        pairs = [[_neighbour(self._index, p, step) for step in (-1, 1)] for p, _ in self._shown]
        neighbours = [place for pair in pairs for place in pair if place is not None]
        read = texts_at(self._snapshot, self._index, [], neighbours)
        return [[place and read.get(place) for place in pair] for pair in pairs]

    def before(self, number: int) -> str:
        """Return the text before a result; empty if there is none."""
        return _before(self._sides[number][0], self._shown[number][1]) or ""

    def of(self, number: int) -> Context:
        """Return the texts around a result with their citations."""
        (before, after), (_, chunk) = self._sides[number], self._shown[number]
        return {
            "before": _before(before, chunk),
            "before_citation": before.provenance.cite() if before else None,
            "after": _after(chunk, after),
            "after_citation": after.provenance.cite() if after else None,
        }


def _matrices(state: State) -> Matrices:
    return Matrices(state.workspace.folder, state.snapshot)


def _same_place(passage: PlacedText, reason: str) -> SamePlace:
    source = passage.provenance
    return SamePlace(source.cite(), source.chunk_id, reason, source.document_id, source.page)


def _neighbour(index: Index, place: Place, step: int) -> Place | None:
    """Return the place of the chunk that is *step* chunks further in the document."""
    number, row = place
    data, other = index.segments[number].data, row + step
    revisions = data.column("revision")
    inside = 0 <= other < data.size and revisions[other] == revisions[row]
    return (number, other) if inside else None


def _before(previous: PlacedText | Chunk | None, chunk: PlacedText | Chunk) -> str | None:
    return previous.text[: -_shared(previous, chunk) or None] or None if previous else None


def _after(chunk: PlacedText, following: PlacedText | None) -> str | None:
    return following.text[_shared(chunk, following) :] or None if following else None


def _shared(first: PlacedText | Chunk, second: PlacedText | Chunk) -> int:
    """Return the number of characters that two consecutive chunks of a page share."""
    one, other = first.provenance, second.provenance
    return max(0, one.char_end - other.char_start) if one.page == other.page else 0
