"""Takes a made-up collection in, and counts which of its relations are found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.graph.opened import graph_of
from sections import sections

if TYPE_CHECKING:
    from collections.abc import Collection as Bag
    from collections.abc import Mapping
    from pathlib import Path

    from casetrack.api.collection import Collection

Edge = tuple[str, str, str]


@dataclass(frozen=True)
class Found:
    """Wanted and actual edges."""

    wanted: frozenset[Edge]
    found: frozenset[Edge]

    @property
    def recall(self) -> float:
        return len(self.wanted & self.found) / len(self.wanted)

    @property
    def precision(self) -> float:
        return len(self.wanted & self.found) / max(1, len(self.found))

    def __str__(self) -> str:
        lines = [f"missed {edge}" for edge in sorted(self.wanted - self.found)]
        lines += [f"wrong {edge}" for edge in sorted(self.found - self.wanted)]
        return "\n".join([f"recall {self.recall:.2f}, precision {self.precision:.2f}", *lines])


def read_papers(
    path: Path, terms: str = "", *, section: str = "papers"
) -> tuple[dict[str, str], set[Edge]]:
    """Return the texts by path and the edges that a reader would note, of a section of a file.

    Each line is a paper: its path, then ``> type > target`` of its edge, and its text. In the text
    ``|`` is an empty line, ``¶`` a line end, and TERMS the section "terms" or *terms*.
    """
    files, edges, parts = {}, set(), sections(path)
    for line in filter(None, parts[section].splitlines()):
        if not line.startswith("#"):
            head, _, text = line.partition(": ")
            path_of_paper, *relation = head.split(" > ")
            text = text.replace(" | ", "\n\n").replace(" ¶ ", "\n")
            files[path_of_paper] = text.replace("TERMS", parts.get("terms", terms))
            if relation:
                edges.add((path_of_paper, relation[1], relation[0]))
    return files, edges


def write(files: Mapping[str, str | bytes], folder: Path) -> Path:
    """Write files by their path below a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def stated(collection: Collection, folder: Path, types: Bag[str]) -> set[Edge]:
    """Return the edges of these types by the paths of their documents; undirected ones sorted."""
    graph = graph_of(collection.workspace.state())
    paths = {d.document_id: str(d.path).removeprefix(f"{folder}/") for d in graph.documents}
    values = set()
    for row in graph.edges("document").to_pylist():
        if row["type"] in types:
            ends = paths[row["source_id"]], paths[row["target_id"]]
            ends = ends if row["directed"] else (min(ends), max(ends))
            values.add((*ends, row["type"]))
    return values


def clauses(collection: Collection, folder: Path) -> set[Edge]:
    """Return the cited parts of other documents: citing document, words, cited document."""
    graph = graph_of(collection.workspace.state())
    paths = {d.document_id: str(d.path).removeprefix(f"{folder}/") for d in graph.documents}
    return {
        (paths[row["document_id"]], row["text"], paths[row["target_document_id"]])
        for row in graph.table("citations").to_pylist()
        if row["type"] in {"section", "exhibit"}
        and row["target_document_id"] not in {None, row["document_id"]}
    }
