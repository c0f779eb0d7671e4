"""Text for people: who and what documents mention, and what they refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.faces.mcp.outputs import QUOTED
from casetrack.faces.mcp.render import counted, phrase

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.faces.mcp.outputs import Facts


# --- small pieces ---------------------------------------------------------------------------


def inline(text: str, /) -> str:
    """Return words of a document on one line: no line of theirs can pass for one of ours."""
    return " ".join(text.split())


def spread(mentions: int, documents: int, noun: str = "mention", /) -> str:
    """Return how often and how widely: ``892 mentions in 45 documents``."""
    return f"{counted(mentions, noun)} in {counted(documents, 'document')}"


def evidence(item: Facts | None, indent: int, /) -> str:
    """Return the line below an entry that quotes its source; nothing where there is none."""
    if item is None:
        return ""
    pad = "\n" + " " * indent
    return f"{pad}{source_of(item)}{pad}{phrase(item['snippet'])}"


def source_of(item: Facts, /) -> str:
    """Return the citation of a quote, the id that get_chunk takes, and a doubt about its text."""
    source = item["source"]
    # A concise answer has these members beside the words.
    place = source if isinstance(source, dict) else item
    doubt = f" | {place['ocr_warning']}" if place.get("ocr_warning") else ""
    return f"{inline(item['citation'])} | chunk {place['chunk_id']}{doubt}"


def joined(blocks: Iterable[str], more: str | None, /) -> str:
    """Return the blocks of an answer that quotes documents."""
    return "\n\n".join([*blocks, *([more] if more else []), QUOTED])


def entity_line(item: Facts, /) -> str:
    """Return an entity on one line: ``Acme Corp (buyer) -- 892 mentions in 45 documents``."""
    role = f" ({inline(item['role'])})" if item.get("role") else ""
    count = spread(item["mention_count"], item["document_count"])
    return f"{inline(item['name'])}{role} -- {count}"


def reference_line(item: Facts, /) -> str:
    """Return a reference on one line, with the document of the collection that is meant."""
    count = spread(item["citation_count"], item["document_count"], "citation")
    target = item.get("target_document")
    meant = f"; in the collection as {inline(target)}" if target else ""
    return f"{inline(item['name'])} ({item['type']}) -- {count}{meant}"
