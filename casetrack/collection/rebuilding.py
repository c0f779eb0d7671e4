"""Making anew what is computed from documents, and telling what is out of date."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from casetrack.collection.contents import Contents

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.ingest.reindexed import ReindexReport


class Rebuilding(Contents):
    """Reindexing documents and whole collections."""

    def reindex(
        self,
        profile: str | None = None,
        /,
        *,
        reparse: bool = False,
        force: bool = False,
        progress: Callable[[str, int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> ReindexReport:
        """Make vectors and search terms anew where they are stale, or with other models.

        The stored texts are enough for it. At no moment is the old gone and the new not there;
        stopped or killed, the collection is whole, and the next run goes on with what was made.

        Parameters
        ----------
        profile
            Whose models to use from now on; ``None`` leaves it as it is.
        reparse
            Read the source files again first. Documents whose file is gone are kept as they are
            stored, and named in the report.
        force
            Make anew also what is not stale.
        progress
            Called from this thread with what is being done, how much is done, and of how much.
        cancel
            Set it to stop.

        Raises
        ------
        UsageError
            There is no such profile.
        ModelNotFound, ModelError
            Its models are not installed, or cannot be used.
        CollectionBusy, StorageError
            It cannot go on; nothing is half done.
        """
        from casetrack.ingest.reindex import prepare
        from casetrack.ingest.reparse import reindex_files

        info = self.info
        run = prepare(
            self.folder,
            info,
            profile,
            encoder=self._encoders.get,
            find_names=self._encoders.names,
            force=force,
            catch_up=self._catch_up,
            tell=progress or (lambda _what, _done, _total: None),
            cancel=cancel or threading.Event(),
        )
        if not reparse:
            return run.run()
        changes = run.makers.encoder.name != info.profile
        return reindex_files(run, self.documents, self.ingest, changes_profile=changes)
