"""Single facts of a caption: number, judge, days, exhibit label, witness."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.words import WordLists
from casetrack.base.words.lists import any_month, any_title
from casetrack.base.years import written_day
from casetrack.extract.papers.courts import find_court

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records.documents import LegalType
    from casetrack.extract.papers.caption_lines import Cell
    from casetrack.extract.papers.facts import LegalFacts

# Type of a paper by the first words of its title that name one.


@dataclass(frozen=True, slots=True)
class PaperKind:
    """A type, its detail, and the words of the title."""

    legal_type: LegalType
    detail: str | None
    words: str
    start: int


@functools.cache
def _kinds() -> tuple[re.Pattern[str], list[dict[str, Any]]]:
    """Return the pattern of all types, the first of a place first, and the types of its groups."""
    rules = tomllib.loads((Path(__file__).parent / "paper_kinds.toml").read_text("utf-8"))["rule"]
    every = (f"(?P<k{n}>{'|'.join(rule['any'])})" for n, rule in enumerate(rules))
    words = rf"(?<![\w’'-])(?=[\w\[(§])(?:{'|'.join(every)})"
    return re.compile(words, re.IGNORECASE), rules


def kind_of_title(title: str, /) -> PaperKind | None:
    """Return the type of a paper by its title (one line), or ``None``."""
    pattern, rules = _kinds()
    match = pattern.search(title.replace("'", "’"))
    if match is None:
        return None
    rule = rules[int(str(match.lastgroup)[1:])]
    return PaperKind(rule["kind"], rule.get("detail"), match.group().strip(), match.start())


# Reporter citations of an opinion itself, in its header, title or file name.

_LISTS = WordLists(__file__)

_REPORTER = _LISTS.joined("reporter")
_CITE = re.compile(
    rf"(?<![\w.])(?P<volume>\d{{1,4}})\s+(?P<reporter>{_REPORTER})\s+(?P<page>\d{{1,7}})(?![\w.]*\d)"
)
_NEUTRAL = _LISTS.pattern("neutral")
_ONLY_CITES = re.compile(
    rf"(?:[\s,;=()*\[\]]|\d{{1,4}}\s+(?:{_REPORTER})\s+(?:\d{{1,7}}|_+|-+)|(?:19|20)\d\d"
    rf"|Cite\sas:?|CITE\sAS:?|Citation:?|Cited\sas:?|No\.|Reported\sat)+",
    re.IGNORECASE,
)
_CITE_AS = re.compile(
    r"\bcite(?:d)? as:?|\bneutral citation(?: number)?:?|\bcitation:", re.IGNORECASE
)
_NAMED = _LISTS.phrases("named")
_SQUASHED = {re.sub(r"[^a-z0-9]", "", r.casefold()): r for r in _NAMED}
_IN_NAME = re.compile(
    r"\W*(?P<volume>\d{1,4})[ _.-]*(?P<reporter>"
    + "|".join(r"[ _.]*".join(squashed) for squashed in sorted(_SQUASHED, key=len, reverse=True))
    + r")[ _.-]*(?P<page>\d{1,5})(?!\d)",
    re.IGNORECASE,
)


def is_citation(line: str, /) -> bool:
    """Return whether a line is only a reporter citation."""
    return _ONLY_CITES.fullmatch(line.strip()) is not None and _CITE.search(line) is not None


def own_citations(text: str, name: str, title: str | None, /) -> tuple[str, ...]:
    """Return the citations of an opinion itself, from its header, title or file name.

    Citations in the text are of other decisions; its own are alone on one of the first lines, or
    after "Cite as". A line in brackets has the page that begins there.
    """
    cites: dict[str, None] = {}
    for number, line in enumerate(line for line in text[:3000].split("\n") if line.strip()):
        if number >= 14:
            break
        after = _CITE_AS.search(line)
        if after or (_ONLY_CITES.fullmatch(line.strip()) and line.strip()[0] != "["):
            cites |= dict.fromkeys(_cites(line[after.end() :] if after else line))
        elif number < 6 and _NEUTRAL.fullmatch(line.strip(" .")):
            cites[line.strip(" .")] = None
    if title and (" v. " in title or "In re" in title):
        cites |= dict.fromkeys(_cites(title))
    if not cites:
        plain = name.rsplit(".", 1)[0]
        inside = _IN_NAME.match(plain)
        if inside:
            reporter = _SQUASHED[re.sub(r"[^a-z0-9]", "", inside["reporter"].casefold())]
            cites[f"{inside['volume']} {reporter} {inside['page']}"] = None
        else:
            cites |= dict.fromkeys(_cites(plain.replace("_", " ")))
    return tuple(cites)


def _cites(text: str) -> list[str]:
    cites = [
        f"{m['volume']} {' '.join(m['reporter'].split())} {m['page']}" for m in _CITE.finditer(text)
    ]
    return cites + [" ".join(m.group().split()) for m in _NEUTRAL.finditer(text)]


_FORM = _LISTS.joined("form")
_LABEL = _LISTS.joined("label")
_NUMBER = re.compile(
    rf"(?:^|(?<=[\s(]))(?:{_LABEL}(?:nos?\.?\s*)?|no\.?s?\.?\s*:?\s*|(?:civ"
    rf"|crim)\.\s*)\#?\s*(?P<number>{_FORM})(?![\w%])",
    re.IGNORECASE,
)
_BARE_NUMBER = _LISTS.pattern("bare_number")
_OTHER_NUMBER = _LISTS.pattern("other_number", re.IGNORECASE)
_NAME = _LISTS.joined("name")
_TITLE = _LISTS.joined("title")
_JUDGE = (
    re.compile(
        r"\b(?:(?i:Hon(?:\.|orable)|The Honou?rable)|HON)\s+(?:"
        rf"(?:{any_title('address')})\.? |{_TITLE}(?:Judge|Justice) )?(?P<name>{_NAME})"
    ),
    re.compile(
        rf"(?:^|\b)(?<!DC )(?:Assigned (?:to|for all purposes to)|Presiding(?: Judge)?"
        rf"|Trial Judge|{_TITLE}Judge|Magistrate|JUDGE(?:\(S\)|S)?)\s*:\s*(?:Judge |Hon\. "
        rf"|The Honorable |{_TITLE}Judge )?(?P<name>{_NAME})"
    ),
    re.compile(
        rf"^(?:Before:? )?(?P<name>[A-Z][\w.'’ -]{{2,40}}?),\s*{_TITLE}(?:JUDGE|Judge|JUSTICE"
        rf"|Justice)(?:\b[.:,]?|$)"
    ),
    re.compile(
        r"(?:^(?:¶\s?\d+\s)?|\b[Bb]y:?\s)(?P<name>[A-Z][\w.'’-]+(?: [A-Z][\w.'’-]*){0,3}),\s*"
        r"(?:C\.\s?J|P\.\s?J|J|S\.\s?J|Ch\.\s?J|J\.S\.C|(?:C\.|P\.)?J\.A\.D|P\.?J\.Cv|U\.S\.[DM]\.J)\.(?:[.:,]?$|\s?[–—])"
    ),
    re.compile(
        rf"(?:^|\b)(?:{any_title('address', 'peers')})\.? (?:Chief )?Justice (?P<name>{_NAME})",
        re.IGNORECASE,
    ),
    re.compile(
        rf"^(?:{_TITLE}(?:Justice|Judge)|JUSTICE|JUDGE|H\.?H\.?J\.?|H(?:is|IS|er|ER)"
        rf" H(?:onour|ONOUR) J(?:udge|UDGE)) (?P<name>{_NAME})(?= delivered|:|$)"
    ),
)
_SITTING = re.compile(r"(?:before|decided by)\s?:?", re.IGNORECASE)
_ALONE = re.compile(
    r"(?:(?:(?:[A-Z][a-z]+|[A-Z]+) )?(?i:judge) |(?i:the hon\.? |miss |mrs? |ms |dr )+)(?P<name>"
    rf"{_NAME})(?= sitting as |$)"
)
"""The judge below "Before:"."""
_TITLE_ONLY = re.compile(rf"{_TITLE}(?:Judge|Justice)\.?", re.IGNORECASE)
_BELOW = 4
_NO_PARTY = _LISTS.pattern("no_party", re.IGNORECASE)
_NO_NAME = _LISTS.pattern("no_name", re.IGNORECASE)
_SIGNED = re.compile(
    r"^\W*(?:/?[sS]/\s*)?(?:(?i:The\s)?(?i:Hon(?:\.|orable)\s))?(?P<name>[A-Z][\w'’-]*\.?(?:[^\S\n]+"
    r"[A-Z][\w'’-]*\.?){1,4}(?:,? (?:Jr|Sr|II|III)\.?)?)(?:,[^\S\n]*|\s*\n\W*)"
    rf"(?:(?i:{_TITLE}(?:Judge|Justice))\b|(?:U\.?S\.?[DMB]\.?|P\.?|A\.?)?J\.(?:S\.C|A\.D|Cv)?)",
    re.MULTILINE,
)
_NO_SIGNER = re.compile(
    r"(?i)\b(?:so|ordered|dated?|court|united|states|the|of|by|judge|justice|clerk|counsel|esq"
    r"|and|filed|before|re|dear|submitted|part)\b"
)
_LABELLED = _LISTS.pattern("labelled", re.IGNORECASE)
_CHARGED = re.compile(r"(?:indictment|accusation|complaint) nos?\.", re.IGNORECASE)
_DAY_WORDS = re.compile(r"\d")
_STAMP = _LISTS.pattern("stamp")
BROUGHT = _LISTS.pattern("brought", re.IGNORECASE)
"""Origins of a case in a court; not a title of a paper."""
# "[Filed May 25, 2012]" within a text is the day of another paper.
_DECIDED = _LISTS.pattern("decided")
_DATED = re.compile(r"^\s*(?:Dated?|DATED?)\s*(?:this|:)\s*", re.MULTILINE)


def is_no_title(text: str, /) -> bool:
    """Whether a line is the number of a case, a court, a stamp or where a decision is reported."""
    marks = (BROUGHT, _NUMBER, _BARE_NUMBER, _STAMP, _CHARGED, _LABELLED)
    is_marked = any(each.match(text) for each in marks)
    return is_marked or (text[:1].isdigit() and is_citation(text)) or find_court([text]) is not None


def is_no_party(text: str, /) -> bool:
    """Return whether a line of a caption is something other than the name of a party."""
    if is_no_title(text):
        return True
    if _NO_PARTY.match(text):
        return True
    kind = kind_of_title(text) if text.isupper() or len(text) < 50 else None
    return kind is not None and kind.start == 0


def case_number_in(cells: Sequence[Cell], /) -> str | None:
    """Return the number of the case, not of a lower court or another case."""
    best: str | None = None
    for cell in cells[:70]:
        if bare := _BARE_NUMBER.match(cell.text.strip()):
            best = best or bare.group().rstrip(".")
            continue
        for match in _NUMBER.finditer(cell.text):
            before = cell.text[max(0, match.start() - 18) : match.start() + 12]
            if _OTHER_NUMBER.search(before):
                continue
            labelled = not re.match(r"\s*no", match.group(), re.IGNORECASE)
            number = match["number"].strip()
            is_short = number.isdigit() and len(number) < (4 if labelled else 3)
            if not is_short and any(c.isdigit() for c in number):
                return number
    return best


def judge_in(cells: Sequence[Cell], /) -> str | None:
    """Return the judge whom the first lines name, without title."""
    for pattern in _JUDGE:
        for place, cell in enumerate(cells[:70]):
            below = cells[place + 1].text if place + 1 < len(cells) else ""
            wraps = cell.text.endswith(",") and _TITLE_ONLY.fullmatch(below)
            match = pattern.search(f"{cell.text} {below}" if wraps else cell.text)
            if match is None and pattern is _JUDGE[-1] and _SITTING.fullmatch(cell.text):
                match = _ALONE.match(below)
            column = [c.text for c in cells[:place] if c.side in (cell.side, "whole")]
            above = " ".join(column[-_BELOW:])
            if match and "appeal from" in above.casefold():
                continue  # the judge of the court below
            if match and not _NO_NAME.match(match["name"]):
                name = " ".join(match["name"].split()).strip(" ,.:;")
                name = re.sub(
                    r"^(?:Hon\.|Honorable|(?:Mrs? |Ms )?Justice|Judge|By:?)\s+"
                    r"|\s(?:Judge|Justice|[QK]C)$",
                    "",
                    name,
                    flags=re.IGNORECASE,
                )
                if 1 < len(name) <= 40 and any(c.isalpha() for c in name):
                    return _named(name)
    return None


def signed_by(text: str, /) -> str | None:
    """Return the judge who signs an order: the last name above or before a judge's title."""
    names = [m["name"] for m in _SIGNED.finditer(text) if not _NO_SIGNER.search(m["name"])]
    return _named(" ".join(names[-1].split())) if names else None


