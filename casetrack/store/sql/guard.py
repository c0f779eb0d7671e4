"""What a user's statement may hold: one reading statement that names nothing internal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import Opt, QueryError, See
from casetrack.base.sql.catalog import VIEWS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import duckdb

# Where in a statement a mistake is: DuckDB's own place, and what it leaves out or gets wrong.

Span = tuple[int, int]
"""First character, and the one after the last."""
NO_CONVERSION = re.compile(r"Could not convert (?:\w+ )?'(.*?)' to (\w+)", re.DOTALL)
NO_EXPRESSION = (
    r"^(?:missing [\]):]|no argument for repetition|bad repetition|trailing \\|unexpected \)"
    r"|invalid (?:escape sequence|perl operator|character class))"
)
"""How the texts on a wrong regular expression begin."""
_CAST = re.compile(r"\bcast\b|::", re.IGNORECASE)
_WIDEST = 100


def span_of(message: str, where: tuple[int, int] | None, statement: Statement, /) -> Span | None:
    """Return where in the statement, as it was given, a mistake is.

    Parameters
    ----------
    message
        What DuckDB says.
    where
        Place and length, in bytes, as DuckDB tells them.
    statement
        The statement.
    """
    given = statement.given
    span = None
    if where is not None:
        start = statement.position(where[0])
        span = start, max(start + 1, statement.position(sum(where)))
    if found := NO_CONVERSION.search(message):
        # What fails within one of our macros has a place in the text of the macro.
        value = f"'{found[1]}'"
        shown = given[slice(*span)] if span else ""
        if value not in shown and not _CAST.search(shown):
            return _only(given, re.escape(value))
    return span


def calls_of(function: str, given: str, /) -> list[Span]:
    """Return where a function is called: name, parentheses and all."""
    return [
        (found.start(), _closed(given, found.end() - 1))
        for found in re.finditer(rf"\b{re.escape(function)}\s*\(", given, re.IGNORECASE)
    ]


def _closed(given: str, opened: int) -> int:
    """Return the place after the parenthesis that closes the one at a place."""
    depth = 0
    for token in re.finditer(r"'(?:[^']|'')*'|\"[^\"]*\"|[()]", given[opened:]):
        depth += (token[0] == "(") - (token[0] == ")")
        if depth == 0:
            return opened + token.end()
    return len(given)


def name_within(name: str, given: str, span: Span | None, /) -> Span | None:
    """Return where a name stands in a part of a statement; the part where it does not."""
    if span is None:
        return None
    own = rf'"{re.escape(name)}"|(?<![\w"]){re.escape(name)}(?![\w"])(?!\s*\()'
    found = re.search(own, given[slice(*span)], re.IGNORECASE)
    return (span[0] + found.start(), span[0] + found.end()) if found else span


def line_and_column(given: str, span: Span | None, /) -> str:
    """Return a place in words; empty where there is none."""
    if span is None:
        return ""
    before = given[: span[0]]
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return f" in line {line}, column {column}"


def excerpt(given: str, span: Span | None, /) -> str:
    """Return the line of the mistake with a mark below it, on lines of their own."""
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
    found = [match.span() for match in re.finditer(pattern, given, re.IGNORECASE)]
    return found[0] if len(found) == 1 else None


# Mistakes of a statement itself, told from those that another value of a parameter would mend.

_NAMES = re.compile(r"Referenced (column|table)|does not have a column|Ambiguous reference")
"""What DuckDB says where a name is wrong."""


def is_certain(error: QueryError, /) -> bool:
    """Return whether a statement fails whatever the values of its parameters are.

    So do those that are refused, do not read as SQL, or name what is not there.
    """
    import duckdb

    # What DuckDB raised is left out of tracebacks, and kept as the context.
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
"""Functions that change what other statements see, since a database is kept between them."""
_OURS = re.compile(rb"(references\b|window(?=\s*(?:=>|:=)))", re.IGNORECASE)
_WORD = re.compile(rb'"(?:[^"]|"")*"|\w+')
_STRING = re.compile(rb"'((?:[^']|'')*)'")
_EXPLAINING = re.compile(rb"(EXPLAIN|ANALY[SZ]E)\b", re.IGNORECASE)
_BLANK = re.compile("[\\s\u200b-\u200d\u2060\ufeff]*")

LONGEST_STATEMENT = 64_000
"""Characters; what is longer keeps the planner busy beyond every limit."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement as DuckDB gets it.

    Attributes
    ----------
    given
        As the user wrote it.
    text
        With the view ``references`` and the argument ``window`` in quotation marks: SQL keeps these
        words for itself.
    """

    given: str
    text: str

    def position(self, byte: int, /) -> int:
        """Return the place in ``given``, in characters, of a place in ``text``, in bytes."""
        own, before = self.text.encode(), 0
        for start, _ in _ours(self.given):
            if start + before >= byte:
                break
            before += 2
        return len(own[:byte].decode(errors="ignore")) - before


def read_statement(statement: str, /) -> Statement:
    """Make a user's text ready for DuckDB.

    Raises
    ------
    QueryError
        It is no text.
    """
    given: object = statement
    if not isinstance(given, str):
        raise QueryError(
            f"The statement is a {type(given).__name__}, not a text.",
            hint="For instance: collection.sql('FROM documents')",
        )
    try:
        data = statement.encode()
    except UnicodeEncodeError as error:
        raise QueryError(
            "The statement holds half a character, which is no text.",
            hint="Type it anew instead of pasting it.",
        ) from error
    for start, end in reversed(list(_ours(statement))):
        data = data[:start] + b'"' + data[start:end].lower() + b'"' + data[end:]
    return Statement(statement, data.decode())


def _ours(statement: str) -> Iterator[tuple[int, int]]:
    """Yield where a keyword of SQL is a name of ours, in bytes, as DuckDB counts."""
    import duckdb

    data = statement.encode()
    for start, kind in duckdb.tokenize(statement):
        if kind == duckdb.token_type.keyword and (found := _OURS.match(data, start)):
            yield start, found.end(1)


def check(
    connection: duckdb.DuckDBPyConnection,
    statement: str,
    params: Mapping[str, Any] | None = None,
    /,
) -> str:
    """Refuse whatever is not one reading statement over the views, with values that fit it.

    Returns
    -------
    str
        The kind of the statement: ``SELECT`` or ``EXPLAIN``.

    Raises
    ------
    QueryError
        It is refused; the text says why.
    """
    if len(statement) > LONGEST_STATEMENT:
        raise QueryError(
            f"The statement has {len(statement):,} characters; at most {LONGEST_STATEMENT:,} are "
            "read.",
            hint="Give long values as parameters, written $name.",
        )
    parsed = connection.extract_statements(statement)
    if not parsed:
        raise QueryError("The statement is empty.", hint="For instance: FROM documents")
    if len(parsed) != 1:
        raise QueryError(
            f"One statement at a time, please; this text has {len(parsed)}.",
            hint="Run the statements one after the other.",
        )
    kind = _kind(parsed[0])
    if kind == "MULTI":
        raise QueryError(
            "This PIVOT takes two statements: it does not say which columns it makes.",
            hint="Name them: PIVOT ... ON type IN ('contract', 'invoice') USING count(*).",
        )
    if kind not in _READING:
        raise QueryError(
            f"Only reading is allowed here, and this is {_named(statement, kind)} statement.",
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
                f"{name}() runs a statement that stands in a text, which is not allowed here.",
                hint="Write that statement itself, as a subquery.",
            )
        if is_called and name in CHANGES_ALL:
            raise QueryError(
                f"Only reading is allowed here, and {name}() does more.",
                hint="Leave it out; no query changes a collection.",
            )
    _check_values(parsed[0].named_parameters, set(params or ()))
    return kind


def _check_explained(connection: duckdb.DuckDBPyConnection, statement: str) -> None:
    """Refuse to explain what is no reading: ``EXPLAIN ANALYZE`` runs it."""
    import duckdb

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
            # Options, such as (ANALYZE, FORMAT json), are no statement.
            if rest[:1] != b"(":
                raise
            inside = 1
            continue
        if not explained <= _READING:
            raise QueryError(
                "Only reading is allowed here, and this explains "
                f"{_named(rest.decode(), min(explained))} statement.",
                hint="Explain a SELECT.",
            )
        return


def _named(statement: str, kind: str) -> str:
    """Return what a statement is, with its article: the word that it begins with, as typed."""
    import duckdb

    data = statement.encode()
    words = (
        found.group().decode().strip('"').upper()
        for start, token in duckdb.tokenize(statement)
        if token in (duckdb.token_type.keyword, duckdb.token_type.identifier)
        and (found := _WORD.match(data, start))
    )
    first = next((word for word in words if word not in _BEFORE), kind)
    # What WITH begins is told by what comes after its queries.
    name = kind if first == "WITH" else first
    return f"{'an' if name[:1] in 'AEIO' or name.startswith('UP') else 'a'} {name}"


def _kind(parsed: duckdb.Statement) -> str:
    try:
        return str(parsed.type).rpartition(".")[2]
    except ValueError:
        # DuckDB knows more kinds than its Python part has names for, such as UPDATE EXTENSIONS.
        return "MAINTENANCE"


def _check_values(wanted: set[str], given: set[str]) -> None:
    if missing := sorted(wanted - given):
        name = missing[0]
        raise QueryError(
            f"No value was given for {', '.join(f'${n}' for n in missing)}.",
            hint=f"Give each a value: {Opt(param=name + '=VALUE')}.",
        )
    if excess := sorted(given - wanted):
        known = ", ".join(f"${n}" for n in sorted(wanted)) or "none"
        raise QueryError(
            f"A value was given for ${excess[0]}, and the statement has no such parameter.",
            hint=f"Its parameters: {known}. Letter case counts.",
        )


def _names(statement: str) -> Iterator[tuple[str, bool]]:
    """Yield every name in small letters, and whether an opening parenthesis follows.

    A text that is numbered like an internal name counts as well: after ``FROM`` it is a name.
    """
    import duckdb

    data = statement.encode()
    tokens = duckdb.tokenize(statement)
    for at, (start, kind) in enumerate(tokens):
        if kind == duckdb.token_type.string_const:
            found = _STRING.match(data, start)
            if found and found.group(1)[-1:].isdigit():
                yield found.group(1).decode().lower(), False
        elif kind in (duckdb.token_type.identifier, duckdb.token_type.keyword) and (
            found := _WORD.match(data, start)
        ):
            name = found.group().decode().strip('"').lower()
            yield name, _is_called(data[found.end() :], data, tokens[at + 1 :])


def _is_called(rest: bytes, data: bytes, following: Sequence[tuple[int, Any]]) -> bool:
    """Tell whether a parenthesis follows; comments, and blanks of any script, may stand between."""
    import duckdb

    if rest.lstrip()[:1] == b"(":
        return True
    ends = [*(start for start, _ in following[1:]), len(data)]
    for (start, kind), end in zip(following, ends, strict=False):
        text = data[start:end].decode(errors="ignore")
        if kind != duckdb.token_type.comment and not _BLANK.fullmatch(text):
            return text.startswith("(")
    return False
