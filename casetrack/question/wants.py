"""What a question asks for, told by how English asks for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.records.reading import Want

_PAPER = (
    r"(?:contract|agreement|document|deed|lease|licen[cs]e|report|filing|letter|memo\w*|amendment|"
    r"policy|will|act|form|order|judgment|opinion|complaint)"
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
    (
        "head",
        (
            rf"\b(?:title|name|date|parties|subject) (?:of|to|in|on) (?:the|this|that|an?) "
            rf"(?:\w+ ){{0,3}}?{_PAPER}\b"
        ),
    ),
    ("head", rf"\bwhat (?:kind|type|sort) of {_PAPER}\b"),
    ("head", rf"\b(?:who|whom|between)\b.*\bpart(?:y|ies)\b|\bparties\b.*\b{_PAPER}\b"),
    ("head", r"\b(?:agreement|contract|effective|commencement|execution|signing) date\b"),
    (
        "head",
        (
            rf"\bwhen (?:was|is|were|did) (?:the|this|that) (?:\w+ ){{0,3}}?{_PAPER}\b.*"
            r"\b(?:sign|signed|execut\w+|dated|made|enter\w*|effective|filed|issued|published|begin|"
            r"start|commence)\b"
        ),
    ),
    ("head", r"\b(?:who|whom) (?:wrote|signed|issued|filed|made|prepared|is the author)\b"),
    ("head", rf"\b{_PAPER} dated\b|\bdocument name\b|\bcalled\W*$"),
)
_RULE = tuple((want, re.compile(pattern, re.IGNORECASE | re.DOTALL)) for want, pattern in _RULES)


def wants_of(text: str, /) -> frozenset[Want]:
    """Return what a question asks for: nothing, one thing, or several."""
    found = {want for want, pattern in _RULE if pattern.search(text)}
    if "definition" in found:
        # The fee that is to be explained is not asked for.
        found -= {"amount", "figure"}
    return frozenset(found)
