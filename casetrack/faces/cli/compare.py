"""``casetrack compare`` and ``changes``: two documents side by side."""

from itertools import zip_longest
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import Part, counted, line, one_line, write_json
from casetrack.faces.cli.quotes import flat, reference_parts
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records.graph import Change, Changes, Comparison, Entity

_STYLES = {"same": "", "removed": "red strike", "added": "bold green"}
# Where colours are not shown, the words that were taken out or put in stand in brackets.
_MARKS = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
_NAMED = 12
DocumentArgument = Annotated[
    str, typer.Argument(metavar="A", help="Name, path or ID of one document.")
]
OtherArgument = Annotated[
    str, typer.Argument(metavar="B", help="Name, path or ID of the other document.")
]


def compare(
    ctx: typer.Context,
    document_a: DocumentArgument,
    document_b: OtherArgument,
    topic: Annotated[
        str, typer.Option("--topic", "-t", metavar="WORDS", help="What to compare them on.")
    ],
    collection: CollectionOption = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", "-k", metavar="N", min=1, max=20, help="How many passages of each at most."
        ),
    ] = 3,
    as_json: JsonOption = False,
) -> None:
    """Show what two documents say of a topic, and what they share."""
    target = ctx.ensure_object(State).collection(collection)
    found = target.map.compare(document_a, document_b, topic, limit=limit)
    if as_json:
        write_json(found.as_dict())
        return
    _show_comparison(found)


def _show_comparison(found: "Comparison") -> None:
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


def changes(
    ctx: typer.Context,
    before: Annotated[
        str, typer.Argument(metavar="BEFORE", help="Name, path or ID of the earlier version.")
    ],
    after: Annotated[
        str, typer.Argument(metavar="AFTER", help="Name, path or ID of the later version.")
    ],
    collection: CollectionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show word by word what changed from one version of a document to another."""
    target = ctx.ensure_object(State).collection(collection)
    found = target.map.changes(before, after)
    if as_json:
        write_json(found.as_dict())
        return
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
