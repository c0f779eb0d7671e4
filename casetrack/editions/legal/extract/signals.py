"""The word before a citation, and what a text says of an authority.

Signals are those of The Bluebook (21st edition), rule 1.2; explanatory phrases of table T8.
"""

from __future__ import annotations

import re

_SIGNALS = (
    ("see generally", r"see,?\s+generally"),
    ("but see, e.g.,", r"but\s+see,?\s+e\.\s?g\.,?"),
    ("see also", r"see,?\s+also(?:,?\s+e\.\s?g\.,?)?"),
    ("see, e.g.,", r"see,?\s+e\.\s?g\.,?"),
    ("but see", r"but\s+see(?:\s+also)?"),
    ("but cf.", r"but\s+cf\.,?"),
    ("cf.", r"cf\.,?(?:\s+also)?(?:,?\s+e\.\s?g\.,?)?"),
    ("accord", r"accord,?"),
    ("contra", r"contra,?"),
    ("compare", r"compare,?"),
    ("with", r"(?<=[,;)]\s)with"),
    ("e.g.,", r"e\.\s?g\.,?"),
    ("see", r"see,?"),
)
_BEFORE = tuple(
    (name, re.compile(rf"(?<![\w-])(?:{pattern})\s*[\"“(\[]?\s*$", re.IGNORECASE))
    for name, pattern in _SIGNALS
)
_WITHIN = re.compile(
    r"\((?:[\w\s,]{0,30}\s)?(?P<word>quoting|citing|quoted in|cited in|discussing|overruling"
    r"|abrogating|distinguishing|following|affirming|reversing|vacating)\s+(?:\w+\s)?$"
)
_WITHIN_SAYS = {
    "quoting": "quoted",
    "citing": "cited",
    "discussing": "discussed",
    "overruling": "overruled",
    "abrogating": "abrogated",
    "distinguishing": "distinguished",
    "following": "followed",
    "affirming": "affirmed",
    "reversing": "reversed",
    "vacating": "vacated",
}
_HISTORY = re.compile(
    r"\s?[,;(.]?\s?\(?(?:and\s)?(?P<word>"
    r"overruled(?:\sin\spart)?(?:\son\sother\sgrounds)?(?:\sby|,)|overruling\srecognized"
    r"|superseded(?:\sin\spart)?(?:\sby(?:\sstatute|\srule|\sregulation"
    r"|\sconstitutional\samendment)?)"
    r"|abrogated(?:\sin\spart)?(?:\son\sother\sgrounds)?(?:\sby|,)|disapproved(?:\sof)?(?:\sby"
    r"|\sin|,)"
    r"|aff['’]?d(?:\sin\spart)?(?:\smem\.)?(?:\sper\scuriam)?(?:\ssub\snom\.)?(?:\son\sother\sgro"
    r"unds)?|affirmed|affirming|aff['’]g"
    r"|rev['’]?d(?:\sin\spart)?(?:\sper\scuriam)?(?:\ssub\snom\.)?(?:\son\sother\sgrounds)?"
    r"|reversed|reversing|rev['’]g"
    r"|vacated(?:\sas\smoot)?(?:\sin\spart)?(?:\son\sother\sgrounds)?|vacating|withdrawn|modified"
    r"|amended|depublished"
    r"|cert\.\s(?:denied|granted|dismissed)|reh['’]?g\s(?:en\sbanc\s)?(?:denied|granted)"
    r"|appeal\s(?:denied|dismissed|docketed)|review\s(?:denied|granted)"
    r"|distinguished(?:\sby|\sin)|followed(?:\sby|\sin)|questioned(?:\sby|\sin)|limited(?:\sby"
    r"|\sin)|criticized(?:\sby|\sin)|called\sinto\s(?:doubt|question)\sby"
    r")(?![\w])",
    re.IGNORECASE,
)
_USUAL = (
    (r"^overrul", "overruled by"),
    (r"^supersed", "superseded by"),
    (r"^abrogat", "abrogated by"),
    (r"^disapprov", "disapproved by"),
    (r"^aff", "affirmed"),
    (r"^rev[^i]", "reversed"),
    (r"^vacat", "vacated"),
    (r"^cert", "cert. denied"),
    (r"^reh", "rehearing denied"),
    (r"^distinguish", "distinguished"),
    (r"^follow", "followed"),
    (r"^question|^called", "questioned"),
    (r"^limit", "limited by"),
    (r"^critici", "criticized"),
)
_SAID_BEFORE = re.compile(
    r"(?<!\w)(?P<word>overrul(?:e[ds]?|ing)|abrogat(?:e[ds]?|ing)|distinguish(?:ed|es|ing)?"
    r"|declin(?:e[ds]?|ing)\sto\sfollow|disagre(?:ed|es|eing)\swith|reject(?:ed|s|ing)|"
    r"reaffirm(?:ed|s|ing)|follow(?:ed|s|ing)|rel(?:ied|ies|ying)\s(?:up)?on|adopt(?:ed|s|ing)"
    r"|appl(?:ied|ies|ying)|overturn(?:ed|s|ing)|disapprov(?:ed|es|ing)(?:\sof)?"
    r"|questioned)\s(?:the\s(?:rule|holding|reasoning|decision|test)\s(?:of|in)\s|in\s)?$",
    re.IGNORECASE,
)
_SAID = (
    (r"overrul|overturn", "overruled"),
    (r"abrogat", "abrogated"),
    (r"distinguish", "distinguished"),
    (r"declin|disagre|reject", "not followed"),
    (r"disapprov", "disapproved"),
    (r"question", "questioned"),
    (r"reaffirm|follow|rel(?:ied|ies|y)|adopt|appl", "followed"),
)
_SAID_AFTER = re.compile(
    r",?\s(?:is|was|are|were|has\sbeen|have\sbeen)\s(?:\w+ly\s|easily\s|inapposite\sand\s|later\s"
    r"|since\s)?(?P<word>distinguishable|distinguished|overruled|abrogated|superseded|inapposite"
    r"|not\s(?:controlling|binding|on\spoint)|good\slaw|followed|questioned)",
    re.IGNORECASE,
)


