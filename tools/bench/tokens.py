"""Size of the tool list in every conversation: bytes, and tokens by two counts.

``python -m bench.tokens`` prints one row per set of tools and the largest tools, and exits with 1
if the list of all tools exceeds its limit. ``--write FILE`` also updates the rows of a document's
table that name a set. The first count uses the vocabulary of a model; the second is the estimate
of this project by characters, an upper bound for every script.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio

from vocabulary import NAME, compact, count

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.faces.mcp.app import CaseTrackServer

DEAREST = 10
LIMIT_BYTES = 36_000
"""Limit of the list of all tools."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Size of a text: bytes of UTF-8, tokens by :func:`vocabulary.count`, and estimated tokens."""

    size: int
    real: int
    estimate: int

    @property
    def cells(self) -> tuple[str, str, str]:
        """The figures as the table shows them."""
        return f"{self.size:,}", f"{self.real:,}", f"{self.estimate:,}"


@dataclass(frozen=True, slots=True)
class SetCost:
    """Size of a set of tools: the result of ``tools/list`` and the instructions of the server."""

    name: str
    tools: int
    listed: Cost
    instructions: Cost


def main() -> int:
    """Measure and print; return 1 where the list of all tools takes more than it may."""
    parser = argparse.ArgumentParser(prog="bench.tokens", description=__doc__)
    parser.add_argument("--dearest", type=int, default=DEAREST, metavar="N", help="tools to name")
    parser.add_argument("--write", type=Path, metavar="FILE", help="a document such as docs/mcp.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        from casetrack.faces.mcp.specs import SET_NAMES

        sets = [set_cost(name, Path(scratch)) for name in SET_NAMES]
        tools = tool_costs(Path(scratch))
    sys.stdout.write(render(sets, tools[: options.dearest]) + "\n")
    if options.write:
        options.write.write_text(updated(options.write.read_text("utf-8"), sets), encoding="utf-8")
    return int(sets[0].listed.size >= LIMIT_BYTES)


def set_cost(name: str, scratch: Path, /) -> SetCost:
    """Return the size of the set *name*; *scratch* becomes the empty data folder."""
    server = _server(scratch, name)
    entries = _listed(server)
    text = server.instructions or ""
    return SetCost(name, len(entries), _cost({"tools": entries}), _cost(text))


def tool_costs(scratch: Path, /) -> list[tuple[str, Cost, Cost]]:
    """Return name, cost and cost of the description alone of every tool, the dearest first."""
    costs = [
        (entry["name"], _cost(entry), _cost(entry["description"]))
        for entry in _listed(_server(scratch, "all"))
    ]
    return sorted(costs, key=lambda cost: -cost[1].size)


def render(sets: Sequence[SetCost], tools: Sequence[tuple[str, Cost, Cost]], /) -> str:
    """Return both tables as Markdown."""
    counts = ("bytes", f"tokens, {NAME}", "tokens, estimate")
    heads = ("set", "tools", *counts, *(f"instructions, {c}" for c in counts))
    rows = [(s.name, str(s.tools), *s.listed.cells, *s.instructions.cells) for s in sets]
    dear_heads = ("dearest tools", *counts, "description, bytes")
    dear = [(name, *cost.cells, f"{description.size:,}") for name, cost, description in tools]
    return f"{_table(heads, rows)}\n\n{_table(dear_heads, dear)}"


def updated(document: str, sets: Sequence[SetCost], /) -> str:
    """Return a document with the figures of the sets: tools, bytes, tokens, characters by four."""
    for each in sets:
        cost = each.listed
        figures = f"{each.tools} | {cost.size:,} | {cost.real:,} | {cost.size // 4:,}"
        row = rf"(?m)^\| `{re.escape(each.name)}` (?:\| [\d,]+ ){{4}}\|"
        document = re.sub(row, f"| `{each.name}` | {figures} |", document)
    return document


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    rule = ["---", *("---:" for _ in heads[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, rule, *rows))


def _cost(value: Any) -> Cost:
    from casetrack.faces.mcp.results import tokens

    text = value if isinstance(value, str) else compact(value)
    return Cost(len(text.encode()), count(text), tokens(text))


def _listed(server: CaseTrackServer) -> list[dict[str, Any]]:
    """Return the tools as they go over the wire."""
    return [
        tool.model_dump(mode="json", by_alias=True, exclude_none=True)
        for tool in anyio.run(server.list_tools)
    ]


def _server(scratch: Path, name: str) -> CaseTrackServer:
    from casetrack.api.library import Library
    from casetrack.base.config import Settings
    from casetrack.faces.mcp.app import build_server
    from casetrack.faces.mcp.catalogue import choose

    settings = Settings(data_dir=scratch / "data", models_dir=scratch / "models")
    return build_server(Library(settings), choose(name))


if __name__ == "__main__":
    raise SystemExit(main())
