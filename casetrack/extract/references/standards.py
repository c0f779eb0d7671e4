"""References to technical standards: ISO, IEC, EN, DIN, BS, ASTM, IEEE, RFC, NIST, ...

A standard adopted by several bodies is one standard: "BS EN ISO 9001:2015", "DIN EN ISO 9001" and
"ISO/IEC 27001" have the keys of ISO 9001 and ISO 27001. The key has part and year as written:
``standard:iso-9001-2015``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from casetrack.base.words import WordLists
from casetrack.extract.references.matches import ReferenceMatch, one_line, slug

_LISTS = WordLists(__file__)

_ADOPTED = r"(?:(?:DIN|BS|NF|UNE|UNI|SN|SS|NEN|ÖNORM|PN|CSN|AS|NZS|CAN/CSA|CSA)[ \-/]{1,2})"
_YEAR = (
    r"(?:\s?:\s?(?:19|20)\d\d(?:-\d\d)?(?!\d)|\s?[-–]\s?(?:19|20)\d\d(?!\d)|\s\((?:19|20)\d\d\))"
)
_AMENDED = r"(?:\s?\+\s?A(?:md\s?)?\d{1,2}(?::(?:19|20)\d\d)?)*"
_PATTERN = re.compile(
    rf"""(?<![\w/-])(?:
    {_ADOPTED}*(?:EN[ ]?)?(?P<iso>ISO(?:/(?:IEC|IEEE|ASTM|CIE|SAE|IEC/IEEE))?|IEC|EN)
        [ -]?(?:/?(?:TS|TR|PAS|DIS|FDIS|Guide)[ -]?)?
        (?P<iso_number>\d{{2,6}}(?:[-–](?!(?:19|20)\d\d(?!\d))\d{{1,4}}){{0,2}})
    |(?P<own>DIN(?:[ ]VDE|[ ]SPEC)?|BS|VDI(?:/VDE)?|VDE|JIS|AS/NZS|AS|GB/T|GB|UL
    |ETSI(?:[ ](?:EN|TS|TR|ES))?
        |CISPR|NFPA|ASHRAE|SAE|IFRS|IAS|SSAE|SAS|ASC|SOC|ICH|WCAG|PCI(?:[ -]DSS)?|MIL-(?:STD
        |PRF|SPEC|HDBK)
        |ANSI(?:/[A-Z]{{2,8}}){{0,2}}|ASME|API(?:[ ](?:Spec|Std|RP|STD|SPEC|Standard
        |Specification))?
        |RFC|FIPS(?:[ ]PUB)?|NIST(?:[ ](?:SP|Special[ ]Publication|FIPS|IR))|NISTIR)
        [ -](?:Nos?\.?[ ]|Type[ ]|v\.?[ ]?|Version[ ])?
        (?P<own_number>(?:[A-Z]{{1,2}}[.-]?)?\d{{1,6}}(?:[.-](?!(?:19|20)\d\d(?!\d))[A-Z]?\d{{1,4}})*[A-Z]?(?![\w]))
    |(?P<astm>ASTM)[ ]
    (?P<astm_number>[A-G]\s?\d{{1,5}}M?(?:/[A-G]\d{{1,5}}M?)?(?:[-–]\d\d(?:\d\d)?[a-e]?)?)
    |(?P<ieee>IEEE)[ ](?:Std\.?[ ]
    |Standard[ ])?(?P<ieee_number>[A-Z]?\d{{2,5}}(?:\.\d{{1,3}}[a-z]{{0,2}})*)
    |(?P<itu>ITU-[TRD])[ ](?:Rec(?:ommendation
    |\.)?[ ])?(?P<itu_number>[A-Z]{{1,2}}\.\d{{1,4}}(?:\.\d+)*)
    )(?P<year>{_YEAR})?{_AMENDED}(?P<revision>[ ,]{{1,2}}Rev(?:ision|\.)?[ ]?\d{{1,2}})?
    (?P<type>[ ]Type[ ](?:II|I|2|1)\b)?""",
    re.VERBOSE,
)
_LETTERS = tuple(letters.replace("_", " ") for letters in _LISTS.words("letters"))
"""Substrings that every standard's name has one of; a fast test."""
_LOOSE = {"AS": 4, "GB": 4, "BS": 2, "EN": 2, "UL": 2, "ASC": 3, "SAS": 2, "IEC": 2, "SAE": 3}
"""Letters that mean other things too, with the fewest digits that a standard of theirs has."""
_NAMES = _LISTS.pairs("names")


_LINE_END = re.compile(r"(?<!\n)\n(?!\n)")


def find_standards(text: str, /) -> Iterator[ReferenceMatch]:
    """Yield the standards in *text* (type ``standard``), in order."""
    if not any(letters in text for letters in _LETTERS):
        return
    # A line may end between the letters and the number; an empty line parts them.
    flat = _LINE_END.sub(" ", text)
    for match in _PATTERN.finditer(flat):
        kind = match.lastgroup or ""
        group = next(g for g in ("iso", "own", "astm", "ieee", "itu") if match[g])
        body, number = match[group], match[f"{group}_number"]
        digits = len(re.match(r"\d*", number)[0])  # type: ignore[index]  # always matches
        if digits < _LOOSE.get(body, 0) and number[0].isdigit():
            continue
        if body == "SOC" and number not in "123":
            continue
        yield ReferenceMatch(
            match.start(),
            match.end(),
            "standard",
            _key(body, number, match["year"] or "", match["revision"] or "", match["type"] or ""),
            one_line(match[0]),
            0.95 if body not in _LOOSE or kind == "year" else 0.85,
        )


def _key(body: str, number: str, year: str, revision: str, type_: str) -> str:
    body = body.split("/", 1)[0] if body.startswith("ISO/") else body
    body = _NAMES.get(body.casefold(), body)
    return "standard:" + slug(body, number, year, revision, type_)
