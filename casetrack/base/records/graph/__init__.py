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
from casetrack.base.records.graph.changes import Change, Changes, Comparison
from casetrack.base.records.graph.connections import (
    Cluster,
    Clusters,
    RelatedDocument,
    Relation,
    SimilarChunk,
    Topic,
)
from casetrack.base.records.graph.entities import (
    Edge,
    Encounter,
    Encounters,
    Entity,
    EntityGraph,
    EntityMentions,
    Mention,
)
from casetrack.base.records.graph.kinds import (
    COURT,
    ENTITY_KINDS,
    NAME_KINDS,
    RELATION_TYPES,
    EntityKind,
    RelationType,
)
from casetrack.base.records.graph.overview import CollectionStatistics, CollectionSummary, KeyActor
from casetrack.base.records.graph.quote import Quote
from casetrack.base.records.graph.references import Citation, Reference, ReferenceCitations
from casetrack.base.records.graph.timeline import Event, Timeline
