"""The order in which courts ask for authorities: names by letters, titles and sections as numbers.

Cases go by the name of the first party: "In re", "Ex parte" and "Matter of" do not count, nor does
an article; "U.S. v." is "United States v.". Statutes and regulations of the United States stand
before those of the states, by title and section; rules by the name of their set and their number;
provisions of the Constitution as they stand in it, articles before amendments.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from casetrack.editions.legal.page_numbers import number_of

if TYPE_CHECKING:
    from casetrack.editions.legal.records.authorities import AuthoritySection

SortKey = tuple[object, ...]
_Part = tuple[int, int, str]

_PROCEDURAL = re.compile(
    r"^(?:(?:in\s+re:?|ex\s+parte|ex\s+rel\.?|(?:in\s+the\s+)?matter\s+of|in\s+the\s+interest\s+of)"
    r"\s+(?:the\s+)?|the\s+|an?\s+(?=[A-Z]\w{2}))",
    re.IGNORECASE,
)
_UNITED_STATES = re.compile(r"\bU\.?\s?S\.?(?=\s+v\.?\s)|\bU\.?\s?S\.?$")
_TITLE = re.compile(
    r"^(?P<title>\d+)\s+(?P<code>U\.?\s?S\.?\s?C|C\.?\s?F\.?\s?R|Fed\.?\s?Reg|Stat)[\w.]*"
)
_FEDERAL = {"USC": 0, "CFR": 0, "Stat": 2, "FedReg": 2}
_LAW = re.compile(r"^Pub(?:lic|\.)\s?L(?:aw|\.)", re.IGNORECASE)
_OF_UNITED_STATES = re.compile(r"^(?:U\.?\s?S\.?|United\s+States)\s+Const", re.IGNORECASE)
_PROVISION = re.compile(
    r"\b(?P<kind>pmbl|art|amend)[a-z]*\.?\s+(?P<number>[IVXLC]+|\d+)?", re.IGNORECASE
)
_PROVISIONS = {"pmbl": 0, "art": 1, "amend": 2}
_RUN = re.compile(r"\d+|[^\W\d]+")


def sort_key(section: AuthoritySection, name: str, name_end: int, /) -> SortKey:
    """Return what sorts an authority within its part of the table.

    Parameters
    ----------
    section
        The part.
    name
        As it is listed.
    name_end
        Where the name of a case ends in it.
    """
    if section == "Cases":
        title = name[:name_end] or name
        return (
            _letters(_PROCEDURAL.sub("", _UNITED_STATES.sub("United States", title))),
            _natural(name),
        )
    if section == "Constitutional Provisions":
        return _constitution(name)
    if section in {"Statutes", "Regulations"}:
        return _titled(name)
    return (_natural(name),)


def _titled(name: str) -> SortKey:
    found = _TITLE.match(name)
    if found is None:
        return (1 if _LAW.match(name) else 3, 0, _natural(name))
    code = re.sub(r"\W", "", found["code"])
    return (_FEDERAL[code], int(found["title"]), _natural(name[found.end() :]))


def _constitution(name: str) -> SortKey:
    whose = 0 if _OF_UNITED_STATES.match(name) else 1
    found = _PROVISION.search(name)
    if found is None:
        return (whose, _natural(name) if whose else (), -1, 0, ())
    state = _natural(name[: found.start()]) if whose else ()
    number = number_of(found["number"] or "") or ("", 0)
    kind = _PROVISIONS[found["kind"].lower()]
    return (whose, state, kind, number[1], _natural(name[found.end() :]))


def _letters(text: str) -> tuple[str, ...]:
    """Return the words of a name without accents and points, so that a space sorts first."""
    plain = unicodedata.normalize("NFKD", text.replace("&", " and ")).casefold()
    kept = re.sub(r"[^\w\s]", "", "".join(c for c in plain if not unicodedata.combining(c)))
    return tuple(kept.split())


def _natural(text: str) -> tuple[_Part, ...]:
    """Return the numbers and words of a text; numbers go before words, and by their value."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return tuple(
        (0, int(run), "") if run.isdecimal() else (1, 0, run) for run in _RUN.findall(plain)
    )
