"""Parties and their roles, from the lines of a caption.

Names precede their role, and the two sides surround "v."::

    ACME CORP., a Delaware corporation; and
    JOHN ROE,
              Plaintiffs,
         v.
    WIDGET LLC, et al.,
              Defendants.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.records.documents import Party
from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from casetrack.extract.papers.caption_lines import Cell

_LISTS = WordLists(__file__)

_WORD = _LISTS.joined("word")
_ROLE = rf"{_WORD}(?:(?:\s*[-–—/,&]\s*|\s+and\s+|\s+)(?:and\s+)?{_WORD})*"
_ROLE_LINE = re.compile(
    rf"(?:[,(]\s*)?(?:as\s+)?(?P<role>{_ROLE})\)?(?:,?\s+\(?(?:pro se|in pro per)\)?)?"
    r"(?:/cross)?[\s,.;:]*$",
    re.IGNORECASE,
)
_ROLE_END = re.compile(rf"(?P<name>.*?\S)[,\s]\s*\(?(?P<role>{_ROLE})\)?[\s.,;:]*$", re.IGNORECASE)
_ROLE_FIRST = re.compile(rf"(?P<role>{_ROLE}):\s+(?P<name>\S.*)$", re.IGNORECASE)
_AGAINST = _LISTS.pattern("against", re.IGNORECASE)
_AGAINST_THEN = re.compile(
    r"(?:vs?\.|V\.|VS\.|versus|[-–—]\s?against\s?[-–—])\s+(?=\S)(?!\d\d-\d+$)"
)
_OPEN_VERSUS = re.compile(r"\w\sv\.$")
_COUNTY = re.compile(
    r"(?:(?:in\sand\s)?for\s(?:the\s)?(?:county\sof\s)?[a-z][\w ]{2,40}(?:\([^()]{1,20}\))?"
    r"|county\sof\s[\w ]{2,40})",
    re.IGNORECASE,
)
"""The second line of a court's name, without a comma."""
_SHORT = _LISTS.pattern("short")
_LEAD = re.compile(
    r"(?:Title|Case Name|Re|RE|Short Title|(?:Case )?Caption|Matter)\s*:?\s+(?=[A-Z])"
    r"(?:(?:Case|Docket|Appeal) Nos?\.?:?\s+[\w:.-]*\d[\w:.-]*[,;]?\s+)?"
)
_IN_RE = _LISTS.pattern("in_re", re.IGNORECASE)
_ADDRESS = _LISTS.pattern("address", re.IGNORECASE)
_DESCRIBED = re.compile(_LISTS.text("described"), re.VERBOSE | re.IGNORECASE | re.DOTALL)
_SUFFIX = _LISTS.pattern("suffix", re.IGNORECASE)
_TITLE_OF_OFFICE = _LISTS.pattern("title_of_office", re.IGNORECASE)
_OFFICE = _LISTS.pattern("office", re.IGNORECASE)
_LAST_OF_TWO = re.compile(r"([^,]*\w+\s+[^,]+),\s+and\s+[A-Z][\w.’'-]+\s+(?:[A-Z].*)", re.DOTALL)
"""Two parties between semicolons: "UNIVERSITY OF HAWAI'I, and Thomas M. Apple"."""
_LEADING = re.compile(
    r"[\s,]*(?i:(?:and|und|\(?\d{1,2}[.)])\s+)?(?:an?\s[a-z][^,;]{3,60},\s+(?:and\s+)?)?"
)
"""The beginning of a party in a list, and the description of the one before it."""
_NOTE_MARK = re.compile(r"(?:\s?\[?[*†‡§]+\]?|(?<=[.,])\d)$")
_SIDE = 16
"""Maximum lines of one side."""
_BETWEEN = 3
"""Maximum lines of the right column between "v." and the next name."""
_LOOKED_AT, _SHORT_AT = 70, 14


@dataclass(frozen=True, slots=True)
class Caption:
    """The part of a page between court and title."""

    parties: tuple[Party, ...]  # in order
    case_name: str | None
    # first, last: its cells, half-open.
    first: int
    last: int


