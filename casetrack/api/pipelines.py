"""What there is to know of each pipeline and step, for people and programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CaseTrackError
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
        What it goes over: ``documents``, or the whole ``collection``.
    package
        The installed package that it comes from; ``None`` for a step of CaseTrack.
    fingerprint
        Changes with the step and its parameters; in a collection, with its models as well.
    reads, needs, writes, adds
        Tables, and columns of them.
    shares_pass_with
        Other steps that read the same pass of the encoder over a chunk.
    parameters
        For each its name, type, default, value here, and meaning.
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

    Attributes
    ----------
    origin
        ``casetrack`` for those that ship with it, else ``user``.
    problem
        Why it cannot be used; empty where it can.
    """

    name: str
    about: str
    path: str
    origin: str
    fingerprint: str
    steps: tuple[StepAbout, ...]
    problem: str = ""


def explain_pipelines(data_dir: Path, /) -> list[PipelineAbout]:
    """Return all pipelines: those that ship, then those of the data folder.

    One that cannot be used is among them, with the reason.
    """
    shipped = [resource_dir(FOLDER) / f"{name}.toml" for name in pipeline_names()]
    found = [_explained(read_file(path)) for path in shipped]
    for path in user_files(data_dir):
        try:
            found.append(explain_named(path, data_dir))
        except CaseTrackError as error:
            problem = f"{error.message} {error.hint}".strip()
            found.append(PipelineAbout(path.stem, "", str(path), "user", "", (), problem))
    return found


def explain_named(wanted: str | Path, data_dir: Path, /) -> PipelineAbout:
    """Return what the pipeline of a name or a path says.

    Raises
    ------
    PipelineError
        There is no such pipeline, or it does not hold together.
    """
    return _explained(choose(wanted, data_dir))


def _explained(file: PipelineFile) -> PipelineAbout:
    """Return what a pipeline file says.

    Raises
    ------
    PipelineError
        It does not hold together.
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
    """Return steps that none of these pipelines has: name, package, and what it does.

    Of one that cannot be loaded, why.
    """
    used = {step.name for pipeline in shown for step in pipeline.steps}
    found: list[tuple[str, str | None, str]] = []
    for name in step_names():
        if name in used:
            continue
        try:
            kind = find_step(name)
        except CaseTrackError as error:
            found.append((name, None, f"{error.message} {error.hint}"))
            continue
        if kind is not None:
            found.append((name, kind.package, kind.about))
    return found


def _about(
    kind: StepKind, given: Mapping[str, Any], over: str, fingerprint: str, sharing: tuple[str, ...]
) -> StepAbout:
    contract = kind.contract
    return StepAbout(
        name=contract.name,
        over=over,
        about=kind.about,
        package=kind.package,
        version=contract.version,
        fingerprint=fingerprint,
        reads=contract.reads,
        needs=contract.needs,
        writes=contract.writes,
        adds=contract.adds,
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
