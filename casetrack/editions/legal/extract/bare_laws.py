"""Rules and sections without the name of their set or code, where the document says which.

"Rule 12(b)(6)" after "Fed. R. Civ. P. 12(b)(6)", "Section 1983" after "42 U.S.C. § 1983".
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from casetrack.extract.references.court_rules import find_bare_rules, rule_set
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug

if TYPE_CHECKING:
    from casetrack.extract.references.citations import Citation

    Item = tuple[ReferenceMatch, Citation | None]

_NAMED_SETS = {
    "federal-civil": re.compile(r"(?i:federal\s+rules\s+of\s+civil\s+procedure)"),
    "federal-criminal": re.compile(r"(?i:federal\s+rules\s+of\s+criminal\s+procedure)"),
    "federal-evidence": re.compile(r"(?i:federal\s+rules\s+of\s+evidence)"),
    "federal-appellate": re.compile(r"(?i:federal\s+rules\s+of\s+appellate\s+procedure)"),
    "federal-bankruptcy": re.compile(r"(?i:federal\s+rules\s+of\s+bankruptcy\s+procedure)"),
}
_NUMBERS = {
    "federal-civil": range(1, 88),
    "federal-criminal": range(1, 62),
    "federal-appellate": range(1, 49),
    "federal-evidence": range(101, 1104),
    "federal-bankruptcy": range(1001, 9038),
}
"""Numbers that a set of rules has; other sets may have any."""
_SECTION = re.compile(
    r"(?:§{1,2}\s?|[Ss]ection\s)(?P<number>\d{3,6}[a-z]{0,3}(?:-\d+)?)(?P<below"
    r">(?:\(\w{1,4}\))*)$"
)
_CODE_SECTION = re.compile(r"§{1,2}\s?(?P<number>\d{3,6}[a-z]{0,3}(?:-\d+)?)(?:\(\w{1,4}\))*$")


def with_bare_laws(text: str, items: list[Item], /) -> list[Item]:
    """Return *items* with the rules and sections whose set or code the document says elsewhere.

    Parameters
    ----------
    text
        The whole text.
    items
        What was found in it, in order; lone section signs are left out.

    Returns
    -------
    list
        In order. Where two sets could be meant the place is kept as open.
    """
    items = [one for one in items if one[1] is None or one[1].kind != "unknown"]
    codes = _codes(items)
    made = [(_of_code(found, codes), citation) for found, citation in items]
    taken = [found for found, _ in made if found.type != "section"]
    rules = [rule for rule in _rules(text, items) if not _meets(rule, taken)]
    kept = [one for one in made if one[0].type != "section" or not _meets(one[0], rules)]
    return sorted([*kept, *((rule, None) for rule in rules)], key=lambda item: item[0].start)


def _meets(one: ReferenceMatch, others: list[ReferenceMatch]) -> bool:
    return any(other.start < one.end and one.start < other.end for other in others)


def _codes(items: list[Item]) -> dict[str, set[tuple[str, str]]]:
    """Return by section number the codes that are cited with it: beginning of key and of name."""
    codes: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for found, _ in items:
        match = _CODE_SECTION.search(found.name) if found.type == "regulation" else None
        if match:
            last = slug(found.name[match.start("number") :])
            if found.key.endswith("-" + last):
                name = found.name[: match.start()].rstrip()
                codes[match["number"]].add((found.key.removesuffix(last), name))
    return codes


def _of_code(found: ReferenceMatch, codes: dict[str, set[tuple[str, str]]]) -> ReferenceMatch:
    if found.type != "section":
        return found
    match = _SECTION.search(found.name)
    known = codes.get(match["number"], set()) if match else set()
    keys = {key for key, _ in known}
    if match is None or len(keys) != 1:
        return found
    head, name = min(known)
    number = match["number"] + match["below"]
    return ReferenceMatch(
        found.start, found.end, "regulation", head + slug(number), f"{name} § {number}", 0.85
    )


def _rules(text: str, items: list[Item]) -> list[ReferenceMatch]:
    sets = {rule_set(found.key) for found, _ in items if found.type == "rule"} - {""}
    exact = {found.key for found, _ in items if found.type == "rule"}
    sets |= {name for name, words in _NAMED_SETS.items() if words.search(text)}
    sets = {name for name in sets if not name.startswith("local")}
    if not sets:
        return []
    rules = []
    for start, end, number in find_bare_rules(text):
        base = re.split(r"\D", number, maxsplit=1)[0]
        fitting = {name for name in sets if name not in _NUMBERS or int(base) in _NUMBERS[name]}
        cited = {
            name
            for name in fitting
            if any(f"{key}-".startswith(f"rule:{name}-{base}-") for key in exact)
        }
        chosen = cited if len(cited) == 1 else fitting
        written = one_line(text[start:end])
        if len(chosen) == 1:
            key = f"rule:{min(chosen)}-{slug(number)}"
            rules.append(ReferenceMatch(start, end, "rule", key, written, 0.85))
        elif chosen:
            key = f"rule:{slug(number)}"
            rules.append(ReferenceMatch(start, end, "rule", key, written, 0.4, resolved=False))
    return rules
