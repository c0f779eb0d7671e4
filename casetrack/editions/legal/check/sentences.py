"""Sentences of findings."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from casetrack.editions.legal.check.edits import ONLY_PUNCTUATION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Document
    from casetrack.base.records.graph import Quote
    from casetrack.editions.legal.check.compare import Match
    from casetrack.editions.legal.check.pins import PinFit
    from casetrack.editions.legal.records.check import Verdict

_TOLD = {"replace": "changed", "insert": "added", "delete": "left out"}
_NEAREST = 200


def compared(
    verdict: Verdict,
    match: Match,
    document: Document,
    sources: Sequence[Quote],
    pin: str,
    placed: PinFit | None,
) -> str:
    """Return the sentence on a quotation found in its source."""
    where = _where(document, sources)
    if verdict == "verbatim":
        return f"Verbatim in {where}."
    if verdict == "wrong_page" and placed is not None:
        return f"Not found by CaseTrack at {pin}; found at {placed.found}: {where}."
    return f"Found by CaseTrack with differences ({_differences(match)}) in {where}."


def not_found(documents: Sequence[Document]) -> str:
    """Return the sentence on words missing in the cited source."""
    return f"Not found by CaseTrack in {' or in '.join(d.name for d in documents)}."


def elsewhere(match: Match, document: Document, sources: Sequence[Quote]) -> str:
    """Return the sentence on words found in another document."""
    subject = "The words were found" if match.is_verbatim else "Similar words were found"
    return f" {subject} in {_where(document, sources)}."


def nearest(match: Match) -> tuple[str, ...]:
    """Return the most similar words of the cited source, if any."""
    if match.likeness < 0.35:
        return ()
    words = " ".join("".join(edit.source for edit in match.edits).split())
    words = words if len(words) <= _NEAREST else f"{words[:_NEAREST]} \u2026"
    return (f"The most similar words found there: \u201c{words}\u201d",)


def _where(document: Document, sources: Sequence[Quote]) -> str:
    return sources[0].provenance.cite_lines() if sources else document.name


def _differences(match: Match) -> str:
    """Return the number of changes, such as ``1 word changed, 2 left out``."""
    if ONLY_PUNCTUATION in match.notes:
        return "only punctuation differs"
    counts: Counter[str] = Counter()
    for edit in match.edits:
        if edit.counts:
            words = max(len(edit.draft.split()), len(edit.source.split()))
            counts[_TOLD[edit.kind]] += max(1, words)
    parts = []
    for n, (verb, count) in enumerate(
        sorted(counts.items(), key=lambda c: list(_TOLD.values()).index(c[0]))
    ):
        noun = (" word" if count == 1 else " words") if n == 0 else ""
        parts.append(f"{count}{noun} {verb}")
    return ", ".join(parts)
