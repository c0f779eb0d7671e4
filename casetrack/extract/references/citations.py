"""Legal citations by eyecite (Free Law Project, BSD-2-Clause): cases, laws, journals, short forms.

eyecite takes a quarter of a second to load and milliseconds per text, so it is called only after a
fast test for possible citations.
"""

from __future__ import annotations

import functools
import importlib.util
import logging
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from casetrack.base.words import WordLists
from casetrack.base.words.lists import any_month
from casetrack.extract.references.case_names import CaseName, name_before, words_before

# Whether a text may hold a citation at all: a cheap look, by the names of the reporters.
#
# These come from the same source as those of eyecite (reporters-db), and are loaded when a text
# first has a number before a capitalised word.

_LISTS = WordLists(__file__)

_SHORT_FORM = re.compile(r"[IiSs](?<!\w.)(?:d\.|bid\b|upra\b|UPRA\b)")
MONTHS = rf"(?:{any_month('en_pattern')})(?![A-Za-z])"
"""Months, in full and shortened."""
_VOLUME = re.compile(rf"[0-9][A-Za-z]?,?[ \n\u00a0]{{1,2}}(?=[A-Z])(?!{MONTHS})")
_UP_TO_PAGE = re.compile(r"[^\d\n_¶—–]{1,60}(?:\n[^\d\n_¶—–]{0,40})?(?=[\d_¶—–])")
_UP_TO_ROMAN = re.compile(r"[^\d\n]{1,30}?(?=,? at [ivxlc]{1,6}\b)")
_STREET = re.compile(r"\d+(?:st|nd|rd|th)\b\.? (?:St|Ave|Street|Avenue|Pl|Dr|Rd|Ter|Ct|Blvd|Ste)")
_BEFORE_PAGE = re.compile(
    r"[\s,.(]*(?:\b(?:at|pp?|pages?|para|nos?|P|[A-Z]{1,2}(?=\s?$))\b[\s,.(]*)+$", re.IGNORECASE
)
_BEFORE_SIGN = re.compile(
    r"\b(?:Code|Stat|Laws?|Rev|Ann|Gen|Const|Comp|Regs?|Admin|Cons|Consol|ch|tit|art|Empl|Lab|Bus"
    r"|Civ|Pen|Tax|Ins|Evid|Proc|U\.?\s?S\.?\s?C|C\.?\s?F\.?\s?R)\b[^§\n]{0,30}$"
)
_SHORT_FORM_LETTERS = ("upra", "UPRA", "Id.", "id.", "bid")
_OTHER_LETTERS = tuple(sign.replace("_", " ") for sign in _LISTS.words("other_letters"))
_OTHER_SIGNS = re.compile(
    r"T\.\s?C\.|\(La\.|\((?:CCH|C\.C\.H\.|BNA|RIA|P-H)\)|Rep\.(?: \([\w.]+\))? (?:P ?|¶ ?)\d"
    r"|Pub(?:lic|\.) ?L|L\.R\.A\. \d|Cas\.,? \d|BCA No"
)
_NEUTRAL = re.compile(
    r"[0-9](?: ?-(?:[A-Z]{2,8}|Ohio)- ?\d|(?<=\d{4}) [A-Z]{2}(?: ?App)?(?: |-)\d"
    r"|(?<=\d\d) ?COA? ?\d)"
)
_NUMBER = re.compile(r"(?<=[ \u00a0¶P])[0-9]")
_BETWEEN = re.compile(r"(?:[\s,¶]|\([A-Z.]+\)|\b(?:art|sec|ch|No|P|r|ry)\b\.?)*$")
"""Words between the name of a reporter or law and a number."""
_REACH = 70
_NO_VOLUME = re.compile(
    r"\$(?:volume_nominative|reporter|full_cite_(?:single_volume|cch|paragraph))"
)
"""Patterns of reporters-db without a volume before the reporter."""
_LAW_WITHOUT_SIGN = re.compile(
    r"(?:Code|Stat\.|Laws?|Regs?\.|R\.)(?: Ann\.?| Regs\.| Civ\.| Crim\.| Evid\.| Proc\."
    r"| Empl\.){0,3},? (?:art\.? |sec\. |ch\. |r\. )?\d"
)
_FEDERAL_NAMES = ("S.C", "S. C", "USC", "States Code")
_FEDERAL_WORDS = re.compile(
    r"(?:U\.?\s?S\.?\s?C\.?(?:\s?[AS]\.?)?|United States Code),? (?:[Ss]ec(?:tions?|\.)|S\.) ?\d"
)
_SIGN = re.compile("§")
_NOT_LETTER = re.compile(r"[^a-z]+")


