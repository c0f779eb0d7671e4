"""A quotation against one source: the same words, others, or none of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.editions.legal.check.alignment import (
    Alignment,
    align,
    draft_units,
    source_units,
    token_weight,
)
from casetrack.editions.legal.check.edits import Laid, lay
from casetrack.editions.legal.check.source import cited

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.editions.legal.check.alignment import Unit
    from casetrack.editions.legal.check.source import SourceText
    from casetrack.editions.legal.records.check import Edit

ALIKE = 0.6
"""With less of its words than this a quotation is not in a source."""
_PER_WORD, _SHORT = 0.75, 3.0
_AROUND, _SLIGHT, _NEAR = 24, 0.9, 0.55


@dataclass(frozen=True, slots=True)
class Match:
    """A place of a source that says what a quotation says, more or less.

    Attributes
    ----------
    start, end
        Code points into the source's text.
    edits
        The quotation and this place, piece by piece.
    cost
        What the differences cost, about one a word.
    likeness
        How much of the quotation is there, 0 to 1.
    notes
        What was allowed, and of what kind the differences are.
    """

    start: int
    end: int
    edits: tuple[Edit, ...]
    cost: float
    likeness: float
    notes: tuple[str, ...]

    @property
    def is_verbatim(self) -> bool:
        """Whether nothing that counts is different."""
        return not any(edit.counts for edit in self.edits)

    @property
    def is_alike(self) -> bool:
        """Whether it is the same passage, altered or not."""
        return self.is_verbatim or self.likeness >= ALIKE


def stands_in(quoted: str, source: SourceText, /) -> bool:
    """Whether a source has the quoted words in this order; a quick look, blind to alterations."""
    return bool(source.exact(draft_units(quoted)))


def compare(quoted: str, source: SourceText, /, *, cleaned_up: bool = False) -> list[Match]:
    """Find where a source says what is quoted.

    Parameters
    ----------
    quoted
        The words between the marks.
    source
        The document.
    cleaned_up
        Whether the citation says that brackets, ellipses and citations were left out.

    Returns
    -------
    list of Match
        The best first; several where the words stand in several places alike. Empty where nothing
        of the quotation is there.
    """
    units = draft_units(quoted)
    if not any(u.kind in ("word", "mended") for u in units):
        return []
    exact = source.exact(units)
    spans = [(max(0, s - _AROUND), e + _AROUND) for s, e in exact] or source.likely(units)
    found = [m for span in spans if (m := _match(quoted, units, source, span, cleaned_up))]
    opened = any(u.kind == "ellipsis" for u in units)
    if opened and not any(m.is_verbatim for m in found):
        wide = source.likely(units, far=True)
        found += [m for span in wide if (m := _match(quoted, units, source, span, cleaned_up))]
    found.sort(key=lambda m: (not m.is_verbatim, m.cost, m.start))
    kept: list[Match] = []
    for match in found:
        if not any(k.start < match.end and match.start < k.end for k in kept):
            kept.append(match)
    return [m for m in kept if m.is_alike] or kept[:1]


def _match(
    quoted: str, units: Sequence[Unit], source: SourceText, span: tuple[int, int], cleaned_up: bool
) -> Match | None:
    there = source_units(source.text, *_whole_words(source.text, *span))
    if not there:
        return None
    alignment = align(units, there)
    # With a citation left out, the longer side of the quotation fits at least.
    is_near = _SLIGHT < alignment.cost <= _NEAR * len(units) + 1
    if is_near and (free := cited(source.text, there)):
        alignment = align(units, there, free=free)
    laid = lay(quoted, units, source, there, alignment, cleaned_up=cleaned_up)
    if laid is None:
        return None
    likeness = _likeness(units, alignment, laid)
    return Match(laid.start, laid.end, laid.edits, alignment.cost, likeness, laid.notes)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a span to whole words."""
    end = min(end, len(text))
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end


def _likeness(units: Sequence[Unit], alignment: Alignment, laid: Laid) -> float:
    """Return how much of what is quoted stands in the source, unless it is scattered there."""
    words = [u for u in units if u.kind in ("word", "mended")]
    total = sum(map(token_weight, words))
    said = {p.draft for p in alignment.pairs if p.step == "same"} | laid.allowed
    same = sum(
        token_weight(u) for n, u in enumerate(units) if n in said and u.kind in ("word", "mended")
    )
    if total <= 0:
        return 0.0
    if alignment.cost > _PER_WORD * len(words) and alignment.cost > _SHORT:
        return min(same / total, ALIKE / 2)
    return same / total
