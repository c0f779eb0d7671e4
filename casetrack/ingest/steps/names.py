"""Step ``names``: persons, organisations and places in chunks, at their exact place (P5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import PipelineError
from casetrack.base.records import DEFAULT_DIMENSION
from casetrack.extract.spans import NameSpan
from casetrack.ingest.steps.base import Contract, parameter
from casetrack.ingest.steps.encoding import CONTEXT_COLUMNS, CONTEXT_VERSION, SharedPass
from casetrack.ingest.steps.extract import as_rows

if TYPE_CHECKING:
    from casetrack.extract.finder import NameFinder
    from casetrack.ingest.steps.base import Batches
    from casetrack.ingest.steps.encoding import ContextText
    from casetrack.models.base import Encoding, ProfileEncoder

KINDS = ("person", "organization", "location")


@dataclass(frozen=True, slots=True)
class NameRules:
    """Which of the names that are found are kept."""

    kinds: tuple[str, ...] = parameter(
        KINDS, "What kept names stand for: person, organization, location."
    )
    min_confidence: float = parameter(
        0.0, "Names that the tagger is less sure of are left out (0 to 1)."
    )

    def __post_init__(self) -> None:
        """Refuse kinds that there are not, and a confidence that no name can have."""
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown:
            raise PipelineError(
                f"There is no kind of name {unknown[0]!r}.", hint=f"Use of: {', '.join(KINDS)}."
            )
        if not 0 <= self.min_confidence <= 1:
            raise PipelineError(
                f"min_confidence = {self.min_confidence} is no probability.",
                hint="Use a number from 0 to 1.",
            )


@dataclass(frozen=True, slots=True)
class NamesStep:
    """Finds the names of persons, organisations and places, with how sure each is.

    The embedded tagger reads the hidden states of the pass that ``embed`` makes, where that step
    stands beside it; a model of its own (``[names]`` in ``config.toml``) needs no pass.

    Attributes
    ----------
    finder
        What looks for names, or ``None``: then the column is null.
    encoder
        Makes the pass, where the finder reads one.
    rules
        What is kept.
    """

    finder: NameFinder | None
    encoder: ProfileEncoder | None
    rules: NameRules = NameRules()
    contract = Contract("names", 2, "chunks", "chunks", CONTEXT_COLUMNS, ("mentions",))

    @property
    def fingerprint(self) -> str:
        """The finder, what it sees, and what is kept; ``none`` without a finder."""
        if self.finder is None:
            return "none"
        kinds = ",".join(sorted(self.rules.kinds))
        sees = "-" if self.layers is None or self.encoder is None else self.encoder.fingerprint
        parts = (self.finder.fingerprint, sees, CONTEXT_VERSION, kinds, self.rules.min_confidence)
        return " ".join(map(str, parts))

    @property
    def is_idle(self) -> bool:
        """Whether nobody looks for names."""
        return self.finder is None

    @property
    def layers(self) -> tuple[int, ...] | None:
        """The layers that the finder wants."""
        return self.finder.layers if self.finder is not None else None

    @property
    def nothing(self) -> dict[str, Any]:
        """Nobody has looked: no list at all, where an empty one means that there are none."""
        return {"mentions": None}

    def __call__(self, batches: Batches, /) -> Batches:
        """Add the column to every batch."""
        return SharedPass((self,), DEFAULT_DIMENSION)(batches)

    def read(self, text: ContextText, encoding: Encoding | None, /) -> dict[str, Any]:
        """Return the value of the column for one chunk."""
        if self.finder is None:
            return self.nothing
        found = self.finder.tag(text.whole, encoding, start=len(text.context))
        kinds, least = self.rules.kinds, self.rules.min_confidence
        kept = [name for name in found if name.kind in kinds and name.confidence >= least]
        return {"mentions": as_rows(kept, NameSpan)}
