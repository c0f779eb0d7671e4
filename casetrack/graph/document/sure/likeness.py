"""Whether a short name is made of a longer one's words or letters."""

from __future__ import annotations

import re

from casetrack.graph.entities.organizations import read_organization, stands_for
from casetrack.graph.entities.text import slug


def resembles(short: str, whole: str, /) -> bool:
    """Return whether a term is made of a name's words or letters.

    Examples
    --------
    >>> resembles("Oakham", "Bank of Oakham plc"), resembles("the Bank", "Oakham plc")
    (True, False)
    """
    form = read_organization(whole)
    if form is None:
        return False
    # In "ACME, INC. a/k/a" the legal form may be a word of the short name as well.
    words = [*form.base, *form.family.split("-")] if form.family else list(form.base)
    mine = [w for w in slug(short).split("-") if w]
    if not mine or not form.base:
        return False
    if all(w in words for w in mine):
        return True
    if "&" in short and short.isupper():
        return [w for w in mine if w != "and"] == [w[0] for w in words if w != "and"]
    joined = "".join(mine)
    base = "".join(form.base)
    if len(joined) > 2 and (
        base.startswith(joined) or any(w.startswith(joined) for w in form.base)
    ):
        return True
    if len(mine) == 1 and short.isupper() and len(mine[0]) <= 8:
        inner = [
            part
            for w in whole.replace("-", " ").split()
            for part in re.findall(r"[A-Z][a-z]+|[A-Z]+", w)
        ]
        letters = "".join(p[0] for p in inner).lower()
        if _is_inside(joined, letters) and joined[:1] == letters[:1]:
            return True
        return stands_for(mine[0], form.base, form.family)
    # "PPG Shanghai" of "PPG Paints Trading (Shanghai)", "USA MCO" of "USA Managed Care …".
    return (
        len(mine) > 1
        and mine[0] == words[0]
        and (
            sum(w in words for w in mine) * 2 > len(mine)
            or stands_for("".join(mine[1:]), words[1:])
        )
    )


def _is_inside(letters: str, heads: str) -> bool:
    at = 0
    for letter in letters:
        at = heads.find(letter, at) + 1
        if at == 0:
            return False
    return True
