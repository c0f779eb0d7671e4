"""Descriptions of all pipelines and steps, for people and programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CaseTrackError
from casetrack.base.records.shape import from_members
from casetrack.base.resources import resource_dir
from casetrack.ingest.pipeline.catalogue import COLLECTION_STEPS, find_step, step_names
from casetrack.ingest.pipeline.chain import mark_of
from casetrack.ingest.pipeline.files import choose, pipeline_names, read_file, user_files
from casetrack.store.place import FOLDER

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from casetrack.ingest.pipeline.catalogue import StepKind
    from casetrack.ingest.pipeline.files import PipelineFile


@dataclass(frozen=True, slots=True)
class StepAbout:
    """A step of a pipeline.

    Attributes
    ----------
    over
        Its input: ``documents``, or the whole ``collection``.
    package
        The installed package of the step; ``None`` for a step of CaseTrack.
    fingerprint
        Changes with the step and its parameters; in a collection, with its models as well.
    shares_pass_with
        Other steps that use the same pass of the encoder over a chunk.
    parameters
        Name, type, default, value in this pipeline, and meaning of each.
    """

    name: str
    over: str
    about: str
    package: str | None
    version: int
    fingerprint: str
    reads: str
    needs: tuple[str, ...]
    writes: str
    adds: tuple[str, ...]
    shares_pass_with: tuple[str, ...]
    parameters: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class PipelineAbout:
    """A pipeline.

    *origin* is ``casetrack`` for those in the package, else ``user``; *problem* is the reason why
    it cannot be used, or empty.
    """

    name: str
    about: str
    path: str
    origin: str
    fingerprint: str
    steps: tuple[StepAbout, ...]
    problem: str = ""


def explain_pipelines(data_dir: Path, /) -> list[PipelineAbout]:
    """Return all pipelines: those of the package, then those of the data folder.

    A pipeline that cannot be used is included, with the reason.
    """
    shipped = [resource_dir(FOLDER) / f"{name}.toml" for name in pipeline_names()]
    explained = [_explained(read_file(path)) for path in shipped]
    for path in user_files(data_dir):
        try:
            explained.append(explain_named(path, data_dir))
        except CaseTrackError as error:
            problem = f"{error.message} {error.hint}".strip()
            explained.append(PipelineAbout(path.stem, "", str(path), "user", "", (), problem))
    return explained


def explain_named(wanted: str | Path, data_dir: Path, /) -> PipelineAbout:
    """Describe the pipeline of a name or a path.

    Raises ``PipelineError`` if there is no such pipeline, or its steps do not fit together.
    """
    return _explained(choose(wanted, data_dir))


def _explained(file: PipelineFile) -> PipelineAbout:
    """Describe a pipeline file.

    Raises ``PipelineError`` if its steps do not fit together.
    """
    pipeline = file.build()
    steps = []
    for (name, given), step in zip(file.steps, pipeline.steps, strict=True):
        kind = find_step(name)
        if kind is not None:
            steps.append(_about(kind, given, "documents", mark_of(step), pipeline.sharing(name)))
    for name, given in file.collection_steps:
        kind = COLLECTION_STEPS[name]
        steps.append(_about(kind, given, "collection", mark_of(file.join_rules), ()))
    origin = "casetrack" if file.is_shipped else "user"
    return PipelineAbout(
        file.name, file.about, str(file.path), origin, pipeline.fingerprint, tuple(steps)
    )


def unused_steps(shown: list[PipelineAbout], /) -> list[tuple[str, str | None, str]]:
    """Return steps that these pipelines do not contain: name, package, and description.

    For a step that cannot be loaded, the description is the reason.
    """
    used = {step.name for pipeline in shown for step in pipeline.steps}
    unused: list[tuple[str, str | None, str]] = []
    for name in step_names():
        if name in used:
            continue
        try:
            kind = find_step(name)
        except CaseTrackError as error:
            unused.append((name, None, f"{error.message} {error.hint}"))
            continue
        if kind is not None:
            unused.append((name, kind.package, kind.about))
    return unused


def _about(
    kind: StepKind, given: Mapping[str, Any], over: str, fingerprint: str, sharing: tuple[str, ...]
) -> StepAbout:
    contract = kind.contract
    return from_members(
        StepAbout,
        contract,
        over=over,
        about=kind.about,
        package=kind.package,
        fingerprint=fingerprint,
        shares_pass_with=sharing,
        parameters=tuple(
            {
                "name": p.name,
                "type": p.type,
                "default": p.default,
                "value": p.checked(given[p.name]) if p.name in given else p.default,
                "meaning": p.meaning,
            }
            for p in kind.parameters
        ),
    )
