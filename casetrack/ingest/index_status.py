"""Comparison of documents with the present models, program and source files."""

from __future__ import annotations

import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CaseTrackError
from casetrack.base.models.profiles import find_profile
from casetrack.base.records.health import PROBLEMS, DocumentIndex, IndexStatus
from casetrack.ingest import staleness
from casetrack.ingest.pipeline import Tools, load_pipeline
from casetrack.store.damage import reading
from casetrack.store.datasets import any_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from casetrack.base.records import CollectionInfo, Document
    from casetrack.base.records.health import IndexProblem, SourceState
    from casetrack.ingest.pipeline import Pipeline
    from casetrack.store.datasets import Snapshot
    from casetrack.store.workspace import State

_MOST_BYTES = 64 * 2**20
"""A larger file that changed only its time is compared on request only."""
_ALL_BYTES = 1 << 30
"""Total bytes of files compared without a request."""
_LITTLE: dict[str, Any] = {"batch_size": 128, "fragment_readahead": 1, "io_buffer_size": 8 << 20}
"""Batch options for reading only the presence of token matrices, which are large."""
_COLUMNS = {"dense": "dense", "sparse": "sparse_terms", "tokens": "tokens", "names": "mentions"}


def index_status(
    state: State, /, *, only: Document | None = None, verify: bool = False
) -> IndexStatus:
    """Return the index status of a collection, or of the document *only*.

    Reads only whether texts and vectors exist, and which models made them. *verify* compares every
    source file with a changed time, however large.
    """
    started = time.perf_counter()
    snapshot, info = state.snapshot, state.workspace.info
    pipeline = _pipeline(state)
    models = pipeline.tools.encoder if pipeline is not None else None
    outputs = _outputs(info, pipeline)
    revision = only.revision if only else None
    embeds = pipeline is None or "embed" in pipeline.parts
    fingerprint = models.fingerprint if models is not None and embeds else None
    rows = _rows(snapshot, outputs, fingerprint, revision)
    sources = _Sources(snapshot.documents, verify=verify)
    replaced = models is not None and staleness.changes_profile(snapshot, models)
    documents = []
    for document in [only] if only else snapshot.documents.values():
        count, made, covered = rows.get(document.revision, (0, 0, {}))
        coverage = {n: count if n == "terms" else covered.get(n, 0) for n in outputs}
        source = sources.of(document)
        problems = set(_from_source(source))
        if document.missing:
            problems.add("partial")
        if count != document.chunk_count:
            problems.add("incomplete")
        lacks = any(n < count for n in coverage.values())
        if pipeline is not None:
            is_other = replaced or made < count
            problems |= _from_steps(pipeline, document, is_other=is_other, lacks=lacks)
        elif lacks:
            problems.add("no_models")
        documents.append(
            DocumentIndex(
                document_id=document.document_id,
                name=document.name,
                path=document.path,
                chunks=count,
                coverage=coverage,
                source=source,
                problems=tuple(p for p in PROBLEMS if p in problems),
                missing=document.missing,
            )
        )
    documents.sort(key=lambda d: (d.name.casefold(), d.path, d.document_id))
    return IndexStatus(
        collection=info.name,
        profile=info.profile,
        models=models is not None,
        outputs=outputs,
        documents=tuple(documents),
        untaken=tuple(f for f in state.untaken() if only is None or f.path == only.path),
        seconds=time.perf_counter() - started,
    )


def _pipeline(state: State) -> Pipeline | None:
    """Return the collection's pipeline, or ``None`` if its models are not available."""
    workspace = state.workspace
    info, encoders = workspace.info, workspace.encoders
    try:
        models = encoders.get_installed(info.profile, dimension=state.snapshot.dimension)
        if models is None:
            return None
        tools = Tools(None, models, models.dimension, encoders.names(models.name))
    except CaseTrackError:
        # A service that does not answer, or damaged files: no models.
        return None
    return load_pipeline(info.pipeline, tools, folder=workspace.folder)


def _outputs(info: CollectionInfo, pipeline: Pipeline | None) -> tuple[str, ...]:
    columns: tuple[str, ...]
    if pipeline is not None:
        columns = tuple(c for names in staleness.outputs_of(pipeline).values() for c in names)
    else:
        profile = find_profile(info.profile)
        columns = ("dense",)
        columns += ("tokens",) if profile.token_width is not None else ()
        columns += ("sparse_terms",) if profile.sparse else ()
    made = tuple(name for name, column in _COLUMNS.items() if column in columns)
    return (*(n for n in made if n != "names"), "terms", *(n for n in made if n == "names"))


