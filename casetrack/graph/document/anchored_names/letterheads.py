"""Senders: letterheads, and firms in mail signatures."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from casetrack.base.words import WordLists
from casetrack.base.words.lists import any_title
from casetrack.graph.document.anchored_names.companies import is_body, walk_right
from casetrack.graph.document.anchored_names.cuts import DIVISIONS
from casetrack.graph.document.anchored_names.definitions import is_thing
from casetrack.graph.document.anchored_names.facts import Anchor, Where
from casetrack.graph.document.anchored_names.known import FIRMS
from casetrack.graph.document.anchored_names.signatures import is_given
from casetrack.graph.document.titles import MODIFIERS, is_part, job_title, role
from casetrack.graph.entities.lexicon import COMMON_FIRST_WORDS, GIVEN_NAMES, HONORIFICS
from casetrack.graph.entities.locations import is_known_place, location_key
from casetrack.graph.entities.organizations import is_company
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.extract.spans import NameSpan

_LISTS = WordLists(__file__)

_DEAR: Final = re.compile(
    r"(?:Dear|My dear|Gentlemen|Ladies and Gentlemen|Sirs?\b|Madam\b|To whom it may concern|"
    r"Sehr geehrte|Liebe[rs]? |(?:Madame|Monsieur|Messieurs)\b[^,\n]*,$|Ch[eè]re? |"
    r"Estimad[oa]|Egregi|Gentile|Geachte|Beste )",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(_LISTS.text("closing"), re.VERBOSE | re.IGNORECASE)
_CONTACT: Final = re.compile(
    r"\b(?:tel(?:ephone|efon|\.)?|ph(?:one|\.)|fax|telefax|mobile|e-?mail|web(?:site)?|vat|ust|"
    r"www\.\S+)\b|https?://|[\w.+-]+@[\w-]+\.\w|(?:\+|\(0|\b00?)\d[\d ()/.-]{6,}\d",
    re.IGNORECASE,
)
_STREET: Final = re.compile(_LISTS.text("street"), re.VERBOSE | re.IGNORECASE)
_POSTCODE: Final = re.compile(
    r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b|\b[A-Z]{2},? \d{5}\b|^(?:[A-Z]{1,2}-)?\d{4,5} [A-Z]"
)
_ADDRESS: Final = re.compile(r"([\w.+'-]+)@((?:[\w-]+\.)+)\w{2,}")
_PUBLIC_HOSTS = frozenset(
    "aol btinternet gmail gmx googlemail hotmail icloud live mail msn outlook proton protonmail "
    "t-online verizon web yahoo".split()
)
"""Public mail hosts, which do not identify a firm."""
_HOST: Final = re.compile(r"(?:@|www\.|https?://(?:www\.)?)((?:[\w-]+\.)+)\w{2,}", re.IGNORECASE)
_TRADES = frozenset(_LISTS.words("trades"))
_NO_FIRM = frozenset(_LISTS.words("no_firm"))
_DATED: Final = re.compile(r"\b(?:19|20)\d\d\b")
_REFERENCE: Final = re.compile(
    r"(?:(?:our|your|my|ihr|unser) )?(?:re|ref|reference|date|datum|subject|betreff|zeichen|"
    r"by (?:e-?mail|fax|hand|post|courier)|via |private|strictly|confidential|without prejudice)"
    r"\b",
    re.IGNORECASE,
)
_ADDRESSED: Final = re.compile(
    rf"(?:{any_title('address', 'academic')}"
    r"|Miss|Sir|Messrs|The|To|Attn|Attention|FAO|c/o|Herrn?|Frau|Firma|"
    r"M\.|Mme|Madame|Monsieur|Sra?|Estate of)\b"
)
_HEAD_LINES, _BLOCK_LINES, _REACH, _SIGNATURE_LINES = 2, 6, 30, 5
_MOST_WORDS, _LONGEST = 7, 60


class _Line(NamedTuple):
    """A line of a text without surrounding blanks; *gap*: whether an empty line precedes it."""

    start: int
    end: int
    text: str
    gap: bool


def letterheads(chunk: int, text: str, names: Sequence[NameSpan], /) -> Iterator[Anchor]:
    r"""Yield the firm in the letterhead of the first page.

    The firm is alone on one of the first two lines, followed by lines with address, telephone, web
    or mail; a salutation follows, and the addressee between the two (a lone block with a street is
    the addressee). Ambiguous lines are left out: the name must have an ampersand or a firm's word,
    or a trade below it, or its domain must contain its words. *names* are the tagger's.

    >>> text = "HARROW & LYLE\nSolicitors\n12 Quay Street\n\nMr J Roe\n\nDear Mr Roe\n"
    >>> [n.text for n in letterheads(0, text, ())]
    ['HARROW & LYLE']
    """
    lines = _lines(text)[:_REACH]
    dear = next((i for i, line in enumerate(lines) if _DEAR.match(line.text)), None)
    if dear is None:
        return
    for number, whole in enumerate(lines[: min(_HEAD_LINES, dear)]):
        if number and not _REFERENCE.match(lines[0].text):
            return
        line = _without_article(whole)
        if not _may_be_firm(text, line):
            continue
        block = _block(lines[number + 1 : dear])
        has_street = any(_STREET.search(b.text) or _POSTCODE.search(b.text) for b in block)
        has_contact = any(_CONTACT.search(b.text) for b in block)
        rest = lines[number + 1 + len(block) : dear]
        is_addressed = any(_is_addressee(r.text, is_sure=not has_contact) for r in rest)
        if not (is_addressed and (has_street or has_contact)):
            continue
        if _is_firm(line, block, names) and not _signs(lines[dear:], line.text):
            where = Where(chunk, line.start, line.end)
            yield Anchor(where, line.text, "organization", "letterhead")
            return


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


def _without_article(line: _Line) -> _Line:
    if not line.text.startswith(("The ", "THE ")):
        return line
    return line._replace(start=line.start + 4, text=line.text[4:])


def _block(lines: Sequence[_Line]) -> list[_Line]:
    """Return the letterhead lines below the firm's name, up to the last contact data."""
    last = 0
    for number, line in enumerate(lines[:_BLOCK_LINES]):
        # Below an empty line, a street belongs to the addressee.
        if line.gap and last and not _CONTACT.search(line.text):
            break
        if _is_contact(line.text):
            last = number + 1
    if not any(_CONTACT.search(line.text) for line in lines[:last]):
        # A town below the street.
        last += next((i for i, line in enumerate(lines[last:]) if line.gap), len(lines) - last)
    return list(lines[:last])


