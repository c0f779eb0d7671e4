"""Which stages of retrieval take part in one search (PRD 08, corrected by DESIGN §6).

Recall by words (``bm25``), by meaning (``semantic``) and by learned words (``sparse``), joined by
fusion; then ``maxsim`` reads the best candidates token by token, and ``feedback`` looks for more of
what the best have in common.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.errors import ModelError, UsageError
from casetrack.base.models.profiles import profile_for_script, reads_script
from casetrack.extract.language import called, language_of
from casetrack.extract.scripts import script_shares

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.base.records import SearchMode
    from casetrack.models.base import ProfileEncoder
    from casetrack.store.index.index import Index

RECALL = ("bm25", "semantic", "sparse")
"""Stages that find candidates, in the order in which they run."""
RERANK = ("maxsim", "feedback")
"""Stages that order the best candidates anew."""
STAGES = (*RECALL, *RERANK)
_MODES: dict[SearchMode, tuple[str, ...]] = {
    "keyword": ("bm25",),
    "semantic": ("semantic",),
    "hybrid": RECALL,
    "full": STAGES,
}
_UNREAD_SHARE = 1 / 3
"""Words of a question in a script that the models do not read, from which on they take no part."""
_REMEDY = "Run `casetrack models pull` once while online, then `casetrack reindex`."


@dataclass(frozen=True, slots=True)
class Plan:
    """What one search does.

    Attributes
    ----------
    mode
        What the user asked for, or what was chosen.
    stages
        Stages that take part.
    encoder
        The models, or ``None`` where no stage needs them.
    notes
        What the user should know.
    """

    mode: SearchMode
    stages: tuple[str, ...]
    encoder: ProfileEncoder | None
    notes: tuple[str, ...] = ()

    def without_matrices(self) -> Plan:
        """Return the plan that was followed where no passage has a token matrix."""
        note = "These passages have no token matrices yet. Run `casetrack reindex`."
        stages = tuple(s for s in self.stages if s in RECALL)
        return replace(self, mode=_mode_of(stages), stages=stages, notes=(*self.notes, note))

    def by_words_only(self, why: str, /) -> Plan:
        """Return the plan for a question that no model has read, with the reason as a note."""
        return Plan("keyword", ("bm25",), None, (*self.notes, why))


def words_only(error: ModelError, /) -> str:
    """Return what the user should know where models failed and the words are searched alone."""
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

    Parameters
    ----------
    mode
        What the user asked for; ``None`` takes all that the collection has.
    stages
        Names of stages, instead of those of a mode.
    index
        The collection's.
    load_encoder
        Returns the collection's models; called only where a stage needs them.
    query
        The question. Where the models do not read its script they take no part, unless they are
        asked for by name.
    rerank
        Whether *all* includes the stages that rerank; what is asked for by name is not affected.

    Raises
    ------
    UsageError
        A mode or a stage is unknown, both are given, or no stage finds candidates.
    ModelNotFound
        What was asked for needs a model that is not installed.
    """
    _check(mode, stages)
    wanted = _MODES[mode or "full"] if stages is None else _ordered(stages)
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
    if mode is not None and mode not in _MODES:
        raise UsageError(f"Unknown mode {mode!r}.", hint=f"Use one of: {', '.join(_MODES)}.")
    if stages is None:
        return
    if mode is not None:
        raise UsageError("Name a mode or stages, not both.")
    unknown = [s for s in stages if s not in STAGES]
    if unknown:
        raise UsageError(
            f"Unknown stage {unknown[0]!r}.", hint=f"Use some of: {', '.join(STAGES)}."
        )
    if problem := problem_with(stages):
        raise UsageError(problem[0], hint=problem[1])


def problem_with(stages: Sequence[str], /) -> tuple[str, str] | None:
    """Return why known stages do not make a search, and what would; ``None`` where they do."""
    if not set(stages) & set(RECALL):
        return "No stage finds candidates.", f"Add at least one of: {', '.join(RECALL)}."
    if "feedback" in stages and not {"semantic", "maxsim"} <= set(stages):
        return "The stage feedback needs two others.", "Add semantic and maxsim, or leave it out."
    return None


def _ordered(stages: Sequence[str]) -> tuple[str, ...]:
    return tuple(s for s in STAGES if s in stages)


def _mode_of(stages: tuple[str, ...]) -> SearchMode:
    """Return the mode that describes a choice of stages best."""
    if "maxsim" in stages:
        return "full"
    if stages in {("bm25",), ("semantic",)}:
        return "keyword" if stages == ("bm25",) else "semantic"
    return "hybrid"


def _best(
    index: Index, load_encoder: Callable[[], ProfileEncoder], query: str, *, rerank: bool
) -> Plan:
    """Take part with all there is; without vectors or models it is the words alone."""
    if not index.embedded_count:
        note = f"Keyword search only: there are no vectors to search. {_REMEDY}"
        return Plan("keyword", ("bm25",), None, (note,))
    try:
        encoder = load_encoder()
    except ModelError as error:
        return Plan("keyword", ("bm25",), None, (words_only(error),))
    if (script := _unread_script(query, encoder)) is not None:
        note = f"{_unread(query, script, encoder)}; it was searched for by its words."
        if (other := profile_for_script(script)) is not None:
            note += f" By its meaning: `casetrack reindex --profile {other}`."
        return Plan("keyword", ("bm25",), None, (note,))
    stages = STAGES if rerank and encoder.token_width is not None else RECALL
    return _with_models(_mode_of(stages), stages, index, encoder)


def _unread_script(query: str, encoder: ProfileEncoder) -> str | None:
    """Return the script of a good part of the question that the models do not read."""
    for script, share in script_shares(query).items():
        if share >= _UNREAD_SHARE and not reads_script(encoder.name, script):
            return script
    return None


def _unread(query: str, script: str, encoder: ProfileEncoder) -> str:
    language = language_of(query, script)
    said = f"in {called(language)}" if language else f"written in {script} letters"
    return f"The question is {said}, which the models of the profile {encoder.name} do not read"


def _with_models(
    mode: SearchMode,
    wanted: tuple[str, ...],
    index: Index,
    encoder: ProfileEncoder,
    *,
    by_name: bool = False,
) -> Plan:
    """Leave out what the profile does not have, and say so where it was asked for by name."""
    notes = [_few_vectors(index)] if index.embedded_count < index.chunk_count else []
    stages = wanted
    if not encoder.has_sparse:
        stages = tuple(s for s in stages if s != "sparse")
        if not set(stages) & set(RECALL):
            stages = ("bm25", *stages)
        if by_name and stages != wanted:
            notes.append(f"The profile {encoder.name} has no learned sparse weights.")
    if encoder.token_width is None and "maxsim" in stages:
        stages = tuple(s for s in stages if s not in RERANK)
        notes.append(f"The profile {encoder.name} has no token matrices: hybrid search instead.")
        mode = "hybrid"
    needs = set(stages) != {"bm25"}
    return Plan(mode, stages, encoder if needs else None, tuple(notes))


def _few_vectors(index: Index) -> str:
    missing = index.chunk_count - index.embedded_count
    return (
        f"{missing:,} of {index.chunk_count:,} passages have no vector and are found by their "
        "words only. Run `casetrack reindex`."
    )