def _rows(
    snapshot: Snapshot, outputs: tuple[str, ...], fingerprint: str | None, revision: str | None
) -> dict[str, tuple[int, int, dict[str, int]]]:
    """Return the numbers of rows, rows of present models, and rows with outputs, by revision."""
    columns = {name: _COLUMNS[name] for name in outputs if name in _COLUMNS}
    where = None if revision is None else any_of("revision", [revision])
    lacks = " OR ".join(f"{column} IS NULL" for column in columns.values())
    chosen = {"revision": "revision", "embedders": "embedders"}
    chosen |= {name: f"{column} IS NULL" for name, column in columns.items()}
    rows, made = defaultdict[str, int](int), defaultdict[str, int](int)
    lacking: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(columns, 0))
    live = snapshot.revisions

    def count(batches: Any, take: Callable[[str, int, dict[str, Any]], None]) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        for batch in batches:
            joined = pc.binary_join(batch["embedders"].cast(pa.list_(pa.string())), " ")
            flags = [name for name in columns if name in batch.schema.names]
            table = pa.table(
                {"revision": batch["revision"], "by": joined} | {n: batch[n] for n in flags}
            )
            sums = [([], "count_all"), *((n, "sum") for n in flags)]
            for row in table.group_by(["revision", "by"]).aggregate(sums).to_pylist():
                if row["revision"] in live:
                    # Rows that no model has read lack outputs; no other model made them.
                    by_models = fingerprint in {None, *row["by"].split()} or not row["by"]
                    take(row["revision"], row["count_all"] if by_models else -1, row)

    def all_rows(key: str, mine: int, row: dict[str, Any]) -> None:
        rows[key] += row["count_all"]
        made[key] += max(mine, 0)

    def null_rows(key: str, mine: int, row: dict[str, Any]) -> None:
        if mine >= 0:
            for name in columns:
                lacking[key][name] += row[f"{name}_sum"] or 0

    with reading(snapshot.chunks.uri):
        scanner = snapshot.chunks.scanner(columns=["revision", "embedders"], filter=where)
        count(scanner.to_batches(), all_rows)
        if not columns:
            return {key: (total, made[key], {}) for key, total in rows.items()}
        condition = lacks if where is None else f"{where} AND ({lacks})"
        count(
            snapshot.chunks.scanner(columns=chosen, filter=condition, **_LITTLE).to_batches(),
            null_rows,
        )
    return {
        key: (total, made[key], {n: made[key] - lacking[key][n] for n in columns})
        for key, total in rows.items()
    }


class _Sources:
    """States of source files; each file is checked once."""

    def __init__(self, documents: Mapping[str, Document], *, verify: bool) -> None:
        self._documents = documents
        self._known: dict[str, SourceState] = {}
        self._verify = verify
        self._left = _ALL_BYTES

    def of(self, document: Document) -> SourceState:
        """Return the state of a document's file."""
        root = staleness.root_of(document, self._documents)
        if root.document_id not in self._known:
            self._known[root.document_id] = self._look(root)
        return self._known[root.document_id]

    def _look(self, root: Document) -> SourceState:
        state = staleness.source_state(root, may_read=self._may_read)
        if (
            state == "missing"
            and staleness.is_inside(root)
            and staleness.source_file(root) is not None
        ):
            # Its mail no longer has a document, so a change cannot be detected.
            return "changed"
        return state

    def _may_read(self, size: int) -> bool:
        if self._verify:
            return True
        if size > min(_MOST_BYTES, self._left):
            return False
        self._left -= size
        return True


def _from_steps(
    pipeline: Pipeline, document: Document, *, is_other: bool, lacks: bool
) -> set[IndexProblem]:
    """Return the problems of a document's columns; *is_other*: other models made some of them."""
    # The rows show another model; the pipeline's fingerprint shows another step.
    if is_other or not pipeline.is_current(document.pipeline_fingerprint):
        return {"stale"}
    problems: set[IndexProblem] = {"incomplete"} if lacks else set()
    if document.pipeline_fingerprint != pipeline.fingerprint:
        problems.add("earlier_reading")
    return problems


def _from_source(state: SourceState) -> tuple[IndexProblem, ...]:
    problem_of: dict[SourceState, IndexProblem] = {
        "changed": "source_changed",
        "missing": "source_missing",
        "unreadable": "source_unreadable",
        "untested": "source_untested",
    }
    return (problem_of[state],) if state in problem_of else ()
