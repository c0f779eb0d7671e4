"""Completion of SQL statements: names of views, columns, functions and documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from casetrack.base.sql.catalog import catalog
from casetrack.base.sql.statements import split, unfinished_string
from casetrack.store.sql.connection import quoted

_KEYWORDS = (
    "SELECT FROM WHERE GROUP BY ORDER BY LIMIT JOIN LEFT JOIN USING ON AS AND OR NOT IN LIKE ILIKE "
    "BETWEEN IS NULL DISTINCT HAVING WITH UNION ALL EXCEPT INTERSECT CASE WHEN THEN ELSE END DESC "
    "ASC OFFSET QUALIFY EXPLAIN DESCRIBE SUMMARIZE count sum avg min max string_agg list coalesce "
    "round lower upper length unnest list_contains row_number over partition"
)
KEYWORDS = tuple(dict.fromkeys(_KEYWORDS.split()))
_WORD = re.compile(r"[\w$]*\Z")
_NAME = r'(?:"(?:[^"]|"")*"|\w+)'
_QUALIFIED = re.compile(rf"({_NAME})\.(\w*)\Z")
_NAMED_SOURCE = re.compile(
    rf"""(?:\bfrom\s|\bjoin\s|,)\s*(?:{_NAME}\.)?(\w+)   # a source, maybe of a collection
    (?:\s*\([^()]*\))?                                   # arguments of a function
    (?:\s+(?:as\s+)?(?!(?:from|join|inner|left|right|full|cross|on|using|where|group|order|having
        |limit|qualify|union|except|intersect|as)\b)(\w+))?""",
    re.IGNORECASE | re.VERBOSE,
)
_FOR_A_SOURCE = re.compile(r"\b(?:from|join)\s+(\"[^\"]*|\w*)\Z", re.IGNORECASE)
_BEFORE_NAME = re.compile(
    r"\b(?:name|document_name|document)\s*(?:=|<>|!=|:=|=>|\bI?LIKE\b|\bIN\s*\([^()]*)\s*\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A completion.

    *replaces* is the number of characters before the cursor that *text* replaces; *kind* is a noun.
    """

    text: str
    replaces: int
    kind: str


@dataclass(frozen=True, slots=True)
class Words:
    """Names for completion, loaded at first use.

    *commands* are commands of the dialogue, with the completions of their argument. *schemas* are
    the names of the collections if several are queried and ``FROM`` must name each.
    """

    documents: Callable[[], Sequence[str]]
    commands: dict[str, Callable[[], Iterable[str]]] = field(default_factory=dict)
    schemas: Sequence[str] = ()


def candidates(text: str, words: Words, /) -> tuple[Candidate, ...]:
    """Return the completions of *text*, the input before the cursor."""
    if text.lstrip().startswith("\\"):
        return tuple(_of_command(text.lstrip(), words))
    statement = split(text).rest
    start = unfinished_string(statement)
    if start is not None:
        return tuple(_of_documents(statement, start, words))
    return tuple(_of_statement(statement, words.schemas))


def _of_command(text: str, words: Words) -> Iterator[Candidate]:
    name, space, argument = text.partition(" ")
    if not space:
        yield from _starting(name, words.commands, "command")
    elif name in words.commands:
        yield from _starting(argument.lstrip(), words.commands[name](), "argument")


def _of_documents(statement: str, start: int, words: Words) -> Iterator[Candidate]:
    if not _BEFORE_NAME.search(statement[:start]):
        return
    begun = statement[start + 1 :]
    for name in words.documents():
        written = name.replace("'", "''")
        if begun.lower() in written.lower():
            yield Candidate(written + "'", len(begun), "document")


def _of_statement(statement: str, schemas: Sequence[str]) -> Iterator[Candidate]:
    known = catalog()
    qualified = _QUALIFIED.search(statement)
    if qualified and _plain(qualified[1]) in map(str.lower, schemas):
        yield from _of_sources(qualified[2])
        return
    if qualified:
        yield from _starting(qualified[2], _columns_of(_meant(qualified[1], statement)), "column")
        return
    source = _FOR_A_SOURCE.search(statement)
    if source and schemas:
        begun = source[1].strip('"').lower()
        for name in schemas:
            if name.lower().startswith(begun):
                yield Candidate(f"{quoted(name)}.", len(source[1]), "collection")
        return
    if source:
        yield from _of_sources(source[1])
        return
    match = _WORD.search(statement)
    word = match.group() if match else ""
    if not word and statement.strip():
        return
    named = [source for source, _ in _NAMED_SOURCE.findall(statement)]
    own = [c for source in named for c in _columns_of(source)]
    yield from _starting(word, dict.fromkeys(own or known.columns), "column")
    if not schemas:
        yield from _starting(word, (view.name for view in known.views), "view")
        yield from _starting(word, (f"{f.name}(" for f in known.functions), "function")
    yield from _starting(word, KEYWORDS, "keyword")


def _of_sources(begun: str) -> Iterator[Candidate]:
    """Yield the names that can follow ``FROM``."""
    known = catalog()
    tables = (f"{f.name}(" for f in known.functions if f.kind == "table")
    yield from _starting(begun, (view.name for view in known.views), "view")
    yield from _starting(begun, tables, "function")


def _plain(name: str) -> str:
    """Return a name without quotation marks, in lower case."""
    return (name[1:-1].replace('""', '"') if name.startswith('"') else name).lower()


def _meant(name: str, statement: str) -> str:
    """Return the view or function of an alias, or the name itself."""
    aliases: dict[str, str] = {
        alias.lower(): source for source, alias in _NAMED_SOURCE.findall(statement) if alias
    }
    return aliases.get(name.lower(), name)


def _columns_of(name: str) -> tuple[str, ...]:
    known = catalog()
    source = known.view(name) or known.function(name)
    return tuple(column.name for column in source.columns) if source else ()


def _starting(begun: str, names: Iterable[str], kind: str) -> Iterator[Candidate]:
    for name in names:
        if name.lower().startswith(begun.lower()) and name != begun:
            yield Candidate(name, len(begun), kind)
