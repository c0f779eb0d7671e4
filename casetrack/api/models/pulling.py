"""Download and check a profile, a model, or a part of text recognition."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.api.models.ocr import is_ocr, ocr_names, pull_ocr, pulled_names, verify_ocr
from casetrack.base.errors import UsageError
from casetrack.base.records import DEFAULT_PROFILE

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.base.models.spec import ModelSpec, Progress
    from casetrack.models.pull import FileCheck, PullReport


@dataclass(frozen=True, slots=True)
class PulledModels:
    """Models of a pull, and a report on each."""

    name: str
    specs: tuple[ModelSpec, ...]
    reports: tuple[PullReport, ...]

    def summary(self) -> str:
        """Return the report as lines for a person."""
        return "\n".join(report.summary() for report in self.reports)

    def as_object(self) -> dict[str, Any]:
        """Return the JSON form; that of several models lists theirs."""
        objects = [
            report.as_object() | {"licence": spec.licence, "non_commercial": spec.is_non_commercial}
            for spec, report in zip(self.specs, self.reports, strict=True)
        ]
        if len(objects) == 1:
            return objects[0]
        unchanged = all(report.unchanged for report in self.reports)
        return {"name": self.name, "unchanged": unchanged, "models": objects}


def known(name: str, /) -> str:
    """Return *name* if it can be pulled.

    Raises ``UsageError`` if it is not a profile, a model or a part of text recognition (the text
    lists all), or it is a profile without files to pull.
    """
    from casetrack.base.models.catalog import MODELS
    from casetrack.base.models.profiles import PROFILES

    if is_ocr(name):
        return name
    local = [profile.name for profile in PROFILES if profile.models]
    names = list(dict.fromkeys([*local, *(spec.name for spec in MODELS)]))
    if name in names:
        return name
    if any(profile.name == name for profile in PROFILES):
        raise UsageError(
            f'Profile "{name}" has no files to download: a service makes its vectors.',
            hint="Create a collection with it; config.toml sets the model of the service.",
        )
    raise UsageError(
        f"Unknown model {name!r}; known: {', '.join(names)}, {ocr_names()}.",
        hint="Use one of these names.",
    )


def specs_of(name: str, /) -> tuple[ModelSpec, ...]:
    """Return the models of a profile, or one model, by a known name; empty for OCR."""
    from casetrack.base.models.catalog import find_model
    from casetrack.base.models.profiles import PROFILES

    if is_ocr(name):
        return ()
    for profile in PROFILES:
        if profile.name == name:
            return profile.models
    return (find_model(name),)


def pull(name: str, models_dir: Path, progress: Progress, /) -> PulledModels | PullReport:
    """Download and check the files of a known name."""
    from casetrack.models.pull import pull as pull_model

    if is_ocr(name):
        return pull_ocr(name, models_dir, progress)
    specs = specs_of(name)
    reports = tuple(pull_model(spec, models_dir, progress=progress) for spec in specs)
    return PulledModels(name, specs, reports)


def verify(name: str | None, models_dir: Path, /) -> dict[str, tuple[FileCheck, ...]]:
    """Check the SHA-256 of the files of a name, or of all pulled files; return checks by model."""
    from casetrack.models.pull import installed
    from casetrack.models.pull import verify as verify_model

    if name is None:
        names = (model.name for model in installed(models_dir))
        wanted = [*names, *pulled_names(models_dir)] or [DEFAULT_PROFILE]
    else:
        wanted = [spec.name for spec in specs_of(known(name))] or [name]
    return {
        each: verify_ocr(each, models_dir) if is_ocr(each) else verify_model(each, models_dir)
        for each in wanted
    }
