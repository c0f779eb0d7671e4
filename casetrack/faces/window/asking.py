"""Arguments of operations, read from the address or the form of a request."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

from casetrack.api.operation import Argument, arguments_of, called, operation_of
from casetrack.base.errors import FreeTierLimit, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from casetrack.api.operation import Operation
    from casetrack.faces.window.visit import Visit


class PartOfPro(Exception):
    """The tier of this data folder does not include an operation."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation


def given_of(visit: Visit, method: Callable[..., Any], /, **fixed: Any) -> dict[str, Any]:
    """Return the arguments in a request, and *fixed* ones; others keep their defaults."""
    values_of = visit.asked_all if visit.form is None else visit.sent_all
    given = ((each, values_of(each.name)) for each in arguments_of(method))
    arguments = {each.name: _value(visit, each, values) for each, values in given if values}
    arguments |= fixed
    for each in arguments_of(method):
        if visit.form is not None and each.is_required and each.name not in arguments:
            what = visit.texts.argument(operation_of(method), each)
            raise UsageError(str(visit.texts("ask.missing", what=what)))
    return arguments


def wanted(
    visit: Visit,
    method: Callable[..., Any],
    names: Mapping[str, str] | None = None,
    /,
    **usual: Any,
) -> dict[str, Any]:
    """Return all arguments of an operation for a page with its own view.

    Invalid values become the default; numbers are moved into their bounds.

    Parameters
    ----------
    names
        Names of arguments in the address, if they differ.
    usual
        Defaults of the page, if they differ from those of the operation.
    """
    given: dict[str, Any] = {}
    for each in arguments_of(method):
        name = (names or {}).get(each.name, each.name)
        values, value = visit.asked_all(name), usual.get(each.name, each.default)
        if get_origin(each.type) is Literal:
            value = next((v for v in values if v in get_args(each.type)), value)
        elif type(value) is int:
            high = each.arg.le or operation_of(method).most
            low = int(each.arg.ge or 1)
            value = visit.asked_number(name, value, low=low, high=int(high or 10**9))
        elif values:
            value = _value(visit, each, values)
        given[each.name] = "" if each.is_required and not values else value
    return given


def answered(
    visit: Visit, method: Callable[..., Any], given: dict[str, Any], /, **others: Any
) -> Any:
    """Run an operation; errors use the argument names of the window.

    Raises ``PartOfPro`` if the tier does not include it.
    """
    asked = operation_of(method)
    owner = visit.library if asked.of_library else visit.collection
    try:
        return called(method, owner, given, name=partial(visit.texts.argument, asked), **others)
    except FreeTierLimit as error:
        if not asked.feature:
            raise
        raise PartOfPro(asked) from error


def _value(visit: Visit, each: Argument, values: list[str]) -> Any:
    kinds = [kind for kind in (get_args(each.type) or (each.type,)) if isinstance(kind, type)]
    if each.is_list:
        return [line.strip() for value in values for line in value.split("\n") if line.strip()]
    value = values[-1].strip()
    if bool in kinds:
        return (value == "1") is not each.turns_off
    for kind in (int, float):
        if kind in kinds:
            try:
                return kind(value)
            except ValueError:
                raise UsageError(visit.texts("ask.no_number", value=value).striptags()) from None
    return value