def read_parties(
    cells: Sequence[Cell], page: int, begin: int, stops: Callable[[str], bool], /
) -> Caption | None:
    """Return the parties of a caption, or ``None`` for other lines.

    Parameters
    ----------
    cells
        Left and whole parts of the lines of a page.
    begin
        The first cell after the court, or 0.
    stops
        Returns whether a line is something else: the case number, a date, a title.
    """
    about = _in_re(cells, page, begin, stops)
    for at in range(min(len(cells), _LOOKED_AT)):
        text = cells[at].text
        then = _AGAINST_THEN.match(text)
        is_and = text.strip().casefold() == "and"
        if is_and and not (at and _ROLE_LINE.match(cells[at - 1].text)):
            continue
        if at and (then or _AGAINST.match(text)):
            low = begin if begin <= at else 0
            up = list(_upwards(cells, at, low, stops))
            down, last = _downwards(cells, at, then.end() if then else None, stops)
            one, two = _side(up, page), _side(down, page)
            if one and two:
                first = up[0][0]
                parties = (*(about.parties if about and about.first < first else ()), *one, *two)
                name = f"{_short_name(one[0].name)} v. {_short_name(two[0].name)}"
                start = min(first, about.first) if about else first
                return Caption(_unique(parties), name, start, last)
    return about or _on_one_line(cells, page, begin, stops)


def _upwards(
    cells: Sequence[Cell], at: int, low: int, stops: Callable[[str], bool]
) -> Iterator[tuple[int, str, int]]:
    lines: list[tuple[int, str, int]] = []
    for i in range(at - 1, max(low, at - _SIDE) - 1, -1):
        text = cells[i].text
        if (
            stops(text)
            and at - i <= _BETWEEN
            and all(_ROLE_LINE.match(line) for _, line, _ in lines)
        ):
            continue  # the number of the case between the name and its role
        if stops(text) or _ADDRESS.search(text) or _AGAINST.match(text) or _IN_RE.match(text):
            break
        if lines and _COUNTY.fullmatch(text) and not _ROLE_LINE.match(lines[-1][1]):
            break
        lines.append((i, text, cells[i].start))
    return reversed(lines)


def _downwards(
    cells: Sequence[Cell], at: int, rest: int | None, stops: Callable[[str], bool]
) -> tuple[list[tuple[int, str, int]], int]:
    lines = []
    if rest is not None and not stops(cells[at].text[rest:]):
        lines.append((at, cells[at].text[rest:], cells[at].start + rest))
    last = at + 1
    for i in range(at + 1, min(len(cells), at + _SIDE)):
        text = cells[i].text
        role = _ROLE_LINE.match(text)
        if lines and cells[i].ruled:
            break
        if not role and (stops(text) or _ADDRESS.search(text) or _is_prose(text)):
            if lines or i - at > _BETWEEN:
                break
            continue
        lines.append((i, text, cells[i].start))
        last = i + 1
        if role or (_ROLE_END.match(text) and text.rstrip().endswith(".")):
            more = [c.text for c in cells[i + 1 : i + 5]]
            named = (t for t in more if not _is_prose(t))
            if not any(_ROLE_LINE.match(t) or _ROLE_END.match(t) for t in named) or (
                more and (stops(more[0]) or _is_prose(more[0]))
            ):
                break
    return lines, last


def _is_prose(text: str) -> bool:
    words = text.split()
    small = sum(w[:1].islower() for w in words)
    is_name = (" ".join(words[:2]).isupper() and words[0] != "THIS") or "DOES" in words
    return len(words) >= 7 and small >= 0.5 * len(words) and not is_name


def _side(lines: Sequence[tuple[int, str, int]], page: int) -> list[Party]:
    parties, held = list[Party](), list[tuple[str, int]]()
    for _, line, start in lines:
        text = _NOTE_MARK.sub("", line)
        if _AGAINST.match(text):
            continue
        role = _ROLE_LINE.match(text)
        if role:
            parties += _named(held, _role(role["role"]), page)
            held = []
            continue
        led = _ROLE_FIRST.match(text)
        if led:
            parties += _named([(led["name"], start + led.start("name"))], _role(led["role"]), page)
            continue
        inline = _ROLE_END.match(text)
        if inline and not inline["name"].casefold().endswith((" the", " a", " of", "against")):
            held.append((inline["name"], start))
            parties += _named(held, _role(inline["role"]), page)
            held = []
            continue
        held.append((text, start))
    return parties + _named(held, None, page)


