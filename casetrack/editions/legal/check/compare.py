"""Comparison of a quotation with one source."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.editions.legal.check.alignment import (
    Alignment,
    align,
    draft_units,
    source_units,
    token_weight,
)
from casetrack.editions.legal.check.edits import ONLY_PUNCTUATION, QuotationEdits, quotation_edits
from casetrack.editions.legal.check.source import citation_units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Document
    from casetrack.base.records.graph import Quote
    from casetrack.editions.legal.check.alignment import Unit
    from casetrack.editions.legal.check.pins import PinFit
    from casetrack.editions.legal.check.source import SourceText
    from casetrack.editions.legal.records.check import Edit, Verdict

ALIKE = 0.6
"""Minimum share of its words for a quotation to be in a source."""
_PER_WORD, _SHORT = 0.75, 3.0
_AROUND, _SLIGHT, _NEAR = 24, 0.9, 0.55


@dataclass(frozen=True, slots=True)
class Match:
    """A place in a source with the words of a quotation, or similar words."""

    start: int  # Code points of the source's text
    end: int
    edits: tuple[Edit, ...]
    cost: float  # About 1 per different word
    likeness: float  # Share of the quotation in the source, 0 to 1
    notes: tuple[str, ...]  # Allowed differences, and the type of the others

    @property
    def is_verbatim(self) -> bool:
        """Whether there are only allowed differences."""
        return not any(edit.counts for edit in self.edits)

    @property
    def is_alike(self) -> bool:
        """Whether it is the same passage, possibly altered."""
        return self.is_verbatim or self.likeness >= ALIKE


def is_verbatim_in(quoted: str, source: SourceText, /) -> bool:
    """Return whether a source contains the quoted words unchanged, without an alignment."""
    return bool(source.exact(draft_units(quoted)))


def compare(quoted: str, source: SourceText, /, *, cleaned_up: bool = False) -> list[Match]:
    """Return the matches of a quotation in a source, best first; several if the words repeat.

    *cleaned_up* means that the citation declares omitted brackets, ellipses and citations.
    """
    units = draft_units(quoted)
    if not any(u.kind in ("word", "bracketed") for u in units):
        return []
    exact = source.exact(units)
    spans = [(max(0, s - _AROUND), e + _AROUND) for s, e in exact] or source.likely(units)
    matches = [m for span in spans if (m := _match(quoted, units, source, span, cleaned_up))]
    opened = any(u.kind == "ellipsis" for u in units)
    if opened and not any(m.is_verbatim for m in matches):
        wide = source.likely(units, far=True)
        matches += [m for span in wide if (m := _match(quoted, units, source, span, cleaned_up))]
    matches.sort(key=lambda m: (not m.is_verbatim, m.cost, m.start))
    kept: list[Match] = []
    for match in matches:
        if not any(k.start < match.end and match.start < k.end for k in kept):
            kept.append(match)
    return [m for m in kept if m.is_alike] or kept[:1]


def _match(
    quoted: str, units: Sequence[Unit], source: SourceText, span: tuple[int, int], cleaned_up: bool
) -> Match | None:
    source_part = source_units(source.text, *_whole_words(source.text, *span))
    if not source_part:
        return None
    alignment = align(units, source_part)
    # An omitted citation would otherwise let only the longer part of the quotation match.
    is_near = _SLIGHT < alignment.cost <= _NEAR * len(units) + 1
    if is_near and (free := citation_units(source.text, source_part)):
        alignment = align(units, source_part, free=free)
    laid = quotation_edits(quoted, units, source, source_part, alignment, cleaned_up=cleaned_up)
    if laid is None:
        return None
    likeness = _likeness(units, alignment, laid)
    return Match(laid.start, laid.end, laid.edits, alignment.cost, likeness, laid.notes)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Extend a span to whole words."""
    end = min(end, len(text))
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end


def _likeness(units: Sequence[Unit], alignment: Alignment, laid: QuotationEdits) -> float:
    """Return the weighted share of quoted words in the source; lower if they are scattered."""
    words = [u for u in units if u.kind in ("word", "bracketed")]
    total = sum(map(token_weight, words))
    equal = {p.draft for p in alignment.pairs if p.step == "same"} | laid.allowed
    same = sum(
        token_weight(u)
        for n, u in enumerate(units)
        if n in equal and u.kind in ("word", "bracketed")
    )
    if total <= 0:
        return 0.0
    if alignment.cost > _PER_WORD * len(words) and alignment.cost > _SHORT:
        return min(same / total, ALIKE / 2)
    return same / total


# Sentences of findings.

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
