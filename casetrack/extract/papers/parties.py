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
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.records.documents import Party
from casetrack.base.words import WordLists
from casetrack.base.words.lists import POSTAL
from casetrack.extract.papers.caption_marks import is_no_party

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.extract.papers.caption_lines import Cell

_LISTS = WordLists(__file__)

_WORD = _LISTS.joined("word")
_ROLE = rf"{_WORD}(?:(?:\s*[-–—/,&]\s*|\s+and\s+|\s+\(?)(?:and\s+)?{_WORD})*"
ROLE_LINE = re.compile(
    rf"(?:[,(]\s*)?(?:as\s+)?(?P<role>{_ROLE})\)?(?:,?\s+\(?(?:pro se|in pro per)\)?)?"
    r"(?:/cross)?[\s,.;:]*$",
    re.IGNORECASE,
)
_ROLE_END = re.compile(rf"(?P<name>.*?\S)[,\s]\s*\(?(?P<role>{_ROLE})\)?[\s.,;:]*$", re.IGNORECASE)
_ROLE_FIRST = re.compile(rf"(?P<role>{_ROLE})(?: name)?:\s+(?P<name>\S.*)$", re.IGNORECASE)
_AGAINST = _LISTS.pattern("against", re.IGNORECASE)
_AGAINST_THEN = re.compile(
    r"(?:vs?\.|V\.|VS\.|versus|[-–—]\s?against\s?[-–—])\s+(?=\S)(?!\d\d-\d+$)"
)
_OPEN_VERSUS = re.compile(r"[\w.]\sv\.$")
_COUNTY = _LISTS.pattern("county", re.IGNORECASE)
"""The second line of a court's name, without a comma."""
_SHORT = _LISTS.pattern("short")
_GOES_ON = _LISTS.pattern("goes_on", re.IGNORECASE)
_INITIALS = re.compile(r"(?:[A-Z]\.){2,4}")
_GUARDIAN = re.compile(r"\b(?:guardians?|parents?|friend|behalf) of\b[^;]*$", re.IGNORECASE)
_LEAD = _LISTS.pattern("lead")
_IN_RE = _LISTS.pattern("in_re", re.IGNORECASE)
_ADDRESS = _LISTS.pattern("address", re.IGNORECASE)
_COUNSEL = _LISTS.pattern("counsel", re.IGNORECASE)
_AND = re.compile(r"\band\b", re.IGNORECASE)
_SUBJECT = re.compile(r"and in the matter\b|an? \w+ claim\b|.{0,60}\bact \d{4}$", re.IGNORECASE)
"""The subject of a proceeding, which is no party: "In the matter of the Insolvency Act 1986"."""
_ABOUT_END = re.compile(r"\blitigation[.,]?$", re.IGNORECASE)
"""The end of the name of a case without sides."""
_LEFT = re.compile("plaintiff|petitioner|claimant|complainant", re.IGNORECASE)
"""A role of the first side."""
_DESCRIBED = re.compile(_LISTS.text("described"), re.VERBOSE | re.IGNORECASE | re.DOTALL)
_SUFFIX = _LISTS.pattern("suffix", re.IGNORECASE)
_TITLE_OF_OFFICE = _LISTS.pattern("title_of_office", re.IGNORECASE)
_OFFICE = _LISTS.pattern("office", re.IGNORECASE)
_LAST_OF_TWO = re.compile(r"([^,]*\w+\s+[^,]+),\s+and\s+[A-Z][\w.’'-]+\s+(?:[A-Z].*)", re.DOTALL)
"""Two parties between semicolons: "UNIVERSITY OF HAWAI'I, and Thomas M. Apple"."""
_AFTER_NAME = re.compile(rf",\s+(?!and\s)(?!{_LISTS.joined('suffix')[:-1]}(?!\w))", re.IGNORECASE)
"""The title of a party between semicolons: "Ada Roe, Principal, North School; ..."."""
_LEADING = _LISTS.pattern("leading")
"""The beginning of a party in a list, and the description of the one before it."""
_NOTE_MARK = re.compile(r"(?:\s?\[?[*†‡§]+\]?|(?<=[.,])\d)$")
_UNCLOSED = re.compile(r"\s?\([^)]*$")
_NO_NAME = _LISTS.pattern("no_name", re.IGNORECASE)
"""The number of a case, an address, words in parentheses; not the name of a party."""
_BEFORE_NAME = re.compile(r".*\s[—–]\s")
_AFTER_NAMES = re.compile(r",?\s+et\.?\s+al\b|\s[—–-]\s|,\s+\w+(?:-\w+)+-\d{2}\b")
"""The other words of a subject line: "Service of the order — Roe v. Doe, et al. - Motion"."""
_SIDE = 60
"""Maximum lines of one side."""
_BETWEEN = 3
"""Maximum lines of the right column between "v." and the next name."""
_LOOKED_AT, _SHORT_AT = 70, 14


