"""Answers of the graph: entities, dates, amounts, references and relations with their sources.

Entries with text of a document have a :class:`Quote` with a citation to the line (invariant P4).
"""

from casetrack.base.records.graph.amounts import (
    AMOUNT_KINDS,
    Amount,
    AmountKind,
    Amounts,
    AmountSort,
    AmountUnit,
)
from casetrack.base.records.graph.changes import (
    Change,
    Changes,
    Citation,
    Cluster,
    Clusters,
    Comparison,
    Reference,
    ReferenceCitations,
    RelatedDocument,
    Relation,
    SimilarChunk,
    Topic,
)
from casetrack.base.records.graph.entities import (
    COURT,
    ENTITY_KINDS,
    NAME_KINDS,
    RELATION_TYPES,
    Edge,
    Encounter,
    Encounters,
    Entity,
    EntityGraph,
    EntityKind,
    EntityMentions,
    Mention,
    RelationType,
)
from casetrack.base.records.graph.overview import CollectionStatistics, CollectionSummary, KeyActor
from casetrack.base.records.graph.timeline import Event, Timeline
from casetrack.base.records.passages import Quote
