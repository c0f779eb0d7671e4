"""``casetrack schema``: the tables, as they are declared."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.cli.options import JsonOption
from casetrack.cli.output import Field, line, table, write_json
from casetrack.errors import SchemaError, UsageError

if TYPE_CHECKING:
    from casetrack.schema import TableSchema

_FIELDS = (
    Field("Column", whole=True),
    Field("Type"),
    Field("Empty"),
    Field("Unit"),
    Field("Meaning"),
)

_FUNCTION_FIELDS = (
    Field("Function", whole=True),
    Field("Kind"),
    Field("What it gives"),
    Field("Example", extra=True),
)


def schema(
    table_name: Annotated[
        str | None, typer.Argument(metavar="[TABLE]", help="One table; all without it.")
    ] = None,
    functions: Annotated[
        bool, typer.Option("--functions", help="The functions of SQL instead of the tables.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the tables: every column with its type, its unit and what it means.

    With --functions what SQL offers beside them: search(), context(), cite() and others.
    """
    from casetrack import schema as declared

    if functions:
        if table_name is not None:
            raise UsageError("A table has no functions.", hint="Leave the name or --functions out.")
        _show_functions(as_json)
        return
    try:
        names = declared.table_names() if table_name is None else (table_name,)
        tables = [declared.table(name) for name in names]
    except SchemaError as error:
        raise UsageError(error.message, hint="See them all with: casetrack schema") from error
    if as_json:
        objects = [_as_object(t) for t in tables]
        write_json(objects if table_name is None else objects[0])
        return
    for i, shown in enumerate(tables):
        if i:
            line()
        line((f"{shown.name}", "bold cyan"), f" (version {shown.version}): {shown.doc}")
        line()
        table(
            _FIELDS,
            [
                [c.name, c.type_text, "may be" if c.nullable else "never", c.unit, c.doc]
                for c in shown.columns
            ],
        )


def _show_functions(as_json: bool) -> None:
    from casetrack.sql.catalog import catalog

    found = catalog().functions
    if as_json:
        write_json([asdict(function) | {"signature": function.signature} for function in found])
        return
    rows = [[f.signature, f.kind, f.about, f.example] for f in found]
    table(_FUNCTION_FIELDS, rows)


def _as_object(shown: "TableSchema") -> dict[str, Any]:
    return {
        "name": shown.name,
        "version": shown.version,
        "doc": shown.doc,
        "columns": [
            {
                "name": c.name,
                "type": c.type_text,
                "nullable": c.nullable,
                "unit": c.unit,
                "doc": c.doc,
            }
            for c in shown.columns
        ],
    }
