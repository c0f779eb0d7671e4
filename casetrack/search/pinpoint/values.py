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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.records.reading import Answer
from casetrack.base.words import WordLists
from casetrack.base.words.lists import month_numbers
from casetrack.search.pinpoint import wanted as asked_for
from casetrack.search.pinpoint.candidates import Value, values_in
from casetrack.search.pinpoint.cells import BETWEEN, Table, terms_of
from casetrack.search.pinpoint.scoring import Hit, hits_of, query_terms
from casetrack.search.pinpoint.wanted import Wanted, wanted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.provenance import Provenance
    from casetrack.base.records.reading import AnswerKind, PinpointKind
    from casetrack.search.pinpoint.scoring import Sought
    from casetrack.search.pinpoint.units import Unit

VALUE_COLUMNS = ("mentions",)
"""Columns of ``chunks`` with values that may answer; others are found in the marked part itself."""

_LISTS = WordLists(asked_for.__file__)
_OTHERWISE, _DOUBTFUL = (
    re.compile(rf"\b(?:{''.join(_LISTS.text(name).split(chr(10)))})\b", re.IGNORECASE)
    for name in ("otherwise", "doubtful")
)
_PREPOSITIONS = query_terms("within until since during after before prior")
_SELECTING = frozenset(_LISTS.words("selecting"))
_PARTIES = frozenset(_LISTS.words("parties"))
_DUTY = re.compile(r"\b(?:must|shall|should|has to|have to|muss|m\u00fcssen)\b", re.IGNORECASE)
_PAST = re.compile(r"\b(?:was|were|did|wurden?)\b", re.IGNORECASE)
_DUE = re.compile(
    r"\b(?:must|shall|should|ha(?:s|ve) to|(?:is|are) to|(?-i:may|will)|due|required|requires?|"
    r"deadline|within|no later|not (?:less|later) than|at least|prior to|"
    r"by (?=\d|(?-i:[A-Z]))|sp\u00e4testens|innerhalb|binnen|muss|m\u00fcssen)\b",
    re.IGNORECASE,
)
"""Duties and time limits."""
_LIMIT = re.compile(
    r"\b(?:within|no later|not (?:less|later) than|at least|prior|before|after|following|innerhalb|"
    r"binnen|sp\u00e4testens|nach|vor)\b",
    re.IGNORECASE,
)

_CLAUSE = re.compile(
    r"[;:(){}\[\]\u2013\u2014]|,(?! \d)\s+(?:and|but|while|whereas|with|who|which|where|when|"
    r"after|before|as|or|in|on|by)\b|\b(?:while|whereas|but|although|though)\b|\. ",
    re.IGNORECASE,
)
"""Starts and ends of clauses."""
_NUMBERED = re.compile(
    rf"\b(?!(?:{'|'.join(month_numbers('en', 'en_short'))}|than|below|above|under|over|least|most|"
    r"about|from|until|after|before|between)\b)(?P<thing>[^\W\d_]{3,}) (?P<number>\d{1,3})\b"
    r"(?![.,:]\d)(?! ?(?:%|percent|per cent|days?|weeks?|months?|years?|hours?))",
    re.IGNORECASE,
)
_STEM_CHARS = 5
_NOTHING = re.compile(r"\b(?:no|zero|kein\w*)\s+(?:\w+\s+)?$", re.IGNORECASE)
_ARTICLES = frozenset({"one", "ein", "eine", "einer"})
_RANGE = re.compile(r"\d\s*[\u2013-]\s*\d|\b(?:between|from|to|and|bis)\b", re.IGNORECASE)
_RANGE_ASKED = re.compile(
    r"\b(?:between|from|years|dates|days|period|how long|zwischen)\b", re.IGNORECASE
)
_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"\D")
_STOP = re.compile(r"[;(]|[.,](?!\d)|(?<!of )(?<!of the )\b\d|\bof (?:the )?\d[\d,.]* ?")
_SCALED = re.compile(
    r"\bin (?:us ?d(?:ollars?)?|us\$|\$|eur(?:os?)?|gbp|chf|dollars)? ?"
    r"(?:thousands?|millions?|billions?)\b",
    re.IGNORECASE,
)
"""A question that states the scale of the figure: the text may have another one."""
_BY_AFTER = re.compile(r"\w*\s+(?:by|von|durch)\b", re.IGNORECASE)
_BY = re.compile(r"\b(?:by|von|durch) (?:the |\w+ )?$", re.IGNORECASE)
_MADE_BY = re.compile(r"(?P<made>\w+) (?:by|von|durch) (?:the |\w+ )?$", re.IGNORECASE)
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
_KINDS: dict[str, AnswerKind] = {
    "date": "date",
    "time": "date",
    "number": "count",
    "person": "person",
    "organization": "organization",
}


