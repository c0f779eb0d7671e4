"""What each tier allows: the one table of limits and features (PRD 10 §11.1, PRD 09 §1).

A limit counts what would be added, never what is there: whatever is stored can be read, searched,
exported, restored and deleted in every tier. Token matrices, too, are made of every document in
every tier, in the same pass as its vectors, so that an upgrade needs no reindex.

A document that came inside another one, such as an attachment of a mail, is part of it and counts
for nothing: a file is taken in whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass

from casetrack.base.errors import See

FEATURES = {
    "rerank": "reading the best passages word by word before they are ranked (the mode full)",
    "case_folder": "taking a whole folder into a case with one call (ingest_folder)",
    "entity_search": "the passages about a person, a firm or a thing, ranked over all documents",
    "entity_relationships": "finding where people, firms or things are mentioned together",
    "entity_graph": "the graph of who is mentioned with whom",
    "document_comparison": "comparing what two documents say about a topic",
    "document_clusters": "sorting documents into groups",
}
"""Features that not every tier has, by what a message calls them."""

INSTEAD = {
    "rerank": "search by words and meaning together (the mode hybrid)",
    "case_folder": "take in its files one by one (ingest_document)",
    "entity_search": f"list every place that mentions a name ({See('entity')})",
    "entity_relationships": f"list every place that mentions one of them ({See('entity')})",
    "entity_graph": f"list the names ({See('entities')}) and the documents that share them "
    f"({See('related')})",
    "document_comparison": f"show what was changed between two versions ({See('changes')})",
    "document_clusters": f"show what the texts are about ({See('topics')}) and which belong to "
    f"one ({See('related')})",
}
"""What every tier can do instead of each of :data:`FEATURES`, with the command for it."""


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

UNLIMITED_EDITIONS = frozenset({"context"})
"""Editions whose collections no tier limits: neither how many there are nor what they hold, and
they have every feature. This is the only place that says so."""
