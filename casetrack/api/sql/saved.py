"""Saved queries: SQL files with a head that declares their parameters.

They are searched in the collection's folder, then in the data folder, then in the package::

    -- Sums of money above a value.
    -- :param least number default 1000 the smallest sum
    -- :param unit text default 'GBP' currency
    SELECT citation, text FROM amounts WHERE value >= $least AND unit = $unit
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from casetrack.api.sql.parameters import (
    PARAMETER_TYPES,
    Parameter,
    ParameterType,
    guessed,
    typed,
    values_for,
)
from casetrack.base.errors import QueryError, See, UsageError
from casetrack.base.resources import resource_dir
from casetrack.base.sql.statements import all_of, first_word, parameters
from casetrack.store import queries
from casetrack.store.sql.guard import is_certain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    Run = Callable[[str, Mapping[str, Any]], object]

Origin = Literal["collection", "data folder", "CaseTrack"]
FOLDER = queries.FOLDER
_PARAMETER = re.compile(
    r"(?P<name>[A-Za-z_]\w*)\s+(?P<type>\w+)"
    r"(?:\s+default\s+(?P<default>'(?:[^']|'')*'|\S+))?(?:\s+(?P<about>.*))?"
)


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A query with its head; *title* is the first line of the head, *sql* the whole file."""

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    sql: str
    origin: Origin
    path: Path


def checked_name(name: str, /) -> str:
    """Return a name that is valid as a file name on every system.

    Raises ``UsageError`` if it is not valid.
    """
    name = name.removesuffix(queries.ENDING)
    if not queries.is_query_name(name):
        raise UsageError(
            f"Not a name for a saved query: {name!r}.",
            hint="Use letters, digits, - and _, at most 64 of them, such as amounts-above.",
        )
    return name


def places(
    collection_folders: Iterable[Path], data_dir: Path, /
) -> tuple[tuple[Origin, Path], ...]:
    """Return the folders of saved queries, in the order of the search."""
    return (
        *(("collection", folder) for folder in collection_folders),
        ("data folder", data_dir),
        ("CaseTrack", resource_dir("pipelines")),
    )


def listed(where: Sequence[tuple[Origin, Path]], /) -> tuple[SavedQuery, ...]:
    """Return all saved queries by name; if two have one name, the first folder's."""
    by_name: dict[str, SavedQuery] = {}
    for origin, folder in where:
        for path in queries.query_files(folder):
            if path.stem not in by_name:
                by_name[path.stem] = _listed(path, origin)
    return tuple(by_name[name] for name in sorted(by_name))


def _listed(path: Path, origin: Origin) -> SavedQuery:
    try:
        return load(path, origin)
    except UsageError as error:  # a broken query must not hide the others
        return SavedQuery(path.stem, f"Cannot be used: {error.message}", (), "", origin, path)


def find(name: str, where: Sequence[tuple[Origin, Path]], /) -> SavedQuery:
    """Return a saved query by its name.

    Raises ``UsageError`` if the name is not valid, or no query has it.
    """
    name = checked_name(name)
    for origin, folder in where:
        path = folder / FOLDER / f"{name}{queries.ENDING}"
        if path.is_file():
            return load(path, origin)
    known = [query.name for query in listed(where)]
    raise UsageError(
        f"There is no saved query {name!r}.",
        hint=f"Saved queries: {', '.join(known)}. {See('query', list_saved=True)} describes them.",
    )


def load(path: Path, origin: Origin, /) -> SavedQuery:
    """Read a saved query.

    Raises ``UsageError`` if the file cannot be read, or its head is not valid.
    """
    text = read_sql(path)
    title, declared = read_head(text, str(path))
    return SavedQuery(path.stem, title, declared, text, origin, path)


