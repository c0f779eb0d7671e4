"""Shows the value that answers a question, if it is certain.

The values of the marked part are compared with the question: kind and unit; the counted thing; the
role of a name; the share of the question's words around the value, in its clause, in its part and
nearby; and the same for the other values of its kind. A logistic model combines these features. Its
weights were fitted on XQuAD and on the Wikipedia part of SQuADShifts (both English); see
docs/evaluation.md. Values in rows of tables are found by the names of their row and column instead
(:mod:`casetrack.search.pinpoint.cells`).
"""

from __future__ import annotations

import functools
import math
import operator
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.dataclass import dataclass
from casetrack.base.records.reading import Answer
from casetrack.base.words.lists import month_numbers
from casetrack.search.pinpoint.candidates import Value, values_in
from casetrack.search.pinpoint.cells import BETWEEN, Table
from casetrack.search.pinpoint.phrases import OF_DOCUMENT, phrase_asked, phrases_in, places_in
from casetrack.search.pinpoint.scoring import Hit, hits_of, terms_of_word
from casetrack.search.question.read import SCALE
from casetrack.search.question.wanted import LISTS, Wanted, query_terms, wanted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records.reading import AnswerKind, QuestionForm
    from casetrack.search.pinpoint.phrases import Asked
    from casetrack.search.pinpoint.scoring import Floats, Sought
    from casetrack.search.pinpoint.units import Unit

VALUE_COLUMNS = ("mentions",)
"""Columns of ``chunks`` with values that may answer; others are found in the marked part itself."""

_OTHERWISE, _DUE, _LIMIT, _CLAUSE = (
    LISTS.pattern(name, re.IGNORECASE) for name in ("otherwise", "due", "limit", "clause")
)
_PREPOSITIONS = query_terms("within until since during after before prior")
_SELECTING = frozenset(LISTS.words("selecting"))
_PARTIES = frozenset(LISTS.words("parties"))
_DUTY = re.compile(r"\b(?:must|shall|should|has to|have to|muss|m\u00fcssen)\b", re.IGNORECASE)
_PAST = re.compile(r"\b(?:was|were|did|wurden?)\b", re.IGNORECASE)

