"""``casetrack schema``: the tables, as they are declared."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.base.errors import SchemaError, UsageError
from casetrack.faces.cli.options import JsonOption, opt
from casetrack.faces.cli.output import Field, line, table, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.pipelines import PipelineAbout
    from casetrack.base.schema import TableSchema

_COLUMNS = (Field("Column", whole=True), *map(Field, ("Type", "Empty", "Unit", "Meaning")))
_FUNCTIONS = (
    *(Field("Function", whole=True), Field("Kind"), Field("Returns")),
    Field("Example", extra=True),
)
_PARAMETERS = (Field("Parameter", whole=True), *map(Field, ("Type", "Default", "Here", "Meaning")))


def schema(
    ctx: typer.Context,
    table_name: Annotated[str | None, opt("TABLE")] = None,
    functions: Annotated[bool, opt("--functions")] = False,
    pipelines: Annotated[bool, opt("--pipelines")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the tables: every column with its type, unit and meaning.

    --functions shows the functions of SQL: search(), context(), cite() and others. --pipelines
    shows the steps of an ingest; a pipeline file of yours is checked.

    Parameters
    ----------
    table_name
        One table, or one pipeline. [default: all]
    functions
        The functions of SQL instead of the tables.
    pipelines
        The pipelines instead: their steps and parameters.
    """
    from casetrack.base import schema as declared

    if pipelines:
        if functions:
            raise UsageError("Choose either --functions or --pipelines.")
        _show_pipelines(ctx.ensure_object(State).settings.data_dir, table_name, as_json)
        return
    if functions:
        if table_name is not None:
            raise UsageError("A table has no functions.", hint="Omit the name or --functions.")
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
            _COLUMNS,
            [
                [c.name, c.type_text, "may be" if c.nullable else "never", c.unit, c.doc]
                for c in shown.columns
            ],
        )


def _show_functions(as_json: bool) -> None:
    from casetrack.base.sql.catalog import catalog

    functions = catalog().functions
    if as_json:
        write_json([asdict(function) | {"signature": function.signature} for function in functions])
        return
    rows = [[f.signature, f.kind, f.about, f.example] for f in functions]
    table(_FUNCTIONS, rows)


def _show_pipelines(data_dir: "Path", wanted: str | None, as_json: bool) -> None:
    from casetrack.api.pipelines import explain_named, explain_pipelines, unused_steps

    if wanted is not None:
        shown = [explain_named(wanted, data_dir)]
        if as_json:
            write_json(asdict(shown[0]))
            return
    else:
        shown = explain_pipelines(data_dir)
        others = unused_steps(shown)
        if as_json:
            names = ("name", "package", "about")
            write_json(
                {
                    "pipelines": [asdict(pipeline) for pipeline in shown],
                    "other_steps": [dict(zip(names, other, strict=True)) for other in others],
                }
            )
            return
    for i, pipeline in enumerate(shown):
        if i:
            line()
        _show_pipeline(pipeline)
    if wanted is None and others:
        line()
        line(("Further steps for pipelines:", "bold"))
        for name, package, about in others:
            line((name, "bold"), f" ({package})" if package else "", f": {about}", indent=2)


def _show_pipeline(pipeline: "PipelineAbout") -> None:
    line((pipeline.name, "bold cyan"), f": {pipeline.about or 'no description'}")
    line((pipeline.path, "dim"))
    if pipeline.problem:
        line(("It is not usable: ", "bold red"), pipeline.problem)
        return
    line((f"Fingerprint without models: {pipeline.fingerprint}", "dim"))
    for number, step in enumerate(pipeline.steps, start=1):
        line()
        origin = f", of the package {step.package}" if step.package else ""
        over = ", over the collection" if step.over == "collection" else ""
        title = f" (version {step.version}, {step.fingerprint}{over}{origin})"
        line((f"{number}. {step.name}", "bold"), title)
        line(step.about, indent=3)
        line((f"needs {step.reads}: ", "dim"), ", ".join(step.needs), indent=3)
        line((f"gives {step.writes}: ", "dim"), ", ".join(step.adds), indent=3)
        if step.shares_pass_with:
            others = ", ".join(step.shares_pass_with)
            line(("shares its pass of the encoder with ", "dim"), others, indent=3)
        if step.parameters:
            rows = [
                [p["name"], p["type"], _value(p["default"]), _value(p["value"]), p["meaning"]]
                for p in step.parameters
            ]
            table(_PARAMETERS, rows)


def _value(value: Any) -> str:
    """Return a value as a pipeline file has it."""
    import json

    return json.dumps(list(value) if isinstance(value, tuple) else value)


def _as_object(shown: "TableSchema") -> dict[str, Any]:
    names = ("name", "type_text", "nullable", "unit", "doc")
    columns = [{n.removesuffix("_text"): getattr(c, n) for n in names} for c in shown.columns]
    return {"name": shown.name, "version": shown.version, "doc": shown.doc, "columns": columns}