def read_sql(path: Path, /) -> str:
    """Return the text of a file of SQL.

    Raises ``UsageError`` if there is no such file, or it is not text.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not text in UTF-8.", hint="Save it as UTF-8.") from error
    except OSError as error:
        raise UsageError(
            f"Cannot read {path}: {error.strerror or error}.",
            hint="Give the path of a file that exists and that you may read.",
        ) from error


def read_head(text: str, where: str, /) -> tuple[str, tuple[Parameter, ...]]:
    """Return title and parameters from the comment at the start of a text; *where* is for errors.

    Raises ``UsageError`` if a line that begins with ``-- :param`` is not complete.
    """
    title = ""
    declared: list[Parameter] = []
    for number, line in enumerate(text.splitlines(), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("--"):
            break
        comment = stripped.removeprefix("--").strip()
        if comment.startswith(":param"):
            place = f"{where}, line {number}"
            declared.append(_parameter(comment.removeprefix(":param").strip(), place))
        elif comment and not title:
            title = comment
    return title, tuple(declared)


def _parameter(text: str, place: str) -> Parameter:
    match = _PARAMETER.fullmatch(text)
    if not match or match["type"] not in PARAMETER_TYPES:
        raise UsageError(
            f"Invalid parameter in {place}: {text!r}.",
            hint="Write it as `-- :param NAME TYPE default VALUE meaning`; "
            f"types are {', '.join(PARAMETER_TYPES)}.",
        )
    name, kind, default = match["name"], cast("ParameterType", match["type"]), match["default"]
    if default is not None:
        if default.startswith("'"):
            default = default[1:-1].replace("''", "'")
        typed(name, kind, default)
    return Parameter(name, kind, default, match["about"] or "")


def save(
    name: str, sql: str, folder: Path, /, *, given: Mapping[str, str], overwrite: bool = False
) -> Path:
    """Save a statement under a name in *folder*, with a new head if it has none.

    Values *given* for parameters become defaults, and determine the types. *overwrite* allows
    replacing a query. Raises ``UsageError`` if the name is not valid or in use, or the query is
    already saved under this name; ``StorageError`` if the file cannot be written.
    """
    from casetrack.base.files import write_atomic
    from casetrack.store.info import FILE as INFO
    from casetrack.store.info import info_lock

    name = checked_name(name)
    path = folder / f"{name}{queries.ENDING}"
    if path.exists() and not overwrite:
        raise UsageError(
            f"A saved query {name!r} already exists: {path}.",
            hint="Choose another name, or replace it with --overwrite.",
        )
    _, declared = read_head(sql, "the statement")
    known = {p.name for p in declared}
    head = [_declaration(p, given.get(p)) for p in parameters(sql) if p not in known]
    text = "".join(line + "\n" for line in head) + sql.strip().rstrip(";").rstrip() + ";\n"
    if path.is_file() and path.read_bytes() == text.encode():
        raise UsageError(
            f"The saved query {name!r} already has this statement: {path}.",
            hint="Nothing was changed. Run it with --saved.",
        )
    is_of_collection = (folder / INFO).exists()
    with info_lock(folder) if is_of_collection else contextlib.nullcontext():
        write_atomic(path, text.encode("utf-8"))
    return path


def _declaration(name: str, given: str | None) -> str:
    if given is None:
        return f"-- :param {name} text"
    kinds: dict[type, ParameterType] = {bool: "boolean", int: "integer", float: "number"}
    kind = kinds.get(type(guessed(given)), "text")
    if kind == "text":
        value = guessed(given)
        given = "'" + ("null" if value is None else str(value)).replace("'", "''") + "'"
    return f"-- :param {name} {kind} default {given}"


# Checks a statement before saving: whether it can run, without running it.


def check(run: Run, text: str, given: Mapping[str, str], /) -> tuple[str, ...]:
    """Plan the statements of a text to resolve all names; return notes on unchecked parts.

    Parameters without a value are null; errors that this causes are ignored. *run* runs a statement
    with values of its parameters, and raises :class:`QueryError`. Raises ``QueryError`` if a
    statement cannot run; ``UsageError`` if its head is not valid, or a value has the wrong type.
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
                f"The check is incomplete without a value of {listed}: "
                f"{error.message.splitlines()[0]}"
            )
    return tuple(notes)


def _plan(run: Run, statement: str, values: Mapping[str, Any]) -> None:
    if first_word(statement) != "explain":
        try:
            run(f"EXPLAIN {statement}", values)
        except QueryError:
            # The statement alone fails in the same way before anything runs, and its error has the
            # position in the original text. Some statements that can run cannot be explained.
            pass
        else:
            return
    run(statement, values)
