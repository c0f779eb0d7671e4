"""Citations of the record of a lawsuit: docket, transcripts, pleadings, exhibits, appendices.

Keys: ``record:dkt-45-2`` (for every abbreviation of the docket), ``record:tr``,
``record:dep-smith``, ``record:decl-jones``, ``record:compl``, ``record:ex-a``, ``record:app``. Text
after "at" is a pin and not in the key. Abbreviations: The Bluebook (21st edition), table BT1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from casetrack.base.words import WordLists
from casetrack.base.words.lists import TITLES, any_title
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug

_LISTS = WordLists(__file__)
_OF_THE_CASE = frozenset(_LISTS.words("of_the_case"))

# Patterns of pin cites of a record, and of the citations.

DASH = "[-–—‑]"
PAGES = rf"\*?\d{{1,5}}(?:\s?{DASH}\s?\d{{1,5}})?"
LINES = (
    rf"\d{{1,4}}:\d{{1,2}}(?:\s?{DASH}\s?(?:\d{{1,4}}:)?\d{{1,2}})?(?:,\s\d{{1,4}}:\d{{1,2}}(?:"
    rf"\s?{DASH}\s?(?:\d{{1,4}}:)?\d{{1,2}})?)*"
)
NOTE = r"(?:,?\s(?:&\s)?nn?\.\s?\d{1,3})?"
PARAGRAPHS = (
    rf"(?:¶{{1,2}}|\b[Pp]ara(?:s?\.|graphs?))\s?\d{{1,4}}(?:\([a-z0-9]\))*(?:\s?{DASH}\s?\d{{1,4"
    rf"}})?(?:(?:,\s|,?\s(?:and|&)\s)\d{{1,4}}(?:\s?{DASH}\s?\d{{1,4}})?(?![\w.]))*"
)
PIN = (
    rf"(?:,?\sat\s(?:pp?\.\s?)?(?:PageID(?:\.|\s#?:?\s?)\d+|{LINES}|{PAGES}(?:,\s{PAGES}(?!"
    rf"\s[A-Z]))*{NOTE}|{PARAGRAPHS}|[A-Z]{{1,6}}[-_ ]?\d{{3,9}})|,?\s{PARAGRAPHS}|,?\s{LINES}"
    rf"|,?\s(?:pp?\.)\s?{PAGES}|,?\s§{{1,2}}\s?[\w.]+(?:\([\w]+\))*)"
)
"""Pages, lines, paragraphs or sections of the source."""
BEFORE_EXHIBIT = r"(?=,?\s(?:at\s|&\s|and\s)?Exh?s?\.\s[A-Z\d])"
WHOSE = _LISTS.joined("whose")
"""The author of the paper, before it."""


def cite_at(text: str, match: re.Match[str], key: str, confidence: float, /) -> ReferenceMatch:
    """Return the place of a citation whose pattern has a group ``pin``; *key* is of the record."""
    name = text[match.start() : match.start("pin") if match["pin"] else match.end()]
    return _record(*match.span(), key, one_line(name).rstrip(","), confidence)


def _record(start: int, end: int, key: str, name: str, confidence: float) -> ReferenceMatch:
    return ReferenceMatch(start, end, "record", f"record:{key}", one_line(name), confidence)


def _more(
    text: str, match: re.Match[str], pattern: re.Pattern[str], key: str, name: str, /
) -> Iterator[ReferenceMatch]:
    """Yield the further numbers of a list, as in "Exs. 1, 2" and "ECF Nos. 4 and 5"."""
    at = match.end()
    while more := pattern.match(text, at):
        at, number = more.end(), more["number"]
        yield _record(more.start("number"), at, slug(key, number), f"{name} {number}", 0.9)


# Exhibits and appendices in a lawsuit: "Ex. 5 at 3", "PX-12", "Pet. App. 33a", "J.A. 100-02".

EXHIBIT = re.compile(
    rf"(?<![\w.])(?P<whose>{WHOSE})(?:(?P<side>PX|DX|JX|GX|CX|RX)[- ]?(?P<sided>\d{{1,4}}[A-Z]?)"
    rf"|(?:Exs?\.|Exhs?\.|EX\.|Exhibits?)\s(?P<mark>\d{{1,4}}(?:[.-]\d{{1,3}})?[A-Z]?"
    rf"|[A-Z]{{1,2}}(?:-?\d{{1,3}})?))(?![\w%]|\.\d)(?P<pin>{PIN})?"
)
_MORE_EXHIBITS = _LISTS.pattern("more_exhibits")
APPENDIX = re.compile(
    rf"(?<![\w.])(?P<what>(?:Pet|Supp)\.\sApp\.|App\.\sto\sPet\.\sfor\sCert\.|S\.\s?App\."
    rf"|App(?:['’]x|x)\.?|App\.|J\.\s?A\.|JA|Jt\.\sApp\.|E\.\s?R\.|\d?-?ER|SER|S\.\s?E\.\s?R\.|A\.\s?R\.|AR|C\.\s?T\.|CT|C\.R\.|CR"
    rf"|ROA\.?|R\.|Rec\.|S\.\s?A\.|A(?:dd)?\.|V?RP|CP)(?P<gap>[\s-]?(?:at\s|p\.\s"
    rf"|pp\.\s)?)(?P<pages>\*?\d{{1,6}}(?:a)?(?:\s?{DASH}\s?\d{{1,6}}a?)?(?:,\s\d{{1,6}}(?:\s?"
    rf"{DASH}\s?\d{{1,6}})?(?!\s[A-Z]|[\w.]))*)(?![\w%:(]|\.\d)"
)
_OF_LAW = _LISTS.pattern("of_law")
"""Words that make an exhibit one of a regulation or statute."""
_OF_EXCHEQUER = _LISTS.pattern("of_exchequer")
"""Volume and page of the Exchequer Reports: "L.R. 1 Ex. 265", "2 Ex. 663 (1848)"."""
_APPENDIX_NAMES = _LISTS.pairs("appendix_names")
_WITHOUT_GAP = frozenset(("ja", "er", "ser", "ar", "sa", "roa", "a"))
_MAY_BE_OTHERS = frozenset(("cr", "ct", "sa", "add", "ar", "cp"))
_RULE_BEFORE = _LISTS.pattern("rule_before")
_COURT_BEFORE = _LISTS.pattern("court_before")


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
    confidence = 0.9 if match["pin"] or not match[0].startswith("Exhibit") else 0.7
    yield cite_at(text, match, slug(side, "ex", mark), confidence)
    if plural and not match["pin"]:
        yield from _more(text, match, _MORE_EXHIBITS, slug(side, "ex"), "Ex.")


def _appendix(text: str, match: re.Match[str]) -> ReferenceMatch | None:
    before = text[max(0, match.start() - 14) : match.start()]
    if _RULE_BEFORE.search(before) or _COURT_BEFORE.search(before):
        return None
    letters = re.sub(r"[^a-z]", "", match["what"].lower())
    opened = re.search(r"[(;,]\s?(?:[Ss]ee\s)?$", before)
    is_open = opened is not None and opened[0][0] != ","
    if (
        (not match["gap"] and letters not in _WITHOUT_GAP)
        or (letters == "a" and (match["what"] != "A" or not opened))
        or (letters in _MAY_BE_OTHERS and "at" not in match["gap"] and not is_open)
    ):
        return None
    name = _APPENDIX_NAMES[letters.lstrip("0123456789")]
    return _record(*match.span(), name, match["what"], 0.7 if len(letters) == 1 else 0.85)


_DOCKET = re.compile(
    rf"(?<![\w.])(?:ECF(?:\sDkt\.?)?(?:\sDoc(?:ument|\.)?)?|Dkt\.?(?:\sEntry)?|Docket(?:\sEntry)?"
    rf"|D\.\s?E\.|DE|D\.I\.|Doc\.|R\.\sDoc\.|Rec\.\sDoc\.|Filing(?=\sNo\.)|CM/ECF|DOC\.|DKT\.?|NEF)"
    rf"(?:\s?Nos?\.\s?|\s?NO\.\s?|\s?##?\s?|\s)(?P<number>\d{{1,5}}(?:-\d{{1,3}})*)(?![\w%]"
    rf"|\.\d)(?P<pin>{PIN})?"
)
_MORE_ENTRIES = re.compile(
    rf"(?:,\s(?:and\s|&\s)?|\s(?:and|&)\s|\s?[-–—]\s?)(?P<number>\d{{1,5}}(?:-\d{{1,3}})*)(?![\w%]|\.\d)(?P<pin>{PIN})?"
)
_BRACKETED = re.compile(
    rf"\[(?:ECF|Dkt\.?|Doc\.?|D\.E\.|#)\s?(?:No\.\s?)?(?P<number>\d{{1,5}}(?:-\d{{1,3}})*)(?P<pin"
    rf">{PIN})?\]"
)
_OF_WITNESS = re.compile(
    rf"(?<![\w.])(?P<who>(?:(?:{any_title('address', 'academic')})\.\s)?(?:[A-Z]\.\s?)*[A-Z][\w'’-]"
    r"+(?:\s(?:[A-Z]\.\s)?[A-Z][\w'’-]+)?)\s(?P<what>Dep(?:o)?\.(?:\sTr\.)?|Dep['’]n|Depo"
    r"(?:sition)?(?:\sTr(?:\.|anscript))?|Decl\.|Aff\.|Affid\.|Tr\.|Rpt\.|Report|Declaration"
    rf"|Affidavit|Test\.)(?P<pin>{PIN}|,?\s(?:at\s)?(?P<bare>{PAGES})(?![\w%.]\d)|{BEFORE_EXHIBIT})"
)
_DEPOSITION_OF = re.compile(
    rf"(?<!\w)(?P<what>Dep(?:osition|\.)(?:\sTr(?:anscript|\.))?|Decl(?:aration|\.)|Aff(?:idavit"
    rf"|\.))\sof\s(?P<who>(?:(?:Dr|{any_title('address')})\.\s)?(?:[A-Z][\w'’-]*\.?\s){{0,3}}[A-Z][\w'’-]+)(?P"
    rf"<pin>,?{PIN})"
)
_TRANSCRIPT = re.compile(
    rf"(?<![\w.])(?P<what>(?:(?P<volume>\d{{1,3}})\s)?(?:(?:Trial|Hr['’]g|Hearing|Oral Arg\."
    rf"|Conf\.|Sent(?:encing|'g|’g)|Plea|Prelim\.|Mot\.|Suppression|Evid\.|Bench|Status"
    rf"|Dep\.)\s)*(?:Tr\.|TR\.|RT|R\.T\.|Hr['’]g\sTr|Trial\sTranscript|Hearing\sTranscript"
    r"|Tr\.\sof\s(?:Oral\sArg\.|Hr['’]g|Hearing|Trial|Proceedings)"
    rf"|T\.)(?:\s(?:Vol\.|vol\.)\s?(?P<vol>[IVX\d]+),?)?)(?P<pin>\s?(?:at\s)?(?P<lines>{LINES})"
    rf"|,?\sat\s{PAGES}|\s{PAGES}(?![\w%]|\.\d|\s[A-Z]))"
)
_PAPER_WORDS = _LISTS.joined("paper_words")
_PAPER = re.compile(
    rf"(?<![\w.])(?P<whose>{WHOSE})(?P<what>{_PAPER_WORDS})(?P<pin>,?\s(?:¶{{1,2}}"
    rf"|[Pp]aras?\.)\s?\d{{1,4}}(?:\([a-z0-9]\))*(?:\s?{DASH}\s?\d{{1,4}})?(?:(?:,\s|,?\s(?:and"
    rf"|&)\s)\d{{1,4}}(?:\s?{DASH}\s?\d{{1,4}})?(?![\w.]))*"
    rf"|(?:,?\sat|(?<=\bBr\.))\s{PAGES}(?:,\s{PAGES}(?!\s[A-Z]))*{NOTE}(?![\w%])|{BEFORE_EXHIBIT})"
)
_PAPER_AND_ENTRY = re.compile(
    rf"(?<![\w.])(?P<whose>{WHOSE})(?P<what>{_PAPER_WORDS})\s\((?:ECF|Dkt\.?|Doc\.|D\.\s?E\.|Docket)(?:\sNo\.|\s#|\sEntry)?\s(?P<number>\d{{1,5}}(?:-\d{{1,3}})*)\)(?P<pin>{PIN})"
)
_DOCKET_SIGNS = tuple(sign.replace("_", " ") for sign in _LISTS.words("docket_signs"))
_WITNESS_SIGNS = tuple(sign.replace("_", " ") for sign in _LISTS.words("witness_signs"))
_NO_NAME = frozenset(
    "See Also The And But In Of Cf Id At Accord Under With As Supra Compare Trial Hearing Hr'g "
    "Video".split()
)


def find_record_cites(text: str, /, *, exhibits: bool = True) -> Iterator[ReferenceMatch]:
    """Yield citations of the record (type ``record``) with their pins, not in order.

    *exhibits* includes ambiguous words ("Ex. A", "App. 12", "R. 45"), which mean something else in
    a contract or a report. :func:`pin_start` returns the start of the pin.
    """
    if any(sign in text for sign in _DOCKET_SIGNS):
        yield from _entries(text)
    if any(sign in text for sign in _WITNESS_SIGNS) or (exhibits and "Report" in text):
        for pattern in (_OF_WITNESS, _DEPOSITION_OF):
            yield from filter(None, (_of_witness(text, m) for m in pattern.finditer(text)))
    if any(sign in text for sign in ("Tr.", "ranscript", "RT", "R.T.", "TR.", "T. ")):
        for match in _TRANSCRIPT.finditer(text):
            if match["lines"] or (exhibits and not match["what"].startswith("T.")):
                confidence = 0.92 if match["lines"] else 0.8
                yield cite_at(text, match, _transcript(match), confidence)
    if any(sign in text for sign in ("¶", "ara.", "aras.")) or (exhibits and " at " in text):
        for match in _PAPER.finditer(text):
            sure = "¶" in match["pin"] or "ara" in match["pin"]
            if sure or exhibits:
                yield cite_at(text, match, _paper(match), 0.9 if sure else 0.7)
    if exhibits:
        yield from exhibits_and_appendices(text)


def _entries(text: str) -> Iterator[ReferenceMatch]:
    for match in _PAPER_AND_ENTRY.finditer(text) if "(" in text and "¶" in text else ():
        yield cite_at(text, match, slug("dkt", match["number"]), 0.95)
    for pattern in (_DOCKET, _BRACKETED):
        for match in pattern.finditer(text):
            yield cite_at(text, match, slug("dkt", match["number"]), 0.95)
            if "os." in match[0] or "##" in match[0]:
                name = text[match.start() : match.start("number")]
                yield from _more(text, match, _MORE_ENTRIES, "dkt", name.rstrip())


def pin_start(cite: str, /) -> int:
    """Return where the pin begins in the words of a citation; their length without one."""
    for pattern in (
        _PAPER_AND_ENTRY,
        _DOCKET,
        _BRACKETED,
        _OF_WITNESS,
        _DEPOSITION_OF,
        _TRANSCRIPT,
        _PAPER,
        EXHIBIT,
    ):
        match = pattern.match(cite)
        if match and match.end() >= len(cite) - 1:
            return match.start("pin") if match["pin"] else len(cite)
    match = APPENDIX.match(cite)
    return match.start("pages") if match else len(cite)


def _of_witness(text: str, match: re.Match[str]) -> ReferenceMatch | None:
    who = match["who"].split()
    while who and who[0].rstrip(".,") in _NO_NAME:
        who = who[1:]
    what = match["what"].lower()
    if not who or (len(who) == 1 and who[0].rstrip(".") in {"Dr", *TITLES.words("address")}):
        return None
    kind = next((kind for kind in ("decl", "aff", "dep") if what.startswith(kind)), "tr")
    kind = "report" if what.startswith(("rpt", "report")) else kind
    if kind == "report" and match.groupdict().get("bare"):
        return None
    name = re.sub(r"['’]s?$", "", who[-1])
    start = (
        match.start("who") + match["who"].find(who[0]) if match.re is _OF_WITNESS else match.start()
    )
    shown = text[start : match.start("pin")]
    return _record(start, match.end(), slug(kind, name), shown, 0.93)


_SESSION = re.compile(r"(?P<hearing>h(?:ea)?r['’]?i?n?g)|(?P<argument>arg)|(?P<trial>trial)")


def _transcript(match: re.Match[str]) -> str:
    what = match["what"].lower()
    volume = match["vol"] or match["volume"] or ""
    said = _SESSION.search(what)
    kind = f"{said.lastgroup}-tr" if said else "tr"
    return slug(kind, f"vol {volume}" if volume else "")


_PAPERS = tuple(_LISTS.pairs("papers").items())


def _paper(match: re.Match[str]) -> str:
    what = match["what"].lower()
    whose = match["whose"].lower()
    side = "pl" if whose.startswith(("pl", "pet", "appellant")) else ""
    side = "def" if whose.startswith(("def", "resp", "appellee")) else side
    name = next((key for pattern, key in _PAPERS if re.search(pattern, what)), slug(what))
    if name in _OF_THE_CASE:
        side = ""
    return slug(side, name)
