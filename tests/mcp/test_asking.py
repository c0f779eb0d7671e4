"""The measure of AI programs: the judge wants the place, the program uses what it was shown."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from bench.asking.agent import Agent, Foreknowledge, Task
from bench.asking.client import Answer
from bench.asking.judge import Part, Seen, in_data, in_text, page
from bench.asking.tasks import TASKS

if TYPE_CHECKING:
    from collections.abc import Iterator

RENT = Part((r"£2,390",), "Lease", page(3))
CITED = {"text": "a rent of £2,390", "citation": "Lease.pdf, p. 3, l. 7"}


SOURCES = {"9f86d081": {"document": "Lease.pdf"}, "60303ae2": {"document": "Letter.pdf"}}
IN_SOURCE = {"text": "rent of £2,390", "source": {"document": "Lease.pdf", "page": 3}}
POINTING = {"text": "rent of £2,390", "at": "p. 3"}
GROUPED = {"document": "Lease.pdf", "passages": [{"page": 3, "text": "£2,390"}]}


@pytest.mark.parametrize(
    ("data", "answer", "place"),
    [
        ({"results": [CITED]}, True, True),
        ({"results": [IN_SOURCE]}, True, True),
        ({"documents": [GROUPED]}, True, True),
        ({"results": [POINTING | {"source": "9f86d081"}], "sources": SOURCES}, True, True),
        # It points to another document.
        ({"results": [POINTING | {"source": "60303ae2"}], "sources": SOURCES}, True, False),
        # Another result of the same search names the place.
        ({"results": [{"text": "a rent of £2,390"}, CITED | {"text": "no rent"}]}, True, False),
        ({"results": [CITED | {"citation": "Lease.pdf, p. 33"}]}, True, False),
        ({"results": [CITED | {"citation": "Letter.pdf, p. 3"}]}, True, False),
        (
            {"columns": ["document", "page", "text"], "rows": [["Lease.pdf", 3, "£2,390"]]},
            True,
            True,
        ),
        ({"columns": ["document", "text"], "rows": [["Lease.pdf", "£2,390"]]}, True, False),
        ({"results": []}, False, False),
    ],
)
def test_an_answer_counts_with_its_place(data: Any, answer: bool, place: bool) -> None:
    assert in_data(RENT, data) == Seen(answer, place)


def test_in_a_text_the_place_stands_near() -> None:
    assert in_text(RENT, "Lease.pdf, p. 3\n> a rent of\n> £2,390") == Seen(True, True)
    assert in_text(RENT, "Lease.pdf, p. 3\n" + "x " * 2_000 + "£2,390") == Seen(True, False)
    assert in_text(RENT, "nothing") == Seen(False, False)


class Deaf:
    """A server with one tool that answers what it is told to."""

    instructions = "Search first."
    listed = 10

    def __init__(self, data: Any) -> None:
        self._data = data
        takes = {"query": {}, "top_k": {}}
        self.tools = [{"name": "search_documents", "inputSchema": {"properties": takes}}]

    def call(self, tool: str, arguments: Any) -> Answer:
        return Answer(tool, arguments, str(self._data), self._data, 0, False)


def task(*queries: str, own: tuple[str, ...] = ()) -> Task:
    def script(agent: Agent) -> Iterator[tuple[str, dict[str, Any]]]:
        for query in queries:
            yield "search_documents", {"query": query, "top_k": 7}

    return Task("rent", "case", "What is the rent?", (RENT,), script, own)


def test_it_uses_only_what_it_was_shown() -> None:
    with pytest.raises(Foreknowledge, match="lease"):
        Agent(task("the rent lease"), Deaf({})).work()
    shown = Deaf({"results": [CITED]})
    shown._data = {"note": "see Lease"}
    assert Agent(task("the rent", "rent Lease"), shown).work().calls == ["search_documents"] * 2
    assert Agent(task("monthly rent", own=("monthly",)), Deaf({})).work().calls
    other = Task("x", "case", "?", (RENT,), lambda agent: iter([("delete_document", {})]))
    with pytest.raises(Foreknowledge, match="delete_document"):
        Agent(other, Deaf({})).work()


def test_there_are_thirty_tasks_and_none_gives_its_answer_away() -> None:
    assert len(TASKS) == 30
    assert max(Counter(t.name for t in TASKS).values()) == 1
    for one in TASKS:
        told = "\n".join([one.question, *one.own])
        for part in one.parts:
            # What is looked for by its name stands in the question: its place is the answer.
            named = one.name in {"everywhere", "new-york", "hundred-million"}
            assert named or not part.place or not in_text(Part(part.words), told).answer, one.name
