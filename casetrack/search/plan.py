"""The retrieval stages of one search (PRD 08, corrected by DESIGN §6).

Recall by words (``bm25``), by meaning (``semantic``) and by learned words (``sparse``), joined by
fusion; then ``maxsim`` compares the best candidates token by token, ``feedback`` searches for
passages similar to the best, and ``rerank`` reads the ten best together with the question.
"""

from __future__ import annotations

import functools
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from casetrack.base.arguments import one_of
from casetrack.base.dataclass import dataclass, replace
from casetrack.base.errors import ModelError, See, UsageError
from casetrack.base.models.profiles import profile_for_script, supports_script
from casetrack.extract.language import called, language_of, script_shares
from casetrack.ingest.steps.words import is_source_code
from casetrack.search.asked_words import term_frequency
from casetrack.search.question.read import read
from casetrack.search.question.vocabularies import own, shipped
from casetrack.search.question.words import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.base.records import SearchMode
    from casetrack.base.records.reading import Reading
    from casetrack.models.base import ProfileEncoder
    from casetrack.search.question.meaning import Meaning
    from casetrack.search.question.vocabularies import Vocabulary
    from casetrack.store.index.index import Index
    from casetrack.store.index.scope import Scope
    from casetrack.store.workspace import State

RECALL = ("bm25", "semantic", "sparse")
"""Stages that find candidates, in the order in which they run."""
RERANK = ("maxsim", "feedback", "rerank")
"""Stages that rerank the best candidates."""
STAGES = (*RECALL, *RERANK)
_WITH_MATRICES = ("maxsim", "feedback")
_MODES: dict[SearchMode, tuple[str, ...]] = {
    "keyword": ("bm25",),
    "semantic": ("semantic",),
    "hybrid": RECALL,
    "full": STAGES,
}
_UNREAD_SHARE = 1 / 3
"""Share of a question in a script that the models do not read, from which they do not take part."""
_NAMING = frozenset({"invoice", "memo", "proposal", "presentation", "minutes"})
"""Document types of which "the invoice" names the only one."""
_REMEDY = f"Run {See('models pull')} once while online, then {See('reindex')}."


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of one search."""

    mode: SearchMode  # The requested or chosen mode
    stages: tuple[str, ...]
    encoder: ProfileEncoder | None  # The models, or ``None`` if no stage needs them
    notes: tuple[str, ...] = ()  # Sentences for the user

    def without_matrices(self) -> Plan:
        """Return the plan that was followed if no passage has a token matrix."""
        note = f"These passages have no token matrices yet. Run {See('reindex')}."
        stages = tuple(s for s in self.stages if s not in _WITH_MATRICES)
        return replace(self, mode=_mode_of(stages), stages=stages, notes=(*self.notes, note))

    def by_words_only(self, why: str, /) -> Plan:
        """Return the keyword plan for a question that no model can read; the reason is a note."""
        return Plan("keyword", ("bm25",), None, (*self.notes, why))


def words_only(error: ModelError, /) -> str:
    """Return the note about keyword search after a model error."""
    return f"Keyword search only: {error.message} {error.hint}"


def make_plan(
    mode: SearchMode | None,
    stages: Sequence[str] | None,
    index: Index,
    load_encoder: Callable[[], ProfileEncoder],
    /,
    *,
    query: str = "",
    rerank: bool = True,
) -> Plan:
    """Choose the stages of a search.

    *mode* is the requested mode; ``None`` uses all that the collection has. *stages* are names of
    stages, instead of a mode. *load_encoder* returns the collection's models; it is called only if
    a stage needs them. Models that do not read the script of *query* take no part unless requested
    by name. *rerank* is for the default stages only.

    Raises ``UsageError`` if a mode or a stage is unknown, both are given, or no stage finds
    candidates, and ``ModelNotFound`` if a requested stage needs a model that is not installed.
    """
    _check(mode, stages)
    wanted = _MODES[mode or "full"] if stages is None else tuple(s for s in STAGES if s in stages)
    named: SearchMode = mode or _mode_of(wanted)
    if wanted == ("bm25",):
        return Plan("keyword", wanted, None)
    if not index.chunk_count:
        note = "This collection is empty. Ingest documents first."
        return Plan(mode or "keyword", ("bm25",), None, (note,))
    if mode is None and stages is None:
        return _best(index, load_encoder, query, rerank=rerank)
    plan = _with_models(named, wanted, index, load_encoder(), by_name=stages is not None)
    if plan.encoder is None or (script := _unread_script(query, plan.encoder)) is None:
        return plan
    note = f"{_unread(query, script, plan.encoder)}; the keyword mode finds more."
    return replace(plan, notes=(*plan.notes, note))


def _check(mode: SearchMode | None, stages: Sequence[str] | None) -> None:
    if mode is not None:
        one_of("mode", mode, _MODES)
    if stages is None:
        return
    if mode is not None:
        raise UsageError("Set a mode or stages, not both.")
    for stage in stages:
        one_of("stages", stage, STAGES)
    if problem := problem_with(stages):
        raise UsageError(problem[0], hint=problem[1])


def problem_with(stages: Sequence[str], /) -> tuple[str, str] | None:
    """Return problem and hint if known stages are no valid search, else ``None``."""
    if not set(stages) & set(RECALL):
        return "No stage finds candidates.", f"Add at least one of: {', '.join(RECALL)}."
    if "feedback" in stages and not {"semantic", "maxsim"} <= set(stages):
        return "The stage feedback needs two others.", "Add semantic and maxsim, or leave it out."
    return None


def _mode_of(stages: tuple[str, ...]) -> SearchMode:
    """Return the mode that describes a choice of stages best."""
    if set(RERANK) & set(stages):
        return "full"
    if stages in {("bm25",), ("semantic",)}:
        return "keyword" if stages == ("bm25",) else "semantic"
    return "hybrid"


def _best(
    index: Index, load_encoder: Callable[[], ProfileEncoder], query: str, *, rerank: bool
) -> Plan:
    """Choose all available stages; without vectors or models only keyword search."""
    if not index.embedded_count:
        note = f"Keyword search only: there are no vectors to search. {_REMEDY}"
        return Plan("keyword", ("bm25",), None, (note,))
    try:
        encoder = load_encoder()
    except ModelError as error:
        return Plan("keyword", ("bm25",), None, (words_only(error),))
    if (script := _unread_script(query, encoder)) is not None:
        note = f"{_unread(query, script, encoder)}; the search used its words only."
        if (other := profile_for_script(script)) is not None:
            note += f" For search by meaning: {See('reindex', profile=other)}."
        return Plan("keyword", ("bm25",), None, (note,))
    stages = _available(STAGES, encoder) if rerank else RECALL
    return _with_models(_mode_of(stages), stages, index, encoder)


def _unread_script(query: str, encoder: ProfileEncoder) -> str | None:
    """Return a script of at least a third of the question that the models do not read."""
    for script, share in script_shares(query).items():
        if share >= _UNREAD_SHARE and not supports_script(encoder.name, script):
            return script
    return None


def _unread(query: str, script: str, encoder: ProfileEncoder) -> str:
    language = language_of(query, script)
    written = f"in {called(language)}" if language else f"written in {script} letters"
    return f"The question is {written}, which the models of the profile {encoder.name} do not read"


def _with_models(
    mode: SearchMode,
    wanted: tuple[str, ...],
    index: Index,
    encoder: ProfileEncoder,
    *,
    by_name: bool = False,
) -> Plan:
    """Remove stages that the profile lacks, with a note if they were requested by name."""
    notes = [_few_vectors(index)] if index.embedded_count < index.chunk_count else []
    stages = wanted
    if not encoder.has_sparse:
        stages = tuple(s for s in stages if s != "sparse")
        if not set(stages) & set(RECALL):
            stages = ("bm25", *stages)
        if by_name and stages != wanted:
            notes.append(f"The profile {encoder.name} has no learned sparse weights.")
    if by_name and encoder.reranker is None and "rerank" in stages:
        notes.append(f"The profile {encoder.name} has no reranker.")
    if encoder.token_width is None and "maxsim" in stages:
        notes.append(f"The profile {encoder.name} has no token matrices: hybrid search instead.")
    stages = _available(stages, encoder)
    mode = mode if set(stages) & set(RERANK) or mode != "full" else "hybrid"
    needs = set(stages) != {"bm25"}
    return Plan(mode, stages, encoder if needs else None, tuple(notes))


def _available(stages: tuple[str, ...], encoder: ProfileEncoder) -> tuple[str, ...]:
    """Return *stages* without those for which the profile has no model."""
    missing = {"rerank"} if encoder.reranker is None else set()
    if encoder.token_width is None:
        missing |= {*_WITH_MATRICES}
    return tuple(s for s in stages if s not in missing)


def _few_vectors(index: Index) -> str:
    missing = index.chunk_count - index.embedded_count
    return (
        f"{missing:,} of {index.chunk_count:,} passages have no vector and are found by their "
        f"words only. Run {See('reindex')}."
    )


# Reading of a question for its collection.


class ParsedQuestion(NamedTuple):
    """The reading of a question, and notes about it for the user."""

    reading: Reading
    notes: tuple[str, ...]


def ask(
    state: State,
    query: str,
    /,
    *,
    vocabulary: bool = True,
    document: str | None = None,
    meaning: Callable[[str], Meaning | None] | None = None,
    scope: Scope | None = None,
) -> ParsedQuestion:
    """Read a question with the names and vocabularies of its collection.

    *vocabulary* adds other names of its terms, those that *meaning* confirms and that are specific
    in *scope*. If *document* is the only searched document, no other one can be named.
    """
    names = state.once(_names) if document is None else None
    code = holds_code(state)
    if not vocabulary:
        return ParsedQuestion(read(query, names=names, code=code), ())
    mine, wrong = own(state.workspace.settings.data_dir)
    chosen = state.once(_fitting)
    kinds, share = state.once(_kinds), state.once(_shares)
    fitting = tuple(v for v in mine if v.fits(kinds, share))
    reading = read(
        query,
        vocabularies=(*fitting, *chosen),
        names=names,
        code=code,
        meaning=meaning,
        share=None if scope is None else functools.partial(_share_in, scope),
    )
    return ParsedQuestion(reading, wrong)


def _share_in(scope: Scope, term: str) -> float:
    return term_frequency(scope, term) / max(scope.chunk_count, 1)


def holds_code(state: State, /) -> bool:
    """Return whether the documents of a collection include source code."""
    return state.once(_holds_code)


def _holds_code(state: State) -> bool:
    return any(map(is_source_code, state.snapshot.documents.table["name"].to_pylist()))


def _names(state: State) -> Names:
    """Return the names of a collection's documents, with counts of terms."""
    index, segments = state.index, state.index.segments
    live = [np.array([d is not None for d in part.documents]) for part in segments]
    ids = [d for part in segments for d in part.documents if d is not None]
    sizes = [np.diff(part.data.starts)[alive] for part, alive in zip(segments, live, strict=True)]

    def counts(term: str) -> np.ndarray:
        counts_of_parts = []
        for part, alive, posting in zip(segments, live, index.postings(term), strict=True):
            if posting is None:
                counts_of_parts.append(np.zeros(int(alive.sum()), dtype=np.int64))
                continue
            # Rows of a document are consecutive, and rows of a posting are sorted: look up the
            # smaller set in the larger.
            rows, starts = posting.rows, part.data.starts
            if len(rows) < len(alive):
                places = np.searchsorted(starts, rows, side="right") - 1
                counts_of_parts.append(np.bincount(places, minlength=len(alive))[alive])
            else:
                firsts = np.searchsorted(rows, starts[:-1].astype(rows.dtype))
                counts_of_parts.append(np.diff(firsts, append=len(rows))[alive])
        return np.concatenate(counts_of_parts)

    def frequency(term: str) -> int:
        return sum(len(each.rows) for each in index.postings(term) if each is not None)

    def begins(term: str) -> np.ndarray:
        firsts = [
            np.zeros(int(alive.sum()), dtype=np.bool_)
            if posting is None
            else np.isin(part.data.starts[:-1][alive], posting.rows)
            for part, alive, posting in zip(segments, live, index.postings(term), strict=True)
        ]
        return np.concatenate(firsts)

    columns = ["document_id", "name", "document_type", "parent_id", "stated_on"]
    columns += ["title", "own_title", "issuer", "addressee"]
    ledger = [state.snapshot.documents.table[column].to_pylist() for column in columns]
    called, types, owners, days, *texts = (
        dict(zip(ledger[0], each, strict=True)) for each in ledger[1:]
    )
    # An attachment, such as the data of an electronic invoice, belongs to its document.
    whole = [d for d in ids if types[d] in _NAMING and types.get(owners[d]) != types[d]]
    counted = Counter(types[d] for d in whole)
    return Names(
        ids=ids,
        names=[called[d] for d in ids],
        sizes=np.concatenate(sizes) if sizes else np.zeros(0, dtype=np.int64),
        counts=counts,
        frequency=frequency,
        only={types[d]: ids.index(d) for d in whole if counted[types[d]] == 1},
        begins=begins,
        cards=[" ".join(filter(None, (each[d] for each in (called, *texts)))) for d in ids],
        days=[days[d] for d in ids],
    )


def _fitting(state: State) -> tuple[Vocabulary, ...]:
    """Return the shipped vocabularies that fit a collection."""
    return shipped(state.once(_kinds), state.once(_shares))


def _kinds(state: State) -> dict[str, float]:
    """Return the share of each document type."""
    documents = state.snapshot.documents
    counts = Counter(filter(None, documents.table["document_type"].to_pylist()))
    return {kind: count / len(documents) for kind, count in counts.items()}


class _Shares:
    """Returns the share of the passages with a term, cached."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: dict[str, float] = {}

    def __call__(self, term: str, /) -> float:
        if term not in self._known:
            postings = self._index.postings(term)
            # Passages of dead revisions count as well: they are similar.
            rows = sum(part.data.size for part in self._index.segments)
            holding = sum(len(posting.rows) for posting in postings if posting is not None)
            self._known[term] = holding / rows if rows else 0.0
        return self._known[term]


def _shares(state: State) -> _Shares:
    return _Shares(state.index)