@dataclass(frozen=True)
class Compared:
    """A marked part compared with a question."""

    text: str
    around: frozenset[str]  # terms of the text around the part, and of its headings
    sought: Sought
    wanted: Wanted
    values: Sequence[Value]

    @classmethod
    def of(
        cls,
        best: Part,
        text: str,
        whole: Provenance,
        row: Mapping[str, Any],
        sought: Sought,
        asked: Wanted,
        /,
    ) -> Compared:
        """Return the best part of a passage compared with a question."""
        before, after = _AROUND_CHARS
        near = text[max(0, best.start - before) : best.start + len(best.text) + after]
        values = values_in(best.text, row.get("mentions") or (), best.start)
        around = query_terms(f"{near} {names_of(whole)}")
        return cls(best.text, around, sought, asked, values)

    @functools.cached_property
    def weights(self) -> dict[str, float]:
        """The terms of the question with their rarity, without those that name the kind."""
        specific = {t for t, w in self.sought.specific.items() if w >= 1.0}
        specific -= self.wanted.named | _PREPOSITIONS
        return {t: self.sought.rarity.get(t, 1.0) for t in specific}

    @functools.cached_property
    def hits(self) -> list[Hit]:
        """The words of the part that are terms of the question."""
        return list(hits_of(self.text, self.weights)) if self.weights else []

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
        if self._has(_OTHERWISE, value):
            return False
        if value.kind == "number" and value.text.lower() in _ARTICLES:
            return False
        is_converted = self.text[max(0, value.start - 1) : value.start] == "("
        if is_converted and value.kind not in {"date", "number", "percent", "money", "person"}:
            return False
        if (
            value.kind == "date"
            and _RANGE.search(value.text)
            and not _RANGE_ASKED.search(self.sought.query)
        ):
            return False
        own = query_terms(value.text)
        if value.kind == "person" and not own.isdisjoint(self.sought.terms):
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
        """Return the text whose words can belong to a value."""
        same = [v for v in self.values if v.kind == "number" and self._has_thing(v)]
        if value.kind != "number" or len(same) < 2:
            return 0, len(self.text)
        last = min((v.start for v in same if v.start > value.start), default=len(self.text))
        return 0 if value.start <= same[0].start else value.start, last

    def features(self, value: Value, share: float, /) -> list[float]:
        """Return the features of a value (:data:`FEATURES`); *share* is the part's score."""
        text, others = (
            self.text,
            {v.text: v for v in self.values if self.fits(v) and v.text != value.text},
        )
        hits = [hit for hit in self.hits if not value.start <= hit.start < value.end]
        held = {hit.term for hit in hits}
        first, last = self._clause(value)
        inside = {hit.term for hit in hits if first <= hit.start < last}
        near = self.nearness(value)
        is_name = value.kind == "person"
        return [
            self.share(held | self.around),
            self.share(inside) / (self.share(held) or 1.0),
            near,
            near - max((self.nearness(v) for v in others.values()), default=0.0),
            min(len(others), 4) / 4,
            self._counts(value),
            self._acts(value, hits) if is_name else 0.0,
            float(is_name and _BY.search(text, 0, value.start) is not None),
            share,
            float(self._has(_DOUBTFUL, value)),
            float(not self.wanted.predicate & inside),
            float(value.kind == "number"),
            float(is_name),
            float(value.unit == "organization"),
        ]

    def probability(self, value: Value, share: float, /) -> float:
        """Return the probability that a value answers."""
        features = self.features(value, share)
        if value.kind == "person" and features[_ACTS] < 0.0 and not features[_AFTER_BY]:
            return 0.0
        if (value.kind == "number" and not features[_COUNTS]) or self._lacks_duty(value):
            return 0.0
        if value.kind == "person" and self._is_by_other(value):
            return 0.0
        if len(self.weights) < _LEAST_WORDS or self._is_of_other_party():
            return 0.0
        total = _BIAS + sum(map(operator.mul, _WEIGHTS, features))
        return 1.0 / (1.0 + math.exp(-total))

    def _is_by_other(self, value: Value) -> bool:
        """Return whether a name is by which another thing was made: "music by" for "lyrics"."""
        made = _MADE_BY.search(self.text, 0, value.start)
        return made is not None and query_terms(made["made"]).isdisjoint(self.weights)

    def _clause(self, value: Value) -> tuple[int, int]:
        cuts = [0, *(m.end() for m in _CLAUSE.finditer(self.text)), len(self.text)]
        return max(c for c in cuts if c <= value.start), min(
            (c for c in cuts if c >= value.end), default=len(self.text)
        )

    def _counts(self, value: Value) -> float:
        """Return 1 if the counted things follow a number, 0.5 if they precede it."""
        if value.kind != "number" or self._has_thing(value):
            return 1.0
        thing = self.wanted.thing
        return 0.5 * bool(
            thing & query_terms(self.text[max(0, value.start - _NEAR_CHARS) : value.start])
        )

    def _has_thing(self, value: Value) -> bool:
        """Return whether the counted things follow a number."""
        behind = _STOP.split(self.text[value.end : value.end + _NEAR_CHARS])[0]
        return not self.wanted.thing.isdisjoint(query_terms(f"{value.text} {behind}"))

    def _acts(self, value: Value, hits: Sequence[Hit]) -> float:
        """Return 1 if a name has the requested role at the nearest verb, -1 for the other."""
        acts = [hit for hit in hits if hit.term in self.wanted.predicate]
        if not acts:
            return 0.0
        nearest = min(acts, key=lambda hit: (abs(hit.start - value.start), hit.start))
        by = _BY_AFTER.match(self.text, nearest.end)
        if by is not None and not self.wanted.is_object:
            return 1.0 if by.end() <= value.start <= by.end() + _NEAR_CHARS else -1.0
        return 1.0 if (value.end <= nearest.start) != self.wanted.is_object else -1.0

    def _has(self, words: re.Pattern[str], value: Value) -> bool:
        """Return whether the clause of a value has one of *words* that the question has not."""
        asked = self.sought.query.lower()
        first, last = self._clause(value)
        return any(m.group().lower() not in asked for m in words.finditer(self.text, first, last))

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

    def _lacks_numbered(self, asked: re.Match[str]) -> bool:
        """Return whether a numbered thing of the question is not in the part: "crane 3"."""
        thing = re.escape(asked["thing"][:_STEM_CHARS])
        spelt = rf"\b{thing}\w*\W+(?:\d+\W+(?:to|and|or|bis|und)?\W*)*{asked['number']}\b"
        return re.search(spelt, self.text, re.IGNORECASE) is None

    @functools.cached_property
    def selecting(self) -> frozenset[str]:
        """The words of the question that select one of several values."""
        return frozenset(w.lower() for w in _WORD.findall(self.sought.query)) & _SELECTING

    def lacks_selection(self) -> bool:
        """Return whether the part lacks a word that selects one of several values.

        These are words such as "first", numbers, and the noun that is asked for.
        """
        if any(
            _NOTHING.search(self.text, 0, hit.start)
            for hit in self.hits
            if hit.term in self.wanted.thing
        ):
            return True
        if any(self._lacks_numbered(match) for match in _NUMBERED.finditer(self.sought.query)):
            return True
        if self.wanted.names & self.weights.keys() - self.around - query_terms(self.text):
            return True
        if self.wanted.noun - query_terms(self.text):
            return True
        asked = self.selecting | {
            m.group() for m in _WORD.finditer(self.sought.query) if any(map(str.isdigit, m.group()))
        }
        held = query_terms(self.text) | self.wanted.named
        return bool(query_terms(" ".join(sorted(asked))) - held)


