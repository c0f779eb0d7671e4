"""Next steps in terms of the tools that a server offers.

A text refers to operations; the tools that do their work say so where they are declared. A sentence
whose operation the server lacks is left out of texts of this face; of a text of the library it is
one for the user, who has a shell.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from casetrack.base.errors.references import Reference, See, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = ["See", "Steps", "again", "here", "in_terms", "offers", "told", "tool_of", "work_with"]

T = TypeVar("T")
_TEXTS = ("gap", "hint", "left_out", "next_step", "notes")
"""Fields of records that may refer to operations."""


@dataclass(frozen=True, slots=True)
class Steps:
    """What a reader can call.

    Attributes
    ----------
    offered
        Names of the tools that would answer.
    doing
        Those that do the work of a command, or the address of a resource that does.
    calling
        The tool that answers: without other parameters it is no next step.
    parameters
        Returns the parameters of a tool.
    """

    offered: frozenset[str]
    doing: Mapping[str, list[str]] = field(default_factory=dict)
    calling: str = ""
    parameters: Callable[[str], Iterable[str]] = lambda _tool: ()

    def spell(self, see: Reference, /) -> str | None:
        """Return the tool, or the parameters of the one that answers; ``None`` if it lacks them."""
        if not see.names:
            return self._with(see, self.calling)
        for tool in (tool for name in see.names for tool in self.doing.get(name, ())):
            if see.options and (options := self._with(see, tool)) is not None:
                return f"{tool} with {options}"
            if not see.options and tool != self.calling:
                return tool
        return None

    def _with(self, see: Reference, tool: str) -> str | None:
        known = {name for name, _ in see.options} <= set(self.parameters(tool))
        return see.keywords(": ") if known else None


_CURRENT: ContextVar[Steps | None] = ContextVar("casetrack_steps", default=None)


def work_with(steps: Steps, /) -> None:
    """Let the rest of this task, and the threads that it uses, tell *steps*."""
    _CURRENT.set(steps)


def offers(name: str, /) -> bool:
    """Return whether the server whose call is served now has a tool that would answer."""
    steps = _CURRENT.get()
    return steps is None or name in steps.offered


def tool_of(name: str, /) -> str:
    """Return the tool of an operation; empty where the server whose call is served lacks it."""
    from casetrack.api.operations import operations

    tool = operations()[name].tool
    return tool if offers(tool) else ""


def again() -> str:
    """Return how the call that is served now is confirmed."""
    steps = _CURRENT.get()
    tool = steps.calling if steps else "it"
    return f"If the user wants it, call {tool} again with confirm: true."


def told(text: str, /) -> str:
    """Return a text of the library in terms of the server whose call is served now."""
    return _spelled(text, _for_user)


def here(text: str, /) -> str:
    """Return a text of this face without the sentences whose operations the server lacks."""
    return _spelled(text, lambda _sentence: "")


def in_terms(found: T, /) -> T:
    """Return a record whose texts name tools of the server whose call is served now."""
    texts = {name: value for name in _TEXTS if (value := getattr(found, name, None))}
    new = {k: told(v) if isinstance(v, str) else tuple(map(told, v)) for k, v in texts.items()}
    record: Any = found
    return found if new == texts else replace(record, **new)


def _spelled(text: str, without: Callable[[str], str]) -> str:
    steps = _CURRENT.get()
    return text if steps is None or "`" not in text else spelled(text, steps.spell, without)


def _for_user(sentence: str) -> str:
    """Return a sentence with a command as one for the user; without a command nothing is left."""
    if "`casetrack " not in sentence and "`ctx " not in sentence:
        return ""
    return sentence if "user" in sentence.lower() else f"Ask the user: {sentence}"
