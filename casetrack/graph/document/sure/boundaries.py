"""Where a tagged name really begins and ends, by grammar."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from casetrack.graph.document.sure.companies import describes, is_body, walk_left, walk_right
from casetrack.graph.document.sure.cuts import uncut
from casetrack.graph.document.sure.signatures import is_given
from casetrack.graph.document.titles import is_part, job_title
from casetrack.graph.entities.lexicon import COMMON_FIRST_WORDS, GIVEN_NAMES, SUFFIXES
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.spans import NameSpan

_JOINED: Final = re.compile(r"(?:^|[^\w.&'’-])([A-Z][\w'’-]+)[ \n](and|AND|&)[ \n]$")
_OF_BODY: Final = re.compile(r"([A-Z][\w.'’&-]*)[ \n](of|for|OF|FOR)[ \n](?:(?:the|THE)[ \n])?$")
_INITIALS: Final = re.compile(
    r"(?:(?<=[a-z,:/_] )|(?<=[a-z,:/_]\n)|(?<=/s/ )|(?<=[(“\"]))((?:[A-Z]\. ?){1,2})\Z"
)
_GIVEN_BEFORE: Final = re.compile(r"(?<![\w.'’-])([A-Z][a-z]+)[ ]$")
_SURNAME_BEHIND: Final = re.compile(r"[ ]((?:van |von |de |der )?[A-Z][a-z][\w'’-]+)(?![\w@])")
_OF_BEHIND: Final = re.compile(r"[ \n](?:of|OF)[ \n](?:(?:the|THE)[ \n])?(?=[A-Z])")
_PARTNERS: Final = re.compile(
    r"[ \n](?:and|&|AND)[ \n](?:Partners|Sons|Associates|Co|Company|Brothers|PARTNERS|SONS|"
    r"ASSOCIATES)\b\.?"
)
_PARTNER_BEHIND: Final = re.compile(r"[ ]?[ \n]&[ \n][A-Z][\w'’-]+")
_PARTNER_BEFORE: Final = re.compile(r"(?<![\w&.'’-])([A-Z][\w'’-]+)[ \n]&[ \n]$")
_LABEL: Final = re.compile(
    r"\s*[\n ](?:Name|Title|By|Date|Its|NAME|TITLE|Print Name|Attn|Attention)$"
)
_LABELS = frozenset("attention attn cc copyright dated per re see signed via".split())
"""Words before a name that tell what is said of it."""
_DEPARTMENT: Final = re.compile(r"[A-Z]\w+[ \n](?:Department|Dept\.?|Division)")
_REST_OF_WORD: Final = re.compile(
    r"(?:(?<=[^\W\d_])['’‘`ʻ](?!(?:s|ll|d|re|ve|t|m|em|n)\b)[^\W\d_]+)+", re.IGNORECASE
)
"""Behind a name that was cut at a mark which is a letter of it: Hawai|'i, Qur|’an."""
_REST_BEFORE: Final = re.compile(r"(?<!\w)[^\W\d_]+(?:['’‘`ʻ][^\W\d_]+)*['’‘`ʻ]\Z")
_OKINA: Final = re.compile(r"(?<!\w)(?:ʻ|‘(?=\w*[āēīōūĀĒĪŌŪ]))")
_INITIAL: Final = re.compile(r"^[A-Z]\.?$")
_MIDDLE: Final = re.compile(r"^[A-Z]\.? ?[A-Z]?\.?$")


def settled(
    text: str, spans: Sequence[NameSpan], companies: Sequence[tuple[int, int]], /
) -> list[NameSpan]:
    """Return tagged names with their right ends and beginnings, none inside another.

    Parameters
    ----------
    text
        Of a chunk.
    spans
        What the tagger found in it, in order.
    companies
        Places of names with a legal form.
    """
    found: list[NameSpan] = []
    for span in (_whole_words(text, span) for span in spans):
        for part in _halves(text, span) if span.kind == "person" else _firms(text, span, companies):
            whole = _with_company(text, part, companies) or _whole(text, part)
            if whole is None or (whole.kind == "organization" and describes(whole.text)):
                continue
            if found and whole.start < found[-1].end:
                if whole.end - whole.start <= found[-1].end - found[-1].start:
                    continue
                found.pop()
            found.append(whole)
    return found


def _moved(text: str, span: NameSpan, start: int, end: int) -> NameSpan:
    return replace(span, start=start, end=end, text=text[start:end])


