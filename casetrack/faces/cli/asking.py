"""Commands that ask a collection something: their options come from the operation they ask."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_origin

import typer

from casetrack.api.operation import Arg, Argument, arguments_of, called
from casetrack.faces.cli.options import CollectionOption, JsonOption
from casetrack.faces.cli.output import write_json
from casetrack.faces.cli.state import State


def asks(
    method: Callable[..., Any], /
) -> Callable[[Callable[[Any, dict[str, Any]], None]], Callable[..., None]]:
    """Make a command of what shows the answer of *method*, and of the arguments of that.

    What shows it is called with the answer, and with the arguments by name, ``collection`` among
    them as the open one. Its docstring is the command's help.
    """

    def command(show: Callable[[Any, dict[str, Any]], None]) -> Callable[..., None]:
        def run(ctx: typer.Context, **given: Any) -> None:
            as_json = given.pop("as_json")
            for each in arguments_of(method):
                if _turns_off(each):
                    given[each.name] = not given[each.name]
            target = ctx.ensure_object(State).collection(given.pop("collection"))
            found = called(method, target, given)
            if as_json:
                whole = getattr(found, "as_dict", None)
                write_json(whole() if whole else [each.as_dict() for each in found])
                return
            show(found, given | {"collection": target})

        run.__doc__ = show.__doc__
        run.__name__ = show.__name__
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
    default = not each.default if _turns_off(each) else each.default
    return _parameter(each.name, Annotated[each.type, info], default)


def option(arg: Arg, /, *, bounds: bool = True, **more: Any) -> Any:
    """Return what Typer knows of an argument that is declared so.

    Parameters
    ----------
    bounds
        Whether its value is held against the declared bounds.
    more
        Other words for Typer, such as ``autocompletion``.
    """
    limits = {"min": arg.ge, "max": arg.le} if bounds else {}
    words = {"metavar": arg.metavar, "help": arg.help, **limits, **more}
    words = {name: word for name, word in words.items() if word is not None}
    options = [option.lstrip("/") for option in arg.options]
    return typer.Option(*options, **words) if options else typer.Argument(**words)


def _turns_off(each: Argument) -> bool:
    """Whether the option of an argument makes it false."""
    return any(option.startswith("/") for option in each.arg.options)
