"""Laws, rules of court, constitutions and records in a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.numerals import roman, roman_value
from casetrack.base.records.reading import AskedCitation
from casetrack.extract.references.matches import slug
from casetrack.search.question.words import part, terms_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.base.records.reading import CitedKind

_I = re.IGNORECASE

_SIGN = r"(?:§{1,2}|ss\.?(?=\s?\d)|sections?|secs?\.?)"
_SUBS = r"(?:\s?\([0-9A-Za-z]{1,5}\))*"
_CODE = re.compile(
    r"(?<![\w.])(?P<title>\d{1,2})\s+"
    r"(?P<code>u\.?\s?s\.?\s?c\.?(?:\s?[as]\.)?|c\.?\s?f\.?\s?r\.?)"
    rf"(?![a-z]),?\s*(?:(?:{_SIGN}|parts?|pt\.?)\s*)?(?P<number>\d{{1,5}}[a-z]{{0,2}}"
    rf"(?:\.\d{{1,4}}[a-z]?)?(?:-\d{{1,3}}[a-z]?)?(?:\.\d+)?{_SUBS})",
    _I,
)
_LONE_SECTION = re.compile(rf"(?<!\w){_SIGN}\s*(?P<number>\d{{3,5}}{_SUBS})(?![\w.]\d|\w)", _I)
_STATE_LAW = re.compile(
    r"(?<!\w)(?:[A-Z][\w.&']*\.?\s+){1,5}"
    rf"{_SIGN}\s*\d+[\w.:-]*(?:\([0-9A-Za-z]{{1,5}}\))*"
)
_RULE = re.compile(
    r"(?<!\w)(?:(?P<long>fed(?:eral|\.)?\s*r(?:ules?|\.)?\s*(?:of\s+)?"
    r"(?P<set>civ|crim|evid|app|bankr)[a-z]*\.?\s*(?:p(?:roc(?:edure|\.)?|\.)?)?(?![a-z]))\s*(?:rule\s+)?|(?P<short>frcp|frcrp|frcrimp"
    rf"|fre|frap|frbp)\s+(?:rule\s+)?|rules?\s+)(?P<number>\d{{1,4}}(?:\.\d)?(?P<subs>{_SUBS})"
    r"(?:[a-z]?-\d{1,3})?)(?![\w.]\d)",
    _I,
)
_RULE_SETS = {
    "civ": "civil", "crim": "criminal", "evid": "evidence", "app": "appellate",
    "bankr": "bankruptcy", "frcp": "civil", "frcrp": "criminal", "frcrimp": "criminal",
    "fre": "evidence", "frap": "appellate", "frbp": "bankruptcy",
}  # fmt: skip
_AMENDMENT = re.compile(
    r"(?<!\w)(?:u\.?\s?s\.?\s+const(?:itution|\.)?,?\s+)?"
    r"(?:(?P<roman>amend(?:ment|s|\.)?\s+(?P<n>[ivxl]+|\d{1,2}))|(?P<word>first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
    r"|thirteenth|fourteenth|fifteenth)\s+amendment|const(?:itution|\.)?,?\s+art(?:icle|\.)?\s+"
    r"(?P<article>[ivx]+|\d{1,2}))(?!\w)",
    _I,
)
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth"
).split()


def codes(query: str, /) -> Iterator[AskedCitation]:
    """Yield sections of the United States Code and of federal regulations."""
    for match in _CODE.finditer(query):
        kind: CitedKind = "regulation" if match["code"].lower().startswith("c") else "statute"
        code = "cfr" if kind == "regulation" else "usc"
        number = match["number"].strip()
        key = "regulation:" + slug(code, match["title"], number)
        base = re.match(r"[^(]+", number)
        letters = r"\.?\s?".join(code)
        written = re.escape(base[0].strip() if base else number)
        yield AskedCitation(
            part(query, match.start(), match.end()),
            kind,
            (key,),
            spellings=(terms_of(f"{match['title']} {code} {base[0] if base else number}"),),
            pattern=rf"(?i)(?<!\d){match['title']}\s+{letters}\.?[^\d]{{0,20}}{written}(?!\w)",
        )


def state_laws(query: str, /) -> Iterator[AskedCitation]:
    """Yield state laws: a capitalised name, a section sign, a number."""
    from casetrack.extract.references.finder import References

    for match in _STATE_LAW.finditer(query):
        if _CODE.search(query, max(0, match.start() - 4), match.end()):
            continue  # federal law, which is already read
        written = re.sub(rf"\s*{_SIGN}\s*(?=\d)", " § ", match[0], flags=_I)
        for reference in References().find(written):
            if reference.type in {"regulation", "case"} and reference.resolved:
                text = reference.text.split("§")
                number = text[-1].strip()
                words = [w for w in re.findall(r"[A-Za-z]+", text[0]) if len(w) > 1]
                pattern = r"[\w.]*\W+".join(map(re.escape, words)) if len(text) > 1 else ""
                yield AskedCitation(
                    part(query, match.start(), match.end()),
                    "statute",
                    (reference.key,),
                    spellings=(terms_of(reference.text),) if pattern else (),
                    pattern=pattern and rf"{pattern}[\w.]*\W+\D{{0,12}}{re.escape(number)}(?!\w)",
                )


def rules(query: str, /) -> Iterator[AskedCitation]:
    """Yield rules of the federal courts, also without the set of rules."""
    for match in _RULE.finditer(query):
        own = (match["set"] or match["short"] or "").lower()
        if not own and not match["subs"] and len(match["number"]) < 3:
            continue  # "rule 5" may be any rule in the documents
        sets = (_RULE_SETS[own],) if own else tuple(dict.fromkeys(_RULE_SETS.values()))
        number = re.sub(r"\s", "", match["number"])
        signs = r"\s?".join(re.escape(p) for p in re.findall(r"\(\w+\)|[^()]+", number))
        yield AskedCitation(
            part(query, match.start(), match.end()),
            "rule",
            tuple("rule:" + slug("federal", s, number) for s in sets),
            spellings=(terms_of(number),),
            pattern=rf"(?i)(?:\br(?:ule|\.)s?|\bp\.|evid\.|\bfrc?r?[a-z]{{1,4}})\s*{signs}(?![\w.]\d|\w)",
        )


def constitutions(query: str, /) -> Iterator[AskedCitation]:
    """Yield articles and amendments of the Constitution."""
    for match in _AMENDMENT.finditer(query):
        if match["article"]:
            number, what = match["article"].upper(), "art"
        elif match["word"]:
            number, what = str(_ORDINALS.index(match["word"].lower()) + 1), "amend"
        else:
            number, what = match["n"].upper(), "amend"
            if not number.isdigit() and "const" not in match[0].lower() and match["n"].islower():
                continue
        value = int(number) if number.isdigit() else roman_value(number) or 0
        if not 0 < value < 28 or ("const" not in match[0].lower() and not match["word"]):
            continue
        numeral = roman(value)
        numerals = rf"(?:{numeral.upper()}|{value})"
        word = _ORDINALS[value - 1] if what == "amend" and value <= len(_ORDINALS) else ""
        written = rf"{what}[a-z]*\.?\s+{numerals}(?!\w)" + (rf"|{word}\s+amendment" if word else "")
        spelt = [terms_of(f"const {numeral.upper()}")]
        spelt += [terms_of(f"{word} amendment")] if word else []
        yield AskedCitation(
            part(query, match.start(), match.end()),
            "constitution",
            (f"constitution:united-states-{what}-{numeral}",),
            spellings=tuple(spelt),
            pattern=rf"(?i)(?<!\w)(?:{written})",
        )


def lone_sections(query: str, /) -> Iterator[AskedCitation]:
    """Yield "section 1983", a law if the collection cites only one with that number."""
    for match in _LONE_SECTION.finditer(query):
        yield AskedCitation(
            part(query, match.start(), match.end()), "statute", number=slug(match["number"])
        )


# Docket numbers and places of the record in a question.


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
            continue  # a question that only mentions the exhibit
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
