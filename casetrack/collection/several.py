"""Asking several collections in one statement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal, overload

from casetrack.collection.again import asks_again
from casetrack.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from casetrack.collection import Collection
    from casetrack.records.queries import QueryReport
    from casetrack.sql.control import Control
    from casetrack.sql.database import Kept


@asks_again
class Asking(ABC):
    """Part of :class:`casetrack.library.Library`."""

    _kept: Kept

    @abstractmethod
    def get(self, name_or_id: str, /) -> Collection:
        """Open a collection."""

    @overload
    def sql(
        self,
        statement: str,
        /,
        *,
        collections: Sequence[str],
        params: Mapping[str, Any] | None = ...,
        explain: Literal[False] = ...,
        control: Control | None = ...,
    ) -> pa.Table: ...
    @overload
    def sql(
        self,
        statement: str,
        /,
        *,
        collections: Sequence[str],
        params: Mapping[str, Any] | None = ...,
        explain: Literal[True],
        control: Control | None = ...,
    ) -> QueryReport: ...
    def sql(
        self,
        statement: str,
        /,
        *,
        collections: Sequence[str],
        params: Mapping[str, Any] | None = None,
        explain: bool = False,
        control: Control | None = None,
    ) -> pa.Table | QueryReport:
        """Run a reading SQL statement over several collections, each a schema of its name.

        Nothing but the statement brings them together: a view or a function is always that of one
        collection, such as ``"Case A".documents`` or ``"Case A".search('rent')``.

        Parameters
        ----------
        statement, params, explain, control
            See :meth:`casetrack.collection.Collection.sql`.
        collections
            Names or ids. Of a single one the schema may be left out.

        Raises
        ------
        CollectionNotFound, AmbiguousName
            See :meth:`casetrack.library.Library.get`.
        UsageError
            No collection is named.
        QueryError
            See :func:`casetrack.sql.query.run_query`.
        """
        from casetrack.sql.query import run_query

        if isinstance(collections, str):
            collections = (collections,)
        if not collections:
            raise UsageError(
                "No collection is named.", hint='Name at least one: collections=("Case A",).'
            )
        opened = {c.info.id: c for c in map(self.get, collections)}
        tables = {c.name: c.sql_tables() for c in opened.values()}
        limits = next(iter(opened.values())).settings.sql
        return run_query(
            statement,
            tables,
            params=params,
            timeout=limits.timeout_seconds,
            memory_mb=limits.memory_mb,
            control=control,
            kept=self._kept,
            explain=explain,
        )
