"""Parsing of document titles and file names: words, dates, numbers, version marks."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from casetrack.base.words import WordLists
from casetrack.extract.references.statutes import DATE, iso_date

_LISTS = WordLists(__file__)
KINDS = frozenset(
    "agreement contract deed lease amendment addendum supplement invoice order purchase proposal "
    "offer quotation quote letter email mail fax memo memorandum notice report minutes certificate "
    "statement policy note credit request change schedule exhibit annex appendix attachment plan "
    "file document record log register spreadsheet presentation vertrag rechnung angebot brief "
    "schreiben bericht protokoll".split()
)
"""Words for the kind of a document, which do not identify it."""
_SMALL = frozenset("of the a an to and in on for by from as at with dated".split())
_LEADING = frozenset(
    "the a an this that these certain said such our your my his her its their its".split()
)
_TRAILING = frozenset(
    "dated of from as on vom made and entered into executed the effective".split()
)
_ORDINALS = {
    word: str(i)
    for i, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),
        1,
    )
}
NUMBERED_KINDS = frozenset({"amendment", "addendum", "supplement"})

_EXTENSION = re.compile(r"(?<=\S)\.(?=[A-Za-z])[A-Za-z0-9]{2,5}$")
_NUMERIC_DATE = _LISTS.pattern("numeric_date")
_WRITTEN_DATE = re.compile(rf"(?<![\w/-]){DATE}(?![\w/-])")
_VERSION = _LISTS.pattern("version")
_STAGE = _LISTS.pattern("stage")
_MARK = _LISTS.pattern("mark")
_STAGES = {"draft": 0, "entwurf": 0, "unsigned": 0, "final": 2}
_SIGNED = 3
_IDENTIFIER = re.compile(r"(?<![\w/-])(?=[\w/-]*\d)[A-Za-z0-9]+(?:[-/][A-Za-z0-9]+)*(?![\w/-])")
_PERIOD = re.compile(r"(?:q[1-4]|h[12]|fy\d{2,4}|\d{1,2}(?:st|nd|rd|th))$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Title:
    """A parsed title or file name."""

    # Lower-case words without the content of the other fields. "First Amendment" and "Amendment No.
    # 1" are both ``("amendment", "1")``.
    words: tuple[str, ...]
    dates: frozenset[str]  # ``YYYY-MM-DD`` or ``YYYY-MM``
    identifiers: frozenset[str]  # Numbers that name one thing, such as ``ts-2024-0187``
    version: tuple[int, ...] | None  # Version number, or ``None``; a letter counts from A = 1
    stage: int  # 0 draft, 1 unknown, 2 final, 3 signed
    marked: bool  # Whether it is marked as a version or copy

    @property
    def is_specific(self) -> bool:
        """Whether its words identify more than the kind of document."""
        return any(w not in KINDS and w not in _SMALL for w in self.words)

    @property
    def kinds(self) -> frozenset[str]:
        """The words for the kind of document."""
        return KINDS.intersection(self.words)


@lru_cache(maxsize=8192)
def read_title(text: str, /, *, is_file: bool = False) -> Title:
    """Parse a title, or with *is_file* the name of a file without its extension."""
    text = unicodedata.normalize("NFKC", text).strip()
    if is_file:
        text = _EXTENSION.sub("", text)
    text, dates = _take_dates(text)
    version = _VERSION.search(text)
    stages = [_STAGES.get(m["stage"].lower(), _SIGNED) for m in _STAGE.finditer(text)]
    marked = bool(version or stages or _MARK.search(text))
    for mark in (_VERSION, _STAGE, _MARK):
        text = mark.sub(" ", text)
    text, identifiers = _take_identifiers(text.replace("_", " "))
    words = _words(text)
    return Title(
        words,
        frozenset(dates),
        frozenset(identifiers),
        _number(version) if version else None,
        max(stages, default=1),
        marked,
    )


def slug(text: str, /, *, is_file: bool = False) -> str:
    """Return all letters and digits of a title in lower case, joined by hyphens."""
    text = unicodedata.normalize("NFKC", text)
    text = _EXTENSION.sub("", text) if is_file else text
    return "-".join(re.findall(r"[^\W_]+", text.casefold()))


def _take_dates(text: str) -> tuple[str, list[str]]:
    dates = [f"{m['y']}-{m['m']}-{m['d']}" for m in _NUMERIC_DATE.finditer(text)]
    text = _NUMERIC_DATE.sub(" ", text)
    spaced = text.replace("_", " ")
    for match in _WRITTEN_DATE.finditer(spaced):
        # Day and month of 03/04/2024 are ambiguous.
        if not match["slashes"]:
            dates.append(iso_date(match))
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return text, dates


def _take_identifiers(text: str) -> tuple[str, list[str]]:
    identifiers = []
    for match in _IDENTIFIER.finditer(text):
        token = match[0]
        if _PERIOD.match(token) or not _names_one_thing(token):
            continue
        identifiers.append(re.sub(r"[-/]+", "-", token.casefold()))
        text = text[: match.start()] + " " * len(token) + text[match.end() :]
    return text, identifiers


def _names_one_thing(token: str) -> bool:
    """Return whether a number identifies a thing: CR-03, 2024/17, 20417; not a year or 10-K."""
    digits = sum(c.isdigit() for c in token)
    if token[:2].isalpha():
        return digits >= 2
    return digits >= (5 if token.isdigit() else 3)


def _words(text: str) -> tuple[str, ...]:
    text = re.sub(r"\be-mail", "email", text.casefold())
    words = re.findall(r"[^\W_]+", text)
    words = [w for w in words if w not in {"no", "nr", "number", "the"}]
    while words and words[0] in _LEADING:
        del words[0]
    while words and words[-1] in _TRAILING:
        del words[-1]
    for i in range(len(words) - 1):
        if words[i] in _ORDINALS and words[i + 1] in NUMBERED_KINDS:
            words[i : i + 2] = [words[i + 1], _ORDINALS[words[i]]]
    return tuple(w.lstrip("0") or "0" if w.isdigit() else w for w in words)


def _number(match: re.Match[str]) -> tuple[int, ...]:
    if match["letter"]:
        return (ord(match["letter"].upper()) - ord("A") + 1,)
    return tuple(int(part) for part in match["number"].split("."))
