"""What the passages that fit a question can be narrowed by."""

from __future__ import annotations

from dataclasses import dataclass

from casetrack.base.records.shape import Record


@dataclass(frozen=True, slots=True)
class FacetValue(Record):
    """A value of a facet.

    Attributes
    ----------
    value
        As a filter takes it: the id of a document or an entity, a kind, a language, a year.
    label
        As a person reads it.
    passages
        How many passages are left with it.
    """

    value: str
    label: str
    passages: int


@dataclass(frozen=True, slots=True)
class Facet(Record):
    """Something that passages are narrowed by.

    Attributes
    ----------
    name
        ``document``, ``kind``, ``year``, ``person``, ``organization``, ``language`` or ``source``.
    values
        Those that most passages have, and those that were chosen.
    total
        How many values there are.
    """

    name: str
    values: tuple[FacetValue, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Facets(Record):
    """What passages are narrowed by.

    Attributes
    ----------
    passages
        How many passages fit the question and all that is asked of them.
    facets
        In the order in which they are shown.
    unread
        How many passages nobody has read for the map yet: people and organizations are left out
        then.
    """

    passages: int
    facets: tuple[Facet, ...]
    unread: int = 0
