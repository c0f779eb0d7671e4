"""Commands that ask a collection something: their options come from the operation they ask."""

import inspect
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, get_args, get_origin

import typer

from casetrack.api.operation import Arg, Argument, Operation, Work, arguments_of, called, summary_of
from casetrack.api.text import entries_of, entry_of, head_of, next_step, numbered, rest_of
from casetrack.api.text.work import failures, kept_results
from casetrack.base.errors import CollectionNotFound, UsageError
from casetrack.base.words import WordLists
from casetrack.faces.cli.completion import collection_names
from casetrack.faces.cli.options import (
    AnyNameArgument,
    CollectionOption,
    CreateOption,
    JsonOption,
    NameArgument,
    option,
)
from casetrack.faces.cli.output import Part, entry, line, local_time, write_json
from casetrack.faces.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, State, show_notice

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.api.text import Line


_LONGEST = 70
"""Characters of an option's choices that fit into a line of the help."""
F = TypeVar("F", bound=Callable[..., Any])
STYLES: Mapping[str, str] = WordLists(__file__).pairs("styles")
_LABELS: Mapping[str, str] = {
    **dict.fromkeys(("ingested", "updated", "new", "changed", "moved"), "green"),
    **dict.fromkeys(("partial", "skipped", "missing", "removed"), "yellow"),
    **dict.fromkeys(("failed", "PROBLEM", "NOT MENDED"), "bold red"),
    "ok": "green",
    "mended": "yellow",
}
"""Styles of line labels; other labels are bold."""


def operations() -> Mapping[str, Operation]:
    """Return all operations; the modules that declare them are slow to import."""
    from casetrack.api.operations import operations as every

    return every()


def write(lines: Iterable["Line"], /) -> None:
    """Write the lines of a text."""
    for each in lines:
        parts = [_styled(part) for part in each.parts]
        if each.label:
            style = _LABELS.get(each.label.strip(), "bold")
            entry((each.label, style), *parts, indent=each.indent)
        else:
            line(*parts, indent=each.indent)


def _styled(part: Any) -> Part:
    if isinstance(part, str):
        return part
    text, style = part
    if style == "time":
        text = local_time(datetime.fromisoformat(text))
    return text, STYLES.get(style, "")


def show(result: Any, operation: Operation | None = None, /) -> None:
    """Write an answer: its head, then its entries with their numbers, and how to see more."""
    if operation is not None and operation.done:
        line(operation.done)
    head, (name, entries) = head_of(result), entries_of(result)
    write(head)
    is_empty = not entries and not getattr(result, name, ())
    if is_empty and operation is not None and (empty := operation.empty("cli")):
        line(empty)
    for number, each in enumerate(entries, 1):
        lines = entry_of(each)
        if len(lines) > 1 and (number > 1 or head):
            line()
        write(numbered(number, lines) if len(lines) > 1 else lines)
    rest = rest_of(result)
    if rest and operation is not None:
        narrow = operation.narrowing("cli")
        ways = f"raise --limit, or narrow it with {narrow}" if narrow else "raise --limit"
        line()
        line((f"{rest:,} more: {ways}.", "dim"))
    if operation is not None and (step := next_step(operation, result)):
        line((step, "dim"))


def _named(name: str | Operation) -> Operation:
    return name if isinstance(name, Operation) else operations()[name]


def answer(result: Any, name: str | Operation, /, *, as_json: bool) -> None:
    """Write the answer of an operation as text or as JSON."""
    if as_json:
        whole = getattr(result, "as_dict", None)
        write_json(whole() if whole else [each.as_dict() for each in result])
    else:
        show(result, operations().get(name) if isinstance(name, str) else name)


def command_of(name: str | Operation, /) -> Callable[..., int]:
    """Return the default command of an operation, which writes the answer's text.

    Its options are the operation's arguments, its help is the docstring. Exit code 1 means that a
    check failed.
    """
    operation = _named(name)

    def run(ctx: typer.Context, **given: Any) -> int:
        state = ctx.ensure_object(State)
        result = _result_of(state, operation, given)
        answer(result, operation, as_json=given["as_json"])
        if operation.work is not None:
            return ended(state, given.get("collection"), result)
        return EXIT_FAILED if getattr(result, "ok", True) is False else 0

    run.__doc__, run.__name__ = summary_of(operation.method), operation.name
    create = {"create": (CreateOption, False)} if operation.work and operation.work.fills else {}
    return signed(run, operation, create)


