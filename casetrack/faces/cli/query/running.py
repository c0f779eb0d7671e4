"""Running statements: their targets, limits, Ctrl-C, and output."""

from __future__ import annotations

import math
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from casetrack.api.sql import saved
from casetrack.api.sql.parameters import Parameter, refuse_unused, values_for
from casetrack.base.errors import CaseTrackError, QueryError, UsageError
from casetrack.base.machine import own_bytes
from casetrack.base.records.cards import QueryReport
from casetrack.base.sql.statements import is_blank, limited
from casetrack.faces.cli.output import counted, is_terminal, line
from casetrack.faces.cli.program import show_error, show_unexpected
from casetrack.faces.cli.progress import QUIET_SECONDS
from casetrack.faces.cli.query import formats
from casetrack.faces.cli.state import EXIT_INTERRUPTED, EXIT_USAGE, State

if TYPE_CHECKING:
    from pathlib import Path

    from rich.status import Status

    from casetrack.base.sql.control import Control
    from casetrack.faces.cli.query.formats import Format


class QueryTarget:
    """One collection, or several whose views have prefixed names; *named* is as typed."""

    def __init__(self, state: State, named: Sequence[str], /) -> None:
        self.state = state
        self.named = tuple(named)
        self.collections = tuple(state.collection(name) for name in named or (None,))

    @property
    def title(self) -> str:
        """The names of the collections."""
        return ", ".join(collection.name for collection in self.collections)

    @property
    def saved_places(self) -> tuple[tuple[saved.Origin, Path], ...]:
        """The folders of saved queries."""
        return saved.places([c.folder for c in self.collections], self.state.settings.data_dir)

    def run(
        self, statement: str, params: Mapping[str, Any], /, *, explain: bool = False
    ) -> QueryReport:
        """Run a statement; Ctrl-C and the limits of the settings stop it.

        *explain* adds the plan and the search calls.
        """
        start = time.perf_counter()
        asked: Any = self.state.library
        options: dict[str, Any] = {"params": dict(params) or None, "explain": explain}
        if len(self.collections) == 1:
            asked = self.collections[0]
        else:
            options["collections"] = tuple(collection.name for collection in self.collections)
        answer = watched(
            lambda control: asked.sql(statement, exact=True, control=control, **options),
            memory_mb=self.state.settings.sql.memory_mb,
        )
        return answer if explain else QueryReport(answer, "", (), time.perf_counter() - start)

    @cached_property
    def document_names(self) -> tuple[str, ...]:
        """The names of all documents, sorted."""
        return tuple(sorted({d.name for c in self.collections for d in c.documents()}))


# Watches a statement at work: its memory, its time, and Ctrl-C.

_T = TypeVar("_T")
_LOOK_SECONDS = 0.05
GRACE_SECONDS = 2.0
"""Seconds that a stopped statement may take to end."""
_SOFT, _HARD = 1.5, 2.0
"""Multiples of DuckDB's memory, with the rows of an answer: soft stop, then hard stop."""


def watched(work: Callable[[Control], _T], /, *, memory_mb: int) -> _T:
    """Run a statement on a separate thread, and ensure that it ends.

    *work* gets the control; *memory_mb* is DuckDB's limit in MiB.
    """
    from casetrack.base.sql.control import Control, Running, too_large

    control = Control()
    running = Running(lambda: work(control))
    before = last = 0
    interrupted = False
    while True:
        started, status = time.monotonic(), None
        try:
            with ExitStack() as shown:
                while not running.wait(_LOOK_SECONDS):
                    seconds = time.monotonic() - started
                    if seconds >= QUIET_SECONDS and is_terminal(sys.stderr):
                        status = status or shown.enter_context(_status())
                        status.update(f"Running for {seconds:.0f} s; Ctrl-C stops it.")
                    # Most statements are over before there is something to look at.
                    if last or control.counting:
                        now = own_bytes()
                        # Search models have their own memory limits.
                        before += 0 if control.counting else now - last
                        before, last = before or now, now
                    used = (last - before) / (1 << 20)
                    if used > memory_mb * _SOFT:
                        control.stop(too_large(memory_mb))
                    late = time.monotonic() - (control.stopped_at or math.inf)
                    if used > memory_mb * _HARD or late > GRACE_SECONDS:
                        break
        except KeyboardInterrupt:
            if interrupted:
                _end(None)
            interrupted = True
            control.stop()
            continue
        if not running.over.is_set():
            _end(None if interrupted else control.error)
        if interrupted:
            raise KeyboardInterrupt
        return running.result()


