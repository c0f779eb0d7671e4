"""The tools of a server, built on first use.

Building a schema takes milliseconds. A server that built all of them before the handshake would
delay its client for tools that most calls never use.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from casetrack.base.editions import ANY, edition
from casetrack.base.license.tiers import FEATURES
from casetrack.faces.mcp.edition import ServedEdition
from casetrack.faces.mcp.specs import ToolChoice, build_tool, declared_in, parse_choice
from casetrack.faces.mcp.steps import Steps, use_steps
from casetrack.faces.mcp.uris import SQL

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mcp.server.mcpserver import Context
    from mcp.server.mcpserver.tools import Tool
    from mcp.types import CallToolResult, InputRequiredResult

    from casetrack.faces.mcp.session import Session
    from casetrack.faces.mcp.specs import PageName, ToolSpec

ALIASES = {"search_collection": "search_documents", "search_case": "search_documents"}
"""Other names of tools, which are not listed."""
OTHER_ARGUMENTS = {"create_collection": {"collection_id": "reference"}}
"""Other names of arguments: the specification calls the user's own number an id for one tool and a
reference for another, while an id means a generated identifier elsewhere.
"""


_GROUPS = (
    *("collections:CollectionTools", "ingest:IngestTools", "sync:WatchTools"),
    *("reindex:ReindexTools", "status:JobTools", "documents:DocumentTools"),
    *("search:SearchTools", "reading:PageTools", "overview:OverviewTools"),
    *("search:QueryTools", "marks:MarkTools", "status:StatusTools", "more:MoreTools"),
)
"""Tool classes that are not made from operations, with their modules."""


def groups() -> tuple[type[Any], ...]:
    """Return the classes whose methods are the tools, in their listed order."""
    from casetrack.faces.mcp.changing_tools import changing
    from casetrack.faces.mcp.operation_tools import derived

    named = (each.partition(":") for each in _GROUPS)
    made: tuple[type[Any], ...] = tuple(
        getattr(import_module(f"casetrack.faces.mcp.tools.{module}"), name)
        for module, _, name in named
    )
    made = (changing(*made), *made)
    return (*made, derived(*made))


def any_collection() -> ServedEdition:
    """Return the edition whose tools work on any collection."""
    return ServedEdition(edition(ANY), groups)


def declared(served: ServedEdition | None = None, /) -> dict[str, ToolSpec]:
    """Return the declarations of all tools of an edition by name, in the order of the list."""
    made = (served or any_collection()).groups()
    return {name: spec for group in made for name, spec in declared_in(group)}


def choose(
    text: str | None, served: ServedEdition | None = None, /, *, read_only: bool = False
) -> ToolChoice:
    """Parse *text* with the names of :func:`declared`; ``None`` is all."""
    choice = ToolChoice() if text is None else parse_choice(text, declared(served))
    return ToolChoice(choice.names, choice.read_only or read_only)


@functools.cache
def _commands() -> dict[str, tuple[str, str]]:
    """Return the commands that the tools of operations implement."""
    from casetrack.api.operations import operations

    def words(command: str) -> str:
        return " ".join(word for word in command.split() if word.islower())

    return {each.tool: (each.name, words(each.command)) for each in operations().values()}


class Catalogue:
    """The chosen tools of a session, each built once on first use."""

    def __init__(self, session: Session, choice: ToolChoice, served: ServedEdition, /) -> None:
        self._session = session
        self._choice = choice
        self._over = session if served.over is None else served.over
        self._makers = served.groups
        self._groups: dict[str, Any] = {}
        self._specs: dict[str, ToolSpec] | None = None
        self._built: dict[str, Tool] = {}
        self._find = served.find

    @property
    def specs(self) -> Mapping[str, ToolSpec]:
        """Declarations of the chosen tools, by name."""
        if self._specs is None:
            everything: dict[str, ToolSpec] = {}
            for group in self._makers():
                made = group(self._over)
                for name, spec in declared_in(group):
                    everything[name] = spec
                    self._groups[name] = made
            self._specs = {name: everything[name] for name in self._choice.of(everything)}
        return self._specs

    @property
    def page_calls(self) -> Mapping[str, ToolSpec]:
        """Names of the tools that only pages call, for the pages of chosen tools."""
        from casetrack.faces.mcp.apps.tools import PageCalls

        everything = dict(declared_in(PageCalls))
        if not everything.keys() <= self._groups.keys():
            made = PageCalls(self._session, self._find)
            self._groups |= dict.fromkeys(everything, made)
        shown = self.pages().keys()
        return {n: spec for n, spec in everything.items() if not shown.isdisjoint(spec.only_for)}

    def pages(self) -> dict[PageName, str]:
        """Return the pages of the chosen tools, each with its first tool.

        Tools without a license are left out, because they return nothing that a page shows.
        """
        shown: dict[PageName, str] = {}
        for name, spec in self.specs.items():
            if spec.page is not None and not self.lacks(spec):
                shown.setdefault(spec.page, name)
        return shown

    def names(self) -> list[str]:
        """Return the names of the tools, in the order of the list."""
        return list(self.specs)

    def usable(self) -> frozenset[str]:
        """Return the names of the tools that the license includes."""
        return frozenset(name for name, spec in self.specs.items() if not self.lacks(spec))

    @property
    def steps(self) -> Steps:
        """The tools that texts for the current client may name as a next step."""
        usable = self.usable()
        if not self._session.connection.remembers:
            usable -= {"switch_collection", "switch_case"}
        doing: dict[str, list[str]] = {"schema": [SQL]}
        for name in (name for name in self.specs if name in usable):
            for command in (*self.specs[name].of, *_commands().get(name, ())):
                doing.setdefault(command, []).append(name)
        return Steps(usable, doing, parameters=self._parameters)

    def _parameters(self, name: str) -> Iterable[str]:
        tool = self.get_tool(name, pages=True)
        return () if tool is None else tool.parameters["properties"]

    def get_tool(self, name: str, /, *, pages: bool = False) -> Tool | None:
        """Return the tool with this name or alias; *pages* includes tools that only pages call."""
        name = name if name in self.specs else ALIASES.get(name, name)
        spec = self.specs.get(name)
        if spec is None and pages:
            spec = self.page_calls.get(name)
        if spec is None:
            return None
        if name not in self._built:
            method = getattr(self._groups[name], name)
            self._built[name] = build_tool(method, spec, description=self._lacking(spec))
        return self._built[name]

    def lacks(self, spec: ToolSpec, /) -> bool:
        """Return whether the current license lacks the feature of a tool."""
        return spec.feature is not None and not self._session.library.entitlements.allows(
            spec.feature
        )

    def _lacking(self, spec: ToolSpec) -> str | None:
        """Return the message for a tool that the license does not include."""
        if spec.feature is None or not self.lacks(spec):
            return None
        return f"Only with Pro: {FEATURES[spec.feature]}."

    def list_tools(self, *, pages: bool = False) -> list[Tool]:
        """Return all tools, and the tools that *pages* call for a client that shows pages."""
        names = [*self.specs, *(self.page_calls if pages else ())]
        return [tool for name in names if (tool := self.get_tool(name, pages=pages)) is not None]

    def page_meta(self, name: str, /) -> dict[str, Any]:
        """Return the additional metadata (``_meta``) of a tool for a client that shows pages."""
        spec = self.specs.get(name) or self.page_calls[name]
        if self.lacks(spec) or (spec.page is None and not spec.only_for):
            return {}
        from casetrack.faces.mcp.apps import link

        return link(spec.page, only_pages=bool(spec.only_for))

    async def call(
        self, tool: Tool, arguments: dict[str, Any], context: Context[Any, Any], /
    ) -> CallToolResult | InputRequiredResult:
        """Return the answer of a tool."""
        steps = self.steps
        use_steps(replace(steps, offered=steps.offered | {tool.name}, calling=tool.name))
        answer: CallToolResult | InputRequiredResult = await tool.run(
            arguments, context, convert_result=True
        )
        return answer