FEATURES = (
    *(
        "covered nearby",
        "clause",
        "near",
        "nearer",
        "others",
        "counts",
        "acts",
        "after by",
        "share",
    ),
    *("doubtful", "verb elsewhere", "number", "person", "organization"),
)
"""Names of the features."""
_COUNTS, _ACTS, _AFTER_BY = map(FEATURES.index, ("counts", "acts", "after by"))
_WEIGHTS = (
    -0.36,
    0.91,
    1.51,
    4.67,
    -1.64,
    0.98,
    0.77,
    1.26,
    1.05,
    -0.46,
    -0.19,
    0.05,
    -0.05,
    -1.29,
)
_BIAS = -1.53
_CERTAIN = 0.8
"""Minimum probability of a value."""
_CERTAIN_NAME = 0.86
"""The same of a name: a sentence has many, mostly in another role."""
_CERTAIN_OF_SEVERAL = 0.88
"""The same of one of several values of the requested kind."""
_POSSIBLE = 0.1
"""Minimum probability of a value that counts as another one."""
_COVERED = 0.55
"""Minimum share of the question's words, by rarity, in the part and around it."""
_CERTAIN_ALONE = 0.95
"""Minimum probability of a value with a smaller share."""
_SENTENCES = frozenset({"value", "role", "count", "extreme"})
"""Forms of questions that a value in a sentence answers."""
_ROWS = _SENTENCES | {"computation", "explanation"}
"""Forms of questions that a row may answer: "what is the margin", "what does it cost"."""


