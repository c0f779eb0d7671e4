"""Docket numbers and places of the record that a question cites."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.records.reading import AskedCitation
from casetrack.extract.references.matches import slug
from casetrack.search.question.words import part, terms_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_I = re.IGNORECASE

_CASE_NUMBER = re.compile(
    r"(?<![\w:-])(?:\d{1,2}:)?(?P<year>\d{2}|\d{4})-(?P<kind>cv|cr|mc|md|mdl|mj|bk|ap|ml|po|civ|crim|cf|ca)"
    r"-(?P<number>\d{1,6})(?P<judges>(?:-[A-Z]{1,4}){0,4})(?![\w])",
    _I,
)
_APPEAL = re.compile(r"(?<!\w)Nos?\.\s+(?P<number>\d{2}-\d{1,5})(?![\w-])", _I)
_DKT = re.compile(
    r"(?<!\w)(?P<word>dkt\.?|docket(?:\s+(?:entry|no\.?))?|d\.\s?e\.|ecf|doc\.)\s*"
    r"(?:nos?\.?|#|entry)?\s*#?(?P<number>\d{1,4}(?:-\d{1,3})?)(?![\w:-]|\.\d)"
    r"(?:,?\s+at\s+(?:pp?\.\s?)?(?P<at>\d+)|,?\s*¶¶?\s?(?P<para>\d+))?",
    _I,
)
_TRANSCRIPT = re.compile(
    r"(?<!\w)(?:(?P<who>[A-Z][\w'\u2019-]+)\s+)?"
    r"(?:hr['\u2019]g\s+|trial\s+|dep(?:o|osition|\.)?\s+|hearing\s+)?"
    r"(?:tr(?:ans(?:cript|\.)?|anscript|\.)?|dep(?:o|osition)?\.?)(?:\s+(?:at|page|p\.))?[\s,]+"
    r"(?P<page>\d{1,4}):(?P<line>\d{1,2})"
    r"(?:\s?[-\u2013\u2014]\s?(?:(?P<page2>\d{1,4}):)?(?P<line2>\d{1,2}))?(?!\w)",
    _I,
)
_FEW_WORDS = 4
_EXHIBIT = re.compile(
    r"(?<!\w)(?:(?i:exh?s?)\.\s+|(?P<word>(?i:exhibit))\s+)(?P<mark>[A-Z]{1,2}|\d{1,4}(?:\.\d{1,3})?[A-Z]?)"
    r"(?![\w-])(?:,?\s+at\s+(?:pp?\.\s?)?(?P<at>\d+))?"
)
_COMPLAINT = re.compile(
    r"(?<!\w)(?P<am>am(?:ended|\.)\s+)?compl(?:aint|\.)?,?\s+(?:¶{1,2}|para(?:graph|s|\.)?)\s*"
    r"(?P<para>\d{1,4})(?!\d)",
    _I,
)
_BATES = re.compile(
    r"(?<![\w-])(?P<prefix>[A-Z]{2,12}(?:[-_][A-Z]{1,8})*)(?P<gap>[-_ ]?)"
    r"(?P<digits>0\d{3,9}|\d{6,10})"
    r"(?:\s?[-\u2013\u2014]\s?(?:(?P=prefix)(?P=gap))?(?P<last>\d{4,10}))?(?![\w.-]\w)"
)


def case_numbers(query: str, /) -> Iterator[AskedCitation]:
    """Yield case numbers of trial courts, in any width: "1:20-cv-01234-ABC", "20-cv-1234"."""
    for match in _CASE_NUMBER.finditer(query):
        year, kind, number = match["year"][-2:], match["kind"].lower(), match["number"]
        bare = number.lstrip("0") or "0"
        years = (year, f"20{year}")
        widths = dict.fromkeys((bare, *(bare.zfill(w) for w in (4, 5, 6))))
        yield AskedCitation(
            part(query, match.start(), match.end()),
            "docket number",
            number=f"{year}-{kind}-{bare}",
            spellings=tuple((y, kind, n) for y in years for n in widths),
            pattern=rf"(?i)(?<!\d)(?:\d{{2}})?{year}\s?[-\u2013]\s?{kind}\s?[-\u2013]\s?0*"
            rf"{bare}(?!\d)",
        )


def appeals(query: str, /) -> Iterator[AskedCitation]:
    """Yield numbers of appeals: "No. 21-1234"."""
    for match in _APPEAL.finditer(query):
        yield AskedCitation(
            part(query, match.start(), match.end()),
            "docket number",
            number=match["number"],
            spellings=(terms_of(match["number"]),),
            pattern=r"(?i)\bnos?\.?\s+(?:[\d-]+(?:,|\s+and|\s+&)\s+)*"
            rf"{re.escape(match['number'])}(?![\w-])",
        )


def record(query: str, /) -> Iterator[AskedCitation]:
    """Yield entries of a docket: "Dkt. 12 at 3", "ECF No. 45-2"."""
    for match in _DKT.finditer(query):
        if match["word"].lower() == "docket" and not match["at"]:
            continue
        number = match["number"]
        at = match["at"] or match["para"] or ""
        spelt = [
            terms_of(f"{word} {number}") for word in ("dkt", "ecf", "docket", "doc", "de", "d e")
        ]
        yield AskedCitation(
            part(query, match.start(), match.end()),
            "record",
            ("record:" + slug("dkt", number),),
            number=number,
            pin=(at, at) if at else (),
            spellings=tuple(dict.fromkeys(spelt)),
            pattern=r"(?i)(?<!\w)(?:dkt\.?|docket(?:\s+entry)?|d\.?\s?e\.?|ecf|doc\.)\s*"
            rf"(?:nos?\.?|#|entry)?\s*#?{re.escape(number)}(?![\w-]|\.\d)",
        )


def papers(query: str, /) -> Iterator[AskedCitation]:
    """Yield exhibits and paragraphs of the complaint: "Ex. 5", "Compl. ¶ 33"."""
    for match in _EXHIBIT.finditer(query):
        at = match["at"] or ""
        if match["word"] and not at and len(query.split()) > _FEW_WORDS:
            continue  # a clause that mentions it, and asks for something else
        yield AskedCitation(
            part(query, match.start(), match.end()),
            "exhibit",
            ("record:" + slug("ex", match["mark"]),),
            pin=(at, at) if at else (),
        )
    for match in _COMPLAINT.finditer(query):
        yield AskedCitation(
            part(query, match.start(), match.end()),
            "record",
            ("record:am-compl" if match["am"] else "record:compl",),
            pin=(f"¶{match['para']}", f"¶{match['para']}"),
            spellings=(terms_of(f"compl {match['para']}"),),
            pattern=rf"(?i)(?<!\w)compl\.?(?:aint)?\s*(?:¶{{1,2}}|para\.?)\s*{match['para']}(?!\d)",
        )


def transcripts(query: str, /) -> Iterator[AskedCitation]:
    """Yield places of a transcript: "Tr. 24:11-20", "Smith Dep. 24:11-25:3"."""
    for match in _TRANSCRIPT.finditer(query):
        page, line = match["page"], match["line"]
        last = match["page2"] or page
        first_line = f"{page}:{line}"
        yield AskedCitation(
            part(query, match.start(), match.end()),
            "transcript",
            number=(match["who"] or "").lower(),
            pin=(first_line, f"{last}:{match['line2'] or line}"),
            spellings=(terms_of(f"{page} {line}"),),
            pattern=rf"(?<![\d:]){page}:{line}(?!\d)",
        )


def bates(query: str, /) -> Iterator[AskedCitation]:
    """Yield Bates numbers and ranges of them."""
    for match in _BATES.finditer(query):
        first = match["prefix"] + match["gap"] + match["digits"]
        last = match["last"]
        yield AskedCitation(
            part(query, match.start(), match.end()),
            "bates",
            number=first,
            pin=(first, match["prefix"] + match["gap"] + last) if last else (first, first),
            spellings=(terms_of(first),),
            pattern=rf"(?<!\w){re.escape(first)}(?!\d)",
        )
