"""Validation of user SQL: one read-only statement that names no internal object."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb

from casetrack.base.errors import Opt, QueryError, See
from casetrack.base.sql.catalog import VIEWS
from casetrack.base.sql.statements import LIMITED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


# Position of a mistake in a statement: DuckDB's own, corrected where it is missing or wrong.

Span = tuple[int, int]
"""First character, and the one after the last."""
NO_CONVERSION = re.compile(r"Could not convert (?:\w+ )?'(.*?)' to (\w+)", re.DOTALL)
NO_EXPRESSION = (
    r"^(?:missing [\]):]|no argument for repetition|bad repetition|trailing \\|unexpected \)"
    r"|invalid (?:escape sequence|perl operator|character class))"
)
"""Start of DuckDB's messages about an invalid regular expression."""
_CAST = re.compile(r"\bcast\b|::", re.IGNORECASE)
_WIDEST = 100


def span_of(message: str, where: tuple[int, int] | None, statement: Statement, /) -> Span | None:
    """Return the span of a mistake; *where* is DuckDB's position and length, in bytes."""
    given = statement.given
    span = None
    if where is not None:
        start = statement.position(where[0])
        span = start, max(start + 1, statement.position(sum(where)))
    if match := NO_CONVERSION.search(message):
        # An error inside one of our macros has a position in the text of the macro.
        value = f"'{match[1]}'"
        shown = given[slice(*span)] if span else ""
        if value not in shown and not _CAST.search(shown):
            return _only(given, re.escape(value))
    return span


def calls_of(function: str, given: str, /) -> list[Span]:
    """Return the spans of the calls of a function, including parentheses."""
    return [
        (match.start(), _closed(given, match.end() - 1))
        for match in re.finditer(rf"\b{re.escape(function)}\s*\(", given, re.IGNORECASE)
    ]


def _closed(given: str, opened: int) -> int:
    """Return the position after the parenthesis that closes the one at *opened*."""
    depth = 0
    for token in re.finditer(r"'(?:[^']|'')*'|\"[^\"]*\"|[()]", given[opened:]):
        depth += (token[0] == "(") - (token[0] == ")")
        if depth == 0:
            return opened + token.end()
    return len(given)


def name_within(name: str, given: str, span: Span | None, /) -> Span | None:
    """Return the span of a name within a part of a statement; the whole part if it is absent."""
    if span is None:
        return None
    own = rf'"{re.escape(name)}"|(?<![\w"]){re.escape(name)}(?![\w"])(?!\s*\()'
    match = re.search(own, given[slice(*span)], re.IGNORECASE)
    return (span[0] + match.start(), span[0] + match.end()) if match else span


def line_and_column(given: str, span: Span | None, /) -> str:
    """Return a position as text; empty without one."""
    if span is None:
        return ""
    before = given[: span[0]].removeprefix(LIMITED)
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return f" in line {line}, column {column}"