@dataclass(frozen=True, slots=True)
class Caption:
    """The part of a page between court and title."""

    parties: tuple[Party, ...]  # in order
    case_name: str
    # first, last: its lines.
    first: int
    last: int


def read_parties(cells: Sequence[Cell], begin: int, /) -> Caption | None:
    """Return the parties of a caption, or ``None`` for other lines.

    *cells* are the left and whole parts of lines; *begin* is the first one after the court, or 0.
    """
    about, cases = _in_re(cells, begin), list(_against(cells, begin))
    if not cases:
        return about or _labelled(cells) or _on_one_line(cells, begin)
    name = cases[0].case_name
    if about and about.last < cases[0].first:
        cases.insert(0, about)
    parties = [party for case in cases for party in case.parties]
    return Caption(_unique(parties), name, cases[0].first, cases[-1].last)


def _against(cells: Sequence[Cell], begin: int) -> Iterator[Caption]:
    """Yield the two sides of each case, around "v."; roles are necessary after the first case."""
    low, is_first = begin, True
    for at in range(1, min(len(cells), _LOOKED_AT)):
        text = cells[at].text
        then = _AGAINST_THEN.match(text)
        if not (then or _AGAINST.match(text)) or (at < low and not is_first):
            continue
        if _AND.search(text) and not _is_between(cells, at):
            continue
        up = _upwards(cells, at, low if low <= at else 0)
        down, last = _downwards(cells, at, then.end() if then else None)
        one, two = _side(up), _side(down)
        if one and two and (is_first or (one[0].role and two[0].role)):
            yield _versus(one, two, up[0].line, cells[last - 1].line)
            low, is_first = last, False


def _is_between(cells: Sequence[Cell], at: int) -> bool:
    """Whether an "and" is between the two sides: after a role, and without a "v." below."""
    above, below = cells[at - 1].text, (c.text for c in cells[at + 1 : at + _SIDE])
    has_role = ROLE_LINE.match(above) or _ROLE_END.match(above)
    return bool(has_role) and not any(map(_is_versus, below))


def _is_versus(text: str) -> bool:
    return _AGAINST.match(text) is not None and not _AND.search(text)


def _versus(one: list[Party], two: list[Party], first: int, last: int) -> Caption:
    name = f"{_short_name(one[0].name)} v. {_short_name(two[0].name)}"
    return Caption(_unique((*one, *two)), name, first, last)


def _upwards(cells: Sequence[Cell], at: int, low: int) -> list[Cell]:
    lines: list[Cell] = []
    for i in range(at - 1, max(low, at - _SIDE) - 1, -1):
        text = cells[i].text
        is_stop = is_no_party(text)
        if is_stop and at - i <= _BETWEEN and all(ROLE_LINE.match(c.text) for c in lines):
            continue  # the number of the case between the name and its role
        about = _IN_RE.match(text)
        if about and about.group().casefold().startswith("estate") and "," in text:
            about = None
        if _COUNSEL.search(text) and text.endswith(" and"):
            lines = lines[:-1]  # the line below is about the client
        if is_stop or _COUNSEL.search(text) or _is_versus(text) or about:
            break
        if lines and cells[i].line < lines[-1].line == cells[at].line:
            break  # all of the caption is in one row of a table
        if lines and _COUNTY.fullmatch(text) and not ROLE_LINE.match(lines[-1].text):
            break
        if lines and _ABOUT_END.search(text):
            break
        if not _ADDRESS.search(text):
            lines.append(cells[i])
            if cells[i].ruled:
                break
        elif not low:
            break
        else:
            lines.append(replace(cells[i], text=";"))
    return lines[::-1]


def _downwards(cells: Sequence[Cell], at: int, rest: int | None) -> tuple[list[Cell], int]:
    lines: list[Cell] = []
    if rest is not None and not is_no_party(cells[at].text[rest:]):
        lines.append(replace(cells[at], text=cells[at].text[rest:], start=cells[at].start + rest))
    last = at + 1
    for i in range(at + 1, min(len(cells), at + _SIDE)):
        text, following = cells[i].text, [c.text for c in cells[i + 1 : i + 9]]
        role = ROLE_LINE.match(text)
        if lines and cells[i].ruled and not any(map(ROLE_LINE.match, following[:2])):
            break
        if not role and (is_no_party(text) or _COUNSEL.search(text) or _is_prose(text)):
            if lines or i - at > _BETWEEN:
                break
            continue
        is_address = _ADDRESS.search(text)
        lines.append(replace(cells[i], text=";") if is_address else cells[i])
        last = i + 1
        if (role and len(lines) > 1) or (_ROLE_END.match(text) and text.rstrip().endswith(".")):
            more = following[: 8 if text.endswith(",") else 4]
            named = (t for t in more if not _is_prose(t))
            is_last = not any(ROLE_LINE.match(t) or _inline_role(t) for t in named)
            ahead = next(filter(None, map(ROLE_LINE.match, following)), None)
            is_other = ahead is not None and _LEFT.search(ahead["role"]) is not None
            if is_last or is_other or (more and (is_no_party(more[0]) or _is_prose(more[0]))):
                break
    return lines, last


