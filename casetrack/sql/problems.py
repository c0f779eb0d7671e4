"""What is wrong with a statement, in our words: what, where, and what was probably meant."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.errors import QueryError
from casetrack.sql.catalog import catalog
from casetrack.sql.connection import MEMORY_LIMIT, quoted
from casetrack.sql.views import VIEWS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import duckdb

    from casetrack.sql.guard import Statement

_HINT = f"Views: {', '.join(VIEWS)}. `casetrack schema` lists their columns."
_WIDEST = 100


@dataclass(frozen=True, slots=True)
class Place:
    """What a mistake was made in.

    Attributes
    ----------
    statement
        The statement.
    schemas
        The collections that it may read, where they are schemas.
    """

    statement: Statement
    schemas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """What DuckDB says of a mistake; fields that it leaves out are empty."""

    message: str
    details: dict[str, str]

    @property
    def where(self) -> tuple[int, int] | None:
        """Place in the statement and length, in bytes."""
        found = re.fullmatch(r"\[(\d+),(\d+)\]", self.details.get("location", ""))
        return (int(found[1]), int(found[2])) if found else None


def explain_error(error: duckdb.Error, place: Place, /) -> QueryError:
    """Return the error to show for one of DuckDB's.

    Parameters
    ----------
    error
        What DuckDB raised, with ``errors_as_json`` in force.
    place
        What was asked.
    """
    import duckdb

    said = _said(error)
    if isinstance(error, duckdb.PermissionException) or "disabled" in said.message:
        return QueryError(
            "This statement reaches outside the collection, which is not allowed: "
            + said.message.splitlines()[0],
            hint="A query reads the views of its collection, and nothing else: "
            "no files, no network, no extensions.",
        )
    if isinstance(error, duckdb.OutOfMemoryException):
        return QueryError(
            f"The query needs more than {MEMORY_LIMIT} of memory.",
            hint="Ask for less: fewer columns, an earlier filter, or a LIMIT.",
        )
    what, hint = _in_our_words(said, place)
    return QueryError(f"SQL error{_line_and_column(said, place)}: {what}", hint=hint)


def _said(error: duckdb.Error) -> _Said:
    text = str(error).strip()
    brace = text.find("{")
    if brace >= 0:
        try:
            details: dict[str, Any] = json.loads(text[brace:])
        except ValueError:
            details = {"exception_message": text}  # it only holds a brace
        message = str(details.pop("exception_message", text)).strip()
        return _Said(message, {name: str(value) for name, value in details.items()})
    return _Said(re.sub(r"^(?:[A-Z]\w+ )+Error: ", "", text), {})


# --- where ---------------------------------------------------------------------------------


def _line_and_column(said: _Said, place: Place) -> str:
    if said.where is None:
        return ""
    before = place.statement.given[: place.statement.position(said.where[0])]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return f" in line {line}, column {column}"


def _excerpt(said: _Said, place: Place) -> str:
    """Return the line of the mistake with a mark below it, on lines of their own."""
    if said.where is None:
        return ""
    given = place.statement.given
    start = place.statement.position(said.where[0])
    end = max(start + 1, place.statement.position(sum(said.where)))
    low = given.rfind("\n", 0, start) + 1
    high = given.find("\n", start)
    line = given[low : high if high >= 0 else len(given)]
    cut = max(0, start - low - _WIDEST // 2)
    shown = line[cut : cut + _WIDEST].replace("\t", " ")
    at = start - low - cut
    return f"\n\n    {shown}\n    {' ' * at}{'^' * max(1, min(end - start, len(shown) - at))}"


# --- what ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Mistake:
    """What DuckDB says in words that we know: *found* is the match of their pattern."""

    found: re.Match[str]
    said: _Said
    place: Place


def _in_our_words(said: _Said, place: Place) -> tuple[str, str]:
    for pattern, explain in _PATTERNS:
        found = re.search(pattern, said.message)
        if found:
            what, hint = explain(_Mistake(found, said, place))
            return what + _excerpt(said, place), hint
    return said.message + _excerpt(said, place), _HINT


def _no_table(mistake: _Mistake) -> tuple[str, str]:
    name = mistake.found[1].rpartition(".")[2]
    function = catalog().function(name)
    if function is not None and function.kind == "table":
        return (
            f"{name} is a function, and stands here without its arguments.",
            f"Call it: FROM {function.signature}",
        )
    if len(mistake.place.schemas) > 1 and name.lower() in VIEWS:
        return _which_collection(name, mistake.place)
    meant = _near(name, [t.name for t in catalog().tables])
    return f'there is no view "{name}".{_did_you_mean(meant)}', _HINT


def _no_schema(mistake: _Mistake) -> tuple[str, str]:
    name = mistake.found[1]
    if not mistake.place.schemas:
        return (
            f'"{name}" is no schema: this statement asks one collection.',
            (
                f'Leave out "{name}" and the dot, or ask several collections at once: '
                "`casetrack query -c A -c B`, in Python Library.sql(..., collections=(...))."
            ),
        )
    meant = _near(name, mistake.place.schemas)
    return (
        f'"{name}" is none of the collections asked.{_did_you_mean(map(quoted, meant))}',
        f"They are: {', '.join(map(quoted, mistake.place.schemas))}.",
    )


def _no_function(mistake: _Mistake) -> tuple[str, str]:
    kind, name = mistake.found[1], mistake.found[2].rpartition(".")[2]
    ours = catalog().function(name)
    if len(mistake.place.schemas) > 1 and ours is not None:
        return _which_collection(name, mistake.place)
    if ours is not None and ours.kind == "table" and kind != "Table Function":
        return f"{name}() gives rows, not a value.", f"Write it after FROM: {ours.signature}"
    if ours is not None and ours.kind == "scalar":
        return f"{name}() gives a value, not rows.", f"Write it after SELECT: {ours.signature}"
    wanted = "table" if kind == "Table Function" else "scalar"
    offered = mistake.said.details.get("candidates", "").split(",")
    names = [f.name for f in catalog().functions]
    meant = _near(name, [*names, *(c.strip() for c in offered)])
    signatures = ", ".join(f.signature for f in catalog().functions if f.kind == wanted)
    return (
        f'there is no function "{name}".{_did_you_mean(meant)}',
        f"Besides those of DuckDB there are: {signatures}. `casetrack schema` says what they give.",
    )


def _which_collection(name: str, place: Place) -> tuple[str, str]:
    prefixed = " or ".join(f"{quoted(schema)}.{name}" for schema in place.schemas[:3])
    return (
        f'"{name}" stands in each of the {len(place.schemas)} collections asked.',
        f"Say which one is meant: {prefixed}.",
    )


def _no_column(mistake: _Mistake) -> tuple[str, str]:
    name = mistake.found[1]
    offered = [
        part.strip().strip('"').rpartition(".")[2].strip('"')
        for part in mistake.said.details.get("candidates", "").split(",")
    ]
    meant = _near(name, [*offered, *_columns_in(mistake.place.statement.given)])
    holders = [t.name for t in catalog().tables if name.lower() in {c.name for c in t.columns}]
    elsewhere = f"{name} is a column of {', '.join(holders)}. " if holders else ""
    return (
        f'there is no column "{name}" here.{_did_you_mean(meant)}',
        f"{elsewhere}`casetrack schema` lists the columns of every view.",
    )


def _no_such_table_here(mistake: _Mistake) -> tuple[str, str]:
    name = mistake.found[1]
    function = catalog().function(name)
    if function is not None:
        return (
            f'nothing here is named "{name}": the rows of a function have no name of their own.',
            f"Give them one: FROM {function.signature} AS {name[0]}",
        )
    return mistake.said.message, _HINT


def _wrong_arguments(mistake: _Mistake) -> tuple[str, str]:
    function = catalog().function(mistake.found[1])
    if function is None:
        return mistake.said.message, _HINT
    return (
        f"{function.name}() does not take these arguments.",
        (
            f"It is called like this: {function.signature}. Arguments with := may be left out, or "
            "given by name with =>. `casetrack schema` says what they mean."
        ),
    )


def _rows_not_value(mistake: _Mistake) -> tuple[str, str]:
    function = catalog().function(mistake.found[1])
    called = f": {function.signature}" if function is not None else "."
    return f"{mistake.found[1]}() gives rows, not a value.", f"Write it after FROM{called}"


def _no_cast(mistake: _Mistake) -> tuple[str, str]:
    return mistake.said.message, "TRY_CAST(value AS type) gives NULL where a value does not fit."


_PATTERNS: tuple[
    tuple[str, Callable[[_Mistake], tuple[str, str]]],
    ...,
] = (
    (r'because schema "(.+?)" does not exist', _no_schema),
    (r"Table with name (\S+) does not exist", _no_table),
    (r"((?:Table |Scalar |Aggregate )?Function) with name (\S+) does not exist", _no_function),
    (r'Referenced column "(.+?)" (?:not found|was not found)', _no_column),
    (r'does not have a column named "(.+?)"', _no_column),
    (r'Macro "?(\w+)"?\(\) does not support the supplied arguments', _wrong_arguments),
    (r'Function "(\w+)" is a table function but it was used as a scalar function', _rows_not_value),
    (r'Referenced table "(.+?)" not found', _no_such_table_here),
    (r"Could not convert|out of range", _no_cast),
)


# --- what was meant ------------------------------------------------------------------------


def _columns_in(statement: str) -> list[str]:
    """Return the columns of all that a statement names."""
    words = set(re.findall(r"\w+", statement.lower()))
    return [c.name for table in catalog().tables if table.name in words for c in table.columns]


_LONGEST_NAME = 100
"""Characters up to which a name may be a misspelt one."""


def _near(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that look like a name, or end in it, as ``document_id`` in ``id``."""
    if len(name) > _LONGEST_NAME:
        return []
    wanted = name.lower()
    by_name = {k.lower(): k for k in known if k and not k.startswith("_")}
    by_name.pop(wanted, None)
    if ending := [k for k in by_name if k.endswith(f"_{wanted}")]:
        return [by_name[k] for k in ending[:3]]
    close = difflib.get_close_matches(wanted, by_name, n=3, cutoff=0.6)
    likeness = [difflib.SequenceMatcher(None, wanted, k).ratio() for k in close]
    return [by_name[k] for k, r in zip(close, likeness, strict=True) if r >= likeness[0] - 0.1]


def _did_you_mean(names: Iterable[str]) -> str:
    listed = " or ".join(names)
    return f" Did you mean {listed}?" if listed else ""