def _named(name: str) -> str:
    return " ".join(
        w if len(w.strip(".")) == 1 or w in ("II", "III", "IV") else w.title() if w.isupper() else w
        for w in name.split()
    )


def _day_in(text: str) -> str | None:
    from casetrack.extract.dates import find_dates

    if not _DAY_WORDS.search(text):
        return None
    days = (date.value for date in find_dates(text, day_first=False) if date.precision == "day")
    day = next((d for d in days if d and len(d) == len("2024-05-01")), None)
    return day and written_day(*map(int, day.split("-")))


def filed_on(head: str, facts: LegalFacts, /) -> str | None:
    """Return the day of the court's stamp, or ``None``."""
    if facts.legal_type in (None, "contract", "statute", "correspondence", "deposition"):
        return None
    for stamp in _STAMP.finditer(head[:4000]):
        day = _day_in(head[stamp.end() : stamp.end() + 130])
        if day:
            return day
    return None


def decided_on(head: str, /) -> str | None:
    """Return the day on which an opinion was decided."""
    for word in _DECIDED.finditer(head[:4000]):
        if word.group().startswith("Date") and ":" not in word.group():
            continue
        day = _day_in(head[word.end() : word.end() + 40].split("\n", maxsplit=1)[0])
        if day:
            return day
    lines = [line.strip() for line in head[:2500].split("\n")]
    for line in lines[:40]:
        if 8 <= len(line) <= 40 and _DAY_WORDS.search(line) and not _NUMBER.search(line):
            day = _day_in(line)
            if day and not re.search(r"argued|submitted|filed", line, re.IGNORECASE):
                return day
    return None


