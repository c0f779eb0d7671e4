"""Explanations of SQL errors: the mistake, its position, and the probable intention."""

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

# Suggestions for an unknown name.

_MOST_OFFERED = 3
_SHORTEST_BEGINNING = 3
"""Minimum length of a meaningful name prefix."""
_LONGEST_NAME = 100
"""Maximum length of a name that may be misspelt."""


def tables_in(statement: str, /) -> list[View | Function]:
    """Return the views and table functions that a statement names."""
    words = set(re.findall(r"\w+", statement.lower()))
    return [table for table in catalog().tables if table.name in words]


def columns_in(statement: str, /) -> list[str]:
    """Return the columns of all views and table functions that a statement names."""
    return [c.name for table in tables_in(statement) for c in table.columns]


def near(name: str, known: Iterable[str], /) -> list[str]:
    """Return up to three known names that resemble a name, the likeliest first.

    First those that contain it as a word, as ``document_id`` has ``id`` and ``page_count`` has
    ``pages``; otherwise those with similar spelling, and then those that it is a prefix of.
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
    """Return the names whose first or last word is *wanted* or its singular."""
    one = _singular(wanted)
    # A user who writes ``pages`` for a number most often means their count.
    tests: tuple[Callable[[str], bool], ...] = (
        lambda k: k in (one, f"{one}_count"),
        lambda k: k.endswith(f"_{wanted}"),
        lambda k: len(one) >= _SHORTEST_BEGINNING and k.startswith((f"{wanted}_", f"{one}_")),
    )
    names = list(names)
    return list(dict.fromkeys(k for test in tests for k in names if test(k)))


def _singular(word: str) -> str:
    """Return the singular of an English plural, and any other word unchanged."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def did_you_mean(names: Iterable[str], /) -> str:
    """Return a question that suggests names; empty without any."""
    *others, last = list(names) or [""]
    listed = f"{', '.join(others)} or {last}" if others else last
    return f" Did you mean {listed}?" if listed else ""


_HINT = f"Views: {', '.join(VIEWS)}. DESCRIBE with a view's name lists its columns."
_SCHEMA = f"{See('schema')} lists the available names, with columns and examples."
_LONGEST_VALUE = 60


@dataclass(frozen=True, slots=True)
class Place:
    """The context of a mistake: the statement, and the readable collections if they are schemas."""

    statement: Statement
    schemas: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Report:
    """DuckDB's description of a mistake; missing fields are empty."""

    message: str
    details: dict[str, str]

    @property
    def where(self) -> tuple[int, int] | None:
        """Position in the statement and length, in bytes."""
        match = re.fullmatch(r"\[(\d+),(\d+)\]", self.details.get("location", ""))
        return (int(match[1]), int(match[2])) if match else None


@dataclass(frozen=True, slots=True)
class _Mistake:
    """A mistake with the match of its pattern and its span in the original statement."""

    match: re.Match[str]
    report: _Report
    place: Place
    span: Span | None

    @property
    def pointed_at(self) -> str:
        """The part of the statement at DuckDB's position."""
        return self.given[slice(*self.span)] if self.span else ""

    @property
    def given(self) -> str:
        """The original statement."""
        return self.place.statement.given


def explain_error(error: duckdb.Error, place: Place, /) -> QueryError:
    """Return our error for one of DuckDB's, raised with ``errors_as_json``."""
    import duckdb

    report = _parsed(error)
    if isinstance(error, duckdb.PermissionException) or "disabled" in report.message:
        return QueryError(
            "This statement accesses data outside the collection, which is not allowed: "
            + report.message.splitlines()[0],
            hint="A query can read only the views of its collection: no files, no network, no "
            "extensions.",
        )
    span = span_of(report.message, report.where, place.statement)
    for pattern, explain in _PATTERNS:
        if match := re.search(pattern, report.message):
            explanation = explain(_Mistake(match, report, place, span))
            break
    else:
        explanation = _Help(report.message, _SCHEMA)
    given = place.statement.given
    shown = explanation.span or span
    return QueryError(
        f"SQL error{line_and_column(given, shown)}: {explanation.what}{excerpt(given, shown)}",
        hint=explanation.hint,
    )


def _parsed(error: duckdb.Error) -> _Report:
    text = str(error).strip()
    brace = text.find("{")
    if brace >= 0:
        try:
            details: dict[str, Any] = json.loads(text[brace:])
        except ValueError:
            details = {"exception_message": text}  # it only contains a brace
        message = str(details.pop("exception_message", text)).strip()
        return _Report(message, {name: str(value) for name, value in details.items()})
    return _Report(re.sub(r"^(?:[A-Z]\w+ )+Error: ", "", text), {})


# --- explanations --------------------------------------------------------------------------


class _Help(NamedTuple):
    """An explanation, the next step, and a position if it differs from DuckDB's."""

    what: str
    hint: str
    span: Span | None = None


