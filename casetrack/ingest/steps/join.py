"""Step ``join_entities`` over the collection: it decides which names are the same entity.

Its parameters are declared here; :mod:`casetrack.graph.entities` runs it whenever the documents of
a collection have changed.
"""

from __future__ import annotations

from dataclasses import dataclass

from casetrack.base.errors import PipelineError
from casetrack.ingest.steps.base import Contract, parameter


@dataclass(frozen=True, slots=True)
class JoinRules:
    """Joins different names of one entity, if the collection leaves no doubt.

    Names with the same key are always one entity; a pipeline without this step joins nothing else.
    """

    middle_names: bool = parameter(
        True, "Join full names that differ in a middle name only, where nobody else fits."
    )
    legal_forms: bool = parameter(
        True, "Join an organisation with and without its legal form, where there is one form only."
    )
    nicknames: bool = parameter(
        True, "Join a nickname with the only full name that it fits: Bob Hale with Robert Hale."
    )
    addresses: bool = parameter(
        True, "Join the names of persons whom documents give the same mail address."
    )
    defined_names: bool = parameter(
        True, "Join trade names, former names and initials with whose they are, as texts state."
    )
    mistaken_kinds: bool = parameter(
        True, "Join a name that was taken for another kind of thing with what is sure or most say."
    )
    shortened: bool = parameter(
        True, "Join a shortened name with the only full one that it fits in documents near it."
    )
    max_concepts: int = parameter(2000, "Most phrases that are kept as concepts.")
    max_aliases: int = parameter(20, "Most other spellings that are kept of an entity.")
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
