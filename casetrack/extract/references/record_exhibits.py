"""Exhibits and appendices in a lawsuit: "Ex. 5 at 3", "PX-12", "Pet. App. 33a", "J.A. 100-02"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.extract.references.matches import ReferenceMatch, one_line, slug
from casetrack.extract.references.record_pins import DASH, PIN, WHOSE, cite_at

if TYPE_CHECKING:
    from collections.abc import Iterator

EXHIBIT = re.compile(
    rf"(?<![\w.])(?P<whose>{WHOSE})(?:(?P<side>PX|DX|JX|GX|CX|RX)[- ]?(?P<sided>\d{{1,4}}[A-Z]?)"
    rf"|(?:Exs?\.|Exhs?\.|EX\.|Exhibits?)\s(?P<mark>\d{{1,4}}(?:[.-]\d{{1,3}})?[A-Z]?"
    rf"|[A-Z]{{1,2}}(?:-?\d{{1,3}})?))(?![\w%]|\.\d)(?P<pin>{PIN})?"
)
_MORE_EXHIBITS = re.compile(
    r"(?:,\s|,?\s(?:and|&)\s|\s?[-–—]\s?|\sthrough\s)(?P<mark>\d{1,4}[A-Z]?|[A-Z]{1,2})(?![\w.]\w"
    r"|\w)"
)
APPENDIX = re.compile(
    rf"(?<![\w.])(?P<what>Pet\.\sApp\.|Supp\.\sApp\.|S\.\s?App\.|App(?:['’]x|x)\.?|App\.|J\.\s?A\.|JA"
    rf"|Jt\.\sApp\.|E\.\s?R\.|\d?-?ER|SER|S\.\s?E\.\s?R\.|A\.\s?R\.|AR|C\.\s?T\.|CT|C\.R\.|CR"
    rf"|ROA\.?|R\.|Rec\.|S\.\s?A\.|A(?:dd)?\.)(?P<gap>[\s-]?(?:at\s|p\.\s"
    rf"|pp\.\s)?)(?P<pages>\*?\d{{1,6}}(?:a)?(?:\s?{DASH}\s?\d{{1,6}}a?)?(?:,\s\d{{1,6}}(?:\s?"
    rf"{DASH}\s?\d{{1,6}})?(?!\s[A-Z]|[\w.]))*)(?![\w%:(]|\.\d)"
)
_OF_LAW = re.compile(
    r",?\s(?:of|to|in|under)\s(?:the\s)?(?:\d{1,3}\s)?(?:(?:C\.\s?F\.\s?R|U\.\s?S\.\s?C"
    r"|Fed\.\sReg|CFR|USC)\b|[A-Z][\w.]*\s(?:Admin|Code|Stat|Gen|Rev|Comp)\b"
    r"|(?!(?:\S+\s){0,2}(?:Decl|Aff|Compl|Rep|Agmt|Am|Mot|Br)\.)"
    r"(?:(?:[A-Z]{2,6}|[A-Z][A-Za-z]{0,9}\.|Code|Laws?|Act)\s){1,3}§)"
)
"""What makes an exhibit one of a regulation or a statute, and none of a case."""
_OF_EXCHEQUER = re.compile(
    r"(?:(?:L\.\s?R\.|[(\[]1[78]\d\d[)\]])\s\d{1,2}\s(?P<at>Ex)"
    r"|(?<![\w.-])\d{1,2}\s(?P<begin>Ex)\.\s(?:D\.\s?)?\d{1,4}(?:,\s\d{1,4})?\s\(1[78]\d\d\))"
)
"""Volume and page of the Exchequer Reports: "L.R. 1 Ex. 265", "2 Ex. 663 (1848)"."""
_APPENDIX_NAMES = {
    "petapp": "pet-app",
    "suppapp": "supp-app",
    "sapp": "supp-app",
    "appx": "app",
    "app": "app",
    "ja": "ja",
    "jtapp": "ja",
    "er": "er",
    "ser": "ser",
    "ar": "ar",
    "ct": "ct",
    "cr": "cr",
    "roa": "roa",
    "r": "r",
    "rec": "r",
    "sa": "sa",
    "a": "app",
    "add": "add",
}
_RULE_BEFORE = re.compile(
    r"(?:\b(?!(?:See|Accord|Compare|With|But|And|Also)\s)(?:Fed|Evid|Civ|Crim|App|Ct|Loc|L|P|S|Bankr|Cir|Sup|Super|[A-Z][a-z]{2,5}|N\.J|N\.Y"
    r"|Prof|Conduct|Code|Admin|Minn|Or|Comp)\.?,?\s?(?:P\.\s?)?|\d\s?|Rules?\s|&\s)$"
)
_COURT_BEFORE = re.compile(
    r"\b(?:Ct|Cal|Ill|Mo|Ohio|Tex|La|Ga|Ala|Fla|Ind|Mass|Md|N\.C|Kan|Tenn|Wash|Conn|Pa|Va|Mich"
    r"|Minn|N\.M|Or|Ariz|Ark|Wis|Haw|Del|Ky)\.?\s$|\(\s?[A-Z][a-z]*\.\s$|\d\s$"
)


def exhibits_and_appendices(text: str, /) -> Iterator[ReferenceMatch]:
    """Yield the places of a text that cite exhibits of a case, then those of its appendices."""
    reported = {m.start(m.lastgroup or 0) for m in _OF_EXCHEQUER.finditer(text)}
    for match in EXHIBIT.finditer(text):
        if match.start() not in reported and not _OF_LAW.match(text, match.end()):
            yield from _exhibits(text, match)
    yield from filter(None, (_appendix(text, match) for match in APPENDIX.finditer(text)))


def _exhibits(text: str, match: re.Match[str]) -> Iterator[ReferenceMatch]:
    mark = match["mark"] or match["sided"]
    side = (match["side"] or "").lower() or {"pl": "pl", "de": "def", "go": "gov"}.get(
        match["whose"][:2].lower(), ""
    )
    plural = re.search(r"(?:Exs|Exhs|Exhibits)\.?\s", match[0])
    mark = mark.split("-")[0] if plural else mark
    yield cite_at(
        text,
        match,
        slug(side, "ex", mark),
        0.9 if match["pin"] or not match[0].startswith("Exhibit") else 0.7,
    )
    at = match.end()
    while plural and not match["pin"] and (more := _MORE_EXHIBITS.match(text, at)):
        yield ReferenceMatch(
            more.start("mark"),
            more.end(),
            "record",
            f"record:{slug(side, 'ex', more['mark'])}",
            f"Ex. {more['mark']}",
            0.85,
        )
        at = more.end()


def _appendix(text: str, match: re.Match[str]) -> ReferenceMatch | None:
    before = text[max(0, match.start() - 14) : match.start()]
    if _RULE_BEFORE.search(before) or _COURT_BEFORE.search(before):
        return None
    letters = re.sub(r"[^a-z]", "", match["what"].lower())
    short = len(letters) == 1
    if (
        not match["gap"].strip()
        and not match["gap"]
        and letters not in {"ja", "er", "ser", "ar", "sa", "roa", "a"}
    ):
        return None
    if letters == "a" and (
        match["what"] != "A" or not re.search(r"[(;,]\s?(?:[Ss]ee\s)?$", before)
    ):
        return None
    if letters in {"cr", "ct", "sa", "add", "ar"} and not re.search(
        r"[(;]\s?(?:[Ss]ee\s)?$", before
    ):
        return None
    name = _APPENDIX_NAMES[letters.lstrip("0123456789")]
    end = match.end()
    return ReferenceMatch(
        match.start(),
        end,
        "record",
        f"record:{name}",
        one_line(match["what"]),
        0.7 if short else 0.85,
    )