def _named(held: Sequence[tuple[str, int]], role: str | None, page: int) -> list[Party]:
    joined, starts = "", list[tuple[int, int]]()
    for text, start in held:
        joined += " " if joined else ""
        starts.append((len(joined), start))
        joined += text
    named = []
    for begin, end in _split(joined):
        name = joined[begin:end]
        cut = _DESCRIBED.search(name)
        short = name[: cut.start()] if cut and cut.start() > 2 else name
        short = short.strip(" ,;:-–—")
        short = re.sub(r",\d{1,2}$", "", short)
        short = short if _SUFFIX.search(short) else short.rstrip(" .")
        if not _is_name(short):
            continue
        at = begin + name.find(short[:1])
        offset, start = next(p for p in reversed(starts) if p[0] <= at)
        line = next(t for t, s in held if s == start)
        stop = min(at - offset + len(short), len(line))
        named.append(Party(" ".join(short.split()), role, page, start + at - offset, start + stop))
    return named


def _split(joined: str) -> list[tuple[int, int]]:
    """Split a list of names at semicolons, or else at commas that are no part of a name."""
    if ";" in joined:
        spans = []
        for piece in re.finditer(r"[^;]+", joined):
            last = _LAST_OF_TWO.fullmatch(piece[0])
            cut = piece.start() + last.end(1) if last else piece.end()
            spans += [(piece.start(), cut)] + ([(cut, piece.end())] if last else [])
    else:
        spans, begin = [], 0
        for comma in re.finditer(
            r",\s+(?:and\s+)?(?:\(?\d{1,2}[.)]\s+)?|\s+(?:and|AND)\s+(?=[A-Z][\w.]+\s+[A-Z\d])",
            joined,
        ):
            rest = joined[comma.end() :]
            word = re.match(r"[\w.’'&-]+", rest)
            is_name = (
                word is not None
                and word.group()[:1].isupper()
                and not _SUFFIX.fullmatch(word.group())
            )
            head = joined[begin : comma.start()]
            if "," not in comma.group() and _OFFICE.search(head):
                continue  # "Department of Health and Human Services"
            if (
                is_name
                and len(head.split()) > 1
                and not rest.casefold().startswith(("individually", "as ", "a ", "an ", "et al"))
            ):
                spans.append((begin, comma.start()))
                begin = comma.end()
        spans.append((begin, len(joined)))
    trimmed = []
    for a, b in spans:
        lead = _LEADING.match(joined, a, b)
        start = lead.end() if lead else a
        after = joined[:start].rstrip().removesuffix("and").rstrip()
        is_listed = after.endswith(",") or re.search(r"\bas \w+$", after)
        office = _TITLE_OF_OFFICE.match(joined, start, b) if is_listed else None
        trimmed.append((office.end() if office else start, b))
    return [(a, b) for a, b in trimmed if a < b]


def _is_name(text: str) -> bool:
    letters = sum(c.isalpha() for c in text)
    return (
        letters >= 2
        and len(text) <= 160
        and not text.casefold().startswith(("page ", "filed", "et al", "et. al"))
    )


def _role(text: str) -> str:
    words = re.sub(r"\s?\(\s?s\s?\)", "", " ".join(text.casefold().split()))
    words = re.sub(r"\s*([-–—/])\s*", lambda m: "/" if m[1] == "/" else "-", words)
    words = re.sub(r"parties\b", "party", words).replace("amici", "amicus")
    return re.sub(r"(?<=[a-z])s\b(?<!ss)(?<!us)", "", words)


