"""Words for roles: job titles, and parties in a contract or a case."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.base.words.lists import title_words
from casetrack.extract.card.parties import ROLES
from casetrack.extract.card.unnamed import is_unnamed_between
from casetrack.graph.document.words import FUNCTION_WORDS
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.spans import NameKind
    from casetrack.graph.document.facts import ChunkFacts

_LISTS = WordLists(__file__)

OFFICES = frozenset(_LISTS.words("offices"))
"""Last words of job titles, folded."""

PARTIES = frozenset(map(fold, ROLES)) - {"corporation", "fund"}
"""Last words of party roles in a contract or a case that are no last words of names, folded."""

_HEADS = OFFICES | PARTIES
_OF_NAMES = frozenset("agency bank carrier company publisher trust warehouse".split())
"""Party words that are also last words of organisation names."""

MODIFIERS = frozenset(_LISTS.words("modifiers"))
"""Words that may precede the last word."""

_SHORT = _LISTS.pairs("short")
_LINKS = frozenset("of and & for the und der des von fur".split())
_ARTICLES = _LISTS.pattern("articles")
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*|&|[12](?:st|nd)")
_GENERIC = frozenset(("party", "parties", "chief", "deputy", "head", "member"))
_MAX_WORDS = 6


def role(phrase: str, /) -> str | None:
    """Return the job title or party role of a phrase, in lower case, or ``None``.

    Every word must be part of it: "Project Director", "Head of Claims", "lender". Words before the
    last one must be capitalised or known.

    >>> role("Chief Executive Officer"), role("the loss adjuster"), role("Tuesday")
    ('chief executive', 'loss adjuster', None)
    """
    return _read(phrase, _HEADS)


def job_title(phrase: str, /) -> str | None:
    """Return the job title of a phrase like :func:`role`; ``None`` for a party role.

    >>> job_title("Chief Executive Officer"), job_title("the Borrower")
    ('chief executive', None)
    """
    return _read(phrase, OFFICES)


@functools.lru_cache(maxsize=16384)
def _read(phrase: str, heads: frozenset[str]) -> str | None:
    text = _ARTICLES.sub("", " ".join(phrase.split()).strip(" ,;:.\"'“”„’()"))
    words = text.split()
    if not 0 < len(words) <= _MAX_WORDS or not all(_WORD.fullmatch(w.strip(",.")) for w in words):
        return None
    words = [w.strip(",.") for w in words]
    if len(words) > 1 and words[: len(words) // 2] * 2 == words:
        words = words[: len(words) // 2]  # two signature blocks on one line
    low = [fold(w) for w in words]
    if low[-1] in _LINKS:
        return None
    head = _head(low, heads)
    if head < 0 or not all(_stands_before(words, low, at) for at in range(head)):
        return None
    if len(words) == 1 and low[0] in _GENERIC:
        return None
    title = " ".join(words).lower()
    return _SHORT.get(title, title)


def _stands_before(words: list[str], low: list[str], at: int) -> bool:
    if low[at] in {"and", "&", "und"}:
        return at > 0 and low[at - 1] in OFFICES
    is_name = words[at][0].isupper() and low[at] not in FUNCTION_WORDS["en"]
    return is_name or low[at] in MODIFIERS or low[at] in OFFICES


def _head(low: list[str], heads: frozenset[str]) -> int:
    """Return the index of the word that names the role, -1 without one."""
    if low[-1] in heads:
        return len(low) - 1
    if low[-1] == "general" and len(low) > 1 and low[-2] in OFFICES:
        return len(low) - 1
    # "Head of Claims", "Director of Operations": the title precedes the link.
    for at, word in enumerate(low[1:], 1):
        if word in _LINKS and word not in {"and", "&", "und", "the"}:
            rest = [w for w in low[at + 1 :] if w not in _LINKS]
            # "Director of Operations" is a title; in "President of Acme" only one word is.
            is_whole = low[at - 1] in heads and rest and all(w in MODIFIERS for w in rest)
            return at - 1 if is_whole else -1
    return -1


_ROLES_OF_PARTY = frozenset(_LISTS.words("parted"))
_PARTICIPLE = re.compile(r"(?:non-?)?\w+(?:ed|ing|ant|ent)")


def is_office(text: str, word: str, start: int, /) -> bool:
    """Return whether the word is an office in the name at *start*: "the Secretary of Labor"."""
    before = text[max(0, start - len(word) - 20) : start]
    return re.search(rf"(?i)\b{re.escape(word)} (?:of|for)(?: the)? $", before) is not None


def is_part(word: str, /) -> bool:
    """Return whether a word is a party role in a contract or a case ("Buyer", "the Customer")."""
    words = [fold(w) for w in _ARTICLES.sub("", word).split()]
    if not words or words[-1] not in PARTIES or len(words) > 3:
        return False
    if words[-1] == "party":
        # "Whig Party" is a name.
        roles = (w in _ROLES_OF_PARTY | PARTIES or _PARTICIPLE.fullmatch(w) for w in words[:-1])
        return all(roles)
    # "Deutsche Bank" is a name, "the Agent Bank" and "the Operating Company" are roles.
    return words[-1] not in _OF_NAMES or all(w in MODIFIERS | _HEADS for w in words[:-1])


def is_job(word: str, /) -> bool:
    """Return whether a word can be the last one of a job title."""
    return fold(word) in OFFICES


# Roles stated in a text, without guesses: a defined term ("Acme Ltd (the “Buyer”)"), a mail head
# ("From: Jo Roe"), a signature block ("Jo Roe / Title: Director", "Jo Roe / Project Director"), and
# a job title next to a person ("Jo Roe, Company Secretary", "Managing Director Jo Roe").

_BEFORE, _BEHIND = 70, 130
_DEFINED = _LISTS.pattern("defined")
_DEFINED_REACH = 260
_PARTED = re.compile(r"[a-z)]\.\s+[A-Z]|\n\s*\n|;|\b(?:shall|will|may|must)\b")
"""Separators between a name and a term that is not defined for it."""
_LABEL = re.compile(r"(?:^|[\n|;])[ \t]*([^\W\d_][^\n:|;]{1,40}?)[ \t]*:[ \t]*(?:\n[ \t]*)?$")
_TITLE_LINE = _LISTS.pattern("title_line")
_TITLE_CELL = _LISTS.pattern("title_cell")
_NEXT_LINE = re.compile(r"[ \t]*,?[ \t]*\n[ \t]*([^\W\d_][^\n]{2,59})(?=\n|$)")
_PLAIN_PARENTHESES = re.compile(r"\s?\(([^()\n]{2,50})\)")
_APPOSITION = _LISTS.pattern("apposition")
_TWO_TITLES = _LISTS.pattern("two_titles")
_APPOSITION_OF = _LISTS.pattern("apposition_of")
_ARTICLES_OF_ROLES = frozenset(
    "the its their our his her der die das dem den seine ihre unser".split()
)
_HONORIFICS = title_words("address", "academic", "knights", "german") | set(
    "miss professor doctor herrn".split()
)
_MAX_BEFORE = 6
_MAIL_FIELDS = {
    "from": "sender",
    "von": "sender",
    "sender": "sender",
    "to": "recipient",
    "an": "recipient",
    "cc": "copied in",
    "bcc": "copied in",
    "kopie": "copied in",
}
_NOT_LABELS = frozenset("by name title its date signature signed re subject".split())


def find_roles(chunk: ChunkFacts, kinds: Sequence[NameKind | None], /) -> dict[int, str]:
    """Return the roles of a chunk's names, by position; one of kind ``None`` is no name."""
    text, names = chunk.text, chunk.names
    roles: dict[int, str] = {}
    _defined(chunk, kinds, roles)
    for i, span in enumerate(names):
        kind = kinds[i]
        if kind is None or kind == "location" or i in roles:
            continue
        # Other names limit the text that describes this one.
        low = names[i - 1].end if i else 0
        high = names[i + 1].start if i + 1 < len(names) else len(text)
        before = text[max(low, span.start - _BEFORE) : span.start]
        stop = min(high, span.end + _BEHIND)
        # A mark if the text continues, so that the cut does not look like an end.
        behind = text[span.end : stop] + ("\0" if stop < len(text) else "")
        stated_role = _in_parentheses(behind, kind)
        if stated_role and is_office(text, stated_role, span.start):
            continue
        if stated_role is None and kind == "person":
            row_end = text.find("\n", span.end)
            row = text[text.rfind("\n", 0, span.start) + 1 : row_end if row_end >= 0 else len(text)]
            in_row = _TITLE_CELL.findall(row)
            if in_row:  # "Role: Chair | Name: Jo Roe"
                stated_role = _stated(in_row[0]) if len(in_row) == 1 else None
            else:
                stated_role = _behind(behind) or _signed(text, span.end, high) or _before(before)
        stated_role = stated_role or _mail_head(text, span.start)
        if stated_role:
            roles[i] = stated_role
    return roles