_NUMBERED = re.compile(
    rf"\b(?!(?:{'|'.join(month_numbers('en', 'en_short'))}|than|below|above|under|over|least|most|"
    r"about|from|until|after|before|between)\b)(?P<thing>[^\W\d_]{3,}) (?P<number>\d{1,3})\b"
    r"(?![.,:]\d)(?! ?(?:%|percent|per cent|days?|weeks?|months?|years?|hours?))",
    re.IGNORECASE,
)
_STEM_CHARS = 5
_NOTHING = re.compile(r"\b(?:no|zero|kein\w*)\s+(?:\w+\s+)?$", re.IGNORECASE)
_ARTICLES = frozenset({"one", "ein", "eine", "einer"})
_OF_OTHER = re.compile(r"(?:\w-|\d[\d,.]* (?:out )?of (?:the |all )?)$")
"""Text before the whole of which a part is given, and in compounds: "2 of 9", "double-twelve"."""
_ALONE_BEFORE, _ALONE_AFTER = re.compile(r"\n[>|\s]*$"), re.compile(r"[,\s]*(?:\n|$)")
"""Text around a name alone on its line, which is a signature."""
_EARLIER, _LATER = (
    re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for words in ("before|prior|until|vor|bis", "after|following|upon|once|since|nach|seit|sobald")
)
_RANGE = re.compile(r"\d\s*[\u2013-]\s*\d|\b(?:between|from|to|and|bis)\b", re.IGNORECASE)
_RANGE_ASKED = re.compile(
    r"\b(?:between|from|years|dates|days|period|how long|zwischen)\b", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_FIGURES = re.compile(r"(?=\w*\d)\w+(?:[.,]\d+)*")
"""Numbers of a question, also of a version: "6.2.1"."""
_UNTIL_ASKED = re.compile(r"\W*(?:by|until|till|bis) (?:when|wann)\b", re.IGNORECASE)
_UNTIL = re.compile(
    r"(?:\b(?:until|till|by|before|than|through|to|bis(?: zum)?)|[\u2013-])\s*(?:the |\w+day,? )?$",
    re.IGNORECASE,
)
"""Words before the last day of a period."""
_LONG = re.compile(r"\b(?:long|length|lang|lange|l\u00e4nge)\b", re.IGNORECASE)
_WEB_ADDRESS = re.compile(r"\b(?:https?://|www\.)\S+")
_BREAK = re.compile(r"[,;:](?!\d)|\b(?:and|or|but|und|oder|aber)\b")
_BRACKETS = re.compile(r"\s*\([^()]{1,80}\)")
_DIGITS = re.compile(r"\D")
_STOP = re.compile(r"[;(]|[.,](?!\d)|(?<!of )(?<!of the )\b\d|\bof (?:the )?\d[\d,.]* ?")
_CAPITAL = re.compile(r"[A-Z]\w")
_BY_AFTER = re.compile(r"\w*\s+(?:by|von|durch)\b", re.IGNORECASE)
_BY = re.compile(r"\b(?:by|von|durch) (?:the |\w+ )?$", re.IGNORECASE)
_MADE_BY = re.compile(r"(?P<made>\w+) (?:by|von|durch) (?:the |\w+ )?$", re.IGNORECASE)
_MADE = re.compile(
    r"\b(?:dated|executed|entered into|made|signed)"
    r"(?: (?:as|of|on|this|the|by|between|among|both|all|parties)\b){0,6} ?$"
    r"|(?:^|\n)\W*(?:date|datum): *$",
    re.IGNORECASE,
)
"""Words before the day of a paper itself."""
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b")
_LEAST_WORDS = 2
"""Minimum number of the question's words: a single word fits too many sentences."""
_NEAR_WORDS = 6
"""Distance in words at which a word of the question counts a third."""
_LIMIT_CHARS = 20
"""Maximum distance in characters between a period and the words that make it a limit."""
_NEAR_CHARS = 45
"""Maximum distance in characters between a number and the counted thing."""
_AROUND_CHARS = (400, 150)
"""Text before and after the part to which its words may refer."""
_NO_SENTENCES = frozenset({"row", "heading", "header"})
_KINDS: dict[str, AnswerKind] = {
    "date": "date",
    "time": "date",
    "number": "count",
    "person": "person",
    "place": "location",
    "organization": "organization",
}


@dataclass(frozen=True)
class Compared:
    """A marked part compared with a question."""

    text: str
    passage: Scored
    unit: Unit
    sought: Sought
    wanted: Wanted

    @functools.cached_property
    def values(self) -> list[Value]:
        """The values of the part."""
        names = self.passage.row.get("mentions") or ()
        values = values_in(self.text, names, self.unit.start)
        if "place" in self.wanted.kinds:
            values += places_in(self.text, self.sought.query, names, self.unit.start)
        return values

    @functools.cached_property
    def words(self) -> str:
        """The part without web addresses, whose words name a site."""
        return _WEB_ADDRESS.sub(lambda match: " " * len(match[0]), self.text)

    @functools.cached_property
    def own(self) -> frozenset[str]:
        """The terms of the part."""
        return query_terms(self.words)

    @functools.cached_property
    def around(self) -> frozenset[str]:
        """The terms of the text around the part, and of its headings."""
        before, after = _AROUND_CHARS
        near = self.passage.text[max(0, self.unit.start - before) : self.unit.end + after]
        names = terms_of_word(names_of(self.passage.whole))
        return query_terms(_WEB_ADDRESS.sub(" ", near)) | names | self.passage.elsewhere

    @functools.cached_property
    def weights(self) -> dict[str, float]:
        """The terms of the question with their rarity, without those that name the kind."""
        specific = {t for t, w in self.sought.specific.items() if w >= 1.0}
        if "place" in self.wanted.kinds:
            specific |= self.sought.names & self.own
        specific -= self.wanted.named | _PREPOSITIONS
        return {t: self.sought.rarity.get(t, 1.0) for t in specific}

    @functools.cached_property
    def hits(self) -> list[Hit]:
        """The words of the part that are terms of the question."""
        return list(hits_of(self.words, self.weights)) if self.weights else []

    @functools.cached_property
    def total(self) -> float:
        """The weight of all terms."""
        return math.fsum(self.weights.values()) or 1.0

    def share(self, terms: frozenset[str] | set[str], /) -> float:
        """Return the share of the weight of all terms that *terms* have."""
        return math.fsum(w for t, w in sorted(self.weights.items()) if t in terms) / self.total

    def fits(self, value: Value, /) -> bool:
        """Return whether a value has a requested kind and unit, and is not in the question."""
        if value.kind not in self.wanted.kinds or (
            self.wanted.unit and value.unit != self.wanted.unit
        ):
            return False
        if self.is_otherwise(value) or _OF_OTHER.search(self.text, 0, value.start):
            return False
        if value.kind == "number" and value.text.lower() in _ARTICLES:
            return False
        if value.kind == "person" and (
            _ALONE_BEFORE.search(self.text, 0, value.start)
            and _ALONE_AFTER.match(self.text, value.end)
        ):
            return False
        if value.kind == "length" and "time" in self.wanted.kinds and not _LONG.search(self.text):
            return False  # "How long is the offer valid?"
        is_converted = self.text[max(0, value.start - 1) : value.start] == "("
        if is_converted and value.kind not in {"date", "number", "percent", "money", "person"}:
            return False
        if (
            value.kind == "date"
            and _RANGE.search(value.text)
            and not _RANGE_ASKED.search(self.sought.query)
        ):
            return False
        if (
            value.kind == "date"
            and _UNTIL_ASKED.match(self.sought.query)
            and not _UNTIL.search(self.text, 0, value.start)
        ):
            return False
        own = query_terms(value.text)
        if value.kind == "person" and not own.isdisjoint(self.sought.terms):
            return False
        if value.kind == "place" and query_terms(value.text.split()[0]) & self.sought.terms.keys():
            return False
        return not own or not own <= self.sought.terms.keys()

    def covered(self) -> float:
        """Return the share of the question in the part and around it."""
        return self.share({hit.term for hit in self.hits} | self.around)

    def of_year(self, values: Sequence[Value], /) -> Sequence[Value]:
        """Return the value of the asked year among values in the order of the years.

        "$1.2 million and $1.5 million in 2023 and 2024".
        """
        asked = set(_YEAR.findall(self.sought.query))
        years = _YEAR.findall(self.text)
        if len(values) != len(years) or len(values) < 2 or "date" in self.wanted.kinds:
            return values
        return [value for value, year in zip(values, years, strict=True) if year in asked] or values

    def nearness(self, value: Value, /) -> float:
        """Return the share of the terms in the part, each less the farther from a value.

        The words between two numbers belong to the first: "485 holders of A and 16 holders of B".
        """
        nearest: dict[str, float] = {}
        first, last = self._words_of(value)
        for hit in self.hits:
            if not value.start <= hit.start < value.end and first <= hit.start < last:
                a, b = (value.end, hit.start) if hit.start >= value.end else (hit.end, value.start)
                near = math.exp(-len(_WORD.findall(self.text, a, b)) / _NEAR_WORDS)
                nearest[hit.term] = max(near, nearest.get(hit.term, 0.0))
        return math.fsum(self.weights[t] * n for t, n in sorted(nearest.items())) / self.total

    def _words_of(self, value: Value) -> tuple[int, int]:
        """Return the text whose words can belong to a number or a place: up to the next one."""
        is_place, kind = value.kind == "place", value.kind
        same = [v for v in self.values if v.kind == kind and (is_place or self._has_thing(v))]
        if kind not in {"number", "place"} or len(same) < 2 or (is_place and not same[0].start):
            return 0, len(self.text)
        if is_place:
            before = max((v.end for v in same if v.end <= value.start), default=0)
            brackets = _BRACKETS.match(self.text, before) if before else None
            last = len(self.text) if value == same[-1] else value.end
            return brackets.end() if brackets else before, last
        last = min((v.start for v in same if v.start > value.start), default=len(self.text))
        return 0 if value.start <= same[0].start else value.start, last

    def features(self, value: Value, share: float, number: int, held: float, /) -> list[float]:
        """Return the features of a value.

        *share* is the score of the part, *number* that of its result, *held* the weight of the
        question's words in the result as a share of the best one's.
        """
        text, others = (
            self.text,
            {v.text: v for v in self.values if self.fits(v) and v.text != value.text},
        )
        hits = [hit for hit in self.hits if not value.start <= hit.start < value.end]
        own = {hit.term for hit in hits}
        first, last = self._clause(value)
        inside = {hit.term for hit in hits if first <= hit.start < last}
        near = self.nearness(value)
        return [
            self.share(own | self.around),
            self.share(inside) / (self.share(own) or 1.0),
            near,
            near - max((self.nearness(v) for v in others.values()), default=0.0),
            min(len(others), 4) / 4,
            float(value.kind == "person" and _BY.search(text, 0, value.start) is not None),
            share,
            float(value.unit == "organization"),
            float(number == 0),
            float(number),
            held,
        ]

    def may_answer(self, value: Value, /) -> bool:
        """Return whether nothing in the part shows that a value of the kind does not answer."""
        is_name = value.kind == "person"
        if is_name and (self._has_other_role(value) or self._is_by_other(value)):
            return False
        return not ((value.kind == "number" and not self._counts(value)) or self._lacks_duty(value))

    def is_of_paper(self, value: Value) -> bool:
        """Return whether a day is that of signing a paper, and the question asks for another."""
        made = _MADE.search(self.text, 0, value.start) if value.kind == "date" else None
        missing = self.wanted.predicate | self.wanted.noun
        # A label is apart from the words after its value.
        missing -= frozenset() if made and made[0].rstrip().endswith(":") else self.own
        if made is None or not missing:
            return False
        return missing.isdisjoint(query_terms("date enter make made sign execute"))

    def _is_by_other(self, value: Value) -> bool:
        """Return whether a name is by which another thing was made: "music by" for "lyrics"."""
        made = _MADE_BY.search(self.text, 0, value.start)
        return made is not None and query_terms(made["made"]).isdisjoint(self.weights)

    def _clause(self, value: Value) -> tuple[int, int]:
        cuts = [0, *(m.end() for m in _CLAUSE.finditer(self.text)), len(self.text)]
        return max(c for c in cuts if c <= value.start), min(
            (c for c in cuts if c >= value.end), default=len(self.text)
        )

    def is_of_another(self, value: Value, /) -> bool:
        """Return whether the question's words belong to another value of the kind.

        "reported on 20 February, booked for 19 March": nothing next to the first day is asked for.
        "a new rent of $1,385 in place of the present $1,240": "present" belongs to the second.
        """
        others = [v for v in self.values if self.fits(v) and not is_same(v.text, value.text)]
        if value.kind in {"person", "place"} or not others:
            return False
        before = [m.end() for m in _BREAK.finditer(self.text, 0, value.start)]
        behind = _BREAK.search(self.text, value.end)
        first = max([0, *before, *(v.end for v in others if v.end <= value.start)])
        ends = [behind.start()] if behind else []
        ends += [v.start for v in others if v.start >= value.end]
        phrase = (
            f"{self.text[first : value.start]} {self.text[value.end : min(ends, default=None)]}"
        )
        own = query_terms(phrase)
        next_to = {
            hit.term
            for hit in self.hits
            for v in others
            if hit.end <= v.start and len(_WORD.findall(self.text, hit.end, v.start)) <= 1
        }
        return bool(own and own.isdisjoint(self.weights)) or bool(next_to - own - self.sought.names)

    def _counts(self, value: Value) -> bool:
        """Return whether the counted things follow or precede a number."""
        before = self.text[max(0, value.start - _NEAR_CHARS) : value.start]
        return self._has_thing(value) or not self.wanted.thing.isdisjoint(query_terms(before))

    def _has_thing(self, value: Value) -> bool:
        """Return whether the counted things follow a number."""
        behind = _STOP.split(self.text[value.end : value.end + _NEAR_CHARS])[0]
        return not self.wanted.thing.isdisjoint(query_terms(f"{value.text} {behind}"))

    def _has_other_role(self, value: Value) -> bool:
        """Return whether a name has another role at the nearest verb than the requested one."""
        acts = [
            hit
            for hit in self.hits
            if hit.term in self.wanted.predicate and not value.start <= hit.start < value.end
        ]
        if not acts or _BY.search(self.text, 0, value.start):
            return False
        nearest = min(acts, key=lambda hit: (abs(hit.start - value.start), hit.start))
        by = _BY_AFTER.match(self.text, nearest.end)
        if by is not None and not self.wanted.is_object:
            return not by.end() <= value.start <= by.end() + _NEAR_CHARS
        return (value.end <= nearest.start) == self.wanted.is_object

    def is_otherwise(self, value: Value, /) -> bool:
        """Return whether the clause of a value, not the question, states that it is another."""
        asked = self.sought.query.lower()
        clause = self._clause(value)
        return any(m.group().lower() not in asked for m in _OTHERWISE.finditer(self.text, *clause))

    def _lacks_duty(self, value: Value) -> bool:
        """Return whether only one of the question and the part states a duty."""
        if value.kind == "time" and "date" in self.wanted.kinds:
            before = self.text[max(0, value.start - _LIMIT_CHARS) : value.start]
            after = self.text[value.end : value.end + _LIMIT_CHARS]
            return _LIMIT.search(f"{before} {after}") is None
        is_time = value.kind in {"date", "time"}
        if is_time and _PAST.search(self.sought.query) and _DUTY.search(self.text):
            return True
        asks = is_time and _DUTY.search(self.sought.query) is not None
        return asks and _DUE.search(self.text) is None

    def _is_of_other_party(self) -> bool:
        """Return whether the part begins with another party than the only one of the question."""
        own, asked = (
            [word.lower() for word in _WORD.findall(text) if word.lower() in _PARTIES]
            for text in (self.text, self.sought.query)
        )
        return bool(own) and len(asked) == 1 and own[0] != asked[0]

    def _is_reversed(self) -> bool:
        """Return whether two names or parties of the question are in the other order in the part.

        "What does Ash pay to Elm?" is not answered by "Elm pays Ash".
        """
        words = re.findall(r"(?<=\w )\w+", self.sought.query)
        names = [w for w in words if w.lower() in _PARTIES or _CAPITAL.match(w)][:2]
        places = [self.text.lower().find(name.lower()) for name in names]
        return len(places) == 2 and -1 < places[1] < places[0] and not _BY.search(self.text)

    def _is_other_side(self) -> bool:
        """Return whether the question is on the time before an event and the part after, or so."""
        asked, own = (
            [words.search(text) is not None for words in (_EARLIER, _LATER)]
            for text in (self.sought.query, self.text)
        )
        return sum(asked) == sum(own) == 1 and asked != own

    def _lacks_numbered(self, asked: re.Match[str]) -> bool:
        """Return whether a numbered thing of the question is not in the part: "crane 3"."""
        thing = re.escape(asked["thing"][:_STEM_CHARS])
        joined = r"(?:\d+ ?(?:to|and|or|bis|und|[,\u2013-]) ?)*"
        spelt = rf"\b{thing}\w*\W+{joined}{asked['number']}\b"
        return re.search(spelt, self.text, re.IGNORECASE) is None

    @functools.cached_property
    def selecting(self) -> frozenset[str]:
        """The words of the question that select one of several values."""
        return frozenset(w.lower() for w in _WORD.findall(self.sought.query)) & _SELECTING

    def lacks_selection(self) -> bool:
        """Return whether the part lacks a word that selects one of several values.

        These are words such as "first", numbers, and the noun that is asked for.
        """
        if self.text.rstrip().endswith("?") or self._is_reversed() or self._is_other_side():
            return True
        if self._is_of_other_party():
            return True
        if any(
            _NOTHING.search(self.text, 0, hit.start)
            for hit in self.hits
            if hit.term in self.wanted.thing
        ):
            return True
        if any(self._lacks_numbered(match) for match in _NUMBERED.finditer(self.sought.query)):
            return True
        own, names = self.own, self.sought.names
        missing = self.weights.keys() - own - self.around
        if missing & self.wanted.names or (missing and self.sought.form == "computation"):
            return True
        if self.wanted.noun - own or 2 * len(names & (own | self.around)) < len(names):
            return True
        thing = self.wanted.thing
        if (self.wanted.noun or self.wanted.unit) and missing & thing:
            return True
        # "Other liabilities are 212. They are mostly EU taxes": not the EU tax liability.
        if self.wanted.noun and 2 * len(thing & own) < len(thing):
            return True
        asked = self.selecting | set(_FIGURES.findall(self.sought.query))
        return bool(terms_of_word(" ".join(sorted(asked))) - own - self.wanted.named)


_WEIGHTS = (0.42, 0.9, 0.57, 4.14, -1.14, 2.07, 2.56, -1.36, 0.57, -0.095, 2.9)
_BIAS = -6.1
_CERTAIN, _CERTAIN_NAME, _CERTAIN_OF_SEVERAL = 0.25, 1.5, 1.8
"""Minimum logarithm of the odds of a value; of a name; and if another value is possible."""
_POSSIBLE = -2.2
"""Minimum of that of a possible value."""
_ALONE = 1.5
"""Minimum difference of that to other values."""
_COVERED_BY_FIRST, _LEAD = 0.6, 0.8
"""Minimum share of the question's words in the first result, and lead of its value, if others are
possible."""
_COVERED = 0.4
"""Minimum share of the question's words, by rarity, in the part and around it."""
_MOSTLY_COVERED, _FAR, _CERTAIN_COVERED = 0.75, 4.0, -0.3
"""Minimum odds of a value far from all others if the part and its surroundings have most words."""
_CERTAIN_ALONE = 2.2
"""Minimum odds, as above, of a value with a smaller share."""
_LEAST_SHARE = 0.1
"""Minimum score of a part whose values are compared."""
READ, READ_SENTENCES = 5, 3
"""Number of results whose tables and sentences are read."""
_COVERED_BY_CELL = 0.95
"""Minimum share of the question in the names of a cell in a later result than the first."""
_CERTAIN_PLACE, _COVERED_BY_PLACE = 0.9, 0.6
"""The same minima for a place, whose words are only those before it."""
_LEAST_OWN, _COVERED_BY_PHRASE, _RIVAL = 0.3, 0.8, 0.15
"""Minimum share of the question's words in a phrase's sentence; and around; minimum lead."""
_FORMS = frozenset({"value", "role", "count", "extreme", "computation", "explanation"})
"""Forms of questions that a value may answer: "what is the margin", "what does it cost"."""


def is_same(first: str, second: str, /) -> bool:
    """Return whether two values agree: one has the words of the other, or rounds its number."""
    one, other = query_terms(first), query_terms(second)
    if one <= other or other <= one:
        return True
    figures = sorted((_DIGITS.sub("", text).rstrip("0") for text in (first, second)), key=len)
    return len(figures[0]) > 1 and figures[1].startswith(figures[0])


class Scored(NamedTuple):
    """A passage with its parts and their scores."""

    text: str
    whole: Provenance
    row: Mapping[str, Any]  # its stored ``VALUE_COLUMNS``
    units: Sequence[Unit]
    shares: Floats
    elsewhere: frozenset[str] = frozenset()  # names of the question in its document
    near: Floats | None = None  # similarities of the parts by tokens
    beginning: frozenset[str] = frozenset()  # terms of the beginning of its document

    def held(self, sought: Sought, /) -> float:
        """Return the weight of the question's words that the passage has."""
        terms = query_terms(f"{self.text} {names_of(self.whole)}")
        return math.fsum(w for t, w in sorted(sought.specific.items()) if t in terms)

    def answer(self, start: int, text: str, kind: AnswerKind, /) -> Answer:
        """Return a value of the passage with its place in the page."""
        start += self.whole.char_start
        return Answer(text, kind, start, start + len(text))


class Found(NamedTuple):
    """A value that answers, and the number of its result."""

    number: int
    answer: Answer


def value_asked(sought: Sought, /) -> Wanted | None:
    """Return the value that a question requests; ``None`` if it requests none."""
    is_value = sought.form in _FORMS and SCALE.search(sought.query.replace("percent", "")) is None
    return wanted(sought.query) if is_value else None


def kinds_asked(form: QuestionForm, query: str, /) -> frozenset[str]:
    """Return the kinds of value in a sentence that a question requests; mostly one, or none."""
    asked = wanted(query) if form in _FORMS else None
    if asked is None or (form == "explanation" and asked.kinds != {"money"}):
        return frozenset()
    return asked.kinds - {"place"}  # A passage without the place may answer: "in the hall"


def answer_in(passages: Sequence[Scored], sought: Sought, asked: Wanted, /) -> Found | None:
    """Return the value in the first results that answers; ``None`` if none is certain."""
    sentence, phrase = None, phrase_asked(sought.query)
    if phrase is not None and (not asked.kinds or phrase.relation in OF_DOCUMENT | {"called"}):
        sentence = _phrased(passages, sought, asked, phrase)
    elif "place" in asked.kinds or kinds_asked(sought.form, sought.query):
        sentence = _in_sentences(passages, sought, asked)
    cell = _in_tables(passages, sought, asked)
    if sentence is None or cell is None:
        return sentence or cell
    return sentence if is_same(sentence.answer.text, cell.answer.text) else None


def names_of(whole: Provenance, /) -> str:
    """Return the headings and the name of the document of a passage."""
    return " ".join((*whole.heading_path, whole.document_name))


class Candidate(NamedTuple):
    """A value of a part that may answer, with its features."""

    number: int  # of the result
    start: int  # in its text
    part: Compared
    value: Value
    features: list[float]

    @property
    def odds(self) -> float:
        """The logarithm of the odds that the value answers."""
        return _BIAS + math.fsum(map(operator.mul, _WEIGHTS, self.features))


def candidates(passages: Sequence[Scored], sought: Sought, asked: Wanted, /) -> Iterator[Candidate]:
    """Yield the values in the sentences of the first results that may answer."""
    held = [passage.held(sought) for passage in passages[:READ_SENTENCES]]
    most = max(held, default=0.0) or 1.0
    for number, start, score, part in _sentences(passages, sought, asked, _LEAST_SHARE):
        if len(part.weights) < _LEAST_WORDS:
            continue
        for value in part.of_year([v for v in part.values if part.fits(v)]):
            if part.may_answer(value):
                features = part.features(value, score, number, held[number] / most)
                yield Candidate(number, start + value.start, part, value, features)


def _sentences(
    passages: Sequence[Scored], sought: Sought, asked: Wanted, least: float = 0.0
) -> Iterator[tuple[int, int, float, Compared]]:
    """Yield the sentences of the first results that may answer: number, start, score, text."""
    for number, passage in enumerate(passages[:READ_SENTENCES]):
        for unit, score in zip(passage.units, passage.shares.tolist(), strict=True):
            if unit.kind not in _NO_SENTENCES and score >= least:
                text = passage.text[unit.start : unit.end]
                part = Compared(text, passage, unit, sought, asked)
                if BETWEEN not in part.text and not part.lacks_selection():
                    yield number, unit.start, score, part


def _in_sentences(passages: Sequence[Scored], sought: Sought, asked: Wanted) -> Found | None:
    rated = list(candidates(passages, sought, asked))
    if not rated:
        return None
    best = max(rated, key=lambda each: (each.odds, -each.number, -each.start))
    text, part = best.value.text, best.part
    rival = max((r.odds for r in rated if not is_same(r.value.text, text)), default=-math.inf)
    covered = part.covered()
    kind = _KINDS.get(best.value.unit, _KINDS.get(best.value.kind, "amount"))
    found = Found(best.number, passages[best.number].answer(best.start, text, kind))
    needed = _MOSTLY_COVERED if best.number else _COVERED
    if best.value.kind == "place":
        is_sure = best.odds >= max(_CERTAIN_PLACE, rival + _ALONE)
        return found if is_sure and covered >= max(needed, _COVERED_BY_PLACE) else None
    least = _CERTAIN_NAME if best.value.kind == "person" else _CERTAIN
    if rival >= _POSSIBLE:
        # Many words of the question in the first result make up for other values.
        is_first = best.number == 0 and least == _CERTAIN and covered >= _COVERED_BY_FIRST
        least = max(least, rival + _LEAD) if is_first else max(_CERTAIN_OF_SEVERAL, rival + _ALONE)
    elif least == _CERTAIN and covered >= _MOSTLY_COVERED and rival <= best.odds - _FAR:
        least = _CERTAIN_COVERED
    if best.number == best.value.start == 0 and covered >= _MOSTLY_COVERED:
        least = min(least, _CERTAIN_COVERED)  # The subject of the sentence
    is_weak = covered < needed and best.odds < _CERTAIN_ALONE
    if best.odds < least or is_weak or part.is_of_paper(best.value):
        return None
    if part.is_of_another(best.value):
        return None
    return found


def _phrased(
    passages: Sequence[Scored], sought: Sought, asked: Wanted, phrase: Asked
) -> Found | None:
    """Return the only phrase that the grammar of a sentence relates to the question's words."""
    is_general = phrase.relation in OF_DOCUMENT
    rated: list[tuple[float, int, int, str]] = []
    for number, start, _, part in _sentences(passages, sought, asked):
        own = part.share({hit.term for hit in part.hits})
        is_covered = part.covered() >= _COVERED_BY_PHRASE or phrase.relation == "meaning"
        if not is_covered or (own < _LEAST_OWN and not is_general):
            continue
        for first, last in phrases_in(part.text, phrase):
            value = Value(first, last, part.text[first:last], "phrase", "", 1.0)
            if not query_terms(value.text) <= sought.terms.keys() and not part.is_otherwise(value):
                rated.append((own, -number, -start - first, value.text))
    if not rated:
        return None
    own, number, start, text = max(rated)
    least = 0.0 if is_general else own - _RIVAL
    if any(share >= least and not is_same(other, text) for share, _, _, other in rated):
        return None
    return Found(-number, passages[-number].answer(-start, text, "phrase"))


def _in_tables(passages: Sequence[Scored], sought: Sought, asked: Wanted) -> Found | None:
    cells = [
        (rank, -number, cell)
        for number, passage in enumerate(passages)
        if BETWEEN in passage.text or ": " in passage.text
        for rank, cell in Table.of(
            passage.text, names_of(passage.whole), sought, asked, passage.beginning
        ).cells()
        if number == 0 or rank.covered >= _COVERED_BY_CELL
    ]
    if not cells:
        return None
    best, number, cell = max(cells, key=lambda each: each[:2])
    if any(rank == best and not is_same(c.text, cell.text) for rank, _, c in cells):
        return None
    kind = _KINDS.get(next(iter(sorted(asked.kinds)), "money"), "amount")
    if not asked.kinds and not any(map(str.isdigit, cell.text)):
        kind = "phrase"
    return Found(-number, passages[-number].answer(cell.start, cell.text, kind))
