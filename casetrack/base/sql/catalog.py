"""Views, columns and functions of a collection's SQL.

For error texts, completion and documentation. The views' columns come from ``schemas``; a test
compares all declarations with DuckDB.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Literal, get_args

from casetrack.base import schema
from casetrack.base.errors import See

# The views that a statement may name.

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
"""Kinds of an edge's ends; both ends have the same kind."""
VIEWS: tuple[str, ...] = ("documents", "chunks", *GRAPH_VIEWS, "pages", "postings")
"""All views; those outside the graph have a file of their name."""


FunctionKind = Literal["table", "scalar"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a view or function; *type* is written as in ``casetrack schema``."""

    name: str
    type: str
    unit: str
    about: str


@dataclass(frozen=True, slots=True)
class View:
    """A view for ``FROM``."""

    name: str
    about: str
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument of a function.

    *default* is in SQL, ``None`` for a required argument. An argument with a default may be named:
    ``k => 5``.
    """

    name: str
    type: str
    default: str | None
    about: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function: ``table`` functions are for ``FROM``, ``scalar`` ones for values."""

    name: str
    kind: FunctionKind
    parameters: tuple[Parameter, ...]
    columns: tuple[Column, ...]  # of its rows; a scalar function has one, with its own name
    about: str
    # A statement for any collection with the parameters `$question`, `$chunk` (id of a chunk),
    # `$entity` and `$other` (ids of the view `edges`).
    example: str

    @property
    def signature(self) -> str:
        """The call, such as ``similar(chunk_id, k := 10)``."""
        written = (
            p.name if p.default is None else f"{p.name} := {p.default}" for p in self.parameters
        )
        return f"{self.name}({', '.join(written)})"


@dataclass(frozen=True, slots=True)
class Catalog:
    """All names that a statement can use."""

    views: tuple[View, ...]
    functions: tuple[Function, ...]

    def view(self, name: str, /) -> View | None:
        """Return the view of a name in any letter case."""
        return next((v for v in self.views if v.name == name.lower()), None)

    def function(self, name: str, /) -> Function | None:
        """Return the function of a name in any letter case."""
        return next((f for f in self.functions if f.name == name.lower()), None)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of all columns of views and table functions, each once, sorted."""
        return tuple(sorted({c.name for table in self.tables for c in table.columns}))

    @property
    def tables(self) -> tuple[View | Function, ...]:
        """Views and table functions."""
        return (*self.views, *(f for f in self.functions if f.kind == "table"))


@functools.cache
def catalog() -> Catalog:
    """Return the views and functions of a collection's SQL."""
    documents, chunks, *graph = (_declared(n) for n in ("documents", "chunks", *GRAPH_VIEWS))
    chunks = View(chunks.name, chunks.about, (*chunks.columns, *_CHUNKS_HAVE_TOO))
    return Catalog((documents, chunks, _PAGES, *graph, _POSTINGS), FUNCTIONS)


def _declared(name: str) -> View:
    table = schema.table(name)
    columns = tuple(Column(c.name, c.type_text, c.unit, c.doc) for c in table.columns)
    return View(name, table.doc, columns)


_CHUNK_ID = Column("chunk_id", "string", "", "Id of the chunk, as in `chunks`.")
_DOCUMENT_ID = Column("document_id", "string", "", "Id of the document, as in `documents`.")
_DOCUMENT_NAME = Column("document_name", "string", "", "File name, or display name.")
_PAGE = Column("page", "int32", "1-based", "Page, slide, sheet, message or section.")
_CITATION = Column("citation", "string", "", "Citation: document, page, lines or rows.")
_TEXT = Column("text", "string", "", "Text of the chunk.")
_RANK = Column("rank", "int32", "1-based", "1 is the best. Sort by it: rows have no order.")

_CHUNKS_HAVE_TOO = (
    Column("document_ingested_at", "timestamp", "UTC", "Time of the document's ingestion."),
    Column("document_source", "string", "", "Source of the document, as in `documents`."),
    Column("document_source_id", "string", "", "Id of the document in that source."),
    Column("document_url", "string", "", "Address of the document there."),
    _CITATION,
)
_PAGES = View(
    "pages",
    "One row per page with text, joined from its chunks.",
    (
        _DOCUMENT_ID,
        _DOCUMENT_NAME,
        _PAGE,
        Column("page_kind", "string", "", "page, slide, sheet, message or section."),
        Column(
            "text",
            "string",
            "",
            "Text of the page from its first to its last chunk without overlaps; white space "
            "between chunks is one line break.",
        ),
        Column("chunk_count", "int64", "", "Number of chunks."),
        Column("char_count", "int64", "code points", "Length of text."),
        Column("extraction_method", "string", "", "Native, Ocr, or Hybrid for both."),
        Column(
            "ocr_confidence", "float32", "0..1", "Lowest confidence of its chunks; empty if native."
        ),
    ),
)
_POSTINGS = View(
    "postings",
    "Keyword index: one row per search term and chunk.",
    (
        Column("term", "string", "", "Index term, see query_terms()."),
        _CHUNK_ID,
        Column("tf", "int32", "", "Frequency in the chunk."),
    ),
)

_QUESTION = Parameter("question", "string", None, "A question or words; NULL returns no rows.")
FILTERED_BY = (
    Parameter("document", "string", "NULL", "Restrict to this document: name, path or id."),
    Parameter("kind", "string", "NULL", "Restrict to this document type or format."),
    Parameter("source", "string", "NULL", "Restrict to this source, such as git:platform, or git."),
    Parameter("path", "string", "NULL", "Restrict to matching paths, such as docs/** or *.md."),
    Parameter("language", "string", "NULL", "Restrict to this language: de, German, or Python."),
    Parameter("since", "string", "NULL", "Restrict to this day, month or year, or later."),
    Parameter("until", "string", "NULL", "Restrict to this day, month or year, or before."),
)
"""Document filters of search() and bm25()."""
_CHUNK = Parameter("chunk_id", "string", None, "Id of a chunk; an unknown id is an error.")

FUNCTIONS: tuple[Function, ...] = (
    Function(
        "search",
        "table",
        (
            _QUESTION,
            Parameter("k", "int32", "20", "Maximum number of passages, 1 to 1,000."),
            Parameter(
                "mode",
                "string",
                "NULL",
                "keyword, semantic, hybrid or full; NULL uses everything that the collection, its "
                "models and the license support.",
            ),
            *FILTERED_BY,
        ),
        (
            _RANK,
            Column("score", "double", "", "Score within this search."),
            _CHUNK_ID,
            _DOCUMENT_ID,
            _DOCUMENT_NAME,
            _PAGE,
            _CITATION,
            _TEXT,
            Column("bm25", "double", "", "BM25 score; empty if not computed."),
            Column("cosine", "double", "-1..1", "Cosine similarity; empty if not computed."),
            Column("maxsim", "double", "", "Score of token matrices; empty if not computed."),
        ),
        f"The best passages for a question, as in {See('search', no_fold=True)}, without folding "
        "of repeated text. It ranks all passages; use bm25() to test whether a document contains "
        "some words.",
        "SELECT rank, citation, text FROM search($question, k => 5) ORDER BY rank",
    ),
    Function(
        "bm25",
        "table",
        (
            _QUESTION,
            Parameter("k", "int32", "10", "Maximum number of chunks, without limit."),
            *FILTERED_BY,
        ),
        (_CHUNK_ID, Column("score", "double", "", "BM25, k1 = 1.2, b = 0.75."), _CITATION),
        "The best chunks by keywords, without a model; computed in SQL.",
        "SELECT score, citation FROM bm25($question, k => 5) ORDER BY score DESC",
    ),
    Function(
        "similar",
        "table",
        (
            _CHUNK,
            Parameter("k", "int32", "10", "Maximum number of passages, 1 to 500."),
            Parameter("min_similarity", "double", "0.6", "Minimum cosine, 0 to 1."),
            Parameter("same_document", "bool", "false", "Include passages of the same document."),
        ),
        (
            _RANK,
            Column("similarity", "double", "0..1", "Cosine of the vectors."),
            _CHUNK_ID,
            _DOCUMENT_ID,
            _DOCUMENT_NAME,
            _PAGE,
            _CITATION,
            _TEXT,
        ),
        "Passages with nearly the same meaning as a passage.",
        "SELECT similarity, citation FROM similar($chunk, min_similarity => 0.5) ORDER BY rank",
    ),
    Function(
        "context",
        "table",
        (_CHUNK, Parameter("window", "int32", "1", "Chunks before and after, 0 to 100.")),
        (
            Column("position", "int32", "", "0 is the chunk, -1 the previous one."),
            _CHUNK_ID,
            _DOCUMENT_ID,
            _DOCUMENT_NAME,
            _PAGE,
            _CITATION,
            _TEXT,
        ),
        "A passage with its neighbours in the document.",
        "SELECT position, text FROM context($chunk, window => 2) ORDER BY position",
    ),
    Function(
        "cite",
        "scalar",
        (_CHUNK,),
        (Column("cite", "string", "", "The citation."),),
        "The citation of a chunk.",
        "SELECT cite($chunk)",
    ),
    Function(
        "neighbours",
        "table",
        (
            Parameter("start_id", "string", None, "An entity, a document or a chunk of `edges`."),
            Parameter("depth", "int32", "1", "Maximum number of steps."),
        ),
        (
            Column("id", "string", "", "Id of the node."),
            Column("kind", "string", "", "Kind of the node."),
            Column("distance", "int32", "steps", "Number of steps."),
        ),
        "All nodes within some steps of a node, over `edges` in both directions.",
        "SELECT id, kind, distance FROM neighbours($entity, depth => 2)",
    ),
    Function(
        "shortest_path",
        "table",
        (
            Parameter("from_id", "string", None, "First node."),
            Parameter("to_id", "string", None, "Last node."),
            Parameter("max_steps", "int32", "6", "Maximum number of steps."),
        ),
        (
            Column("step", "int32", "1-based", "Number of the step."),
            Column("from_id", "string", "", "Start of the step."),
            Column("to_id", "string", "", "End of the step."),
            Column("type", "string", "", "Type of the edge."),
            Column("directed", "bool", "", "Whether the edge has a direction."),
            Column(
                "source_id",
                "string",
                "",
                "Source of the edge, regardless of the direction of the step.",
            ),
            Column("target_id", "string", "", "Target of the edge."),
            Column("weight", "float32", "0..1", "Weight of the edge."),
            Column("evidence", "list<string>", "", "Chunks with evidence of the edge."),
        ),
        "Shortest path between two nodes; no rows without a path.",
        "SELECT step, from_id, type, to_id FROM shortest_path($entity, $other) ORDER BY step",
    ),
    Function(
        "components",
        "table",
        (Parameter("types", "list<string>", "NULL", "Restrict to these types of edges."),),
        (
            Column("id", "string", "", "Id of a node."),
            Column("component", "string", "", "First node of its component."),
        ),
        "Connected components of the graph.",
        "SELECT component, count(*) FROM components() GROUP BY ALL ORDER BY 2 DESC, 1",
    ),
    Function(
        "query_terms",
        "scalar",
        (Parameter("question", "string", None, "Words."),),
        (Column("query_terms", "list<string>", "", "Terms of the keyword index."),),
        "Index terms of a text: lower case, stemmed, without stop words.",
        "SELECT query_terms($question)",
    ),
    Function(
        "is_public_body",
        "scalar",
        (Parameter("name", "string", None, "Name of an organisation."),),
        (Column("is_public_body", "bool", "", "Whether the name is that of a public body."),),
        "Whether a name is that of a court, an agency, an exchange or a board of standards.",
        "SELECT is_public_body('Court of Appeal')",
    ),
    Function(
        "column_letters",
        "scalar",
        (Parameter("number", "int32", None, "Column of a sheet, 1-based."),),
        (Column("column_letters", "string", "", "Its letters."),),
        "A sheet's column as its letters: 28 is AB.",
        "SELECT column_letters(28)",
    ),
)
"""Every function, as ``casetrack/store/sql/*.sql`` and :mod:`functions` define it."""
