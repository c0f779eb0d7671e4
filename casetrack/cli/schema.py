"""``casetrack schema``: the tables, as they are declared."""

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


def schema(
    table_name: Annotated[
        str | None, typer.Argument(metavar="[TABLE]", help="One table; all without it.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the tables: every column with its type, its unit and what it means."""
    from casetrack import schema as declared

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
