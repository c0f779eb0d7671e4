"""The doctor of a collection: checks all of it, and mends what can be mended without loss."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.collection.attending import attended, listener
from casetrack.collection.rebuilding import Rebuilding

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.records import HealthReport


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
        from casetrack.health.doctor import examine

        return examine(
            self.workspace,
            deep=deep,
            repair=repair,
            tell=listener(progress) or (lambda _what, _done, _total: None),
        )
