"""The doctor of a collection: checks all of it, and mends what can be mended without loss."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.collection.attending import attended, listener
from casetrack.collection.rebuilding import Rebuilding
from casetrack.errors import CaseTrackError, CollectionDamaged
from casetrack.records import Document, HealthReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.health import Examined, Examiner
    from casetrack.models.base import ProfileEncoder
    from casetrack.records import IngestReport


class Mending(Rebuilding):
    """Checking a collection, and mending it."""

    @attended("Checking", stops=False)
    def doctor(
        self,
        *,
        deep: bool = False,
        repair: bool = False,
        progress: Callable[[str, int, int], None] | bool | None = None,
    ) -> HealthReport:
        """Check that everything stored is whole, cited and in step; see the report.

        Parameters
        ----------
        deep
            Read all unchanged source files again and compare every page, make the search index and
            the graph anew and compare every row. May take as long as ingesting.
        repair
            First mend what can be mended without loss: leftovers of stopped programs, wrong parts
            of the search index and the graph, copies, and documents whose rows are damaged while
            their file is unchanged. The report says each thing that was done, and what could not
            be. No document and no file of yours is ever removed.
        progress
            Called from this thread with what is being done, how much is done, and of how much. Or
            whether to show a bar, see :meth:`ingest`.

        Raises
        ------
        CollectionBusy
            Somebody else writes, so that nothing can be mended now.
        StorageError
            What was mended cannot be written.
        """
        from casetrack.health import check_collection

        examiner = self._examiner(
            deep=deep, tell=listener(progress) or (lambda _what, _done, _total: None)
        )
        found = check_collection(self.folder, examiner)
        if not repair:
            return HealthReport(tuple(found.checks))
        repairs, unmended = self._mend(found)
        if repairs:
            found = check_collection(self.folder, examiner)
        return HealthReport(tuple(found.checks), tuple(repairs), tuple(unmended))

    def _examiner(self, *, deep: bool, tell: Callable[[str, int, int], None]) -> Examiner:
        from casetrack.health import Examiner
        from casetrack.pipeline import Tools, load_pipeline

        info = self.info
        encoder = self._models()
        known = {load_pipeline(info.pipeline, Tools()).fingerprint}
        if encoder is not None:
            from casetrack.ingest.makers import Makers

            makers = Makers.of(info.pipeline, encoder, None, self._encoders.names)
            known |= {makers.current, *makers.same_reading}
        return Examiner(
            self._reading((), None, None),
            encoder,
            lambda document: document.pipeline_fingerprint in known,
            deep=deep,
            tell=tell,
        )

    def _models(self) -> ProfileEncoder | None:
        """Return the models of the collection where they are at hand."""
        info = self.info
        try:
            found: ProfileEncoder | None = self._encoders.get_installed(
                info.profile, dimension=info.dimension
            )
        except CaseTrackError:
            return None
        return found

    def _mend(self, found: Examined) -> tuple[list[str], list[str]]:
        """Mend what was found; return what was done, and what could not be."""
        from casetrack.health import mend_folder

        try:
            repairs = mend_folder(self.folder, found.views)
        except CollectionDamaged as error:
            return [], [f"{error.message} {error.hint}"]
        with self._lock:
            self._state = self._graph = None
        done, unmended = self._mend_documents(found)
        if repairs + done and not unmended:
            # Of rows that are still damaged neither index nor graph can be made to the end.
            self.context_graph().catch_up()
        return repairs + done, unmended

    def _mend_documents(self, found: Examined) -> tuple[list[str], list[str]]:
        from casetrack.health.folder import can_be_read_again
        from casetrack.health.repair import copy_again
        from casetrack.ingest.sources import is_inside, root_of

        documents = self.snapshot().documents
        repairs, unmended, rebuild = list[str](), list[str](), list[Document]()
        reread: dict[str, Document] = {}
        for document_id in sorted(found.copies | found.reread | found.rebuild):
            document = documents.get(document_id)
            if document is None:
                continue
            root = root_of(document, documents)
            problem = self._obstacle(found, document_id)
            if problem:
                unmended.append(f"{document.name}: {problem}")
            elif document_id in found.rebuild:
                rebuild.append(document)
            elif not can_be_read_again(root):
                unmended.append(f"{document.name}: {self._next_step(root)}")
            elif document_id in found.reread or is_inside(document):
                reread[root.document_id] = root
            else:
                said = copy_again(self.folder, document)
                repairs += [said] if said else []
        for report in self._read_again(list(reread.values())):
            for outcome in report.outcomes:
                if outcome.status in {"ingested", "partial"}:
                    repairs.append(f"read {outcome.document_name} again from its file")
                else:
                    unmended.append(f"{outcome.path}: {outcome.message} {outcome.hint}".rstrip())
        for document in rebuild:
            self.reindex_document(document.document_id, force=True, reparse=False)
            repairs.append(f"made the vectors and terms of {document.name} anew")
        return repairs, unmended

    def _obstacle(self, found: Examined, document_id: str) -> str:
        """Return why a document cannot be made anew now, whatever its file is like."""
        info = self.info
        name = shlex.quote(info.name)
        if info.status != "active":
            return (
                f'"{info.name}" is {info.status}, so nothing in it is changed. Reopen it with '
                f"`casetrack collection reopen {name}`, then repair again."
            )
        only_copy = document_id not in found.reread | found.rebuild
        has_vectors = self.index()[1].embedded_count > 0
        if not only_copy and self._models() is None and has_vectors:
            return (
                "it would lose its vectors, since the models are not at hand. Run `casetrack "
                f"models pull {info.profile}`, then repair again."
            )
        return ""

    def _next_step(self, root: Document) -> str:
        """Return what to do about a damaged document whose file is not as it was read."""
        if Path(root.path).is_file():
            command = f"casetrack reindex {shlex.quote(root.name)} -c {shlex.quote(self.name)}"
            return f"its file has changed since, so it was left as it is. Take it in: `{command}`."
        return (
            f"its file is not there any more. Put it back as {root.path} and repair again, or "
            "restore the collection from a backup; what is left can be searched as before."
        )

    def _read_again(self, roots: list[Document]) -> Iterator[IngestReport]:
        """Take in files again, all at once but for those with a name or a copy of their own."""
        from casetrack.ingest.sources import is_inside, source_file

        plain = list[Path]()
        named = list[tuple[Path, Document]]()
        for root in roots:
            source = source_file(root)
            if source is None:
                continue  # it went this very moment; the next check says so
            if is_inside(root) or (root.name == source.name and root.original_copy is None):
                plain.append(source)
            else:
                named.append((source, root))
        if plain:
            yield self.ingest(dict.fromkeys(plain), force=True, copy_original=False)
        for source, root in named:
            yield self.ingest(
                [source],
                force=True,
                document_name=root.name,
                copy_original=root.original_copy is not None,
            )
