"""Names of cases before their citation.

A name is read backwards from the reporter, and only a name may precede it. Words are taken as long
as they can be part of a name; abbreviations of case names (The Bluebook, table T6, 21st edition) do
not end a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from casetrack.base.words import WordLists
from casetrack.extract.references import name_words

_LISTS = WordLists(__file__)

_LONGEST = 320
_STARTERS = frozenset(_LISTS.words("starters"))
_VERSUS = re.compile(r"(?<=[\w.,)'’!\"”&\]])\s(?:v|vs|V|VS)\.?\s(?=['‘’`\"“(\[$]?[\w\[])")
_COMPARED = frozenset(_LISTS.words("compared"))
_MOST_WORDS = 14
"""Maximum words of one side of a name without a reporter."""
_JOINING = frozenset(_LISTS.words("joining"))
_SIGNALS_AFTER = frozenset(_LISTS.words("signals_after"))
_ROLE = _LISTS.pattern("role")
_ROLE_AFTER = _LISTS.pattern("role_after")
_TITLE = _LISTS.pattern("title")
_PLAIN_TITLE = _LISTS.pattern("plain_title")
_TAIL = _LISTS.pattern("tail")


@dataclass(frozen=True, slots=True)
class CaseName:
    """The name of a case in a text, with its two sides, or the one of "In re ..."."""

    start: int
    end: int
    text: str
    parties: tuple[str, ...]


def name_before(text: str, core: int, /, *, floor: int = 0) -> CaseName | None:
    """Return the name of the case before *core*, the start of volume and reporter, or ``None``.

    A line break counts as a space; *floor* is the end of the preceding citation.
    """
    left = _left(text, core, floor)
    window = text[left:core]
    tail = _TAIL.search(window)
    end = tail.start() if tail else len(window)
    region = window[:end].rstrip(" ,\n")
    if tail and not tail[0].strip() and not window[end:].strip():
        end = len(region)
    last = None
    for versus in _VERSUS.finditer(region):
        last = versus
    if last is not None and _is_name(region[last.end() :]):
        start = name_words.first_side(region, last.start())
        if start is not None:
            return _named(region, left, start, (last.start(), last.end()))
    if last is None:
        return _one_sided(region, left)
    return None


def names_alone(text: str, /) -> Iterator[CaseName]:
    """Yield the names of cases with two sides in *text*, in order."""
    floor = 0
    for versus in _VERSUS.finditer(text):
        left = _left(text, versus.start(), floor)
        begin = name_words.first_side(text[left : versus.start()], versus.start() - left)
        end = _second_side(text, versus.end())
        if begin is None or end is None:
            continue
        start = left + begin
        sides = (text[start : versus.start()], text[versus.end() : end])
        if not _are_parties(sides, versus[0].strip()):
            continue
        yield CaseName(
            start,
            end,
            " ".join(text[start:end].split()),
            tuple(" ".join(side.split()).strip(" ,") for side in sides),
        )
        floor = end


def _are_parties(sides: tuple[str, str], versus: str) -> bool:
    """Return whether both sides can be parties, unlike those of "Actual vs. Budget"."""
    if versus[0] == "V" and not all(side.isupper() for side in sides):
        # "Factor V Leiden"
        return False
    for side in sides:
        words = side.split()
        compared = {word.strip("(),.%").lower() for word in words} & _COMPARED
        is_name = not compared and any(word.strip("(),.'’").isalpha() for word in words)
        if len(words) > _MOST_WORDS or "%" in side or (versus[:2].lower() == "vs" and not is_name):
            return False
    return True


def is_caption(text: str, start: int, end: int, /) -> bool:
    """Return whether the name between *start* and *end* heads a paper instead of citing.

    A caption has the roles of its parties or separate lines for them; a running head is a whole
    line.
    """
    inside = text[start:end]
    if _ROLE.search(inside) or _ROLE_AFTER.match(text, end):
        return True
    if re.search(r"\n\s*(?:v|vs|V|VS)\.?\s*\n", inside) or "\n\n" in inside:
        return True
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line = text[line_start : line_end if line_end >= 0 else len(text)]
    alone = (
        line.strip(" .\t*_#-–—0123456789").startswith(inside.strip())
        and len(line.strip()) <= len(inside) + 6
    )
    return (
        alone
        and ("\n" in text)
        and not re.search(r"[,;:]\s*$", text[max(0, line_start - 3) : line_start])
    )


def _second_side(text: str, start: int) -> int | None:
    """Where the side that begins at *start* ends, read on as long as words can be of a name."""
    end: int | None = None
    before = ""
    for match in name_words.WORD.finditer(text, start, min(len(text), start + 200)):
        word = match[0]
        small = word.strip('(),[];:"“”').lower()
        if end is not None and (
            "\n\n" in text[end : match.start()] or _ends_side(before, word, begun=word[0] in '("“[')
        ):
            break
        named = bool(name_words.NAME_WORD.match(word)) and small.rstrip(".,") not in _SIGNALS_AFTER
        if named:
            end = match.end()
        elif small not in _JOINING:
            break
        elif end is None and small not in {"the", "de", "la", "a", "an"}:
            return None
        before = word
    return _without_signs(text, start, end) if end is not None else None


def _ends_side(before: str, word: str, *, begun: bool) -> bool:
    if (
        begun
        or before.endswith((";", ":", "?", ")", "”", '"'))
        or before.lower() in {"al.", "al.,"}
    ):
        return True
    if before.endswith(","):
        return not name_words.FORMS.match(word)
    if before.endswith(".") and (word in _STARTERS or not name_words.is_abbreviation(before, word)):
        return True
    return (
        name_words.NUMBER.match(word) is not None
        and before.rstrip(".").lower() not in name_words.COUNTED
    )


def _without_signs(text: str, start: int, end: int) -> int | None:
    while end > start and text[end - 1] in ".,;:)]\"”’'":
        last = re.split(r"\s", text[start:end])[-1]
        if text[end - 1] == "." and name_words.is_abbreviation(last, ""):
            break
        end -= 1
    return end if re.search(r"[^\W\d_]", text[start:end]) else None


def words_before(text: str, core: int, /, *, floor: int = 0) -> CaseName | None:
    """Return the words before a short form that can be a name: "Daubert" in "In Daubert,"."""
    left = _left(text, core, floor)
    window = text[left:core]
    tail = _TAIL.search(window)
    region = window[: tail.start() if tail else len(window)].rstrip(" ,\n")
    if not region:
        return None
    start = name_words.first_side(region, len(region))
    if start is None:
        return None
    return _named(region, left, start, None)


def _left(text: str, core: int, floor: int) -> int:
    left = max(floor, core - _LONGEST)
    window = text[left:core]
    for stop in ("\n\n", ";", "\u2022"):
        at = window.rfind(stop)
        if at >= 0:
            left += at + len(stop)
            window = text[left:core]
    depth = 0
    for at in range(len(window) - 1, -1, -1):
        sign = window[at]
        if sign == ")":
            depth += 1
        elif sign == "(":
            if depth == 0:
                return left + at + 1
            depth -= 1
    return left


def _named(region: str, left: int, start: int, versus: tuple[int, int] | None) -> CaseName:
    if start and region[start - 1] in '"“‘':
        region = region.rstrip(" ,\"”’'")
    written = region[start:]
    if versus:
        sides: tuple[str, ...] = (region[start : versus[0]], region[versus[1] :])
    else:
        title = _TITLE.match(written)
        sides = (written[title.end() :] if title else written,)
    return CaseName(
        left + start,
        left + len(region),
        " ".join(written.split()),
        tuple(" ".join(side.split()).strip(" ,") for side in sides),
    )


def _one_sided(region: str, left: int) -> CaseName | None:
    title = None
    for title in _TITLE.finditer(region):
        if _is_name(region[title.end() :]):
            break
    else:
        title = None
    if title is not None:
        start = title.start()
        if not region[start : start + 2].lower().startswith(("in", "ex")):
            # "In re Estate of Doe", "In Matter of Doe"
            before = re.search(r"In (?:re |the )?$", region[:start])
            start = before.start() if before and before[0] != "In " else start
        return _named(region, left, start, None)
    plain = _PLAIN_TITLE.search(region)
    if plain and _is_name(plain[0]) and plain[0].count(" ") and "Court" not in plain[0]:
        return _named(region, left, plain.start(), None)
    return None


def _is_name(side: str) -> bool:
    words = side.split()
    if not words or len(words) > 30:
        return False
    for place, word in enumerate(words):
        plain = word.strip(',()[]"“”')
        small = plain.lower()
        if word[-1] in ".?!" and place + 1 < len(words) and words[place + 1] in _STARTERS:
            return False
        if name_words.NAME_WORD.match(word) or small in name_words.SMALL:
            continue
        if small in name_words.SMALL_WITHIN or name_words.is_legal_role(small):
            continue
        return False
    return bool(
        name_words.NAME_WORD.match(words[0])
        or words[0].lower() in {"the", "de", "la", "a", "van", "von"}
    )
