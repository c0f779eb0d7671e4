"""The text of a document with joined lines, without running heads and page numbers.

Text across the end of a line or page is one piece; places map back to the source text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.numerals import roman
from casetrack.extract.papers.text import written_lines
from casetrack.extract.references.court_rules import (
    find_bare_rules,
    find_rules_by_initials,
    rule_set,
)
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.extract.papers.text import WholeText
    from casetrack.extract.references.citations import Citation

    Item = tuple[ReferenceMatch, Citation | None]

_AT_EDGE = 3
_PAGE_NUMBER = re.compile(
    r"\s*(?:[-–—*|\[(]*\s*(?:[Pp]age\s|PAGE\s|[Pp]\.\s?)?\d{1,4}(?:\s*(?:of|/"
    r"|OF)\s*\d{1,4})?\s*[-–—*|\])]*|[ivxl]{1,6})\s*"
)
_STAMP = re.compile(
    r"\s*(?:(?:USCA|Appeal(?:s)?|Appellate)?\s*Case\s?(?:No\.\s?|:\s?|#?\s?)\S*\d.*(?:Doc|Page"
    r"|Filed|Date|ECF|DktEntry)|USCA\S* (?:Case|Appeal)|.*\bPage(?:ID)?\b.*\bPage(?:ID)?\b"
    r"|.*\bDktEntry:|Cite as:|.*\bFiled(?::)? \d\d/\d\d/\d{2,4}\b.*(?:Page|Pg)).*"
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class JoinedText:
    """A joined text with a map to its source text."""

    text: str  # Lines joined by spaces, paragraphs by two line breaks
    starts: tuple[int, ...]  # Start of each piece in this text
    origins: tuple[int, ...]  # Start of each piece in the source text

    def source_offset(self, offset: int, /) -> int:
        """Map an offset of this text to the source text."""
        at = bisect_right(self.starts, offset) - 1
        return self.origins[at] + offset - self.starts[at]

    def source_span(self, start: int, end: int, /) -> tuple[int, int]:
        """Map a span of this text to the source text."""
        return self.source_offset(start), self.source_offset(
            end - 1
        ) + 1 if end > start else self.source_offset(start)

    def offset_of(self, offset: int, /) -> int:
        """Map an offset of the source text to this text; round up to the next mapped character."""
        at = bisect_right(self.origins, offset) - 1
        if at < 0:
            return 0
        end = self.starts[at + 1] if at + 1 < len(self.starts) else len(self.text)
        return min(self.starts[at] + offset - self.origins[at], end)


def joined_text(whole: WholeText, /) -> JoinedText:
    """Return the joined text of *whole*."""
    left_out = _left_out(whole)
    text = whole.text
    out: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    length = 0

    def put(piece: str, origin: int) -> None:
        nonlocal length
        if piece.isspace() and out and out[-1].isspace():
            # In place of a removed header or footer, one space is enough.
            return
        if piece:
            starts.append(length)
            origins.append(origin)
            out.append(piece)
            length += len(piece)

    at = 0
    spans = [*left_out, (len(text), len(text))]
    for begin, end in spans:
        for piece, origin in _pieces(text, at, begin):
            put(piece, origin)
        at = max(at, end)
    if not starts:
        starts, origins = [0], [0]
    return JoinedText("".join(out), tuple(starts), tuple(origins))


def _pieces(text: str, begin: int, end: int) -> list[tuple[str, int]]:
    pieces = []
    at = begin
    for gap in _SPACE.finditer(text, begin, end):
        written = gap[0]
        if written == " ":
            continue
        breaks = written.count("\n")
        sign = text[gap.start() - 1] if gap.start() > begin else ""
        after = text[gap.end()] if gap.end() < len(text) else ""
        if breaks and sign in "-‐\u00ad–" and gap.start() - 2 >= begin and after:
            before = text[gap.start() - 2]
            if before.islower() and after.islower() and sign != "–":
                pieces.append((text[at : gap.start() - 1], at))
                at = gap.end()
                continue
            if before.isalnum() and (after.isalnum() or after == "("):
                pieces.append((text[at : gap.start()], at))
                at = gap.end()
                continue
        pieces.append((text[at : gap.start()], at))
        paragraph = breaks > 1 and not _goes_on(text, gap.start(), gap.end())
        pieces.append(("\n\n" if paragraph else " ", gap.start()))
        at = gap.end()
    pieces.append((text[at:end], at))
    return pieces


_ENDS_OPEN = re.compile(
    r"(?:\b(?:v|vs|U\.\s?S|F|So|No|Nos|Supp|Ct|Ed|Civ|P|R|Cal|App|Dkt|Tr|[Ss]ee|also|cf|Cf|at|the"
    r"|of|and|in|¶|§)\.?|[,(§¶–-]|\dd|\d\s[A-Z]\.)$"
)


def _goes_on(text: str, before: int, after: int) -> bool:
    """Return whether a sentence continues across an apparent end of a paragraph."""
    following = text[after : after + 1]
    if following.islower() and text[before - 1 : before] not in ".?!:;":
        return True
    return bool(_ENDS_OPEN.search(text, max(0, before - 12), before)) and (
        following.isalnum() or following in '(§*“"'
    )


def _left_out(whole: WholeText) -> list[tuple[int, int]]:
    """Return the places of running heads, feet, stamps and page numbers, in order."""
    edges: list[tuple[int, int, str, bool]] = []
    for page, begin in zip(whole.pages, whole.starts, strict=True):
        edges += _edges(page.text, begin)
    seen = Counter(_pattern(line) for _, _, line, _ in edges)
    pages = len(whole.pages)
    often = max(3, pages // 4) if pages > 3 else 99
    spans = []
    for start, end, line, outermost in edges:
        repeated = seen[_pattern(line)] >= often and len(line.strip()) > 3
        numbered = outermost and pages > 1 and _PAGE_NUMBER.fullmatch(line)
        if repeated or numbered or (_STAMP.fullmatch(line) and len(line) < 160):
            spans.append((start, end))
    return sorted(set(spans))


def _edges(text: str, begin: int) -> list[tuple[int, int, str, bool]]:
    lines = list(written_lines(text))
    chosen = {*range(min(_AT_EDGE, len(lines))), *range(max(0, len(lines) - _AT_EDGE), len(lines))}
    edges = []
    for place in sorted(chosen):
        start, end = lines[place]
        outermost = place < 2 or place >= len(lines) - 2
        edges.append((begin + start, begin + end, text[start:end], outermost))
    return edges


def _pattern(line: str) -> str:
    return re.sub(r"\d+", "0", " ".join(line.split())).casefold()


# Rules and sections without their set or code, completed from the document. "Rule 12(b)(6)" after
# "Fed. R. Civ. P. 12(b)(6)", "Section 1983" after "42 U.S.C. § 1983".

_NUMBERS = {
    "federal-civil": range(1, 88),
    "federal-criminal": range(1, 62),
    "federal-appellate": range(1, 49),
    "federal-evidence": range(101, 1104),
    "federal-bankruptcy": range(1001, 9038),
}
"""Ranges of numbers by set of rules; other sets may have any number."""
_NAMED_SETS = {
    name: re.compile(rf"(?i:federal\s+rules\s+of\s+{name.partition('-')[2]}\b)")
    for name in _NUMBERS
}
_SECTION = re.compile(
    r"(?:§{1,2}\s?|[Ss]ection\s)(?P<number>\d{3,6}[a-z]{0,3}(?:-\d+)?)(?P<below>(?:\(\w{1,4}\))*)$"
)
_CODE_SECTION = re.compile(r"§{1,2}\s?(?P<number>\d{3,6}[a-z]{0,3}(?:-\d+)?)(?:\(\w{1,4}\))*$")


def with_bare_laws(text: str, items: list[Item], /) -> list[Item]:
    """Return *items* plus rules and sections whose set or code is elsewhere in the document.

    Places with two possible sets are unresolved. Section signs without a number are removed.
    """
    amendments = list(_amendments(text))
    items = [
        one
        for one in items
        if (one[1] is None or one[1].kind != "unknown")
        and not (one[0].type == "document" and _meets(one[0], amendments))
    ]
    codes = _codes(items)
    made = [(_of_code(match, codes), citation) for match, citation in items]
    taken = [match for match, _ in made if match.type != "section"]
    found = (*_rules(text, items), *find_rules_by_initials(text), *amendments)
    rules = [rule for rule in found if not _meets(rule, taken)]
    kept = [one for one in made if one[0].type != "section" or not _meets(one[0], rules)]
    whole = sorted([*kept, *((rule, None) for rule in rules)], key=lambda item: item[0].start)
    states = {state[1] for match, _ in whole if (state := _OF_STATE.match(match.key))}
    if len(states) != 1:
        return whole
    own = f"constitution:{min(states)}-"
    return [(replace(m, key=m.key.replace("constitution:own-", own)), c) for m, c in whole]


_OF_STATE = re.compile(r"constitution:(?!own-|united-states-)(.+?)-(?:art|amend|pmbl)\b")
_ORDINALS = (
    "First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth Eleventh Twelfth Thirteenth "
    "Fourteenth Fifteenth Sixteenth Seventeenth Eighteenth Nineteenth Twentieth Twenty-First "
    "Twenty-Second Twenty-Third Twenty-Fourth Twenty-Fifth Twenty-Sixth Twenty-Seventh"
).split()
_ORDINAL = f"(?:{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})"
_AMENDMENT = re.compile(
    rf"(?<![\w-])(?P<ordinal>{_ORDINAL})(?:(?=(?:,?\s(?:and|or|&)\s|,\s)(?:the\s)?{_ORDINAL}\b"
    rf"[^.;]{{0,60}}?\sAmendments\b)|\sAmendments?\b)"
)
_OF_CONTRACT = re.compile(
    rf"\b{_ORDINAL}\sAmendment\s(?:to|of)\s(?!the\s(?:United|U\.|[Ff]ederal|(?:\w+\s)?Const))"
)


def _amendments(text: str) -> Iterator[ReferenceMatch]:
    """Yield amendments of the Constitution by their ordinal; contracts have some, too."""
    if "Amendment" not in text or _OF_CONTRACT.search(text):
        return
    for match in _AMENDMENT.finditer(text):
        number = roman(_ORDINALS.index(match["ordinal"]) + 1)
        key, name = f"amend-{number}", f"U.S. Const. amend. {number.upper()}"
        key = f"constitution:united-states-{key}"
        yield ReferenceMatch(match.start(), match.end(), "constitution", key, name, 0.9)


def _meets(one: ReferenceMatch, others: list[ReferenceMatch]) -> bool:
    return any(other.start < one.end and one.start < other.end for other in others)


def _codes(items: list[Item]) -> dict[str, set[tuple[str, str]]]:
    """Return the cited codes by section number: start of key and name."""
    codes: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for ref, _ in items:
        match = _CODE_SECTION.search(ref.name) if ref.type == "regulation" else None
        if match:
            last = slug(ref.name[match.start("number") :])
            if ref.key.endswith("-" + last):
                name = ref.name[: match.start()].rstrip()
                codes[match["number"]].add((ref.key.removesuffix(last), name))
    return codes


def _of_code(ref: ReferenceMatch, codes: dict[str, set[tuple[str, str]]]) -> ReferenceMatch:
    if ref.type != "section":
        return ref
    match = _SECTION.search(ref.name)
    known = codes.get(match["number"], set()) if match else set()
    keys = {key for key, _ in known}
    if match is None or len(keys) != 1:
        return ref
    head, name = min(known)
    number = match["number"] + match["below"]
    return ReferenceMatch(
        ref.start, ref.end, "regulation", head + slug(number), f"{name} § {number}", 0.85
    )


def _rules(text: str, items: list[Item]) -> list[ReferenceMatch]:
    sets = {rule_set(ref.key) for ref, _ in items if ref.type == "rule"} - {""}
    exact = {ref.key for ref, _ in items if ref.type == "rule"}
    sets |= {name for name, words in _NAMED_SETS.items() if words.search(text)}
    sets = {name for name in sets if not name.startswith("local")}
    if not sets:
        return []
    rules = []
    for start, end, number in find_bare_rules(text):
        base = re.split(r"\D", number, maxsplit=1)[0]
        fitting = {name for name in sets if name not in _NUMBERS or int(base) in _NUMBERS[name]}
        cited = {
            name
            for name in fitting
            if any(f"{key}-".startswith(f"rule:{name}-{base}-") for key in exact)
        }
        chosen = cited if len(cited) == 1 else fitting
        written = one_line(text[start:end])
        if len(chosen) == 1:
            key = f"rule:{min(chosen)}-{slug(number)}"
            rules.append(ReferenceMatch(start, end, "rule", key, written, 0.85))
        elif chosen:
            key = f"rule:{slug(number)}"
            rules.append(ReferenceMatch(start, end, "rule", key, written, 0.4, resolved=False))
    return rules
