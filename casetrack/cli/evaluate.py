"""``casetrack eval``: how good the search is on a folder of questions with known answers."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from casetrack.cli.options import JsonOption
from casetrack.cli.output import facts, write_json
from casetrack.cli.state import State
from casetrack.errors import FileNotFound, WrongPathKind


def evaluate(
    ctx: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="DIR", help="Folder in the BEIR layout: corpus.jsonl, queries.jsonl, qrels/."
        ),
    ],
    mode: Annotated[
        Literal["keyword", "semantic", "hybrid"],
        typer.Option("--mode", help="Search by words, by meaning, or by both."),
    ] = "hybrid",
    as_json: JsonOption = False,
) -> None:
    """Measure nDCG, recall and reciprocal rank of the search on a set of judged questions."""
    if not folder.exists():
        raise FileNotFound(folder)
    if not folder.is_dir():
        raise WrongPathKind(
            f"{folder} is a file; a folder in the BEIR layout is needed.",
            hint="It holds corpus.jsonl, queries.jsonl and qrels/test.tsv.",
        )
    settings = ctx.ensure_object(State).settings
    from casetrack.cli.progress import Meter
    from casetrack.evaluate import evaluate_beir

    with Meter("Evaluating", unit="steps") as meter:
        report = evaluate_beir(folder, settings=settings, mode=mode, progress=meter.step)
    values = report.as_dict()
    if as_json:
        write_json(values)
        return
    facts((name, _shown(value)) for name, value in values.items())


def _shown(value: Any) -> Any:
    return f"{value:.4f}" if isinstance(value, float) else value
