"""``casetrack compare``, ``changes``, ``related``, ``similar``: documents beside others."""

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from casetrack.api.collection.map import Map
from casetrack.faces.cli.asking import asks
from casetrack.faces.cli.output import Part, counted, line, one_line
from casetrack.faces.cli.quotes import flat, reference_parts, show_quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Rows
    from casetrack.base.records.graph import (
        Change,
        Changes,
        Comparison,
        Entity,
        RelatedDocument,
        SimilarChunk,
    )

_STYLES = {"same": "", "removed": "red strike", "added": "bold green"}
# Where colours are not shown, the words that were taken out or put in stand in brackets.
_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_NAMED = 12


@asks(Map.compare)
def compare(found: "Comparison", _given: dict[str, Any]) -> None:
    """Show what two documents say of a topic, and what they share."""
    from casetrack.api.quoting import Words
    from casetrack.faces.cli.passages import show_passage

    line(("Topic: ", "bold"), f'"{one_line(found.topic)}"')
    for mark, document in (("A", found.document_a), ("B", found.document_b)):
        line((f"{mark}: ", "bold"), document.name)
    if found.similarity is not None:
        line(("As a whole: ", "bold"), f"similarity {found.similarity:.2f}")
    for note in found.notes:
        line((f"Note: {note}", "yellow"))
    words = Words(found.topic)
    for number, pair in enumerate(zip_longest(found.passages_a, found.passages_b), 1):
        for mark, each in zip("AB", pair, strict=True):
            if each is not None:
                line()
                line((f"--- {mark}{number} ---", "dim"))
                show_passage(each[0], words)
    for mark, passages in (("A", found.passages_a), ("B", found.passages_b)):
        if not passages:
            line()
            line(f"{mark} says nothing on this topic.")
    line()
    _show_names("In both", found.shared_entities)
    _show_names("Only in A", found.only_a)
    _show_names("Only in B", found.only_b)
    if found.shared_references:
        line(("Both refer to", "bold"))
    for reference in found.shared_references[:_NAMED]:
        line(*reference_parts(reference), indent=2)
    if found.changes is not None:
        line()
        show_changes(found.changes)


def _show_names(title: str, entities: "Sequence[Entity]") -> None:
    if not entities:
        return
    names = [one_line(e.name) for e in entities[:_NAMED]]
    rest = len(entities) - len(names)
    more = [f"{rest:,} more"] if rest else []
    line((f"{title}: ", "bold"), ", ".join([*names, *more]))


@asks(Map.changes)
def changes(found: "Changes", _given: dict[str, Any]) -> None:
    """Show word by word what changed from one version of a document to another."""
    show_changes(found)


def show_changes(found: "Changes", /) -> None:
    """Write every difference with its place: words taken out and words put in."""
    line(("Before: ", "bold"), found.before.name)
    line(("After:  ", "bold"), found.after.name)
    kinds = [c.kind for c in found.changes]
    counts = ", ".join(f"{kinds.count(k):,} {k}" for k in ("changed", "added", "removed"))
    same = counted(found.unchanged, "paragraph unchanged", "paragraphs unchanged")
    line((f"{counts}, {same}", "dim"))
    for number, each in enumerate(found.changes, 1):
        line()
        _show_change(number, each)


def _show_change(number: int, change: "Change") -> None:
    label = f"{number}. "
    line(label, (change.kind, "bold"))
    pad = len(label)
    for word, quote in (("before", change.before), ("after", change.after)):
        if quote is not None:
            line((f"{word}: ", "dim"), (quote.citation, "cyan"), indent=pad)
    if change.words:
        line(*word_parts(change.words), indent=pad)
    for op, quote in (("removed", change.before), ("added", change.after)):
        if quote is not None and not change.words:
            line(*word_parts([(op, quote.text)]), indent=pad)


def word_parts(words: "Sequence[tuple[str, str]]", /) -> list[Part]:
    """Return a word diff on one line: coloured, and in brackets that survive without colours."""
    marked = ((_MARKS[op], flat(text), _STYLES[op]) for op, text in words)
    return [(f"{marks[0]}{text}{marks[1]}", style) for marks, text, style in marked]


# ``casetrack related`` and ``similar``: what belongs to a document or a passage.

RELATION_NAMES = {
    "shared_entities": "Shared names",
    "shared_references": "Shared references",
    "semantic": "Similar content",
    "explicit": "Refers to it",
    "version": "Version",
    "response_to": "Reply",
    "amends": "Amendment",
    "attachment": "Attachment",
    "restates": "Restatement",
    "supplements": "Supplement",
    "schedule_of": "Schedule",
    "exhibit_of": "Exhibit",
    "made_under": "Made under it",
    "bills": "Invoice",
    "interim_of": "Quarterly report",
    "forward_of": "Forward",
    "same_thread": "Same thread",
    "copy": "Copy",
}
_REVERSED = {
    "explicit": "Referred to by it",
    "response_to": "Replied to by it",
    "amends": "Amended by it",
    "attachment": "Holds it as an attachment",
    "restates": "Restated by it",
    "supplements": "Supplemented by it",
    "schedule_of": "Has it as a schedule",
    "exhibit_of": "Has it as an exhibit",
    "made_under": "Its contract",
    "bills": "Charged for by it",
    "interim_of": "Annual report of its year",
    "forward_of": "Forwarded by it",
    "copy": "The mail that counts",
}
_QUOTES = 2


@asks(Map.related_documents)
def related(found: "Rows[RelatedDocument]", _given: dict[str, Any]) -> None:
    """Find the documents that belong to another one, and say why, with the exact source."""
    if not found:
        line("No other document is related to it in this way.")
    for number, each in enumerate(found):
        if number:
            line()
        line((each.document.name, "bold cyan"), (f"  strength {each.weight:.2f}", "dim"))
        quoted: set[tuple[str, str]] = set()  # one place may speak for several relations
        for why in each.relations:
            line(
                (f"{_name(why.type, why.outgoing)}: ", "bold"), one_line(why.description), indent=2
            )
            for quote in why.quotes[:_QUOTES]:
                if (place := (quote.citation, quote.snippet)) not in quoted:
                    quoted.add(place)
                    show_quote(quote, indent=4)


def _name(kind: str, outgoing: bool | None) -> str:
    """Return what a relation is called, seen from the other document where it has a direction."""
    name = RELATION_NAMES.get(kind, kind.replace("_", " ").capitalize())
    return name if outgoing is not False else _REVERSED.get(kind, name)


@asks(Map.similar_chunks)
def similar(found: "Rows[SimilarChunk]", given: dict[str, Any]) -> None:
    """Find passages in other documents that mean nearly the same as one of them."""
    from casetrack.faces.cli.passages import show_passage

    if not found:
        line(f"No passage is as similar as {given['min_similarity']:g}; try a lower --least.")
    for number, each in enumerate(found):
        if number:
            line()
        line((f"--- similarity {each.similarity:.2f} ---", "dim"))
        show_passage(each.chunk)