def excerpt(given: str, span: Span | None, /) -> str:
    """Return the line of the mistake, and below it a line that marks the mistake."""
    if span is None:
        return ""
    start, end = span
    low = given.rfind("\n", 0, start) + 1
    high = given.find("\n", start)
    line = given[low : high if high >= 0 else len(given)]
    cut = max(0, start - low - _WIDEST // 2)
    shown = line[cut : cut + _WIDEST].replace("\t", " ")
    at = start - low - cut
    return f"\n\n    {shown}\n    {' ' * at}{'^' * max(1, min(end - start, len(shown) - at))}"


def _only(given: str, pattern: str) -> Span | None:
    spans = [match.span() for match in re.finditer(pattern, given, re.IGNORECASE)]
    return spans[0] if len(spans) == 1 else None


# Mistakes of a statement itself, as opposed to those that depend on parameter values.

_NAMES = re.compile(r"Referenced (column|table)|does not have a column|Ambiguous reference")
"""DuckDB's messages about an unknown name."""


def is_certain(error: QueryError, /) -> bool:
    """Return whether a statement fails for all values of its parameters."""
    # DuckDB's error is hidden in tracebacks, and kept as the context.
    cause = error.__cause__ or error.__context__
    if not isinstance(cause, duckdb.Error):
        return True
    if isinstance(cause, (duckdb.ParserException, duckdb.CatalogException)):
        return True
    return bool(_NAMES.search(str(cause)))


_READING = {"SELECT", "EXPLAIN"}
_INTERNAL = re.compile(
    r"_(ledger|stored_chunks|indexed|postings_of|terms|number_of_rows|ways"
    r"|search|similar|context|cite|cite_place|entities|mentions|dates|amounts|references|citations|edges(_entity|_document|_chunk)?|topics)(_\d+)?"
)
_BEFORE = {"FORCE", "EXPLAIN", "ANALYZE", "ANALYSE"}
_RUNS_TEXT = {"query", "query_table", "json_execute_serialized_sql"}
CHANGES_ALL = {
    *("create_external_resource", "destroy_external_resource", "register_external_resource"),
    *("deregister_external_resource", "register_external_resource_type"),
    *("write_log", "truncate_duckdb_logs", "checkpoint", "force_checkpoint"),
}
"""Functions that change later statements, since a connection is reused."""
_OURS = re.compile(rb"(references\b|window(?=\s*(?:=>|:=)))", re.IGNORECASE)
_WORD = re.compile(rb'"(?:[^"]|"")*"|\w+')
_STRING = re.compile(rb"'((?:[^']|'')*)'")
_EXPLAINING = re.compile(rb"(EXPLAIN|ANALY[SZ]E)\b", re.IGNORECASE)
_BLANK = re.compile("[\\s\u200b-\u200d\u2060\ufeff]*")

LONGEST_STATEMENT = 64_000
"""Maximum number of characters; a longer statement occupies the planner beyond every limit."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement for DuckDB.

    Attributes
    ----------
    text
        The same with quoted ``references`` (a view) and ``window`` (an argument), which SQL
        reserves.
    """

    given: str
    text: str

    def position(self, byte: int, /) -> int:
        """Return the position in ``given``, in characters, of a position in ``text``, in bytes."""
        own, before = self.text.encode(), 0
        for start, _ in _ours(self.given):
            if start + before >= byte:
                break
            before += 2
        return len(own[:byte].decode(errors="ignore")) - before


def read_statement(statement: str, /) -> Statement:
    """Prepare a user's text for DuckDB."""
    given: object = statement
    if not isinstance(given, str):
        raise QueryError(
            f"The statement is a {type(given).__name__}, not a text.",
            hint="Example: collection.sql('FROM documents')",
        )
    try:
        data = statement.encode()
    except UnicodeEncodeError as error:
        raise QueryError(
            "The statement contains an incomplete character.", hint="Type it instead of pasting it."
        ) from error
    for start, end in reversed(list(_ours(statement))):
        data = data[:start] + b'"' + data[start:end].lower() + b'"' + data[end:]
    return Statement(statement, data.decode())


def _ours(statement: str) -> Iterator[tuple[int, int]]:
    """Yield the byte spans of SQL keywords that are names of ours."""
    data = statement.encode()
    for start, kind in duckdb.tokenize(statement):
        if kind == duckdb.token_type.keyword and (match := _OURS.match(data, start)):
            yield start, match.end(1)


def check(
    connection: duckdb.DuckDBPyConnection,
    statement: str,
    params: Mapping[str, Any] | None = None,
    /,
) -> str:
    """Require one read-only statement over the views; return ``SELECT`` or ``EXPLAIN``."""
    if len(statement) > LONGEST_STATEMENT:
        raise QueryError(
            f"The statement has {len(statement):,} characters; the maximum is "
            f"{LONGEST_STATEMENT:,}.",
            hint="Pass long values as parameters, written $name.",
        )
    parsed = connection.extract_statements(statement)
    if not parsed:
        raise QueryError("The statement is empty.", hint="Example: FROM documents")
    if len(parsed) != 1:
        raise QueryError(
            f"Only one statement is allowed; this text has {len(parsed)}.",
            hint="Run the statements one after the other.",
        )
    kind = _kind(parsed[0])
    if kind == "MULTI":
        raise QueryError(
            "This PIVOT does not name its columns, so it would need two statements.",
            hint="Name them: PIVOT ... ON type IN ('contract', 'invoice') USING count(*).",
        )
    if kind not in _READING:
        raise QueryError(
            f"Only queries are allowed; this is {_named(statement, kind)} statement.",
            hint="Use SELECT; no query changes a collection.",
        )
    if kind == "EXPLAIN":
        _check_explained(connection, statement)
    for name, is_called in _names(statement):
        if _INTERNAL.fullmatch(name):
            raise QueryError(
                f"{'Function' if is_called else 'Table'} {name} is internal.",
                hint=f"Use the views {', '.join(VIEWS)}, or the functions that {See('schema')} "
                "lists.",
            )
        if is_called and name in _RUNS_TEXT:
            raise QueryError(
                f"{name}() runs a statement from a text, which is not allowed.",
                hint="Write that statement as a subquery.",
            )
        if is_called and name in CHANGES_ALL:
            raise QueryError(
                f"Only queries are allowed; {name}() has other effects.",
                hint="Remove it; no query changes a collection.",
            )
    _check_values(parsed[0].named_parameters, set(params or ()))
    return kind


def _check_explained(connection: duckdb.DuckDBPyConnection, statement: str) -> None:
    """Refuse to explain anything but a read: ``EXPLAIN ANALYZE`` executes it."""
    data, inside = statement.encode(), 0
    for start, kind in duckdb.tokenize(statement):
        rest = data[start:]
        if inside:
            inside += (rest[:1] == b"(") - (rest[:1] == b")")
            continue
        if kind == duckdb.token_type.comment or _EXPLAINING.match(rest):
            continue
        try:
            explained = {_kind(part) for part in connection.extract_statements(rest.decode())}
        except duckdb.ParserException:
            # Options, such as (ANALYZE, FORMAT json), are not a statement.
            if rest[:1] != b"(":
                raise
            inside = 1
            continue
        if not explained <= _READING:
            raise QueryError(
                f"Only queries are allowed; this explains {_named(rest.decode(), min(explained))} "
                "statement.",
                hint="Explain a SELECT.",
            )
        return


def _named(statement: str, kind: str) -> str:
    """Return the first word of a statement as typed, with its article."""
    data = statement.encode()
    words = (
        match.group().decode().strip('"').upper()
        for start, token in duckdb.tokenize(statement)
        if token in (duckdb.token_type.keyword, duckdb.token_type.identifier)
        and (match := _WORD.match(data, start))
    )
    first = next((word for word in words if word not in _BEFORE), kind)
    # The kind of a WITH statement is determined by the word after its queries.
    name = kind if first == "WITH" else first
    return f"{'an' if name[:1] in 'AEIO' or name.startswith('UP') else 'a'} {name}"


def _kind(parsed: duckdb.Statement) -> str:
    try:
        return str(parsed.type).rpartition(".")[2]
    except ValueError:
        # DuckDB has more kinds than its Python package has names for, such as UPDATE EXTENSIONS.
        return "MAINTENANCE"


def _check_values(wanted: set[str], given: set[str]) -> None:
    if missing := sorted(wanted - given):
        name = missing[0]
        raise QueryError(
            f"Missing values for {', '.join(f'${n}' for n in missing)}.",
            hint=f"Set each value: {Opt(param=name + '=VALUE')}.",
        )
    if excess := sorted(given - wanted):
        known = ", ".join(f"${n}" for n in sorted(wanted)) or "none"
        raise QueryError(
            f"The statement has no parameter ${excess[0]}.",
            hint=f"Its parameters: {known}. Names are case-sensitive.",
        )


def _names(statement: str) -> Iterator[tuple[str, bool]]:
    """Yield every name in lower case, and whether an opening parenthesis follows.

    A string numbered like an internal name counts as well: after ``FROM`` it is a name.
    """
    data = statement.encode()
    tokens = duckdb.tokenize(statement)
    for at, (start, kind) in enumerate(tokens):
        if kind == duckdb.token_type.string_const:
            match = _STRING.match(data, start)
            if match and match.group(1)[-1:].isdigit():
                yield match.group(1).decode().lower(), False
        elif kind in (duckdb.token_type.identifier, duckdb.token_type.keyword) and (
            match := _WORD.match(data, start)
        ):
            name = match.group().decode().strip('"').lower()
            yield name, _is_called(data[match.end() :], data, tokens[at + 1 :])


def _is_called(rest: bytes, data: bytes, following: Sequence[tuple[int, Any]]) -> bool:
    """Return whether a parenthesis follows, after optional comments and white space."""
    if rest.lstrip()[:1] == b"(":
        return True
    ends = [*(start for start, _ in following[1:]), len(data)]
    for (start, kind), end in zip(following, ends, strict=False):
        text = data[start:end].decode(errors="ignore")
        if kind != duckdb.token_type.comment and not _BLANK.fullmatch(text):
            return text.startswith("(")
    return False
