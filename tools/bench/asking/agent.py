"""A program that knows its question, the list of tools, and what the calls so far have shown.

A script says what it does next; :class:`Agent` refuses a call with words that nothing has shown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.asking.judge import Part, Seen, in_text, judged, parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from bench.asking.client import Answer, Server

MOST_CALLS = 8
_FREE = frozenset(
    {"top_k", "limit", "window", "offset", "count", "confirm", "wait_seconds", "end_page"}
)
"""Arguments that a program chooses by itself."""

Call = tuple[str, dict[str, Any]]


class Foreknowledge(Exception):
    """A script used something that nothing had shown; the text says what."""


@dataclass(frozen=True, slots=True)
class Task:
    """A question, and how a program would go about it.

    Attributes
    ----------
    room
        The data folder that it is asked over.
    parts
        What must come back.
    script
        Yields calls; it is asked for the next one until every part was shown with its place.
    own
        What a program adds of its own: other words for the question, SQL.
    changes
        Whether it changes the data folder: it then has a copy of its own.
    """

    name: str
    room: str
    question: str
    parts: tuple[Part, ...]
    script: Callable[[Agent], Iterator[Call]]
    own: tuple[str, ...] = ()
    changes: bool = False


@dataclass(slots=True)
class Outcome:
    """What a task took."""

    task: str
    answer: bool
    place: bool
    in_text: bool
    calls: list[str]
    listed: int
    asked: int
    results: int
    text_results: int

    @property
    def total(self) -> int:
        """Tokens of the conversation: list, calls and results, each once."""
        return self.listed + self.asked + self.results

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as JSON has them."""
        names = list(type(self).__dataclass_fields__)
        return {name: getattr(self, name) for name in names} | {"total": self.total}


@dataclass(slots=True)
class Agent:
    """What a program knows while it works on a task."""

    task: Task
    server: Server
    answers: list[Answer] = field(default_factory=list)
    known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        from vocabulary import compact

        for text in (self.task.question, *self.task.own, self.server.instructions):
            self.known |= _words(text)
        self.known |= _words(compact(self.server.tools))

    # --- what it can see -------------------------------------------------------------------

    @property
    def question(self) -> str:
        """The question, as it was asked."""
        return self.task.question

    @property
    def last(self) -> Answer:
        """What came back from the last call."""
        return self.answers[-1]

    def offers(self, tool: str, /, *arguments: str) -> bool:
        """Return whether the list has a tool that takes these arguments."""
        return any(
            entry["name"] == tool and set(arguments) <= set(entry["inputSchema"]["properties"])
            for entry in self.server.tools
        )

    def tool(self, name: str, /, *arguments: str) -> str | None:
        """Return the first tool whose name matches a pattern and that takes these arguments."""
        names = (entry["name"] for entry in self.server.tools if re.search(name, entry["name"]))
        return next((n for n in names if self.offers(n, *arguments)), None)

    def shown(self, pattern: str, /) -> str | None:
        """Return the first group of the first match in the instructions or in any answer."""
        texts = [self.server.instructions, *(a.shown for a in self.answers)]
        found = (re.search(pattern, text) for text in texts)
        return next((m.group(m.lastindex or 0) for m in found if m), None)

    def values(self, *keys: str) -> list[Any]:
        """Return the values of these keys in the last structure, in its order."""
        return [] if self.last.data is None else list(_under(self.last.data, keys))

    # --- working ---------------------------------------------------------------------------

    def work(self) -> Outcome:
        """Follow the script until all is shown with its place, or it knows no further."""
        seen = {part: Seen(False, False) for part in self.task.parts}
        texts = dict.fromkeys(self.task.parts, False)
        for tool, arguments in self.task.script(self):
            self._check(tool, arguments)
            answer = self.server.call(tool, arguments)
            self.answers.append(answer)
            self.known |= _words(answer.shown) | _words(answer.text)
            if not answer.failed:
                for part in self.task.parts:
                    one = judged(part, answer)
                    seen[part] = max(seen[part], one, key=lambda s: (s.answer, s.place))
                    texts[part] = texts[part] or in_text(part, answer.text).place
            if parts_of(seen)[1] or len(self.answers) >= MOST_CALLS:
                break
        answered, placed = parts_of(seen)
        return Outcome(
            self.task.name,
            answered,
            placed,
            all(texts.values()),
            [a.tool for a in self.answers],
            self.server.listed,
            sum(a.asked for a in self.answers),
            sum(a.cost for a in self.answers),
            sum(a.text_cost for a in self.answers),
        )

    def _check(self, tool: str, arguments: Mapping[str, Any]) -> None:
        if not self.offers(tool, *arguments):
            raise Foreknowledge(
                f"{self.task.name}: {tool} with {', '.join(arguments)} is not listed"
            )
        for name, value in arguments.items():
            unknown = set() if name in _FREE else _words(str(value)) - self.known
            if unknown:
                told = ", ".join(sorted(unknown))
                raise Foreknowledge(f"{self.task.name}: nothing had shown {told} ({tool}, {name})")


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.replace("\\n", " ").casefold())) | {"true", "false"}


def _under(node: Any, keys: tuple[str, ...]) -> Iterator[Any]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in keys and isinstance(value, str | int):
                yield value
            yield from _under(value, keys)
    elif isinstance(node, list):
        for value in node:
            yield from _under(value, keys)
