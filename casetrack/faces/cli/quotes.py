"""Words of documents with their source, and the small phrases that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.faces.cli.output import counted, entry, line, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.base.provenance import Provenance
    from casetrack.base.records.graph import Entity, Quote, Reference
    from casetrack.faces.cli.output import Part

READ_FROM = {
    "Native": "the file's own text",
    "Ocr": "pictures (OCR)",
    "Hybrid": "own text and pictures (OCR)",
    "Spreadsheet": "cells",
}
"""Where the text of a document comes from, in words."""
NEAR = 1.0
"""A name that fits less than this was not found as it was typed."""


def show_quote(
    quote: Quote, /, *, label: str = "", note: str = "", indent: int = 0, with_id: bool = True
) -> None:
    """Write a place: its citation beside *label*, the words marked in their snippet, the id.

    Parameters
    ----------
    note
        What else is known of it, after the citation.
    with_id
        Whether the id of the chunk follows.
    """
    width = len(label)
    cited: list[Part] = [(quote.citation, "bold cyan")]
    if note:
        cited.append((f"  {one_line(note)}", "dim"))
    if label:
        entry((label, ""), *cited, indent=indent)
    else:
        line(*cited, indent=indent)
    line(*snippet(quote), indent=indent + width)
    if with_id:
        show_place(quote.provenance, indent=indent + width)


def show_place(provenance: Provenance, /, *, indent: int = 0) -> None:
    """Write the id that other commands take, and a doubt about recognised text."""
    line((f"chunk {provenance.chunk_id}", "dim"), indent=indent)
    for warning in provenance.warnings:
        line((warning, "yellow"), indent=indent)


def snippet(quote: Quote, /) -> list[Part]:
    """Return a snippet on one line, in quotation marks, with its own words marked.

    An ellipsis stands where the passage goes on.
    """
    start, end = quote.snippet_start, quote.snippet_start + len(quote.text)
    parts = (quote.snippet[:start], quote.snippet[start:end], quote.snippet[end:])
    before, words, after = (flat(part) for part in parts)
    cut_before, cut_after = quote.cut_ends
    first, last = "\u2026 " if cut_before else "", " \u2026" if cut_after else ""
    return [
        f'"{first}{before.lstrip()}',
        (words if after.strip() else words.rstrip(), "bold yellow"),
        f'{after.rstrip()}{last}"',
    ]


def flat(text: str, /) -> str:
    """Return a piece of a text on one line; a blank at either end stays one."""
    lead = " " if text[:1].isspace() else ""
    trail = " " if text[-1:].isspace() and text.strip() else ""
    return f"{lead}{one_line(text)}{trail}"


def spread(mentions: int, documents: int, noun: str = "mention", /) -> str:
    """Return how often and how widely: ``892 mentions in 45 documents``."""
    return f"{counted(mentions, noun)} in {counted(documents, 'document')}"


def entity_parts(entity: Entity, /) -> list[Part]:
    """Return an entity as a line: its name, what it is, how often it is mentioned."""
    role = one_line(entity.office)
    return [
        (one_line(entity.name), "bold cyan"),
        f" ({entity.kind}{f', {role}' if role else ''})  ",
        (spread(entity.mention_count, entity.document_count), "dim"),
    ]


def reference_parts(reference: Reference, /) -> list[Part]:
    """Return a reference as a line: its name, what it is, how often it is cited."""
    parts: list[Part] = [
        (one_line(reference.name), "bold cyan"),
        f" ({reference.type})  ",
        (spread(reference.citation_count, reference.document_count, "citation"), "dim"),
    ]
    if reference.target_document:
        parts.append((f"  = {reference.target_document}", "green"))
    return parts


def show_doubtful_match(query: str, score: float, /) -> None:
    """Say that what was found is called differently from what was asked for."""
    if score < NEAR:
        line((f'Nothing is called exactly "{query}"; this is the nearest.', "yellow"))


def show_others(others: Iterable[tuple[str, str, str]], /) -> None:
    """Say what else a name may mean.

    Parameters
    ----------
    others
        What each is called and what it is, a document that holds it, and its id.
    """
    listed = list(others)
    if listed:
        line(("May also mean", "bold"), (" (ask with the id to see it)", "dim"), (":", "bold"))
    for called, document, identifier in listed:
        where = f", in {document}" if document else ""
        line(f"{one_line(called)}{where}  ", (identifier, "dim"), indent=2)


def show_rest(shown: int, total: int, what: str, way: str, /) -> None:
    """Say how many more there are, and how to see them."""
    if shown < total:
        line()
        line((f"{total - shown:,} more {what}: {way}", "dim"))
