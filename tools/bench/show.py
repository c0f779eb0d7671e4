"""Output of the table: as Markdown, into a document, and compared with an earlier run."""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.report import Row

_HEADINGS = {
    "what": "what",
    "required": "required",
    "aim": "aim",
    "measured": "measured",
    "ratio": "ratio",
    "verdict": "verdict",
    "equal": "conditions",
}
_PACKAGES = ("numpy", "pylance", "lancedb", "duckdb", "onnxruntime", "bm25s")
_BEGIN = "<!-- begin: written by `just bench --write` -->"
_END = "<!-- end: written by `just bench --write` -->"
_NOTEWORTHY = 0.10


def machine() -> dict[str, Any]:
    """Return the description of the machine that was measured."""
    import sqlite3

    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "cpu": _cpu_name(),
        "cores": affinity,
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "load_1min": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        **{name: version for name in _PACKAGES if (version := _version(name))},
    }


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpu_name() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def render(facts: Mapping[str, Any], rows: Sequence[Row], /) -> str:
    """Return the machine and a table per group, as Markdown."""
    first = f"{facts['cpu']}, {facts['cores']} cores, {facts['memory_gib']} GiB; {facts['system']}"
    named = ("python", "sqlite", *_PACKAGES)
    versions = ", ".join(f"{name} {facts[name]}" for name in named if name in facts)
    blocks = [f"{first}; {versions}; load at start {facts['load_1min']}"]
    if facts.get("quick"):
        blocks.append("QUICK RUN: it shows that everything runs; its figures mean nothing.")
    for group in dict.fromkeys(row.group for row in rows):
        blocks += [f"### {group}", _table([row for row in rows if row.group == group])]
    return "\n\n".join(blocks)


def _table(rows: Sequence[Row]) -> str:
    names = [n for n in _HEADINGS if n == "what" or any(getattr(row, n) for row in rows)]
    cells = [[_HEADINGS[n] for n in names], *([getattr(r, n) for n in names] for r in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(names))]
    lines = [
        "| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return "\n".join(lines)


def save(path: Path, facts: Mapping[str, Any], rows: Sequence[Row], /) -> None:
    """Write all figures as JSON."""
    figures = {"machine": facts, "rows": [asdict(row) for row in rows]}
    path.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


def write_into(path: Path, text: str, /) -> None:
    """Replace the generated block of a document by *text*.

    Raises
    ------
    ValueError
        The document has no such block.
    """
    before, begin, rest = path.read_text("utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"{path} has no lines {_BEGIN!r} and {_END!r}")
    path.write_text(f"{before}{_BEGIN}\n\n{text}\n\n{_END}{after}", encoding="utf-8")


def compared(earlier: Mapping[str, Any], rows: Sequence[Row], /) -> str:
    """Return the change of each figure since *earlier*, a file of :func:`save`.

    Changes of at least a tenth are marked.
    """
    before = {(r["group"], r["what"].strip()): r["figures"] for r in earlier["rows"]}
    lines, seen = [], set()
    for row in rows:
        key = (row.group, row.what.strip())
        seen.add(key)
        if key not in before:
            lines.append(f"new   {row.group}: {key[1]}")
            continue
        changes = [
            _change(name, before[key][name], value)
            for name, value in row.figures.items()
            if name in before[key]
        ]
        lines += [f"{mark} {row.group}: {key[1]}: {text}" for mark, text in changes]
    lines += [f"gone  {group}: {what}" for group, what in before if (group, what) not in seen]
    return "\n".join(lines)


def _change(name: str, before: float, now: float) -> tuple[str, str]:
    share = (now - before) / before if before else float(now != before)
    mark = "moved" if abs(share) >= _NOTEWORTHY else "same "
    return mark, f"{name} {before:.4g} -> {now:.4g} ({share:+.0%})"