def has_citation_signs(text: str, /) -> bool:
    """Return whether *text* may hold a citation that eyecite would find; errs to the yes."""
    if any(sign in text for sign in _SHORT_FORM_LETTERS) and _SHORT_FORM.search(text):
        return True
    if any(sign in text for sign in _OTHER_LETTERS) and _OTHER_SIGNS.search(text):
        return True
    if _NEUTRAL.search(text):
        return True
    if "§" in text and any(
        _BEFORE_SIGN.search(text, max(0, m.start() - 60), m.start()) for m in _SIGN.finditer(text)
    ):
        return True
    if _LAW_WITHOUT_SIGN.search(text):
        return True
    if any(name in text for name in _FEDERAL_NAMES) and _FEDERAL_WORDS.search(text):
        return True
    return any(_is_reporter(text, match.end()) for match in _VOLUME.finditer(text)) or any(
        _is_without_volume(text[max(0, m.start() - _REACH) : m.start()])
        for m in _NUMBER.finditer(text)
    )


def _is_without_volume(before: str) -> bool:
    """Return whether a name of one volume or law ends *before* a number: "Deady, 181"."""
    words = _BETWEEN.sub("", before.rpartition("\n")[2]).split()
    if not words or not words[-1][0].isupper():
        return False
    known = _without_volume()
    return any(
        words[at][0].isupper() and _letters("".join(words[at:])) in known
        for at in range(len(words))
    )


def _is_reporter(text: str, start: int) -> bool:
    name = _UP_TO_PAGE.match(text, start) or _UP_TO_ROMAN.match(text, start)
    if name is None or _STREET.match(text, name.end()):
        return False
    known = _reporters()
    written = name[0]
    bare = _BEFORE_PAGE.sub("", written)
    forms = (written, bare, bare.rstrip().removesuffix(" Supp."), written.split("(")[0])
    return any(_letters(form) in known for form in forms)


def _letters(name: str) -> str:
    return _NOT_LETTER.sub("", re.split(r"\d", name)[0].lower())


@functools.cache
def _reporters() -> frozenset[str]:
    """Return every abbreviation of a reporter or journal: its letters up to the first digit."""
    from reporters_db import JOURNALS, LAWS, REPORTERS

    names: set[str] = set()
    for source in (REPORTERS, JOURNALS, LAWS):
        for abbreviation, entries in source.items():
            names.add(abbreviation)
            for entry in entries:
                names.update(entry.get("editions", ()))
                variations = entry.get("variations", ())
                names.update(variations)
    return frozenset(_letters(name) for name in names) - {""}


@functools.cache
def _without_volume() -> frozenset[str]:
    """Return the letters of reporters of one volume, and of laws with more than one word."""
    from reporters_db import LAWS, REPORTERS

    names: set[str] = set()
    for entry in (e for entries in REPORTERS.values() for e in entries):
        for name, edition in entry["editions"].items():
            if any(_NO_VOLUME.match(r) for r in edition.get("regexes", ())):
                names |= {name, *(v for v, of in entry["variations"].items() if of == name)}
    for name, entries in LAWS.items():
        names |= {n for e in entries for n in (name, *e["variations"]) if " " in n}
    return frozenset(map(_letters, names)) - {""}


# OCR errors in citations: letters for digits, digits for letters, wrong points.