def _no_table(mistake: _Mistake) -> _Help:
    name = mistake.match[1].rpartition(".")[2]
    function = catalog().function(name)
    if function is not None and function.kind == "table":
        return _Help(
            f"{name} is a function that needs arguments.", f"Call it: FROM {function.signature}"
        )
    if len(mistake.place.schemas) > 1 and name.lower() in VIEWS:
        return _which_collection(name, mistake.place)
    meant = near(name, [t.name for t in catalog().tables])
    return _Help(f'there is no view "{name}".{did_you_mean(meant)}', _HINT)


def _no_schema(mistake: _Mistake) -> _Help:
    name = mistake.match[1]
    if not mistake.place.schemas:
        return _Help(
            f'"{name}" is not a schema: this statement queries one collection.',
            f'Remove "{name}" and the dot. Or query several collections at once: '
            f"{See('query', '-c A -c B')}.",
        )
    meant = near(name, mistake.place.schemas)
    return _Help(
        f'"{name}" is not one of the queried collections.{did_you_mean(map(quoted, meant))}',
        f"They are: {', '.join(map(quoted, mistake.place.schemas))}.",
    )


def _no_function(mistake: _Mistake) -> _Help:
    kind, name = mistake.match[1], mistake.match[2].rpartition(".")[2]
    ours = catalog().function(name)
    if len(mistake.place.schemas) > 1 and ours is not None:
        return _which_collection(name, mistake.place)
    if ours is not None and ours.kind == "table" and kind != "Table Function":
        return _gives_rows(ours.signature)
    if ours is not None and ours.kind == "scalar":
        return _Help(
            f"{name}() returns a value, not rows.", f"Write it after SELECT: {ours.signature}"
        )
    wanted = "table" if kind == "Table Function" else "scalar"
    offered = mistake.report.details.get("candidates", "").split(",")
    names = [f.name for f in catalog().functions]
    meant = near(name, [*names, *(c.strip() for c in offered)])
    signatures = ", ".join(f.signature for f in catalog().functions if f.kind == wanted)
    return _Help(
        f'there is no function "{name}".{did_you_mean(meant)}',
        f"In addition to DuckDB's functions: {signatures}. {See('schema')} describes them.",
    )


def _which_collection(name: str, place: Place) -> _Help:
    prefixed = " or ".join(f"{quoted(schema)}.{name}" for schema in place.schemas[:3])
    return _Help(
        f'"{name}" exists in each of the {len(place.schemas)} queried collections.',
        f"Name the one you mean: {prefixed}.",
    )


def _no_column(mistake: _Mistake) -> _Help:
    name = mistake.match[1]
    offered = [
        part.strip().strip('"').rpartition(".")[2].strip('"')
        for part in mistake.report.details.get("candidates", "").split(",")
    ]
    span = name_within(name, mistake.given, mistake.span)
    start, end = span or (0, 0)
    # The name itself may be that of a view that the statement does not use.
    elsewhere = mistake.given[:start] + mistake.given[end:]
    meant = near(name, [*offered, *columns_in(elsewhere)])
    return _Help(
        f'there is no column "{name}".{did_you_mean(meant)}',
        _instead_of_column(name, meant, mistake),
        span,
    )


def _instead_of_column(name: str, meant: list[str], mistake: _Mistake) -> str:
    """Return the correction for a name that is not a column, and the existing columns."""
    holders = [t.name for t in catalog().tables if name.lower() in {c.name for c in t.columns}]
    first = f"{name} is a column of {', '.join(holders)}. " if holders else ""
    if not meant and not holders and (mistake.pointed_at[:1] == '"' or "(" in mistake.pointed_at):
        text = name.replace("'", "''")
        first = f"If it is a text, write it in single quotation marks: '{text}'. "
    asked = tables_in(mistake.given)[:_MOST_OFFERED]
    lists = (f"{t.name} has {', '.join(c.name for c in t.columns)}." for t in asked)
    return first + (" ".join(lists) or f"{See('schema')} lists the columns of every view.")


def _no_such_table_here(mistake: _Mistake) -> _Help:
    name = mistake.match[1]
    function = catalog().function(name)
    if function is not None:
        return _Help(
            f'there is no table "{name}": the rows of a function have no name by default.',
            f"Add a name: FROM {function.signature} AS {name[0]}",
        )
    tables = re.findall(r'"(.+?)"', mistake.report.message.partition("Candidate tables:")[2])
    hint = f"Tables after FROM: {', '.join(tables)}." if tables else _SCHEMA
    if name.lower() in VIEWS:
        hint = f"Name it after FROM: FROM {name}, ..."
    return _Help(f'there is no table "{name}".', hint)


def _ambiguous(mistake: _Mistake) -> _Help:
    name, places = mistake.match[1], mistake.match[2].replace("'", "")
    return _Help(f'"{name}" is a column of several tables.', f"Name the one you mean: {places}.")


