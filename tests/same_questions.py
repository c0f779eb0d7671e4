"""Questions to every tool that reads, and the command that answers the same question."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

NAME = "Demo"
AGREEMENT = "Master Services Agreement.pdf"
INVOICE = "Invoice TS-2024-0187.pdf"
SHEETS = "Project Budget 2024-25.xlsx"

WITHOUT_COMMAND = {
    "get_page_image": "`casetrack show --page` writes the picture to a file",
    "get_status": "it tells of the running server: what it has loaded, what is active",
    "list_marks": "`casetrack marks` has each mark whole, with the words of its passage",
}
"""Reading tools whose question no command answers, and why."""


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
    same: Mapping[str, str] = field(default_factory=lambda: {"": ""})
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
    return _read("questions", known)


def failures(known: Known, /) -> list[Question]:
    """Return questions that have no answer."""
    return _read("failures", known)


def _read(kind: str, known: Known) -> list[Question]:
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    values = asdict(known) | {"short": known.chunk[:7]}
    values |= dict(zip(("one", "other"), values.pop("names"), strict=True))
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    tables = tomllib.loads(text)[kind]
    return [
        Question(
            **table
            | {
                "command": tuple(table.get("command", ())),
                "shaped": _SHAPES[table.get("shaped", "")],
            }
        )
        for table in tables
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


_SHAPES: Mapping[str, Callable[[Any], Any]] = {
    "": lambda found: found,
    "without_remedy": _without_remedy,
    "named_jobs": _named_jobs,
    "named_job": lambda job: _named_jobs([job])[0],
    "invoices": lambda result: [d for d in result if d["document_type"] == "invoice"],
    "rows": lambda rows: {"rows": [list(row.values()) for row in rows]},
    "together": _together,
    "graph": _graph,
}
