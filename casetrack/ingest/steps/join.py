"""Step ``join_entities`` over the collection: it decides which names are the same entity.

Its parameters are declared here; :mod:`casetrack.graph.entities` runs it whenever the documents of
a collection have changed.
"""

from __future__ import annotations

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import PipelineError
from casetrack.ingest.steps.base import Contract, parameter


@dataclass(frozen=True, slots=True)
class JoinRules:
    """Joins different names of one entity, if the collection leaves no doubt."""

    middle_names: bool = parameter(
        True, "Join full names that differ in a middle name only, if no other name matches."
    )
    legal_forms: bool = parameter(
        True, "Join an organisation with and without its legal form, if there is only one form."
    )
    nicknames: bool = parameter(
        True, "Join a nickname with the only matching full name: Bob Hale with Robert Hale."
    )
    addresses: bool = parameter(True, "Join the names of persons with the same mail address.")
    defined_names: bool = parameter(
        True, "Join trade names, former names and initials with their owners, as stated in texts."
    )
    mistaken_kinds: bool = parameter(
        True, "Join a name of another kind with the confident or most frequent kind."
    )
    shortened: bool = parameter(
        True, "Join a shortened name with the only matching full name in related documents."
    )
    max_concepts: int = parameter(2000, "Maximum number of phrases kept as concepts.")
    max_aliases: int = parameter(20, "Maximum number of other spellings kept per entity.")
    contract = Contract("join_entities", 1, "chunks", "entities", ("text",), ("entity_id",))

    def __post_init__(self) -> None:
        """Refuse negative numbers."""
        for name in ("max_concepts", "max_aliases"):
            if getattr(self, name) < 0:
                raise PipelineError(f"{name} = {getattr(self, name)} must be 0 or more.")

    @property
    def fingerprint(self) -> str:
        """The parameters."""
        return repr(self)


ALL_JOINS = JoinRules()
"""Rules of a pipeline that sets no parameter."""
NO_JOINS = JoinRules(
    middle_names=False,
    legal_forms=False,
    nicknames=False,
    addresses=False,
    defined_names=False,
    mistaken_kinds=False,
    shortened=False,
)
"""Rules of a pipeline without this step."""
