"""The text of a document as it is read on: without line ends, running heads and page numbers.

What runs over the end of a line or a page is one piece here; every place leads back to the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.extract.references.court_rules import find_bare_rules, rule_set
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug

if TYPE_CHECKING:
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
    r"|Filed|Date|ECF|DktEntry)"
    r"|USCA\S* (?:Case|Appeal)|.*\bPage(?:ID)?\b.*\bPage(?:ID)?\b|.*\bDktEntry:|Cite as:"
    r"|.*\bFiled(?::)? \d\d/\d\d/\d{2,4}\b.*(?:Page|Pg)).*"
)
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Reading:
    """A text to read on, and where its pieces stand in the text that it was made of.

    Attributes
    ----------
    text
        Lines joined by spaces, paragraphs by two line breaks, heads and feet of pages left out.
    starts, origins
        Piece by piece, where it begins here and there.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]

    def origin(self, offset: int, /) -> int:
        """Return where the character at *offset* stands in the text that this one was made of."""
        at = bisect_right(self.starts, offset) - 1
        return self.origins[at] + offset - self.starts[at]

    def place(self, start: int, end: int, /) -> tuple[int, int]:
        """Return start and end there of what stands at *start* to *end* here."""
        return self.origin(start), self.origin(end - 1) + 1 if end > start else self.origin(start)

    def here(self, offset: int, /) -> int:
        """Return where what stands at *offset* there stands here, or what comes next."""
        at = bisect_right(self.origins, offset) - 1
        if at < 0:
            return 0
        end = self.starts[at + 1] if at + 1 < len(self.starts) else len(self.text)
        return min(self.starts[at] + offset - self.origins[at], end)


def read_on(whole: WholeText, /) -> Reading:
    """Return the text of *whole* as it is read on."""
    left_out = _left_out(whole)
    text = whole.text
    out: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    length = 0

    def put(piece: str, origin: int) -> None:
        nonlocal length
        if piece.isspace() and out and out[-1].isspace():
            # Where a head or a foot was left out, one space is enough.
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
    return Reading("".join(out), tuple(starts), tuple(origins))


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
    """Whether a sentence runs over what would be the end of a paragraph."""
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
    lines: list[tuple[int, int, str]] = []
    at = 0
    for line in text.split("\n"):
        if line.strip():
            lines.append((begin + at, begin + at + len(line), line))
        at += len(line) + 1
    chosen = {*range(min(_AT_EDGE, len(lines))), *range(max(0, len(lines) - _AT_EDGE), len(lines))}
    found = []
    for place in sorted(chosen):
        start, end, line = lines[place]
        outermost = place < 2 or place >= len(lines) - 2
        found.append((start, end, line, outermost))
    return found


def _pattern(line: str) -> str:
    return re.sub(r"\d+", "0", " ".join(line.split())).casefold()


# Rules and sections without the name of their set or code, where the document says which.
#
# "Rule 12(b)(6)" after "Fed. R. Civ. P. 12(b)(6)", "Section 1983" after "42 U.S.C. § 1983".

_NAMED_SETS = {
    "federal-civil": re.compile(r"(?i:federal\s+rules\s+of\s+civil\s+procedure)"),
    "federal-criminal": re.compile(r"(?i:federal\s+rules\s+of\s+criminal\s+procedure)"),
    "federal-evidence": re.compile(r"(?i:federal\s+rules\s+of\s+evidence)"),
    "federal-appellate": re.compile(r"(?i:federal\s+rules\s+of\s+appellate\s+procedure)"),
    "federal-bankruptcy": re.compile(r"(?i:federal\s+rules\s+of\s+bankruptcy\s+procedure)"),
}
_NUMBERS = {
    "federal-civil": range(1, 88),
    "federal-criminal": range(1, 62),
    "federal-appellate": range(1, 49),
    "federal-evidence": range(101, 1104),
    "federal-bankruptcy": range(1001, 9038),
}
"""Numbers that a set of rules has; other sets may have any."""
_SECTION = re.compile(
    r"(?:§{1,2}\s?|[Ss]ection\s)(?P<number>\d{3,6}[a-z]{0,3}(?:-\d+)?)(?P<below"
    r">(?:\(\w{1,4}\))*)$"
)
_CODE_SECTION = re.compile(r"§{1,2}\s?(?P<number>\d{3,6}[a-z]{0,3}(?:-\d+)?)(?:\(\w{1,4}\))*$")


def with_bare_laws(text: str, items: list[Item], /) -> list[Item]:
    """Return *items* with the rules and sections whose set or code the document says elsewhere.

    Parameters
    ----------
    text
        The whole text.
    items
        What was found in it, in order; lone section signs are left out.

    Returns
    -------
    list
        In order. Where two sets could be meant the place is kept as open.
    """
    items = [one for one in items if one[1] is None or one[1].kind != "unknown"]
    codes = _codes(items)
    made = [(_of_code(found, codes), citation) for found, citation in items]
    taken = [found for found, _ in made if found.type != "section"]
    rules = [rule for rule in _rules(text, items) if not _meets(rule, taken)]
    kept = [one for one in made if one[0].type != "section" or not _meets(one[0], rules)]
    return sorted([*kept, *((rule, None) for rule in rules)], key=lambda item: item[0].start)


def _meets(one: ReferenceMatch, others: list[ReferenceMatch]) -> bool:
    return any(other.start < one.end and one.start < other.end for other in others)


def _codes(items: list[Item]) -> dict[str, set[tuple[str, str]]]:
    """Return by section number the codes that are cited with it: beginning of key and of name."""
    codes: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for found, _ in items:
        match = _CODE_SECTION.search(found.name) if found.type == "regulation" else None
        if match:
            last = slug(found.name[match.start("number") :])
            if found.key.endswith("-" + last):
                name = found.name[: match.start()].rstrip()
                codes[match["number"]].add((found.key.removesuffix(last), name))
    return codes


def _of_code(found: ReferenceMatch, codes: dict[str, set[tuple[str, str]]]) -> ReferenceMatch:
    if found.type != "section":
        return found
    match = _SECTION.search(found.name)
    known = codes.get(match["number"], set()) if match else set()
    keys = {key for key, _ in known}
    if match is None or len(keys) != 1:
        return found
    head, name = min(known)
    number = match["number"] + match["below"]
    return ReferenceMatch(
        found.start, found.end, "regulation", head + slug(number), f"{name} § {number}", 0.85
    )


def _rules(text: str, items: list[Item]) -> list[ReferenceMatch]:
    sets = {rule_set(found.key) for found, _ in items if found.type == "rule"} - {""}
    exact = {found.key for found, _ in items if found.type == "rule"}
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
