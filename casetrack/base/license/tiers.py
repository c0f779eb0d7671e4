"""Limits and features of each tier (PRD 10 §11.1, PRD 09 §1).

A limit applies to additions only: in every tier, stored documents can be read, searched, exported,
restored and deleted. Token matrices are made in every tier too, so an upgrade needs no reindex.
Attachments are part of their file and are not counted.
"""

from __future__ import annotations

from casetrack.base.dataclass import dataclass
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
"""Features of paid tiers, with their description in messages."""

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
"""Alternatives to :data:`FEATURES` in every tier, with their commands."""


@dataclass(frozen=True, slots=True)
class Tier:
    """Limits and features of a tier; ``None`` means without a limit.

    *name* is for programs and license keys, *title* for users; *features* are keys of
    :data:`FEATURES`.
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
"""The tiers by name; a team has one key with several seats."""

UNLIMITED = Tier("unlimited", "Unlimited", "not sold", None, None, frozenset(FEATURES))
"""For benchmarks and the demonstration; no license key has it."""

UNLIMITED_EDITIONS = frozenset({"context"})
"""Editions whose collections have all features and no limits."""
