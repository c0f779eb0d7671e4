"""A collection: the one facade that the command line, MCP, SQL and Python use.

Reading never waits for writing: every call looks at the newest committed state. Ingesting and
deleting take the collection's write lock themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.collection.lifecycle import Lifecycle
from casetrack.collection.looking import Looking
from casetrack.collection.mending import Mending
from casetrack.collection.querying import Querying
from casetrack.collection.reporting import Reporting
from casetrack.collection.syncing import Syncing
from casetrack.collection.versions import Versions
from casetrack.errors import CaseTrackError

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["Collection"]

_MACHINERY = frozenset(
    {
        "attendant",
        "context_graph",
        "entitlements",
        "forget",
        "freeable_bytes",
        "graph_of",
        "index",
        "index_of",
        "needs_upkeep",
        "require_active",
        "rough_seconds",
        "search_in",
        "snapshot",
        "sql_tables",
        "table",
    }
)
"""What other parts of the program call; completion does not offer it to people."""


class Collection(Reporting, Mending, Looking, Querying, Lifecycle, Syncing, Versions):
    """An open collection. Made by :class:`~casetrack.library.Library`, not directly.

    May be used from several threads. Nothing needs to be closed: a file is open only while it is
    read. As a context manager it lets go of what it keeps in memory at the end.
    """

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        """Let go of what it keeps in memory; the next call opens it anew."""
        self.forget()

    def __dir__(self) -> list[str]:
        """Return what completion offers."""
        return sorted(set(super().__dir__()) - _MACHINERY)

    def __repr__(self) -> str:
        """Return name, size and place; of one that cannot be read any more, only the place."""
        try:
            name, stats = self.name, self.stats()
        except CaseTrackError as error:
            return f"<Collection at {self.folder}: {error.message}>"
        return (
            f"<Collection {name!r}: {stats.document_count} documents, "
            f"{stats.page_count} pages, {stats.chunk_count} chunks; {self.folder}>"
        )