def _status() -> Status:
    from rich.console import Console

    return Console(file=sys.stderr, highlight=False).status("", spinner="line")


def _end(error: QueryError | None) -> NoReturn:
    """Report an error, or else that Ctrl-C was pressed, and end the process."""
    code = EXIT_USAGE if error else EXIT_INTERRUPTED
    # A reader who takes nothing from the pipe must not keep the statement alive.
    threading.Timer(GRACE_SECONDS, os._exit, (code,)).start()
    with suppress(OSError, ValueError):
        if error:
            show_error(error, as_json="--json" in sys.argv)
        else:
            line("Stopped by Ctrl-C.", err=True)
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)


@dataclass(slots=True)
class How:
    """How statements are run and their rows written.

    Attributes
    ----------
    wanted
        The format; ``None`` follows the extension of *output*.
    output
        The file; ``None`` for standard output.
    limit
        Highest number of rows.
    show_sql
        Write the SQL.
    explain
        Write the plan and the search calls.
    counting
        Write the number of rows and the time.
    raw
        Do not protect texts in CSV and Markdown that a spreadsheet would read as formulas.
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
        """The current format."""
        wanted = self.wanted or formats.format_of(self.output)
        if wanted in formats.BINARY and self.output is None and sys.stdout.isatty():
            raise UsageError(
                f"{wanted.capitalize()} cannot be shown on a terminal.",
                hint="Write it to a file with --output FILE, or choose another --format.",
            )
        return wanted


def run(source: QueryTarget, statement: str, params: Mapping[str, Any], how: How, /) -> bool:
    """Run a statement and write its rows; messages go to standard error.

    Returns
    -------
    bool
        True; a run in another process returns False after it has reported an error.
    """
    if is_blank(statement):
        raise UsageError("The statement is empty.", hint="For instance: FROM documents")
    wanted = how.format
    sql = limited(statement, how.limit)
    if how.show_sql:
        line(sql.rstrip().removesuffix(";") + ";", err=True)
        for name, value in params.items():
            line((f"-- ${name} = {'NULL' if value is None else repr(value)}", "dim"), err=True)
    answer = source.run(sql, params, explain=how.explain)
    rows = answer.table.slice(0, how.limit)
    if how.explain:
        line(("Plan", "bold"), err=True)
        line(answer.plan.rstrip("\n"), err=True)
        line(("Search calls", "bold"), err=True)
        for call in answer.calls or ("none",):
            line(str(call), err=True, indent=2)
    count, seconds = counted(rows.num_rows, "row"), answer.seconds
    time = f"{seconds:.3f} s" if seconds < 1 else f"{seconds:.1f} s"
    if how.output is not None:
        formats.write_file(rows, wanted, how.output, raw=how.raw)
        line(f"Wrote {count} to {how.output}.", f" ({time})" if how.counting else "", err=True)
        return True
    formats.write_stdout(rows, wanted, raw=how.raw)
    sys.stdout.flush()
    if how.counting:
        note = ", as many as the limit allows" if rows.num_rows == how.limit else ""
        line((f"({count}{note}, {time})", "dim"), err=True)
    return True


Run = Callable[[QueryTarget, str, Mapping[str, Any], How], bool]


def run_all(
    source: QueryTarget,
    statements: Sequence[str],
    given: dict[str, str],
    how: How,
    declared: Sequence[Parameter],
    /,
    *,
    run: Run = run,
    way: str = "-p",
) -> bool:
    """Run statements with values for their parameters, until one fails.

    *declared* are the parameters of the file, for a statement without a header; *way* describes
    how to pass a value. All values of ``-p`` must belong to a parameter.
    """
    if how.output is not None and len(statements) > 1:
        raise UsageError(
            f"The rows of {len(statements)} statements cannot be written to one file.",
            hint="Run them one by one, or leave out --output.",
        )
    heads = [saved.read_head(sql, "the statement")[1] or declared for sql in statements]
    if way == "-p":
        refuse_unused(given, statements, chain.from_iterable(heads))
    return all(
        run(source, sql, values_for(sql, given, head, way=f"{way} {{name}}=VALUE"), how)
        for sql, head in zip(statements, heads, strict=True)
    )


def run_reporting(work: Callable[[], object], /) -> bool:
    """Run *work* and write its errors to standard error; return whether there were none."""
    try:
        work()
    except CaseTrackError as error:
        show_error(error)
    except KeyboardInterrupt:
        line("Cancelled.", err=True)
    except (BrokenPipeError, EOFError):
        raise
    except Exception as error:  # noqa: BLE001 - keeps earlier results
        show_unexpected(error)
    else:
        return True
    return False
