"""Judges passages, pages, marks and values by the answers of a golden file."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Literal

from casetrack.api.evaluate.measures import hits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.api.collection import Collection
    from casetrack.api.evaluate.questions import Question
    from casetrack.base.records import Chunk, SearchResult, SearchResults

# Decides whether a passage contains an answer, and whether two values are the same.

Match = Literal["exact", "most"]
MATCHES: tuple[Match, ...] = ("exact", "most")
MOST = 0.8
"""Share of an answer's words that a passage must contain in their order for ``most``."""
SHORT = 8
"""Answers of up to this many words must match whole: a few words in order occur by chance."""
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SCALES = {
    **dict.fromkeys(("thousand", "k"), "thousand"),
    **dict.fromkeys(("million", "millions", "m", "mn"), "million"),
    **dict.fromkeys(("billion", "billions", "bn"), "billion"),
    **dict.fromkeys(("percent", "%"), "%"),
}
_SIGNS = "$€£¥₽₹%"


def contains_answer(text: str, wanted: str, match: Match, /) -> bool:
    r"""Return whether *text* (a passage or page) contains the words *wanted*.

    The match ``exact`` ignores letter case and white space only. ``most`` requires at least
    :data:`MOST` of the words in their order, with any words between them, and ignores signs: for
    scans, hyphenation and footnotes inside a sentence.

    >>> holds("The tenant  pays\nmonthly.", "tenant pays Monthly", "exact")
    True
    """
    needle = _words(wanted)
    if match == "exact" or not needle:
        return squeezed(wanted) in squeezed(text)
    words = _words(text)
    if len(needle) <= SHORT:
        return f" {' '.join(needle)} " in f" {' '.join(words)} "
    least = MOST * len(needle)
    known = set(words)
    return sum(w in known for w in needle) >= least and _in_order(needle, words) >= least


def same_value(first_text: str, wanted: str, /) -> bool:
    """Return whether two dates, names, numbers or amounts are the same.

    Equal values have the same words in any order, or the same single number. A currency sign or a
    word of scale (million, %) can be missing on one side, but must not differ.

    >>> same_value("June 24, 2026", "24 June 2026"), same_value("£158m", "158")
    (True, True)
    >>> same_value("$5 million", "€5 million"), same_value("Mr. Jan Smit", "Jan Smit")
    (False, True)
    """
    first, second = _NUMBER.findall(first_text), _NUMBER.findall(wanted)
    words = [_words(text.replace(".", " ").replace(",", "")) for text in (first_text, wanted)]
    if sorted(words[0]) == sorted(words[1]):
        return _agree(first_text, wanted)
    if not first and not second:  # a name, with its title or without
        return len(words[1]) > 1 and set(words[1]) < set(words[0]) and len(words[0]) < 6
    if len(first) != 1 or len(second) != 1:
        return False
    return _plain(first[0]) == _plain(second[0]) and _agree(first_text, wanted)


def _agree(first: str, second: str) -> bool:
    """Return whether currency and scale are equal if both texts have them."""
    for read in (_currency, _scale):
        one, other = read(first), read(second)
        if one and other and one != other:
            return False
    return True


def _currency(text: str) -> set[str]:
    return set(text) & set(_SIGNS[:-1])


def _scale(text: str) -> set[str]:
    words = re.findall(r"[a-z]+|%", text.casefold().replace("per cent", "%"))
    return {_SCALES[word] for word in words if word in _SCALES}


def _plain(number: str) -> str:
    """Return a number without signs between thousands and without zeros at the end."""
    whole = re.sub(r"[,.](?=\d{3}(?:\D|$))", "", number).replace(",", ".")
    return whole.rstrip("0").rstrip(".") if "." in whole else whole


@functools.lru_cache(maxsize=4096)
def squeezed(text: str, /) -> str:
    """Return *text* in lower case, with runs of white space as one space."""
    return " ".join(text.split()).casefold()


