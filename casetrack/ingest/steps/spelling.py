"""British and American spellings of a word are one word: licence and license, labour and labor.

Which of the two a word is turned into tells nothing; both are, before its stem is taken. What the
other spelling would make another word of stays as it is: a tyre may tire, a storey is no story.
"""

from __future__ import annotations

import re

_OUR = "arb|ard|arm|behavi|cand|clam|col|demean|endeav|fav|ferv|flav|harb|hon|hum|lab|neighb|od"
_OUR += "|parl|ranc|rig|rum|sav|savi|splend|succ|tum|val|vap|vig"
_RE = "calib|cent|fib|lit|lust|meag|met|nit|sab|scept|somb|spect|theat"
_ELL = "cancel|channel|chisel|counsel|dial|duel|enrol|equal|fuel|fulfil|funnel|initial|instal|jewel"
_ELL += "|label|level|libel|marshal|marvel|model|panel|parcel|pedal|pencil|quarrel|rival|shovel"
_ELL += "|signal|total|travel|tunnel|unravel"
RULES = (
    (re.compile(r"(?<=..[a-z])iz(?=(?:e|ed|er|ers|es|ing|able|ation|ations|ational)$)"), "is"),
    (re.compile(r"(?<=[a-z]l)yz(?=(?:e|ed|er|ers|es|ing)$)"), "ys"),
    (re.compile(rf"\b((?:dis|mis|un|en|re)*(?:{_OUR}))our(?!s?e$)"), r"\1or"),
    (re.compile(rf"\b((?:[a-z]+)?(?:{_RE}))re(?=s?$)"), r"\1er"),
    (re.compile(rf"\b({_RE})red$"), r"\1ered"),
    (re.compile(r"\b((?:sub|non)?(?:lic|def|off|pret))enc(?=(?:e|es|ed|eless)$|ing$)"), r"\1ens"),
    (re.compile(r"\bpractis(?=(?:e|ed|es|ing)$)"), "practic"),
    (
        re.compile(rf"\b({_ELL})l(?=(?:ed|er|ers|ing|ings|ment|ments|or|ors|s|ation|ations)?$)"),
        r"\1",
    ),
    (re.compile(r"\b((?:pre|mis)?judg|acknowledg)ement"), r"\1ment"),
    (re.compile(r"(?<=[a-z]{2})ogue(?=s?$)"), "og"),
    (re.compile(r"\bprogramme(?=s?$)"), "program"),
    (re.compile(r"\bgrey"), "gray"),
    (re.compile(r"\baluminium$"), "aluminum"),
    (re.compile(r"\b(skil|wil)lful"), r"\1ful"),
    (re.compile(r"\bcosy$"), "cozy"),
    (re.compile(r"\b(m)ould"), r"\1old"),
    (re.compile(r"\b(an)?aem(?=i)"), r"\1em"),
    (re.compile(r"\b(an|p|h|orthop|encyclop)ae(?=[a-z])"), r"\1e"),
    (re.compile(r"\b(f)oet"), r"\1et"),
    (re.compile(r"\boe(?=st|so)"), "e"),
    (re.compile(r"\bmanoeuvr(e?)"), r"maneuver"),
)
"""Patterns and what stands in their place, one after the other."""
_MAY_DIFFER = re.compile(r"iz|yz|our|re[sd]?$|enc|ctis|ll|gement|ogue|mme|grey|ium$|osy$|oul|ae|oe")


def one_spelling(word: str, /) -> str:
    """Return a word in lower case as it is spelt for the index.

    Examples
    --------
    >>> [one_spelling(word) for word in ("labour", "labor", "organized", "organised")]
    ['labor', 'labor', 'organised', 'organised']
    """
    if _MAY_DIFFER.search(word) is None:
        return word
    for pattern, other in RULES:
        word = pattern.sub(other, word)
    return word