def asks(name: str | Operation, /, **more: tuple[Any, Any]) -> Callable[[Callable[..., None]], Any]:
    """Make a command of an operation from the function that writes its answer.

    The function gets the answer and the arguments by name, with the open collection as
    ``collection``. Its docstring is the command's help. *more* contains type and default of
    further options.
    """
    operation = _named(name)

    def command(present: Callable[..., None]) -> Any:
        def do(state: State, given: dict[str, Any]) -> None:
            present(_result_of(state, operation, given), given)

        do.__doc__ = present.__doc__
        return takes(operation, **more)(do)

    return command


def takes(
    name: str | Operation, /, **more: tuple[Any, Any]
) -> Callable[[Callable[[State, dict[str, Any]], int | None]], Any]:
    """Make a command with the options of an operation from a function that does the work.

    The function gets the state of the invocation and all options, and runs the operation itself
    with :func:`taken`. *more* contains further options.
    """
    operation = _named(name)

    def command(do: Callable[[State, dict[str, Any]], int | None]) -> Callable[..., Any]:
        def run(ctx: typer.Context, **given: Any) -> int | None:
            return do(ctx.ensure_object(State), given)

        run.__doc__, run.__name__ = do.__doc__, operation.name
        return signed(run, operation, more)

    return command


def own(kind: Any, help_: str, cli: str, default: Any = None, **bounds: Any) -> tuple[Any, Any]:
    """Return type and default of an option that no operation has, such as ``--html FILE``."""
    return Annotated[kind, option(Arg(help_, cli, **bounds))], default


def _result_of(state: State, operation: Operation, given: dict[str, Any]) -> Any:
    """Run an operation and return its answer; *given* then contains the open collection."""
    if operation.of_library:
        asked = taken(operation, given)
        if "collection" in asked and _fills(operation):
            asked["collection"] = state.collection_to_fill(asked["collection"]).info.id
        return (
            worked(state, operation, asked)
            if operation.work
            else called(operation.method, state.library, asked)
        )
    work, named, asked = (
        operation.work,
        given["collection"] or given.get("named"),
        taken(operation, given),
    )
    if work is not None and asked.get("profile") is not None:
        show_notice(state, asked["profile"])
    fills = work is not None and work.fills
    target = filled(state, operation, given) if fills else state.collection(named)
    given["collection"] = target
    return (
        worked(state, operation, asked, target) if work else called(operation.method, target, asked)
    )


def _fills(operation: Operation) -> bool:
    """Return whether the operation changes the data folder and files of one collection."""
    arguments = arguments_of(operation.method) if operation.of_library else ()
    return any(each.name == "collection" and each.is_required for each in arguments)


def filled(state: State, operation: Operation, given: Mapping[str, Any], /) -> "Collection":
    """Return the collection that documents are added to; with ``--create`` it may be new."""
    name, create = given["collection"], given["create"]
    first = next(iter(arguments_of(operation.method)))
    value = given[first.name]
    paths = value if isinstance(value, list) else [value]
    if create and name is None:
        raise UsageError(
            "--create requires the name of the collection.", hint="Add it with -c NAME."
        )
    if create and not given.get("dry_run"):
        facts = {"pipeline": given["pipeline"]} if given.get("pipeline") else {}
        return state.library.get_or_create(name, paths, **facts)
    try:
        collection = state.collection_to_fill(name)
    except CollectionNotFound as error:
        again = ["casetrack", operation.name, *paths, "--create", "-c", error.name]
        error.hint = f"To create a collection with this name: {shlex.join(again)}"
        if create:
            error.hint = (
                "A dry run does not create it: all readable files would be new. Omit --dry-run to "
                "create it and add the files."
            )
        raise
    if name is None:
        line(f"Using {collection.name}, the only collection.", err=True)
    return collection


def worked(
    state: State,
    operation: Operation,
    asked: dict[str, Any],
    target: "Collection | None" = None,
    /,
    **more: Any,
) -> Any:
    """Run the long work of an operation with a progress bar, and return its report.

    *asked* are the arguments by name; for *more* see :func:`casetrack.api.operation.called`.
    """
    from casetrack.faces.cli.progress import Meter, long_work

    work = operation.work or Work("Working", "files")
    owner = state.library if target is None else target
    do = partial(called, operation.method, owner, asked, **more)
    meter = Meter(work.doing, unit=work.unit)
    if not work.job:
        with meter:
            return do(progress=meter.step)
    return long_work(
        state,
        work.job,
        lambda progress, cancel: do(progress=progress, cancel=cancel),
        title=operation.job_title(asked, "" if target is None else target.name),
        collection=None if target is None else target.info,
        meter=meter,
    )


