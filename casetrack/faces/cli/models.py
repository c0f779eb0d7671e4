"""``casetrack models``: fetch, list and check models, and what text recognition needs."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.base.errors import UsageError
from casetrack.faces.cli.options import JsonOption
from casetrack.faces.cli.output import Field, byte_text, line, table, write_json
from casetrack.faces.cli.state import EXIT_FAILED, State

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from casetrack.models.profiles import Profile
    from casetrack.models.pull import FileCheck, InstalledModel, PullReport
    from casetrack.models.spec import ModelSpec

    Installed = dict[str, InstalledModel]

_NAMES = "rapidocr, easyocr, or tesseract-LANGUAGE such as tesseract-deu+eng"
PullArgument = Annotated[
    str | None,
    typer.Argument(
        metavar="NAME",
        help=f"A profile, with all of its models, or a model; for text recognition {_NAMES}. "
        "[default: the usual profile, and the networks of rapidocr]",
    ),
]
VerifyArgument = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="As for `models pull`. [default: all that is pulled]"),
]
OcrOption = Annotated[
    bool, typer.Option("--ocr", help="List the engines of text recognition only; with --json too.")
]
_PROFILE_FIELDS = (
    Field("Profile"),
    Field("Installed"),
    Field("Size", "right"),
    Field("Dimension", "right"),
    Field("Models"),
    Field("What it is", extra=True),
)
_MODEL_FIELDS = (
    Field("Model"),
    Field("Makes"),
    Field("Installed"),
    Field("Size", "right"),
    Field("Dimension", "right"),
    Field("Licence"),
    Field("From", extra=True),
)
_NON_COMMERCIAL = "non-commercial use only"


def pull(ctx: typer.Context, name: PullArgument = None, as_json: JsonOption = False) -> None:
    """Fetch the models of a profile, or what text recognition needs, and check them.

    What is complete is left as it is, and what was stopped goes on where it stopped. Ingesting and
    searching with these models then need no network.
    """
    models_dir = ctx.ensure_object(State).settings.models_dir
    from casetrack.ingest.supplies import USUAL

    objects = []
    for wanted in USUAL if name is None else (_known(name),):
        summary, as_object = _pulled(wanted, models_dir)
        objects.append(as_object)
        if not as_json:
            line(summary)  # at once: what came stays, whatever happens to the next
    if as_json:
        whole = {"name": "usual", "unchanged": all(o["unchanged"] for o in objects)}
        write_json(whole | {"models": objects} if name is None else objects[0])


def _pulled(name: str, models_dir: "Path") -> "tuple[str, dict[str, Any]]":
    """Fetch what *name* stands for; return the report for a person, and its JSON form."""
    from casetrack.faces.cli.models_ocr import is_ocr, pull_ocr
    from casetrack.faces.cli.progress import Meter
    from casetrack.models.pull import pull as pull_model

    specs = () if is_ocr(name) else _specs(name)
    for note in _licence_notes(specs):  # before anything is fetched
        line((note, "yellow"), err=True)
    with Meter("Fetching", unit="bytes") as meter:
        if not specs:
            pulled = pull_ocr(name, models_dir, meter.step)
            return pulled.summary(), pulled.as_object()
        reports = [pull_model(spec, models_dir, progress=meter.step) for spec in specs]
    return "\n".join(r.summary() for r in reports), _pull_object(name, specs, reports)


def list_models(ctx: typer.Context, ocr: OcrOption = False, as_json: JsonOption = False) -> None:
    """List the profiles and models that this version knows, and the engines of text recognition.

    With --json it is the profiles with their models; with --json and --ocr, the engines.
    """
    models_dir = ctx.ensure_object(State).settings.models_dir
    from casetrack.faces.cli import models_ocr

    if as_json:
        write_json(models_ocr.as_objects(models_dir) if ocr else _as_objects(models_dir))
        return
    if not ocr:
        _write_models(models_dir)
        line()
    models_ocr.write_table(models_dir)


def _installed(models_dir: "Path") -> "Installed":
    from casetrack.models.pull import installed

    return {model.name: model for model in installed(models_dir)}


def _as_objects(models_dir: "Path") -> list[dict[str, Any]]:
    from casetrack.models.profiles import PROFILES

    there = _installed(models_dir)
    return [_profile_object(profile, there) for profile in PROFILES]


def _write_models(models_dir: "Path") -> None:
    from casetrack.models.catalog import MODELS
    from casetrack.models.profiles import PROFILES

    there = _installed(models_dir)
    table(_PROFILE_FIELDS, [_profile_row(profile, there) for profile in PROFILES])
    line()
    table(_MODEL_FIELDS, [_row(spec, there.get(spec.name)) for spec in MODELS])
    line(f"Models folder: {models_dir}")
    if not there:
        line("Fetch the usual profile once while online: casetrack models pull")


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
        It is neither a profile nor a model nor a part of text recognition; the text lists all. Or
        it is a profile that has nothing to pull.
    """
    from casetrack.faces.cli.models_ocr import is_ocr, unknown
    from casetrack.models.catalog import MODELS
    from casetrack.models.profiles import PROFILES

    if is_ocr(name):
        return name
    local = [profile.name for profile in PROFILES if profile.models]
    names = list(dict.fromkeys([*local, *(spec.name for spec in MODELS)]))
    if name in names:
        return name
    if any(profile.name == name for profile in PROFILES):
        raise UsageError(
            f'Profile "{name}" has no files to fetch: a service makes its vectors.',
            hint="Create a collection with it; which model the service uses is set in config.toml.",
        )
    known = UsageError(
        f"Unknown model {name!r}; known: {', '.join(names)}.", hint="Choose one of the known."
    )
    raise unknown(known)


