"""Which tools a server offers: all, a named set, or single ones.

Every tool costs its reader tokens in each conversation, so a client that only searches need not
carry the rest. Which sets a tool belongs to stands beside its declaration. A set is chosen when the
server starts and stays the same for all its connections.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from casetrack.base.errors import UsageError
from casetrack.faces.mcp.specs import ToolSet

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.faces.mcp.specs import ToolSpec

ALL = "all"
READ_ONLY = "read-only"

SET_NAMES = (ALL, READ_ONLY, *get_args(ToolSet))


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """The tools that a server offers.

    Attributes
    ----------
    names
        Names of the tools; ``None`` means all.
    read_only
        Whether tools that change anything are left out.
    """

    names: frozenset[str] | None = None
    read_only: bool = False

    def of(self, specs: Mapping[str, ToolSpec], /) -> list[str]:
        """Return the names of the chosen tools among *specs*, in their order."""
        return [
            name
            for name, spec in specs.items()
            if (self.names is None or name in self.names)
            and (spec.hints.read_only or not self.read_only)
        ]


def parse_choice(text: str, known: Mapping[str, ToolSpec], /) -> ToolChoice:
    """Return what *text* chooses: names of sets and of tools, separated by commas.

    ``read-only`` beside others takes their writing tools away; alone it means all that read.

    Raises
    ------
    UsageError
        A name is neither a set nor a tool, or nothing was chosen.
    """
    words = [word.strip().lower().replace("_only", "-only") for word in text.split(",")]
    words = [word for word in words if word]
    if not words:
        raise UsageError("No tools were chosen.", hint=_hint())
    read_only = READ_ONLY in words
    rest = [word for word in words if word != READ_ONLY]
    names: set[str] = set()
    for word in rest:
        if word in get_args(ToolSet):
            names.update(name for name, spec in known.items() if spec.is_in(word))
        elif word in known:
            names.add(word)
        elif word != ALL:
            near = difflib.get_close_matches(word, [*SET_NAMES, *known], n=1)
            guess = f' Did you mean "{near[0]}"?' if near else ""
            raise UsageError(f'No such tool or set of tools: "{word}".{guess}', hint=_hint())
    everything = ALL in rest or not rest
    return ToolChoice(None if everything else frozenset(names), read_only)


def _hint() -> str:
    return f"Use one of {', '.join(SET_NAMES)}; or names of tools, separated by commas."
