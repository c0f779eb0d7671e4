"""``casetrack query``: the options, and which of the ways to ask is meant."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.api.sql import saved
from casetrack.api.sql.parameters import pairs, refuse_unused, values_for
from casetrack.base.errors import CaseTrackError, UsageError
from casetrack.base.sql.statements import all_of, is_blank
from casetrack.faces.cli.completion import collection_names, library_of
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.query.formats import Format
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.api.sql.parameters import Parameter
    from casetrack.faces.cli.query.running import How
    from casetrack.faces.cli.query.source import QueryTarget

# Names that the shell completes: of saved queries, and of answers whose SQL can be shown.


def saved_queries(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the names of the saved queries that begin with what is typed.

    They are those of the collections that ``-c`` names before, or of the only one there is.
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
    """Return the names of the answers whose SQL can be shown that begin with what is typed."""
    from casetrack.api.sql.shown import ANSWERS

    return [name for name in ANSWERS if name.startswith(incomplete)]


def query(
    ctx: typer.Context,
    sql: Annotated[
        str | None,
        typer.Argument(
            metavar="SQL",
            help="One SELECT; without it a dialogue begins, or statements are read from a pipe.",
            show_default=False,
        ),
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option(
            "--collection",
            "-c",
            metavar="NAME",
            help="Name or ID of the collection; not needed while there is only one. Repeat it to "
            'ask several at once: "A".documents, "B".documents.',
            autocompletion=collection_names,
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", metavar="FILE", help="Run the statements of this file."),
    ] = None,
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            "-p",
            metavar="NAME=VALUE",
            help="A value for $NAME; may be repeated. Numbers, true, false and null are read as "
            'such; put "..." around a text that looks like one.',
        ),
    ] = None,
    format_name: Annotated[
        Format | None,
        typer.Option(
            "--format", help="How to write it. [default: by the ending of --output, else table]"
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write to this file, in the place of one that is there.",
        ),
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", metavar="N", min=0, help="At most so many rows.")
    ] = None,
    show_sql: Annotated[
        bool, typer.Option("--show-sql", help="Also show the statement and its values.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also show the plan and what was searched.")
    ] = False,
    saved_name: Annotated[
        str | None,
        typer.Option(
            "--saved", metavar="NAME", help="Run this saved query.", autocompletion=saved_queries
        ),
    ] = None,
    save_name: Annotated[
        str | None,
        typer.Option(
            "--save", metavar="NAME", help="Keep the statement under this name; do not run it."
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Let --save replace a query of this name.")
    ] = False,
    list_saved: Annotated[
        bool, typer.Option("--list-saved", help="List the saved queries.")
    ] = False,
    show: Annotated[
        str | None,
        typer.Option(
            "--show",
            metavar="ANSWER",
            help="Print the SQL behind an answer, such as summary, to change and run with --file.",
            autocompletion=answers,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format json.")] = False,
    raw: Annotated[
        bool,
        typer.Option(
            "--raw",
            help="Leave texts in CSV and Markdown as they are; else an apostrophe stands before "
            "what a spreadsheet would run as a formula.",
        ),
    ] = False,
) -> None:
    """Ask a collection in SQL; it can only read, and sees neither other files nor the network.

    Views hold documents, chunks, names, dates and more: casetrack schema. Functions search as well:
    SELECT rank, citation, text FROM search('notice period', k => 5) ORDER BY rank. Rows are all
    that goes to standard output; their number and the time are told on standard error.
    """
    _refuse_both(SQL=sql, file=file, saved=saved_name, show=show)
    if show is not None:
        from casetrack.api.sql.shown import shown

        line(shown(show).rstrip())
        return
    from casetrack.faces.cli.query.running import How
    from casetrack.faces.cli.query.source import QueryTarget

    given = pairs(param or [])
    how = How("json" if as_json else format_name, output, limit, show_sql, explain, raw=raw)
    how.format  # noqa: B018 - an ending that says nothing is refused before any work
    source = QueryTarget(ctx.ensure_object(State), tuple(dict.fromkeys(collection or ())))
    if list_saved:
        _list_saved(source, as_json=how.wanted == "json")
    elif saved_name is not None and save_name is None:
        kept = saved.find(saved_name, source.saved_places)
        _run(source, all_of(kept.sql) or ("",), given, how, kept.parameters)
    elif file is None and sql is None and save_name is None:
        _converse_or_read(source, given, how)
    else:
        text = _text(sql, file, save_name)
        if save_name is not None:
            _save(source, save_name, text, given, overwrite=overwrite)
        elif sql is not None and sql != "-":
            _run(source, (text,), given, how, None)
        else:
            declared = saved.read_head(text, str(file or "the statement"))[1]
            _run(source, all_of(text) or ("",), given, how, declared)


def _refuse_both(**ways: object) -> None:
    named = [
        name if name == "SQL" else f"--{name}" for name, way in ways.items() if way is not None
    ]
    if len(named) > 1:
        raise UsageError(
            f"{' and '.join(named)} were given together.", hint="Give the statement one way."
        )


def _text(sql: str | None, file: Path | None, save_name: str | None) -> str:
    if file is not None and str(file) != "-":
        return saved.read_sql(file)
    if file is None and sql is not None and sql != "-":
        return sql
    if save_name is not None and file is None and sql is None and sys.stdin.isatty():
        raise UsageError(
            "There is no statement to save.",
            hint=f"casetrack query 'SELECT ...' --save {save_name}",
        )
    return sys.stdin.read()


def _run(
    source: "QueryTarget",
    statements: tuple[str, ...],
    given: dict[str, str],
    how: "How",
    declared: "tuple[Parameter, ...] | None",
) -> None:
    """Run statements; *declared* are the parameters of the file, ``None`` if no head is read."""
    from casetrack.faces.cli.query.running import run

    if how.output is not None and len(statements) > 1:
        raise UsageError(
            f"The rows of {len(statements)} statements cannot go into one file.",
            hint="Run them one by one, or leave out --output.",
        )
    heads = [
        () if declared is None else saved.read_head(statement, "the statement")[1] or declared
        for statement in statements
    ]
    refuse_unused(given, statements, [parameter for head in heads for parameter in head])
    for statement, head in zip(statements, heads, strict=True):
        run(source, statement, values_for(statement, given, head), how)


def _save(
    source: "QueryTarget", name: str, text: str, given: dict[str, str], *, overwrite: bool
) -> None:
    from casetrack.faces.cli.collection import quoted

    if is_blank(text):
        raise UsageError(
            "There is no statement to save.", hint=f"casetrack query 'SELECT ...' --save {name}"
        )
    saved.checked_name(name)
    notes = saved.check(source.run, text, given)
    path = saved.save(name, text, source.saving_folder, given=given, overwrite=overwrite)
    line(f"Saved {path}", err=True)
    for note in notes:
        line((f"Note: {note}", "yellow"), err=True)
    # A value that it lacks is left open.
    words = ["casetrack query --saved", path.stem, *(f"-c {quoted(name)}" for name in source.named)]
    _, declared = saved.read_head(saved.read_sql(path), str(path))
    words += [f"-p {p.name}=VALUE" for p in declared if p.default is None]
    line(f"Run it: {' '.join(words)}", err=True)


def _list_saved(source: "QueryTarget", *, as_json: bool) -> None:
    from casetrack.faces.cli.query.repl import show_saved

    if not as_json:
        show_saved(source)
        return
    write_json(
        [
            {"name": q.name, "title": q.title, "parameters": [asdict(p) for p in q.parameters]}
            | {"from": q.origin, "path": str(q.path)}
            for q in saved.listed(source.saved_places)
        ]
    )


def _converse_or_read(source: "QueryTarget", given: dict[str, str], how: "How") -> None:
    from casetrack.faces.cli.query.repl import Shell, run_lines

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
    if sys.stdin is None or not run_lines(shell, sys.stdin):
        raise UsageError(
            "There is no statement.", hint="For instance: casetrack query 'FROM documents LIMIT 5'"
        )
