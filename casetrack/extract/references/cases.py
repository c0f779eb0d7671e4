"""Cases that are cited without a reporter: neutral citations, case numbers, names of parties."""

from __future__ import annotations

import re
from collections.abc import Iterator

from casetrack.extract.references.case_names import is_caption, name_before, names_alone
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug

_NEUTRAL = re.compile(
    r"\[(?P<year>(?:19|20)\d\d)\]\s(?P<body>(?:(?:UKSC|UKHL|UKPC|UKUT|UKFTT|EWCA|EWHC|CSIH|CSOH"
    r"|NICA|NIQB|IESC|IEHC|HCA|FCA|FCAFC|NSWCA|NSWSC|VSC|NZSC|NZCA|NZHC|SGCA|SGHC|HKCFA|SCC|ONCA"
    r"|BCCA)(?:\s(?:Civ|Crim))?\s\d{1,5}(?:\s\((?:Ch|QB|KB|TCC|Comm|Pat|Fam|Admin|IPEC|TC|LC"
    r"|AAC)\))?)|(?:\d{1,2}\s)?(?:A\.?C\.?|S\.?C\.?R\.?|QB|KB|Ch|WLR|All\sER(?:\s\(Comm\))?"
    r"|Lloyd['’]s\sRep|BLR|EWLR|IRLR|ICR|Fam|P|FSR|RPC|BCLC|BCC|EMLR)\s\d{1,5})(?![\w])"
)
_YEAR_IN_BRACKETS = re.compile(r"\[(?:19|20)\d\d\]")
_EUROPEAN_WORDS = ("ECLI", "ase C", "ase T", "ase F", "ases C", "ases T", "sache ", "Rs. ")
_EUROPEAN = re.compile(
    r"(?<!\w)(?P<ecli>ECLI:[A-Z]{2}:[A-Z0-9]{1,7}:\d{4}:[A-Z0-9.]{1,25}(?<!\.))"
    r"|(?<!\w)(?:[Cc]ases?|Rechtssache|Rs\.)\s(?P<number>[CTF][-‑–]\d{1,4}/\d\d)(?!\d)"
)
_DOCKET = re.compile(
    r"(?<!\w)(?:Case|Civil\sAction|Cause|Docket|Civ\.\sA\.)\sN(?:os?\.|umber)\s?(?P<number>"
    r"(?:\d{1,2}:)?\d{2,4}[-–][A-Za-z]{1,4}[-–]\d{1,6}(?:[-–][A-Z]{1,4}){0,3})(?!\w)"
)
_GERMAN = re.compile(
    r"(?<!\w)(?:(?P<court>BGH|BVerfG|BAG|BVerwG|BFH|BSG|OLG\s[A-ZÄÖÜ]\w+|LG\s[A-ZÄÖÜ]\w+"
    r"|AG\s[A-ZÄÖÜ]\w+),?\s(?:(?:Urteil|Beschluss|Urt\.|Beschl\.)\s(?:v\.|vom)\s[\d. ]{6,12}|"
    r"(?:Urteil|Beschluss)\svom\s\d{1,2}\.\s\w{3,9}\s\d{4})\s?(?:[-–—,]"
    r"|Az\.?:?)?\s?(?:Az\.?:?\s)?)(?P<file>[IVX]{0,4}\s?\d{0,2}\s?[A-Za-z]{1,4}\s\(?\d{1,5}/\d\d)"
)
NAMES_ALONE = 0.7
"""Confidence of a case cited by its names alone."""


def find_cases(text: str, /) -> Iterator[ReferenceMatch]:
    """Yield cases cited by neutral citation, number or names alone, not in order."""
    if _YEAR_IN_BRACKETS.search(text):
        for match in _NEUTRAL.finditer(text):
            name = name_before(text, match.start())
            start = name.start if name else match.start()
            key = slug(match["year"], match["body"].replace(".", ""))
            yield _case(start, match.end(), key, text, 0.95)
    if any(word in text for word in _EUROPEAN_WORDS):
        for match in _EUROPEAN.finditer(text):
            key = slug(match["ecli"] or "eu " + match["number"])
            yield _case(match.start(), match.end(), key, text, 0.95)
    if "rteil" in text or "eschluss" in text or "Urt." in text or "Beschl." in text:
        for match in _GERMAN.finditer(text):
            key = slug(match["court"], match["file"])
            yield _case(match.start(), match.end(), key, text, 0.95)
    if any(word in text for word in ("ase No", "tion No", "ocket No", "ause No", "A. No")):
        for match in _DOCKET.finditer(text):
            yield _case(match.start(), match.end(), slug("no", match["number"]), text, 0.9)
    if " v. " in text or " v " in text or " vs" in text:
        yield from _versus(text)


def _versus(text: str) -> Iterator[ReferenceMatch]:
    for name in names_alone(text):
        if not is_caption(text, name.start, name.end):
            key = slug(" v ".join(name.parties))
            match = ReferenceMatch(
                name.start, name.end, "case", f"case:{key}", name.text, NAMES_ALONE
            )
            yield match


def _case(start: int, end: int, key: str, text: str, confidence: float) -> ReferenceMatch:
    return ReferenceMatch(start, end, "case", "case:" + key, one_line(text[start:end]), confidence)
