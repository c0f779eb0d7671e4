"""Next steps in terms of the tools that a server offers.

Texts refer to operations, and tools declare the operations that they implement. If the server lacks
an operation, the sentence is left out of texts of this package; sentences of the library become
advice for the user, who has a shell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from typing import Any, TypeVar

from casetrack.base.dataclass import dataclass, field, replace
from casetrack.base.errors.references import Reference, See, spelled

__all__ = ["See"]  # exported for texts that name operations

T = TypeVar("T")
_TEXTS = ("gap", "hint", "left_out", "next_step", "notes")
"""Fields of records that may refer to operations."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The tools that an answer may name.

    Attributes
    ----------
    offered
        Names of the usable tools.
    doing
        Tools of each command, or the address of its resource.
    calling
        The current tool: it is a next step only with other parameters.
    parameters
        Returns the parameters of a tool.
    """

    offered: frozenset[str]
    doing: Mapping[str, list[str]] = field(default_factory=dict)
    calling: str = ""
    parameters: Callable[[str], Iterable[str]] = lambda _tool: ()

    def spell(self, see: Reference, /) -> str | None:
        """Return the tool, or the parameters of the current one; ``None`` if it lacks them."""
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


def use_steps(steps: Steps, /) -> None:
    """Use *steps* in the rest of this task and in its threads."""
    _CURRENT.set(steps)


def offers(name: str, /) -> bool:
    """Return whether the current server has this tool and its license includes it."""
    steps = _CURRENT.get()
    return steps is None or name in steps.offered


def tool_of(name: str, /) -> str:
    """Return the tool of an operation; empty if the current server lacks it."""
    from casetrack.api.operations import operations

    tool = operations()[name].tool
    return tool if offers(tool) else ""


def again() -> str:
    """Return how the call that is served now is confirmed."""
    steps = _CURRENT.get()
    tool = steps.calling if steps else "it"
    return f"If the user wants it, call {tool} again with confirm: true."


def name_tools(text: str, /) -> str:
    """Return a text of the library with tools of the current server instead of commands."""
    return _spelled(text, _for_user)


def if_offered(text: str, /) -> str:
    """Return a text of this package without sentences on operations that the server lacks."""
    return _spelled(text, lambda _sentence: "")


def name_tools_in(answer: T, /) -> T:
    """Return a record whose texts name tools of the current server."""
    texts = {name: value for name in _TEXTS if (value := getattr(answer, name, None))}
    new = {
        k: name_tools(v) if isinstance(v, str) else tuple(map(name_tools, v))
        for k, v in texts.items()
    }
    record: Any = answer
    return answer if new == texts else replace(record, **new)


def _spelled(text: str, without: Callable[[str], str]) -> str:
    steps = _CURRENT.get()
    return text if steps is None or "`" not in text else spelled(text, steps.spell, without)


def _for_user(sentence: str) -> str:
    """Return a sentence with a command as advice for the user, or an empty text."""
    if "`casetrack " not in sentence and "`ctx " not in sentence:
        return ""
    return sentence if "user" in sentence.lower() else f"Ask the user: {sentence}"
