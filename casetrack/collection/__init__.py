"""A collection: the one facade that the command line, MCP, SQL and Python use.

Reading never waits for writing: every call looks at the newest committed state. Ingesting and
deleting take the collection's write lock themselves.
"""

from casetrack.collection.lifecycle import Lifecycle
from casetrack.collection.looking import Looking
from casetrack.collection.mending import Mending
from casetrack.collection.querying import Querying
from casetrack.collection.reporting import Reporting
from casetrack.collection.syncing import Syncing
from casetrack.collection.versions import Versions

__all__ = ["Collection"]


class Collection(Reporting, Mending, Looking, Querying, Lifecycle, Syncing, Versions):
    """An open collection. Made by :class:`~casetrack.library.Library`, not directly.

    May be used from several threads.
    """

    def __repr__(self) -> str:
        """Return name, size and place."""
        stats = self.stats()
        return (
            f"<Collection {self.name!r}: {stats.document_count} documents, "
            f"{stats.page_count} pages, {stats.chunk_count} chunks; {self.folder}>"
        )