def _specs(name: str) -> "tuple[ModelSpec, ...]":
    """Return the models of a profile, or the one model, that is called *name*."""
    from casetrack.models.catalog import find_model
    from casetrack.models.profiles import PROFILES

    for profile in PROFILES:
        if profile.name == name:
            return profile.models
    return (find_model(name),)


def _wanted(name: str | None, models_dir: "Path") -> list[str]:
    from casetrack.base.records import DEFAULT_PROFILE
    from casetrack.faces.cli.models_ocr import is_ocr, pulled_names

    if name is not None:
        known = _known(name)
        return [known] if is_ocr(known) else [spec.name for spec in _specs(known)]
    found = [*_installed(models_dir), *pulled_names(models_dir)]
    return found or [DEFAULT_PROFILE]


def _verified(name: str, models_dir: "Path") -> "tuple[FileCheck, ...]":
    from casetrack.faces.cli.models_ocr import is_ocr, verify_ocr
    from casetrack.models.pull import verify as verify_model

    return verify_ocr(name, models_dir) if is_ocr(name) else verify_model(name, models_dir)


def _licence_notes(specs: "Sequence[ModelSpec]") -> list[str]:
    return [
        f"Note: the licence of {spec.name}, {spec.licence}, allows {_NON_COMMERCIAL}."
        for spec in specs
        if spec.is_non_commercial
    ]


def _pull_object(
    name: str, specs: "Sequence[ModelSpec]", reports: "Sequence[PullReport]"
) -> dict[str, Any]:
    """Return the JSON form of a pull; a profile of several models lists theirs."""
    objects = [_report_object(*pair) for pair in zip(specs, reports, strict=True)]
    if len(objects) == 1:
        return objects[0]
    unchanged = all(report.unchanged for report in reports)
    return {"name": name, "unchanged": unchanged, "models": objects}


def _report_object(spec: "ModelSpec", report: "PullReport") -> dict[str, Any]:
    return {
        "name": report.name,
        "folder": str(report.folder),
        "unchanged": report.unchanged,
        "files": [{"name": file, "origin": origin} for file, origin in report.origins],
        "failures": [{"source": s, "reason": reason} for s, reason in report.failures],
        "licence": spec.licence,
        "non_commercial": spec.is_non_commercial,
    }


def _profile_row(profile: "Profile", there: "Installed") -> list[Any]:
    specs = profile.models
    if not specs:
        return [profile.name, "service", "", "", "", profile.purpose]
    missing = [spec.name for spec in specs if spec.name not in there]
    state = "no" if len(missing) == len(specs) else f"no: lacks {', '.join(missing)}"
    names = ", ".join(spec.name for spec in specs)
    size = _size_text(specs, there)
    return [profile.name, state if missing else "yes", size, profile.dimension, names,
            profile.purpose]  # fmt: skip


def _row(spec: "ModelSpec", there: "InstalledModel | None") -> list[Any]:
    size = _size_text([spec], {spec.name: there} if there else {})
    licence = f"{spec.licence} ({_NON_COMMERCIAL})" if spec.is_non_commercial else spec.licence
    return [spec.name, _makes(spec), "yes" if there else "no", size, spec.dimension, licence,
            spec.published_as or spec.repository]  # fmt: skip


def _size_text(specs: "Sequence[ModelSpec]", there: "Installed") -> str:
    sizes = [there[s.name].size if s.name in there else s.download_size for s in specs]
    whole = all(spec.name in there for spec in specs)
    return byte_text(sum(sizes)) if whole else f"about {byte_text(sum(sizes))}"


def _makes(spec: "ModelSpec") -> str:
    """Return what a model makes, in the order in which a profile names it."""
    from casetrack.models.profiles import PROFILES

    roles = [
        role
        for role in ("dense", "sparse", "tokens")
        if any(getattr(profile, role) == spec.name for profile in PROFILES)
    ]
    return ", ".join(roles or [spec.recipe.kind])


def _profile_object(profile: "Profile", there: "Installed") -> dict[str, Any]:
    specs = profile.models
    return {
        "kind": "profile",
        "name": profile.name,
        "purpose": profile.purpose,
        "provider": profile.provider or None,
        "installed": all(spec.name in there for spec in specs) if specs else None,
        "dimension": profile.dimension,
        "token_width": profile.token_width,
        "sparse": bool(profile.sparse),
        "download_bytes": sum(spec.download_size for spec in specs),
        "non_commercial": any(spec.is_non_commercial for spec in specs),
        "models": [_as_object(spec, there.get(spec.name)) for spec in specs],
    }


def _as_object(spec: "ModelSpec", there: "InstalledModel | None") -> dict[str, Any]:
    return {
        "kind": "search",
        "name": spec.name,
        "makes": _makes(spec).split(", "),
        "installed": there is not None,
        "folder": str(there.folder) if there else None,
        "bytes": there.size if there else None,
        "download_bytes": spec.download_size,
        "dimension": spec.dimension,
        "max_tokens": spec.max_tokens,
        "licence": spec.licence,
        "non_commercial": spec.is_non_commercial,
        "repository": spec.repository,
        "published_as": spec.published_as or spec.repository,
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
