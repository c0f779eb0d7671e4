"""Restatements and treatises, which briefs cite beside the law itself.

Keys: ``document:restatement-second-torts-402a``,
``document:treatise-wright-miller-federal-practice-and-procedure-1357``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.extract.references.matches import ReferenceMatch, one_line, slug

if TYPE_CHECKING:
    from collections.abc import Iterator

_SECTION = r"(?:§{1,2}|[Ss]ections?|ch\.|¶)\s?(?P<section>\d[\dA-Za-z]*(?:[.:\[-]\d+[A-Za-z]?\]?)*)"
_RESTATEMENT = re.compile(
    r"Restatement\s?(?:\((?P<series>First|Second|Third|Fourth)\)\s)?(?:of\s)?(?:the\s)?"
    r"(?P<subject>(?:Law\s)?(?:[A-Z][\w’']+(?:\s(?:of|and|&|the))?[:,]?\s){1,8}?)"
    rf"{_SECTION}(?:\s?\(\d\))?(?:,?\s(?:cmt|comment|reporter['’]s\snote"
    rf"|illus)s?\.?\s?[a-z\d]{{1,2}}(?!\w))?"
)
_KNOWN = (
    "Wright|Moore|Wigmore|Nimmer|Corbin|Williston|Prosser|McCarthy|Weinstein|Couch|Collier|Larson"
    "|LaFave|Farnsworth|Chisum|"
    "Areeda|Sutherland|Newberg|Rubenstein|Witkin|Appleman|Fletcher|Loss|Hazen|McCormick|Mueller"
    "|Dobbs|Tribe|Chemerinsky|Schwarzer|Siegel"
)
_AUTHORS = (
    r"(?P<authors>(?:[A-Z]\.\s?){0,3}[A-Z][\w'’-]+(?:(?:,\s|\s&\s|,?\sand\s)(?:[A-Z]\.\s?"
    r"|[A-Z][a-z]+\s)*[A-Z][\w'’-]+){0,3}(?:\set\sal\.)?(?:['’]s)?)"
)
_TREATISE = re.compile(
    rf"(?<![\w.])(?:(?P<volume>\d{{1,2}}[A-Z]?)\s)?{_AUTHORS},?\s(?:on\s)?(?P<title>[A-Z][\w’'-]*"
    rf"(?:\s(?:of|and|the|on|in|for|to|[A-Z&][\w’':-]*)){{0,9}}),?\s{_SECTION}(?:\.\d+)?"
    r"(?P<edition>,?\s?(?:at\s\d+\s?)?\((?:[^()]{0,40}\bed\.[^()]{0,20}|[^()]{0,20})(?:19"
    r"|20)\d\d(?:\s[^()]{0,12})?\))?"
)


def find_other_works(text: str, /) -> Iterator[ReferenceMatch]:
    """Yield Restatements and treatises, by section, as places of type ``document``."""
    if "Restatement" in text:
        for match in _RESTATEMENT.finditer(text):
            series = (match["series"] or "").lower()
            subject = re.sub(r"\bLaw\s|\bof\b|\bthe\b", " ", match["subject"])
            key = slug("restatement", series, subject, match["section"])
            yield _work(match.start(), match.end(), key, text)
    if "§" not in text:
        return
    for match in _TREATISE.finditer(text):
        known = re.search(rf"\b(?:{_KNOWN})\b", match["authors"])
        edition = match["edition"] or ""
        if not known and "ed." not in edition:
            continue
        authors = re.sub(r"\b[A-Z]\.\s?|\bet\sal\.|['’]s$", " ", match["authors"])
        key = slug("treatise", authors, match["title"], match["section"])
        end = match.start("edition") if edition else match.end()
        yield _work(match.start(), end, key, text)


def is_other_work(key: str, /) -> bool:
    """Whether *key* is that of a Restatement or a treatise, and not of a paper of business."""
    return key.startswith(("document:restatement-", "document:treatise-"))


def _work(start: int, end: int, key: str, text: str) -> ReferenceMatch:
    return ReferenceMatch(start, end, "document", f"document:{key}", one_line(text[start:end]), 0.9)
