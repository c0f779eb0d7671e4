"""Names of organisations with a legal form, read backward from it."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Final

from casetrack.base.words import WordLists
from casetrack.base.words.lists import LEGAL_FORMS, title_words
from casetrack.extract.names.words import DATES
from casetrack.graph.document.titles import MODIFIERS, PARTIES, is_job, is_part, job_title
from casetrack.graph.entities.lexicon import GIVEN_NAMES
from casetrack.graph.entities.locations import is_known_place, is_state, location_key
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

_LISTS = WordLists(__file__)

_PLAIN = "|".join(LEGAL_FORMS.phrases("any_case"))
_EXACT = "|".join(LEGAL_FORMS.words("own_case"))
_SPACED = "|".join(LEGAL_FORMS.phrases("with_blanks"))
_FORM: Final = re.compile(
    rf"(?<![\w.&-])(?:{_SPACED}|(?=[A-Z])(?i:{_PLAIN})|(?:{_EXACT}))(?![\w’'-]|/\w)\.?"
)
"""A legal form; ``Company`` and ``Co`` are weak forms, see :func:`_is_weak`."""
_TOKEN: Final = re.compile(r"[\w][\w'’]*(?:[-.@/][\w'’]+)*[™®]?|[&+]|\n[ \t]*\n|\n|[^\s\w]")
_REFERS: Final = re.compile(r"\s+(?:by|herein|in|into|under|therein|on)\b", re.IGNORECASE)
"""Words after "Incorporated" that make it no legal form."""
_LAW: Final = re.compile(r"\s(?:Act|Law|Code|Rules|Regulations|Ordinance|Statute)s?\b")
"""Words that turn a form into the title of a law: the Companies Limited Liability Act."""
_ARTICLE: Final = re.compile(r"\b(?:an?|A|eine?)\s$")
"""An article before a description: a Delaware corporation."""
_LINKS = frozenset("of and the for de la du des der die und et y e von van di do da den".split())
_CHAINS: Final = re.compile(r"[ ,\n]*(?:&|und|and)?[ \n]*")
"""Separators in one form: Co., Ltd.; GmbH & Co. KG."""
_NO_NAME: Final = re.compile(
    r"\b(?:an?|the|any|no|not|be|of|such|this|that|each|shall|should)\s+\Z", re.IGNORECASE
)
"""Words directly before an ordinary word: OF ANY LIMITED REMEDY."""
_STATE: Final = re.compile(r"\s{1,3}(?:\d{4,5}\b|[A-Z]\d[A-Z]\b)")
"""A postcode: after "Denver, CO" there is no legal form."""
_OF: Final = re.compile(r" of [A-Z]")
_WORD_BEHIND: Final = re.compile(r"\s([A-Z]\w+)")
_GOES_ON: Final = re.compile(r" [A-Z][a-z]")
_ABBREVIATION: Final = re.compile(r"\s*\([A-Z.]+\)?\Z")
"""An abbreviation after its form: Limited Liability Company (LLC)."""
_KINDS_OF_FIRMS = frozenset(("corporation", "llc", "lp", "llp", "partnership", "company"))
_WEAK = frozenset(LEGAL_FORMS.words("weak"))
_WRITTEN_OUT = frozenset(LEGAL_FORMS.words("written_out"))
"""Forms without a full stop."""
_SHORTENED = frozenset(LEGAL_FORMS.words("short", "more_short"))
_BODIES = frozenset(_LISTS.words("bodies"))
_TRAILERS = frozenset(
    "sons daughters partners associates company co brothers bros cie figli hijos fils sohn sohne "
    "sohne partner".split()
)
"""Words after *and* that belong to the name: … and Sons, … and Partners."""
_JOINED: Final = re.compile(r"[ \n]+(?:and|or|und|oder|&)[ \n]+")
_COLUMN_GAP = re.compile(r"\S {3,}\S")
_OPENERS = frozenset(_LISTS.words("openers"))
_ABBREVIATED = frozenset(
    "st dr wm chas geo jos bros mt ft no jr sr dept univ assn intl natl mfg".split()
) | title_words("address").union(LEGAL_FORMS.words("short"))
_Token = tuple[int, int, str]
_REACH = 140
_SLACK, _PROSE, _SMALL_WORDS = 8, 50, 3
_LONGEST_JOB = 4


def find_companies(text: str, /) -> Iterator[tuple[int, int, bool]]:
    """Yield the spans of names with a legal form, and whether the form is weak.

    >>> text = "made between Bank of Oakham plc and the Kestrel and Partners LLP."
    >>> [text[a:b] for a, b, _ in find_companies(text)]
    ['Bank of Oakham plc', 'Kestrel and Partners LLP']
    """
    known_end = 0
    matches = list(_FORM.finditer(text))
    for number, match in enumerate(matches):
        follows = matches[number + 1].start() if number + 1 < len(matches) else -1
        if 0 <= follows - match.end() <= 5 and _CHAINS.fullmatch(text, match.end(), follows):
            # "Co., Ltd." and "GmbH & Co. KG" are one form; its last word counts.
            continue
        is_weak = _is_weak(text, match)
        if is_weak and _NO_NAME.search(text, max(0, match.start() - 12), match.start()):
            continue
        behind = _WORD_BEHIND.match(text, match.end()) if is_weak else None
        if behind is not None and is_job(behind[1]):
            continue  # "Jo Roe, Company Secretary"
        if _REFERS.match(text, match.end()) and _word(match[0]) == "incorporated":
            continue
        start = _begin(text, max(known_end, match.start() - _REACH), match.start())
        if start is None or _ARTICLE.search(text, max(0, start - 4), start):
            continue
        if len(match[0]) == 2 and match[0].isupper() and _STATE.match(text, match.end()):
            continue
        if _LAW.match(text, match.end()) or describes(text[start : match.end()]):
            continue
        end = match.end()
        # After a word that is no abbreviation, a full stop ends the sentence.
        if text[end - 1] == "." and match[0].count(".") == 1 and _is_written_out(match[0]):
            end -= 1
        if _word(match[0]) == "company" and _OF.match(text, end):
            # "Insurance Company of Oland": the place belongs to the name.
            end = walk_right(text, end + 4, min(len(text), end + 40)) or end
        known_end = end
        if not is_in_columns(text, start, end):
            yield start, end, is_weak


def is_in_columns(text: str, start: int, end: int, /) -> bool:
    """Return whether a name of two lines has another column next to it or above it."""
    if "\n" not in text[start:end]:
        return False
    low = text.rfind("\n", 0, max(text.rfind("\n", 0, start), 0)) + 1
    high = text.find("\n", end)
    return _COLUMN_GAP.search(text, low, high if high >= 0 else len(text)) is not None


def _is_written_out(form: str) -> bool:
    """Return whether a form has no full stop: Limited, ASA."""
    word = _word(form)
    return word in _WRITTEN_OUT or (form[:-1].isupper() and word not in _SHORTENED)


def _is_weak(text: str, match: re.Match[str]) -> bool:
    """Return whether the form may be an ordinary word: ``Company``, ``LIMITED``."""
    word = _word(match[0])
    if word in {"limited", "corporation"}:
        return match[0].isupper() or bool(_GOES_ON.match(text, match.end()))
    return word in _WEAK and "." not in match[0][:-1]


def describes(name: str, /) -> bool:
    """Return whether a text describes an organisation without a name: each "Maine Corporation".

    >>> describes("Maine LLC"), describes("Maine Dairy LLC")
    (True, False)
    >>> describes("Delaware Limited"), describes("Delaware Limited Liability Company (LLC)")
    (True, True)
    """
    if all(map(is_part, parts := _JOINED.split(name.rstrip(" .,")))) and len(parts) > 1:
        return True  # "Talent and Company"
    name = _ABBREVIATION.sub("", name)
    form = next((m for m in _FORM.finditer(name) if m.end() == len(name)), None)
    if form is None:
        return False
    key, word = location_key(name[: form.start()].rstrip(" ,")), _word(form[0].rstrip("."))
    # "Delaware Limited" is the start of "Delaware Limited Liability Company Act".
    if word == "limited":
        return is_state(key) or bool(_NO_NAME.fullmatch(name, 0, form.start()))
    return word in _KINDS_OF_FIRMS and (is_state(key) or is_known_place(key))


def is_body(word: str, /) -> bool:
    """Return whether a folded word denotes a public body or institution: bank, commission."""
    return word in _BODIES


def walk_left(text: str, low: int, end: int, /) -> int | None:
    """Return the start (from *low*) of the capitalised words that end at *end*, or ``None``."""
    return _begin(text, max(low, end - _REACH), end)


def walk_right(text: str, start: int, high: int, /) -> int | None:  # noqa: PLR0912
    """Return the end (up to *high*) of the capitalised words that start at *start*, or ``None``."""
    end: int | None = None
    tokens = [(m.start(), m.end(), m[0]) for m in _TOKEN.finditer(text, start, high)]
    at = 0
    while at < len(tokens):
        first, stop, word = tokens[at]
        if text[tokens[at - 1][1] : first].strip("\n") not in {"", " "} and at:
            break
        follows = tokens[at + 1][2] if at + 1 < len(tokens) else ""
        if word == "\n":
            if not is_wrapped(text, first):
                break
        elif word == ",":
            # A comma belongs to the name only before a legal form.
            form = _FORM.match(text, tokens[at + 1][0]) if follows else None
            if form is None:
                break
            return form.end()
        elif word == ".":
            before = tokens[at - 1][2] if at else ""
            if not (len(before) == 1 or fold(before) in _ABBREVIATED):
                break
        elif word == "&" or fold(word) in _LINKS:
            link = word == "&" or fold(word) not in {"and", "und", "y", "e", "et"}
            if fold(word) in {"of", "for"} and fold(follows) == "the" and at + 2 < len(tokens):
                # "Regents of the University": the article belongs to the link.
                at, follows = at + 1, tokens[at + 2][2]
            if end is None or not follows[:1].isupper() or not (link or fold(follows) in _TRAILERS):
                break
            if word.isupper() and fold(word) in {"and", "by"}:
                break
        elif word[0].isupper() or (word[0].isdigit() and any(c.isalpha() for c in word)):
            if end is None and fold(word) in _OPENERS:
                return None
            end = stop
        else:
            break
        at += 1
    return end


def is_wrapped(text: str, at: int, /) -> bool:
    """Return whether the line break at *at* is a wrap: the next word did not fit."""
    if text[at - 1 : at] in {"", ".", ":", ";", "\n", "|"}:
        return False
    line, end = text.rfind("\n", 0, at) + 1, text.find("\n", at + 1)
    behind = text[at + 1 : end if end >= 0 else len(text)]
    word = behind.split(" ", 1)[0]
    if not word:
        return False
    if at - line + 1 + len(word) > _width(text) - _SLACK:
        return True
    # Ragged right margin: a line of prose has several lower-case words.
    return at - line > _PROSE and sum(w.islower() for w in text[line:at].split()) > _SMALL_WORDS


@functools.lru_cache(maxsize=4)
def _width(text: str) -> int:
    return max(map(len, text.split("\n")))


def _word(form: str) -> str:
    return fold(form).replace(".", "").rpartition(" ")[2]


def _begin(text: str, low: int, end: int) -> int | None:
    tokens = [(m.start(), m.end(), m[0]) for m in _TOKEN.finditer(text, low, end)]
    at = len(tokens) - 1
    # A comma before the form belongs to the name, as does an earlier part of the form.
    while at >= 0 and tokens[at][2] in {",", ".", "\n"}:
        at -= 1
    best: int | None = None
    while at >= 0:
        word = tokens[at][2]
        step = _step(text, tokens, at, best)
        if step == 0:
            break
        if word[0].isalnum() and fold(word) not in _LINKS and step > 0:
            best = at
        at -= abs(step)
    words = [(i, tokens[i][2]) for i in range(len(tokens) if best is None else best, len(tokens))]
    content = [i for i, word in words if word[0].isalnum() and fold(word) not in _LINKS]
    content = content[_words_of_date(tokens, content) :]
    while content and (
        _is_opener(tokens, content[0])
        or _is_number(text, tokens, content)
        or _is_label(tokens, content)
    ):
        content = content[1:]
    content = content[_words_of_date(tokens, content) :]
    if len(content) > 1 and fold(tokens[content[0]][2]) == fold(tokens[content[1]][2]):
        content = content[1:]
    content = content[_words_of_job(tokens, content) :]
    if not any(c.isalpha() for i in content for c in tokens[i][2]):
        return None
    return _below_person(text, tokens, content)


def _words_of_date(tokens: list[_Token], content: list[int]) -> int:
    """Return the number of leading date words: three in "11 November 2024 Acme Inc."."""
    words = [fold(tokens[i][2]) for i in content]
    dated = (n for n, w in enumerate(words) if not w.isdigit() and w not in DATES)
    size = next(dated, len(words))
    return size if any(w in DATES for w in words[:size]) and size > 1 else 0


_DEPARTMENTS = frozenset(("department", "dept", "division"))


def _words_of_job(tokens: list[_Token], content: list[int]) -> int:
    """Return the number of leading words of a job title or department, as in two columns."""
    words = [tokens[i][2] for i in content]
    if len(words) > 2 and fold(words[1]) in _DEPARTMENTS and fold(words[0]) in MODIFIERS:
        return 2
    sizes = range(min(len(words) - 1, _LONGEST_JOB), 1, -1)
    return next((n for n in sizes if is_job(words[n - 1]) and job_title(" ".join(words[:n]))), 0)


def _below_person(text: str, tokens: list[_Token], content: list[int]) -> int:
    """Return the start of a name below a person's line, as in lists of speakers."""
    start = tokens[content[0]][0]
    cut = text.find("\n", start, tokens[content[-1]][0])
    if cut >= 0 and 1 < len(text[start:cut].split()) < 4:
        below = next(tokens[i][0] for i in content if tokens[i][0] > cut)
        if fold(text[start:cut].split(maxsplit=1)[0]) in GIVEN_NAMES:
            return below
    return start


