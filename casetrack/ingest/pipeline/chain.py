"""A checked chain of steps.

Building the chain checks that earlier steps meet every step's needs; a mismatch names both steps.
Each step's fingerprint is stored with every document, which shows whether the document is stale.
"""

from __future__ import annotations

import hashlib
import itertools
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.base.dataclass import dataclass, replace
from casetrack.base.errors import PipelineError, See
from casetrack.ingest.steps.encoding import TABLE_PASSAGES, EmbedStep, SharedPass
from casetrack.ingest.steps.extract import NamesStep
from casetrack.ingest.steps.parse import ParseStep

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.ingest.pipeline.catalogue import Tools
    from casetrack.ingest.steps.base import Batches, Step
    from casetrack.ingest.steps.encoding import EncodingStep, Known
    from casetrack.ingest.steps.join import JoinRules

SEALED = ("revision", "chunk_index", "document_path", "created_at")
"""Columns of ``chunks`` that are set when chunks are stored, not by a step."""
_DIGITS = 8
_ORDER = (
    f"Put the step that adds it before this one; {See('schema', pipelines=True)} shows what each "
    "step needs and adds."
)
_LISTS = ("embedders",)
"""Columns that are never null: without a step they contain empty lists."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Consecutive steps that all read one pass of the encoder, or none of them does."""

    steps: tuple[Step, ...]
    shares_pass: bool

    @property
    def has_models(self) -> bool:
        """Whether it needs models: without models it is skipped."""
        return self.shares_pass and not all(getattr(step, "is_idle", False) for step in self.steps)


