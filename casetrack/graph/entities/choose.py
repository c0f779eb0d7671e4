"""Which phrases of the documents are concepts of the collection."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from casetrack.graph.entities.organizations import form_of_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.graph.entities.groups import Group

_FEW = 20
_LEAST_PLACES = 2
_MANY_DOCUMENTS = 10
_SEVERAL_DOCUMENTS = 5
_EVERYWHERE = 0.6


def choose_concepts(groups: Sequence[Group], documents: int, most: int, /) -> list[int]:
    """Return the positions of the phrases that are kept.

    A phrase's score is that of C-value for places that are in no longer phrase, times what the
    number of its documents adds: ``log2(words + 1) * places * (1 + log2(documents))``. What stands
    in one place only is kept where there is hardly anything else; what nearly every document says
    sets nothing apart, and what is a name is no concept.

    Parameters
    ----------
    groups
        All groups.
    documents
        Number of documents.
    most
        How many are kept at most.
    """
    named = {g.key for g in groups if g.kind in {"person", "organization", "location"}}
    named |= {"-".join(form_of_key(g.key).base) for g in groups if g.kind == "organization"}
    named |= {key.removesuffix("s") for key in named}
    limit = _EVERYWHERE * documents if documents >= _MANY_DOCUMENTS else math.inf
    scored = []
    for i, group in enumerate(groups):
        if group.kind != "concept" or group.documents > limit:
            continue
        if group.key.replace(" ", "-") in named:
            continue
        words = group.key.count(" ") + 1
        # A single word that one document uses much says more of its style than of the matter.
        if words == 1 and group.documents == 1 and documents >= _SEVERAL_DOCUMENTS:
            continue
        weight = math.log2(words + 1) if words > 1 else 0.58
        score = weight * group.mentions * (1 + math.log2(max(group.documents, 1)))
        scored.append((group.mentions >= _LEAST_PLACES, words > 1, score, group.key, i))
    scored.sort(key=lambda s: (-s[2], s[3]))
    kept = [s for s in scored if s[0]][:most]
    few = min(_FEW, most)
    if len(kept) < few:
        kept += [s for s in scored if not s[0] and s[1]][: few - len(kept)]
    return [s[4] for s in kept]