_DIGITS = str.maketrans("OoIl|SBZ", "00111582")
_REPORTER = (
    r"(?:U\.?\s?[S5]\.|S\.\s?Ct\.|L\.\s?Ed\.|F\.\s?(?:2d|3d|4th|Supp\.?)?|[ANSP]\.\s?[EW]?\.?\s?"
    r"(?:2d|3d)?|So\.|Cal\.|N\.\s?Y\.|B\.R\.|U\.\s?[S5]\.\s?C\.|C\.\s?F\.\s?R\.)"
)
_SCANNED_VOLUME = re.compile(
    rf"(?<![\w.])(?=[\dOoIl|SBZ]*\d)(?=\d*[OoIl|SBZ])[\dOoIl|SBZ]{{2,4}}(?=\s{_REPORTER})"
)
_PAGE = re.compile(
    rf"(?<![\w.])(?P<before>\d{{1,4}}\s{_REPORTER}\s?(?:2d|3d|4th)?\s?)(?=[\dOoIl"
    rf"|SBZ]*\d)(?=\d*[OoIl|SBZ])(?P<page>[\dOoIl|SBZ]{{2,5}})(?!\w)"
)
_SIGNS = re.compile(r"(?<=\d\sU\.)(?P<gap>\s?)5\.(?=\s)")
_DOUBTFUL = re.compile(r"[0-9][OoIl|SBZ](?![a-z]{2})|[OoIl|SBZ][0-9]|U\.\s?5\.|\d\s[A-Z]\s\.[23]d")
"""Required text of any possible OCR error."""
_ASTRAY = re.compile(r"(?<=\d\s[A-Z])\s\.(?=[23]d\s\d)")


def as_printed(text: str, /) -> str:
    """Return *text* with OCR errors in citations corrected; the length stays the same.

    >>> as_printed("Daubert, 5O9 U.5. 579")
    'Daubert, 509 U.S. 579'
    """
    if _DOUBTFUL.search(text) is None:
        return text
    text = _ASTRAY.sub(". ", text)
    text = _SCANNED_VOLUME.sub(lambda m: m[0].translate(_DIGITS), text)
    text = _SIGNS.sub(lambda m: f"{m['gap']}S.", text)
    return _PAGE.sub(lambda m: m["before"] + m["page"].translate(_DIGITS), text)


def misread(text: str, /) -> str:
    """Return a note on the corrections of a citation, or "".

    >>> misread("5O9 U.S. 579")
    'read from a scan: 5O9 was taken for 509'
    """
    printed = as_printed(text)
    if printed == text:
        return ""
    changed = [
        (one, other)
        for one, other in zip(text.split(), printed.split(), strict=False)
        if one != other
    ]
    swaps = ", ".join(f"{one} was taken for {other}" for one, other in changed)
    return f"read from a scan: {swaps}" if swaps else ""


# Citations in the usual reporters, read without eyecite where it is not installed.

_CITED = re.compile(
    r"(?<![\w.$])(?P<volume>\d{1,4})\s(?P<reporter>[A-Z][A-Za-z.'’& ]{0,40}?(?:[2-7](?:d|th))?)\s?"
    r"(?:(?P<at>,?\sat\s)(?P<pin>\*?\d{1,6})|(?P<page>\d{1,8}|_{2,}))(?![\w%]|,\d{3})"
)
_SUPRA = re.compile(r"(?<=,\s)supra\b")
_YEAR = re.compile(r"[^();]{0,60}\((?:[^()]{0,40}\s)?(?P<year>(?:17|18|19|20)\d\d)\)")


def read_usual(
    text: str, /
) -> Iterator[tuple[str, re.Match[str], dict[str, str | None], str, str]]:
    """Yield the citations of the usual reporters, in order.

    Each has its kind (``case``, ``short``, ``supra``), the match, volume, reporter and page as
    written, the usual abbreviation of the reporter, and the year if it follows.
    """
    hit = [*_CITED.finditer(text), *_SUPRA.finditer(text)]
    for match in sorted(hit, key=lambda m: m.start()):
        if match.re is _SUPRA:
            yield "supra", match, {}, "", ""
            continue
        written = match["reporter"].strip()
        reporter = _editions().get(_letters_and_digits(written))
        if reporter is None:
            continue
        page = match["pin"] if match["at"] else match["page"]
        groups = {"volume": match["volume"], "reporter": written, "page": page}
        year = _YEAR.match(text, match.end())
        yield (
            "short" if match["at"] else "case",
            match,
            groups,
            reporter,
            year["year"] if year else "",
        )


