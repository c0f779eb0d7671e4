"""The kind of value that a question requests, by its question word and the noun after it."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from casetrack.base.words import WordLists
from casetrack.ingest.steps.words import index_terms
from casetrack.search.question.form import asking_word

LISTS = WordLists(__file__)
_LANGUAGES = LISTS.words("languages")
_WORD = re.compile(r"[^\W_]+(?:['\u2019-][^\W_]+)*")
_PHRASE_ENDS = frozenset(
    "of in on at by to from for with under per that which who when after before between during "
    "and or as if than von in im am bei zu aus f\u00fcr mit und nach vor".split()
)
_ARTICLES = frozenset(
    "the a an its their his her our your this der die das den dem ein eine".split()
)
_NAME = re.compile(r"(?<=[\w,)\u2019'] )(?:[A-Z]\w+|[a-z]{1,20}[A-Z]\w*)")
_MOST = 6
"""Maximum number of words of the phrase after a question word."""
_NAMED = frozenset(
    "phone telephone fax account reference part serial model invoice file case".split()
)
"""Words before "number" that make it an identifier."""
_SHARES = frozenset("percentage percent share proportion fraction anteil prozentsatz".split())
_OF_ONE = re.compile(r"\bnumber of (?:the|this|that|our) \w*[^\Ws]\W*$", re.IGNORECASE)
"""A question for the number of one thing, which is no count."""
_CHARGES = re.compile(
    r"\b(?:cost|charge|pay|earn|spend|owe|receive|kosten|zahlen)\b", re.IGNORECASE
)


_DID = re.compile(r"\b(?:did|does|do|will)\b", re.IGNORECASE)
_PARTICIPLES = frozenset(LISTS.words("en_participles"))
_DUTY = re.compile(r"\b(?:must|shall|should|has to|have to|may|muss|m\u00fcssen)\b", re.IGNORECASE)
"""Words of a question for a day, or for a period before or after an event."""


def query_terms(text: str, /) -> frozenset[str]:
    """Return the words of a question in their indexed form."""
    return frozenset(index_terms(text))


class Wanted(NamedTuple):
    """The requested value.

    *kinds* are ``date``, ``money``, ``percent``, ``number``, ``person`` and families of units, such
    as ``time`` and ``length``; empty if the noun says nothing on the kind. *thing* has the terms of
    the counted things, or of the noun; *unit* is the symbol of a unit in which it is counted.
    *is_object* is whether the question asks for the object of its verb ("who did they beat").
    *named* are terms that only name the kind, *predicate* those of the verb or role that the value
    belongs to: "who wrote", "who is the auditor", "when was it founded"; *noun* is the noun of
    "what is the rent" or what precedes a kind ("completion date"), *names* are the terms with a
    capital in English.
    """

    kinds: frozenset[str]
    thing: frozenset[str] = frozenset()
    unit: str | None = None
    is_object: bool = False
    named: frozenset[str] = frozenset()
    predicate: frozenset[str] = frozenset()
    noun: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()


class _Words:
    """The word lists of a language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.ask = frozenset(LISTS.words(f"{language}_ask"))
        self.verbs = frozenset(LISTS.words(f"{language}_verb"))
        self.copulas = frozenset(LISTS.words(f"{language}_copula"))
        self.how = LISTS.groups(f"{language}_how")
        self.whens = frozenset(LISTS.words(f"{language}_when"))
        self.persons = frozenset(LISTS.words(f"{language}_person"))
        self.objects = re.compile(rf"(?:{LISTS.text(f'{language}_object')})\b", re.IGNORECASE)
        self.nouns: dict[str, frozenset[str]] = {}
        for kind, nouns in LISTS.groups(f"{language}_nouns").items():
            for noun in nouns:
                self.nouns[noun] = self.nouns.get(noun, frozenset()) | {kind}

    def kinds_of(self, noun: str) -> frozenset[str]:
        """Return the kinds that a noun in singular or plural requests."""
        for word in (noun, noun.removesuffix("s"), noun.removesuffix("es"), noun[:-3] + "y"):
            if kinds := self.nouns.get(word):
                return kinds
        return frozenset()


_words = functools.cache(_Words)


_LABEL = re.compile(r"\W*(?:[^\W\d_]+ ){0,3}?(?P<noun>[^\W\d_]+): *\S")
_CLOCK = re.compile(r"\b(?:what|which) time\b|\bwie ?viel uhr\b", re.IGNORECASE)
"""Words of a question for a time of the day."""


def kinds_of_label(text: str, /) -> frozenset[str]:
    """Return the kinds of the value in a text such as "Location: 12 Dock Road", by its label."""
    label = _LABEL.match(text)
    each = (_words(language).kinds_of(label["noun"].lower()) for language in _LANGUAGES if label)
    return frozenset().union(*each)


@functools.lru_cache(maxsize=64)
def wanted(query: str, /) -> Wanted | None:
    """Return the requested value of a question; ``None`` without a question word."""
    for language in _LANGUAGES:
        words = _words(language)
        if (asked := _asked(query, words)) is not None:
            if _CLOCK.search(query):
                asked = asked._replace(kinds=frozenset({"date"}), unit="clock")
            # German nouns have capitals as well.
            names = query_terms(" ".join(_NAME.findall(query))) if language == "en" else frozenset()
            return asked._replace(names=names)
    return None