def _inline_role(text: str) -> re.Match[str] | None:
    """Return name and role of a line with both."""
    inline = _ROLE_END.match(text)
    is_cut = inline and inline["name"].casefold().endswith((" the", " a", " of", "against"))
    return None if is_cut else inline


def _is_prose(text: str) -> bool:
    words = text.split()
    small = sum(w[:1].islower() for w in words)
    is_name = (" ".join(words[:2]).isupper() and words[0] != "THIS") or "DOES" in words
    is_name = is_name or bool(words and _SUFFIX.fullmatch(words[0].rstrip(",")))
    is_name = is_name or text.endswith("; and")
    return len(words) >= 7 and small >= 0.5 * len(words) and not is_name


def _side(lines: Sequence[Cell]) -> list[Party]:
    parties: list[Party] = []
    held: list[Cell] = []
    leading = None
    for cell in lines:
        text = _NOTE_MARK.sub("", cell.text)
        if _AGAINST.match(text) or (len(text) < 4 and text.islower()):
            continue
        role, led = ROLE_LINE.match(text), _ROLE_FIRST.match(text)
        inline = None if role or led else _inline_role(text)
        if inline:
            held.append(replace(cell, text=inline["name"]))
            role = inline
        if role and not held and text.rstrip().endswith(":"):
            leading = _role(role["role"])
        elif role or (led and held):
            # "ADA ROE / DEFENDANT: Violent offender": words after the role describe the name.
            parties += _named(held, _role((role or led)["role"]))  # type: ignore[index]
            held = []
        elif led:
            name = replace(cell, text=led["name"], start=cell.start + led.start("name"))
            parties += _named([name], _role(led["role"]))
        else:
            held.append(replace(cell, text=text))
    # Lines after the last role are no names, if roles follow the names.
    return parties if parties and leading is None else parties + _named(held, leading)


def _named(held: Sequence[Cell], role: str | None) -> list[Party]:
    joined = ""
    starts: list[tuple[int, Cell]] = []
    for cell in held:
        joined += " " if joined else ""
        starts.append((len(joined), cell))
        joined += cell.text
    named = []
    for begin, end in _split(joined):
        name = joined[begin:end]
        cut = _DESCRIBED.search(name)
        short = name[: cut.start()] if cut and cut.start() > 2 else name
        short = short.strip(" ,;:-–—")
        short = _UNCLOSED.sub("", re.sub(r",\s?\d{1,2}$", "", short))
        short = short if _SUFFIX.search(short) else short.rstrip(" .")
        is_minor = _INITIALS.fullmatch(f"{short}.") and _GUARDIAN.search(joined[:begin])
        if not _is_name(short) or is_minor:
            continue
        at = begin + name.find(short[:1])
        offset, cell = next(p for p in reversed(starts) if p[0] <= at)
        start = cell.start + at - offset
        stop = min(start + len(short), cell.start + len(cell.text))
        named.append(Party(" ".join(short.split()), role, cell.page, start, stop))
    return named