def _in_re(
    cells: Sequence[Cell], page: int, begin: int, stops: Callable[[str], bool]
) -> Caption | None:
    for at in range(begin if begin < len(cells) else 0, min(len(cells), _LOOKED_AT)):
        match = _IN_RE.match(cells[at].text)
        if not match or _is_prose(cells[at].text):
            continue
        lines = [(at, cells[at].text[match.end() :], cells[at].start + match.end())]
        lines = [] if not lines[0][1].strip() else lines
        last = at + 1
        for i in range(at + 1, min(len(cells), at + 10)):
            text = cells[i].text
            if stops(text) or _AGAINST.match(text) or _ADDRESS.search(text) or _is_prose(text):
                break
            lines.append((i, text, cells[i].start))
            last = i + 1
            if _ROLE_LINE.match(text) or _ROLE_END.match(text):
                break
        parties = _side(lines, page)
        if parties:
            prefix = "In re" if "estate" not in match.group().casefold() else "In re Estate of"
            return Caption(
                _unique(tuple(parties)), f"{prefix} {_short_name(parties[0].name)}", at, last
            )
    return None


def _on_one_line(
    cells: Sequence[Cell], page: int, begin: int, stops: Callable[[str], bool]
) -> Caption | None:
    for at in range(begin if begin < len(cells) else 0, min(len(cells), _LOOKED_AT)):
        text = cells[at].text
        if _OPEN_VERSUS.search(text) and at + 1 < len(cells):
            text = f"{text} {cells[at + 1].text}"
        before = cells[at - 1] if at > begin else None
        is_continued = " v. " in text and re.sub(" v. ", " ", text).isupper()
        if before and is_continued and before.text.isupper() and not stops(before.text):
            text, at = f"{before.text} {text}", at - 1  # noqa: PLW2901
        lead = _LEAD.match(text)
        shift = lead.end() if lead else 0
        match = _SHORT.match(text, shift)
        is_named = lead or (at < _SHORT_AT and match and match["versus"].endswith("."))
        is_cut = text.count("(") != text.count(")") or len(text) > 150
        if not match or not is_named or is_cut or stops(text[:12]) or _is_prose(text):
            continue
        start = cells[at].start
        sides = [[(at, match[g], start + match.start(g))] for g in ("one", "two")]
        one, two = (_side(s, page) for s in sides)
        if one and two:
            name = f"{_short_name(one[0].name)} v. {_short_name(two[0].name)}"
            return Caption(_unique((*one, *two)), name, at, at + 1)
    return None


_AS_THEY_ARE = frozenset(
    ("LLC", "LLP", "LP", "PLC", "PLLC", "USA", "II", "III", "IV", "NA", "SA", "AG", "PC", "U.S.")
)
_KNOWN = frozenset(_LISTS.words("known"))
_SMALL_WORDS = frozenset(("OF", "AND", "FOR", "IN", "ON", "TO", "BY", "DE", "LA", "EX", "REL"))


def _short_name(name: str) -> str:
    """Return a name on one line, in mixed case if that is certain.

    Short words in capitals may be abbreviations, and names with Mc have an inner capital; such
    names stay as printed.
    """
    plain = " ".join(name.split())
    if not plain.isupper():
        return plain
    words = []
    for place, word in enumerate(plain.split()):
        bare = word.strip(".,()").upper()
        if bare in _AS_THEY_ARE or word == "&" or re.fullmatch(r"(?:[A-Z]\.)+,?", word):
            words.append(word)
        elif bare in _SMALL_WORDS and place:
            words.append(word.lower())
        elif bare in _KNOWN | _SMALL_WORDS or (
            len(bare) >= 4
            and re.fullmatch(r"[A-Z]+(?:['’]S)?", bare)
            and re.search(r"[AEIOUY]", bare)
            and not bare.startswith(("MC", "MAC"))
        ):
            words.append(word[:1] + word[1:].lower())
        else:
            return plain
    return " ".join(words)


def _unique(parties: Sequence[Party]) -> tuple[Party, ...]:
    seen: dict[tuple[str, str | None], Party] = {}
    for party in parties:
        seen.setdefault((party.name.casefold(), party.role), party)
    return tuple(seen.values())
