"""Runs a statement and delivers its rows: where to, in which format, with which notes."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CaseTrackError, UsageError
from casetrack.base.sql.statements import is_blank, limited
from casetrack.faces.cli.output import counted, line
from casetrack.faces.cli.program import show_error, show_unexpected
from casetrack.faces.cli.query import formats, tables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from casetrack.base.records.cards import QueryReport
    from casetrack.faces.cli.query.formats import Format
    from casetrack.faces.cli.query.source import QueryTarget


@dataclass(slots=True)
class How:
    """How statements are run and their rows written.

    Attributes
    ----------
    wanted
        The format; ``None`` leaves it to the ending of *output*.
    output
        The file; ``None`` for standard output.
    limit
        At most so many rows.
    show_sql
        Tell what is run.
    explain
        Tell the plan, and what was asked of the search engine.
    counting
        Tell how many rows there are and how long it took.
    raw
        Write texts in CSV and Markdown as they are, also those that a spreadsheet would take for
        formulas.
    """

    wanted: Format | None = None
    output: Path | None = None
    limit: int | None = None
    show_sql: bool = False
    explain: bool = False
    counting: bool = True
    raw: bool = False

    @property
    def format(self) -> Format:
        """The format in force."""
        return self.wanted or formats.format_of(self.output)


def run(source: QueryTarget, statement: str, params: Mapping[str, Any], how: How, /) -> None:
    """Run a statement and write its rows; all that is no row goes to standard error.

    Raises
    ------
    UsageError
        The statement is empty, or the rows cannot be written as asked.
    QueryError
        It was refused, or failed.
    """
    if is_blank(statement):
        raise UsageError("The statement is empty.", hint="For instance: FROM documents")
    wanted = how.format
    if how.output is None:
        formats.refuse_on_terminal(wanted)
    sql = limited(statement, how.limit)
    if how.show_sql:
        _tell_sql(sql, params)
    answer = source.run(sql, params, explain=how.explain)
    if how.limit is not None and answer.table.num_rows > how.limit:
        answer = replace(answer, table=answer.table.slice(0, how.limit))
    if how.explain:
        _tell_plan(answer)
    _deliver(answer, wanted, how)


def _deliver(answer: QueryReport, wanted: Format, how: How) -> None:
    rows = answer.table
    count, seconds = counted(rows.num_rows, "row"), seconds_text(answer.seconds)
    if how.output is not None:
        formats.write_file(rows, wanted, how.output, raw=how.raw)
        line(f"Wrote {count} to {how.output}.", f" ({seconds})" if how.counting else "", err=True)
        return
    if wanted == "table":
        tables.show(rows)
    else:
        formats.write_stdout(rows, wanted, raw=how.raw)
    sys.stdout.flush()
    if how.counting:
        reached = how.limit is not None and rows.num_rows == how.limit
        note = f", as many as the limit allows, {seconds}" if reached else f", {seconds}"
        line((f"({count}{note})", "dim"), err=True)


def seconds_text(seconds: float, /) -> str:
    """Return a duration in seconds, with digits where they say something.

    Examples
    --------
    >>> seconds_text(0.0123), seconds_text(12.34)
    ('0.012 s', '12.3 s')
    """
    return f"{seconds:.3f} s" if seconds < 1 else f"{seconds:.1f} s"


def _tell_sql(sql: str, params: Mapping[str, Any]) -> None:
    line(sql.rstrip().removesuffix(";") + ";", err=True)
    for name, value in params.items():
        line(
            (f"-- ${name} = {value!r}" if value is not None else f"-- ${name} = NULL", "dim"),
            err=True,
        )


def _tell_plan(answer: QueryReport) -> None:
    line(("Plan", "bold"), err=True)
    line(answer.plan.rstrip("\n"), err=True)
    line(("Search calls", "bold"), err=True)
    if not answer.calls:
        line("none", err=True, indent=2)
    for call in answer.calls:
        where = f" in {call.collection}" if call.collection else ""
        given = "".join(f", {k} := {v!r}" for k, v in call.arguments.items() if v is not None)
        times = f", asked {call.times} times" if call.times > 1 else ""
        line(
            f"{call.function}({call.question!r}{given}){where}: "
            f"{counted(call.rows, 'row')}, {call.milliseconds:.1f} ms{times}",
            err=True,
            indent=2,
        )
        stages = f" ({', '.join(call.stages)})" if call.stages else ""
        if call.mode:
            line(f"mode {call.mode}{stages}", err=True, indent=4)
        for note in call.notes:
            line((f"Note: {note}", "yellow"), err=True, indent=4)


class AlreadyTold(Exception):
    """Something went wrong, and the user was told what."""


def told(work: Callable[[], None], /) -> bool:
    """Do some work and tell on standard error what goes wrong; return whether all went well.

    Raises
    ------
    BrokenPipeError
        Nobody reads what is written.
    """
    try:
        work()
    except CaseTrackError as error:
        show_error(error)
    except KeyboardInterrupt:
        line("Cancelled.", err=True)
    except AlreadyTold:
        return False
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - what was done before is not lost
        show_unexpected(error)
    else:
        return True
    return False
