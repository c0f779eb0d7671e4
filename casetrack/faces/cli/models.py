"""``casetrack models``: fetch, list and check models and data of text recognition."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.faces.cli.options import CollectionOption, JsonOption, opt
from casetrack.faces.cli.output import Field, byte_text, line, table, write_json
from casetrack.faces.cli.state import EXIT_FAILED, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.api.evaluate.advise import Advice
    from casetrack.api.models.ocr import EngineState

_NAMES = "rapidocr, easyocr, or tesseract-LANGUAGE such as tesseract-deu+eng"
PullArgument = Annotated[
    str | None,
    opt(
        "NAME",
        f"A profile (all its models) or a model; for text recognition {_NAMES}. [default: the "
        "default profile, and the models of rapidocr]",
    ),
]
VerifyArgument = Annotated[
    str | None, opt("NAME", "As for `models pull`. [default: all installed ones]")
]
OcrOption = Annotated[
    bool, opt("--ocr", "List the engines of text recognition only; with --json too.")
]
_SIZES = (Field("Installed"), Field("Size", "right"), Field("Dimension", "right"))
_PROFILE_FIELDS = (*(Field("Profile"), *_SIZES, Field("Models")), Field("What it is", extra=True))
_MODEL_FIELDS = (
    *(Field("Model"), Field("Makes"), *_SIZES, Field("Licence")),
    Field("From", extra=True),
)
_OCR_FIELDS = (Field("Engine"), Field("Ready"), Field("Languages"), Field("How to get it"))
_ADVICE_FIELDS = (
    Field("Profile", whole=True),
    Field("nDCG@10", "right"),
    Field("Gain", whole=True),
    Field("hit@1", "right"),
    Field("Gain", whole=True),
    Field("Verdict", whole=True),
    Field("ms a search", "right"),
    Field("ms a passage", "right"),
    Field("Size", "right"),
)
_NON_COMMERCIAL = "non-commercial use only"
_RAPIDOCR_READS = "Latin, Greek, Chinese and Japanese script"
_SHOWN = 12


def pull(ctx: typer.Context, name: PullArgument = None, as_json: JsonOption = False) -> None:
    """Fetch the models of a profile, or the data of text recognition, and check them.

    Complete files are kept, and an interrupted download continues. Ingesting and searching with
    these models then need no network.
    """
    models_dir = ctx.ensure_object(State).settings.models_dir
    from casetrack.api.models.pulling import known
    from casetrack.api.models.supplies import USUAL

    objects = []
    for wanted in USUAL if name is None else (known(name),):
        summary, as_object = _pulled(wanted, models_dir)
        objects.append(as_object)
        if not as_json:
            line(summary)  # Write each result at once, because a later download may fail.
    if as_json:
        whole = {"name": "usual", "unchanged": all(o["unchanged"] for o in objects)}
        write_json(whole | {"models": objects} if name is None else objects[0])


def _pulled(name: str, models_dir: Path) -> "tuple[str, dict[str, Any]]":
    """Fetch the model *name*; return the report as text and as JSON."""
    from casetrack.api.models import pulling
    from casetrack.faces.cli.progress import Meter

    for spec in pulling.specs_of(name):  # before anything is fetched
        if spec.is_non_commercial:
            note = f"Note: the licence of {spec.name}, {spec.licence}, allows {_NON_COMMERCIAL}."
            line((note, "yellow"), err=True)
    with Meter("Fetching", unit="bytes") as meter:
        pulled = pulling.pull(name, models_dir, meter.step)
    return pulled.summary(), pulled.as_object()


def list_models(ctx: typer.Context, ocr: OcrOption = False, as_json: JsonOption = False) -> None:
    """List the profiles and models that this version knows, and the engines of text recognition.

    With --json the profiles with their models; with --json and --ocr, the engines.
    """
    models_dir = ctx.ensure_object(State).settings.models_dir
    from casetrack.api.models import listing
    from casetrack.api.models.ocr import as_objects, engines

    if as_json:
        installed = {} if ocr else listing.installed(models_dir)
        write_json(as_objects(models_dir) if ocr else listing.profiles(installed))
        return
    if not ocr:
        _write_models(models_dir)
        line()
    line("Text recognition (OCR)")
    table(_OCR_FIELDS, [_engine_row(state) for state in engines(models_dir)])


def _write_models(models_dir: Path) -> None:
    from casetrack.api.models import listing

    installed = listing.installed(models_dir)
    table(_PROFILE_FIELDS, [_profile_row(profile) for profile in listing.profiles(installed)])
    line()
    table(_MODEL_FIELDS, [_model_row(model) for model in listing.models(installed)])
    line(f"Models folder: {models_dir}")
    if not installed:
        line("Fetch the default profile once while online: casetrack models pull")


def verify(ctx: typer.Context, name: VerifyArgument = None, as_json: JsonOption = False) -> int:
    """Check the hash of every file; without NAME, of all fetched models.

    Exit code 1 means that a file is missing or wrong.
    """
    from casetrack.api.models.pulling import verify as checks_of

    checks = checks_of(name, ctx.ensure_object(State).settings.models_dir)
    every = [(model, check) for model, files in checks.items() for check in files]
    bad = dict.fromkeys(model for model, check in every if check.state != "ok")
    if as_json:
        keys = ("model", "file", "state", "expected", "found")
        rows = ((model, c.name, c.state, c.expected, c.found) for model, c in every)
        write_json([dict(zip(keys, row, strict=True)) for row in rows])
        return EXIT_FAILED if bad else 0
    for model, check in every:
        style = "green" if check.state == "ok" else "bold red"
        line((f"{check.state:<9}", style), f"{model}/{check.name}")
    for model in bad:
        line(f"Repair it with: casetrack models pull {model}", err=True)
    return EXIT_FAILED if bad else 0


def advise(
    ctx: typer.Context,
    golden: Annotated[Path | None, opt("--golden FILE")] = None,
    collection: CollectionOption = None,
    profiles: Annotated[str | None, opt("--profiles LIST")] = None,
    pull: Annotated[bool, opt("--pull")] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure what each profile would gain on your questions, and its cost in time and space.

    The gain is the difference from the collection's own profile, with its 95 % interval. Copies of
    the collection are made in the folder eval of the data folder. Profiles whose models are not
    installed are listed, not measured.

    Parameters
    ----------
    golden
        Use the questions of this file, see docs/evaluation.md. [default: the notes on marked
        passages]
    profiles
        Only these, such as mini-rerank,bge. [default: all installed]
    pull
        Download missing models first.
    """
    from casetrack.api.evaluate import open_golden
    from casetrack.api.evaluate.advise import advise as advices
    from casetrack.api.evaluate.advise import few_questions, noted_questions
    from casetrack.base.license import UNLIMITED
    from casetrack.base.models.profiles import find_profile
    from casetrack.faces.cli.progress import Meter

    state = ctx.ensure_object(State)
    state.tier = UNLIMITED  # as for the evaluation
    chosen = tuple(find_profile(p.strip()).name for p in (profiles or "").split(",") if p.strip())
    own = state.collection(collection)
    questions = partial(open_golden, golden) if golden else partial(noted_questions, marked=own)
    with Meter("Measuring", unit="steps") as meter:
        found = list(advices(state.library, own, questions, meter.step, profiles=chosen, pull=pull))
    if as_json:
        write_json([advice.as_dict() for advice in found])
        return
    table(_ADVICE_FIELDS, [_advice_row(advice) for advice in found])
    line()
    lacking = [advice for advice in found if advice.run is None]
    for advice in lacking:
        text = f"{advice.profile.name} was not measured: {advice.reason}"
        line(f"{text}; about {byte_text(advice.size)}" if advice.size else text)
    if any(advice.size for advice in lacking):
        line("Download models with --pull, or with: casetrack models pull PROFILE")
    measured = next((advice.run for advice in found if advice.run), None)
    if measured and (note := few_questions(len(measured.scores))):
        line((f"Note: {note}", "yellow"))


