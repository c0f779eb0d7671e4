"""Next steps in terms of the tools that a server offers.

The library tells people commands, and its hints are written once for all sets of tools. Before an
AI program reads one, commands become tools, alternatives that the server does not have are left
out, and what only a shell can do is said to be for the user.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mcp.types import TextContent

from casetrack.base.errors.references import Reference, spelled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from mcp.types import CallToolResult

_TOOLS = {
    "amounts": ("find_amounts",),
    "case create": ("create_case",),
    "case list": ("list_cases",),
    "case use": ("switch_case",),
    "changes": ("compare_versions",),
    "collection archive": ("archive_collection",),
    "collection close": ("close_collection",),
    "collection create": ("create_collection", "create_case"),
    "collection describe": ("update_collection",),
    "collection info": ("get_collection_info", "get_case_info"),
    "collection list": ("list_collections", "list_cases"),
    "collection rename": ("update_collection",),
    "collection reopen": ("reopen_collection",),
    "document": ("get_document",),
    "documents": ("list_documents",),
    "entities": ("list_entities",),
    "entity": ("get_entity_mentions", "find_entity"),
    "jobs cancel": ("cancel_job",),
    "jobs list": ("get_job_status",),
    "marks": ("list_marks",),
    "query": ("query",),
    "references": ("list_references",),
    "reindex": ("reindex_collection",),
    "related": ("find_related_documents", "get_related_documents"),
    "schema": ("casetrack://sql",),
    "search": ("search_documents", "search_case", "search"),
    "snapshots list": ("list_snapshots",),
    "snapshots restore": ("restore_snapshot",),
    "snapshots take": ("take_snapshot",),
    "sync": ("sync_folder",),
    "timeline": ("get_collection_timeline",),
    "topics": ("get_collection_summary",),
    "watch": ("list_watches",),
    "watch add": ("watch_folder",),
}
"""The tool that does what a command does: the first that the server has; or a resource."""
_NAME = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b")
_QUOTED = re.compile(r'"[^"]*"')
_BULLET = re.compile(r"\s*- ([a-z_]+): ")
_FIELDS = ("more", "next_step", "note")


@dataclass(frozen=True, slots=True)
class Steps:
    """What a reader can call.

    Attributes
    ----------
    known
        Names of all tools that there are.
    offered
        Those that would answer here.
    calling
        The tool that answers: without other parameters it is no next step.
    parameters
        Returns the parameters of a tool.
    """

    known: frozenset[str]
    offered: frozenset[str]
    calling: str = ""
    parameters: Callable[[str], Iterable[str]] = lambda _tool: ()

    def told(self, text: str, /) -> str:
        """Return a step without what cannot be done here; empty where nothing is left.

        Examples
        --------
        >>> here = Steps(frozenset({"list_documents", "get_chunk"}), frozenset({"list_documents"}))
        >>> here.told("See `casetrack documents`. Or read it with get_chunk.")
        'See list_documents.'
        >>> here.told("3 did not fit: use get_chunk or list_documents.")
        '3 did not fit: use list_documents.'
        >>> here.told("Run `casetrack doctor`.")
        'Ask the user: Run `casetrack doctor`.'
        """
        spelt = spelled(text, self._spell, _for_user)
        lines = (self._line(line) for line in spelt.split("\n"))
        return "\n".join(line for line in lines if line is not None).strip()

    def _spell(self, see: Reference) -> str | None:
        if not see.names:
            return self._with(see, self.calling)
        if see.program != "casetrack":
            return None
        for name in (tool for key in see.names for tool in _TOOLS.get(key, ())):
            is_here = name in self.offered or ":" in name
            if is_here and (see.options or name != self.calling):
                options = self._with(see, name) if see.options else ""
                if options is not None:
                    return f"{name} with {options}" if options else name
        return None

    def _with(self, see: Reference, tool: str) -> str | None:
        """Spell options as parameters of a tool; ``None`` where it has other parameters."""
        known = {name for name, _ in see.options} <= set(self.parameters(tool))
        return see.keywords(": ") if known else None

    def _line(self, line: str) -> str | None:
        """Return a line without what is not here; ``None`` where it was about nothing else."""
        bullet = _BULLET.match(line)
        if bullet is not None and self._missing(bullet[1]):
            return None
        if not self._lacks(line):
            return line
        kept = (
            self._sentence(sentence) for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z\"`])", line)
        )
        return " ".join(sentence for sentence in kept if sentence) or None

    def _sentence(self, sentence: str) -> str:
        sentence = self._alternatives(sentence)
        missing = self._lacks(sentence)
        if not missing:
            return sentence
        # What stands before is a fact, or a step that can be taken.
        before = max(sentence.rfind(mark, 0, missing[0]) for mark in (": ", "; "))
        return f"{sentence[:before]}." if before > 0 else ""

    def _alternatives(self, sentence: str) -> str:
        """Return a sentence whose lists of tools have only those that are here, if any is."""

        def those(found: re.Match[str]) -> str:
            names = [name for name in _NAME.findall(found.group()) if name != "or"]
            here = [name for name in names if not self._missing(name)]
            return " or ".join(here) if here and len(here) < len(names) else found.group()

        return _LIST.sub(those, sentence)

    def _lacks(self, text: str) -> list[int]:
        """Return where a text names tools that are not here, quotations left aside."""
        blank = _QUOTED.sub(lambda found: " " * len(found.group()), text)
        return [m.start() for m in _NAME.finditer(blank) if self._missing(m.group())]

    def _missing(self, name: str) -> bool:
        return name in self.known and name not in self.offered


_LIST = re.compile(rf"{_NAME.pattern}(?:(?:, or|,| or) {_NAME.pattern})+")
_CURRENT: ContextVar[Steps | None] = ContextVar("casetrack_steps", default=None)


def work_with(steps: Steps, /) -> None:
    """Let the rest of this task, and the threads that it uses, tell *steps*."""
    _CURRENT.set(steps)


def offers(name: str, /) -> bool:
    """Return whether the server whose call is served now has a tool that would answer."""
    steps = _CURRENT.get()
    return steps is None or name in steps.offered


def told(text: str, /) -> str:
    """Return a step in terms of the server whose call is served now; see :meth:`Steps.told`."""
    steps = _CURRENT.get()
    return text if steps is None else steps.told(text)


def in_result(result: CallToolResult, steps: Steps, /) -> None:
    """Put the steps of a result, in both of its forms, in terms of the server that gives it."""
    facts = result.structured_content
    if not isinstance(facts, dict):
        return
    changed: list[tuple[str, str]] = []
    _put(facts, steps, changed)
    for content in result.content:
        if isinstance(content, TextContent):
            for old, new in changed:
                head, found, tail = content.text.rpartition(old)
                content.text = f"{head}{new}{tail}".rstrip() if found else content.text


def _put(facts: dict[str, Any], steps: Steps, changed: list[tuple[str, str]]) -> None:
    for key in _FIELDS:
        said = facts.get(key)
        if isinstance(said, str) and (new := steps.told(said)) != said:
            facts[key] = new if new or key == "note" else None
            changed.append((said, new))
    notes = facts.get("notes")
    if isinstance(notes, list) and all(isinstance(note, str) for note in notes):
        new_notes = [steps.told(note) for note in notes]
        changed += [(a, b) for a, b in zip(notes, new_notes, strict=True) if a != b]
        facts["notes"] = [note for note in new_notes if note]
    for part in facts.values():  # such as the result of a job
        if isinstance(part, dict):
            _put(part, steps, changed)


def _for_user(sentence: str) -> str:
    """Return a sentence with a command as one for the user; without a command nothing is left."""
    if not re.search(r"`(?:casetrack|ctx) ", sentence):
        return ""
    return sentence if re.search(r"\b[Uu]ser\b", sentence) else f"Ask the user: {sentence}"
