"""The part of the other one of two parties, where a contract states the part of one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from casetrack.base.words import WordLists
from casetrack.graph.entities.text import fold, surface

if TYPE_CHECKING:
    from casetrack.graph.document.anchored_names.facts import Sure
    from casetrack.graph.document.anchored_names.known import Known

_LISTS = WordLists(__file__)
_PAIRS: Final = _LISTS.pairs("pairs")
"""The other part of each part that implies one: a licensee has a licensor."""
_OF_SUPPLY: Final = _LISTS.pairs("of_supply")
"""The same in a contract of supply, where a customer has a supplier."""
_SUPPLY: Final = re.compile(r"\bsupply\b[\w ,&]{0,40}\b(?:agreement|contract)\b", re.IGNORECASE)
_RECITALS: Final = re.compile(
    r"\bWHEREAS|\b[Ww]hereas\b|RECITALS|Recitals|BACKGROUND|\bParties[”\"]"
)
_OPENING = 600


def counterpart(sure: Sure, known: Known, opening: str, /) -> dict[str, str]:
    """Return the part of the party that no term is defined for, by its surface; mostly none.

    The contract is between two, and a term gives the other one a part that implies this one.

    Parameters
    ----------
    sure, known
        What the document makes sure.
    opening
        Its first text, with the title.
    """
    recitals = _RECITALS.search(opening)
    high = recitals.start() if recitals else len(opening)
    # A firm that no clause names may be a party as well: then nothing is implied.
    firms = [n for n in sure.names if n.evidence in {"party clause", "legal form"}]
    named = {surface(n.text) for n in firms if n.where.chunk == 0 and n.where.end <= high}
    named &= known.kinds.keys()
    parties = {known.same.get(name, name) for name in named}
    if len(parties) != 2:
        return {}
    said = {owner: fold(term.role) for term, owner in known.terms if term.role}
    without = parties - said.keys()
    if len(without) != 1:
        return {}
    (other,) = parties - without
    pairs = _PAIRS | (_OF_SUPPLY if _SUPPLY.search(opening[:_OPENING]) else {})
    return {without.pop(): pairs[said[other]]} if said[other] in pairs else {}