def _asked(query: str, words: _Words) -> Wanted | None:
    matches = list(_WORD.finditer(query))
    start = asking_word(query.lower(), words.language)
    asks = [n for n, m in enumerate(matches) if m.group().lower() in words.ask]
    # A capital inside the question belongs to a name.
    asks = [n for n in asks if n == 0 or matches[n].group()[0].islower()]
    first = next((n for n in asks if start is None or matches[n].start() >= start), None)
    if first is None:
        return None
    ask = matches[first].group().lower()
    phrase, rest = _phrase([m.group().lower() for m in matches[first + 1 :]], words)
    is_object = words.objects.match(query, matches[first].start()) is not None
    if ask in words.persons:
        verbs = [w for w in (*phrase, *rest) if w not in words.verbs and w not in _ARTICLES]
        predicate = query_terms(verbs[0]) if verbs and not is_object else _verbs(query)
        return Wanted(frozenset({"person"}), is_object=is_object, predicate=predicate)
    if ask in words.whens:
        kinds = frozenset({"date", "time"} if _DUTY.search(query) else {"date"})
        return Wanted(kinds, predicate=_verbs(query))
    if ask == "where":
        return Wanted(frozenset({"place"}), predicate=_verbs(query))
    if phrase and phrase[0] in words.how and ask in {"how", "wie"}:
        return _of_quantity(phrase, frozenset(words.how[phrase[0]]), words, _verbs(query))
    if not phrase and rest and rest[0] in words.copulas:  # "what is the monthly rent of"
        phrase, _ = _phrase(rest, words, skip=True)
    return _of_noun(query, phrase, words)


def _phrase(words: list[str], lists: _Words, *, skip: bool = False) -> tuple[list[str], list[str]]:
    """Return the words up to a verb or preposition, and the others; *skip* skips verbs first."""
    start = 0
    while (
        skip and start < len(words) and (words[start] in lists.verbs or words[start] in _ARTICLES)
    ):
        start += 1
    end = start
    while end < len(words) and end - start < _MOST:
        ends = words[end] in _PHRASE_ENDS or words[end] in _ARTICLES
        if words[end] in lists.verbs or (ends and end > start):
            break
        end += 1
    return words[start:end], words[end:]


def _verbs(query: str) -> frozenset[str]:
    """Return the terms of participles, and of the last word of a question with "did", "will"."""
    words = [m.group() for m in _WORD.finditer(query)]
    verbs = [
        w for w in words if w.islower() and (w.endswith("ed") or w in _PARTICIPLES) and len(w) > 3
    ]
    if not verbs and words and _DID.search(query):
        verbs = words[-1:]
    return query_terms(" ".join(verbs))


def _of_quantity(
    phrase: list[str], kinds: frozenset[str], words: _Words, verbs: frozenset[str]
) -> Wanted:
    """Return the requested value of "how many working days"."""
    from casetrack.extract.amounts.suffixes import WORDS

    named, nouns = query_terms(phrase[0]), phrase[1:]
    if phrase[0] in {"many", "viele"} and nouns:
        units = " ".join(nouns[:2]), nouns[0], nouns[-1]
        name = next((name for name in units if name in WORDS), None)
        if name is not None:
            unit, own = WORDS[name], query_terms(name)
            thing = query_terms(" ".join(nouns)) - own
            return Wanted(
                frozenset({unit.family}), thing, unit.symbol, named=named | own, predicate=verbs
            )
        if nouns[0] in {"percent", "prozent"}:
            return Wanted(frozenset({"percent"}), named=named, predicate=verbs)
    elif nouns:
        own_kinds = frozenset().union(*(words.kinds_of(noun) for noun in nouns)) - {
            "person",
            "date",
        }
        kinds = own_kinds or kinds
    elif phrase[0] in {"much", "viel"}:
        kinds = frozenset({"money"})
    return Wanted(kinds, query_terms(" ".join(nouns)), named=named, predicate=verbs)


def _of_noun(query: str, phrase: list[str], words: _Words) -> Wanted:
    """Return the requested value of "what monthly rent": the kind of the last noun with a kind."""
    named = [word.removesuffix("'s").removesuffix("\u2019s") for word in phrase]
    thing = query_terms(" ".join(named))
    if not named and (charge := _CHARGES.search(query)):
        return Wanted(frozenset({"money"}), named=query_terms(charge.group()))
    head = next((noun for noun in reversed(named) if words.kinds_of(noun)), "")
    kinds = words.kinds_of(head)
    if not _NAMED.isdisjoint(named) or _OF_ONE.search(query):
        kinds -= {"number"}
    is_kind = kinds <= {"date", "time", "place"} or head in _SHARES
    own = query_terms(head) if is_kind else frozenset[str]()
    noun = thing if is_kind else query_terms(head)
    return Wanted(kinds, thing, named=own, predicate=_verbs(query), noun=noun - own)
