"""Pipelines: a checked chain of steps, read from ``pipelines/NAME.toml`` (DESIGN §4).

The chain is checked when it is built: every step's needs must be met by what stands before it,
and a break names both steps. The fingerprint covers steps, versions, parameters and models; it is
stored with every document, so that stale ones can be told.
"""

from __future__ import annotations

import hashlib
import inspect
import tomllib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from casetrack import schema
from casetrack.errors import PipelineError
from casetrack.records import DEFAULT_DIMENSION
from casetrack.resources import resource_dir
from casetrack.steps.chunk import ChunkStep
from casetrack.steps.chunking import ChunkRules
from casetrack.steps.embed import EmbedStep
from casetrack.steps.extract import ExtractStep
from casetrack.steps.language import LanguageStep
from casetrack.steps.parse import ParseStep
from casetrack.steps.terms import TermsStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import pyarrow as pa

    from casetrack.extract.finder import NameFinder
    from casetrack.models.base import ProfileEncoder
    from casetrack.readers.workers.pool import ParsePool
    from casetrack.steps.base import Batches, Step
    from casetrack.steps.embed import ContextText, Outputs


@dataclass(frozen=True, slots=True)
class Tools:
    """What the steps of one run may use; a pipeline that is only described needs none of it.

    Attributes
    ----------
    pool
        The workers that read files.
    encoder
        The models of the collection's profile, or ``None`` where they are not installed.
    dimension
        Length of the collection's dense vectors.
    names
        What looks for names, or ``None``.
    """

    pool: ParsePool | None = None
    encoder: ProfileEncoder | None = None
    dimension: int = DEFAULT_DIMENSION
    names: NameFinder | None = None


def _chunk(_: Tools, /, **sizes: int) -> ChunkStep:
    return ChunkStep(ChunkRules(**sizes))


def _parse(tools: Tools, /) -> ParseStep:
    return ParseStep(tools.pool)


def _language(_: Tools, /, *, min_letters: int = 40) -> LanguageStep:
    return LanguageStep(min_letters)


def _terms(_: Tools, /) -> TermsStep:
    return TermsStep()


def _embed(tools: Tools, /) -> EmbedStep:
    return EmbedStep(tools.encoder, tools.dimension, tools.names)


def _extract(_: Tools, /) -> ExtractStep:
    return ExtractStep()


STEPS: dict[str, Callable[..., Step]] = {
    "parse": _parse,
    "language": _language,
    "chunk": _chunk,
    "terms": _terms,
    "embed": _embed,
    "extract": _extract,
}
"""Every step by name; its keyword parameters are what a pipeline file may set."""


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A checked chain: one source, then transforms.

    Attributes
    ----------
    fingerprint
        Hexadecimal hash that changes whenever the output could.
    """

    name: str
    source: ParseStep
    transforms: tuple[Step, ...]
    fingerprint: str

    def run(
        self,
        document_id: str,
        pages: Batches,
        /,
        *,
        name: str,
        title: str | None = None,
        known: Mapping[ContextText, Outputs] | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Turn the pages of one document into batches of chunks; checks what each step gives.

        Parameters
        ----------
        document_id
            UUID of the document.
        pages
            Batches as a reader gives them.
        name, title
            The document's file name, and the title it gives itself.
        known
            Outputs by what they saw from an earlier revision, see :class:`EmbedStep`.
        """
        batches = self.source.name_pages(document_id, pages, name=name, title=title)
        for step in self.transforms:
            if known and isinstance(step, EmbedStep):
                step = replace(step, known=known)  # noqa: PLW2901 - same step, with a memory
            batches = _checked(step, step(batches))
        return batches


def _checked(step: Step, batches: Batches) -> Batches:
    contract = step.contract
    declared = schema.table(contract.writes)
    for batch in batches:
        declared.check(batch.schema, where=f"step {contract.name!r}", names=contract.adds)
        yield batch


def pipeline_names() -> tuple[str, ...]:
    """Return the names of all pipelines that ship with the program."""
    return tuple(sorted(p.stem for p in resource_dir("pipelines").glob("*.toml")))


def load_pipeline(name: str, tools: Tools | None = None, /) -> Pipeline:
    """Build the pipeline *name*.

    Raises
    ------
    PipelineError
        The name or a step is unknown, a parameter does not fit, or two steps do not fit together.
    """
    path = resource_dir("pipelines") / f"{name}.toml"
    if not path.is_file():
        raise PipelineError(f"Unknown pipeline {name!r}; known: {', '.join(pipeline_names())}.")
    return build_pipeline(tomllib.loads(path.read_text(encoding="utf-8")), tools or Tools())


def build_pipeline(raw: Mapping[str, Any], tools: Tools, /) -> Pipeline:
    """Build a pipeline from the content of its file."""
    name = raw["name"]
    steps = [_build_step(name, entry, tools) for entry in raw.get("step", [])]
    check_chain(steps)
    source = steps[0]
    if not isinstance(source, ParseStep):
        raise PipelineError(f"Pipeline {name!r} must begin with step 'parse'.")
    parts = [(s.contract.name, s.contract.version, s.fingerprint) for s in steps]
    return Pipeline(
        name=name,
        source=source,
        transforms=tuple(steps[1:]),
        fingerprint=hashlib.sha256(repr(parts).encode()).hexdigest()[:16],
    )


def _build_step(pipeline: str, entry: Mapping[str, Any], tools: Tools) -> Step:
    parameters = {k: v for k, v in entry.items() if k != "name"}
    factory = STEPS.get(entry["name"])
    if factory is None:
        known = ", ".join(STEPS)
        raise PipelineError(
            f"Pipeline {pipeline!r} names an unknown step {entry['name']!r}; known: {known}."
        )
    try:
        inspect.signature(factory).bind(tools, **parameters)
        return factory(tools, **parameters)
    except TypeError as error:
        raise PipelineError(
            f"Pipeline {pipeline!r}, step {entry['name']!r}: {error}",
            hint="Correct the parameter in the pipeline's file.",
        ) from error


def check_chain(steps: list[Step], /) -> None:
    """Check that every step finds the table and the columns that it needs.

    Raises
    ------
    PipelineError
        Names the step that lacks something and the step before it.
    """
    table, before = "files", "the file list"
    columns = set(schema.table("files").names)
    for step in steps:
        contract = step.contract
        if contract.reads != table:
            raise PipelineError(
                f"Step {contract.name!r} reads {contract.reads}, but {before} gives {table}."
            )
        missing = [n for n in contract.needs if n not in columns]
        if missing:
            raise PipelineError(
                f"Step {contract.name!r} needs {table}.{', '.join(missing)}, "
                f"which {before} and what stands before it do not give."
            )
        if contract.writes != table:
            table, columns = contract.writes, set()
        columns |= set(contract.adds)
        before = f"step {contract.name!r}"
    if table != "chunks":
        raise PipelineError(f"The pipeline ends with {table} after {before}; it must give chunks.")
