"""A bucket of Amazon S3 or of an S3-compatible service; for credentials see :mod:`credentials`."""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import JobStopped, SourceChanged, SourceError, SourceSkipped, UsageError
from casetrack.base.objects import credentials, service
from casetrack.base.objects.service import SHOWN, fault_of
from casetrack.keep.sources.base import Choice, Item, Source, label

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import ModuleType

_PAGE = 1000
_BLOCK = 1 << 20
_BUCKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,62}")


class S3Source(Source):
    """A bucket; globs match whole keys, and *anonymous* sends no credentials."""

    kind = "s3"
    together = 8

    def __init__(
        self,
        name: str,
        /,
        *,
        bucket: str,
        prefix: str = "",
        region: str = "us-east-1",
        include_globs: Sequence[str] = (),
        exclude_globs: Sequence[str] = (),
        endpoint_url: str | None = None,
        anonymous: bool = False,
        max_extract_bytes: int = 50_000_000,
    ) -> None:
        self.name = name
        self.begin()
        where = label(self)
        if not _BUCKET.fullmatch(bucket):
            raise UsageError(
                f"'bucket' of {where} cannot be the name of a bucket: {bucket!r}.",
                hint="Use only its name; folders belong in 'prefix'.",
            )
        if endpoint_url is not None and not re.match(r"https?://[^/]", endpoint_url):
            raise UsageError(
                f"'endpoint_url' of {where} is not a web address.",
                hint="Write http://host:port or https://host.",
            )
        self._bucket = bucket
        self._prefix = prefix.lstrip("/")
        self._region = region
        self._endpoint = endpoint_url
        self._anonymous = anonymous
        self._largest = max_extract_bytes
        self._choice = Choice(include_globs, exclude_globs, where=where, built=True)
        self._opened: Any = None

    def __getstate__(self) -> dict[str, Any]:
        # The open store contains credentials; another machine uses its own.
        return self.__dict__ | {"_opened": None}

    def items(self, *, cancel: threading.Event | None = None) -> Iterator[Item]:
        """Yield the bucket's objects; see :meth:`casetrack.keep.sources.base.Source.items`."""
        self.begin()
        self._choice.begin()
        for entry in self._listing(cancel):
            key, size = str(entry["path"]), int(entry["size"])
            if not key.startswith(self._prefix) or not self._choice.takes(key):
                continue
            if size > self._largest:
                self.large.append(key)
                continue
            etag = entry["e_tag"]
            yield Item(
                key,
                # Times prove nothing: a replaced object may keep its time, and an unchanged one may
                # not.
                f"{etag}-{size}" if etag else "",
                size=size,
                url=f"s3://{self._bucket}/{key}",
                updated_at=entry["last_modified"],
            )
        self.note_large(self._largest, "object")
        self.notes += self._choice.notes()

    def _listing(self, cancel: threading.Event | None) -> Iterator[Any]:
        """Yield the service's entry of each object below the prefix's last slash."""
        obstore = self._library()
        folder = self._prefix.rpartition("/")[0]
        seen: set[str] = set()
        try:
            for page in obstore.list(self._store(), prefix=folder or None, chunk_size=_PAGE):
                self._check(cancel)
                seen.update(entry["path"] for entry in page)
                yield from page
            return
        except (obstore.exceptions.BaseError, OSError, ValueError) as error:
            if _no_path(error) is None:
                raise self._error(error) from error
        # One invalid key must not hide the whole bucket.
        yield from (f for f in self._by_folders(folder, cancel) if f["path"] not in seen)

    def _by_folders(self, first: str, cancel: threading.Event | None) -> Iterator[Any]:
        """Yield the objects folder by folder; unreadable folders are added to `dark`."""
        obstore = self._library()
        waiting = [first]
        while waiting:
            self._check(cancel)
            folder = waiting.pop()
            try:
                listing = obstore.list_with_delimiter(self._store(), prefix=folder or None)
            except (obstore.exceptions.BaseError, OSError, ValueError) as error:
                key = _no_path(error)
                if key is None or folder == first:
                    raise self._error(error) from error
                self.dark.append(folder)
                self.notes.append(
                    f"The folder {folder} cannot be listed, and its documents stay: it has an "
                    f"invalid key: {key!r}. Rename that object: no empty parts (//), no '.' and "
                    "'..'."
                )
                continue
            yield from listing["objects"]
            waiting += reversed(listing["common_prefixes"])

    def _check(self, cancel: threading.Event | None) -> None:
        if cancel is not None and cancel.is_set():
            raise JobStopped(f"Reading {label(self)} was stopped.")

    def _library(self) -> ModuleType:
        try:
            library = importlib.import_module("obstore")
            importlib.import_module("obstore.exceptions")
        except ImportError as error:
            raise SourceError(
                label(self),
                "reading buckets needs a package that is not installed.",
                hint="Install it with `pip install 'casetrack[s3]'`.",
            ) from error
        return library

    def _store(self) -> Any:
        if self._opened is None:
            stores = importlib.import_module("obstore.store")
            plain = self._endpoint is not None and self._endpoint.startswith("http://")
            self._opened = stores.S3Store(
                self._bucket,
                region=self._region,
                **({} if self._endpoint is None else {"endpoint": self._endpoint}),
                **self._credentials(),
                **service.library_options(plain=plain),
            )
        return self._opened

    def _credentials(self) -> dict[str, Any]:
        if self._anonymous:
            # The library also reads the environment, and needs either all settings or none.
            return {"skip_signature": True, "access_key_id": "none", "secret_access_key": "none"}
        try:
            return dict(credentials.of_s3().options())
        except credentials.CredentialsMissing as error:
            raise SourceError(
                label(self),
                f"{error}.",
                hint="Set credentials that can list and read the bucket, or `anonymous = true` "
                "for a public one.",
            ) from error

    def fetch(self, item: Item, target: Path, /, *, cancel: threading.Event | None = None) -> None:
        """Write an object's content; see :meth:`casetrack.keep.sources.base.Source.fetch`."""
        if item.size is not None and item.size > self._largest:
            raise SourceSkipped(
                label(self), f"{item.source_id} is larger than {self._largest:,} bytes."
            )
        obstore = self._library()
        etag = item.token.rpartition("-")[0]
        options = {"if_match": etag} if etag else {}
        try:
            answer = obstore.get(self._store(), item.source_id, options=options)
            # Some services do not support the condition.
            if (etag and answer.meta["e_tag"] != etag) or answer.meta["size"] != item.size:
                raise self._changed(item)
            received = 0
            with target.open("wb") as file:
                for block in answer.stream(min_chunk_size=_BLOCK):
                    self._check(cancel)
                    received += file.write(block)
        except (obstore.exceptions.PreconditionError, FileNotFoundError) as error:
            raise self._changed(item) from error
        except (obstore.exceptions.BaseError, OSError, ValueError) as error:
            raise self._error(error, f"{self._bucket}/{item.source_id}") from error
        if received != item.size:
            raise self._changed(item)

    def _changed(self, item: Item) -> SourceChanged:
        return SourceChanged(
            label(self),
            f"{item.source_id} was replaced or removed since the bucket was listed.",
            hint="Sync again.",
        )

    def link(self, item: Item, first_line: int | None, last_line: int | None, /) -> str | None:  # noqa: ARG002
        """Return an object's address, without lines."""
        return item.url

    def _error(self, error: Exception, what: str = "") -> SourceError:
        """Return our error for one of the service, with its code and message only (no keys)."""
        fault = fault_of(error)
        words = fault.words
        place = self._endpoint or f"Amazon S3 ({self._region})"
        key = _no_path(error)
        if key is not None:
            return SourceError(
                label(self),
                f"the bucket has an invalid key: {key!r}.",
                hint="Rename that object: no empty parts (//), no '.' and '..'. Or set 'prefix' to "
                "a folder without it.",
            )
        refused = (
            f"{place} does not let these credentials read {what or self._bucket!r}{words}",
            f"Check {credentials.NAMES} and their permissions: list the bucket, get objects.",
        )
        replies = {
            "no_bucket": (
                f"there is no bucket {self._bucket!r} at {place} (any more).",
                "Check 'bucket', 'region' and 'endpoint_url'.",
            ),
            "InvalidObjectState": (
                f"{what or self._bucket} is archived, and cannot be read{words}",
                "Restore the object and sync again, or exclude it with 'exclude_globs'.",
            ),
            "refused": refused,
            "expired": refused,
            "elsewhere": (
                f"the bucket {self._bucket!r} is not in {self._region}{words}",
                "Set 'region' to that of the bucket.",
            ),
            "busy": (
                f"{place} is overloaded, even after {service.RETRIES} retries{words}",
                "Sync again later.",
            ),
            "unreachable": (
                f"{place} is not reachable, or closed the connection.",
                "Check 'endpoint_url', 'region' and the network, and sync again.",
            ),
        }
        first = f"{fault.code}{words}" if fault.code else str(error).splitlines()[0]
        other = f"{place} answered with an error: {first[:SHOWN]}", "Sync again."
        message, hint = replies.get(fault.code) or replies.get(fault.kind, other)
        return SourceError(label(self), message, hint=hint)


def _no_path(error: Exception) -> str | None:
    """Return the invalid key of an error of the library, if there is one."""
    text = str(error)
    if "invalid path" not in text and "parse path" not in text:
        return None
    match = re.search(r'Path "([^"]*)"', text)
    return match[1] if match is not None else ""
