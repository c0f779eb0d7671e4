"""``casetrack models``: fetch, list and check the models that search by meaning."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.cli.options import JsonOption
from casetrack.cli.output import Field, byte_text, line, table, write_json
from casetrack.cli.state import EXIT_FAILED, State

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.models.pull import FileCheck, InstalledModel
    from casetrack.models.spec import ModelSpec

ModelArgument = Annotated[
    str | None, typer.Argument(metavar="NAME", help="The model. [default: the usual one]")
]
_FIELDS = (
    Field("Model"),
    Field("Installed"),
    Field("Size", "right"),
    Field("Dimension", "right"),
    Field("Licence"),
    Field("From", extra=True),
)


def pull(ctx: typer.Context, name: ModelArgument = None, as_json: JsonOption = False) -> None:
    """Fetch a model and check it; a model that is complete is left as it is.

    This is the only command that needs the network. It goes on where it stopped.
    """
    models_dir = ctx.ensure_object(State).settings.models_dir
    from casetrack.cli.progress import Meter
    from casetrack.models.catalog import DEFAULT_MODEL
    from casetrack.models.pull import pull as pull_model

    with Meter("Fetching", unit="bytes") as meter:
        report = pull_model(name or DEFAULT_MODEL, models_dir, progress=meter.step)
    if as_json:
        write_json(
            {
                "name": report.name,
                "folder": str(report.folder),
                "unchanged": report.unchanged,
                "files": [{"name": file, "origin": origin} for file, origin in report.origins],
                "failures": [{"source": s, "reason": reason} for s, reason in report.failures],
            }
        )
        return
    line(report.summary())


def list_models(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """List the models that this version knows, and which of them are installed."""
    models_dir = ctx.ensure_object(State).settings.models_dir
    from casetrack.models.catalog import MODELS
    from casetrack.models.pull import installed

    there = {model.name: model for model in installed(models_dir)}
    if as_json:
        write_json([_as_object(spec, there.get(spec.name)) for spec in MODELS])
        return
    table(_FIELDS, [_row(spec, there.get(spec.name)) for spec in MODELS])
    line(f"Models folder: {models_dir}")
    if not there:
        line("Fetch the model once while online: casetrack models pull")


def verify(ctx: typer.Context, name: ModelArgument = None, as_json: JsonOption = False) -> int:
    """Check every file of a model against the hash it must have; without NAME, of all installed.

    Exit code 1 says that a file is missing or wrong.
    """
    models_dir = ctx.ensure_object(State).settings.models_dir
    from casetrack.models.pull import verify as verify_model

    checks = {n: verify_model(n, models_dir) for n in _wanted(name, models_dir)}
    bad = [(n, c) for n, files in checks.items() for c in files if c.state != "ok"]
    if as_json:
        write_json([_check_object(n, c) for n, files in checks.items() for c in files])
        return EXIT_FAILED if bad else 0
    for model, files in checks.items():
        for check in files:
            style = "green" if check.state == "ok" else "bold red"
            line((f"{check.state:<9}", style), f"{model}/{check.name}")
    if bad:
        line("Put it right with: casetrack models pull", err=True)
    return EXIT_FAILED if bad else 0


def _wanted(name: str | None, models_dir: "Path") -> list[str]:
    from casetrack.models.catalog import DEFAULT_MODEL
    from casetrack.models.pull import installed

    if name is not None:
        return [name]
    return [model.name for model in installed(models_dir)] or [DEFAULT_MODEL]


def _row(spec: "ModelSpec", there: "InstalledModel | None") -> list[Any]:
    size = byte_text(there.size) if there else f"about {byte_text(_download_size(spec))}"
    installed = "yes" if there else "no"
    return [spec.name, installed, size, spec.dimension, spec.licence, spec.repository]


def _download_size(spec: "ModelSpec") -> int:
    return sum(file.size or 0 for file in spec.files)


def _as_object(spec: "ModelSpec", there: "InstalledModel | None") -> dict[str, Any]:
    return {
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
