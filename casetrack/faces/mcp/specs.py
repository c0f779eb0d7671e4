"""Declaring a tool: title, description, hints and schemas, kept beside the method that does it."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args

from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import Field

from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from casetrack.api.operation import Hints

CollectionName = str | None
"""The optional parameter of every tool that works on a collection: its name or id."""
Offset = Annotated[int, Field(ge=0)]
"""The parameter of tools that return a part of a long list."""
ResponseFormat = Literal["concise", "detailed"]
"""The parameter of tools that read: see :mod:`casetrack.faces.mcp.concise`."""

ToolSet = Literal["core", "daily", "search", "map", "legal"]
"""Named sets of tools: those that do most work; these and what else a day brings; finding and
reading; people, dates and connections; and what work on a legal case needs."""

PageName = Literal["search", "page", "timeline", "graph", "compare", "briefing"]
"""The pages that a program which shows pages of its servers can open: :mod:`apps`."""

F = TypeVar("F", bound="Callable[..., Any]")
_ATTRIBUTE = "__mcp_tool__"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """Everything a client is told about a tool besides its parameters.

    Attributes
    ----------
    required
        Parameters that the schema calls required although the method has a default for them, so
        that leaving them out gives the method's own, better answer.
    sets
        The named sets that it is put into; see :meth:`is_in`.
    feature
        What a license must have for it, of :data:`FEATURES`; ``None`` where
        every tier does.
    page
        The page that shows what it answers.
    only_for
        The pages that alone call it, where it is no tool for models.
    of
        The commands whose work it does: what texts refer to.
    """

    title: str
    hints: Hints
    description: str
    required: tuple[str, ...] = ()
    meta: dict[str, Any] | None = None
    sets: tuple[ToolSet, ...] = ()
    feature: str | None = None
    page: PageName | None = None
    only_for: tuple[PageName, ...] = ()
    of: tuple[str, ...] = ()

    def is_in(self, name: str, /) -> bool:
        """Return whether it belongs to the named set.

        The set ``daily`` has the core, too, and nothing that some tier lacks.
        """
        if name == "daily":
            return self.feature is None and not {"core", "daily"}.isdisjoint(self.sets)
        return name in self.sets


def tool(title: str, hints: Hints, /, **words: Any) -> Callable[[F], F]:
    """Mark a method as a tool; its name is the tool's name. See :class:`ToolSpec`."""
    spec = ToolSpec(title, hints, **words)

    def mark(method: F) -> F:
        setattr(method, _ATTRIBUTE, spec)
        return method

    return mark


def declared_in(group: type, /) -> Iterator[tuple[str, ToolSpec]]:
    """Yield name and declaration of the tools of a class, in the order of its methods."""
    for name, member in vars(group).items():
        spec = getattr(member, _ATTRIBUTE, None)
        if isinstance(spec, ToolSpec):
            yield name, spec


def build_tool(
    method: Callable[..., Any], spec: ToolSpec, /, *, description: str | None = None
) -> Tool:
    """Return the tool that *method* does, with another *description* where one is given.

    Its structured results have no schema in the list of tools, where 51 of them would take three
    times the room of everything else; tests compare the results with recorded forms.
    """
    hints = ToolAnnotations(
        title=spec.title,
        read_only_hint=spec.hints.read_only,
        destructive_hint=spec.hints.destructive,
        # Of a tool that only reads it says nothing (2025-11-25, ToolAnnotations).
        idempotent_hint=None if spec.hints.read_only else spec.hints.idempotent,
        open_world_hint=False,
    )
    built = Tool.from_function(
        method,
        description=spec.description if description is None else description,
        annotations=hints,
        meta=spec.meta,
        structured_output=False,
    )
    built.parameters = _input_schema(built.parameters, spec.required)
    return built


def _input_schema(schema: dict[str, Any], required: tuple[str, ...]) -> dict[str, Any]:
    """Return *schema* in the requirement's form: no generated titles, optional means left out.

    That there are no other parameters is not said either: a call with one is refused, and told
    which there are.
    """
    plain = _untitled(_inlined(schema, schema.get("$defs", {})))
    properties = {name: _plain(field) for name, field in plain["properties"].items()}
    needed = [n for n in properties if n in plain.get("required", ()) or n in required]
    result: dict[str, Any] = {"type": "object", "properties": properties}
    if needed:
        result["required"] = needed
    return result


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter without its "or null": an absent value says that."""
    if "properties" in field:
        field = field | {"properties": {n: _plain(f) for n, f in field["properties"].items()}}
    arms = [arm for arm in field.get("anyOf", ()) if arm != {"type": "null"}]
    if len(arms) == len(field.get("anyOf", ())):
        return field
    rest = {k: v for k, v in field.items() if k not in {"anyOf", "default"}}
    return (arms[0] if len(arms) == 1 else {"anyOf": arms}) | rest


def _inlined(node: Any, named: dict[str, Any]) -> Any:
    """Return a schema with the parts that it names put where they are named."""
    if isinstance(node, list):
        return [_inlined(item, named) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        node = named[node["$ref"].rpartition("/")[2]] | {
            k: v for k, v in node.items() if k != "$ref"
        }
    return {k: _inlined(v, named) for k, v in node.items() if k != "$defs"}


def _untitled(node: Any) -> Any:
    """Return a schema without the titles that repeat every field's name in other letters."""
    if isinstance(node, list):
        return [_untitled(item) for item in node]
    if not isinstance(node, dict):
        return node
    # A field may itself be called "title"; its schema is an object, never a string.
    return {k: _untitled(v) for k, v in node.items() if not (k == "title" and isinstance(v, str))}


# Which tools a server offers: all, a named set, or single ones.
#
# Every tool costs its reader tokens in each conversation, so a client that only searches need not
# carry the rest. Which sets a tool belongs to stands beside its declaration. A set is chosen when
# the server starts and stays the same for all its connections.

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