def signal_before(text: str, start: int, /) -> tuple[str, int]:
    """Return the signal that ends at *start* in its usual spelling, and where it begins.

    "" and *start* where there is none.
    """
    window = text[max(0, start - 40) : start]
    for name, pattern in _BEFORE:
        match = pattern.search(window)
        if match and not _is_verb(window, match):
            return name, start - len(window) + match.start()
    return "", start


def _is_verb(window: str, match: re.Match[str]) -> bool:
    """Whether "see" or "compare" is the verb of a sentence ("we see Roe v. Wade as ...")."""
    return match[0].islower() and bool(
        re.search(r"\b(?:we|you|they|I|to|can|will|would|do|not)\s$", window[: match.start()])
    )


def treatment_around(text: str, start: int, end: int, remarks_end: int, /) -> str:
    """Return what the text says of the authority cited at *start* to *end*; "" for nothing.

    Subsequent history after it comes first ("overruled by", "affirmed"), then the remark that it
    stands in ("quoted", "cited"), then the verb of its sentence ("distinguished", "followed").
    """
    history = _HISTORY.match(text, remarks_end) or _HISTORY.match(text, end)
    if history:
        word = history["word"].lower().replace("’", "'")
        if word.startswith("aff") and re.match(r"affirming|aff'g", word):
            return "affirming"
        if word.startswith("rev") and re.match(r"reversing|rev'g|review", word):
            return "" if word.startswith("review") else "reversing"
        if "granted" in word:
            return word
        return next((usual for pattern, usual in _USUAL if re.match(pattern, word)), word)
    before = text[max(0, start - 90) : start]
    within = _WITHIN.search(before)
    if within:
        return _WITHIN_SAYS.get(within["word"], "cited")
    said = _SAID_BEFORE.search(before)
    word = said["word"] if said else ""
    if not word:
        after = _SAID_AFTER.match(text, remarks_end)
        word = after["word"].lower() if after else ""
        if word.startswith(("distinguish", "inapposite", "not ")):
            return "distinguished"
        if word == "superseded":
            return "superseded by"
        if word == "good law":
            return ""
    word = word.lower()
    return next((usual for pattern, usual in _SAID if re.match(pattern, word)), "")
