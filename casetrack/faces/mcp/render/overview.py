"""Text for people: a collection as a whole, in the form that the requirement shows."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from casetrack.faces.mcp.render import counted, phrase
from casetrack.faces.mcp.render.graph import (
    entity_line,
    evidence,
    inline,
    joined,
    reference_line,
    source_of,
    spread,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.records.graph import Timeline
    from casetrack.faces.mcp.briefing import Briefing
    from casetrack.faces.mcp.outputs import Facts

PLURALS = {
    "contract": "Contracts",
    "report": "Reports",
    "spreadsheet": "Spreadsheets",
    "presentation": "Presentations",
    "correspondence": "Correspondence",
    "memo": "Memos",
    "proposal": "Proposals",
    "invoice": "Invoices",
    "policy": "Policies",
}
NO_DATES = "No dates here. Leave out start_date and end_date for the whole span."
_NAMED = 3


def stems(documents: Sequence[Facts], total: int, limit: int = _NAMED, /) -> str:
    """Return the first names of *total* documents without their endings, and how many follow."""
    names = [PurePath(d["document"]).stem or d["document"] for d in documents[:limit]]
    rest = total - len(names)
    return ", ".join([*map(inline, names), *([f"{rest:,} more"] if rest else [])])


def plural(kind: str, /) -> str:
    """Return the name of a kind of documents, as the heading of several."""
    return PLURALS.get(kind, kind.capitalize())


def amounts(counts: Mapping[str, int], /) -> str:
    """Return counts by name in one line, the largest first."""
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{name} {n:,}" for name, n in ordered)


def coverage(shares: Mapping[str, float], /) -> str:
    """Return the share of passages that each kind of model output covers."""
    return ", ".join(f"{name} {share:.0%}" for name, share in shares.items()) or "none"


# --- summary --------------------------------------------------------------------------------


def summary(shown: Briefing, /) -> str:
    """Return the answer of get_collection_summary."""
    found, stats = shown.found, shown.statistics
    total = f"{stats.document_count:,} total, {counted(stats.page_count, 'page')}, "
    total += counted(stats.chunk_count, "chunk")
    sections = [
        ("KEY STAKEHOLDERS:", [_actor(a) for a in shown.actors]),
        ("KEY DATES:", [event_line(e) for e in shown.dates]),
        ("KEY TOPICS:", [_topic(n, t) for n, t in enumerate(shown.topics, 1)]),
        (f"DOCUMENTS ({total}):", _kinds(shown.kinds)),
        ("VERSIONS (oldest first):", _chains(shown.chains, len(found.version_chains))),
        (
            "KEY REFERENCES (most cited):",
            [f"    {n}. {reference_line(r)}" for n, r in enumerate(shown.references, 1)],
        ),
        ("TOP ENTITIES:", [f"    {entity_line(e)}" for e in shown.entities]),
    ]
    blocks = ["\n".join([f"  {title}", *lines]) for title, lines in sections if lines]
    blocks.append(f"  EMBEDDINGS: {coverage(stats.embedder_coverage)}")
    blocks += [f"  NOTE: {note}" for note in stats.notes]
    head = f"COLLECTION SUMMARY: {found.collection} ({found.collection_type.capitalize()})"
    if not stats.document_count:
        return f"{head}\n\n  {shown.more}"
    return joined([head, *blocks], shown.more)


def _actor(each: Facts) -> str:
    return f"    {entity_line(each)}, {each['kind']}{evidence(each.get('evidence'), 6)}"


def event_line(each: Facts, /) -> str:
    """Return an event: its date, what the text says of it, and where."""
    mentions = each.get("mention_count", 0)
    times = f"; {spread(mentions, each['document_count'])}" if mentions > 1 else ""
    said = phrase(each["description"]) + (" [the user's own event]" if each.get("mark_id") else "")
    return f"    {each['date']:<10}  {said}\n                ({source_of(each)}){times}"


def _topic(number: int, each: Facts) -> str:
    amount = counted(each["document_count"], "document")
    quotes = each.get("quotes")
    shown = evidence(quotes[0] if quotes else None, 7)
    return f"    {number}. {inline(each['label'])} -- {amount}{shown}"


def _kinds(kinds: Sequence[Facts]) -> list[str]:
    width = max((len(plural(each["document_type"])) for each in kinds), default=0) + 2
    return [
        f"    {plural(each['document_type']) + ':':<{width}}{counted(each['count'], 'doc'):>8} "
        f"({stems(each['documents'], each['count'])})"
        for each in kinds
    ]


def _chains(chains: Sequence[Sequence[Facts]], total: int) -> list[str]:
    lines = [f"    {' -> '.join(inline(d['document']) for d in chain)}" for chain in chains]
    rest = total - len(lines)
    return [*lines, *([f"    ... {rest:,} more"] if rest else [])]


# --- timeline -------------------------------------------------------------------------------


def timeline(found: Timeline, shown: Sequence[Facts], more: str | None, /) -> str:
    """Return the answer of get_collection_timeline."""
    since = f" from {found.start}" if found.start else ""
    until = f" until {found.end}" if found.end else ""
    head = f"TIMELINE: {found.collection}{since}{until}: {counted(found.total, 'event')}"
    if len(shown) < found.total:
        head += f", {len(shown)} of them shown, the weightiest first"
    if found.left_out:
        head += f"\n{found.left_out}"
    head += "".join(f"\n{note}" for note in (found.gap, *found.notes) if note)
    if not shown:
        return f"{head}\n\n{more}"
    return joined([head, "\n".join(map(event_line, shown))], more)


# --- statistics -----------------------------------------------------------------------------


# --- clusters -------------------------------------------------------------------------------
