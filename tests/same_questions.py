"""Questions to every tool that reads, and the command that answers the same question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NAME = "Demo"
AGREEMENT, PROPOSAL = "Master Services Agreement.pdf", "Proposal TS-P-2024-017.docx"
INVOICE = "Invoice TS-2024-0187.pdf"
SHEETS = "Project Budget 2024-25.xlsx"
TOPIC = "payment of invoices and late payment"

WITHOUT_COMMAND = {
    "get_page_image": "`casetrack show --page` writes the picture to a file",
    "get_status": "it tells of the running server: what it has loaded, what is active",
    "list_marks": "`casetrack marks` has each mark whole, with the words of its passage",
}
"""Reading tools whose question no command answers, and why."""

_SQL = "SELECT name, page_count FROM documents ORDER BY name"
_WHOLE: Mapping[str, str] = {"": ""}


@dataclass(frozen=True)
class Question:
    """A question as a tool call and as a command.

    Attributes
    ----------
    command
        Arguments of the command line, without collection and ``--json``; empty if there is none.
    same
        Path in the tool's structure to the equal path in the command's JSON. The empty path is the
        whole.
    shaped
        Converts the command's JSON to the names of the tool.
    """

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    command: tuple[str, ...] = ()
    same: Mapping[str, str] = field(default_factory=lambda: _WHOLE)
    shaped: Callable[[Any], Any] = field(default=lambda found: found)


@dataclass(frozen=True)
class Known:
    """Things in the collection that can be asked for: ids, and names as the documents have them."""

    chunk: str
    cell_chunk: str
    drawn_chunk: str
    job: str
    names: tuple[str, str]
    reference: str


def questions(known: Known, /) -> list[Question]:
    """Return questions to every reading tool, those that change the connection last."""
    return [
        *_of_collections(known),
        *_of_documents(),
        *_searches(),
        *_of_passages(known),
        *_of_names(known),
        *_of_relations(),
        Question("get_page_image", {"chunk_id": known.drawn_chunk}),
        Question("get_status"),
        Question(
            "switch_collection",
            {"collection_name": NAME},
            ("collection", "info"),
            {"collection": ""},
        ),
    ]


def failures(known: Known, /) -> list[Question]:
    """Return questions that have no answer."""
    nobody = "00000000-0000-4000-8000-000000000000"
    return [
        Question("get_chunk", {"chunk_id": nobody}, ("chunk", nobody)),
        Question("get_document", {"document_name": "Lease.pdf"}, ("document", "Lease.pdf")),
        Question("get_entity_mentions", {"entity_name": "Xyzzyqua"}, ("entity", "Xyzzyqua")),
        Question("get_job_status", {"job_id": "j-ffffff"}, ("jobs", "show", "j-ffffff")),
        Question(
            "browse_pages",
            {"document_name": AGREEMENT, "start_page": 90, "end_page": 91},
            ("read", AGREEMENT, "--pages", "90-91"),
        ),
        Question(
            "get_collection_timeline",
            {"start_date": "yesterday"},
            ("timeline", "--from", "yesterday"),
        ),
        Question("get_source_context", {"chunk_id": known.chunk[:7]}, ("chunk", known.chunk[:7])),
    ]


def _of_collections(known: Known) -> list[Question]:
    return [
        Question(
            "list_collections",
            {"status_filter": "all"},
            ("collection", "list", "--status", "all"),
            {"collections": ""},
        ),
        Question("get_collection_info", {}, ("collection", "info")),
        Question("list_watches", {}, ("watch", "list"), {"watches": ""}),
        Question(
            "get_index_status",
            {"document_filter": AGREEMENT},
            ("index-status", AGREEMENT),
            shaped=_without_remedy,
        ),
        Question("get_job_status", {}, ("jobs", "list"), {"jobs": ""}, _named_jobs),
        Question(
            "get_job_status",
            {"job_id": known.job},
            ("jobs", "show", known.job),
            {"jobs.0": "", "result": "result"},
            lambda job: _named_jobs([job])[0],
        ),
        Question("get_collection_summary", {}, ("summary",)),
        Question(
            "get_collection_timeline",
            {"start_date": "2024-10-01", "end_date": "2024-10-31"},
            ("timeline", "--from", "2024-10-01", "--to", "2024-10-31"),
        ),
        Question("get_collection_statistics", {}, ("statistics",)),
        Question("find_document_clusters", {"strategy": "entity"}, ("clusters", "--by", "entity")),
    ]


def _of_documents() -> list[Question]:
    return [
        Question(
            "list_documents",
            {"sort_by": "pages"},
            ("documents", "--sort", "pages"),
            {"documents": ""},
        ),
        Question(
            "list_documents_by_type",
            {"document_type": "invoice"},
            ("documents", "--sort", "name"),
            {"documents": ""},
            lambda result: [d for d in result if d["document_type"] == "invoice"],
        ),
        Question(
            "get_document", {"document_name": AGREEMENT}, ("document", AGREEMENT), {"document": ""}
        ),
        Question(
            "get_document_structure",
            {"document_name": AGREEMENT},
            ("document", AGREEMENT, "--structure"),
        ),
    ]


def _searches() -> list[Question]:
    asked: list[tuple[dict[str, Any], tuple[str, ...]]] = [
        ({"top_k": 5}, ("-k", "5")),
        ({"mode": "semantic", "top_k": 3}, ("--mode", "semantic", "-k", "3")),
        ({"explain": True, "related": 3, "top_k": 2}, ("--explain", "--related", "3", "-k", "2")),
        ({"document_filter": SHEETS, "top_k": 3}, ("-d", SHEETS, "-k", "3")),
    ]
    return [
        Question("find_in_documents", {"topics": [TOPIC]}, ("matrix", TOPIC)),
        *(
            Question("search_documents", {"query": TOPIC, **more}, ("search", TOPIC, *options))
            for more, options in asked
        ),
    ]


def _of_passages(known: Known) -> list[Question]:
    chunk = known.chunk
    return [
        Question(
            "get_facets", {"query": TOPIC, "kinds": ["pdf"]}, ("facets", TOPIC, "--kind", "pdf")
        ),
        Question("get_chunk", {"chunk_id": chunk}, ("chunk", chunk)),
        Question("get_chunk", {"chunk_id": known.cell_chunk}, ("chunk", known.cell_chunk)),
        Question(
            "get_document_chunks", {"document_name": SHEETS}, ("read", SHEETS), {"chunks": ""}
        ),
        Question(
            "get_source_context",
            {"chunk_id": chunk, "window": 2},
            ("chunk", chunk, "--window", "2"),
        ),
        Question(
            "browse_pages",
            {"document_name": AGREEMENT, "start_page": 2, "end_page": 3},
            ("read", AGREEMENT, "--pages", "2-3"),
            {"chunks": ""},
        ),
        *(
            Question(
                "traverse_chunks",
                {"start_chunk_id": chunk, "direction": way, "count": 3},
                ("read", "--from", chunk, "--limit", "3", *option),
                {"chunks": ""},
            )
            for way, option in (("forward", ()), ("backward", ("--back",)))
        ),
        Question(
            "search_similar_chunks",
            {"chunk_id": chunk, "min_similarity": 0.3, "top_k": 5},
            ("similar", chunk, "--least", "0.3", "-k", "5"),
            {"chunks": ""},
        ),
    ]


def _of_names(known: Known) -> list[Question]:
    one, other = known.names
    return [
        Question("list_entities", {"top_k": 20}, ("entities", "-k", "20"), {"entities": ""}),
        Question("list_marks", {}),
        Question("list_snapshots", {}, ("snapshots", "list"), {"snapshots": ""}),
        # The tool's mentions are spread over the documents; the command has them in reading order.
        Question(
            "find_entity",
            {"entity": one},
            ("entity", one),
            {n: n for n in ("query", "entity", "score", "total", "other_matches", "documents")},
        ),
        Question("get_entity_mentions", {"entity_name": one}, ("entity", one)),
        Question(
            "search_entity_relationships",
            {"entities": [one, other], "top_k": 5},
            ("together", one, other, "-k", "5"),
            shaped=_together,
        ),
        Question(
            "get_entity_graph",
            {"entity_name": one, "depth": 1, "top_k": 5},
            ("graph", one, "--depth", "1", "-k", "5"),
            shaped=_graph,
        ),
        Question(
            "list_references",
            {"sort_by": "name", "top_k": 30},
            ("references", "--sort", "name", "-k", "30"),
            {"references": ""},
        ),
        Question(
            "get_reference_citations",
            {"reference": known.reference},
            ("references", known.reference, "-k", "20"),
        ),
    ]


def _of_relations() -> list[Question]:
    return [
        Question(
            "find_related_documents",
            {"document_name": AGREEMENT, "relationship_type": "amends"},
            ("related", AGREEMENT, "--relation", "amends"),
            {"related": ""},
        ),
        Question(
            "get_related_documents",
            {"document_name": AGREEMENT},
            ("related", AGREEMENT),
            {"related": ""},
        ),
        Question(
            "compare_documents",
            {
                "document_a": AGREEMENT,
                "document_b": PROPOSAL,
                "topic": TOPIC,
                "top_k_per_document": 3,
            },
            ("compare", AGREEMENT, PROPOSAL, "--topic", TOPIC, "-k", "3"),
        ),
        Question(
            "compare_versions",
            {"before": INVOICE, "after": "Invoice TS-2024-0311.pdf"},
            ("changes", INVOICE, "Invoice TS-2024-0311.pdf"),
        ),
        Question(
            "query",
            {"sql": _SQL},
            ("query", _SQL),
            shaped=lambda rows: {"rows": [list(row.values()) for row in rows]},
        ),
        Question(
            "find_amounts",
            {"unit": "£", "min_value": 10_000, "limit": 5},
            ("amounts", "--unit", "gbp", "--min", "10000", "--sort", "value", "-k", "5"),
        ),
    ]


# --- the command's JSON under the names of the tool ------------------------------------------


def _without_remedy(result: dict[str, Any]) -> dict[str, Any]:
    """Leave out the hint: the tool names tools, the command names commands."""
    return {key: value for key, value in result.items() if key != "remedy"}


def _named_jobs(result: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [job | {"job_id": job["id"]} for job in result]


def _together(result: dict[str, Any]) -> dict[str, Any]:
    """Return for each name in a passage the facts that the passage itself lacks."""
    kept = ("text", "chunk_char_start", "chunk_char_end", "citation")
    chunks = [
        {k: v for k, v in chunk.items() if k != "quotes"}
        | {"places": [{k: quote[k] for k in kept} for quote in chunk["quotes"]]}
        for chunk in result["chunks"]
    ]
    return result | {"chunks": chunks}


def _graph(result: dict[str, Any]) -> dict[str, Any]:
    """Add each node's distance; the tool calls the passages of a link chunk_ids."""
    away = result["distances"] or [None] * len(result["nodes"])
    nodes = [n | {"distance": d} for n, d in zip(result["nodes"], away, strict=True)]
    edges = [
        edge | {"chunk_ids": edge["evidence"], "evidence": edge["quote"]}
        for edge in result["edges"]
    ]
    return result | {"nodes": nodes, "edges": edges}
