"""Generated reports, and conditions that every report must meet."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from api.viewer.sheets import Tree, check_page
from casetrack.api.viewer.report import Report
from casetrack.api.viewer.report.gather import Listed
from casetrack.api.viewer.report.proof import Amounts, Sum
from casetrack.base.records import CollectionInfo, Rows, UntakenFile
from casetrack.base.records.graph import Citation, Correspondence, KeyActor
from casetrack.base.records.health import DocumentIndex, IndexStatus
from graph_records import Answers, document, entity, event, quote, reference, statistics, topic

MADE = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
DATA = "data:image/webp;base64,"


def check_report(html: str) -> Tree:
    """Return a report's content; it must be whole, load nothing and run nothing but its own."""
    tree = check_page(html, DATA)
    assert [t for t, _ in tree.tags if t in {"form", "embed"}] == []
    assert [href for href in tree.values("href") if href.startswith("file://")] == []
    levels = [int(t[1]) for t, _ in tree.tags if re.fullmatch("h[1-6]", t)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    assert {"main", "nav", "header", "footer", "dialog"} <= {t for t, _ in tree.tags}
    return tree


def text_of(tree: Tree) -> str:
    """Return the readable text in one line."""
    shown = (data for path, data in tree.texts if not path or path[-1] not in {"style.", "script."})
    return " ".join("".join(shown).split())


def refs(tree: Tree) -> list[str]:
    """Return where the statements' links lead."""
    return [a["href"] or "" for t, a in tree.tags if t == "a" and a.get("class") == "ref"]


def handmade(size: int, words: str = "", **changed: Any) -> Report:
    """Return a report with *size* entries in each list, and *words* in every text field."""
    text = words or "Halyard Ltd"
    quotes = [quote(n, text, document_name=words or f"Agreement {n}.pdf") for n in range(size)]
    summary = replace(
        Answers(size=size).do_summary(),
        topics=tuple(replace(topic(n), label=text, terms=(text,)) for n in range(size)),
        key_dates=(),
        statistics=replace(statistics(), document_count=size, notes=(text,)),
    )
    info = CollectionInfo(
        *("1", words or "Acme", "contract", "archived", text, text, (text,)),
        *("ultimate", 4, "standard", "mini", 384, MADE, MADE),
    )
    events = tuple(replace(event(n), description=text, quote=quotes[n]) for n in range(size))
    actors = tuple(
        KeyActor(replace(entity(n, name=text), role=text), quotes[n]) for n in range(size)
    )
    sums = tuple(Sum(1000.0 * n, None, 2, 1, quotes[n]) for n in range(size))
    documents = tuple(
        Listed(
            replace(
                document(n, words or f"Agreement {n}.docx"),
                title=text,
                warnings=(text,),
                missing=(text,),
            ),
            quotes[n],
        )
        for n in range(size)
    )
    refused = tuple(
        UntakenFile(
            f"{text}/{n}", "skipped" if n % 2 else "failed", "", text, text, None, None, MADE
        )
        for n in range(size)
    )
    problems = tuple(
        DocumentIndex(str(n), text, text, 1, {}, "missing", ("source_missing",))
        for n in range(size)
    )
    facts: dict[str, Any] = {
        "info": info,
        "made": MADE,
        "version": "1.2.3",
        "summary": summary,
        "actors": actors,
        "people_and_firms": (size, 5),
        "correspondence": Rows(
            Correspondence(text, text, n + 1, "2024-01-02", "2024-03-04", f"person:{n}", text)
            for n in range(size)
        ),
        "topics": summary.topics,
        "span": (MADE, MADE.replace(year=2027)),
        "undated_documents": size // 2,
        "untaken": refused,
        "timeline": replace(Answers(size=size).do_timeline(limit=size), events=events),
        "graph": Answers(size=size).do_graph(depth=2, limit=4),
        "amounts": (Amounts("EUR", size + 7, sums), Amounts(words or None, size, sums)),
        "references": tuple(
            Citation(replace(reference(n), name=text), "cites", quotes[n], 0.9) for n in range(size)
        ),
        "reference_count": size + 3,
        "documents": documents,
        "document_count": size + 800,
        "index": IndexStatus("Acme", "mini", True, (), problems, 0.0),
        "left_out": (),
    }
    return Report(**facts | changed)