@functools.lru_cache(maxsize=4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _in_order(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """Return the length of the longest common subsequence, bit by bit (Hyyrö 2004)."""
    where: dict[str, int] = {}
    for place, word in enumerate(first):
        where[word] = where.get(word, 0) | 1 << place
    full = (1 << len(first)) - 1
    row = full
    for word in second:
        hit = row & where.get(word, 0)
        row = ((row + hit) | (row - hit)) & full
    return len(first) - row.bit_count()


@dataclass(frozen=True, slots=True)
class Answer:
    """A place that answers a question: the document, with page and text if given.

    *sentence* is the text that search should mark: *text* or more.
    """

    document_id: str
    page: int | None
    text: str
    match: Match = "exact"
    sentence: str = ""

    def is_in(self, passage: SearchResult | Chunk, /) -> bool:
        """Return whether the passage contains the answer."""
        source = passage.provenance
        return (
            source.document_id == self.document_id
            and self.page in {None, source.page}
            and (not self.text or contains_answer(passage.text, self.text, self.match))
        )


@dataclass(slots=True)
class Pages:
    """The passages and the page texts of a collection, read once per document."""

    collection: Collection
    _chunks: dict[str, list[Chunk]] = field(default_factory=dict)
    _on_page: dict[tuple[str, int, str, Match], bool] = field(default_factory=dict)

    def has_passage(self, answer: Answer, /) -> bool:
        """Return whether any passage contains the answer."""
        return any(answer.is_in(chunk) for chunk in self._of(answer.document_id))

    def passage(self, document_id: str, chunk_id: str, /) -> Chunk:
        """Return a passage by its id."""
        return next(c for c in self._of(document_id) if c.chunk_id == chunk_id)

    def contains(self, page: int, answer: Answer, /) -> bool:
        """Return whether a page of the answer's document contains the answer."""
        if answer.page is not None:
            return answer.page == page
        key = (answer.document_id, page, answer.text, answer.match)
        if key not in self._on_page:
            self._on_page[key] = contains_answer(self._text(*key[:2]), answer.text, answer.match)
        return self._on_page[key]

    def _of(self, document_id: str) -> list[Chunk]:
        if document_id not in self._chunks:
            self._chunks[document_id] = self.collection.read.chunks(document_id)
        return self._chunks[document_id]

    def _text(self, document_id: str, page: int) -> str:
        text = ""
        for chunk in self._of(document_id):
            if chunk.provenance.page == page:
                text = text[: chunk.provenance.char_start] + chunk.text
        return text


@dataclass(frozen=True, slots=True)
class AnswerJudge:
    """Judges by the answers of each question, by its id."""

    answers: Mapping[str, tuple[Answer, ...]]
    pages: Pages

    def ranks(self, question: Question, results: SearchResults, /) -> dict[str, int]:
        """Return the rank of the first result with each answer, by the answer's number.

        Passages that are folded into a result have its rank.
        """
        first_ranks: dict[str, int] = {}
        for rank, result in enumerate(results, start=1):
            for number, answer in enumerate(self.answers[question.id]):
                if str(number) not in first_ranks and self._contains(result, answer):
                    first_ranks[str(number)] = rank
        return first_ranks

    def _contains(self, result: SearchResult, answer: Answer) -> bool:
        """Return whether a result, or a passage folded into it, contains the answer."""
        return answer.is_in(result) or any(
            same.document_id == answer.document_id
            and answer.is_in(self.pages.passage(same.document_id, same.chunk_id))
            for same in result.also
        )

    def details(self, question: Question, results: SearchResults, /) -> dict[str, float]:
        """Return scores of pages, marks, values and absence.

        ``absent_told``, ``present_told``
            Whether the search reports that nothing answers: correct for a question without an
            answer, wrong for others.
        ``page_hit@k``
            Whether one of the first *k* results cites a page with an answer.
        ``pinpoint``, ``marked_chars``
            Whether the marked sentences of the first correct result contain the answer, and the
            number of marked characters.
        ``value``, ``value@1``, ``wrong_value@1``
            Whether the answer shown with the first correct result, or with any, is the value;
            whether a different value is shown.
        """
        scores = {"absent_told" if question.absent else "present_told": reports_absence(results)}
        if question.absent:
            return scores
        if question.by_page:
            scores |= hits(self._page_rank(question, results), "page_hit")
        right, wanted = self._first_right(question, results)
        if right is not None and any(a.text for a in wanted):
            scores |= _marked(right, wanted)
        if question.values:
            if right is not None:
                scores["value"] = float(_has_value(right, question.values))
            shown = shown_in(results)
            hit = shown is not None and _has_value(shown, question.values)
            scores |= {"value@1": float(hit)}
            scores |= {"wrong_value@1": float(shown is not None and not hit)}
        return scores

    def _first_right(
        self, question: Question, results: SearchResults
    ) -> tuple[SearchResult | None, list[Answer]]:
        every = self.answers[question.id]
        own = ((result, [a for a in every if a.is_in(result)]) for result in results)
        return next(((result, wanted) for result, wanted in own if wanted), (None, []))

    def _page_rank(self, question: Question, results: SearchResults) -> int | None:
        located = [a for a in self.answers[question.id] if a.page is not None or a.text]
        for rank, result in enumerate(results, start=1):
            source = result.provenance
            cited = {(source.document_id, source.page)}
            cited |= {(same.document_id, same.page) for same in result.also}
            if any(
                document_id == a.document_id and self.pages.contains(page, a)
                for document_id, page in cited
                for a in located
            ):
                return rank
        return None


def shown_in(results: SearchResults, /) -> SearchResult | None:
    """Return the result that shows an answer, which is one of the first five."""
    return next((result for result in islice(results, 5) if result.answer is not None), None)


def reports_absence(results: SearchResults, /) -> float:
    """Return 1 if the search reports that nothing answers the question, else 0."""
    return float(results.evidence == "none")


def _marked(result: SearchResult, wanted: Sequence[Answer]) -> dict[str, float]:
    """Measure the marks of a passage that contains *wanted*."""
    marks = sorted(result.pinpoint, key=lambda mark: mark.char_start)
    words = " ".join(mark.text for mark in marks)
    held = any(contains_answer(words, a.sentence or a.text, a.match) for a in wanted if a.text)
    return {"pinpoint": float(held), "marked_chars": float(sum(len(m.text) for m in marks))}


def _has_value(result: SearchResult, values: Sequence[str]) -> bool:
    """Return whether the answer shown with a result is one of *values*."""
    answer = result.answer
    return answer is not None and any(same_value(answer.text, value) for value in values)
