"""What is wrong with a statement, in our words: what, where, and what was probably meant."""

from __future__ import annotations

import difflib
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from casetrack.base.errors import QueryError, See
from casetrack.base.sql.catalog import VIEWS, catalog
from casetrack.store.sql.connection import quoted
from casetrack.store.sql.guard import (
    NO_CONVERSION,
    NO_EXPRESSION,
    calls_of,
    excerpt,
    line_and_column,
    name_within,
    span_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import duckdb

    from casetrack.base.sql.catalog import Function, View
    from casetrack.store.sql.guard import Span, Statement

# What was probably meant by a name that is unknown.

_MOST_OFFERED = 3
_SHORTEST_BEGINNING = 3
"""Characters from which the beginning of a name says something."""
_LONGEST_NAME = 100
"""Characters up to which a name may be a misspelt one."""


def tables_in(statement: str, /) -> list[View | Function]:
    """Return all that a statement names and that gives rows."""
    words = set(re.findall(r"\w+", statement.lower()))
    return [table for table in catalog().tables if table.name in words]


def columns_in(statement: str, /) -> list[str]:
    """Return the columns of all that a statement names."""
    return [c.name for table in tables_in(statement) for c in table.columns]


def near(name: str, known: Iterable[str], /) -> list[str]:
    """Return up to three known names that a name may stand for, the likeliest first.

    Those that have it as a word of theirs, as ``document_id`` has ``id`` and ``page_count`` has
    ``pages``; without any those that look like it, and then those that it begins.
    """
    if len(name) > _LONGEST_NAME:
        return []
    wanted = name.lower()
    by_name = {k.lower(): k for k in known if k and not k.startswith("_")}
    by_name.pop(wanted, None)
    if holding := _with_word(wanted, by_name):
        return [by_name[k] for k in holding[:_MOST_OFFERED]]
    close = difflib.get_close_matches(wanted, by_name, n=_MOST_OFFERED, cutoff=0.6)
    likeness = [difflib.SequenceMatcher(None, wanted, k).ratio() for k in close]
    alike = [by_name[k] for k, r in zip(close, likeness, strict=True) if r >= likeness[0] - 0.1]
    if alike or len(wanted) < _SHORTEST_BEGINNING:
        return alike
    return [by_name[k] for k in by_name if k.startswith(wanted)][:_MOST_OFFERED]


def _with_word(wanted: str, names: Iterable[str]) -> list[str]:
    """Return the names that have a word, or its singular, as their first or last part."""
    one = _singular(wanted)
    # Who writes ``pages`` for a number most often means how many there are.
    tests: tuple[Callable[[str], bool], ...] = (
        lambda k: k in (one, f"{one}_count"),
        lambda k: k.endswith(f"_{wanted}"),
        lambda k: len(one) >= _SHORTEST_BEGINNING and k.startswith((f"{wanted}_", f"{one}_")),
    )
    names = list(names)
    return list(dict.fromkeys(k for test in tests for k in names if test(k)))


def _singular(word: str) -> str:
    """Return an English plural in the singular, and every other word as it is."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def did_you_mean(names: Iterable[str], /) -> str:
    """Return the question that offers names; empty without any."""
    *others, last = list(names) or [""]
    listed = f"{', '.join(others)} or {last}" if others else last
    return f" Did you mean {listed}?" if listed else ""


_HINT = f"Views: {', '.join(VIEWS)}. {See('schema')} lists their columns."
_SCHEMA = f"{See('schema')} lists what a statement can name, with columns and examples."
_LONGEST_VALUE = 60


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


@dataclass(frozen=True, slots=True)
class _Mistake:
    """What DuckDB says in words that we know.

    Attributes
    ----------
    found
        The match of their pattern.
    span
        Where it is in the statement as it was given: first character, and the one after the last.
    """

    found: re.Match[str]
    said: _Said
    place: Place
    span: Span | None

    @property
    def pointed_at(self) -> str:
        """The part of the statement that DuckDB points at."""
        return self.given[slice(*self.span)] if self.span else ""

    @property
    def given(self) -> str:
        """The statement as it was given."""
        return self.place.statement.given


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
    span = span_of(said.message, said.where, place.statement)
    for pattern, explain in _PATTERNS:
        if found := re.search(pattern, said.message):
            told = explain(_Mistake(found, said, place, span))
            break
    else:
        told = _Told(said.message, _SCHEMA)
    given = place.statement.given
    shown = told.span or span
    return QueryError(
        f"SQL error{line_and_column(given, shown)}: {told.what}{excerpt(given, shown)}",
        hint=told.hint,
    )


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


# --- what ----------------------------------------------------------------------------------


class _Told(NamedTuple):
    """What to say, the next step, and the place where it is not the one that DuckDB names."""

    what: str
    hint: str
    span: Span | None = None


def _no_table(mistake: _Mistake) -> _Told:
    name = mistake.found[1].rpartition(".")[2]
    function = catalog().function(name)
    if function is not None and function.kind == "table":
        return _Told(
            f"{name} is a function, and stands here without its arguments.",
            f"Call it: FROM {function.signature}",
        )
    if len(mistake.place.schemas) > 1 and name.lower() in VIEWS:
        return _which_collection(name, mistake.place)
    meant = near(name, [t.name for t in catalog().tables])
    return _Told(f'there is no view "{name}".{did_you_mean(meant)}', _HINT)


def _no_schema(mistake: _Mistake) -> _Told:
    name = mistake.found[1]
    if not mistake.place.schemas:
        return _Told(
            f'"{name}" is no schema: this statement asks one collection.',
            f'Leave out "{name}" and the dot. Or ask several collections at once: '
            f"{See('query', '-c A -c B')}.",
        )
    meant = near(name, mistake.place.schemas)
    return _Told(
        f'"{name}" is none of the collections asked.{did_you_mean(map(quoted, meant))}',
        f"They are: {', '.join(map(quoted, mistake.place.schemas))}.",
    )


def _no_function(mistake: _Mistake) -> _Told:
    kind, name = mistake.found[1], mistake.found[2].rpartition(".")[2]
    ours = catalog().function(name)
    if len(mistake.place.schemas) > 1 and ours is not None:
        return _which_collection(name, mistake.place)
    if ours is not None and ours.kind == "table" and kind != "Table Function":
        return _gives_rows(ours.signature)
    if ours is not None and ours.kind == "scalar":
        return _Told(
            f"{name}() gives a value, not rows.", f"Write it after SELECT: {ours.signature}"
        )
    wanted = "table" if kind == "Table Function" else "scalar"
    offered = mistake.said.details.get("candidates", "").split(",")
    names = [f.name for f in catalog().functions]
    meant = near(name, [*names, *(c.strip() for c in offered)])
    signatures = ", ".join(f.signature for f in catalog().functions if f.kind == wanted)
    return _Told(
        f'there is no function "{name}".{did_you_mean(meant)}',
        f"Besides those of DuckDB there are: {signatures}. {See('schema')} says what they give.",
    )


def _which_collection(name: str, place: Place) -> _Told:
    prefixed = " or ".join(f"{quoted(schema)}.{name}" for schema in place.schemas[:3])
    return _Told(
        f'"{name}" stands in each of the {len(place.schemas)} collections asked.',
        f"Say which one is meant: {prefixed}.",
    )


def _no_column(mistake: _Mistake) -> _Told:
    name = mistake.found[1]
    offered = [
        part.strip().strip('"').rpartition(".")[2].strip('"')
        for part in mistake.said.details.get("candidates", "").split(",")
    ]
    span = name_within(name, mistake.given, mistake.span)
    start, end = span or (0, 0)
    # The name itself may be that of a view, which is not asked for that.
    elsewhere = mistake.given[:start] + mistake.given[end:]
    meant = near(name, [*offered, *columns_in(elsewhere)])
    return _Told(
        f'there is no column "{name}" here.{did_you_mean(meant)}',
        f"{_instead_of_column(name, meant, mistake)}{See('schema')} lists the columns of every "
        "view.",
        span,
    )


def _instead_of_column(name: str, meant: list[str], mistake: _Mistake) -> str:
    """Return what to write for a name that is no column; empty where the near names say it."""
    holders = [t.name for t in catalog().tables if name.lower() in {c.name for c in t.columns}]
    if holders:
        return f"{name} is a column of {', '.join(holders)}. "
    if not meant and (mistake.pointed_at.startswith('"') or "(" in mistake.pointed_at):
        text = name.replace("'", "''")
        return f"If it is a text, write it in single quotation marks: '{text}'. "
    asked = tables_in(mistake.given)
    if not meant and len(asked) == 1:
        return f"{asked[0].name} has {', '.join(c.name for c in asked[0].columns)}. "
    return ""


def _no_such_table_here(mistake: _Mistake) -> _Told:
    name = mistake.found[1]
    function = catalog().function(name)
    if function is not None:
        return _Told(
            f'nothing here is named "{name}": the rows of a function have no name of their own.',
            f"Give them one: FROM {function.signature} AS {name[0]}",
        )
    here = re.findall(r'"(.+?)"', mistake.said.message.partition("Candidate tables:")[2])
    hint = f"After FROM stands: {', '.join(here)}." if here else _SCHEMA
    if name.lower() in VIEWS:
        hint = f"Name it after FROM: FROM {name}, ..."
    return _Told(f'nothing here is named "{name}".', hint)


def _ambiguous(mistake: _Mistake) -> _Told:
    name, places = mistake.found[1], mistake.found[2].replace("'", "")
    return _Told(
        f'"{name}" is a column of more than one table here.', f"Say which one is meant: {places}."
    )


def _wrong_arguments(mistake: _Mistake) -> _Told:
    function = catalog().function(mistake.found[1])
    if function is None:
        return _Told(mistake.said.message, _SCHEMA)
    known = [p.name for p in function.parameters]
    calls = [mistake.span] if mistake.span else calls_of(function.name, mistake.given)
    for span in calls:
        for name in re.findall(r"(\w+)\s*(?:=>|:=)", mistake.given[slice(*span)]):
            if name.lower() not in known:
                return _no_argument(function, name, name_within(name, mistake.given, span))
    return _Told(
        f"{function.name}() does not take these arguments.",
        _called(function),
        calls[0] if len(calls) == 1 else None,
    )


def _no_argument(function: Function, name: str, span: Span | None) -> _Told:
    meant = near(name, [p.name for p in function.parameters])
    what = f'{function.name}() has no argument "{name}".{did_you_mean(meant)}'
    return _Told(what, _called(function), span)


def _called(function: Function) -> str:
    hint = f"It is called like this: {function.signature}."
    if any(p.default is not None for p in function.parameters):
        hint += " Arguments with := may be left out, or given by name with =>."
    return f"{hint} {See('schema')} says what they mean."


def _rows_not_value(mistake: _Mistake) -> _Told:
    function = catalog().function(mistake.found[1])
    return _gives_rows(function.signature if function else f"{mistake.found[1]}()")


def _gives_rows(signature: str) -> _Told:
    name = signature.partition("(")[0]
    return _Told(f"{name}() gives rows, not a value.", f"Write it after FROM: {signature}")


_KINDS = {
    "INT32": "a whole number",
    "INT64": "a whole number",
    "DOUBLE": "a number, without commas or units",
    "BOOL": "true or false",
    "DATE": "a day such as '2024-10-31'",
    "TIMESTAMP": "a time such as '2024-10-31 12:00'",
}


def _no_cast(mistake: _Mistake) -> _Told:
    what, hint = mistake.said.message, "TRY_CAST(value AS type) gives NULL where it does not fit."
    if found := NO_CONVERSION.search(what):
        value, kind = found.groups()
        if kind in _KINDS and f"'{value}'" in mistake.pointed_at:
            hint = f"What is wanted here is {_KINDS[kind]}. {hint}"
        elif len(value) > _LONGEST_VALUE:
            what = what.replace(value, f"{value[:_LONGEST_VALUE]}...")
    return _Told(what, hint)


def _no_expression(mistake: _Mistake) -> _Told:
    return _Told(
        f"a regular expression is not right: {mistake.said.message}.",
        "( ) [ ] { } . * + ? and | have a meaning there; with a backslash before them they stand "
        "for themselves. contains(text, '...') looks for plain text.",
    )


def _syntax(mistake: _Mistake) -> _Told:
    start, end = mistake.span or (0, 0)
    before, after = mistake.given[:start], mistake.given[end:]
    ours = "|".join(f.name for f in catalog().functions)
    called = re.findall(rf"\b({ours})\s*\(", before, re.IGNORECASE)
    if called and re.match(r"\s*(=>|:=)", after):
        function = catalog().function(called[-1])
        if function is not None:
            return _no_argument(function, mistake.pointed_at, mistake.span)
    if re.search(r"\d$", before) and re.match(r",\d{3}\b", mistake.given[start:]):
        return _Told(mistake.said.message, "Numbers stand without commas: 1000000.")
    return _Told(
        mistake.said.message,
        "Look at the mark and just before it. A text stands in single quotation marks, a name "
        "with blanks in double ones; a comma separates columns; JOIN needs ON or USING.",
    )


def _advised(mistake: _Mistake) -> _Told:
    hint = next(hint for start, hint in _ADVICE.items() if start in mistake.found[0])
    return _Told(mistake.said.message.splitlines()[0], hint)


_ADVICE = {
    "can't be cast to the destination type": (
        "A list stands in brackets, also of a single value: ['a']."
    ),
    "No function matches the given name and argument types": (
        "Another type of a value is written with two colons: first_day::DATE, page::VARCHAR."
    ),
    "must appear in the GROUP BY clause": (
        "Write GROUP BY ALL after the tables and the filter: one row for each different value."
    ),
    "More than one row returned by a subquery": (
        "It stands for one value: give it an ORDER BY and LIMIT 1, put its rows together with "
        "list(...), or move it to FROM and join it."
    ),
    "unterminated": (
        "A quotation mark within a text is written twice: 'the tenant''s notice'. A name ends with "
        "the double one that it begins with."
    ),
    "Subquery returns": "Name the one to compare, such as IN (SELECT chunk_id FROM ...).",
    "clause without selection list": "Say what to show, such as SELECT name FROM documents.",
    "k must be 1 or more": "Write it by its name, such as k => 5.",
}
"""The next step where the first line of what DuckDB says is clear enough."""
_PATTERNS: tuple[tuple[str, Callable[[_Mistake], _Told]], ...] = (
    (r'because schema "(.+?)" does not exist', _no_schema),
    (r"Table with name (\S+) does not exist", _no_table),
    (r"((?:Table |Scalar |Aggregate )?Function) with name (\S+) does not exist", _no_function),
    (r'Referenced column "(.+?)" (?:not found|was not found)', _no_column),
    (r'does not have a column named "(.+?)"', _no_column),
    (r'Ambiguous reference to column name "(.+?)" \(use: (.+)\)', _ambiguous),
    (r'Macro "?(\w+)"?\(\) does not support the supplied arguments', _wrong_arguments),
    (r'Function "(\w+)" is a table function but it was used as a scalar function', _rows_not_value),
    (r'Referenced table "(.+?)" not found', _no_such_table_here),
    (NO_EXPRESSION, _no_expression),
    (r"syntax error at", _syntax),
    ("|".join(map(re.escape, _ADVICE)), _advised),
    (r"Could not convert|out of range", _no_cast),
)
