"""Queries kept under a name: SQL files with a head that names their parameters.

They are looked up in the collection's folder, then in the data folder, then among those that come
with the program::

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
    """A query with its head.

    Attributes
    ----------
    title
        First line of the head; empty where there is none.
    sql
        The whole text of the file.
    path
        Where it lies.
    """

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    sql: str
    origin: Origin
    path: Path


def checked_name(name: str, /) -> str:
    """Return a name that is a file's name on every system, and nothing else.

    Raises
    ------
    UsageError
        It is not.
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
    """Return the folders whose ``queries`` are looked up, in this order."""
    return (
        *(("collection", folder) for folder in collection_folders),
        ("data folder", data_dir),
        ("CaseTrack", resource_dir("pipelines")),
    )


def listed(where: Sequence[tuple[Origin, Path]], /) -> tuple[SavedQuery, ...]:
    """Return all saved queries by name; of two with one name the one that is looked up first."""
    found: dict[str, SavedQuery] = {}
    for origin, folder in where:
        for path in queries.query_files(folder):
            if path.stem not in found:
                found[path.stem] = _listed(path, origin)
    return tuple(found[name] for name in sorted(found))


def _listed(path: Path, origin: Origin) -> SavedQuery:
    try:
        return load(path, origin)
    except UsageError as error:  # one that is broken must not hide the others
        return SavedQuery(path.stem, f"Cannot be used: {error.message}", (), "", origin, path)


def find(name: str, where: Sequence[tuple[Origin, Path]], /) -> SavedQuery:
    """Return a saved query by its name.

    Raises
    ------
    UsageError
        The name is none, or no query has it; those that are there are named.
    """
    name = checked_name(name)
    for origin, folder in where:
        path = folder / FOLDER / f"{name}{queries.ENDING}"
        if path.is_file():
            return load(path, origin)
    known = [query.name for query in listed(where)]
    raise UsageError(
        f"There is no saved query {name!r}.",
        hint=f"There are: {', '.join(known)}. {See('query', list_saved=True)} tells more.",
    )


def load(path: Path, origin: Origin, /) -> SavedQuery:
    """Read a saved query.

    Raises
    ------
    UsageError
        The file cannot be read, or its head is not understood.
    """
    text = read_sql(path)
    title, declared = read_head(text, str(path))
    return SavedQuery(path.stem, title, declared, text, origin, path)


def read_sql(path: Path, /) -> str:
    """Return the text of a file of SQL.

    Raises
    ------
    UsageError
        There is no such file, or it is not text.
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
    """Return title and parameters of the comment that begins a text.

    Parameters
    ----------
    where
        What to call the text in an error.

    Raises
    ------
    UsageError
        A line that begins ``-- :param`` does not go on as it must.
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
    found = _PARAMETER.fullmatch(text)
    if not found or found["type"] not in PARAMETER_TYPES:
        raise UsageError(
            f"This parameter is not understood in {place}: {text!r}.",
            hint="Write it as `-- :param NAME TYPE default VALUE what it means`; "
            f"types are {', '.join(PARAMETER_TYPES)}.",
        )
    name, kind, default = found["name"], cast("ParameterType", found["type"]), found["default"]
    if default is not None:
        if default.startswith("'"):
            default = default[1:-1].replace("''", "'")
        typed(name, kind, default)
    return Parameter(name, kind, default, found["about"] or "")


def save(
    name: str, sql: str, folder: Path, /, *, given: Mapping[str, str], overwrite: bool = False
) -> Path:
    """Keep a statement under a name, with a head where it has none.

    Parameters
    ----------
    folder
        Where saved queries lie; it is made if need be.
    given
        Values of parameters as typed: they become defaults, and tell the types.
    overwrite
        Whether one of this name may be replaced.

    Raises
    ------
    UsageError
        The name is none, or it is taken; or the query of this name is this one already.
    StorageError
        The file cannot be written.
    """
    from casetrack.base.files import write_atomic
    from casetrack.store.info import FILE as INFO
    from casetrack.store.info import info_lock

    name = checked_name(name)
    path = folder / f"{name}{queries.ENDING}"
    if path.exists() and not overwrite:
        raise UsageError(
            f"There is a saved query {name!r} already: {path}.",
            hint="Choose another name, or replace it with --overwrite.",
        )
    _, declared = read_head(sql, "the statement")
    known = {p.name for p in declared}
    head = [_declaration(p, given.get(p)) for p in parameters(sql) if p not in known]
    text = "".join(line + "\n" for line in head) + sql.strip().rstrip(";").rstrip() + ";\n"
    if path.is_file() and path.read_bytes() == text.encode():
        raise UsageError(
            f"The saved query {name!r} is this statement already: {path}.",
            hint="Nothing was changed. Give another statement, or run it with --saved.",
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


# Looks at a statement that is to be saved: whether it could run, without running it.


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
