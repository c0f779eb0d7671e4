"""Firms in mail signatures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from casetrack.base.words import WordLists
from casetrack.graph.document.anchored_names.companies import walk_right
from casetrack.graph.document.anchored_names.cuts import DIVISIONS
from casetrack.graph.document.anchored_names.definitions import is_thing
from casetrack.graph.document.anchored_names.facts import Anchor, Where
from casetrack.graph.document.anchored_names.signatures import is_given
from casetrack.graph.document.titles import MODIFIERS, is_part, job_title, role
from casetrack.graph.entities.lexicon import COMMON_FIRST_WORDS
from casetrack.graph.entities.locations import is_known_place, location_key
from casetrack.graph.entities.organizations import is_company
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.extract.spans import NameSpan

_LISTS = WordLists(__file__)

_DEAR = _LISTS.pattern("dear")
_CLOSING: Final = re.compile(_LISTS.text("closing"), re.VERBOSE | re.IGNORECASE)
_CONTACT = _LISTS.pattern("contact")
_STREET: Final = re.compile(_LISTS.text("street"), re.VERBOSE | re.IGNORECASE)
_POSTCODE = _LISTS.pattern("postcode")
_ADDRESS: Final = re.compile(r"([\w.+'-]+)@((?:[\w-]+\.)+)\w{2,}")
_PUBLIC_HOSTS = frozenset(
    "aol btinternet gmail gmx googlemail hotmail icloud live mail msn outlook proton protonmail "
    "t-online verizon web yahoo".split()
)
"""Public mail hosts, which do not identify a firm."""
_TRADES = frozenset(_LISTS.words("trades"))
_NO_FIRM = frozenset(_LISTS.words("no_firm"))
_REFERENCE = _LISTS.pattern("reference")
_SIGNATURE_LINES = 5
_MOST_WORDS, _LONGEST = 7, 60


class _Line(NamedTuple):
    """A line of a text without surrounding blanks; *gap*: whether an empty line precedes it."""

    start: int
    end: int
    text: str
    gap: bool


def mail_signatures(chunk: int, text: str, names: Sequence[NameSpan], /) -> Iterator[Anchor]:
    r"""Yield the firms in mail signatures: below a closing, a name and a job title.

    >>> text = "We pay.\n\nRegards,\nJo Roe\nHead of Supply\nTarn Paints\n"
    >>> [n.text for n in mail_signatures(0, text, ())]
    ['Tarn Paints']
    """
    lines = _lines(text)
    for number, line in enumerate(lines):
        if not _CLOSING.fullmatch(line.text):
            continue
        below = lines[number + 1 : number + 2 + _SIGNATURE_LINES]
        if len(below) < 3 or not _is_signer(below[0].text):
            continue
        titles = 0
        for at, own in enumerate(below[1:], 1):
            if own.gap and at > 1:
                break
            if role(re.split(r"[,|/&(]|\band\b", own.text)[0].strip()):
                titles += 1
                continue
            # Contact data may follow, but no continued text.
            behind = below[at + 1 : at + 2]
            ends = not behind or behind[0].gap or _is_contact(behind[0].text)
            if titles and ends and _is_employer(text, own, below[0].text, names):
                where = Where(chunk, own.start, own.end)
                yield Anchor(where, own.text, "organization", "signature")
            break


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    at, gap = 0, True
    for raw in text.split("\n"):
        bare = raw.strip(" \t>*_|#")
        if bare:
            start = at + raw.index(bare)
            lines.append(_Line(start, start + len(bare), bare, gap))
        gap = not bare
        at += len(raw) + 1
    return lines


def _may_be_firm(text: str, line: _Line) -> bool:
    """Return whether a line contains only a name, and is neither a heading nor a place."""
    words = line.text.split()
    if not (1 <= len(words) <= _MOST_WORDS and 2 < len(line.text) <= _LONGEST):
        return False
    low = [fold(w.strip(".,()")) for w in words]
    if (
        any(c.isdigit() for c in line.text)
        or any(c in line.text for c in ":;@!?/")
        or not _NO_FIRM.isdisjoint(low)
        or _TRADES.issuperset(low)
        or is_thing(line.text)
        or ("&" not in low and (is_part(line.text) or job_title(line.text)))
        or _DEAR.match(line.text)
        or _REFERENCE.match(line.text)
        or is_known_place(location_key(line.text))
    ):
        return False
    # "Porter, Bass & Voss": each of the names between commas.
    parts = line.text.split(", ") if "&" in low else [line.text]
    at = line.start
    for part in parts:
        if walk_right(text, at, at + len(part)) != at + len(part):
            return False
        at += len(part) + 2
    return True


def _is_contact(text: str) -> bool:
    return bool(_CONTACT.search(text) or _STREET.search(text) or _POSTCODE.search(text))


def _is_tagged(line: _Line, names: Sequence[NameSpan], kind: str) -> bool:
    return any(n.kind == kind and n.start <= line.start and line.end <= n.end for n in names)


def _is_signer(text: str) -> bool:
    text = text.partition(",")[0]
    words = text.split()
    return (
        1 < len(words) < 5
        and all(w[0].isupper() for w in words)
        and not any(c.isdigit() or c in ":;@&" for c in text)
        and not job_title(text)
        and not is_company(text)
    )


def _is_employer(text: str, line: _Line, signer: str, names: Sequence[NameSpan]) -> bool:
    """Return whether the line below a signer's title is a firm (no department or town)."""
    if not _may_be_firm(text, line) or _is_division(line.text):
        return False
    if is_company(line.text) or _is_tagged(line, names, "organization"):
        return True
    if _is_tagged(line, names, "person") or _is_tagged(line, names, "location"):
        return False
    hosts = _hosts_of(text, signer) - _PUBLIC_HOSTS
    if hosts:
        # A sender with a company address names that company, or a part of it.
        return any(_is_host(line.text, host) for host in hosts)
    first = fold(line.text.split(maxsplit=1)[0])
    # A line that may be a department is a firm only if an address follows.
    behind = text[line.end :].lstrip("> \t\n").partition("\n")[0]
    is_common = first in COMMON_FIRST_WORDS | MODIFIERS | DIVISIONS and not _is_contact(behind)
    return " " in line.text and not is_common and not is_given(line.text)


def _hosts_of(text: str, signer: str) -> set[str]:
    """Return the hosts of the addresses in a text that contain a signer's surname."""
    surname = fold(signer.partition(",")[0].split()[-1])
    return {
        fold(m[2]).strip(".").rpartition(".")[2]
        for m in _ADDRESS.finditer(text)
        if surname in fold(m[1])
    }


def _is_host(name: str, host: str) -> bool:
    """Return whether a host matches a firm: all words, one of them, or the initials."""
    words = re.findall(r"[^\W_]+", fold(name))
    host = re.sub(r"[\W_]", "", host)
    longer = [w for w in words if len(w) > 3]
    return host in {"".join(words), "".join(w[0] for w in words)} or any(w in host for w in longer)


def _is_division(text: str) -> bool:
    """Return whether a name is a department: "Legal Department", "Risk Management"."""
    words = [w for w in map(fold, text.split()) if w not in {"&", "and"}]
    if is_company(text):
        return False
    if "&" in text:
        return all(w in MODIFIERS | DIVISIONS for w in words)
    if len(words) == 1:
        return words[0] in MODIFIERS | DIVISIONS
    return (words[-1] in DIVISIONS or words[-1] == "management") or all(
        w in MODIFIERS | DIVISIONS for w in words
    )
