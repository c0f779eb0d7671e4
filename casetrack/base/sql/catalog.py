"""Views, columns and functions of a collection's SQL.

For error texts, completion and documentation. The views' columns come from ``schemas``, other
declarations from ``catalog.toml``; a test compares all with DuckDB.
"""

from __future__ import annotations

import functools
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any, Literal, get_args

from casetrack.base import schema
from casetrack.base.dataclass import dataclass

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
    about: str
    default: str | None = None


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
    tables = _tables()
    pages, postings = (
        View(name, tables["views"][name]["about"], _columns(tables["views"][name]))
        for name in ("pages", "postings")
    )
    documents, chunks, *graph = (_declared(n) for n in ("documents", "chunks", *GRAPH_VIEWS))
    chunks = View(chunks.name, chunks.about, chunks.columns + _columns(tables["views"]["chunks"]))
    functions = tuple(_function(name, **table) for name, table in tables["functions"].items())
    return Catalog((documents, chunks, pages, *graph, postings), functions)


def document_filters() -> tuple[str, ...]:
    """Return the names of the document filters of ``search()`` and ``bm25()``."""
    return tuple(name for name, *_ in _tables()["parameters"]["filters"])


@functools.cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def _declared(name: str) -> View:
    table = schema.table(name)
    columns = tuple(Column(c.name, c.type_text, c.unit, c.doc) for c in table.columns)
    return View(name, table.doc, columns)


def _columns(table: dict[str, Any]) -> tuple[Column, ...]:
    shared = _tables()["columns"]
    rows = ((c, *shared[c]) if isinstance(c, str) else c for c in table["columns"])
    return tuple(Column(*row) for row in rows)


def _function(name: str, *, kind: FunctionKind, about: str, example: str, **table: Any) -> Function:
    shared = _tables()["parameters"]
    rows = chain.from_iterable(
        shared[p] if isinstance(p, str) else (p,) for p in table["parameters"]
    )
    parameters = tuple(Parameter(*row) for row in rows)
    return Function(name, kind, parameters, _columns(table), about, example)