def _is_opener(tokens: list[_Token], at: int) -> bool:
    behind = tokens[at + 1][2] if at + 1 < len(tokens) else ""
    return fold(tokens[at][2]) in _OPENERS and behind not in {"of", "&"}


def _is_label(tokens: list[_Token], content: list[int]) -> bool:
    """Return whether the first word is a role in capitals before a name: ``TALENT Acme Ltd``."""
    first, second = [tokens[i][2] for i in content[:2]] if len(content) > 1 else ("", "")
    return first.isupper() and is_part(first) and second[1:].islower()


def _is_number(text: str, tokens: list[_Token], content: list[int]) -> bool:
    """Return whether the first word numbers a line: ``10.3 Acme Inc.``, ``A. Acme Inc.``."""
    start, end, word = tokens[content[0]]
    starts_line = text[:start].rpartition("\n")[2].strip(" (") == ""
    if word.replace(".", "").replace("-", "").isdigit():
        return starts_line or "." in word
    return len(word) == 1 and starts_line and text[end : end + 1] in {".", ")"} and len(content) > 1


def _step(  # noqa: PLR0912
    text: str, tokens: list[_Token], at: int, best: int | None
) -> int:
    """Return the number of tokens to the left that continue the name, 0 at its start."""
    start, stop, word = tokens[at]
    follows = tokens[at + 1][0] if at + 1 < len(tokens) else stop
    gap = text[stop:follows].strip("\n")
    is_wide = gap not in {"", " "} and not (gap == "  " and word.isalpha())
    if is_wide or (fold(word) in {"a", "an"} and follows > stop):
        return 0
    if word == "\n":
        # A line that ends in a number is separate.
        is_whole = at > 0 and any(c.isdigit() for c in tokens[at - 1][2])
        return 1 if at > 0 and not is_whole and is_wrapped(text, start) else 0
    if word in {"&", "+"}:
        return 1 if at > 0 and best is not None else 0
    if word == ")":
        # "Seaforth Shipping (Asia)": one or two words in parentheses.
        for back in (2, 3):
            if at >= back and tokens[at - back][2] == "(":
                inner = [t[2] for t in tokens[at - back + 1 : at]]
                near = text[tokens[at - back][0] - 1 : tokens[at - back][0]] == " "
                if near and all(w[0].isupper() and fold(w) not in _OPENERS for w in inner):
                    return back + 1
        return 0
    if word == ".":
        before = tokens[at - 1][2] if at else ""
        touches = at > 0 and tokens[at - 1][1] == start
        if touches and (
            (len(before) == 1 and before.isupper()) or fold(before) in _ABBREVIATED or "." in before
        ):
            return 1
        return 0
    if word == ",":
        # "Smith, Jones & Co": a comma before the last name.
        rest = [t[2] for t in tokens[at + 1 :]]
        before = tokens[at - 1][2] if at else ""
        pairs = (
            bool(before)
            and before[0].isupper()
            and len(rest) > 1
            and rest[1] in {"&", ","}
            and "&" in rest
        )
        return 1 if pairs and fold(before) not in _OPENERS else 0
    if not word[0].isalnum():
        return 0
    low = fold(word)
    if word[0].islower() and low in _LINKS:
        return _link(tokens, at, low, best)
    if low in {"and", "und"} and word.isupper():
        return _link(tokens, at, low, best)
    if word[0].isupper() or word[0].isdigit() or any(c.isupper() for c in word[1:3]):
        if low in {"between", "among", "whereas", "by"} and word.isupper():
            return 0
        return 1
    return 0


def _link(tokens: list[_Token], at: int, low: str, best: int | None) -> int:
    if best is None and low != "of":
        # "… and Company": the form itself follows the link.
        return 1 if low in {"and", "und", "et"} and at > 0 and at == len(tokens) - 1 else 0
    if at == 0:
        return 0
    before = tokens[at - 1][2]
    if low == "the":
        return 1 if fold(before) in {"of", "for"} else 0
    if not (before[0].isupper() or fold(before) in _LINKS):
        return 0
    if low in {"and", "und", "et", "y", "e"}:
        behind = fold(tokens[at + 1][2]) if at + 1 < len(tokens) else ""
        return 1 if behind in _TRAILERS else 0
    if low in {"of", "for"}:
        head = fold(before)
        if head in PARTIES and head not in _BODIES:
            return 0
        return 1 if head in _BODIES and not is_job(before) else 0
    return 1
