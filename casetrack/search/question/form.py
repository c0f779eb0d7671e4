"""The form of a question by its grammar: list, count, value, yes-no and others."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists

if TYPE_CHECKING:
    from casetrack.base.records.reading import QuestionForm

_LISTS = WordLists(__file__)
_LANGUAGES = _LISTS.words("languages")
_SPACE = re.compile(r"\s+")
_COURTESY = re.compile(
    r"^(?:\W|(?:please|bitte|can you|could you|would you|will you|kannst du|können sie|"
    r"i want to know|i need|ich möchte wissen|(?:tell|show|give) (?:me|us)(?= (?:wh|how))|mir|uns|"
    r"auf)\b)+"
)
_SINGLE = frozenset(_LISTS.words("single"))
_PLURAL = frozenset(_LISTS.words("plural"))
_NOT_PLURAL = ("ss", "us", "is", "'s")
COMPUTED: frozenset[QuestionForm] = frozenset(
    {"list", "count", "sum", "extreme", "computation", "role", "follow-up"}
)
"""Forms of questions that a search answers by computing, or with a note."""
PROPERTIES: frozenset[QuestionForm] = frozenset({"value", "words"})
"""Further forms in which a property of one document is requested."""
_FRAGMENT = 8
"""Maximum number of words of a fragment: "and for the customer in 2019?"."""


class _Grammar:
    """The patterns of a language; all are matched against lower-case text."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __getattr__(self, name: str) -> re.Pattern[str]:
        pattern = self.__dict__[name] = _pattern(f"{self.language}_{name}")
        return pattern


_grammar = functools.cache(_Grammar)


def _pattern(name: str) -> re.Pattern[str]:
    text = _LISTS.text(name)
    words = "|".join(text.split()) if name.endswith("_aux") else "|".join(_LISTS.phrases(name))
    words = re.sub(r"\| ", "|", words)
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)" if words[-1] != "$" else words)


def form_of(text: str, language: str | None = None, /) -> QuestionForm:
    """Return the form of a question without instructions.

    *language* is its ISO 639-1 code; unknown ones are tried in turn. A question in a language
    without word lists has the form ``words``.

    Examples
    --------
    >>> form_of("And how much of it was for the customer?")
    'follow-up'
    >>> form_of("Which company has the highest revenue?")
    'extreme'
    """
    plain = _SPACE.sub(" ", text.lower().replace("\u2019", "'")).strip()
    form: QuestionForm = "words"
    # Short questions are easily taken for another language.
    for each in (language,) if language in _LANGUAGES else _LANGUAGES:
        form = _form(plain, _grammar(str(each)))
        if form != "words":
            break
    return form


def superlative(text: str, /) -> re.Match[str] | None:
    """Return the first superlative of a question in lower case, in any language with lists."""
    matches = [m for each in _LANGUAGES if (m := _grammar(each).extreme.search(text))]
    return min(matches, key=re.Match.start) if matches else None


def _form(text: str, g: _Grammar) -> QuestionForm:
    """Return the form of a question in a language, in lower case."""
    if _continues(text, g):
        return "follow-up"
    more = g.more.match(text)
    body = _COURTESY.sub("", text[more.end() :] if more else text)
    for imperative, form in _IMPERATIVES.items():
        if getattr(g, imperative).match(body):
            return "sum" if form == "computation" and g.sum.search(body) else form
    asks = asking_word(body, g.language)
    if _inverted(body, g, asks=asks is not None):
        return "yes-no"
    main = body if asks is None else body[asks:]
    requests = asks is not None or g.list.match(body) is not None
    has_verb = g.aux.search(main) is not None and not main.endswith("?")
    if not requests and has_verb and not _opens_set(main, g):
        return "statement"
    cut = g.clause.search(main, 12)
    end, marks = cut.start() if cut else len(main), []
    for mark in _MARKS:
        match = getattr(g, mark).search(main, 0, end)
        if match and (mark != "count" or not g.units.match(main[match.end() :].lstrip())):
            marks.append((match.start(), -match.end(), mark))
    if marks:
        return min(marks)[2]
    if _is_list(main, g):
        return "list"
    if g.role.match(main):
        return "role"
    if asks is None:
        return "value" if requests else "statement" if main.endswith(".") else "words"
    return "value" if g.value.match(main) else "explanation"


_IMPERATIVES: dict[str, QuestionForm] = {
    "explain": "explanation",
    "compare": "comparison",
    "compute": "computation",
}


