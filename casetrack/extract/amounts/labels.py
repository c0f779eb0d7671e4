"""Numbers that only name something: a house, a section, a form; what follows is no unit of them."""

from __future__ import annotations

import re

_LABEL = re.compile(
    r"(?<![^\W_])(?:n[ou]s?\.|n[°º]|nrs?\.?|(?-i:No|Nos)|number|#|building|bldg\.?|block|tower|unit|suite"
    r"|ste\.?|apt\.?|apartment|room|flat|house|lot|plot|ward|district|section|sec\.|§{1,2}|item|article"
    r"|clause|paragraph|para\.?|schedule|exhibit|annex|appendix|notes?|page|pages|pp?\.|chapter|title"
    r"|volume|vol\.|figure|fig\.|table|form|rule|regulation|part|route|highway|pier|gate|flight"
    r"|floor|u\.?\s?s\.?\s?c\.?|c\.?f\.?r\.?|box|ext\.?|tel\.?|phone|fax|v\.)\s{0,2}[-:]?\s?$",
    re.IGNORECASE,
)
_STREET = re.compile(
    r"[,\s]\s?(?:(?:[A-Z][\w'’.-]*|of|the|de|du|la)\s){0,2}(?:Street|St\b\.?|Road|Rd\b\.?|Lane|Ln\b|Avenue"
    r"|Ave\b\.?|Drive|Dr\b\.?|Boulevard|Blvd\b\.?|Court|Square|Sq\b\.?|Place|Pl\b\.?|Way|Park|Close|Terrace"
    r"|Crescent|Row|Quay|Gardens?|Alley|Highway|Hwy\b\.?|District|Ward|Building|Bldg\b|Tower|House|Plaza"
    r"|Center|Centre|Parkway|Pkwy\b|Circle|Mews|Stra(?:ss|ß)e|Str\.|Weg|Allee|Platz)(?!\w)"
)
_REACH = 16
_AHEAD = 48


def is_numbered(text: str, begin: int, /) -> bool:
    """Say whether the number that begins at a place is that of a thing: "No. 5", "Section 5".

    Parameters
    ----------
    text
        The text.
    begin
        Where the number begins.
    """
    return _LABEL.search(text[max(0, begin - _REACH) : begin]) is not None


def names_street(text: str, word: int, end: int, /) -> bool:
    """Say whether a capitalised word behind a number is part of a street's name: "5 Pound Lane".

    Parameters
    ----------
    text
        The text.
    word, end
        Where the word begins and ends that could be a unit.
    """
    return text[word].isupper() and _STREET.match(text[end : end + _AHEAD]) is not None
