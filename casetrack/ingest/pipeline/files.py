"""Pipeline files: their locations, their content, and the pipelines built from them.

CaseTrack includes some. A user's files are in the folder ``pipelines`` of the data folder, or
anywhere else; the one that a collection uses is copied into the collection, for later reindexes,
also on other machines.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.arguments import suggest
from casetrack.base.dataclass import dataclass, field, replace
from casetrack.base.errors import Opt, PipelineError, See
from casetrack.base.files import write_atomic
from casetrack.base.resources import resource_dir
from casetrack.ingest.pipeline.catalogue import COLLECTION_STEPS, Tools, find_step, step_names
from casetrack.ingest.pipeline.chain import Pipeline, build_chain
from casetrack.ingest.steps.join import NO_JOINS, JoinRules
from casetrack.store.info import info_lock, update_info
from casetrack.store.place import FOLDER, NAME, kept_path
from casetrack.store.rewrite import in_force

if TYPE_CHECKING:
    from casetrack.ingest.steps.base import Step
    from casetrack.store.workspace import Workspace

_KEYS = ("name", "doc", "step", "collection_step", "packages")


@dataclass(frozen=True, slots=True)
class PipelineFile:
    """Content of a pipeline file; the copy in a collection also has the packages of its steps."""

    name: str
    about: str
    path: Path
    steps: tuple[tuple[str, Mapping[str, Any]], ...]
    collection_steps: tuple[tuple[str, Mapping[str, Any]], ...]
    packages: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_shipped(self) -> bool:
        """Whether it is included in CaseTrack."""
        return self.path.parent == resource_dir(FOLDER)

    def build(self, tools: Tools | None = None, /) -> Pipeline:
        """Build and check the pipeline."""
        _ = self.join_rules
        tools = tools or Tools()
        steps = [self._step(name, given, tools) for name, given in self.steps]
        try:
            return build_chain(self.name, steps, tools)
        except PipelineError as error:
            error.add_note(f"Pipeline {self.name!r} in {self.path}")
            raise

    @property
    def join_rules(self) -> JoinRules:
        """Rules for joining names of different documents."""
        rules = NO_JOINS
        seen: set[str] = set()
        for name, given in self.collection_steps:
            kind = COLLECTION_STEPS.get(name)
            if kind is None:
                known = ", ".join(COLLECTION_STEPS)
                raise self._wrong(f"names an unknown step over the collection {name!r}", known)
            if name in seen:
                raise self._wrong(f"names the step {name!r} twice", "")
            seen.add(name)
            built = self._built(name, lambda kind=kind, given=given: kind.build(Tools(), given))
            rules = built if isinstance(built, JoinRules) else rules
        return rules

    def _step(self, name: str, given: Mapping[str, Any], tools: Tools) -> Step:
        kind = find_step(name)
        if kind is None and name in self.packages:
            package = self.packages[name]
            raise PipelineError(
                f"Pipeline {self.name!r} needs the step {name!r} of the package {package!r}, which "
                "is not installed here.",
                hint=f"Install it with `pip install {package}`. Or choose another pipeline with "
                f"{Opt(pipeline='FILE')}. Then run the command again. No stored data are "
                "lost.",
            )
        if kind is None:
            known = step_names()
            raise self._wrong(
                f"names an unknown step {name!r}{suggest(name, known)}", ", ".join(known)
            )
        step: Step = self._built(name, lambda: kind.build(tools, given))
        return step

    def _built(self, name: str, build: Any) -> Any:
        try:
            return build()
        except ValueError as error:
            raise PipelineError(
                f"Pipeline {self.name!r}, step {name!r}: {error}.",
                hint=f"Correct it in {self.path}; see {See('schema', pipelines=True)}.",
            ) from error

    def _wrong(self, what: str, known: str) -> PipelineError:
        listed = f"; known: {known}" if known else ""
        return PipelineError(
            f"Pipeline {self.name!r} {what}{listed}.",
            hint=f"Correct it in {self.path}. A step may come from a package that is not "
            "installed in this environment.",
        )


# --- reading ----------------------------------------------------------------------------------


def read_file(path: Path, /) -> PipelineFile:
    """Read a pipeline file; its steps are checked when it is built."""
    hint = f"Correct the file; {See('schema', pipelines=True)} shows working ones."
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError as error:
        raise PipelineError(f"There is no pipeline file {path}.", hint="Check the path.") from error
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PipelineError(f"Cannot read the pipeline file {path}: {error}.", hint=hint) from error
    return read_raw(raw, path)


def read_raw(raw: Mapping[str, Any], path: Path, /) -> PipelineFile:
    """Return the pipeline file with the content *raw*; see :func:`read_file`."""
    unknown = [key for key in raw if key not in _KEYS]
    name = raw.get("name", path.stem)
    problem = ""
    if unknown:
        problem = f"it has an unknown key {unknown[0]!r}{suggest(unknown[0], _KEYS)}"
    elif not isinstance(name, str) or not NAME.fullmatch(name):
        problem = f"its name {name!r} must consist of lower-case letters, digits, '-' and '_'"
    elif not isinstance(raw.get("doc", ""), str):
        problem = "its doc is not a text"
    elif not isinstance(raw.get("packages", {}), Mapping):
        problem = "its packages are not a table"
    if problem:
        raise PipelineError(
            f"The pipeline file {path} cannot be used: {problem}.",
            hint="It needs a name, a doc, and [[step]] and [[collection_step]] tables.",
        )
    return PipelineFile(
        name,
        raw.get("doc", ""),
        path,
        _entries(raw, "step", path),
        _entries(raw, "collection_step", path),
        {step: str(package) for step, package in raw.get("packages", {}).items()},
    )


def _entries(
    raw: Mapping[str, Any], key: str, path: Path
) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    entries = raw.get(key, [])
    if not isinstance(entries, Sequence) or isinstance(entries, str):
        entries = [entries]
    steps = []
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
            raise PipelineError(
                f"Step {number} of the pipeline file {path} has no name.",
                hint=f'Begin it with the lines [[{key}]] and name = "...".',
            )
        steps.append((entry["name"], {k: v for k, v in entry.items() if k != "name"}))
    if key == "step" and not steps:
        raise PipelineError(
            f"The pipeline file {path} has no steps.", hint='Begin with [[step]], name = "parse".'
        )
    return tuple(steps)


# --- lookup -----------------------------------------------------------------------------------


def pipeline_names() -> tuple[str, ...]:
    """Return the names of all included pipelines."""
    return tuple(sorted(p.stem for p in resource_dir(FOLDER).glob("*.toml")))


def user_files(data_dir: Path, /) -> tuple[Path, ...]:
    """Return the pipeline files of a data folder, by name."""
    return tuple(sorted((data_dir / FOLDER).glob("*.toml")))


def choose(wanted: str | Path, data_dir: Path, /) -> PipelineFile:
    """Return the checked pipeline with the name or the file path *wanted*."""
    text = str(wanted)
    if text.endswith(".toml") or Path(text).name != text:
        chosen = read_file(Path(text).expanduser().absolute())
        _refuse_shadow(chosen)
    else:
        own = data_dir / FOLDER / f"{text}.toml"
        shipped = resource_dir(FOLDER) / f"{text}.toml"
        if own.is_file():
            chosen = read_file(own)
            if chosen.name != own.stem:
                raise PipelineError(
                    f"The pipeline file {own} has the name {chosen.name!r}.",
                    hint=f'Write name = "{own.stem}" in it, or rename the file.',
                )
            _refuse_shadow(chosen)
        elif shipped.is_file():
            chosen = read_file(shipped)
        else:
            raise _unknown(text, data_dir)
    chosen.build()
    return chosen


def _refuse_shadow(file: PipelineFile) -> None:
    if file.name in pipeline_names() and not file.is_shipped:
        raise PipelineError(
            f"The pipeline in {file.path} has the name {file.name!r} of a pipeline included in "
            "CaseTrack.",
            hint="Give it another name.",
        )


def _unknown(name: str, data_dir: Path) -> PipelineError:
    known = sorted({*pipeline_names(), *(p.stem for p in user_files(data_dir))})
    return PipelineError(
        f"Unknown pipeline {name!r}; known: {', '.join(known)}.",
        hint=f"Give the path of a file, or put it into {data_dir / FOLDER}.",
    )


# --- pipelines of collections ---------------------------------------------------------------------


def to_keep(chosen: PipelineFile, /) -> dict[str, bytes]:
    """Return the files that a collection keeps for its pipeline, by path."""
    if chosen.is_shipped:
        return {}
    text = chosen.path.read_text(encoding="utf-8-sig")
    kinds = [find_step(name) for name, _ in chosen.steps]
    packages = {k.contract.name: k.package for k in kinds if k is not None and k.package}
    if packages and not chosen.packages:
        lines = [f"{json.dumps(step)} = {json.dumps(name)}" for step, name in packages.items()]
        text = "\n".join([text.rstrip(), "", "[packages]", *lines, ""])
    return {kept_path(chosen.name): text.encode()}


def of_collection(name: str, folder: Path | None = None, /) -> PipelineFile:
    """Return the pipeline *name* of a collection; without *folder* only included ones."""
    shipped = resource_dir(FOLDER) / f"{name}.toml"
    if name in pipeline_names():
        return read_file(shipped)
    if folder is not None and NAME.fullmatch(name):
        kept = folder / kept_path(name)
        if kept.is_file():
            return read_file(kept)
    hint = f"The collection has no copy of it. Choose another with {Opt(pipeline='FILE')}."
    raise PipelineError(
        f"Unknown pipeline {name!r}; known: {', '.join(pipeline_names())}.",
        hint=hint if folder is not None else "",
    )


def load_pipeline(
    name: str, tools: Tools | None = None, /, *, folder: Path | None = None
) -> Pipeline:
    """Build a pipeline that is included or kept in *folder*; without *tools* to describe it."""
    return of_collection(name, folder).build(tools)


def build_pipeline(raw: Mapping[str, Any], tools: Tools, /) -> Pipeline:
    """Build a pipeline from the content of its file; see :func:`load_pipeline`."""
    return read_raw(raw, Path(f"{raw.get('name', 'pipeline')}.toml")).build(tools)


# Change of a collection's pipeline.


def use_pipeline(workspace: Workspace, wanted: str | Path, /) -> bool:
    """Set the collection's pipeline and store a copy of its file; return whether it changed."""
    folder, data_dir = workspace.folder, workspace.settings.data_dir
    before = workspace.info.pipeline
    if str(wanted) == before and wanted not in {path.stem for path in user_files(data_dir)}:
        return False  # it is in use, and no newer version exists
    chosen = choose(wanted, data_dir)
    changes = chosen.name != before
    for path, content in to_keep(chosen).items():
        target = folder / path
        if not target.is_file() or target.read_bytes() != content:
            with info_lock(folder):
                write_atomic(target, content)
            changes = True
    if not changes:
        return False
    update_info(folder, lambda info: replace(in_force(folder, info), pipeline=chosen.name))
    workspace.forget()
    return True
