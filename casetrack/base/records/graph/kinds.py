"""Words for the kinds of things in the graph."""

from __future__ import annotations

from typing import Literal, get_args

EntityKind = Literal["person", "organization", "location", "date", "amount", "concept"]
ENTITY_KINDS: tuple[EntityKind, ...] = get_args(EntityKind)
COURT = "court"
"""Asks for the organisations whose part is that of a court; their kind is ``organization``."""
NAME_KINDS: tuple[EntityKind, ...] = ("person", "organization", "location")
FoundBy = Literal["tagged", "defined", "spread"]
"""How a name was found at a place: by the tagger, where the text defines it or makes it sure, or as
a later occurrence of a name that the document makes sure elsewhere."""
RelationType = Literal[
    "shared_entities",
    "shared_references",
    "semantic",
    "explicit",
    "version",
    "response_to",
    "amends",
    "attachment",
    "restates",
    "supplements",
    "schedule_of",
    "exhibit_of",
    "made_under",
    "bills",
    "interim_of",
    "forward_of",
    "same_thread",
    "copy",
]
RELATION_TYPES: tuple[RelationType, ...] = get_args(RelationType)
