"""The order of candidates over several looks at them: who was looked at later stands behind."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from casetrack.base.records import Signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.search.candidates import Fused, Ranked
    from casetrack.store.index.rows import Place

_BEHIND = 1e-6


@dataclass(frozen=True, slots=True)
class _Run:
    """Candidates that were scored among themselves, and how far their scores are moved."""

    fused: Fused
    positions: list[int]
    move: float
    stage: str


@dataclass(slots=True)
class Order:
    """Candidates, best first, each once.

    Attributes
    ----------
    places
        Where they stand.
    """

    places: list[Place] = field(default_factory=list)
    _runs: list[_Run] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)

    def add(self, fused: Fused, /, *, stage: str = "") -> None:
        """Put those of *fused* that are not here yet behind those that are.

        Their scores are standardised over other candidates than those before: they are moved below
        the last of these, and the move is what *stage* adds to them.
        """
        known = set(self.places)
        positions = [p for p in fused.order if fused.found.places[p] not in known]
        if not positions:
            return
        move = 0.0
        if self.places:
            last = self.ranked([len(self.places) - 1])[0].score
            move = min(0.0, last - fused.score(positions[0]) - _BEHIND)
        self._runs.append(_Run(fused, positions, move, stage))
        self._starts.append(len(self.places))
        self.places += [fused.found.places[p] for p in positions]

    @property
    def best(self) -> float:
        """The score of the first; 0 where there is none."""
        return self.ranked([0])[0].score if self.places else 0.0

    def behind(self, first: Fused, /) -> Order:
        """Return an order in which *first* stand before all that are here."""
        order = Order()
        order.add(first)
        for run in self._runs:
            order.add(run.fused, stage=run.stage)
        return order

    def ranked(self, numbers: Sequence[int], /) -> list[Ranked]:
        """Return those at *numbers* of the order, with what each signal said of them."""
        return [self._ranked(number) for number in numbers]

    def _ranked(self, number: int) -> Ranked:
        at = max(i for i, start in enumerate(self._starts) if start <= number)
        run = self._runs[at]
        found = run.fused.ranked_at(run.positions[number - self._starts[at]])
        if not run.stage:
            return found
        unseen = {name: Signal(None, None, 0.0) for name in self._runs[0].fused.shares}
        unseen[run.stage] = Signal(None, None, run.move)
        return replace(found, score=found.score + run.move, signals={**unseen, **found.signals})
