"""The map of a collection: who, when, how much, what refers to what; every entry with its source.

An entry that shows words of a document carries a :class:`Quote`, which is cited to the line
(invariant P4). ``as_dict`` gives the JSON form used by the command line and by MCP.
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
    Quote,
    RelationType,
)
from casetrack.base.records.graph.overview import CollectionStatistics, CollectionSummary, KeyActor
from casetrack.base.records.graph.timeline import Event, Timeline
