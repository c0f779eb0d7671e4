"""The graph of one state of a collection: its tables, and edges and topics from these tables."""

from __future__ import annotations

import contextlib
import logging
from functools import cached_property, partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.errors import JobStopped, See
from casetrack.base.models.profiles import PROFILES
from casetrack.base.records import RelatedChunk
from casetrack.graph.state_tables import StateTables
from casetrack.graph.stored_segments import read_in_parts, segment_folder

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence

    from casetrack.base.sql.catalog import EdgeKind
    from casetrack.graph.relations.neighbours import Neighbours

T = TypeVar("T")
_log = logging.getLogger(__name__)
_GRACE_SECONDS = 900.0


class ContextGraph(StateTables):
    """The graph of one state of a collection; tables are built once, on first use. Thread-safe."""

    @property
    def lacking(self) -> int:
        """Number of passages that the graph has not read yet; the first request waits for them."""
        if "_live" in self.__dict__:
            return 0
        folder = segment_folder(self.home / "segments", self.snapshot)
        return sum(folder.lacking(self.snapshot).values())

    @property
    def uncompared(self) -> int:
        """Number of passages if the documents of this state are not yet compared, else 0."""
        name = "edges_document"
        is_stored = (self.home / "tables" / self._key / f"{name}.arrow").exists()
        return 0 if is_stored or name in self._tables else self._index.chunk_count

    def read_up(
        self, progress: Callable[[str, int, int], None], cancel: threading.Event, /
    ) -> None:
        """Do the work of :meth:`catch_up` in parts, so that other requests can run in between."""
        read_in_parts(self.home / "segments", self.snapshot, progress, cancel)
        steps: tuple[Callable[[], object], ...]
        steps = (self.catch_up, partial(self.table, "citations"), partial(self.edges, "document"))
        for done, step in enumerate(steps):
            if cancel.is_set():
                raise JobStopped("Stopped.", hint="Completed parts are kept. Run it again.")
            progress("comparing documents", done, len(steps))
            step()

    def catch_up(self) -> None:
        """Read added documents and update the data that searches would otherwise wait for."""
        with self._lock:
            self.table("entities")
            _ = self.neighbours

    @cached_property
    def coverage(self) -> dict[str, float]:
        """Share of the chunks, 0..1, that have each output of the models."""
        chunks, total = self._live.chunks, self._index.chunk_count
        embedded = self._index.embedded_count / total if total else 0.0
        profile = next((p for p in PROFILES if p.name == self.snapshot.profile), None)
        has_tokens = profile is not None and profile.token_width is not None
        named = pc.sum(chunks["named"]).as_py() or 0
        return {
            "dense": embedded,
            "tokens": embedded if has_tokens else 0.0,
            "sparse": embedded if self._index.has_sparse else 0.0,
            "names": named / total if total else 0.0,
        }

    @property
    def unread(self) -> int:
        """Number of documents that have no names or dates because of an error."""
        if self._failed.keys() & {"entities", "mentions", "dates"}:
            return len(self.documents)
        failed = {
            number
            for number, document in enumerate(self.documents)
            if any(failure.extractor in {"names", "dates"} for failure in document.failures)
        }
        return len(failed.union(self._unmapped()))

    def _unmapped(self) -> list[int]:
        chunks = self._live.chunks
        unmapped: list[int] = chunks.filter(pc.invert(chunks["mapped"]))["document"].to_pylist()
        return list(dict.fromkeys(unmapped))

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences that describe the gaps of the graph."""
        chunks = self._live.chunks
        steps = {name for name, _ in self._pipeline.steps}
        notes = [
            f'The map is missing parts of "{self.documents[n].name}" because of an error (see the '
            "log). Search covers the document. The next update of CaseTrack reads it again."
            for n in self._unmapped()
        ]
        notes += [
            f"The map is missing {name} because of an error: {error} (see the log). "
            "The next update of CaseTrack builds it again."
            for name, error in self._failed.items()
        ]
        for column, step, what in (
            ("extracted", "extract", "dates, amounts and references"),
            ("named", "names", "names"),
        ):
            rows = chunks.filter(pc.invert(chunks[column]))
            count = len(pc.unique(rows["document"]))
            if not count:
                continue
            documents = "1 document" if count == 1 else f"{count} documents"
            if step not in steps:
                name = self._pipeline.name
                notes.append(f'The map has no {what}: the pipeline "{name}" has no step "{step}".')
                continue
            notes.append(f"Not yet searched for {what}: {documents}. Run {See('reindex')}.")
        return tuple(notes)

    @cached_property
    def described_dates(self) -> dict[str, tuple[str, ...]]:
        """The dates by which documents describe themselves, ``YYYY-MM-DD`` or ``YYYY-MM``."""
        identities = self._live.identities.select(["document", "page", "dates"]).to_pylist()
        return {
            self.documents[each["document"]].document_id: tuple(each["dates"])
            for each in identities
            if each["page"] == 1
        }

    def related(self, chunk_ids: Sequence[str], /, *, limit: int) -> list[RelatedChunk]:
        """Return chunks that the graph connects with *chunk_ids*, strongest first (PRD 08 §6)."""
        from casetrack.graph.relations.expand import expand

        expanded = expand(self, chunk_ids, limit=limit, neighbours=self.neighbours)
        chunks = self.chunks([chunk_id for chunk_id, _, _ in expanded])
        return [
            RelatedChunk(chunk, weight, reason)
            for chunk, (_, weight, reason) in zip(chunks, expanded, strict=True)
        ]

    # --- edges and topics ---------------------------------------------------------------------

    def once(self, make: Callable[[ContextGraph], T], /) -> T:
        """Return the result of ``make(self)``, kept with the graph."""
        if make not in self._made:
            # Without the lock: DuckDB reads lazy tables in its own threads, which take it.
            made = make(self)
            with self._lock:
                self._made.setdefault(make, made)
        result: T = self._made[make]
        return result

    def _make_edges(self, kind: EdgeKind) -> pa.Table:
        from casetrack.graph.relations.documents import document_edges
        from casetrack.graph.relations.entities import chunk_edges, entity_edges

        if kind == "chunk":
            return chunk_edges(self, self.neighbours)
        return entity_edges(self) if kind == "entity" else document_edges(self)

    def _topics(self) -> pa.Table:
        from casetrack.graph.topics.build import topics

        return topics(self)

    @cached_property
    def neighbours(self) -> Neighbours:
        """The nearest neighbours of each chunk by meaning, brought up to date."""
        from casetrack.graph.relations.neighbours import NOTHING

        return self._guarded("neighbours", self._updated_neighbours, lambda: NOTHING)

    def _updated_neighbours(self) -> Neighbours:
        from casetrack.graph.relations.neighbours import build, load, save, update

        vectors = self.chunk_vectors()
        path = self.home / "neighbours.bin"
        old = None
        with contextlib.suppress(OSError, ValueError, KeyError):
            old = load(path)
        now = build(vectors) if old is None else update(old, vectors)
        same = old is not None and (
            now.ids == old.ids
            and np.array_equal(now.keys, old.keys)
            and np.array_equal(now.before, old.before)
        )
        if not same:
            try:
                self.home.mkdir(parents=True, exist_ok=True)
                save(path, now)
            except OSError as error:
                _log.warning("Cannot store the graph in %s: %s", self.home, error)
        return now
