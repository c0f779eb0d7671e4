"""``casetrack models``: fetch, list and check models, and what text recognition needs."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.cli.options import JsonOption
from casetrack.cli.output import Field, byte_text, line, table, write_json
from casetrack.cli.state import EXIT_FAILED, State
from casetrack.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.models.pull import FileCheck, InstalledModel, PullReport
    from casetrack.models.spec import ModelSpec

_NAMES = "rapidocr, easyocr, or tesseract-LANGUAGE such as tesseract-deu+eng"
PullArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help=f"The model; for text recognition {_NAMES}. [default: the usual model]",
    ),
]
VerifyArgument = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="As for `models pull`. [default: all that is pulled]"),
]
OcrOption = Annotated[
    bool,
    typer.Option("--ocr", help="List the engines of text recognition only; with --json too."),
]
_FIELDS = (
    Field("Model"),
    Field("Installed"),
    Field("Size", "right"),
    Field("Dimension", "right"),
    Field("Licence"),
    Field("From", extra=True),
)


def pull(ctx: typer.Context, name: PullArgument = None, as_json: JsonOption = False) -> None:
    """Fetch a model, or what text recognition needs, and check it.

    What is complete is left as it is, and what was stopped goes on where it stopped. This is the
    only command that needs the network.
    """
    models_dir = ctx.ensure_object(State).settings.models_dir
    from casetrack.cli.models_ocr import is_ocr, pull_ocr
    from casetrack.cli.progress import Meter
    from casetrack.models.catalog import DEFAULT_MODEL
    from casetrack.models.pull import pull as pull_model

    wanted = _known(name or DEFAULT_MODEL)
    with Meter("Fetching", unit="bytes") as meter:
        if is_ocr(wanted):
            pulled = pull_ocr(wanted, models_dir, meter.step)
            summary, as_object = pulled.summary(), pulled.as_object()
        else:
            report = pull_model(wanted, models_dir, progress=meter.step)
            summary, as_object = report.summary(), _report_object(report)
    if as_json:
        write_json(as_object)
    else:
        line(summary)


def list_models(ctx: typer.Context, ocr: OcrOption = False, as_json: JsonOption = False) -> None:
    """List the models that this version knows, and the engines of text recognition.

    With --json it is the models; with --json and --ocr, the engines.
    """
    models_dir = ctx.ensure_object(State).settings.models_dir
    from casetrack.cli import models_ocr

    if as_json:
        write_json(models_ocr.as_objects(models_dir) if ocr else _as_objects(models_dir))
        return
    if not ocr:
        _write_models(models_dir)
        line()
    models_ocr.write_table(models_dir)


def _as_objects(models_dir: "Path") -> list[dict[str, Any]]:
    from casetrack.models.catalog import MODELS
    from casetrack.models.pull import installed

    there = {model.name: model for model in installed(models_dir)}
    return [_as_object(spec, there.get(spec.name)) for spec in MODELS]


def _write_models(models_dir: "Path") -> None:
    from casetrack.models.catalog import MODELS
    from casetrack.models.pull import installed

    there = {model.name: model for model in installed(models_dir)}
    table(_FIELDS, [_row(spec, there.get(spec.name)) for spec in MODELS])
    line(f"Models folder: {models_dir}")
    if not there:
        line("Fetch the model once while online: casetrack models pull")


def verify(ctx: typer.Context, name: VerifyArgument = None, as_json: JsonOption = False) -> int:
    """Check every file against the hash it must have; without NAME, all that was pulled.

    Exit code 1 says that a file is missing or wrong.
    """
    models_dir = ctx.ensure_object(State).settings.models_dir
    checks = {n: _verified(n, models_dir) for n in _wanted(name, models_dir)}
    bad = [n for n, files in checks.items() if any(c.state != "ok" for c in files)]
    if as_json:
        write_json([_check_object(n, c) for n, files in checks.items() for c in files])
        return EXIT_FAILED if bad else 0
    for model, files in checks.items():
        for check in files:
            style = "green" if check.state == "ok" else "bold red"
            line((f"{check.state:<9}", style), f"{model}/{check.name}")
    for model in bad:
        line(f"Put it right with: casetrack models pull {model}", err=True)
    return EXIT_FAILED if bad else 0


def _known(name: str) -> str:
    """Return *name* where it can be pulled.

    Raises
    ------
    UsageError
        It is neither a model nor a part of text recognition; the text lists both.
    """
    from casetrack.cli.models_ocr import is_ocr, unknown
    from casetrack.models.catalog import find_model

    if is_ocr(name):
        return name
    try:
        return find_model(name).name
    except UsageError as error:
        raise unknown(error) from error


def _wanted(name: str | None, models_dir: "Path") -> list[str]:
    from casetrack.cli.models_ocr import pulled_names
    from casetrack.models.catalog import DEFAULT_MODEL
    from casetrack.models.pull import installed

    if name is not None:
        return [_known(name)]
    found = [model.name for model in installed(models_dir)] + pulled_names(models_dir)
    return found or [DEFAULT_MODEL]


def _verified(name: str, models_dir: "Path") -> "tuple[FileCheck, ...]":
    from casetrack.cli.models_ocr import is_ocr, verify_ocr
    from casetrack.models.pull import verify as verify_model

    return verify_ocr(name, models_dir) if is_ocr(name) else verify_model(name, models_dir)


def _report_object(report: "PullReport") -> dict[str, Any]:
    return {
        "name": report.name,
        "folder": str(report.folder),
        "unchanged": report.unchanged,
        "files": [{"name": file, "origin": origin} for file, origin in report.origins],
        "failures": [{"source": s, "reason": reason} for s, reason in report.failures],
    }


def _row(spec: "ModelSpec", there: "InstalledModel | None") -> list[Any]:
    size = byte_text(there.size) if there else f"about {byte_text(_download_size(spec))}"
    installed = "yes" if there else "no"
    return [spec.name, installed, size, spec.dimension, spec.licence, spec.repository]


def _download_size(spec: "ModelSpec") -> int:
    return sum(file.size or 0 for file in spec.files)


def _as_object(spec: "ModelSpec", there: "InstalledModel | None") -> dict[str, Any]:
    return {
        "kind": "search",
        "name": spec.name,
        "installed": there is not None,
        "folder": str(there.folder) if there else None,
        "bytes": there.size if there else None,
        "download_bytes": _download_size(spec),
        "dimension": spec.dimension,
        "max_tokens": spec.max_tokens,
        "licence": spec.licence,
        "repository": spec.repository,
        "revision": spec.revision,
        "fingerprint": there.fingerprint if there else None,
    }


def _check_object(model: str, check: "FileCheck") -> dict[str, Any]:
    return {
        "model": model,
        "file": check.name,
        "state": check.state,
        "expected": check.expected,
        "found": check.found,
    }