def _defined(chunk: ChunkFacts, kinds: Sequence[NameKind | None], roles: dict[int, str]) -> None:
    """Assign each defined role ("Acme Ltd (the “Buyer”)") to the preceding name."""
    text = chunk.text
    if "(" not in text:
        return
    for match in _DEFINED.finditer(text):
        if not is_part(match[1]):
            continue
        owner = _owner(chunk, kinds, match.start())
        stated_role = role(match[1])
        if owner is None or not stated_role or owner in roles:
            continue
        if not is_office(text, match[1], chunk.names[owner].start):
            roles[owner] = stated_role


def _owner(chunk: ChunkFacts, kinds: Sequence[NameKind | None], at: int) -> int | None:
    """Return the nearest party before a position, separated only by its description."""
    nearest = None
    for i, span in enumerate(chunk.names):
        if span.end > at:
            break
        # In "Acme Ltd, a company of England with its office in Leeds" places are description.
        if kinds[i] in {"person", "organization"}:
            between = chunk.text[span.end : at]
            if len(between) > _DEFINED_REACH or _PARTED.search(between):
                continue
            if is_unnamed_between(chunk.text, span.end, at):
                continue
            if between.strip() and not between.lstrip().startswith((",", "(", "–", "-", ".,")):
                continue
            if nearest is None or not _describes(chunk.text[chunk.names[nearest].end : span.start]):
                nearest = i
    return nearest