def _letters_and_digits(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "", name).lower()


@functools.cache
def _editions() -> dict[str, str]:
    """Return the usual abbreviations of reporters by the letters and digits of every spelling."""
    from reporters_db import REPORTERS

    names: dict[str, str] = {}
    every = [entry for entries in REPORTERS.values() for entry in entries]
    for spelled in [
        {n: n for e in every for n in e["editions"]},
        *(e["variations"] for e in every),
    ]:
        for name, usual in spelled.items():
            names.setdefault(_letters_and_digits(name), usual)
    return names


CitationKind = Literal["case", "law", "journal", "short", "id", "supra", "reference", "unknown"]

_KINDS: Mapping[str, CitationKind] = {
    "FullCaseCitation": "case",
    "FullLawCitation": "law",
    "FullJournalCitation": "journal",
    "ShortCaseCitation": "short",
    "IdCitation": "id",
    "SupraCitation": "supra",
    "ReferenceCitation": "reference",
    "UnknownCitation": "unknown",
}
_PIECE, _SHARED = 4000, 500
_LONE_SIGN = re.compile(r"\S*§\S*")
_COMMAS_FOR_POINTS = re.compile(r"(?<=[0-9] )[A-Z],(?: ?[A-Z],){1,3}(?= \d)")
_FEDERAL_GATE = re.compile(r"S\.?\s?C\.|F\.?\s?R\.|USC|CFR|Fed\.|Pub|U\.?\s?S\.?\s?C")
_FEDERAL = re.compile(
    r"\d+\s+(?:U\.?\s?S\.?\s?C\.?(?:\s?[AS]\.)?|C\.?\s?F\.?\s?R\.?|Fed\.\s?Reg\.)(?!\w),?\s*(?:§+"
    r"|[Ss]ec(?:tions?|\.)|[Pp]arts?)?\s?[\d,.a-z-]*|Pub(?:lic|\.)\s?L(?:aw|\.)(?:\sNo\.)?\s\d+-\d+"
)
_LINE_BREAK = re.compile(r"(?<![\n ])[\n\r\t\u00a0](?![\n ])")
_PART_BEFORE = re.compile(
    r"(?:§|\b(?:Art|Ziff|Nr|Abs|Sec)\.|\b(?:Article|Artikel|Section|Clause|Abschnitt))\s?$"
)
_YEAR_AFTER = re.compile(r"[^();]{0,40}\((?:[^()]{0,30}\s)?((?:17|18|19|20)\d\d)\)")
_MONTH_DAY = re.compile(rf"(?:\d{{1,2}}|(?:19|20)\d\d)\s{MONTHS}\.?\s\d{{1,2}}")
_YEAR_IN_BRACKETS = re.compile(r"\[(?:1[89]|20)\d\d\],?\s$")
_ID = re.compile(
    r"(?<![\w.])(?:[Ii]d\.|[Ii]bid\b\.?)(?:,?\s(?P<pin>at\s(?:pp?\.\s)?\*?\d+(?:[-–]\d+)?))?"
)
_AT_PAGE = re.compile(r"\sat\s\S+$")
_AMBIGUOUS_ID = re.compile(r"ID\.,?")


@dataclass(frozen=True, slots=True)
class Citation:
    """One citation as eyecite parsed it."""

    # Full citations are `case`, `law` and `journal`; `unknown` is a lone section sign.
    kind: CitationKind
    # start, end: with the preceding names of the parties.
    start: int
    end: int
    core: int  # start of volume and reporter
    written: str  # text from *core* to the end
    corrected: str | None  # citation with the reporter's usual abbreviation; `None` for short words
    reporter: str | None  # the usual abbreviation, or `None`
    # Volume, reporter, page, title, section, ... as written.
    groups: Mapping[str, str | None]
    # Parties, court, year, pin cite, antecedent, ... if present.
    details: Mapping[str, str]
    ambiguous: bool  # whether the abbreviation matches several reporters
    name: CaseName | None = None  # preceding name of the case; for a short form the preceding words