def stopped_text(report: Any, by: str = "Ctrl-C", /) -> str:
    """Return the message about work that Ctrl-C or another program stopped."""
    return f"Stopped by {by}: {kept_results(report)} Run the same command again to continue."


def ended(state: State, target: "Collection | None", report: Any, /) -> int:
    """Return the exit code of long work, after writing its final messages."""
    if not hasattr(report, "cancelled") or target is None:
        return EXIT_FAILED if getattr(report, "ok", True) is False else 0
    from casetrack.faces.cli.progress import keep_up

    if report.cancelled:
        state.interrupt_reported = True
        line(stopped_text(report, state.stopped_by), err=True)
        return EXIT_INTERRUPTED
    if getattr(report, "dry_run", False):
        return 0
    keep_up(target)
    if failed := failures(report):
        line(failed, err=True)
    return EXIT_FAILED if failed else 0


def taken(operation: Operation, given: Mapping[str, Any], /) -> dict[str, Any]:
    """Return the arguments of an operation among the options of a command."""
    arguments = {}
    for each in _declared(operation):
        value = given[each.name]
        # Typer makes an empty list of an option that was left out.
        empty = value == [] and each.default is None
        arguments[each.name] = None if empty else not value if each.turns_off else value
    return arguments


def _declared(operation: Operation) -> list[Argument]:
    return [each for each in arguments_of(operation.method) if each.arg.cli != "-"]


def signed(
    run: F,
    operation: Operation,
    more: Mapping[str, tuple[Any, Any]] | None = None,
    /,
    **completions: Callable[..., list[str]],
) -> F:
    """Give a command the options of an operation, and *more*: each by its type and default.

    *completions* complete the values of arguments, by name.
    """
    own = [_parameter(name, *kind) for name, kind in (more or {}).items()]
    ordered = (_of(each, completions.get(each.name)) for each in _in_order(operation, own))
    parameters = [_parameter("ctx", typer.Context), *ordered]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _parameter(name: str, kind: Any, default: Any = inspect.Parameter.empty) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=kind
    )


def _in_order(
    operation: Operation, own: list[inspect.Parameter], /
) -> list[Argument | inspect.Parameter]:
    """Return required arguments, the collection, other options, then ``--json``.

    Changes of a whole collection take its name by position.
    """
    declared = _declared(operation)
    if _fills(operation):
        declared = [each for each in declared if each.name != "collection"]
    first: list[Argument | inspect.Parameter] = [
        each for each in declared if not each.arg.options or each.is_required
    ]
    rest = [each for each in declared if each not in first]
    if operation.name.startswith("collection ") and not operation.of_library:
        if operation.hints.read_only:
            first.insert(0, _parameter("collection", AnyNameArgument, None))
            own = [*own, _parameter("named", CollectionOption, None)]
        else:
            first.insert(0, _parameter("collection", NameArgument))
    elif (_fills(operation) or not (operation.of_library or operation.alone)) and all(
        each.name != "collection" for each in own
    ):
        first.append(_parameter("collection", CollectionOption, None))
    return [*first, *rest, *own, _parameter("as_json", JsonOption, default=False)]


def _of(each: Argument | inspect.Parameter, completion: Any = None) -> inspect.Parameter:
    if isinstance(each, inspect.Parameter):
        return each
    completion = collection_names if "--collection" in each.arg.options else completion
    more = {} if completion is None else {"autocompletion": completion}
    arg, about, words = each.arg, each.help, get_args(each.type)
    if len(" ".join(map(str, words))) > _LONGEST and get_origin(each.type) is Literal:
        # So many words would be one line of the help.
        word = " WORD" if arg.options and arg.metavar is None else ""
        arg, about = replace(arg, cli=f"{arg.cli}{word}"), f"{about} One of: {', '.join(words)}."
        more |= {"show_choices": False}
    # The operation itself checks the bounds, as it does on every face.
    about += f" [{each.bounds}]" if each.bounds and not each.is_list else ""
    info = option(replace(arg, help=about, ge=None, le=None), **more)
    default = not each.default if each.turns_off else each.default
    return _parameter(each.name, Annotated[each.type, info], default)
