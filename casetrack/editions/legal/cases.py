"""Cases: collections of the legal edition."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

from casetrack.base import arguments
from casetrack.base.arguments import require_text
from casetrack.base.editions import LEGAL
from casetrack.base.errors import CollectionNotFound, See, UsageError
from casetrack.base.records import AUTO_PROFILE, CollectionEntry, CollectionInfo, CollectionStats
from casetrack.base.records.shape import HIDDEN, INLINE, Record, View

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.records import CollectionStatus

# The record of a case for commands.


@dataclass(frozen=True, slots=True)
class Case(Record):
    """A case, with its counts if known, and whether it is the default case."""

    JSON = (
        *("info", "is_used", "document_count=stats.document_count", "page_count=stats.page_count"),
        *("chunk_count=stats.chunk_count", "storage_bytes=stats.storage_bytes"),
    )

    info: Annotated[CollectionInfo, CASE, INLINE]
    is_used: bool
    stats: Annotated[CollectionStats | None, HIDDEN] = None
    problem: Annotated[str, HIDDEN] = ""


USED = "case-in-use"
"""Name of the file in the data folder with the id of the selected case."""
CASE = View("id", "name", "case_number=reference", "case_type=type", "status", "created_at")
"""JSON fields of a case."""
_ID = 8


def case_title(info: CollectionInfo, /) -> str:
    """Return the name of a case and its number, if any: ``Smith v. Jones (24-cv-1234)``."""
    return f"{info.name} ({info.reference})" if info.reference else info.name


def case_entry(
    info: CollectionInfo, stats: CollectionStats | None, problem: str = "", /
) -> CollectionEntry:
    """Return a case as an entry of a list, with its title."""
    return CollectionEntry.of(replace(info, name=case_title(info)), stats, problem)


def chosen(library: Library, /) -> CollectionInfo | None:
    """Return the case that the user selected, if any."""
    return Cases(library).used if (library.settings.data_dir / USED).exists() else None


class Cases:
    """The cases of a data folder."""

    def __init__(self, library: Library, /) -> None:
        self._library = library

    def create(
        self,
        name: str,
        /,
        *,
        case_type: str | None = None,
        case_number: str | None = None,
        profile: str = AUTO_PROFILE,
    ) -> Collection:
        """Create an empty case; see :meth:`casetrack.api.library.Library.create`.

        *case_type* is a type in ``edition.toml`` in any letter case, *case_number* the docket
        number.

        Raises
        ------
        UsageError
            The name or type is invalid, or another collection has the name.
        CollectionExists, FreeTierLimit, StorageError
            A case has this name; the limit of the tier is reached; the case cannot be stored.
        """
        for info in self._library.collections():
            if info.name.casefold() == name.strip().casefold() and info.edition != LEGAL:
                raise UsageError(
                    f'A collection that is not a case has the name "{info.name}" '
                    f"(ID: {info.id[:_ID]}).",
                    hint="Choose another name, or rename the collection with "
                    f"{See('collection rename')}.",
                )
        return self._library.create(
            name,
            collection_type=case_type or "other",
            reference=(case_number or "").strip() or None,
            profile=profile,
            edition=LEGAL,
        )

    def all(
        self, *, status: CollectionStatus | Literal["all"] = "all"
    ) -> tuple[CollectionInfo, ...]:
        """Return the cases of a status, last changed first."""
        return tuple(i for i in self._library.collections(status=status) if i.edition == LEGAL)

    def find(self, name_or_id: str, /) -> CollectionInfo:
        """Return the facts of a case without opening it."""
        require_text(name_or_id)
        infos = self.all()
        entries = [arguments.Entry(i.id, i.name) for i in infos]
        position = arguments.find(name_or_id, entries, kind="case")
        if position is None:
            near = [(n, i[:_ID]) for n, i in arguments.near(name_or_id, entries)]
            raise CollectionNotFound(name_or_id, near, [entry.name for entry in entries])
        return infos[position]

    def get(self, name_or_id: str, /) -> Collection:
        """Open a case; see :meth:`find` and :meth:`casetrack.api.library.Library.get`."""
        return self._library.get(self.find(name_or_id).id)

    @property
    def used(self) -> CollectionInfo | None:
        """The default case of commands; ``None`` if none is selected."""
        try:
            wanted = (self._library.settings.data_dir / USED).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return None
        return next((info for info in self.all() if info.id == wanted), None)

    def use(self, name_or_id: str | None, /) -> CollectionInfo | None:
        """Set the default case of commands, or unset it (``None``)."""
        from casetrack.base.files import storage_errors, write_atomic

        path = self._library.settings.data_dir / USED
        info = None if name_or_id is None else self.find(name_or_id)
        with storage_errors(path):
            if info is None:
                path.unlink(missing_ok=True)
            else:
                write_atomic(path, f"{info.id}\n".encode())
        return info
