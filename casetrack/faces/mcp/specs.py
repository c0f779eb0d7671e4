"""Declaration of a tool at its method: title, description, hints and schemas."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args

from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import Field

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from casetrack.api.operation import Hints

CollectionName = str | None
Offset = Annotated[int, Field(ge=0)]
ResponseFormat = Literal["concise", "detailed"]
"""See :mod:`casetrack.faces.mcp.concise`."""

ToolSet = Literal["core", "daily", "search", "map", "legal"]
"""Named sets of tools: most work; most work and daily work; search and reading; people, dates and
connections; work on a legal case.
"""

PageName = Literal["search", "page", "timeline", "graph", "compare", "briefing"]
"""The pages of :mod:`apps`."""

F = TypeVar("F", bound="Callable[..., Any]")
_ATTRIBUTE = "__mcp_tool__"


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """The description of a tool for clients, without its parameters.

    Attributes
    ----------
    required
        Parameters that the schema requires although the method has a default: omitting them gets
        the method's own answer, which is better.
    sets
        The named sets with this tool; see :meth:`is_in`.
    feature
        Required license feature, one of :data:`FEATURES`; ``None`` for every tier.
    page
        The page that shows its answer.
    only_for
        The only pages that call it, if it is hidden from models.
    of
        The commands that it implements, for references in texts.
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

        The set ``daily`` includes the core, and nothing that requires a license.
        """
        if name == "daily":
            return self.feature is None and not {"core", "daily"}.isdisjoint(self.sets)
        return name in self.sets


def tool(title: str, hints: Hints, /, **words: Any) -> Callable[[F], F]:
    """Mark a method as a tool; its name is the tool's name. See :class:`ToolSpec`.

    The description is that of the docstring by default.
    """

    def mark(method: F) -> F:
        described = {"description": " ".join((method.__doc__ or "").split())}
        setattr(method, _ATTRIBUTE, ToolSpec(title, hints, **described | words))
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
    """Return the tool of *method*, optionally with another *description*.

    Results have no schema in the list of tools: 51 schemas would need three times the tokens of all
    other content. Tests compare the results with recorded forms.
    """
    hints = ToolAnnotations(
        title=spec.title,
        read_only_hint=spec.hints.read_only,
        destructive_hint=spec.hints.destructive,
        # Tools that only read have no such hint (2025-11-25, ToolAnnotations).
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
    """Return *schema* without generated titles; optional parameters are absent from ``required``.

    ``additionalProperties`` is left out, because a call with an unknown parameter is refused with
    the list of the known ones.
    """
    plain = _untitled(_inlined(schema, schema.get("$defs", {})))
    properties = {name: _plain(field) for name, field in plain["properties"].items()}
    needed = [n for n in properties if n in plain.get("required", ()) or n in required]
    result: dict[str, Any] = {"type": "object", "properties": properties}
    if needed:
        result["required"] = needed
    return result


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a parameter without "or null", because an omitted value is null."""
    if "properties" in field:
        field = field | {"properties": {n: _plain(f) for n, f in field["properties"].items()}}
    arms = [arm for arm in field.get("anyOf", ()) if arm != {"type": "null"}]
    if len(arms) != len(field.get("anyOf", ())):
        rest = {k: v for k, v in field.items() if k not in {"anyOf", "default"}}
        field = (arms[0] if len(arms) == 1 else {"anyOf": arms}) | rest
    return field


def listed(schema: dict[str, Any], /) -> dict[str, Any]:
    """Return an input schema without what everybody expects: minima of 0 and 1, usual defaults."""

    def short(field: dict[str, Any]) -> dict[str, Any]:
        usual = {"default": (0, "", *field.get("enum", ())[:1]), "minimum": (0, 1)}
        return {k: v for k, v in field.items() if k not in usual or v not in usual[k]}

    return schema | {"properties": {n: short(f) for n, f in schema["properties"].items()}}


def _inlined(node: Any, named: dict[str, Any]) -> Any:
    """Return a schema with its references replaced by their content."""
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
    """Return a schema without titles, which repeat the names of fields."""
    if isinstance(node, list):
        return [_untitled(item) for item in node]
    if not isinstance(node, dict):
        return node
    # A field may itself be called "title"; its schema is an object, never a string.
    return {k: _untitled(v) for k, v in node.items() if not (k == "title" and isinstance(v, str))}


# Every tool costs tokens in each conversation, so a server can offer all tools, a named set, or
# single ones. Each tool declares its sets. The choice is fixed when the server starts and applies
# to all its connections.

ALL = "all"
MORE = "more_tools"
"""The tool that calls those of no chosen set; a server with all tools has no use for it."""
READ_ONLY = "read-only"

SET_NAMES = (ALL, READ_ONLY, *get_args(ToolSet))


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """The tools that a server offers; *names* is ``None`` for all of them."""

    names: frozenset[str] | None = None
    read_only: bool = False

    def of(self, specs: Mapping[str, ToolSpec], /) -> list[str]:
        """Return the names of the chosen tools among *specs*, in their order."""
        return [
            name
            for name, spec in specs.items()
            if (name != MORE if self.names is None else name in self.names)
            and (spec.hints.read_only or not self.read_only)
        ]


def parse_choice(text: str, known: Mapping[str, ToolSpec], /) -> ToolChoice:
    """Parse *text*: names of sets and of tools, separated by commas.

    ``read-only`` removes writing tools from the other names; alone it selects all reading tools.

    Raises
    ------
    UsageError
        A name is neither a set nor a tool, or no tool is selected.
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