def _describes(between: str) -> bool:
    """Return whether a name after these words describes the previous name."""
    low = between.lower()
    return not (" and " in low[:60] or "\n" in between) and bool(
        re.search(r"(?:\bof|\bby|\bunder|\bat|\bin|\bsubsidiary|\bdivision)\s*(?:the\s*)?$", low)
    )


def _in_parentheses(text: str, kind: NameKind) -> str | None:
    """Return the role in parentheses after a name: "(Buyer)", "(Company Secretary)"."""
    match = _PLAIN_PARENTHESES.match(text)
    stated_role = role(match[1].partition(",")[0]) if match else None
    return stated_role if stated_role and (kind == "person" or is_part(stated_role)) else None


def _behind(text: str) -> str | None:
    """Return the job title after a comma, or on the next line of a signature."""
    if text.lstrip(" ").startswith(","):
        for pattern in (_TWO_TITLES, _APPOSITION_OF, _APPOSITION):
            match = pattern.match(text)
            if match and (title := job_title(match[1])):
                return title
    match = _NEXT_LINE.match(text)
    return job_title(match[1]) if match else None


def _signed(text: str, end: int, bound: int) -> str | None:
    """Return the role after "Title:" following a name; *bound* is the start of the next name."""
    if text.find(":", end, min(bound, end + _BEHIND)) < 0:
        return None
    match = _TITLE_LINE.match(text, end, end + _BEHIND)
    return _stated(match[1]) if match and match.start(1) <= bound else None


def _before(text: str) -> str | None:
    """Return the job title before a name: "CEO Jo Roe", "the auditor, Jo Roe", "Chair: Jo Roe"."""
    bare = text.rstrip()
    if bare.endswith(":"):
        match = _LABEL.search(text)
        label = match[1].strip() if match else ""
        return job_title(label) if label and fold(label) not in _NOT_LABELS else None
    words = bare.rpartition("\n")[2].split() if "\n" not in text[len(bare) :] else []
    while words and fold(words[-1].rstrip(".")) in _HONORIFICS:
        words.pop()
    if not words or not is_job(words[-1].rstrip(",")):
        return None
    words = words[-_MAX_BEFORE:]
    # The longest run of words that is a title; in lower case or with a comma it needs "the".
    for start in range(len(words)):
        title = job_title(" ".join(words[start:]))
        if title is None:
            continue
        has_article = words[max(start - 1, 0)].lower() in _ARTICLES_OF_ROLES
        needs_article = words[-1].endswith(",") or words[-1].islower()
        return title if has_article or not needs_article else None
    return None


def _mail_head(text: str, start: int) -> str | None:
    line = text.rfind("\n", 0, start) + 1
    colon = text.find(":", line, min(start, line + 10))
    return _MAIL_FIELDS.get(text[line:colon].strip().lower()) if colon > 0 else None


def _stated(text: str) -> str | None:
    """Return the text after "Title:", which is a title even if no list has it."""
    known = role(text)
    if known:
        return known
    words = text.strip(" ,.;").split()
    plain = all(re.fullmatch(r"[^\W\d_][\w'’&/.-]*|&", w) for w in words)
    return " ".join(words).lower() if words and len(words) <= 6 and plain else None
