"""``casetrack demo``: the main job on the documents that come with the program.

A second run reuses all results.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from casetrack.api.text import inside, lines_of
from casetrack.api.text.work import is_known, totals
from casetrack.base.errors import CollectionNotFound, ModelError
from casetrack.faces.cli.asking import stopped_text, write
from casetrack.faces.cli.output import line
from casetrack.faces.cli.state import EXIT_FAILED, EXIT_INTERRUPTED, State

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records import IngestReport, SearchResults

_STEPS = 4


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the demonstration, and the feature that its answer shows."""

    text: str
    shows: str


QUESTIONS: tuple[Question, ...] = (
    Question("Between which dates may no software be changed at the Site?", "in its own words"),
    Question("How soon must the contractor report a data leak?", "in other words"),
    Question("Why did the watchman do nothing about the signal?", "in other words"),
    Question("What is the approved budget for air locks and conveyors?", "a row of a workbook"),
    Question("How many pallets were lost in Chamber 3 on 8 October 2024?", "two sources differ"),
    Question("Wie hoch ist die Vertragsstrafe je Werktag?", "a letter in German"),
)


def demo(ctx: typer.Context) -> int:
    """Try CaseTrack on a small case file: download the model, add the documents, ask questions.

    A second run reuses everything and is fast. Nothing is sent anywhere; only the model is
    downloaded, once.
    """
    state = ctx.ensure_object(State)
    from casetrack.base.license import UNLIMITED
    from casetrack.base.resources import resource_dir
    from casetrack.faces.cli.progress import Meter, long_work
    from casetrack.faces.demo import COLLECTION

    state.tier = UNLIMITED  # it shows all that there is
    samples = resource_dir("data-samples") / "files"
    _step(1, "The model that finds passages by meaning")
    _fetch_model(state.library.settings.models_dir)
    _step(2, f'The collection "{COLLECTION}"')
    collection = _open(state)
    _step(3, f"Adding the documents of {samples}")
    report = long_work(
        state,
        "ingest",
        lambda progress, cancel: collection.ingest([samples], progress=progress, cancel=cancel),
        title=f"Ingest of {samples}",
        collection=collection.info,
        meter=Meter("Reading"),
    )
    _show_ingest(report)
    if report.cancelled:
        state.interrupt_reported = True
        line(stopped_text(report), err=True)
        return EXIT_INTERRUPTED
    _step(4, "Asking questions; every answer names its exact source")
    answers = []
    for question in QUESTIONS:
        answers.append(collection.search(question.text, limit=3))
        _show_answer(question, answers[-1])
    _show_next_steps(collection, answers)
    return EXIT_FAILED if report.count("failed") else 0


def _step(number: int, text: str) -> None:
    line()
    line((f"[{number}/{_STEPS}] ", "bold cyan"), (text, "bold"))


def _fetch_model(models_dir: "Path") -> None:
    """Prepare the model; without it, the demonstration continues with keyword search."""
    from casetrack.api.models.supplies import fetch, lacking
    from casetrack.faces.cli.progress import Meter
    from casetrack.faces.demo import without

    reports: list[str] = []
    try:
        with Meter("Fetching", unit="bytes") as meter:
            reports += fetch(models_dir, meter.step)
    except ModelError as error:
        going_on = f"Continuing without it: {without(lacking(models_dir))}"
        for text in (error.message, error.hint, going_on):
            line((text, "yellow"), indent=6)
    for text in reports:
        line(text, indent=6)


def _open(state: State) -> "Collection":
    from casetrack.faces.demo import COLLECTION, create

    try:
        collection, how = state.library.get(COLLECTION), "already exists"
    except CollectionNotFound:
        collection, how = create(state.library), "created"
    line(f"{how} in {collection.folder}", indent=6)
    return collection


def _show_ingest(report: "IngestReport") -> None:
    # A second run would only repeat that every file is there; the first one explains each.
    for outcome in report.outcomes:
        if not is_known(outcome):
            write(inside(lines_of(outcome), 6))
    for text in (*report.notes, *totals(report)):
        line(text, indent=6)


def _show_answer(question: Question, results: "SearchResults") -> None:
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


def _show_next_steps(collection: "Collection", answers: "list[SearchResults]") -> None:
    name = collection.info.name
    first = next((a.results[0] for a in answers if a.results), None)
    line()
    line(("Data folder: ", "bold"), str(collection.folder))
    line(("Try next:", "bold"))
    line(f'casetrack search "your own question" -c {name}', indent=2)
    if first is None:
        line(f"casetrack documents -c {name}", indent=2)
    else:
        line(f"casetrack chunk {first.provenance.chunk_id} --window 1 -c {name}", indent=2)
    line("casetrack ingest PATH --create -c NAME", indent=2)