_MARKS: tuple[QuestionForm, ...] = ("computation", "comparison", "count", "sum", "extreme")


def _continues(text: str, g: _Grammar) -> bool:
    """Return whether a question is complete only after an earlier one."""
    if g.elliptic.match(text):
        return True
    more = g.more.match(text)
    main = text[more.end() :].lstrip(" ,") if more else text
    cut = g.clause.search(main, 12)
    main = g.expletive.sub(" ", main[: cut.start()] if cut else main)
    if more and text.endswith("?"):
        is_whole = g.ask.match(main) or g.aux.search(main) or g.list.match(main)
        if g.pronoun.search(main) or (not is_whole and len(main.split()) <= _FRAGMENT):
            return True
    pronoun = g.certain.search(main)
    if pronoun is None or not (g.ask.match(main) or g.aux.match(main)):
        return False
    before = main[: pronoun.start()]
    return not _CONTENT.search(g.aux.sub(" ", g.ask.sub(" ", before)))


_CONTENT = re.compile(r"\b(?!(?:much|many|long|often|viele?|lange|oft|of|the|part)\b)\w{2,}")


def asking_word(body: str, language: str, /) -> int | None:
    """Return the start of the question word that asks, in lower case, or ``None``."""
    g = _grammar(language)
    for match in g.ask.finditer(body):
        start = match.start()
        opens = start == 0 or (body[:start].rstrip()[-1:] in ",:;" and not g.aux.match(body))
        if opens and not (
            # "When the lease ends, who pays?"
            match.group() in _CLAUSE_WORDS
            and not g.aux.match(body[match.end() :].lstrip())
            and "," in body[match.end() :]
        ):
            return start
    if body.endswith("?") and not g.aux.match(body):
        last = [m.start() for m in g.ask.finditer(body)]
        return last[-1] if last else None
    return None


_CLAUSE_WORDS = frozenset({"when", "where", "while", "wo", "was", "wie"})


def _inverted(body: str, g: _Grammar, *, asks: bool) -> bool:
    """Return whether a finite verb begins the question."""
    if asks:
        return False
    first = g.aux.match(body)
    if first is None:
        return body.endswith("?") and any(
            g.aux.match(body[comma.end() :]) for comma in re.finditer(r", ", body)
        )
    return body[first.end() :].strip(" ?") != ""


def _opens_set(body: str, g: _Grammar) -> bool:
    """Return whether a phrase without a verb begins with a word for a set: "all invoices"."""
    if body.endswith("."):
        return False
    body = re.sub(r"^(?:the|die|der|das|den) ", "", body)
    return any(p.match(body) is not None for p in (g.all, g.extreme, g.sum, g.count))


def _is_list(main: str, g: _Grammar) -> bool:
    """Return whether a question asks for several things."""
    if g.language == "de":
        return _GERMAN_LIST.match(main) is not None or g.all.match(main) is not None
    imperative = g.list.match(main)
    if imperative or g.all.match(main):
        rest = main[imperative.end() :].lstrip() if imperative else main
        rest = re.sub(r"^(?:me|us|out) ", "", rest)
        return g.all.match(rest) is not None or _is_plural(_noun_phrase(rest))
    asked = _ENGLISH_LIST.match(main)
    if asked is None:
        return False
    rest = main[asked.end() :].lstrip()
    phrase = _noun_phrase(rest)
    after = rest[len(phrase) :].strip(" ?")
    is_definition = asked["bare"] is not None and not after
    # "Which state law governs?": without words after it, the last word is the verb.
    is_verb = (asked["what"] is not None and not g.aux.match(after)) or (
        asked["which"] is not None and not after and " " in phrase
    )
    return asked["who"] is not None or (_is_plural(phrase) and not is_definition and not is_verb)


_ENGLISH_LIST, _GERMAN_LIST = map(_LISTS.pattern, ("english_list", "german_list"))
_NOUN_END = _LISTS.pattern("noun_end")


def _noun_phrase(text: str) -> str:
    """Return the words of a phrase up to a preposition, verb or sign."""
    end = _NOUN_END.search(text)
    return text[: end.start() if end else len(text)].strip()


def _is_plural(phrase: str) -> bool:
    """Return whether the last word of an English noun phrase is a plural."""
    last = phrase.rpartition(" ")[2]
    is_plural = last.endswith("s") and len(last) > 3 and not last.endswith(_NOT_PLURAL)
    return last in _PLURAL or (is_plural and last not in _SINGLE)
