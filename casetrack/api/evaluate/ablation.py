"""Which signals of a search to add one by one, and which to take away one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.evaluate.measures import CUTOFF
from casetrack.search.plan import RECALL, STAGES, problem_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.evaluate.questions import QuestionSet


def available_signals(asked: QuestionSet, /) -> tuple[str, ...]:
    """Return the signals that take part in a full search of the collection.

    Raises
    ------
    ModelNotFound
        The collection's model is not installed.
    """
    question = asked.questions[0]
    used = asked.collection.search(question.text, limit=CUTOFF, mode="full").stages_used
    return tuple(signal for signal in STAGES if signal in used)


def combinations(signals: Sequence[str], /) -> list[tuple[str, ...]]:
    """Return what to measure: every finding signal alone, one more at a time, all, all but one.

    Examples
    --------
    >>> for signals in combinations(["bm25", "semantic", "maxsim"]):
    ...     print(" + ".join(signals))
    bm25
    semantic
    bm25 + semantic
    semantic + maxsim
    bm25 + maxsim
    bm25 + semantic + maxsim
    """
    whole = tuple(signals)
    alone = [(s,) for s in whole if s in RECALL]
    growing = [whole[:count] for count in range(2, len(whole))]
    without = [tuple(s for s in whole if s != left) for left in whole]
    wanted = [*alone, *growing, *without]
    usable = [some for some in wanted if problem_with(some) is None and some != whole]
    return [*dict.fromkeys(usable), whole]
