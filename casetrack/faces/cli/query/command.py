"""``casetrack query``: the options, and which of the ways to ask is meant."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.api.sql import saved
from casetrack.api.sql.parameters import pairs
from casetrack.base.errors import CaseTrackError, UsageError
from casetrack.base.sql.statements import all_of, is_blank
from casetrack.faces.cli.completion import collection_names, library_of
from casetrack.faces.cli.options import opt
from casetrack.faces.cli.output import line
from casetrack.faces.cli.query.formats import Format
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.faces.cli.query.running import How, QueryTarget

# Names that the shell completes: of saved queries, and of answers whose SQL can be shown.


def saved_queries(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of the saved queries with a prefix.

    The collections are those of the preceding ``-c``, or the only one.
    """
    try:
        library = library_of(ctx)
        named = ctx.params.get("collection") or ()
        names = named or [info.name for info in library.collections()]
        folders = [library.get(name).folder for name in names if named or len(names) == 1]
        kept = saved.listed(saved.places(folders, library.settings.data_dir))
    except CaseTrackError:
        return []
    return [query.name for query in kept if query.name.startswith(incomplete)]


def answers(incomplete: str) -> list[str]:
    """Return the names of the built-in answers with a prefix."""
    from casetrack.api.sql.shown import ANSWERS

    return [name for name in ANSWERS if name.startswith(incomplete)]


def query(
    ctx: typer.Context,
    sql: Annotated[str | None, opt("SQL", show_default=False)] = None,
    collection: Annotated[
        list[str] | None, opt("--collection -c NAME", autocompletion=collection_names)
    ] = None,
    file: Annotated[Path | None, opt("--file -f FILE")] = None,
    param: Annotated[list[str] | None, opt("--param -p NAME=VALUE")] = None,
    format_name: Annotated[Format | None, opt("--format")] = None,
    output: Annotated[Path | None, opt("--output -o FILE")] = None,
    limit: Annotated[int | None, opt("--limit N", min=0)] = None,
    show_sql: Annotated[bool, opt("--show-sql")] = False,
    explain: Annotated[bool, opt("--explain")] = False,
    saved_name: Annotated[str | None, opt("--saved NAME", autocompletion=saved_queries)] = None,
    save_name: Annotated[str | None, opt("--save NAME")] = None,
    overwrite: Annotated[bool, opt("--overwrite")] = False,
    list_saved: Annotated[bool, opt("--list-saved")] = False,
    show: Annotated[str | None, opt("--show ANSWER", autocompletion=answers)] = None,
    as_json: Annotated[bool, opt("--json")] = False,
    raw: Annotated[bool, opt("--raw")] = False,
) -> None:
    """Query a collection in SQL, read-only, without access to other files or the network.

    Views contain documents, chunks, names, dates and more: casetrack schema. Functions search as
    well: SELECT rank, citation, text FROM search('notice period', k => 5) ORDER BY rank. Standard
    output gets only the rows; standard error gets their number and the time.

    Parameters
    ----------
    sql
        One SELECT. [default: an interactive shell, or statements from a pipe]
    collection
        Name or ID of the collection; optional if there is only one. Repeat it to query several at
        once: "A".documents, "B".documents.
    file
        Run the statements of this file.
    param
        A value for $NAME; may be repeated. Numbers, true, false and null are read as such; quote
        ("...") a text that looks like one.
    format_name
        Output format. [default: by the extension of --output, else table]
    output
        Write to this file, replacing an existing one.
    limit
        Highest number of rows.
    show_sql
        Also show the statement and its values.
    explain
        Also show the plan and the search calls.
    saved_name
        Run this saved query.
    save_name
        Save the statement under this name; do not run it.
    overwrite
        Let --save replace a query of this name.
    list_saved
        List the saved queries.
    show
        Print the SQL of an answer, such as summary, to change it and run it with --file.
    as_json
        The same as --format json.
    raw
        Write texts in CSV and Markdown without the apostrophe that prevents formulas in a
        spreadsheet.
    """
    ways = {"SQL": sql, "--file": file, "--saved": saved_name, "--show": show}
    named = [name for name, way in ways.items() if way is not None]
    if len(named) > 1:
        message = f"{' and '.join(named)} were given together."
        raise UsageError(message, hint="Choose one way to give the statement.")
    if show is not None:
        from casetrack.api.sql.shown import shown

        line(shown(show).rstrip())
        return
    from casetrack.faces.cli.query.repl import show_saved
    from casetrack.faces.cli.query.running import How, QueryTarget, run_all

    given = pairs(param or [])
    how = How("json" if as_json else format_name, output, limit, show_sql, explain, raw=raw)
    how.format  # noqa: B018 - an ending that says nothing is refused before any work
    source = QueryTarget(ctx.ensure_object(State), tuple(dict.fromkeys(collection or ())))
    if list_saved:
        show_saved(source, as_json=how.wanted == "json")
    elif saved_name is not None and save_name is None:
        kept = saved.find(saved_name, source.saved_places)
        run_all(source, all_of(kept.sql) or ("",), given, how, kept.parameters)
    elif file is None and sql is None and save_name is None:
        _converse_or_read(source, given, how)
    else:
        text = _text(sql, file)
        if save_name is not None:
            _save(source, save_name, text, given, overwrite)
        else:
            declared = saved.read_head(text, str(file or "the statement"))[1]
            statements = (text,) if sql not in {None, "-"} else all_of(text) or ("",)
            run_all(source, statements, given, how, declared)


def _text(sql: str | None, file: Path | None) -> str:
    source = sql if file is None else str(file)
    if source == "-" or (source is None and not sys.stdin.isatty()):
        return sys.stdin.read()
    return saved.read_sql(file) if file is not None else sql or ""


def _save(
    source: "QueryTarget", name: str, text: str, given: dict[str, str], overwrite: bool
) -> None:
    from casetrack.faces.cli.collection import quoted

    if is_blank(text):
        hint = f"casetrack query 'SELECT ...' --save {name}"
        raise UsageError("There is no statement to save.", hint=hint)
    saved.checked_name(name)
    notes = saved.check(source.run, text, given)
    # A query over several collections belongs to none of them.
    folders = [collection.folder for collection in source.collections]
    home = folders[0] if len(folders) == 1 else source.state.settings.data_dir
    path = saved.save(name, text, home / saved.FOLDER, given=given, overwrite=overwrite)
    line(f"Saved {path}", err=True)
    for note in notes:
        line((f"Note: {note}", "yellow"), err=True)
    # A value that it lacks is left open.
    words = ["casetrack query --saved", path.stem, *(f"-c {quoted(name)}" for name in source.named)]
    _, declared = saved.read_head(saved.read_sql(path), str(path))
    words += [f"-p {p.name}=VALUE" for p in declared if p.default is None]
    line(f"Run it: {' '.join(words)}", err=True)


def _converse_or_read(source: "QueryTarget", given: dict[str, str], how: "How") -> None:
    from casetrack.faces.cli.query.repl import Shell, pieces

    shell = Shell(source, how, given)
    if sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        from casetrack.faces.cli.query.prompt import converse

        converse(shell)
        return
    if how.output is not None:
        raise UsageError(
            "--output needs one statement, given as SQL, with --file or with --saved.",
            hint="In a pipe, write `\\o FILE` before a statement.",
        )
    count = 0
    with suppress(EOFError):
        for piece in pieces(sys.stdin or ()):
            count += 1
            shell.execute(piece)
    if not count:
        hint = "For instance: casetrack query 'FROM documents LIMIT 5'"
        raise UsageError("There is no statement.", hint=hint)
