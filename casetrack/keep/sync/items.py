"""What a sync compares: files as they lie in a place, and rows of the ledger."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from casetrack.ingest.discover import SOURCE_COLUMNS
from casetrack.ingest.walk import suffix_of
from casetrack.keep.sync.cache import Signature

if TYPE_CHECKING:
    from casetrack.base.errors import CaseTrackError
    from casetrack.ingest.discover import Origin


class LedgerRow(NamedTuple):
    """What is looked at of a row of the ledger.

    Attributes
    ----------
    copy
        The collection's own copy of the file.
    told
        What its source said of it, see :data:`~casetrack.ingest.discover.SOURCE_COLUMNS`.
    reading
        The mark of how it was read and cut, see :attr:`casetrack.ingest.pipeline.Pipeline.reading`.
    """

    document_id: str
    path: str
    name: str
    file_hash: str
    parent_id: str | None
    is_partial: bool
    read_with: str | None
    copy: str | None = None
    told: tuple[object, ...] = (None,) * len(SOURCE_COLUMNS)
    reading: str = ""

    @property
    def source(self) -> object:
        """The label of its source."""
        return self.told[0]

    @property
    def is_remote(self) -> bool:
        """See :attr:`casetrack.base.records.Document.is_remote`."""
        return self.source is not None and self.path.startswith(f"{self.source}/")

    @property
    def suffix(self) -> str:
        """The extension that it was read by."""
        return suffix_of(self.copy or self.path)


@dataclass(frozen=True, slots=True)
class FileState:
    """A file of a folder, or an item of a source.

    Attributes
    ----------
    path
        The path that its document has.
    signature
        What it is known by while it is not touched, see :class:`~casetrack.keep.sync.cache.Hashed`;
        ``None`` where the system would not say.
    hash
        SHA-256 of its content, hexadecimal; ``None`` beside a problem.
    problem
        Why it cannot be read, where that shows already.
    textless, reason
        See :class:`~casetrack.keep.sync.cache.Hashed`.
    origin
        What its source says of it.
    fetched
        Where its content lies now, if that is not *path*; empty where it lies nowhere yet.
    """

    path: str
    signature: Signature | str | None
    hash: str | None
    problem: CaseTrackError | None = None
    textless: str = ""
    reason: str = ""
    origin: Origin | None = None
    fetched: str | None = None

    @property
    def suffix(self) -> str:
        """Its extension: a reader is chosen by it."""
        return suffix_of(self.origin.name if self.origin else self.path)

    @property
    def is_settled(self) -> bool:
        """Whether it is still as it was when it was hashed; what was fetched stays so."""
        if not isinstance(self.signature, Signature):
            return True
        return signature_of(self.path) == self.signature


def signature_of(path: str, /) -> Signature | None:
    """Return a file's signature, a link's target's; ``None`` where there is no file."""
    try:
        facts = os.stat(path)  # noqa: PTH116 - names that are no text
    except OSError:
        return None
    return Signature.of(facts) if stat.S_ISREG(facts.st_mode) else None
