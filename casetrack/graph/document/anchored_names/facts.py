"""What a document makes sure about names: which they are, and what they are called for short."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from casetrack.base.words import lists
from casetrack.graph.entities.lexicon import LEGAL_FORMS, LONGEST_FORM
from casetrack.graph.entities.text import clean, fold, is_shouted

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
"""What makes a name sure: where it stands, or how; ``tagger``: many of its places, all alike."""


@dataclass(frozen=True, slots=True, order=True)
class Where:
    """A place: position of the chunk among the document's, code points into its text."""

    chunk: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class SureName:
    """A name that the text itself makes sure at a place.

    Attributes
    ----------
    text
        The name as it stands there.
    kind
        What it names; ``None`` where the place does not say.
    evidence
        What makes it sure.
    address
        Mail address that belongs to it, in lower case; empty without one.
    called
        The name in full, where the place itself is not written like one (``jo.roe@acme.com``).
    again
        Whether the same block prints the name of the same signer further down.
    role
        What the place says that it is in the document ("plaintiff"); empty where it says nothing.
    """

    where: Where
    text: str
    kind: NameKind | None
    evidence: Evidence
    address: str = ""
    called: str = ""
    is_repeat: bool = False
    role: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """A word or name that the text defines for somebody: ``Acme, Inc. (the "Buyer")``.

    Attributes
    ----------
    where, text
        The term, without the marks around it.
    owner
        Place of the name that it stands for.
    role
        The part in a contract or case that it names ("buyer"); empty where it is a name.
    is_name
        Whether it is a name of its own (a short name, a former name), and no common word that the
        document uses as one ("the Company", "the Bank").
    quoted
        Whether it stands in quotation marks, as definitions do, and not in bare parentheses.
    """

    where: Where
    text: str
    owner: Where
    role: str = ""
    is_name: bool = True
    quoted: bool = False


@dataclass(slots=True)
class Sure:
    """All that a document makes sure."""

    names: list[SureName]
    terms: list[Term]


# How a name is written again: without its legal form, in capitals, over two lines.

Manner = Literal["full", "short", "term", "learned"]
"""How sure a form is alone: a name in full, a short name that the text defines, a common word
that it defines, or a name that only the tagger or the beginning of a name vouches for."""

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
    """A way to write a name.

    Attributes
    ----------
    text
        As somebody would write it, in its own case.
    owner
        Surface of the name that it stands for.
    kind, manner
        What it names, and how sure it is alone.
    role
        The part that it names, where it is a term such as "Buyer".
    """

    text: str
    owner: str
    kind: NameKind
    manner: Manner
    role: str = ""


def patterns(form: Form, /) -> set[str]:
    """Return what is looked for: the form in small letters as `readable` leaves texts."""
    line = _flat(" ".join(form.text.split()))
    found = {line}
    if form.kind == "organization" and form.manner == "full":
        found |= _legal_variants(line)
    if " & " in line or " and " in line:
        found |= {f.replace(" & ", " and ") for f in found} | {
            f.replace(" and ", " & ") for f in found
        }
    if "-" in form.text:
        found |= {_flat(form.text.replace("-", ""))}
    if _CAMEL.search(form.text) and " " not in form.text.strip():
        found.add(_flat(_CAMEL.sub(" ", form.text)))
    if form.manner == "full":
        found |= {f.removesuffix(".") for f in found}
    return {f.removeprefix("the ") if f.count(" ") > 1 else f for f in found if len(f) > 1}


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
    """Return an organisation's name without its legal form; the name itself where it has none.

    Examples
    --------
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
    """Return a text in the form that is searched, and the place of each of its signs.

    Small letters, one kind of space, hyphen and apostrophe; words that a line end broke are whole.

    Returns
    -------
    tuple of str and (tuple of int or None)
        ``None`` where every sign stands where it stood; otherwise the place of each, and the end.
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


def is_written_so(form: Form, found: str, /, *, is_common: bool) -> bool:
    """Return whether what stands in a text is a way to write a form.

    Parameters
    ----------
    form
        The form.
    found
        What stands there; apart from case and marks it is the form.
    is_common
        Whether the document has the form's word in small letters as well.
    """
    mine, theirs = _words(form.text), _words(found)
    if "".join(mine) == "".join(theirs):
        return True
    if (
        len("".join(theirs)) < 2
        or not theirs
        or (not theirs[0][0].isupper() and not theirs[0][0].isdigit())
    ):
        # "iBio" and "eBay" begin small, and are written so or in capitals only.
        return "".join(theirs).isupper()
    if found.isupper():
        return not is_common or form.manner in {"term", "short", "full"}
    if form.manner == "term" or is_common:
        return False
    single = len(mine) == 1
    if single and len(mine[0]) < 5:
        return False
    if is_shouted(form.text) or not single:
        return all(w[0].isupper() or not w[0].isalpha() or fold(w) in _SMALL for w in theirs)
    return theirs[0][0].isupper()


_SMALL = frozenset("of and the for de la du des der die und et y e von di do da del van".split())
_WORD: Final = re.compile(r"[^\W_]+")


def _words(text: str) -> list[str]:
    return _WORD.findall(text)
