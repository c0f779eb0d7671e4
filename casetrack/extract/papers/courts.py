"""Courts by the words of a caption: the usual name, and the short name of a court of the U.S.

A court is at the start of a line and has up to five lines, in capitals or not::

    IN THE UNITED STATES DISTRICT COURT
    FOR THE CENTRAL DISTRICT OF CALIFORNIA

A sentence is not a court: "United States District Court judges may ...".
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from casetrack.base.words import WordLists
from casetrack.base.words.lists import ABBREVIATED, POSTAL

# How courts are written: the usual name, and the short name of a court of the United States.

_LISTS = WordLists(__file__)

_STATES = {
    **POSTAL,
    "columbia": "dc",
    "guam": "gu",
    "hawai'i": "hi",
    "virgin islands": "vi",
    "northern mariana islands": "nmi",
}
_PARTS = {word: word[0] for word in "northern southern eastern western middle central".split()}
_NUMBERED = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh".split()
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_CIRCUITS = {
    **{word: f"ca{n}" for n, word in enumerate(_NUMBERED, 1)},
    **{f"{n}{_ENDINGS.get(n, 'th')}": f"ca{n}" for n in range(1, 12)},
    "district of columbia": "cadc",
    "d.c.": "cadc",
    "federal": "cafc",
}


def _spaced(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE)


_US = r"(?:united states|u\.?\s?s\.?)"
_STATE = "|".join(sorted(_STATES, key=len, reverse=True))
_ORDINAL = _LISTS.joined("ordinal")
_KIND = _LISTS.joined("kind")
_PLACE = r"(?:[A-Za-z.'’-]+)(?:[^\S\n](?:[A-Za-z.'’-]+)){0,2}"
"""A place name on one line."""
_TAIL_WORD = (
    rf"(?:county of {_PLACE}|city of {_PLACE}|parish of {_PLACE}|{_PLACE} (?:county|parish)(?! of)"
    r"|of|the|state|commonwealth|in|and|for|at|within|judicial|district|division|department"
    r"|dept\.?|div\.?|branch|circuit|appellate|term|part|law|chancery|probate"
    r"|special|(?:criminal|civil)(?! action)|(?:un)?limited|jurisdiction|session|court|county|city"
    r"|central|northern|southern|eastern|western|first|branch|trial|section|commercial|parish"
    rf"|no\.?|number|ias|[ivx]{{1,4}}|one|two|three|four|five|\d{{1,3}}(?![^\S\n]+\w)|{_ORDINAL}"
    rf"|(?:{_STATE})(?![^\S\n]+(?!law|chancery|appellate|district|court|county|division)[a-z]))"
)
_STATE_COURT = _spaced(
    r"(?:in )?(?:the )?(?P<prefix>(?:state|commonwealth|people of the state) of "
    rf"(?P<state>{_STATE})[\s,.:;)]*(?:county of {_PLACE}|{_PLACE},? (?:county|ss\.?))?["
    rf"\s,.:;)]*)?(?:in )?(?:the )?(?P<court>(?:{_ORDINAL} |(?P<own>{_STATE}) )?{_KIND}\b"
    rf"(?:[\s,:;–—-]+(?!(?:state|commonwealth|people) of (?:{_STATE})(?:,(?! div)| vs?\b))"
    rf"{_TAIL_WORD}\b\.?)*)"
)
_COUNTY_FIRST = _spaced(
    rf"(?P<county>{_PLACE} county|county of {_PLACE}),? (?P<court>{_KIND}(?: of (?:{_STATE}))?)\b"
)
_ABROAD = _spaced(_LISTS.joined("abroad"))
_EU_NAMES = _LISTS.pairs("eu_names")
_CITED = _LISTS.pattern("cited")
"""A federal court as citations abbreviate it, without blanks."""
_CITED_AS = {"D.C.": "d.c.", "Fed.": "federal"}
_OPEN_END = re.compile(r"(?:[\s,:;–—-]+(?:of|the|in|and|for|at))+$|\.$", re.IGNORECASE)
_LINE_END = _LISTS.pattern("line_end", re.IGNORECASE)


@functools.cache
def _federal() -> tuple[
    tuple[re.Pattern[str], Callable[[re.Match[str]], tuple[str, str | None]]], ...
]:
    def of(pattern: str) -> re.Pattern[str]:
        return _spaced(rf"(?:in )?(?:the )?{pattern}")

    special_courts = {
        short: long.split(" | ", 1) for short, long in _LISTS.pairs("special").items()
    }
    special = [
        (of(f"(?:{words.replace('{us}', _US)})"), lambda _, n=name, i=short: (n, i))
        for short, (name, words) in special_courts.items()
    ]
    circuit = "|".join(sorted(_CIRCUITS, key=len, reverse=True)).replace(".", r"\.")
    part = "|".join(_PARTS)
    where = (
        rf"[\s,]*(?:[-–—]\s*)?(?:in )?(?:and )?(?:for )?(?:the )?(?:(?:(?P<part>{part}) )?"
        rf"district of (?:the )?(?P<state>{_STATE})"
        rf"|(?P<part2>{part}|[nsewmc]?\.?(?: )?d\.) (?P<state2>{_STATE})"
        rf"|(?P<state4>{_STATE}) (?P<part4>{part}) (?:district|bankruptcy(?: court)?)\b"
        rf"|(?P<state3>{_STATE})(?= ))(?P<division>[\s,]*(?:\(?[A-Z][\w.]*(?:[ /-][A-Z][\w.]*){{0,2"
        rf"}}\)? division(?: at \w+)?|at [A-Z]\w+)\b)?"
    )
    return (
        *special,
        (
            of(rf"{_US} court of appeals?[\s,]*(?:for )?(?:the )?(?P<circuit>{circuit}) circuit"),
            _appeals,
        ),
        (
            of(rf"{_US} bankruptcy court{where}"),
            functools.partial(_trial, kind="Bankruptcy", letter="b"),
        ),
        (
            of(
                rf"(?:{_US} district court|district court of the united states"
                rf"|district court(?=, [NSEWMC]?\.?(?: )?D\.)){where}"
            ),
            functools.partial(_trial, kind="District", letter="d"),
        ),
    )


def _appeals(match: re.Match[str]) -> tuple[str, str]:
    number = " ".join(match["circuit"].lower().split())
    short = _CIRCUITS[number]
    names = {v: k for k, v in _CIRCUITS.items() if k[0].isalpha() and k != "d.c."}
    words = " ".join(w if w == "of" else w.capitalize() for w in names[short].split())
    return f"United States Court of Appeals for the {words} Circuit", short


def _trial(match: re.Match[str], *, kind: str, letter: str) -> tuple[str, str | None]:
    groups = match.groupdict()
    state, part = (
        next(
            (" ".join(v.lower().split()) for n, v in groups.items() if v and n.startswith(one)), ""
        )
        for one in ("state", "part")
    )
    if "." in part:
        part = next((p for p, letter in _PARTS.items() if part[0] == letter), "")
    name = "District of " + _title("the virgin islands" if state == "virgin islands" else state)
    if state == "columbia":
        name = "District of Columbia"
    name = f"{part.capitalize()} {name}".strip()
    return (
        f"United States {kind} Court for the {name}",
        f"{_STATES[state]}{_PARTS.get(part, '')}{letter}",
    )


_SMALL = {"of", "the", "and", "for", "in", "at", "on", "from"}


def _title(words: str) -> str:
    """Return words in capitals as a name; those written otherwise as they are."""
    plain = " ".join(_LINE_END.sub(", ", words).split())
    if not (plain.isupper() or plain.islower()):
        return plain
    pieces = [w if w in _SMALL else _capital(w) for w in plain.lower().split()]
    return " ".join(pieces)[:1].upper() + " ".join(pieces)[1:]


def _capital(word: str) -> str:
    return "-".join(part[:1].upper() + part[1:] for part in word.split("-"))


def match_court(joined: str, /) -> tuple[str, str | None, int] | None:
    """Return the court at the start of a text: usual name, short name, and end."""
    for pattern, name_of in _federal():
        match = pattern.match(joined)
        if match:
            name, short = name_of(match)
            return name, short, match.end()
    match = _ABROAD.match(joined)
    if match:
        title = next(g for g in (match["uk"], match["eu"], match["de"], match["other"]) if g)
        plain = " ".join(title.lower().split())
        for words, name in _EU_NAMES.items():
            if plain.startswith(words):
                return name, None, match.end()
        more = (
            _title(re.sub(r"[()]", "", match["more"] or "")).strip(" ,;:-") if match["uk"] else ""
        )
        if (
            match["uk"]
            and plain.startswith(("court of appeal", "house of", "family", "county"))
            and not (more or joined.isupper() or joined.lower().startswith("in the"))
        ):
            return None
        return ", ".join(filter(None, (_title(title), more))), None, match.end()
    return _of_a_state(joined)


def cited_court_id(words: str, /) -> str | None:
    """Return the short name of a federal court from its abbreviation in a citation.

    Examples
    --------
    >>> [cited_court_id(w) for w in ("2d Cir.", "S.D.N.Y.", "Bankr. D. Vt.", "N.Y. App. Div.")]
    ['ca2', 'nysd', 'vtb', None]
    """
    match = _CITED.fullmatch("".join(words.split()))
    if match is None:
        return None
    if circuit := match["circuit"]:
        return f"ca{int(match['number'])}" if match["number"] else _CIRCUITS[_CITED_AS[circuit]]
    state = _STATES.get(ABBREVIATED.get(match["state"], ""))
    return state and f"{state}{match['part'].lower()}{'b' if match['bankruptcy'] else 'd'}"


def _of_a_state(joined: str) -> tuple[str, None, int] | None:
    match = _STATE_COURT.match(joined)
    if match:
        words = _OPEN_END.sub("", match["court"])
        place = match["own"] or _spaced(rf"\b(?:{_STATE}|county|parish|city of)\b").search(words)
        line = joined[match.end() :].partition("\n")[0]
        is_all = joined[:7].casefold() == "in the " and not line.strip(" .,")
        if place or match["state"] or is_all:
            name = _title(words)
            state = match["state"]
            if state and not _spaced(_STATE).search(words):
                name = f"{name}, {_title(state)}"
            return name, None, match.start("court") + len(words)
    county = _COUNTY_FIRST.match(joined)
    if county:
        return f"{_title(county['court'])}, {_title(county['county'])}", None, county.end()
    return None


_PROSE = re.compile(r"[\s,]*(?:[a-z]{2,}|[A-Z][a-z]+ (?:has|have|held|ruled|may|will|is|was)\b)")
_PARTY = re.compile(
    r"[\s,]*(?:et al\.?,?\s*)?(?:plaintiff|defendant|petitioner|respondent|appell)", re.IGNORECASE
)
"""A court as a party is not the court of the case."""
_IN_SHORT = re.compile(_LISTS.text("in_short"), re.VERBOSE | re.IGNORECASE)
"""Names of a court in running text."""
_LINES = 5
_LOOKED_AT = 60


@dataclass(frozen=True, slots=True)
class Court:
    """A court that a caption names: lines *first* to *last* (left out), and its characters."""

    name: str
    court_id: str | None
    first: int
    last: int
    text: str


def find_court(lines: Sequence[str], /) -> Court | None:
    """Return the first court of a caption, from the first lines of a page without marks."""
    weak = None
    for first, line in enumerate(lines[:_LOOKED_AT]):
        if len(line) < 5 or not _may_be(line):
            continue
        for count in range(_LINES, 0, -1):
            joined = "\n".join(lines[first : first + count])
            named = match_court(joined)
            if named is None:
                continue
            name, short, end = named
            last, left = _last_line(lines, first, end)
            if (_PROSE.match(left) and len(left) > 12) or _PARTY.match(left):
                break
            court = Court(name, short, first, last, joined[:end])
            if short is not None or " " in name:
                return court
            weak = weak or court
            break
    return weak


def federal_courts_in(text: str, /) -> set[str | None]:
    """Return the short names of all courts at the beginning of a line."""
    ids, lines = set[str | None](), text.splitlines()
    while court := find_court(lines):
        ids.add(court.court_id)
        lines = lines[court.last :]
    return ids


def court_called(name: str, /) -> str | None:
    """Return the usual name of a court, or ``None`` if *name* is not exactly a court.

    Examples
    --------
    >>> court_called("U.S. District Court for the District of Vermont")
    'United States District Court for the District of Vermont'
    """
    plain = " ".join(name.split()).rstrip(" ,")
    court = match_court(plain) if _may_be(plain) else None
    if court is None or court[2] < len(plain.rstrip(".")):
        return None
    return court[0]


def is_court(name: str, /) -> bool:
    """Return whether *name* is a court, by its usual or short form.

    Examples
    --------
    >>> [is_court(n) for n in ("Ninth Circuit", "Vermont Supreme Court", "Tennis Court LLC")]
    [True, True, False]
    """
    plain = " ".join(name.split())
    return _IN_SHORT.fullmatch(plain) is not None or court_called(plain) is not None


@functools.cache
def _hint() -> re.Pattern[str]:
    return re.compile(
        r"court|tribunal|panel on|board|bundes|gericht|state of|commonwealth of"
        r"|county|council|cassation|conseil|house of lords|advocate",
        re.IGNORECASE,
    )


def _may_be(line: str) -> bool:
    return _hint().search(line) is not None


def _last_line(lines: Sequence[str], first: int, end: int) -> tuple[int, str]:
    """Return the line after that in which a match over joined lines ends, and that one's rest."""
    at = first
    while at < len(lines) and end > len(lines[at]):
        end -= len(lines[at]) + 1
        at += 1
    rest = lines[at][max(end, 0) :] if at < len(lines) else ""
    return at + 1, rest
