"""Statements with forbidden access, and a program that runs statements without bounds."""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from casetrack.search.query.reading import Reading

PEAK_MIB = 1024
BRIEF: dict[str, Any] = {"timeout": 0.05, "memory_mb": 128}
TIGHT: dict[str, Any] = {"timeout": 300, "memory_mb": 64}
_ADDRESS_SPACE = 12 << 30

WARM_UP = (
    "SELECT * FROM documents",
    "SELECT * FROM chunks, entities, dates, amounts LIMIT 1",
    "SELECT * FROM bm25('rent', 3), pages, components()",
    "SELECT count(*) FROM documents d, search('rent', mode => 'keyword')",
)


def _groups(kind: str) -> dict[str, list[str]]:
    """Return the statements of ``hostile.txt`` by group: one a line, with Python's escapes."""
    by_name: dict[str, list[str]] = {}
    for block in (Path(__file__).parent / "hostile.txt").read_text("ascii").split("\n\n"):
        head, *lines = block.strip().splitlines()
        of, _, group = head.strip("[]").partition(" ")
        if of == kind:
            by_name[group] = [line.encode("ascii").decode("unicode_escape") for line in lines]
    return by_name


REFUSED = _groups("refused")
"""Statements that must be refused."""

LOOKING = _groups("looking")
"""Permitted statements, if the answer reveals nothing of the machine and nothing deleted."""

HARMLESS: tuple[tuple[str, object], ...] = (
    ("SELECT ';DROP VIEW chunks;' AS x", ";DROP VIEW chunks;"),
    ("SELECT 'COPY x TO ''/tmp/y''' AS x", "COPY x TO '/tmp/y'"),
    ("SELECT 1 /* ; DROP VIEW chunks */", 1),
    ("SELECT 1; -- ;", 1),
    ("SELECT 1;;", 1),
    ("SELECT 7 AS query", 7),
    ("SELECT 'read_text(''/etc/passwd'')' AS x", "read_text('/etc/passwd')"),
    ("WITH RECURSIVE t(n) AS (SELECT 1 UNION SELECT 9 FROM t) SELECT max(n) FROM t", 9),
    ("SELECT \U0001f4a3 FROM (SELECT 1 AS \U0001f4a3)", 1),
)
"""Harmless statements that look hostile, with their answers."""

VALUES = (
    "'; DROP VIEW chunks; --",
    "$v",
    "\\'; SELECT 1",
    "' UNION SELECT content FROM read_text('/etc/passwd') --",
    "\u2019; DROP VIEW chunks",
    "x" * 100_000,
)

SEARCHES = (
    "SELECT count(*) FROM range(1000000) AS t(i), search('rent ' || i, mode => 'keyword')",
    "SELECT count(*) FROM search('rent', k => 1000000000, mode => 'keyword')",
    "SELECT count(*) FROM search(repeat('rent ', 1000000), mode => 'keyword')",
)

_MANY = 1_000_000_000
BOMBS: dict[str, str] = {
    "cross join": f"SELECT count(*) FROM range({_MANY}) a, range({_MANY}) b",
    "counting": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) "
    "SELECT count(*) FROM t",
    "doubling rows": "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n FROM t, range(10)) "
    "SELECT count(*) FROM t",
    "string_agg": f"SELECT length(string_agg(range::VARCHAR, ',')) FROM range({_MANY})",
    "groups": f"SELECT range, count(*) FROM range({_MANY}) GROUP BY ALL",
    "sort": f"SELECT * FROM range({_MANY}) ORDER BY hash(range)",
    "lists": f"SELECT list(range) FROM range({_MANY})",
    "unnest": "SELECT count(*) FROM (SELECT unnest(range(100000)) a), "
    "(SELECT unnest(range(100000)) b), (SELECT unnest(range(100000)) c)",
    "correlated": f"SELECT (SELECT count(*) FROM range({_MANY}) b WHERE b.range > a.range) "
    "FROM range(1000000) a",
    "explained": f"EXPLAIN ANALYZE SELECT count(*) FROM range({_MANY}) a, range({_MANY}) b",
    "summarized": f"SUMMARIZE SELECT range, range::VARCHAR FROM range({_MANY}0)",
    "sleep": "SELECT sleep_ms(60000)",
    "sleeps": "SELECT max(sleep_ms(20)) FROM range(100000)",
    "chained": "WITH c0 AS (SELECT 1 x)"
    + "".join(f", c{i} AS (FROM c{i - 1} UNION ALL FROM c{i - 1})" for i in range(1, 40))
    + " SELECT count(*) FROM c39",
    "many joins": "SELECT count(*) FROM " + ", ".join(f"range(10) r{i}" for i in range(100)),
    "parentheses": "SELECT " + "(" * 2000 + "1" + ")" * 2000,
    "subqueries": "SELECT * FROM " + "(SELECT * FROM " * 1500 + "range(1)" + ")" * 1500,
    "negations": "SELECT " + "NOT " * 5000 + "true",
    "additions": "SELECT 1" + " + 1" * 5000,
    "brackets": "SELECT json_structure('" + "[" * 20_000 + "]" * 20_000 + "')",
    "repetition": "SELECT regexp_matches('x', '(x{1000}){1000}')",
    "a megabyte of name": 'SELECT "' + "x" * 1_000_000 + '" FROM chunks',
}
"""Statements that need unlimited time or memory; each must end in an error."""


GREEDY = ("lists", "groups", "sort", "string_agg", "doubling rows", "chained")
"""Bombs that reach the limit of memory, where the one of time is far."""

UNSTOPPABLE: dict[str, str] = {
    "growing": f"SELECT length(repeat('x', {_MANY}))",
    "busy": "SELECT levenshtein(repeat('ab', 50000), repeat('ba', 50000))",
}
"""One call of a function that ignores interrupts for most of a minute."""


def _peak_mib() -> int:
    """Return the most memory this program had; ``ru_maxrss`` counts that of its parent as well."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.findall(r"VmHWM:\s*(\d+) kB", status.read_text())[0]) >> 10
    import resource

    unit = 20 if sys.platform == "darwin" else 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> unit


def main(data: str, name: str, /) -> dict[str, Any]:
    """Run every unbounded statement over a collection; return the results and the peak memory."""
    import resource

    from casetrack.api.library import Library
    from casetrack.base.config import load_settings
    from casetrack.base.errors import CaseTrackError
    from casetrack.search.query.run import run_query

    resource.setrlimit(resource.RLIMIT_AS, (_ADDRESS_SPACE, _ADDRESS_SPACE))
    collection = Library(load_settings(Path(data))).get(name)
    tables = Reading(collection.workspace.state())

    def found(statement: str, **limits: Any) -> dict[str, Any]:
        started, error, hint = time.process_time(), "", ""
        try:
            run_query(statement, tables, **limits)
        except CaseTrackError as raised:
            error, hint = raised.message, raised.hint
        return {"seconds": time.process_time() - started, "error": error, "hint": hint}

    bombs = {name: found(bomb, **BRIEF) for name, bomb in BOMBS.items()}
    greedy = {name: found(BOMBS[name], **TIGHT) for name in GREEDY}
    peak = _peak_mib()
    (count,) = collection.sql("SELECT count(*) AS n FROM documents")["n"].to_pylist()
    return {"bombs": bombs, "greedy": greedy, "peak_mib": peak, "afterwards": count}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(*sys.argv[1:])))