def _whole_words(text: str, span: NameSpan) -> NameSpan:
    """Return a name with the rest of a word that was cut at a mark inside it, as in Hawai‘i."""
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
        # A tagged name that holds the whole form, or ends with it, says how far it goes.
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
    """Take apart names of firms that stand beside one another, as in two columns of signatures."""
    # The tagger may leave out the last letters of a form: "S.A.|S."
    inside = [(a, b) for a, b in companies if span.start <= a < span.end and b <= span.end + 2]
    # At the start of the text the place before the firm would be -1.
    head = text[span.start : max(inside[0][0] - 1, 0)] if inside else ""
    ends_open = re.search(r"(?:[&,]|\b(?:and|of|for|the))\Z", head)
    begins = re.match(r"\w*", text[inside[0][0] :]) if head and not ends_open else None
    if (
        begins
        and fold(begins[0]) not in _SECOND
        and (text[inside[0][0] - 1] == "\n" or is_given(head))
    ):
        # Who speaks for a company, and the line above it, are no part of its name.
        above = replace(_moved(text, span, span.start, inside[0][0] - 1), kind="person")
        below = _firms(text, _moved(text, span, inside[0][0], span.end), companies)
        return [above, *below] if is_given(head) else below
    if len(inside) < 2:
        return _halves(text, span)
    return [_moved(text, span, a, b) for a, b in inside]


def _halves(text: str, span: NameSpan) -> list[NameSpan]:
    """Take apart a name that was signed and printed: ``Jo Roe Jo Roe``."""
    label = _LABEL.search(span.text)
    if label and label.start() > 2:
        span = _moved(text, span, span.start, span.start + label.start())
    words = list(re.finditer(r"\S+", span.text))
    half = len(words) // 2
    if half < 2 or len(words) % 2 or span.kind != "person":
        return [span]
    mine = [fold(w[0]).strip(".,") for w in words]
    if mine[:half] != mine[half:]:
        return [span]
    first, second = words[half - 1].end(), words[half].start()
    return [
        _moved(text, span, span.start, span.start + first),
        _moved(text, span, span.start + second, span.end),
    ]


def _whole(text: str, span: NameSpan) -> NameSpan | None:
    """Return a name without a legal form as far as it goes; ``None`` where it is none."""
    whole = _settle(text, span)
    return uncut(text, whole) if whole.kind == "organization" else whole


def _settle(text: str, span: NameSpan) -> NameSpan:
    if span.kind == "organization":
        return _organization(text, span)
    pair = _pair(text, span)
    if pair is not None:
        return replace(_moved(text, span, *pair), kind="organization")
    return _person(text, span) if span.kind == "person" else span


def _pair(text: str, span: NameSpan) -> tuple[int, int] | None:
    """Return the place of a firm of two surnames, one of which was tagged: ``Roe & Doe``."""
    if span.kind != "person" or len(span.text.split()) != 1:
        return None
    behind = _PARTNER_BEHIND.match(text, span.end)
    if behind:
        return span.start, behind.end()
    before = _PARTNER_BEFORE.search(text, max(0, span.start - 30), span.start)
    return (before.start(1), span.end) if before else None


def _organization(text: str, span: NameSpan) -> NameSpan:
    start, end = span.start, span.end
    words = span.text.split()
    if not words:
        return span
    first, last = fold(words[0]), fold(words[-1].rstrip("."))
    joined = _JOINED.search(text, max(0, start - 40), start)
    # "Securities and | Exchange Commission": what is cut off is no name, nor what is left a whole.
    if joined and len(words) > 1 and first in COMMON_FIRST_WORDS and is_body(last):
        begun = walk_left(text, max(0, joined.start(1) - 40), joined.end(1))
        if begun is not None and fold(joined[1]) not in GIVEN_NAMES:
            start = max(begun, joined.start(1)) if fold(joined[1]) in _PAIRED else begun
    bodied = _OF_BODY.search(text, max(0, start - 40), start)
    if (
        bodied
        and is_body(fold(bodied[1]))
        and fold(bodied[1])
        not in (_PERSONAL if fold(bodied[2]) == "of" else _PERSONAL | _PLAYED_FOR)
    ):
        begun = walk_left(text, max(0, bodied.start(1) - 40), bodied.end(1))
        start = bodied.start(1) if begun is None else begun
    behind = _OF_BEHIND.match(text, end)
    if behind and is_body(last) and last not in _PERSONAL:
        stop = walk_right(text, behind.end(), min(len(text), behind.end() + 40))
        end = stop if stop is not None else end
    else:
        partners = _PARTNERS.match(text, end)
        end = partners.end() if partners else end
    return span if (start, end) == (span.start, span.end) else _moved(text, span, start, end)


def _person(text: str, span: NameSpan) -> NameSpan:
    start, end = span.start, span.end
    words = span.text.split()
    if not words:
        return span
    initials = _INITIALS.search(text, max(0, start - 8), start)
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


_PERSONAL = frozenset(
    "secretary commissioners trustees suppliers sons daughters states order".split()
)
_PLAYED_FOR = frozenset("league club university college school company house union".split())
"""Bodies that somebody is in "for" another one."""
_SECOND = frozenset(
    "associates bank brothers co company corporation enterprises financial foods group holding "
    "holdings industries insurance international investments machines management partners "
    "pharmaceuticals products properties retail services solutions systems technologies trust "
    "ventures".split()
)
"""Words that names of firms go on with on the next line."""
_PAIRED = frozenset("securities food trade health oil housing fish commodity drug energy".split())
