"""What a text states that somebody is, by four kinds of statement and no guess.

A term that is defined for a party ("Acme Ltd (the “Buyer”)"), the head of a mail ("From: Jo Roe"),
a block of signature ("Jo Roe / Title: Director", "Jo Roe / Project Director"), and a job title
beside the name of a person ("Jo Roe, Company Secretary", "Managing Director Jo Roe").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.base.words.titles import title_words
from casetrack.graph.document.titles import is_job, is_part, job_title, role
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.spans import NameKind
    from casetrack.graph.document.facts import ChunkFacts

_BEFORE, _BEHIND = 70, 130
_DEFINED = re.compile(
    r"\(\s*(?:(?:hereinafter|hereafter|herein|nachfolgend|im folgenden|"
    r"called|referred to as|and|as|,)\s*)*(?:(?:the|an?|der|die|das)\s+)?"
    r"[\"“„”'‘]\s?([^\W\d_][\w -]{1,30}?)[,.]?\s?[\"“”'’]",
    re.IGNORECASE,
)
_DEFINED_REACH = 260
_PARTED = re.compile(r"[a-z)]\.\s+[A-Z]|\n\s*\n|;|\b(?:shall|will|may|must)\b")
"""What parts a name from a term that is not defined for it."""
_LABEL = re.compile(r"(?:^|[\n|;])[ \t]*([^\W\d_][^\n:|;]{1,40}?)[ \t]*:[ \t]*(?:\n[ \t]*)?$")
_TITLE_LINE = re.compile(
    r"[ \t]*(?:\n[^\n:]{0,60})?\s{0,3}\b(?:Job title|Title|Position|Function|Funktion|Its|Role)"
    r"[ \t]*:[ \t]*([^\n|:]{2,60}?)[ \t]*(?=\n|\||$|\s{2}|Date:|Name:|By:)"
)
_NEXT_LINE = re.compile(r"[ \t]*,?[ \t]*\n[ \t]*([^\W\d_][^\n]{2,59})(?=\n|$)")
_PLAIN_PARENTHESES = re.compile(r"\s?\(([^()\n]{2,50})\)")
_APPOSITION = re.compile(
    r"\s?,\s((?:[^\W\d_][\w'’&-]*\s){0,5}?[^\W\d_][\w'’-]*)"
    r"(?=\s?[,.;:)(]|\s(?:of|for|at|from|in|with|and|bei|der|des|von|to|who|said)\b|\n|$)"
)
_TWO_TITLES = re.compile(
    r"\s?,\s((?:(?!(?:of|for|at|from|in|with|to|who|said)\b)[^\W\d_][\w'’&-]*\s){0,3}"
    r"(?:and|&|und)\s(?:[^\W\d_][\w'’-]*\s){0,3}?[^\W\d_][\w'’-]*)"
    r"(?=\s?[,.;:)(]|\s(?:of|for|at|from|in|with|bei|der|des|von|to|who|said)\b|\n|$)"
)
_APPOSITION_OF = re.compile(
    r"\s?,\s((?:[^\W\d_][\w-]*\s){0,3}[^\W\d_][\w-]*\sof\s(?!the\b)[A-Z][\w-]*(?:\s[A-Z][\w-]*)?)"
    r"(?=\s?[,.;:)(]|\s(?:of|for|at)\b|\n|$)"
)
_ARTICLES = frozenset("the its their our his her der die das dem den seine ihre unser".split())
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
    """Return the roles of the names of a chunk.

    Parameters
    ----------
    chunk
        The chunk.
    kinds
        For each of its names what it turned out to name; ``None`` for nothing.

    Returns
    -------
    dict
        Role by position of the name among the chunk's; names without one are not in it.
    """
    text, names = chunk.text, chunk.names
    found: dict[int, str] = {}
    _defined(chunk, kinds, found)
    for i, span in enumerate(names):
        kind = kinds[i]
        if kind is None or kind == "location" or i in found:
            continue
        # Other names bound what is said of this one.
        low = names[i - 1].end if i else 0
        high = names[i + 1].start if i + 1 < len(names) else len(text)
        before = text[max(low, span.start - _BEFORE) : span.start]
        stop = min(high, span.end + _BEHIND)
        # A mark where the text goes on, so that its cut is not taken for an end.
        behind = text[span.end : stop] + ("\0" if stop < len(text) else "")
        said = _in_parentheses(behind, kind)
        if said is None and kind == "person":
            said = _behind(behind) or _signed(text, span.end, high) or _before(before)
        said = said or _mail_head(text, span.start)
        if said:
            found[i] = said
    return found


def _defined(chunk: ChunkFacts, kinds: Sequence[NameKind | None], found: dict[int, str]) -> None:
    """Give each defined part ("Acme Ltd (the “Buyer”)") to the name that stands before it."""
    text = chunk.text
    if "(" not in text:
        return
    for match in _DEFINED.finditer(text):
        if not is_part(match[1]):
            continue
        owner = _owner(chunk, kinds, match.start())
        said = role(match[1])
        if owner is not None and said and owner not in found:
            found[owner] = said


def _owner(chunk: ChunkFacts, kinds: Sequence[NameKind | None], at: int) -> int | None:
    """Return the nearest party before a place that nothing but its description parts from it."""
    nearest = None
    for i, span in enumerate(chunk.names):
        if span.end > at:
            break
        # In "Acme Ltd, a company of England with its office in Leeds" places are description.
        if kinds[i] in {"person", "organization"}:
            between = chunk.text[span.end : at]
            if len(between) > _DEFINED_REACH or _PARTED.search(between):
                continue
            if between.strip() and not between.lstrip().startswith((",", "(", "–", "-", ".,")):
                continue
            if nearest is None or not _describes(chunk.text[chunk.names[nearest].end : span.start]):
                nearest = i
    return nearest


def _describes(between: str) -> bool:
    """Return whether a name after these words belongs to the description of the one before."""
    low = between.lower()
    return not (" and " in low[:60] or "\n" in between) and bool(
        re.search(r"(?:\bof|\bby|\bunder|\bat|\bin|\bsubsidiary|\bdivision)\s*(?:the\s*)?$", low)
    )


def _in_parentheses(text: str, kind: NameKind) -> str | None:
    """Return the term or title in parentheses behind a name: "(Buyer)", "(Company Secretary)"."""
    match = _PLAIN_PARENTHESES.match(text)
    said = role(match[1].partition(",")[0]) if match else None
    return said if said and (kind == "person" or is_part(said)) else None


def _behind(text: str) -> str | None:
    """Return the job title behind a comma, or on the next line of a signature."""
    if text.lstrip(" ").startswith(","):
        for pattern in (_TWO_TITLES, _APPOSITION_OF, _APPOSITION):
            match = pattern.match(text)
            if match and (title := job_title(match[1])):
                return title
    match = _NEXT_LINE.match(text)
    return job_title(match[1]) if match else None


def _signed(text: str, end: int, bound: int) -> str | None:
    """Return what stands behind "Title:" after a name; *bound* is where the next name begins."""
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
    # The longest run of words that is a title; in small letters or with a comma it needs "the".
    for start in range(len(words)):
        title = job_title(" ".join(words[start:]))
        if title is None:
            continue
        has_article = words[max(start - 1, 0)].lower() in _ARTICLES
        needs_article = words[-1].endswith(",") or words[-1].islower()
        return title if has_article or not needs_article else None
    return None


def _mail_head(text: str, start: int) -> str | None:
    line = text.rfind("\n", 0, start) + 1
    colon = text.find(":", line, min(start, line + 10))
    return _MAIL_FIELDS.get(text[line:colon].strip().lower()) if colon > 0 else None


def _stated(text: str) -> str | None:
    """Return what stands behind "Title:", which needs no list to be a title."""
    known = role(text)
    if known:
        return known
    words = text.strip(" ,.;").split()
    plain = all(re.fullmatch(r"[^\W\d_][\w'’&/.-]*|&", w) for w in words)
    return " ".join(words).lower() if words and len(words) <= 6 and plain else None
