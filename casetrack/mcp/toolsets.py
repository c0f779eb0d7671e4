"""Which tools a server offers: all, a named set, or single ones.

Every tool costs its reader tokens in each conversation, so a client that only searches need not
carry the rest. A set is chosen when the server starts and stays the same for all its connections.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.mcp.specs import ToolSpec

ALL = "all"
READ_ONLY = "read-only"

_SEARCH = (
    "list_collections",
    "switch_collection",
    "search_documents",
    "get_chunk",
    "get_source_context",
    "get_page_image",
    "list_documents",
    "get_document",
    "get_document_structure",
    "browse_pages",
    "traverse_chunks",
    "search_similar_chunks",
)
TOOL_SETS: Mapping[str, tuple[str, ...]] = {
    "core": (
        "create_collection",
        "list_collections",
        "switch_collection",
        "ingest_document",
        "ingest_folder",
        "get_job_status",
        "list_documents",
        "search_documents",
        "get_source_context",
        "browse_pages",
        "get_collection_summary",
        "get_entity_mentions",
    ),
    "search": _SEARCH,
    "map": (
        "list_collections",
        "switch_collection",
        "get_collection_summary",
        "get_collection_timeline",
        "get_collection_statistics",
        "find_document_clusters",
        "find_entity",
        "list_entities",
        "get_entity_mentions",
        "search_entity_relationships",
        "get_entity_graph",
        "list_references",
        "get_reference_citations",
        "find_related_documents",
        "get_related_documents",
        "list_documents_by_type",
        "compare_documents",
        "get_source_context",
    ),
    "legal": (
        "create_collection",
        "list_collections",
        "switch_collection",
        "delete_collection",
        "get_collection_info",
        "ingest_document",
        "ingest_folder",
        "get_job_status",
        "list_documents",
        "get_document",
        "delete_document",
        "search_documents",
        "get_source_context",
        "get_page_image",
        "browse_pages",
        "get_collection_timeline",
        "find_entity",
        "list_references",
        "get_reference_citations",
        "compare_documents",
        "get_status",
    ),
}
"""Named sets besides ``all`` and ``read-only``: the dozen that does most work; finding and reading;
people, dates and connections; and what work on a legal case needs."""

SET_NAMES = (ALL, READ_ONLY, *TOOL_SETS)


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """The tools that a server offers.

    Attributes
    ----------
    names
        Names of the tools; ``None`` means all.
    read_only
        Whether tools that change anything are left out.
    """

    names: frozenset[str] | None = None
    read_only: bool = False

    def of(self, specs: Mapping[str, ToolSpec], /) -> list[str]:
        """Return the names of the chosen tools among *specs*, in their order."""
        return [
            name
            for name, spec in specs.items()
            if (self.names is None or name in self.names)
            and (spec.hints.read_only or not self.read_only)
        ]


def parse_choice(text: str, known: Mapping[str, ToolSpec], /) -> ToolChoice:
    """Return what *text* chooses: names of sets and of tools, separated by commas.

    ``read-only`` beside others takes their writing tools away; alone it means all that read.

    Raises
    ------
    UsageError
        A name is neither a set nor a tool, or nothing was chosen.
    """
    words = [word.strip().lower().replace("_only", "-only") for word in text.split(",")]
    words = [word for word in words if word]
    if not words:
        raise UsageError("No tools were chosen.", hint=_hint())
    read_only = READ_ONLY in words
    rest = [word for word in words if word != READ_ONLY]
    names: set[str] = set()
    for word in rest:
        if word in TOOL_SETS:
            names.update(TOOL_SETS[word])
        elif word in known:
            names.add(word)
        elif word != ALL:
            near = difflib.get_close_matches(word, [*SET_NAMES, *known], n=1)
            guess = f' Did you mean "{near[0]}"?' if near else ""
            raise UsageError(f'No such tool or set of tools: "{word}".{guess}', hint=_hint())
    everything = ALL in rest or not rest
    return ToolChoice(None if everything else frozenset(names), read_only)


def _hint() -> str:
    return f"Use one of {', '.join(SET_NAMES)}; or names of tools, separated by commas."
