"""What each tier allows: the one table of limits and features (PRD 10 §11.1, PRD 09 §1).

A limit counts what would be added, never what is there: whatever is stored can be read, searched,
exported, restored and deleted in every tier. Token matrices, too, are made of every document in
every tier, in the same pass as its vectors, so that an upgrade needs no reindex.

A document that came inside another one, such as an attachment of a mail, is part of it and counts
for nothing: a file is taken in whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass

FEATURES = {
    "rerank": "reranking by tokens (MaxSim, mode full)",
    "entity_search": "finding an entity across documents (find_entity)",
    "entity_relationships": "finding entities mentioned together (search_entity_relationships)",
    "entity_graph": "the graph of entities (get_entity_graph)",
    "document_comparison": "comparing two documents (compare_documents)",
    "document_clusters": "grouping documents (find_document_clusters)",
}
"""Features that not every tier has, by what a message calls them."""


@dataclass(frozen=True, slots=True)
class Tier:
    """One row of the table.

    Attributes
    ----------
    name
        As programs and license keys name it.
    title
        As people read it.
    price
        What it costs.
    collections
        How many collections a data folder may come to hold; ``None`` is no limit.
    documents
        How many documents a collection may come to hold; ``None`` is no limit.
    features
        Names of :data:`FEATURES` that it has.
    """

    name: str
    title: str
    price: str
    collections: int | None
    documents: int | None
    features: frozenset[str]


FREE = Tier("free", "Free", "$0", 3, 100, frozenset())
PRO = Tier("pro", "Pro", "$29/mo", None, None, frozenset(FEATURES))
TEAM = Tier("team", "Team", "$99/mo", None, None, frozenset(FEATURES))
TIERS = {tier.name: tier for tier in (FREE, PRO, TEAM)}
"""The tiers that exist, by name; a team's key is one key with several seats."""

UNLIMITED = Tier("unlimited", "Unlimited", "not sold", None, None, frozenset(FEATURES))
"""For measuring the engine and for the demonstration; no key stands for it."""