@dataclass(frozen=True)
class Pipeline:
    """A checked chain of one source and its transforms."""

    name: str
    steps: tuple[Step, ...]
    tools: Tools

    @cached_property
    def source(self) -> ParseStep:
        """The step that reads files."""
        source = self.steps[0]
        if not isinstance(source, ParseStep):
            raise PipelineError(f"Pipeline {self.name!r} must begin with step 'parse'.")
        return source

    @cached_property
    def derived(self) -> dict[str, Step]:
        """Steps that add columns to chunks, by name: they can run again on stored chunks."""
        return {s.contract.name: s for s in self.steps if s.contract.reads == "chunks"}

    # --- staleness of documents -----------------------------------------------------------------

    @cached_property
    def reading(self) -> str:
        """Fingerprint of the steps that read and split the file."""
        return _mark([_part(s) for s in self.steps if s.contract.reads != "chunks"])

    @cached_property
    def parts(self) -> dict[str, str]:
        """Fingerprints of the steps that can run again on stored chunks, by name."""
        return {name: mark_of(step) for name, step in self.derived.items()}

    @cached_property
    def fingerprint(self) -> str:
        """Fingerprints of reading and of the steps on chunks, joined by hyphens."""
        return self.fingerprint_after(self.reading)

    def fingerprint_after(self, fingerprint: str, /) -> str:
        """Return the fingerprint after all steps ran again on a document's chunks."""
        return "-".join([fingerprint.partition("-")[0], *self.parts.values()])

    def changed_steps(self, fingerprint: str, /) -> frozenset[str]:
        """Return the steps missing or different in a fingerprint, with dependent steps."""
        made = set(fingerprint.split("-")[1:])
        return self.with_followers(n for n, part in self.parts.items() if part not in made)

    def with_followers(self, names: Any, /) -> frozenset[str]:
        """Return steps on chunks, with those that depend on them."""
        steps = set(names)
        given = {c for n in steps for c in self.derived[n].contract.adds}
        for name, step in self.derived.items():
            if name in steps or given & set(step.contract.needs):
                steps.add(name)
                given |= set(step.contract.adds)
        return frozenset(steps)

    def is_current(self, fingerprint: str, /) -> bool:
        """Return whether chunks with this fingerprint are up to date, ignoring :attr:`reading`."""
        return set(fingerprint.split("-")[1:]) == set(self.parts.values())

    # --- running ------------------------------------------------------------------------------

    def run(
        self,
        document_id: str,
        pages: Batches,
        /,
        *,
        name: str,
        title: str | None = None,
        known: Known | None = None,
    ) -> Iterator[pa.RecordBatch]:
        """Convert the pages of one document to batches of chunks, and check each step's output.

        *known* are reusable outputs, see :class:`SharedPass`.
        """
        batches = self.source.name_pages(document_id, pages, name=name, title=title)
        for stage in self.stages:
            batches = self.through(stage, batches, known)
        return self.completed(batches)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The steps after the source; those that share a pass of the encoder form one stage."""
        groups = itertools.groupby(self.steps[1:], _reads_encodings)
        return tuple(Stage(tuple(steps), shares) for shares, steps in groups)

    def through(self, stage: Stage, batches: Batches, known: Known | None = None, /) -> Batches:
        """Run the ordered batches of one document, from the previous stage, through a stage."""
        if stage.shares_pass:
            shared = self.shared_pass(stage.steps, known)  # type: ignore[arg-type]
            return _checked(replace(shared, table_passages=TABLE_PASSAGES)(batches), stage.steps)
        for step in stage.steps:
            batches = _checked(step(batches), (step,))
        return batches

    def shared_pass(
        self, steps: Sequence[EncodingStep] | None = None, known: Known | None = None, /
    ) -> SharedPass:
        """Return a shared encoder pass for *steps*, by default for all encoding steps."""
        chosen = self.encoding_steps if steps is None else tuple(steps)
        return SharedPass(tuple(chosen), self.tools.dimension, known or {})

    @property
    def encoding_steps(self) -> tuple[EncodingStep, ...]:
        """The steps that read the output of the encoder."""
        return tuple(s for s in self.steps if isinstance(s, EmbedStep | NamesStep))

    @cached_property
    def left_empty(self) -> tuple[str, ...]:
        """Columns of ``chunks`` that no step of this pipeline fills."""
        given = {name for step in self.steps for name in step.contract.adds} | set(SEALED)
        return tuple(name for name in schema.table("chunks").names if name not in given)

    def empty(self, name: str, rows: int, /) -> pa.Array:
        """Return the column *name* of ``chunks`` with empty values."""
        field = schema.table("chunks").arrow([name], dimension=self.tools.dimension).field(0)
        return pa.array([[] if name in _LISTS else None] * rows, field.type)

    def sharing(self, name: str, /) -> tuple[str, ...]:
        """Return the other steps that share the encoder pass of the step *name*."""
        for stage in self.stages:
            names = [step.contract.name for step in stage.steps]
            if stage.shares_pass and name in names:
                return tuple(other for other in names if other != name)
        return ()

    def completed(self, batches: Batches, /) -> Iterator[pa.RecordBatch]:
        """Add the columns that no step fills to the output of the last stage."""
        for batch in batches:
            for name in self.left_empty:
                batch = batch.append_column(name, self.empty(name, batch.num_rows))  # noqa: PLW2901
            yield batch


def build_chain(name: str, steps: Sequence[Step], tools: Tools, /) -> Pipeline:
    """Return the checked chain of *steps*."""
    check_chain(steps)
    pipeline = Pipeline(name, tuple(steps), tools)
    _ = pipeline.source
    return pipeline


def _reads_encodings(step: Step) -> bool:
    return isinstance(step, EmbedStep | NamesStep)


def _part(step: Step | JoinRules) -> tuple[str, int, str]:
    return step.contract.name, step.contract.version, step.fingerprint


def mark_of(step: Step | JoinRules, /) -> str:
    """Return the fingerprint of a single step."""
    return _mark([_part(step)])


def _mark(parts: Sequence[tuple[str, int, str]]) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:_DIGITS]


def _checked(batches: Batches, steps: Sequence[Step | EncodingStep]) -> Batches:
    for batch in batches:
        for step in steps:
            contract = step.contract
            declared = schema.table(contract.writes)
            where = f"step {contract.name!r}"
            declared.check(batch.schema, where=where, names=contract.adds)
        yield batch


def check_chain(steps: Sequence[Step], /) -> None:
    """Check that every step finds its table and columns, and adds its own."""
    table, before = "files", "the file list"
    columns = dict.fromkeys(schema.table("files").names, before)
    seen: set[str] = set()
    for step in steps:
        contract, label = step.contract, f"step {step.contract.name!r}"
        if contract.name in seen:
            raise PipelineError(
                f"Step {contract.name!r} is in the pipeline twice.",
                hint="Remove one of the two from the pipeline.",
            )
        seen.add(contract.name)
        if contract.reads != table:
            raise PipelineError(
                f"Step {contract.name!r} reads {contract.reads}, but {before} returns {table}.",
                hint=_ORDER,
            )
        missing = [n for n in contract.needs if n not in columns]
        if missing:
            raise PipelineError(
                f"Step {contract.name!r} needs {table}.{', '.join(missing)}, which {before} and "
                "the steps before it do not add.",
                hint=_ORDER,
            )
        if contract.writes != table:
            table, columns = contract.writes, {}
        twice = [n for n in contract.adds if n in columns or n in SEALED]
        if twice:
            owner = columns.get(twice[0], "the store")
            raise PipelineError(
                f"Step {contract.name!r} adds {table}.{twice[0]}, which {owner} already adds.",
                hint="Remove one of the two from the pipeline.",
            )
        columns |= dict.fromkeys(contract.adds, label)
        before = label
    if table != "chunks":
        raise PipelineError(
            f"The pipeline ends with {table} after {before}; it must return chunks.",
            hint="Add the steps 'chunk' and 'terms'.",
        )
    lacking = [
        c.name
        for c in schema.table("chunks").columns
        if not (c.nullable or c.name in columns or c.name in SEALED or c.name in _LISTS)
    ]
    if lacking:
        raise PipelineError(
            f"No step adds chunks.{', '.join(lacking)}, and {before} is the last.",
            hint="Every chunk needs them for keyword search: add the step 'terms'.",
        )
