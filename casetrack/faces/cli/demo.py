"""``casetrack demo``: the main job on the documents that come with the program."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from casetrack.api.text import inside, lines_of
from casetrack.api.text.work import is_known, totals
from casetrack.faces.cli.asking import stopped_text, write
from casetrack.faces.cli.output import line
from casetrack.faces.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from casetrack.base.models.spec import Progress
    from casetrack.base.records import IngestReport, SearchResults
    from casetrack.faces.demo import DemoReport, Question, Reading


def demo(ctx: typer.Context) -> int:
    """Try CaseTrack on a small case file: download the model, add the documents, ask questions.

    A second run reuses everything and is fast. Nothing is sent anywhere; only the model is
    downloaded, once.
    """
    state = ctx.ensure_object(State)
    from casetrack.base.license import UNLIMITED
    from casetrack.faces.demo import run_demo

    state.tier = UNLIMITED  # it shows all that there is
    report = run_demo(state.library, _Screen())
    if report.ingest.cancelled:
        state.interrupt_reported = True
        line(stopped_text(report.ingest), err=True)
        return EXIT_INTERRUPTED
    _show_next_steps(report)
    return EXIT_FAILED if report.ingest.count("failed") else 0


class _Screen:
    """Shows the demonstration on standard output, its progress on standard error."""

    def step(self, number: int, text: str, /) -> None:
        from casetrack.faces.demo import STEPS

        line()
        line((f"[{number}/{STEPS}] ", "bold cyan"), (text, "bold"))

    def detail(self, text: str, /) -> None:
        line(text, indent=6)

    def warning(self, text: str, /) -> None:
        line((text, "yellow"), indent=6)

    @contextlib.contextmanager
    def fetching(self) -> Iterator["Progress"]:
        from casetrack.faces.cli.progress import Meter

        with Meter("Fetching", unit="bytes") as meter:
            yield meter.step

    @contextlib.contextmanager
    def reading(self) -> Iterator["Reading"]:
        from casetrack.faces.cli.progress import Meter, stoppable
        from casetrack.faces.demo import Reading

        with stoppable() as stop, Meter("Reading") as meter:
            yield Reading(meter.ingest, stop)

    def ingested(self, report: "IngestReport", /) -> None:
        # A second run would only repeat that every file is there; the first one explains each.
        for outcome in report.outcomes:
            if not is_known(outcome):
                write(inside(lines_of(outcome), 6))
        for text in (*report.notes, *totals(report)):
            line(text, indent=6)

    def answer(self, question: "Question", results: "SearchResults", /) -> None:
        from casetrack.api.quoting import Words
        from casetrack.api.text.passages import quoted_part, result_lines

        line()
        line(("? ", "bold cyan"), (question.text, "bold"), (f"   ({question.shows})", "dim"))
        words = Words(question.text)
        for result in results.results[:1]:
            write(result_lines(quoted_part(result, words), words, explain=False))
        for result in results.results[1:]:
            line((f"also: {result.citation}", "dim"))
        if not results.results:
            line("Nothing found.")


def _show_next_steps(report: "DemoReport") -> None:
    line()
    line(("Data folder: ", "bold"), str(report.folder))
    line(("Try next:", "bold"))
    for command in report.next_commands:
        line(command, indent=2)
