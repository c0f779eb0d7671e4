"""The role of the other party, if a contract of two states the role of one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from casetrack.base.words import WordLists
from casetrack.extract.card.unnamed import UNNAMED
from casetrack.graph.entities.text import fold, surface

if TYPE_CHECKING:
    from casetrack.graph.document.anchored_names.facts import Anchors
    from casetrack.graph.document.anchored_names.known import Known

_LISTS = WordLists(__file__)
_PAIRS: Final = _LISTS.pairs("pairs")
"""The role implied by each role: a licensee implies a licensor."""
_OF_SUPPLY: Final = _LISTS.pairs("of_supply")
"""The same in a supply contract, where a customer implies a supplier."""
_SUPPLY: Final = re.compile(r"\bsupply\b[\w ,&]{0,40}\b(?:agreement|contract)\b", re.IGNORECASE)
_RECITALS: Final = re.compile(
    r"\bWHEREAS|\b[Ww]hereas\b|RECITALS|Recitals|BACKGROUND|\bParties[”\"]"
)
_OPENING = 600


def counterpart(anchors: Anchors, known: Known, opening: str, /) -> dict[str, str]:
    """Return the implied role of the party without a defined term, by its surface; usually none.

    The contract is between two parties, and a term states the role of the other one. *opening* is
    the document's first text, with the title.
    """
    recitals = _RECITALS.search(opening)
    high = recitals.start() if recitals else len(opening)
    if UNNAMED.search(opening, 0, high):
        return {}
    # A firm outside the party clauses may be a party as well: then nothing is implied.
    firms = [n for n in anchors.names if n.evidence in {"party clause", "legal form"}]
    named = {surface(n.text) for n in firms if n.where.chunk == 0 and n.where.end <= high}
    named &= known.kinds.keys()
    parties = {known.same.get(name, name) for name in named}
    if len(parties) != 2:
        return {}
    stated_roles = {owner: fold(term.role) for term, owner in known.terms if term.role}
    without = parties - stated_roles.keys()
    if len(without) != 1 or not any("party clause" in known.evidence[n] for n in without):
        return {}
    (other,) = parties - without
    pairs = _PAIRS | (_OF_SUPPLY if _SUPPLY.search(opening[:_OPENING]) else {})
    return {without.pop(): pairs[stated_roles[other]]} if stated_roles[other] in pairs else {}