def _wrong_arguments(mistake: _Mistake) -> _Help:
    function = catalog().function(mistake.match[1])
    if function is None:
        return _Help(mistake.report.message, _SCHEMA)
    known = [p.name for p in function.parameters]
    calls = [mistake.span] if mistake.span else calls_of(function.name, mistake.given)
    for span in calls:
        for name in re.findall(r"(\w+)\s*(?:=>|:=)", mistake.given[slice(*span)]):
            if name.lower() not in known:
                return _no_argument(function, name, name_within(name, mistake.given, span))
    return _Help(
        f"{function.name}() does not take these arguments.",
        _called(function),
        calls[0] if len(calls) == 1 else None,
    )


def _no_argument(function: Function, name: str, span: Span | None) -> _Help:
    meant = near(name, [p.name for p in function.parameters])
    what = f'{function.name}() has no argument "{name}".{did_you_mean(meant)}'
    return _Help(what, _called(function), span)


def _called(function: Function) -> str:
    hint = f"Usage: {function.signature}."
    if any(p.default is not None for p in function.parameters):
        hint += " Arguments with := are optional, or passed by name with =>."
    return f"{hint} {See('schema')} describes them."


def _rows_not_value(mistake: _Mistake) -> _Help:
    function = catalog().function(mistake.match[1])
    return _gives_rows(function.signature if function else f"{mistake.match[1]}()")


def _gives_rows(signature: str) -> _Help:
    name = signature.partition("(")[0]
    return _Help(f"{name}() returns rows, not a value.", f"Write it after FROM: {signature}")


_KINDS = {
    "INT32": "a whole number",
    "INT64": "a whole number",
    "DOUBLE": "a number, without commas or units",
    "BOOL": "true or false",
    "DATE": "a day such as '2024-10-31'",
    "TIMESTAMP": "a time such as '2024-10-31 12:00'",
}


def _no_cast(mistake: _Mistake) -> _Help:
    what, hint = mistake.report.message, "TRY_CAST(value AS type) returns NULL on failure."
    if match := NO_CONVERSION.search(what):
        value, kind = match.groups()
        if kind in _KINDS and f"'{value}'" in mistake.pointed_at:
            hint = f"Expected: {_KINDS[kind]}. {hint}"
        elif len(value) > _LONGEST_VALUE:
            what = what.replace(value, f"{value[:_LONGEST_VALUE]}...")
    return _Help(what, hint)


def _no_expression(mistake: _Mistake) -> _Help:
    return _Help(
        f"invalid regular expression: {mistake.report.message}.",
        "( ) [ ] { } . * + ? and | have special meanings; a backslash before them removes it. "
        "contains(text, '...') searches for plain text.",
    )


def _syntax(mistake: _Mistake) -> _Help:
    start, end = mistake.span or (0, 0)
    before, after = mistake.given[:start], mistake.given[end:]
    ours = "|".join(f.name for f in catalog().functions)
    called = re.findall(rf"\b({ours})\s*\(", before, re.IGNORECASE)
    if called and re.match(r"\s*(=>|:=)", after):
        function = catalog().function(called[-1])
        if function is not None:
            return _no_argument(function, mistake.pointed_at, mistake.span)
    if re.search(r"\d$", before) and re.match(r",\d{3}\b", mistake.given[start:]):
        return _Help(mistake.report.message, "Write numbers without commas: 1000000.")
    return _Help(
        mistake.report.message,
        "Check the text at the mark and just before it. Texts need single quotation marks, names "
        "with spaces double ones; a comma separates columns; JOIN needs ON or USING.",
    )


def _advised(mistake: _Mistake) -> _Help:
    hint = next(hint for start, hint in _ADVICE.items() if start in mistake.match[0])
    return _Help(mistake.report.message.splitlines()[0], hint)


_ADVICE = {
    "can't be cast to the destination type": (
        "Write a list in brackets, even with a single value: ['a']."
    ),
    "No function matches the given name and argument types": (
        "Convert a value to another type with two colons: first_day::DATE, page::VARCHAR."
    ),
    "must appear in the GROUP BY clause": (
        "Write GROUP BY ALL after the tables and the filter: one row for each different value."
    ),
    "More than one row returned by a subquery": (
        "It must return one value: add ORDER BY and LIMIT 1, combine its rows with list(...), or "
        "move it to FROM and join it."
    ),
    "unterminated": (
        "Write a quotation mark within a text twice: 'the tenant''s notice'. A name in double "
        "quotation marks must end with one."
    ),
    "Subquery returns": "Select one column to compare, such as IN (SELECT chunk_id FROM ...).",
    "clause without selection list": "Name the columns, such as SELECT name FROM documents.",
    "k must be 1 or more": "Pass it by name, such as k => 5.",
}
"""Next steps for messages of DuckDB whose first line is clear."""
_PATTERNS: tuple[tuple[str, Callable[[_Mistake], _Help]], ...] = (
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