def _advice_row(advice: "Advice") -> list[Any]:
    run, gains = advice.run, {gain.measure: gain for gain in advice.gains}
    cells: list[Any] = [advice.profile.name]
    for measure in ("ndcg@10", "hit@1"):
        gain = gains.get(measure)
        cells.append("" if run is None else f"{run.means[measure]:.3f}")
        cells.append(f"{gain.difference:+.3f} [{gain.low:+.3f}, {gain.high:+.3f}]" if gain else "")
    verdict = gains["ndcg@10"].verdict if gains else ""
    cells.append("not measured" if run is None else verdict or "your profile")
    cells.append("" if run is None else f"{run.percentile(0.5):.0f}")
    cells.append("" if advice.passage_ms is None else f"{advice.passage_ms:.0f}")
    return [*cells, byte_text(advice.size) if advice.size else ""]


def _profile_row(profile: dict[str, Any]) -> list[Any]:
    models, purpose = profile["models"], profile["purpose"]
    if not models:
        return [profile["name"], "service", "", "", "", purpose]
    missing = [model["name"] for model in models if not model["installed"]]
    state = "no" if len(missing) == len(models) else f"no: lacks {', '.join(missing)}"
    names = ", ".join(model["name"] for model in models)
    return [profile["name"], state if missing else "yes", _size_text(models), profile["dimension"],
            names, purpose]  # fmt: skip


def _model_row(model: dict[str, Any]) -> list[Any]:
    licence = model["licence"]
    licence = f"{licence} ({_NON_COMMERCIAL})" if model["non_commercial"] else licence
    installed = "yes" if model["installed"] else "no"
    return [model["name"], ", ".join(model["makes"]), installed, _size_text([model]),
            model["dimension"], licence, model["published_as"]]  # fmt: skip


def _size_text(models: "Sequence[dict[str, Any]]") -> str:
    text = byte_text(sum(m["bytes"] if m["installed"] else m["download_bytes"] for m in models))
    return text if all(model["installed"] for model in models) else f"about {text}"


def _engine_row(state: "EngineState") -> list[str]:
    ready = "yes" if state.ready else f"no: {state.reason}"
    return [state.name, ready, _languages_text(state), state.remedy]


def _languages_text(state: "EngineState") -> str:
    if state.name == "rapidocr":
        return _RAPIDOCR_READS
    if state.name == "easyocr":
        return f"those of {', '.join(state.languages)}" if state.languages else ""
    others = [code for code in state.languages if code not in state.used]
    # A system with all of Tesseract's data has 160: JSON names them all.
    more = f" and {len(others) - _SHOWN} more" if len(others) > _SHOWN else ""
    rest = f"{', '.join(others[:_SHOWN])}{more} by --ocr-language" if others else ""
    return "; ".join(filter(None, (", ".join(state.used), rest)))