_EXHIBIT = re.compile(_LISTS.text("exhibit"), re.VERBOSE | re.MULTILINE)
_BARE_LABEL = _LISTS.pattern("bare_label", re.MULTILINE)


def exhibit_label(text: str, /) -> str | None:
    """Return the label of an exhibit at the top or bottom of a page, or alone on it."""
    head, foot = text[:500], text[-160:]
    for part in (head, foot):
        match = _EXHIBIT.search(part) or _BARE_LABEL.search(part)
        if match and (part is head or len(text) < 3000):
            label = " ".join(match["label"].split())
            whose = (match.groupdict().get("whose") or "").casefold()[:3]
            prefixes = {"pla": "PX-", "def": "DX-", "gov": "GX-", "joi": "JX-"}
            return f"{prefixes.get(whose, '')}{label}"
    return None


_WITNESS = (
    re.compile(
        r"\b(?:DEPOSITION|Deposition|TESTIMONY|Testimony|EXAMINATION(?: UNDER OATH| BEFORE"
        r" TRIAL)?|Examination(?: Under Oath)?)\s+(?:UPON ORAL EXAMINATION |Upon Oral Examination"
        rf" )?(?:OF|of):?\s*(?:MR\.|MS\.|DR\.|Mr\.|Ms\.|Dr\.)?\s*(?P<name>{_NAME})"
    ),
    re.compile(
        rf"\b(?:DECLARATION|Declaration|AFFIDAVIT|Affidavit|AFFIRMATION|Affirmation"
        rf"|WITNESS STATEMENT|Witness Statement|witness statement)\s+(?:OF|of|BY"
        rf"|by):?\s*(?:MR\.|MS\.|DR\.|Mr\.|Ms\.|Dr\.)?\s*(?P<name>{_NAME})"
    ),
    re.compile(
        rf"\bI,\s+(?P<name>{_NAME}),\s+(?:hereby |do )?(?:declare|state|being|affirm"
        rf"|depose|of|make|certify|am)\b"
    ),
    re.compile(
        r"^\s*(?P<name>[A-Z][A-Z.'’ -]{4,40}),?\s*\n*\s*(?:the witness herein"
        r"|called as a witness|a witness|having been|having first been|being first duly"
        r"|was first duly|after having been)",
        re.MULTILINE,
    ),
)
_END_OF_NAME = re.compile(
    r"\s+(?:IN|in|In|TAKEN|Taken|taken|VOLUME|Volume|ON|On|ESQ|PURSUANT|REGARDING|AND|and|AS"
    rf"|{any_month()}|VOL|DATED|M\.D|PH\.D|SUPPORTING|OPPOSING|FILED|Pursuant|Regarding)\b.*$"
)


def witness_in(facts: LegalFacts, text: str, /) -> str | None:
    """Return whose testimony a deposition or a declaration is."""
    if facts.legal_type != "deposition" and facts.legal_detail not in ("declaration", "transcript"):
        return None
    patterns = _WITNESS[:1] + _WITNESS[3:] if facts.legal_type == "deposition" else _WITNESS[1:3]
    for source in filter(None, (facts.legal_title, text[:6000])):
        for pattern in patterns:
            match = pattern.search(source)
            if match:
                name = _END_OF_NAME.sub("", " ".join(match["name"].split())).strip(" ,.")
                if len(name) > 3 and not _NO_NAME.match(name):
                    return _named(name)
    return None
