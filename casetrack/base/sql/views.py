"""The views that a statement may name."""

from __future__ import annotations

from typing import Literal, get_args

GraphView = Literal[
    "entities",
    "mentions",
    "dates",
    "amounts",
    "references",
    "citations",
    "edges",
    "topics",
    "marks",
    "authorities",
    "authority_cites",
    "record_cites",
    "quotations",
]
GRAPH_VIEWS: tuple[GraphView, ...] = get_args(GraphView)
"""Views of the graph; see ``schemas``."""
EdgeKind = Literal["entity", "document", "chunk"]
EDGE_KINDS: tuple[EdgeKind, ...] = get_args(EdgeKind)
"""What an edge may connect: both its ends are of one kind."""
VIEWS: tuple[str, ...] = ("documents", "chunks", *GRAPH_VIEWS, "pages", "postings")
"""All views; those that are not of the graph have a file of their name."""
