"""Commands that ask a collection something: their options come from the operation they ask."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, get_origin

import typer

from casetrack.api.operation import Argument, Operation, arguments_of, called, summary_of
from casetrack.api.operations import operations
from casetrack.api.text import entries_of, entry_of, head_of, numbered
from casetrack.faces.cli.options import CollectionOption, JsonOption, option
from casetrack.faces.cli.output import Part, entry, line, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.api.text import Line


STYLES: Mapping[str, str] = {
    "title": "bold cyan",
    "strong": "bold",
    "less": "dim",
    "source": "cyan",
    "words": "bold yellow",
    "own": "green",
    "warning": "yellow",
    "chunk": "dim",
    "document": "dim",
    "removed": "red strike",
    "added": "bold green",
}
"""How a terminal shows the parts of a text."""


def write(lines: Iterable["Line"], /) -> None:
    """Write the lines of a text."""
    for each in lines:
        parts = [_styled(part) for part in each.parts]
        if each.label:
            entry((each.label, "bold"), *parts, indent=each.indent)
        else:
            line(*parts, indent=each.indent)


def _styled(part: Any) -> Part:
    return (part[0], STYLES.get(part[1], "")) if isinstance(part, tuple) else part


def show(found: Any, operation: Operation | None = None, /) -> None:
    """Write an answer: its head, then its entries with their numbers, and how to see more."""
    head, entries = head_of(found), entries_of(found)[1]
    write(head)
    if not entries and operation is not None and operation.empty:
        line(operation.empty)
    for number, each in enumerate(entries, 1):
        lines = entry_of(each)
        if len(lines) > 1 and (number > 1 or head):
            line()
        write(numbered(number, lines) if len(lines) > 1 else lines)
    rest = getattr(found, "total", len(entries)) - len(entries)
    if rest > 0 and operation is not None:
        narrow = operation.narrowing("cli")
        ways = f"raise --limit, or narrow it with {narrow}" if narrow else "raise --limit"
        line()
        line((f"{rest:,} more: {ways}.", "dim"))


def answer(found: Any, name: str, /, *, as_json: bool) -> None:
    """Write the answer of an operation as text or as JSON."""
    if as_json:
        whole = getattr(found, "as_dict", None)
        write_json(whole() if whole else [each.as_dict() for each in found])
    else:
        show(found, operations().get(name))


def command_of(name: str, /) -> Callable[..., None]:
    """Return the command of an operation that has no other: it writes the answer's text."""
    each = operations()[name]

    def text(found: Any, _given: dict[str, Any]) -> None:
        show(found, each)

    text.__doc__, text.__name__ = summary_of(each.method), name
    return asks(each.method)(text)


def asks(
    method: Callable[..., Any], /
) -> Callable[[Callable[[Any, dict[str, Any]], None]], Callable[..., None]]:
    """Make a command of what shows the answer of *method*, and of the arguments of that.

    What shows it is called with the answer, and with the arguments by name, ``collection`` among
    them as the open one. Its docstring is the command's help.
    """

    def command(tell: Callable[[Any, dict[str, Any]], None]) -> Callable[..., None]:
        def run(ctx: typer.Context, **given: Any) -> None:
            as_json = given.pop("as_json")
            for each in arguments_of(method):
                if each.turns_off:
                    given[each.name] = not given[each.name]
            target = ctx.ensure_object(State).collection(given.pop("collection"))
            found = called(method, target, given)
            if as_json:
                answer(found, "", as_json=True)
            else:
                tell(found, given | {"collection": target})

        run.__doc__ = tell.__doc__
        run.__name__ = tell.__name__
        parameters = [_parameter("ctx", typer.Context), *map(_of, _in_order(method))]
        run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        return run

    return command


def _parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind
    )


def _in_order(method: Callable[..., Any]) -> list[Argument | inspect.Parameter]:
    """Return what must be given, then the collection, then other options, then ``--json``."""
    declared = arguments_of(method)
    first = [
        each for each in declared if not each.arg.options or each.default is inspect.Parameter.empty
    ]
    return [
        *first,
        _parameter("collection", CollectionOption, None),
        *(each for each in declared if each not in first),
        _parameter("as_json", JsonOption, default=False),
    ]


def _of(each: Argument | inspect.Parameter) -> inspect.Parameter:
    if isinstance(each, inspect.Parameter):
        return each
    info = option(each.arg, bounds=get_origin(each.type) is not list)
    default = not each.default if each.turns_off else each.default
    return _parameter(each.name, Annotated[each.type, info], default)
