"""Tools on what connects documents, and on two of them side by side."""

from typing import TYPE_CHECKING, Annotated, TypedDict

from mcp.types import CallToolResult

from casetrack.api.collection.map import Map
from casetrack.api.operation import READS
from casetrack.base.records import Chunk, Document
from casetrack.base.records.documents import NAMED
from casetrack.base.records.graph import Change, Entity, Reference
from casetrack.base.records.shape import Spread
from casetrack.faces.mcp import outputs
from casetrack.faces.mcp.asking import Asked, asks
from casetrack.faces.mcp.comparing import comparison
from casetrack.faces.mcp.render import graph as render
from casetrack.faces.mcp.results import answer
from casetrack.faces.mcp.session import SessionTools
from casetrack.faces.mcp.specs import tool

if TYPE_CHECKING:
    from casetrack.base.records.graph import Comparison


class ScoredPassage(outputs.Passage):
    """A passage on the topic asked for."""

    score: float


class Side(TypedDict):
    """What one of two documents says; ``further`` are passages that did not fit."""

    document: Annotated[Document, NAMED, Spread()]
    passages: list[ScoredPassage]
    further: list[Annotated[Chunk, outputs.POINTER]]


class Changes(TypedDict):
    """What changed on the topic from one version to the other; the first are given in full."""

    before: Annotated[Document, NAMED]
    after: Annotated[Document, NAMED]
    unchanged_paragraphs: int
    total: int
    changes: list[Change]


class ComparisonOutput(outputs.Quoting):
    """What two documents say of a topic, and the names and references in both or in one alone.

    ``similarity`` compares the documents as a whole; ``changes`` is null where neither is a version
    of the other.
    """

    topic: str
    document_a: Side
    document_b: Side
    shared_entities: list[Annotated[Entity, outputs.ENTITY_NAME]]
    only_a: list[Annotated[Entity, outputs.ENTITY_NAME]]
    only_b: list[Annotated[Entity, outputs.ENTITY_NAME]]
    shared_references: list[Reference]
    similarity: float | None
    changes: Changes | None
    notes: list[str]
    more: str | None


class RelationTools(SessionTools):
    """The tools of this module, for one session."""

    @tool(
        "Compare",
        READS,
        description="What two documents say on a topic, side by side. Returns each one's cited "
        "passages, names and references in both or one, similarity, and changes between versions.",
        feature="document_comparison",
        sets=("map", "legal"),
        page="compare",
    )
    @asks(Map.compare)
    def compare_documents(
        self, found: "Comparison", asked: Asked
    ) -> Annotated[CallToolResult, ComparisonOutput]:
        """Return what two documents say of a topic."""
        facts = comparison(found, asked.target.info, asked.told)
        return answer(render.comparison(found, facts), facts)
