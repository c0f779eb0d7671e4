"""Names with evidence in a document, their short names, and their written variants."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from casetrack.base.words import lists
from casetrack.graph.entities.lexicon import LEGAL_FORMS, LONGEST_FORM
from casetrack.graph.entities.text import clean, fold, is_all_caps

if TYPE_CHECKING:
    from casetrack.extract.spans import NameKind

Evidence: TypeAlias = Literal[
    "party clause",
    "definition",
    "title block",
    "letterhead",
    "signature",
    "mail head",
    "caption",
    "invoice head",
    "metadata",
    "legal form",
    "tagger",
]
"""Evidence for a name: its place or form; ``tagger``: many equal results of the tagger."""


@dataclass(frozen=True, slots=True, order=True)
class Where:
    """A place: position of the chunk among the document's, code points in its text."""

    chunk: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """A name with evidence at a place."""

    where: Where
    text: str  # The name as written
    kind: NameKind | None  # ``None`` if the place does not show it
    evidence: Evidence
    address: str = ""  # Mail address in lower case; empty without one
    called: str = ""  # The full name, if the text at the place is not one (``jo.roe@acme.com``)
    # Whether the same block prints the name of the same signer further down.
    is_repeat: bool = False
    role: str = ""  # Role stated at the place ("plaintiff"), or empty


@dataclass(frozen=True, slots=True)
class Term:
    """A term or name that the text defines for an entity: ``Acme, Inc. (the "Buyer")``."""

    # The term, without quotation marks.
    where: Where
    text: str
    owner: Where  # Place of the name that it stands for
    role: str = ""  # The party role ("buyer"); empty for a name
    # Whether it is a name (a short name, a former name), not a common word used as one ("the
    # Company", "the Bank").
    is_name: bool = True
    # Whether it is in quotation marks, like a definition, not only in parentheses.
    quoted: bool = False


@dataclass(slots=True)
class Anchors:
    """All names with evidence, and all terms of a document."""

    names: list[Anchor]
    terms: list[Term]


# Written variants of a name: without its legal form, in capitals, over two lines.

Manner = Literal["full", "short", "term", "learned"]
"""Reliability of a full name, a defined short name or common word, and a merely tagged name."""

_SAME: Final = str.maketrans(
    dict.fromkeys("\t\n\r\v\f\u00a0\u2002\u2003\u2009\u202f", " ")
    | dict.fromkeys("-\u2010\u2011\u2012\u2013\u2014\u2212", " ")
    | dict.fromkeys("’‘´`\u02bc", "'")
)
_GAPS: Final = re.compile(r" {2,}|\u00ad")
_BROKEN: Final = re.compile(r"(?<=[a-z])(?:-|\u00ad)[ \t]*\n[ \t]*(?=[a-z])")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_EQUAL: Final = lists.LEGAL_FORMS.groups("equal")


@dataclass(frozen=True, slots=True)
class Form:
    """A written form of a name."""

    text: str  # In its usual case
    owner: str  # Surface of the name that it stands for
    kind: NameKind
    manner: Manner
    role: str = ""  # The party role of a term such as "Buyer"


def patterns(form: Form, /) -> set[str]:
    """Return the search patterns of a form, normalised like the texts of :func:`readable`."""
    line = _flat(" ".join(form.text.split()))
    variants = {line}
    if form.kind == "organization" and form.manner == "full":
        variants |= _legal_variants(line)
    if " & " in line or " and " in line:
        variants |= {f.replace(" & ", " and ") for f in variants} | {
            f.replace(" and ", " & ") for f in variants
        }
    if "-" in form.text:
        variants |= {_flat(form.text.replace("-", ""))}
    if _CAMEL.search(form.text) and " " not in form.text.strip():
        variants.add(_flat(_CAMEL.sub(" ", form.text)))
    if form.manner == "full":
        variants |= {f.removesuffix(".") for f in variants}
    return {f.removeprefix("the ") if f.count(" ") > 1 else f for f in variants if len(f) > 1}


