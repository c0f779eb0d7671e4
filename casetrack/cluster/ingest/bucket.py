"""Files of a bucket that are to be read by the machines of a cluster, each fetching its own."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import UsageError
from casetrack.base.objects import credentials
from casetrack.ingest.discover import FoundFile
from casetrack.ingest.plan import FileFacts
from casetrack.ingest.walk import extension_set, suffix_of
from casetrack.keep.sources.base import label
from casetrack.keep.sources.s3 import S3Source
from casetrack.keep.sync.cache import HashCache, Hashed
from casetrack.keep.sync.listing import origin_of

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Sequence

    from casetrack.base.records import Document
    from casetrack.keep.sources.base import Item

_ADDRESS = re.compile(r"s3://([^/]+)(?:/(.*))?")


def is_bucket(path: str | Path, /) -> bool:
    """Whether this names a bucket, or a part of one."""
    return str(path).startswith("s3://")


@dataclass(slots=True)
class Bucket:
    """What is to be read of a bucket.

    Attributes
    ----------
    source, prefix
        The bucket, and what the keys in question begin with.
    items
        What is in it, by the path of the document.
    """

    source: S3Source
    prefix: str
    items: dict[str, Item] = field(default_factory=dict)

    @classmethod
    def of(cls, address: str, /) -> Bucket:
        """Return the bucket at ``s3://bucket/folder``.

        Raises
        ------
        UsageError
            That is no such address.
        """
        fits = _ADDRESS.fullmatch(address)
        if fits is None:
            raise UsageError(
                f"{address!r} is no address of a bucket.", hint="Write s3://bucket/folder."
            )
        prefix = (fits[2] or "").lstrip("/")
        if prefix and not prefix.endswith("/") and not suffix_of(prefix):
            prefix += "/"
        source = S3Source(
            fits[1],
            bucket=fits[1],
            prefix=prefix,
            region=credentials.region_of_s3() or "us-east-1",
            endpoint_url=credentials.endpoint_of_s3(),
        )
        return cls(source, prefix)

    def find(
        self, *, recursive: bool, extensions: Iterable[str] | None, cancel: threading.Event | None
    ) -> list[FoundFile]:
        """Return the objects that are to be read, in the order of their keys.

        Raises
        ------
        SourceError
            The bucket cannot be listed.
        JobStopped
            *cancel* was set.
        """
        wanted = extension_set(extensions)
        below = self.prefix.rfind("/") + 1
        name = label(self.source)
        for item in self.source.items(cancel=cancel):
            if not recursive and "/" in item.source_id[below:]:
                continue
            if wanted is not None and suffix_of(item.source_id) not in wanted:
                continue
            self.items[origin_of(name, item).path] = item
        return [
            FoundFile(Path(origin.name), named=False, origin=origin)
            for origin in (origin_of(name, self.items[path]) for path in sorted(self.items))
        ]

    def known(self, cache: HashCache, documents: Iterable[Document], /) -> dict[str, FileFacts]:
        """Return the facts of objects that have not changed since a document was read from them."""
        paths = {document.path: document for document in documents}
        found = {}
        for path, item in self.items.items():
            document = paths.get(path)
            entry = cache.find(path, item.token) if item.token else None
            if document is not None and entry is not None:
                moment = item.updated_at or document.file_modified_at
                found[path] = FileFacts(entry.hash, document.file_size, moment.astimezone(UTC))
        return found

    def remember(self, cache: HashCache, documents: Sequence[Document], /) -> None:
        """Note what was read from which object, so that it is not fetched again for nothing."""
        for document in documents:
            item = self.items.get(document.path)
            as_listed = (
                item is not None
                and item.token
                and item.size == document.file_size
                and (item.updated_at or datetime.max.replace(tzinfo=UTC)) <= document.updated_at
            )
            if as_listed and item is not None:
                cache.keep(document.path, Hashed(item.token, time.time_ns(), document.file_hash))
        cache.save()
