"""Which documents cover which topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from casetrack.base.dataclass import dataclass
from casetrack.base.records.passages import Quote
from casetrack.base.records.shape import Record, Share
from casetrack.base.records.table import Tabular

Presence = Literal["present", "unsure", "absent"]


@dataclass(frozen=True, slots=True)
class TopicFinding(Record):
    """Whether a document covers a topic, with its best passage unless it is absent."""

    topic: str
    presence: Presence
    relevance: Share
    quote: Quote | None = None


@dataclass(frozen=True, slots=True)
class DocumentTopics(Record):
    """The findings of all topics in one document."""

    document_id: str
    document: str
    findings: tuple[TopicFinding, ...]


@dataclass(frozen=True, slots=True, repr=False)
class TopicMatrix(Tabular[DocumentTopics], Record):
    """Documents by name with their findings; *total* counts the documents of all pages."""

    topics: tuple[str, ...]
    total: int
    documents: tuple[DocumentTopics, ...]

    def counts(self, topic: str, /) -> Counter[Presence]:
        """Return the number of these documents by presence of a topic."""
        found = (each for row in self.documents for each in row.findings)
        return Counter(each.presence for each in found if each.topic == topic)

    def _table(self) -> tuple[type[DocumentTopics], Sequence[DocumentTopics]]:
        return DocumentTopics, self.documents

    def _heading(self) -> str:
        return f"{len(self.documents):,} of {self.total:,} documents: {', '.join(self.topics)}"
