"""Tools that ask a collection something: their parameters come from the operation they ask."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, get_origin

from pydantic import Field

from casetrack.api.operation import Argument, arguments_of, called
from casetrack.faces.mcp.concise import telling
from casetrack.faces.mcp.session import in_thread, locate
from casetrack.faces.mcp.specs import CollectionName, Offset, ResponseFormat

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.types import CallToolResult

    from casetrack.api.collection import Collection
    from casetrack.faces.mcp.concise import Telling

    Present = Callable[[Any, Any, "Asked"], CallToolResult]


@dataclass(frozen=True, slots=True)
class Asked:
    """A call: of which collection, how it is answered, and which part of a list is wanted.

    Attributes
    ----------
    given
        The arguments by the operation's names.
    """

    target: Collection
    told: Telling
    offset: int
    given: dict[str, Any]

    @property
    def name(self) -> str:
        """The collection's name."""
        return self.target.info.name


def asks(
    method: Callable[..., Any], /, *, most: int | None = None, **fixed: Any
) -> Callable[[Present], Callable[..., Any]]:
    """Make a tool's method of what makes a result of the answer of *method*.

    Parameters
    ----------
    most
        Entries that can be asked for, where the answer is a list of which a call shows a part;
        ``None`` where it is not.
    fixed
        Arguments that are always the same.
    """

    def tool(present: Present) -> Callable[..., Any]:
        async def run(self: Any, **call: Any) -> CallToolResult:
            target = await locate(self._session, call.pop("collection"))
            response_format, offset = call.pop("response_format"), call.pop("offset", 0)
            declared = {each.mcp_name: each for each in arguments_of(method)}
            # Models send empty texts for what they leave out.
            given = {
                declared[name].name: None if v == "" and declared[name].default is None else v
                for name, v in call.items()
            }
            wanted = given | fixed
            if most is not None and "limit" in given:
                wanted["limit"] = min(offset + given["limit"], most)
            found = await in_thread(partial(called, method, target, wanted))
            return present(
                self, found, Asked(target, await telling(response_format, target), offset, given)
            )

        run.__name__, run.__doc__ = present.__name__, present.__doc__
        parameters = [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *map(_of, arguments_of(method)),
            *([_parameter("offset", Offset, 0)] if most is not None else []),
            _parameter("collection", CollectionName, None),
            _parameter("response_format", ResponseFormat, "concise"),
        ]
        result = inspect.signature(present).return_annotation
        run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            parameters, return_annotation=result
        )
        run.__annotations__ = {p.name: p.annotation for p in parameters[1:]} | {"return": result}
        return run

    return tool


def _of(each: Argument) -> inspect.Parameter:
    least, most = each.arg.ge, each.arg.mcp_le or each.arg.le
    bounds = ("min_length", "max_length") if get_origin(each.type) is list else ("ge", "le")
    words: dict[str, Any] = {"description": each.arg.note or None}
    words |= dict(zip(bounds, (least, most), strict=True))
    words = {name: word for name, word in words.items() if word is not None}
    kind = Annotated[each.type, Field(**words)] if words else each.type
    return _parameter(each.mcp_name, kind, each.mcp_default)


def _parameter(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
