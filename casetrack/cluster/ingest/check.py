"""What every machine of a cluster is asked before it is given work: told now, not midway."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import CaseTrackError, ClusterDiffers
from casetrack.cluster.connect import SHARED, on_each_machine, require_alike
from casetrack.cluster.ingest.recipe import kit_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.cluster.ingest.recipe import Recipe
    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.pipeline import Pipeline

_FILE = "collection.json"
_WITNESSES = 3


@dataclass(frozen=True, slots=True)
class Look:
    """What a machine finds at its place.

    Attributes
    ----------
    fingerprint, read_with
        Of the pipeline with its models, and of what files are read with.
    has_models
        Whether the models of the collection are installed.
    unseen
        Files that are not there, or are others.
    problem
        Why it cannot work, with the next step; empty where it can.
    """

    fingerprint: str = ""
    read_with: str = ""
    has_models: bool = False
    unseen: tuple[str, ...] = ()
    problem: tuple[str, str] = ("", "")


def require_ready(
    recipe: Recipe, pipeline: Pipeline, read_with: str, files: Sequence[FoundFile], /
) -> None:
    """See that each machine reads files as this process would, and sees them.

    Parameters
    ----------
    recipe
        What they are to do.
    pipeline, read_with
        This process's own.
    files
        What is to be read; some of them are looked for.

    Raises
    ------
    ClusterDiffers
        A machine has another version, no models or others, does not see the collection or the
        files, or may not read the bucket.
    """
    require_alike()
    witnesses = _witnesses(recipe, files)
    for name, look in on_each_machine(look_around, recipe.pack(), witnesses).items():
        machine = f"The machine {name} of the cluster"
        if look.problem[0]:
            raise ClusterDiffers(f"{machine} cannot work: {look.problem[0]}", hint=look.problem[1])
        if look.unseen:
            path = look.unseen[0]
            if path == str(recipe.place.folder / _FILE):
                raise ClusterDiffers(
                    f"{machine} does not see the collection in {recipe.place.folder}.",
                    hint="Let it lie in a folder that all machines share, at the same path, or in "
                    "object storage (s3://bucket/collections/NAME).",
                )
            raise ClusterDiffers(f"{machine} does not see {path}, or another file.", hint=SHARED)
        _require_models(machine, look, pipeline, recipe.profile)
        if look.read_with != read_with:
            raise ClusterDiffers(
                f"{machine} would read scans with other text recognition than this computer.",
                hint="Install the same engines and languages everywhere; `casetrack models list` "
                "says what is there.",
            )


def _require_models(machine: str, look: Look, pipeline: Pipeline, profile: str) -> None:
    here = pipeline.tools.encoder is not None
    if look.has_models != here:
        lacks = machine if here else "This computer"
        has = "this computer has them" if here else f"{machine[0].lower()}{machine[1:]} has them"
        raise ClusterDiffers(
            f"{lacks} does not have the models of the profile {profile}, and {has}.",
            hint=f"Run `casetrack models pull {profile}` there, or set CASETRACK_MODELS to a "
            "folder that has them.",
        )
    if look.fingerprint != pipeline.fingerprint:
        raise ClusterDiffers(
            f"{machine} would make other passages, vectors or names than this computer: its models "
            "or packages are others.",
            hint="Install the same packages and models everywhere; `casetrack doctor` names them.",
        )


def _witnesses(recipe: Recipe, files: Sequence[FoundFile]) -> list[tuple[str, str]]:
    """Return a few files that every machine should see, each with what tells it from another."""
    found = [] if recipe.place.is_remote else [recipe.place.folder / _FILE]
    own = [file.path for file in files if not file.is_fetched and file.problem is None]
    step = max(1, len(own) // _WITNESSES)
    return [(str(path), _mark(path)) for path in [*found, *own[::step][:_WITNESSES]]]


def _mark(path: Path) -> str:
    """Return what tells a file from another: its size, and of a small one its content."""
    try:
        size = path.stat().st_size
        if size > 1 << 20:
            return str(size)
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def look_around(recipe: bytes, witnesses: Sequence[tuple[str, str]]) -> Look:
    """Look at this machine; runs on each of them."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    unseen = tuple(path for path, mark in witnesses if _mark(Path(path)) != mark)
    if unseen:
        return Look(unseen=unseen)
    try:
        kit = kit_of(recipe, None)
        if kit.recipe.source is not None:
            next(iter(kit.recipe.source.items()), None)
    except CaseTrackError as error:
        return Look(problem=(error.message, error.hint))
    return Look(kit.pipeline.fingerprint, kit.read_with, kit.pipeline.tools.encoder is not None)
