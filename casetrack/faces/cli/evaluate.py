"""``casetrack eval``: how good the search is on questions with known answers."""

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.api.evaluate import (
    compare_scores,
    in_profile,
    measure,
    measures,
    open_beir,
    open_golden,
    save_run,
)
from casetrack.api.evaluate.runs import compare_runs, find_run, runs_dir, stored_runs, trends
from casetrack.base.errors import FileNotFound, UsageError, WrongPathKind
from casetrack.faces.cli import evaluate_show as show
from casetrack.faces.cli.options import CollectionOption, JsonOption, opt
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.progress import Meter
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.api.evaluate import Difference, QuestionSet, Run


def evaluate(
    ctx: typer.Context,
    folder: Annotated[Path | None, opt("DIR")] = None,
    golden: Annotated[Path | None, opt("--golden FILE")] = None,
    collection: CollectionOption = None,
    modes: Annotated[str | None, opt("--modes --mode LIST")] = None,
    profiles: Annotated[str | None, opt("--profiles --profile LIST")] = None,
    ablate: Annotated[bool, opt("--ablate")] = False,
    no_vocabulary: Annotated[bool, opt("--no-vocabulary")] = False,
    pages: Annotated[bool, opt("--pages")] = False,
    limit: Annotated[int | None, opt("--limit N", min=1)] = None,
    answers: Annotated[Path | None, opt("--answers FILE")] = None,
    compare: Annotated[tuple[str, str] | None, opt("--compare RUN RUN")] = None,
    history: Annotated[bool, opt("--history")] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure how well the search finds the answers to questions, and save the figures.

    Every run is stored in the folder eval/runs of the data folder.

    Parameters
    ----------
    folder
        Folder in the BEIR layout: corpus.jsonl, queries.jsonl, qrels/test.tsv.
    golden
        Use the questions of this file on a collection instead; see docs/evaluation.md.
    modes
        Ways to search, such as keyword,semantic,hybrid,full. [default: as search does]
    profiles
        Models to compare, such as mini,multilingual; passages get the vectors of each. [default:
        mini for DIR, the collection's own for --golden]
    ablate
        Add and remove the signals of the search one by one.
    no_vocabulary
        Search only the words of the question, without synonyms.
    pages
        Refuse questions whose answers have no page.
    limit
        Use only the first N questions by id.
    answers
        Write the shown value of each question and its verdict, as JSON lines.
    compare
        Compare two stored runs, by their ids or files.
    history
        Show the stored runs and how the figures changed.
    """
    state = ctx.ensure_object(State)
    if compare is not None:
        _refuse(ctx, "--compare", "folder", "golden", *_OF_RUNS, "history")
        _compare(state, compare, as_json)
        return
    if history:
        _refuse(ctx, "--history", *_OF_RUNS)
        _history(state, folder, golden, as_json)
        return
    if ablate:
        _refuse(ctx, "--ablate", "modes")
    if golden is not None:
        _refuse(ctx, "--golden", "folder")
    elif folder is not None:
        _refuse(ctx, "DIR", "collection")
    from casetrack.base.license import UNLIMITED

    state.tier = UNLIMITED  # The evaluation measures the engine without the limits of a license.
    chosen, wanted = _modes(modes), _profiles(profiles)
    if ablate and len(wanted) > 1:
        raise UsageError("--ablate accepts one profile.", hint="Name only one in --profiles.")
    runs = []
    for profile in wanted:
        asked = _open(state, folder, golden, collection, profile).limited(limit)
        options: dict[str, Any] = {"vocabulary": not no_vocabulary, "pages": pages}
        for run in _measure(asked, chosen, options, ablate=ablate):
            save_run(run, state.settings)
            runs.append(run)
    if answers is not None:
        _write_answers(answers, runs)
    _report(state, asked, runs, ablate=ablate, as_json=as_json)


_OF_RUNS = ("modes", "profiles", "ablate", "no_vocabulary", "pages", "limit", "answers")


def _write_answers(file: Path, runs: "list[Run]") -> None:
    from casetrack.base.files import write_atomic

    lines = (
        json.dumps({"run": run.id, **a}, ensure_ascii=False) for run in runs for a in run.answers
    )
    write_atomic(file, "".join(f"{line}\n" for line in lines).encode())


def _refuse(ctx: typer.Context, option: str, *others: str) -> None:
    """Refuse options that cannot be combined with another one."""
    given = [p for p in ctx.command.params if p.name in others and ctx.params[p.name]]
    if given:
        names = (p.opts[0] if p.param_type_name == "option" else p.metavar for p in given)
        raise UsageError(f"{option} cannot be combined with {', '.join(map(str, names))}.")


def _modes(modes: str | None) -> list[str | None]:
    from casetrack.base.records.search import SEARCH_MODES

    if modes is None:
        return [None]
    chosen = list(dict.fromkeys(part.strip() for part in modes.split(",") if part.strip()))
    unknown = [mode for mode in chosen if mode not in SEARCH_MODES]
    if unknown or not chosen:
        wrong = f"Unknown mode {unknown[0]!r}." if unknown else "--modes names no mode."
        raise UsageError(wrong, hint=f"Use a comma-separated list of: {', '.join(SEARCH_MODES)}.")
    return list(chosen)


def _profiles(profiles: str | None) -> list[str | None]:
    """Return the profiles to measure; ``None`` selects the collection's own."""
    if profiles is None:
        return [None]
    parts = [part.strip().lower() for part in profiles.split(",")]
    if not any(parts):
        raise UsageError("--profiles names no profile.", hint="For example: mini,multilingual")
    return list(dict.fromkeys(part for part in parts if part))


def _open(
    state: State,
    folder: Path | None,
    golden: Path | None,
    collection: str | None,
    profile: str | None,
) -> "QuestionSet":
    from casetrack.base.records import DEFAULT_PROFILE

    if golden is not None:
        own = state.collection(collection)
        if profile is None:
            return open_golden(golden, own)
        with Meter(f"Vectors of {profile}", unit="passages") as meter:
            searched = in_profile(
                own, profile, state.library, lambda _what, n, of: meter.update(n, of)
            )
        # Use any collection with vectors, because the questions are about the user's own
        # collections.
        return replace(open_golden(golden, searched), name=f"{own.name}: {golden.name}")
    if folder is None:
        raise UsageError(
            "No questions: name a folder in the BEIR layout, or --golden FILE.",
            hint="docs/evaluation.md explains how to create a golden file for your documents.",
        )
    if not folder.exists():
        raise FileNotFound(folder)
    if not folder.is_dir():
        raise WrongPathKind(
            f"{folder} is a file, not a folder in the BEIR layout.",
            hint="The folder contains corpus.jsonl, queries.jsonl and qrels/test.tsv. For a "
            "file of questions on a collection, use --golden.",
        )
    with Meter("Indexing", unit="documents") as meter:
        return open_beir(
            folder, state.library, profile=profile or DEFAULT_PROFILE, progress=meter.update
        )


def _measure(
    asked: "QuestionSet", modes: list[Any], options: dict[str, Any], *, ablate: bool
) -> "Iterator[Run]":
    ways: list[tuple[str, dict[str, Any]]] = [(m or "search", {"mode": m}) for m in modes]
    if ablate:
        signals = measures.available_signals(asked)
        ways = [(" + ".join(some), {"stages": some}) for some in measures.combinations(signals)]
    for title, way in ways:
        with Meter(f"Asking ({title})", unit="questions") as meter:
            yield measure(asked, **way, **options, progress=meter.update)


def _report(
    state: State, asked: "QuestionSet", runs: "list[Run]", *, ablate: bool, as_json: bool
) -> None:
    differences = _differences(runs, ablate=ablate)
    names = show.names_of(runs)
    if as_json:
        write_json(
            {
                "runs": [run.summary() for run in runs],
                "differences": [
                    {"compared": names[second.id], "with": names[first.id], **d.as_dict()}
                    for first, second, d in differences
                ],
                "stored_in": str(runs_dir(state.settings)),
            }
        )
        return
    show.head(asked, runs[0])
    show.results(runs)
    show.groups(runs)
    if differences:
        line()
        show.differences(differences, names)
    line()
    for note in dict.fromkeys(note for run in runs for note in run.notes):
        line((f"Note: {note}", "yellow"))
    line((f"Stored in {runs_dir(state.settings)}: {', '.join(run.id for run in runs)}", "dim"))


def _differences(runs: "list[Run]", *, ablate: bool) -> "list[tuple[Run, Run, Difference]]":
    """Compare every two search modes; with --ablate, each with the one that uses all signals.

    Two profiles are compared in the same mode.
    """
    from casetrack.api.evaluate.measures import MAIN

    pairs = [(runs[-1], run) for run in runs[:-1]] if ablate else list(combinations(runs, 2))
    pairs = [(a, b) for a, b in pairs if a.profile == b.profile or a.label == b.label]
    return [
        (a, b, changes[0])
        for a, b in pairs
        if (changes := compare_scores(a.scores, b.scores, [MAIN]))
    ]


def _compare(state: State, pair: tuple[str, str], as_json: bool) -> None:
    first, second = (find_run(asked, state.settings) for asked in pair)
    comparison = compare_runs(first, second)
    if as_json:
        write_json(comparison.as_dict())
        return
    show.comparison(comparison)


def _history(state: State, folder: Path | None, golden: Path | None, as_json: bool) -> None:
    runs, notes = stored_runs(state.settings)
    if folder is not None:
        name = folder.resolve().name
        runs = [run for run in runs if run.kind == "beir" and run.dataset == name]
    if golden is not None:
        runs = [
            run for run in runs if run.kind == "golden" and run.dataset.endswith(f": {golden.name}")
        ]
    series = trends(runs)
    if as_json:
        write_json({"series": [[p.as_dict() for p in s] for s in series], "notes": notes})
        return
    if not series:
        line(f"No run is stored in {runs_dir(state.settings)} yet.")
        line("Run casetrack eval DIR, or casetrack eval --golden FILE", indent=2)
    show.trends(series)
    for note in notes:
        line((f"Note: {note}", "yellow"))