def find_citations(text: str, /, *, federal: bool = True) -> tuple[Citation, ...]:
    """Find the legal citations of *text*, in order.

    Long texts are read in pieces, so the time is linear. Empty, without loading eyecite, if nothing
    looks like a citation; without eyecite (:func:`reads_case_law`) only those of the usual
    reporters. *federal* includes texts with federal statutes only ("17 C.F.R. § 240.10b-5").
    """
    printed = as_printed(text)
    flat = _COMMAS_FOR_POINTS.sub(lambda m: m[0].replace(",", "."), _LINE_BREAK.sub(" ", printed))
    if not reads_case_law():
        return _apart(flat, sorted(_without_eyecite(flat), key=lambda c: c.core))
    rest = printed if federal or not _FEDERAL_GATE.search(printed) else _FEDERAL.sub(" ", printed)
    if not has_citation_signs(rest) and _COMMAS_FOR_POINTS.search(text) is None:
        return tuple(_lone_signs(text)) if "§" in text else ()
    get_citations = _eyecite()
    # eyecite gets spaces for line breaks and points for the commas of "U,S,"; the length stays.
    by_place: dict[tuple[int, str], Citation] = {}
    for begin, end in _pieces(len(flat)):
        for raw in get_citations(flat[begin:end]):
            citation = _as_written(_citation(raw, flat[begin:end], begin), flat, text)
            if citation and citation.core >= (begin + _SHARED // 2 if begin else 0):
                by_place.setdefault((citation.core, citation.kind), citation)
    for one in _own_ids(flat, by_place.values()):
        by_place[one.core, one.kind] = one
    return _apart(flat, sorted(by_place.values(), key=lambda c: c.core))


def _without_eyecite(text: str) -> Iterator[Citation]:
    """Yield the citations of the usual reporters, and the words that point back."""
    cites = []
    for kind, match, groups, reporter, year in read_usual(text):
        details = {"year": year, "year_number": year} if year else {}
        corrected = f"{groups['volume']} {reporter} {groups['page']}" if reporter else None
        start, end = match.span()
        cites.append(
            Citation(
                kind, start, end, start, match[0], corrected, reporter or None, groups, details,  # type: ignore[arg-type]
                ambiguous=False,
            )
        )  # fmt: skip
    yield from cites
    yield from _own_ids(text, cites)


def _own_ids(text: str, cites: Iterable[Citation]) -> Iterator[Citation]:
    """Yield the *id.* that eyecite omits: "(Id. at p. 5)", consecutive ones."""
    taken = sorted((c.core, c.end) for c in cites)
    for match in _ID.finditer(text):
        at = bisect_right(taken, (match.start(), len(text))) - 1
        if at < 0 or taken[at][1] <= match.start():
            details = {"pin_cite": match["pin"]} if match["pin"] else {}
            yield Citation(
                "id", match.start(), match.end(), match.start(), match[0], None, None, {}, details,
                ambiguous=False,
            )  # fmt: skip


def _lone_signs(text: str) -> Iterator[Citation]:
    """Yield section signs that belong to no law, as eyecite would, were it called for them."""
    for match in _LONE_SIGN.finditer(text):
        yield Citation(
            "unknown", match.start(), match.end(), match.start(), match[0], None, None, {}, {},
            ambiguous=False,
        )  # fmt: skip


def _as_written(citation: Citation | None, flat: str, text: str) -> Citation | None:
    """Restore the reporter as written if commas were read as points."""
    if citation is None or flat == text or "," not in text[citation.core : citation.end]:
        return citation
    reporter = citation.groups.get("reporter")
    at = flat.find(reporter, citation.core, citation.end) if reporter else -1
    if reporter is None or at < 0:
        return citation
    written = text[at : at + len(reporter)]
    if not _COMMAS_FOR_POINTS.search(text, max(0, at - 2), citation.end):
        return citation
    return replace(citation, groups={**citation.groups, "reporter": written})


def _apart(text: str, citations: list[Citation]) -> tuple[Citation, ...]:
    """Add the preceding name to every citation; parallel ones share the first one's."""
    apart: list[Citation] = []
    for read in citations:
        citation = read
        if citation.kind in {"case", "short", "supra"}:
            floor = apart[-1].end if apart else 0
            citation = _named(text, citation, floor)
        apart.append(citation)
    return tuple(apart)


def _named(text: str, citation: Citation, floor: int) -> Citation:
    name = None
    if citation.kind in {"case", "short"}:
        name = name_before(text, citation.core, floor=floor)
    if name is None and citation.kind != "case":
        name = words_before(text, citation.core, floor=floor)
    if name is None:
        return citation
    details = dict(citation.details)
    if citation.kind == "case" and len(name.parties) == 2 and not _is_own(details, name):
        details["plaintiff"], details["defendant"] = name.parties
        year = _YEAR_AFTER.match(text, citation.end)
        for part in ("year", "year_number"):
            details.pop(part, None)
            if year:
                details[part] = year[1]
    return replace(citation, start=name.start, name=name, details=details)


def _is_own(details: Mapping[str, str], name: CaseName) -> bool:
    plaintiff = details.get("plaintiff", "").split()
    return bool(plaintiff) and plaintiff[-1] in name.parties[0]


def _pieces(length: int) -> Iterator[tuple[int, int]]:
    if length <= _PIECE + _SHARED:
        yield 0, length
        return
    for begin in range(0, length, _PIECE):
        yield max(0, begin - _SHARED), min(length, begin + _PIECE)


@functools.cache
def reads_case_law() -> bool:
    """Return whether eyecite is installed: a part of it has no wheels for some systems."""
    return importlib.util.find_spec("eyecite") is not None


@functools.cache
def _eyecite() -> Any:
    # Its remarks about overlapping matches are for its makers.
    logging.getLogger("eyecite").setLevel(logging.ERROR)
    from eyecite import get_citations

    return get_citations


def _is_of_a_table(raw: Any, text: str, core: int, end: int) -> bool:
    """Return whether numbers and a short word of a table look like a citation."""
    groups = raw.groups
    page, volume = groups.get("page") or "", groups.get("volume") or ""
    if page == "0" or _MONTH_DAY.fullmatch(text[core:end]):
        return True
    parties = raw.metadata
    named = getattr(parties, "plaintiff", None) or getattr(parties, "defendant", None)
    is_long = len((groups.get("reporter") or "").split()) > 1
    return not (volume or named or is_long) and raw.metadata.year is None


def _citation(raw: Any, text: str, begin: int) -> Citation | None:
    kind = _KINDS[type(raw).__name__]
    core, end = raw.span()
    end = max(min(end, len(text)), core)
    while end > core and text[end - 1] in " ,;":
        end -= 1
    if kind == "case" and _AT_PAGE.search(text, core, end):
        # eyecite reads "81 T.C. at 828" as full or short, depending on the hash seed.
        kind = "short"
    if kind in {"id", "supra"}:
        end = max(end, core + 1)
        if _AMBIGUOUS_ID.fullmatch(text[core:end]):
            return None
    if kind in {"case", "journal"} and _is_of_a_table(raw, text, core, end):
        return None
    if kind == "case" and _YEAR_IN_BRACKETS.search(text, max(0, core - 8), core):
        # "[1986] 1 S.C.R. 103" is read by the year.
        return None
    if kind == "case" and _PART_BEFORE.search(text, max(0, core - 12), core):
        # "§ 5 Abs. 2" is a section and its paragraph, not volume 5 of a reporter.
        return None
    details = {name: str(value) for name, value in vars(raw.metadata).items() if value is not None}
    resource = kind in {"case", "law", "journal", "short"}
    year = getattr(raw, "year", None)
    if year is not None:
        details["year_number"] = str(year)
    return Citation(
        kind,
        begin + core,
        begin + end,
        begin + core,
        text[core:end],
        raw.corrected_citation() if resource else None,
        raw.corrected_reporter() if resource else None,
        dict(raw.groups),
        details,
        resource and raw.edition_guess is None,
    )