def is_same(first: str, second: str, /) -> bool:
    """Return whether two values agree: one has the words of the other, or rounds its number."""
    one, other = query_terms(first), query_terms(second)
    if one <= other or other <= one:
        return True
    figures = sorted((_DIGITS.sub("", text).rstrip("0") for text in (first, second)), key=len)
    return len(figures[0]) > 1 and figures[1].startswith(figures[0])


class Part(NamedTuple):
    """The best part of a passage: its text from *start* in it, its kind, and its score."""

    text: str
    start: int
    kind: PinpointKind
    score: float

    @classmethod
    def of(cls, text: str, unit: Unit, score: float, /) -> Part:
        """Return a unit of a passage with its score."""
        return cls(text[unit.start : unit.end], unit.start, unit.kind, score)


def answer_in(
    best: Part, text: str, whole: Provenance, row: Mapping[str, Any], sought: Sought, /
) -> tuple[Answer, float] | None:
    """Return the value that answers, and its certainty; ``None`` if none is certain.

    *text* and *whole* are the passage; *row* has its stored ``VALUE_COLUMNS``.
    """
    asked = wanted(sought.query) if sought.form in _ROWS else None
    if asked is None or _SCALED.search(sought.query):
        return None
    is_row = best.kind in {"row", "heading"} or BETWEEN in best.text
    answer = None
    if (
        not is_row
        and asked.kinds
        and (
            sought.form in _SENTENCES or (sought.form == "explanation" and asked.kinds == {"money"})
        )
    ):
        answer = _in_sentence(best, text, whole, row, sought, asked)
    if answer is None and BETWEEN in text:
        around = "\n".join(line for line in text.split("\n") if BETWEEN not in line)
        table = Table.of(text, sought, asked, terms_of(f"{names_of(whole)} {around}"))
        cell = table.cell()
        if cell is not None:
            kind = _KINDS.get(next(iter(sorted(asked.kinds)), "money"), "amount")
            start = whole.char_start + cell.start
            answer = Answer(cell.text, kind, start, start + len(cell.text)), table.certainty(cell)
    return answer


def names_of(whole: Provenance, /) -> str:
    """Return the headings and the name of the document of a passage."""
    return " ".join((*whole.heading_path, whole.document_name))


def _in_sentence(
    best: Part, text: str, whole: Provenance, row: Mapping[str, Any], sought: Sought, asked: Wanted
) -> tuple[Answer, float] | None:
    part = Compared.of(best, text, whole, row, sought, asked)
    if part.lacks_selection():
        return None
    fitting = part.of_year([v for v in part.values if part.fits(v)])
    rated = [(part.probability(v, best.score), v) for v in fitting]
    if not rated:
        return None
    certain, value = max(rated, key=lambda each: (each[0], -each[1].start))
    least = _CERTAIN_NAME if value.kind == "person" else _CERTAIN
    if len({other.text for probability, other in rated if probability >= _POSSIBLE}) > 1:
        least = _CERTAIN_OF_SEVERAL
    if certain < least or (part.covered() < _COVERED and certain < _CERTAIN_ALONE):
        return None
    kind = _KINDS.get(value.unit, _KINDS.get(value.kind, "amount"))
    start = whole.char_start + best.start + value.start
    return Answer(value.text, kind, start, start + len(value.text)), certain