def _split(joined: str) -> list[tuple[int, int]]:
    """Split a list of names at semicolons, or else at commas that are no part of a name."""
    if ";" in joined:
        spans = []
        for piece in re.finditer(r"[^;]+", joined):
            last = _LAST_OF_TWO.fullmatch(piece[0])
            title = None if last else _AFTER_NAME.search(piece[0])
            cut = piece.start() + last.end(1) if last else piece.end()
            if title and title.start() > 3:
                spans.append((piece.start(), piece.start() + title.start()))
                continue
            spans += [(piece.start(), cut)] + ([(cut, piece.end())] if last else [])
    else:
        spans, begin = [], 0
        for comma in re.finditer(
            r",\s+(?:[‘’'\"“]\s?)?(?:and\s+)?(?:\(?\d{1,2}[.)]\s+)?(?:\[[^\]]{1,40}\]\s+)?"
            r"|\s+(?:and|AND)\s+(?=[A-Z][\w.]+\s+[A-Z\d])|\s+\(\d{1,2}\)\s*",
            joined,
        ):
            rest = joined[comma.end() :]
            word = re.match(r"[\w.’'&-]*", rest)
            first = word.group() if word else ""
            head = joined[begin : comma.start()]
            office = _TITLE_OF_OFFICE.match(rest)
            if "," not in comma.group() and _OFFICE.search(head):
                continue  # "Department of Health and Human Services"
            if (
                first[:1].isupper()
                and not _SUFFIX.fullmatch(first)
                and (len(head.split()) > 1 or _INITIALS.fullmatch(head.strip()) or office)
                and not _GOES_ON.match(rest)
                and first.casefold() not in POSTAL
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
    is_other = _SUBJECT.match(text) or _NO_NAME.match(text) or text.endswith((" for", " of"))
    words = re.findall(r"(?<![\w.’'-])[a-z]{4,}", text)
    return letters >= 2 and len(text) <= 160 and len(words) < 4 and not is_other


def _role(text: str) -> str:
    words = re.sub(r"\s?\(\s?s\s?\)", "", " ".join(text.casefold().split()))
    words = re.sub(r"\s*([-–—/])\s*", lambda m: "/" if m[1] == "/" else "-", words)
    words = re.sub(r"parties\b", "party", words).replace("amici", "amicus")
    return re.sub(r"(?<=[a-z])s\b(?<!ss)(?<!us)", "", words)


def _in_re(cells: Sequence[Cell], begin: int) -> Caption | None:
    for at in range(begin if begin < len(cells) else 0, min(len(cells), _LOOKED_AT)):
        match = _IN_RE.match(cells[at].text)
        if not match or _is_prose(cells[at].text):
            continue
        rest, start = cells[at].text[match.end() :], cells[at].start + match.end()
        lines = [replace(cells[at], text=rest, start=start)] if rest.strip() else []
        last = at
        for cell in cells[at + 1 : at + 10]:
            text = cell.text
            is_stop = is_no_party(text) or _COUNSEL.search(text) or _ADDRESS.search(text)
            if is_stop or _AGAINST.match(text) or _is_prose(text) or _SUBJECT.match(text):
                break
            lines.append(cell)
            last += 1
            if any(each.search(text) for each in (ROLE_LINE, _ROLE_END, _ABOUT_END)):
                break
        parties = _side(lines)
        if parties:
            prefix = "In re" if "estate" not in match.group().casefold() else "In re Estate of"
            name = f"{prefix} {_short_name(parties[0].name)}"
            return Caption(_unique(parties), name, cells[at].line, cells[last].line)
    return None


def _labelled(cells: Sequence[Cell]) -> Caption | None:
    """Return the parties of a form: "Complainant: Ada Roe", "Respondent: Acme Corp."."""
    led = [c for c in cells[:_LOOKED_AT] if _ROLE_FIRST.match(c.text)][:2]
    parties = _side(led)
    if [bool(_LEFT.search(p.role or "")) for p in parties] != [True, False]:
        return None
    return _versus(parties[:1], parties[1:], led[0].line, led[1].line)


def _on_one_line(cells: Sequence[Cell], begin: int) -> Caption | None:
    for at in range(begin if begin < len(cells) else 0, min(len(cells), _LOOKED_AT)):
        text = cells[at].text
        if _OPEN_VERSUS.search(text):
            following = (c.text for c in cells[at + 1 : at + 3] if not is_no_party(c.text))
            text = f"{text} {next(following, '')}"
        before = cells[at - 1] if at > begin else None
        is_continued = " v. " in text and re.sub(" v. ", " ", text).isupper()
        if before and is_continued and before.text.isupper() and not is_no_party(before.text):
            text, at = f"{before.text} {text}", at - 1  # noqa: PLW2901
        lead = _LEAD.match(text)
        match = _SHORT.match(text, lead.end() if lead else 0)
        is_near = at < _SHORT_AT and match and match["versus"].endswith(".")
        is_named = lead or is_near or (match and _ROLE_END.match(match["one"]))
        is_cut = text.count("(") != text.count(")") or len(text) > 150
        is_cut = is_cut or (lead is None and _is_prose(text))
        if not match or not is_named or is_cut or is_no_party(text[:12]):
            continue
        cell = cells[at]
        subject = _BEFORE_NAME.match(text, *match.span("one"))
        after = _AFTER_NAMES.search(text, *match.span("two"))
        spans = (
            (subject.end() if subject else match.start("one"), match.end("one")),
            (match.start("two"), after.start() if after else match.end("two")),
        )
        one, two = (_side([replace(cell, text=text[a:b], start=cell.start + a)]) for a, b in spans)
        if one and two:
            return _versus(one, two, cell.line, cell.line)
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


def _unique(parties: Iterable[Party]) -> tuple[Party, ...]:
    seen: dict[tuple[str, str | None], Party] = {}
    for party in parties:
        seen.setdefault((party.name.casefold(), party.role), party)
    return tuple(seen.values())