def _is_contact(text: str) -> bool:
    return bool(_CONTACT.search(text) or _STREET.search(text) or _POSTCODE.search(text))


def _is_addressee(text: str, *, is_sure: bool) -> bool:
    """Return whether a line between letterhead and salutation names the addressee.

    *is_sure* requires a form of address or a street; otherwise any line without date, reference or
    contact data is accepted.
    """
    if is_sure:
        is_called = fold(text.split(maxsplit=1)[0].rstrip(".")) in HONORIFICS
        return bool(
            is_called or _ADDRESSED.match(text) or _STREET.search(text) or _POSTCODE.search(text)
        )
    is_short_date = bool(_DATED.search(text)) and len(text.split()) <= 5
    return not (is_short_date or _REFERENCE.match(text) or _CONTACT.search(text))


def _is_firm(line: _Line, block: Sequence[_Line], names: Sequence[NameSpan]) -> bool:
    """Return whether there is evidence that a name is a firm, not a person."""
    words = [fold(w.strip(".,")) for w in line.text.split()]
    trade = {fold(w.strip(".,")) for b in block[:2] for w in b.text.split()}
    is_named = "&" in words and not _is_couple(words) and not _is_division(line.text)
    if is_named or is_company(line.text) or words[-1] in _TRADES:
        return True
    if len(words) > 1 and (is_body(words[-1]) or words[-1] in FIRMS):
        return not _is_division(line.text)
    if any(is_body(w) and behind == "of" for w, behind in itertools.pairwise(words)):
        return True
    if _is_couple(words):
        return False
    if is_given(line.text) or _is_tagged(line, names, "person"):
        return False
    if not trade.isdisjoint(_TRADES) and not any(c.isdigit() for c in block[0].text):
        return True
    joined = "".join(re.findall(r"[^\W_]", "".join(words)))
    hosts = {
        re.sub(r"[\W_]", "", fold(m[1])) for b in block for m in _HOST.finditer(b.text)
    }  # fmt: skip
    return len(joined) > 3 and any(joined in host for host in hosts)


def _is_couple(words: Sequence[str]) -> bool:
    """Return whether an ampersand joins two people: "Mr & Mrs Roe", "Jo & Ann Roe"."""
    for at, sign in enumerate(words[1:-1], 1):
        before, behind = words[at - 1], words[at + 1]
        if sign == "&" and (
            before in HONORIFICS
            or (behind in GIVEN_NAMES and (before in GIVEN_NAMES or at + 2 < len(words)))
        ):
            return True
    return False


def _is_tagged(line: _Line, names: Sequence[NameSpan], kind: str) -> bool:
    return any(n.kind == kind and n.start <= line.start and line.end <= n.end for n in names)


def _signs(lines: Sequence[_Line], name: str) -> bool:
    """Return whether the letterhead name signs below the closing: a person's letter."""
    closing = next((i for i, line in enumerate(lines) if _CLOSING.fullmatch(line.text)), None)
    if closing is None or "&" in name:
        return False
    first = lines[closing + 1 : closing + 2]
    return any(fold(line.text) == fold(name) for line in first)


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
