"""Corrects start and end of tagged names by grammar."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from casetrack.base.words import WordLists
from casetrack.base.words.lists import POSTAL, any_title
from casetrack.graph.document.anchored_names.companies import describes, is_body, is_in_columns
from casetrack.graph.document.anchored_names.cuts import uncut
from casetrack.graph.document.anchored_names.definitions import is_thing
from casetrack.graph.document.anchored_names.signatures import is_given
from casetrack.graph.document.titles import PARTIES, is_part, job_title, role
from casetrack.graph.entities.lexicon import GIVEN_NAMES, SUFFIXES
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.extract.spans import NameSpan

# The edges of names: capitalised articles belong to a name, titles do not.

_LISTS = WordLists(__file__)
_SHORT = f"{any_title('address')}|Dr"
_TITLE: Final = re.compile(
    rf"(?:(?:{_SHORT}|Messrs|{_SHORT.upper()})\.?|Miss|{any_title('german')})[ \n](?=[A-Z])"
)
_ARTICLE: Final = re.compile(r"(?<=[a-z,)] )The[ \n]$")

_INITIALS = _LISTS.pattern("initials")
_MEANS = _LISTS.pattern("means")
_EXPLAINED: Final = re.compile(r"\b([A-Z]{2,6})s? \(([A-Z][^()\n]{4,60})\)")
_QUALIFIED: Final = re.compile(r"[a-z][A-Z]{2,5}")
"""An abbreviation with the letter of a common word before it: cGMP, mRNA."""
_WORDS: Final = re.compile(r"[^\W\d_]+")
_LAW = _LISTS.pattern("law")
_REACH = 160


def initials_of_things(texts: Iterable[str], /) -> frozenset[str]:
    """Return the abbreviations that texts introduce for things, roles, common words, or a law.

    >>> sorted(initials_of_things(["restricted stock units (“RSUs”) of the Oakham Trust (OT)"]))
    ['RSU', 'RSUs']
    >>> sorted(initials_of_things(["the Marsh Fever Virus (MFV)", "“NDA” means a filing"]))
    ['MFV', 'MFVs', 'NDA', 'NDAs']
    >>> sorted(initials_of_things(["the Risk Owner (RO) and the CO (Contracting Officer)"]))
    ['CO', 'COs', 'RO', 'ROs']
    """
    abbreviations: set[str] = set()
    for text in texts:
        explained = _EXPLAINED.findall(text)
        abbreviations |= {a for a, whole in explained if _names_thing(a.lower(), whole.split())}
        abbreviations |= {m[1] for m in _MEANS.finditer(text) if not _is_firm(fold(m[2] or ""))}
        for match in _INITIALS.finditer(text):
            before = text[max(0, match.start() - _REACH) : match.start()]
            words = _WORDS.findall(before)
            if (
                _LAW.search(before)
                or _are_initials(letters := match[1].lower().replace("&", ""), words)
                or (_names_thing(letters, words))
            ):
                abbreviations.add(match[1])
    return frozenset(abbreviations | {f"{abbreviation}s" for abbreviation in abbreviations})


def _is_firm(word: str) -> bool:
    """Return whether a defining word means a firm: "the company that pays"."""
    return is_body(word) or word in PARTIES or word in {"firm", "entity", "group", "subsidiary"}


def _names_thing(letters: str, words: list[str]) -> bool:
    """Return whether letters are initials of a thing or a role: "Purchasing Agreement (PA)"."""
    large = [w for w in words if w[0].isupper()]
    runs = (large[at : at + len(letters)] for at in range(len(large) - len(letters) + 1))
    named = [" ".join(r) for r in runs if "".join(w[0] for w in r).lower() == letters]
    return any(is_thing(name) or role(name) for name in named)


def is_qualified(name: str, /) -> bool:
    """Return whether a name is an abbreviation with the letter of a common word before it.

    >>> is_qualified("cGMP"), is_qualified("eBay"), is_qualified("GMP")
    (True, False, False)
    """
    return _QUALIFIED.fullmatch(name) is not None


def _are_initials(letters: str, words: list[str]) -> bool:
    """Return whether letters are initials of the last words, which are common words or a thing."""
    for count in range(len(letters), min(len(letters) + 3, len(words)) + 1):
        last = words[-count:]
        heads = iter(w[0].lower() for w in last)
        common = (last[0].islower() and last[-1].islower()) or is_thing(" ".join(last))
        if common and last[0][0].lower() == letters[0]:
            return all(any(h == letter for h in heads) for letter in letters)
    return False


_CAPITAL: Final = re.compile(r",? (?:D\.C\.|DC\b)")
_STATE: Final = re.compile(r",[ \n]([A-Z]{2})(?=[ \n]{1,2}\d{5}\b|[,;)])")
_UNION = _LISTS.pattern("union")
_STATES = frozenset(letters.upper() for letters in POSTAL.values()) - {"PR"}


def end_of_place(text: str, start: int, end: int, /) -> int:
    """Return the end of a place name: "Washington, D.C." is one name."""
    match = _CAPITAL.match(text, end) if text[start:end] == "Washington" else None
    return match.end() if match else end


def unions(text: str, /) -> Iterator[tuple[int, int]]:
    """Yield the spans of U.S. and U.K. that are not the start of a name or citation.

    >>> text = "in the U.S. dollars count; the U.S. Treasury and 410 U.S. 113 do not"
    >>> [text[a:b] for a, b in unions(text)]
    ['U.S.']
    """
    for match in _UNION.finditer(text):
        yield match.span()


def state_behind(text: str, end: int, /) -> tuple[int, int] | None:
    """Return the span of a state abbreviation after a town.

    >>> state_behind("in Oakham, ME 04401", 9)
    (11, 13)
    """
    match = _STATE.match(text, end)
    return match.span(1) if match and match[1] in _STATES else None


def len_of_title(name: str, /) -> int:
    """Return the length of the title at the start of a name, 0 without one.

    >>> len_of_title("Mr. Jo Roe"), len_of_title("Jo Roe")
    (4, 0)
    """
    match = _TITLE.match(name)
    return match.end() if match else 0


def with_article(text: str, start: int, /) -> int:
    """Return the start of an organisation's name, including a capitalised "The" inside a sentence.

    >>> with_article("a division of The Oakham Companies, Inc.", 18)
    14
    >>> with_article("It is late. The Oakham Club is closed.", 16)
    16
    """
    match = _ARTICLE.search(text, max(0, start - 6), start)
    return match.start() if match else start


_INITIALS_BEFORE = _LISTS.pattern("initials_before")
_GIVEN_BEFORE: Final = re.compile(r"(?<![\w.'’-])([A-Z][a-z]+)[ ]$")
_SURNAME_BEHIND: Final = re.compile(r"[ ]((?:van |von |de |der )?[A-Z][a-z][\w'’-]+)(?![\w@])")
_PARTNER_BEHIND: Final = re.compile(r"[ ]?[ \n]&[ \n][A-Z][\w'’-]+")
_PARTNER_BEFORE: Final = re.compile(r"(?<![\w&.'’-])([A-Z][\w'’-]+)[ \n]&[ \n]$")
_LABEL = _LISTS.pattern("label")
_LAST_WORD = re.compile(r"[ \n][^ \n]+\Z")
"""The next label in "Name: Ann Roe Age: 45"."""
_LABELS = frozenset("attention attn cc copyright dated per re see signed total via".split())
"""Labels that precede a name."""
_DEPARTMENT: Final = re.compile(r"[A-Z]\w+[ \n](?:Department|Dept\.?|Division)")
_REST_OF_WORD = _LISTS.pattern("rest_of_word")
_REST_BEFORE: Final = re.compile(r"(?<!\w)[^\W\d_]+(?:['’‘`ʻ][^\W\d_]+)*['’‘`ʻ]\Z")
_OKINA: Final = re.compile(r"(?<!\w)(?:ʻ|‘(?=\w*[āēīōūĀĒĪŌŪ]))")
_INITIAL: Final = re.compile(r"^[A-Z]\.?$")
_MIDDLE: Final = re.compile(r"^[A-Z]\.? ?[A-Z]?\.?$")


def with_boundaries(
    text: str, spans: Sequence[NameSpan], companies: Sequence[tuple[int, int]], /
) -> list[NameSpan]:
    """Return tagged names with corrected boundaries and without overlaps."""
    kept: list[NameSpan] = []
    for span in (_whole_words(text, span) for span in spans):
        for part in _firms(text, span, companies):
            whole = _with_company(text, part, companies) or _whole(text, part)
            if whole is None or is_in_columns(text, whole.start, whole.end):
                continue
            if whole.kind == "organization" and describes(whole.text):
                continue
            if kept and whole.start < kept[-1].end:
                if whole.end - whole.start <= kept[-1].end - kept[-1].start:
                    continue
                kept.pop()
            kept.append(whole)
    return kept


def _moved(text: str, span: NameSpan, start: int, end: int) -> NameSpan:
    return replace(span, start=start, end=end, text=text[start:end])


def _whole_words(text: str, span: NameSpan) -> NameSpan:
    """Return a name extended to whole words if it was cut at an inner mark, as in Hawai‘i."""
    start, end = span.start, span.end
    behind = _REST_OF_WORD.match(text, end)
    if behind:
        end = behind.end()
    if start and text[start - 1] in "'’‘`ʻ":
        before = _REST_BEFORE.search(text, max(0, start - 24), start)
        if before:
            start = before.start()
        elif _OKINA.match(text, start - 1):
            start -= 1
    return span if (start, end) == (span.start, span.end) else _moved(text, span, start, end)


def _with_company(
    text: str, span: NameSpan, companies: Sequence[tuple[int, int]]
) -> NameSpan | None:
    is_firm = span.kind == "organization"
    for start, end in companies:
        if start >= span.end or span.start >= end:
            continue
        if span.start < start and span.end > end and not is_firm:
            return None
        # A tagged name that contains the legal form, or ends with it, has the right extent.
        head = text[span.start : start].rstrip()
        is_apart = bool(head) and (
            head[-1] == ":"
            or fold(head) in _LABELS
            or _DEPARTMENT.fullmatch(head) is not None
            or is_part(head)
            or bool(job_title(head))
        )
        holds = is_firm and span.start <= start and span.end + 1 >= end and not is_apart
        whole = _moved(
            text, span, span.start if holds else start, max(end, span.end) if holds else end
        )
        return whole if is_firm else replace(whole, kind="organization")
    return None


def _firms(text: str, span: NameSpan, companies: Sequence[tuple[int, int]]) -> list[NameSpan]:
    """Split names of firms that follow each other, as in two columns of signatures."""
    if span.kind == "person":
        return [_labelless(text, span)]
    # The tagger may leave out the last letters of a form: "S.A.|S."
    inside = [(a, b) for a, b in companies if span.start <= a < span.end and b <= span.end + 2]
    # At the start of the text, the position before the firm would be -1.
    head = text[span.start : max(inside[0][0] - 1, 0)] if inside else ""
    ends_open = re.search(r"(?:[&,]|\b(?:and|of|for|the))\Z", head)
    begins = re.match(r"\w*", text[inside[0][0] :]) if head and not ends_open else None
    if (
        begins
        and fold(begins[0]) not in _SECOND
        and (text[inside[0][0] - 1] == "\n" or is_given(head))
    ):
        # The person who signs for a company, and the line above it, are not part of its name.
        above = replace(_moved(text, span, span.start, inside[0][0] - 1), kind="person")
        below = _firms(text, _moved(text, span, inside[0][0], span.end), companies)
        return [above, *below] if is_given(head) else below
    if len(inside) < 2:
        return [_labelless(text, span)]
    return [_moved(text, span, a, b) for a, b in inside]


def _labelless(text: str, span: NameSpan) -> NameSpan:
    """Return a name without the label of a field behind it."""
    behind_label = text[span.end : span.end + 1] == text[span.start - 2 : span.start - 1] == ":"
    label = (_LAST_WORD if behind_label else _LABEL).search(span.text)
    if label is None or label.start() <= 2:
        return span
    return _moved(text, span, span.start, span.start + label.start())


def _whole(text: str, span: NameSpan) -> NameSpan | None:
    """Return a name without legal form at its full extent; ``None`` if it is no name."""
    pair = _pair(text, span)
    if pair is not None:
        span = replace(_moved(text, span, *pair), kind="organization")
    if span.kind == "organization":
        return uncut(text, span)
    return _person(text, span) if span.kind == "person" else span


def _pair(text: str, span: NameSpan) -> tuple[int, int] | None:
    """Return the span of a firm of two surnames, one of which was tagged: ``Roe & Doe``."""
    if span.kind != "person" or len(span.text.split()) != 1:
        return None
    behind = _PARTNER_BEHIND.match(text, span.end)
    if behind:
        return span.start, behind.end()
    before = _PARTNER_BEFORE.search(text, max(0, span.start - 30), span.start)
    return (before.start(1), span.end) if before else None


def _person(text: str, span: NameSpan) -> NameSpan:
    start, end = span.start, span.end
    words = span.text.split()
    if not words:
        return span
    signed, _, printed = span.text.partition("\n")
    if signed.split()[-1:] == printed.split()[-1:]:  # "William S. Roe" above "S. Roe"
        return _moved(text, span, start, start + len(signed))
    initials = _INITIALS_BEFORE.search(text, max(0, start - 8), start)
    if initials:
        start = initials.start(1)
    elif _MIDDLE.match(words[0]) and len(words) > 1:
        given = _GIVEN_BEFORE.search(text, max(0, start - 16), start)
        if given and fold(given[1]) in GIVEN_NAMES:
            start = given.start(1)
    if len(words) > 1 and _INITIAL.match(words[-1]) and fold(words[-1]) not in SUFFIXES:
        surname = _SURNAME_BEHIND.match(text, end)
        if surname and fold(words[0]) in GIVEN_NAMES:
            end = surname.end(1)
    return span if (start, end) == (span.start, span.end) else _moved(text, span, start, end)


_SECOND = frozenset(
    "associates bank brothers co company corporation enterprises financial foods group holding "
    "holdings industries insurance international investments machines management partners "
    "pharmaceuticals products properties retail services solutions systems technologies trust "
    "ventures".split()
)
"""Words that continue a firm's name on the next line."""
