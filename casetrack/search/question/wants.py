"""What a question asks for, told by how English asks for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.base.records.reading import Want

_PAPER = (
    r"(?:contract|agreement|document|deed|lease|licen[cs]e|report|filing|letter|memo\w*|amendment|"
    r"policy|will|act|form|order|judgment|opinion|complaint|deal|charter)"
)
_MONEY = (
    r"(?:amounts?|price|prices|fees?|costs?|rent|rents|salary|salaries|wages?|payments?|sums?|"
    r"penalt(?:y|ies)|damages|deposit|loan|debt|revenues?|sales|income|profits?|loss(?:es)?|"
    r"expenses?|capital|dividends?|premiums?|royalt(?:y|ies)|cap|budget|value|worth|compensation)"
)
_FIGURE = (
    r"(?:ratio|margin|percentage|percent|growth(?: rate)?|turnover|yield|rate|eps|"
    r"earnings per share|dpo|dso|dio|ebitda|ebit|total|average|balance)"
)
_ASKED = r"(?:what|which) (?:(?:is|was|are|were|does|did) )?(?:[\w&'\u2019.-]+ ){0,6}?"
_ONE = r"(?:the|this|that|an?|our|your)"
_THE = rf"(?:{_ONE} )?(?:\w+ ){{0,3}}?"
_SIGNED = (
    r"(?:sign(?:s|ed)?|execut(?:es?|ed)|dated|ma(?:k|d)e|enter(?:s|ed)?|effective|filed|issued|"
    r"published|conclud(?:es?|ed)|beg[ia]ns?|starts?|started|commences?|commenced|"
    r"c[oa]mes? into (?:force|effect)|takes? effect|took effect)\b"
)
_RULES: tuple[tuple[Want, str], ...] = (
    ("figure", r"\bhow much\b|\bhow (?:large|big|high|low)\b"),
    ("figure", rf"\b{_ASKED}{_FIGURE}\b"),
    ("figure", rf"\b(?:calculate|compute|determine)\b.*\b(?:{_FIGURE}|{_MONEY})\b"),
    (
        "figure",
        (
            r"\bin (?:us ?d(?:ollars?)?|us\$|\$|eur(?:os?)?|gbp|chf|dollars)? ?"
            r"(?:thousands?|millions?|billions?|percent)\b"
        ),
    ),
    ("figure", r"\b(?:round|decimal) (?:\w+ ){0,4}?(?:places?|percent|digits?)\b"),
    ("amount", r"\bhow much\b(?! (?:time|notice))"),
    ("amount", rf"\b{_ASKED}{_MONEY}\b"),
    ("count", r"\bhow many\b|\b(?:what|which) (?:is|was|are|were) the (?:total )?number of\b"),
    ("date", r"\bhow (?:soon|quickly|long)\b|\bwithin (?:what|which|how)\b|\bby when\b"),
    ("date", r"\bwhen\b(?! (?:calculating|answering|applicable|necessary))"),
    ("date", r"\b(?:what|which|on what|by what|until what) (?:date|day|month|year)s?\b"),
    ("date", r"\b(?:what|which) (?:is|was|are|were) the (?:\w+ ){0,4}?(?:date|deadline)\b"),
    ("person", r"\bwho(?:m|se)?\b"),
    ("person", r"\b(?:what|which) (?:is|was) the name of the (?!\w* ?" + _PAPER + r")"),
    ("person", r"\bwhich (?:person|judge|director|officer|lawyer|attorney|employee|witness)\b"),
    ("place", r"\bwhere\b(?! (?:applicable|necessary|possible|appropriate))"),
    (
        "place",
        r"\b(?:what|which) (?:country|state|city|town|county|court|jurisdiction|address|place)\b",
    ),
    (
        "place",
        r"\b(?:what|which) (?:is|was) the (?:\w+ ){0,3}?(?:address|location|headquarters|seat)\b",
    ),
    ("definition", r"\bdefin(?:e|es|ed|ition|itions)\b|\bmeaning of\b"),
    ("definition", r"\bwhat (?:does|do|did|is) .{1,60}? (?:mean|stand for)\b|\bmeant by\b"),
    (
        "definition",
        (
            r"^\W*what (?:is|are) (?:an? )?[\"\u201c'\u2018]?[\w-]+(?: [\w-]+)?"
            r"[\"\u201d'\u2019]?\W*$"
        ),
    ),
    # The head of a document: what it is called, what it is, between whom, of which day.
    ("head", rf"\b(?:title|name|date|subject) (?:of|to|in|on) {_THE}{_PAPER}\b"),
    ("head", rf"\b{_PAPER} (?:title|name)\b|\b{_ONE} {_PAPER} called\W*$"),
    ("head", rf"\b(?:kind|type|sort) of {_PAPER} (?:is|was|are) (?:it|this|that|these)\b"),
    ("head", rf"\b(?:kind|type|sort) of {_PAPER}\W*$"),
    (
        "head",
        (
            r"(?<!between the )\b(?:parties|signatories) (?:of|to|in|(?:who|that|which) \w+) "
            rf"{_THE}{_PAPER}\b"
        ),
    ),
    (
        "head",
        r"\b(?:who|which|what|name) (?:are |were )?the (?:\w+ ){0,2}?(?:parties|signatories)\b",
    ),
    ("head", rf"\b(?:between|among|with) (?:whom|who|which|what)\b.*\b{_ONE} {_PAPER}\b"),
    ("head", rf"\b(?:who|which \w+|what \w+) (?:\w+ )?{_SIGNED} (?:into )?{_THE}{_PAPER}\b"),
    (
        "head",
        r"\bwho (?:wrote|signed|issued|filed|made|prepared|is the author of) (?:it|this|that)\b",
    ),
    ("head", rf"\b(?:{_PAPER}|effective|commencement|execution|signing|signature) date\b"),
    ("head", rf"\b{_PAPER} dated\b|\bdate of (?:signing|signature|execution|issue|filing)\b"),
    ("head", rf"\b(?:when|what date|which date|what day|which day)\b.*\b{_PAPER}\b.*\b{_SIGNED}"),
    ("head", rf"\b(?:when|what date|which date|what day|which day)\b.*\b{_SIGNED} {_ONE} {_PAPER}"),
)
_RULE = tuple((want, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for want, pattern in _RULES)


def wants_of(text: str, /) -> frozenset[Want]:
    """Return what a question asks for: nothing, one thing, or several."""
    found = {want for want, pattern in _RULE if pattern.search(text)}
    if "definition" in found:
        # The fee that is to be explained is not asked for.
        found -= {"amount", "figure"}
    return frozenset(found)