def _legal_variants(line: str) -> set[str]:
    words = line.replace(",", " ").split()
    for size in range(min(LONGEST_FORM, len(words) - 1), 0, -1):
        tail = tuple(w.replace(".", "") for w in words[-size:])
        family = LEGAL_FORMS.get(tail)
        if family is None:
            continue
        base = " ".join(words[:-size])
        own = " ".join(words[-size:])
        ends = {own, own.removesuffix("."), *_EQUAL.get(family, ())}
        return {f"{base}{comma} {end}" for end in ends for comma in ("", ",")}
    return {line}


def without_form(text: str, /) -> str:
    """Return an organisation's name without its legal form, if it has one.

    >>> without_form("Oakham Dairy, Inc.")
    'Oakham Dairy'
    """
    words = clean(text).split()
    for size in range(min(LONGEST_FORM, len(words) - 1), 0, -1):
        tail = tuple(fold(w).replace(".", "").strip(",&") for w in words[-size:])
        if tuple(t for t in tail if t) in LEGAL_FORMS:
            return " ".join(words[:-size]).rstrip(" ,&")
    return clean(text)


def _flat(text: str) -> str:
    return _GAPS.sub(" ", text.translate(_SAME)).lower().strip()


@functools.lru_cache(maxsize=4)
def readable(text: str, /) -> tuple[str, tuple[int, ...] | None]:
    """Return a normalised text for searching, and the original position of each character.

    Lower case, one kind of space, hyphen and apostrophe; hyphenated words are joined. The positions
    (with the end) are ``None`` if they are unchanged.
    """
    low = text.translate(_SAME).lower()
    broken = "-\n" in text and _BROKEN.search(text)
    if len(low) == len(text) and not broken and "  " not in low and "\u00ad" not in low:
        return low, None
    if len(low) != len(text):
        low = "".join(
            c if len(c) == 1 else o for o, c in ((o, o.translate(_SAME).lower()) for o in text)
        )
    cuts = [(m.start(), m.end(), "") for m in _BROKEN.finditer(text)]
    taken = {i for a, b, _ in cuts for i in range(a, b)}
    cuts += [
        (m.start(), m.end(), " " if m[0][0] == " " else "")
        for m in _GAPS.finditer(low)
        if m.start() not in taken
    ]
    signs: list[str] = []
    places: list[int] = []
    at = 0
    for start, end, put in sorted(cuts):
        signs.append(low[at:start] + put)
        places.extend(range(at, start))
        places.extend([start] * len(put))
        at = end
    signs.append(low[at:])
    places.extend(range(at, len(low)))
    return "".join(signs), (*places, len(text))


def is_written_so(form: Form, written: str, /, *, is_common: bool) -> bool:
    """Return whether a text, equal except for case and marks, is an accepted spelling of a form.

    *is_common* is whether the document also has the word in lower case.
    """
    mine, theirs = _words(form.text), _words(written)
    if "".join(mine) == "".join(theirs):
        return True
    if (
        len("".join(theirs)) < 2
        or not theirs
        or (not theirs[0][0].isupper() and not theirs[0][0].isdigit())
    ):
        # "iBio" and "eBay" start in lower case, and are written so or in capitals only.
        return "".join(theirs).isupper()
    if written.isupper():
        return not is_common or form.manner in {"term", "short", "full"}
    if form.manner == "term" or is_common:
        return False
    single = len(mine) == 1
    if single and len(mine[0]) < 5:
        return False
    if is_all_caps(form.text) or not single:
        return all(w[0].isupper() or not w[0].isalpha() or fold(w) in _SMALL for w in theirs)
    return theirs[0][0].isupper()


_SMALL = frozenset("of and the for de la du des der die und et y e von di do da del van".split())
_WORD: Final = re.compile(r"[^\W_]+")


def _words(text: str) -> list[str]:
    return _WORD.findall(text)
