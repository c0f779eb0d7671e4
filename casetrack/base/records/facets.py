"""Facets that narrow the passages of a question."""

from __future__ import annotations

from dataclasses import dataclass

from casetrack.base.records.shape import Record


@dataclass(frozen=True, slots=True)
class FacetValue(Record):
    """A value of a facet, and the number of passages that have it."""

    value: str  # for a filter: the id of a document or an entity, a kind, a language, a year
    label: str  # for display
    passages: int


@dataclass(frozen=True, slots=True)
class Facet(Record):
    """A property that narrows passages."""

    name: str  # `document`, `kind`, `year`, `person`, `organization`, `language` or `source`
    values: tuple[FacetValue, ...]  # the most frequent and the chosen values
    total: int  # number of all values


@dataclass(frozen=True, slots=True)
class Facets(Record):
    """The facets of a question, in display order."""

    passages: int  # number of passages that match the question and its filters
    facets: tuple[Facet, ...]
    # Number of passages without extracted entities; if any, people and organizations are omitted.
    unread: int = 0
