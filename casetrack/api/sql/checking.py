"""Looks at a statement that is to be saved: whether it could run, without running it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.api.sql.parameters import values_for
from casetrack.api.sql.saved import read_head
from casetrack.base.errors import QueryError
from casetrack.base.sql.statements import all_of, first_word, parameters
from casetrack.store.sql.guard import is_certain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Run = Callable[[str, Mapping[str, Any]], object]


def check(run: Run, text: str, given: Mapping[str, str], /) -> tuple[str, ...]:
    """Plan the statements of a text, which looks up all that they name.

    Parameters without a value are left empty. What is wrong with a statement only for that is no
    reason to refuse it.

    Parameters
    ----------
    run
        Runs a statement with values of its parameters, and raises :class:`QueryError`.
    text
        Statements, with or without a head.
    given
        Values of parameters as typed, by name.

    Returns
    -------
    tuple of str
        What could not be looked at, a sentence each.

    Raises
    ------
    QueryError
        A statement cannot run.
    UsageError
        Its head is not understood, or a value does not fit.
    """
    notes = []
    _, declared = read_head(text, "the statement")
    known = {p.name for p in declared if p.default is not None} | given.keys()
    for statement in all_of(text):
        empty = [name for name in parameters(statement) if name not in known]
        values = values_for(statement, {**given, **dict.fromkeys(empty, "null")}, declared)
        try:
            _plan(run, statement, values)
        except QueryError as error:
            if not empty or is_certain(error):
                raise
            listed = ", ".join(f"${name}" for name in empty)
            notes.append(
                f"It could not be checked to its end without a value for {listed}: "
                f"{error.message.splitlines()[0]}"
            )
    return tuple(notes)


def _plan(run: Run, statement: str, values: Mapping[str, Any]) -> None:
    if first_word(statement) != "explain":
        try:
            run(f"EXPLAIN {statement}", values)
        except QueryError:
            # Asked for by itself it fails in the same way before anything runs, and tells the place
            # in the statement as it was written. Some that can run cannot be explained.
            pass
        else:
            return
    run(statement, values)
