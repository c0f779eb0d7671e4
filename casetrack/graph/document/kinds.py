"""What a spelling names in a document, where the tagger says several things or the wrong one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.graph.entities.lexicon import COMMON_FIRST_WORDS
from casetrack.graph.entities.organizations import is_chain, is_company, read_organization
from casetrack.graph.entities.text import surface

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.extract.spans import NameKind
    from casetrack.graph.document.facts import ChunkFacts

KINDS: tuple[NameKind, ...] = ("person", "organization", "location")
_ACTS = re.compile(
    r"\s(?:shall|will|may|must|has|had|agree[sd]?|undertakes?|undertook|warrants?|did|does|says|said|"
    r"sent|paid|pays|claims|denies|denied|failed|delivered|supplied|accepts|accepted|argues|wrote|"
    r"hat|wird|muss|darf|liefert|verpflichtet)\b"
)
_PLACED = re.compile(r"\b(?:in|at|near|around|outside|nach)\s$", re.IGNORECASE)


def kinds_of(
    weights: Mapping[str, Mapping[str, float]], chunks: Sequence[ChunkFacts], /
) -> dict[str, NameKind]:
    """Return the kind of each spelling.

    Most confidence wins. A name with a legal form is an organisation, whatever else was seen in it.
    So is a single word taken for a place that acts ("Tidewell shall"), never stands behind *in* or
    *at*, and begins the name of exactly one organisation of the document.

    Parameters
    ----------
    weights
        Confidences by spelling and kind, summed.
    chunks
        Of the document.
    """
    kinds: dict[str, NameKind] = {}
    for found, sums in weights.items():
        # Rounded, since sums of the same numbers in another order differ in the last bits.
        kinds[found] = max(KINDS, key=lambda k: (round(sums.get(k, -1.0), 6), -KINDS.index(k)))
    for text in {span.text for chunk in chunks for span in chunk.names}:
        if is_company(text):
            kinds[surface(text)] = "organization"
    starts: dict[str, set[tuple[str, ...]]] = {}
    for found, kind in kinds.items():
        form = read_organization(found) if kind == "organization" else None
        if form is not None and len(form.base) > 1:
            starts.setdefault(form.base[0], set()).add(form.base)
    doubtful = {
        found
        for found, kind in kinds.items()
        if kind == "location" and found in starts and found not in COMMON_FIRST_WORDS
    }
    if doubtful:
        for found in _acting(chunks, doubtful):
            if is_chain(sorted(starts[found])):
                kinds[found] = "organization"
    return kinds


def _acting(chunks: Sequence[ChunkFacts], doubtful: set[str]) -> set[str]:
    """Return those of the spellings that act somewhere and are placed nowhere."""
    acting: set[str] = set()
    placed: set[str] = set()
    for chunk in chunks:
        for span in chunk.names:
            found = surface(span.text)
            if found in doubtful:
                if _ACTS.match(chunk.text, span.end):
                    acting.add(found)
                if _PLACED.search(chunk.text, max(0, span.start - 10), span.start):
                    placed.add(found)
    return acting - placed
