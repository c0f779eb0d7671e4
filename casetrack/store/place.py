"""Location of a collection: a local folder, or object storage with a local folder for copies.

A folder with ``place.json`` belongs to a remote collection: its two datasets are at that address,
and its other files are copies that may be deleted at any time. Code above the store and the views
does not depend on the location.
"""

from __future__ import annotations

import functools
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import CollectionDamaged, ObjectStorageError, See, UsageError
from casetrack.base.files import folder_bytes, storage_errors, write_json
from casetrack.base.objects.address import Address, is_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.base.objects.service import Objects

FILE = "place.json"


@dataclass(frozen=True, slots=True)
class Place:
    """Location of a collection; *address* is ``None`` if local, *endpoint* if Amazon's."""

    folder: Path
    address: Address | None = None
    endpoint: str | None = None

    @property
    def is_remote(self) -> bool:
        """Whether the collection is in object storage."""
        return self.address is not None

    @property
    def uri(self) -> str:
        """Address or folder path of the collection, for messages."""
        return str(self.address or self.folder)

    def dataset(self, name: str, /) -> str:
        """Return the path or the address of a dataset, for Lance."""
        if self.address is None:
            return str(self.folder / name)
        if self.address.scheme == "file":
            return str(Path(self.address.prefix) / name)
        return f"{self.address}/{name}"

    @property
    def options(self) -> dict[str, str] | None:
        """Storage options for Lance, without secrets, which Lance reads itself."""
        if self.address is None or self.address.scheme == "file":
            return None
        if self.address.scheme != "s3":
            return {}
        return _options_of_s3(self.address, self.endpoint)

    @property
    def objects(self) -> Objects:
        """Object storage of the collection."""
        from casetrack.base.objects.service import open_objects

        if self.address is None:
            raise ValueError(f"{self.folder} is not in object storage")
        return open_objects(self.address, self.endpoint)


def _options_of_s3(address: Address, endpoint: str | None) -> dict[str, str]:
    from casetrack.base.objects import credentials

    try:
        credentials.of_s3()
    except credentials.CredentialsMissing as error:
        raise ObjectStorageError(
            f"{address}: no credentials found: {error}.",
            hint="Set them, or let `aws configure` write them into ~/.aws/credentials.",
        ) from error
    region, options = credentials.region_of_s3(), dict[str, str]()
    if endpoint:
        # An S3-compatible service has no regions, and a lookup would ask Amazon.
        options = {"endpoint": endpoint, "region": region or "us-east-1"}
        if endpoint.startswith("http://"):
            options["allow_http"] = "true"
    elif region:
        options = {"region": region}
    return options


def place_of(folder: Path, /) -> Place:
    """Return the location of the collection of a folder; costs one file status call."""
    try:
        facts = os.stat(os.path.join(folder, FILE))  # noqa: PTH116, PTH118 - hot
    except OSError:
        return Place(folder)
    return _read(folder, (facts.st_mtime_ns, facts.st_size, facts.st_ino))


@functools.lru_cache(maxsize=256)
def _read(folder: Path, stamp: tuple[int, int, int]) -> Place:  # noqa: ARG001 - part of the cache key
    path = folder / FILE
    try:
        raw = json.loads(path.read_bytes())
        endpoint = raw.get("endpoint")
        if not isinstance(endpoint, str | None):
            raise TypeError("endpoint")
        return Place(folder, Address.of(raw["uri"]), endpoint)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UsageError) as error:
        raise CollectionDamaged(
            f"{path} does not contain the address of the collection.",
            hint="Remove that folder, which contains only copies, and attach the collection "
            f"again: {See('collection attach', 's3://…')}.",
        ) from error


def is_remote_folder(folder: Path, /) -> bool:
    """Whether a folder belongs to a remote collection; reads nothing."""
    return os.path.exists(os.path.join(folder, FILE))  # noqa: PTH110, PTH118 - hot


def dataset_at(folder: Path, name: str, /) -> str:
    """Return the path or the address of a dataset of a folder's collection."""
    return place_of(folder).dataset(name)


def stored_bytes(folder: Path, name: str = "", /) -> int:
    """Return the stored bytes of a collection, or of one of its datasets."""
    place = place_of(folder)
    if place.address is None:
        return folder_bytes(folder / name)
    return sum(entry.size for entry in place.objects.list(name))


def endpoint_of(address: Address | None, /) -> str | None:
    """Return the service address that the environment sets for a storage address."""
    from casetrack.base.objects import credentials

    if address is None or address.scheme != "s3":
        return None
    return credentials.endpoint_of_s3()


def make_remote_folder(folder: Path, address: Address, endpoint: str | None = None, /) -> Place:
    """Make a folder the local folder of the remote collection at an address."""
    content = {"uri": str(address)} | ({"endpoint": endpoint} if endpoint else {})
    write_json(folder / FILE, content)
    return place_of(folder)


# --- files of a dataset ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a dataset; *path* is ``None`` for an object, *modified* is in epoch seconds."""

    name: str
    size: int
    modified: float
    path: Path | None
    _objects: Any = None
    _key: str = ""

    def read(self) -> bytes:
        """Return its content."""
        if self.path is not None:
            return self.path.read_bytes()
        content = self._objects.get(self._key)
        if content is None:
            raise FileNotFoundError(self._key)
        data: bytes = content.data
        return data

    def remove(self) -> None:
        """Remove it, if it exists."""
        if self.path is None:
            self._objects.remove(self._key)
            return
        with storage_errors(self.path):
            self.path.unlink(missing_ok=True)

    def set_aside(self) -> None:
        """Rename it so that it is ignored but kept: a damaged file may contain recoverable data."""
        if self.path is None:
            self._objects.put(f"{self._key}.damaged", self.read())
            self._objects.remove(self._key)
            return
        with storage_errors(self.path):
            self.path.replace(self.path.with_name(f"{self.name}.damaged"))

    def moment(self) -> datetime:
        """Return the time of its last change."""
        return datetime.fromtimestamp(self.modified, UTC)


def dataset_files(dataset: Any, folder: str, /) -> Iterator[StoredFile]:
    """Yield the files directly in a folder of an open dataset; see :func:`files_at`."""
    options = dataset.initial_storage_options if is_address(dataset.uri) else None
    yield from files_at(dataset.uri, folder, (options or {}).get("endpoint"))


def files_of(folder: Path, name: str, below: str, /) -> Iterator[StoredFile]:
    """Yield the files directly in a folder of a collection's dataset; see :func:`files_at`."""
    place = place_of(folder)
    yield from files_at(place.dataset(name), below, place.endpoint)


def files_at(uri: str, folder: str, endpoint: str | None = None, /) -> Iterator[StoredFile]:
    """Yield the files directly in a folder of the dataset at a path or address, unordered."""
    if is_address(uri):
        from casetrack.base.objects.service import open_objects

        objects = open_objects(Address.of(uri), endpoint)
        for entry in objects.list(folder):
            name = entry.key.rpartition("/")[2]
            if entry.key == f"{folder}/{name}":
                yield StoredFile(
                    name, entry.size, entry.modified.timestamp(), None, objects, entry.key
                )
        return
    home = Path(uri, folder)
    try:
        entries = list(os.scandir(home))
    except (FileNotFoundError, NotADirectoryError):
        return
    for item in entries:
        try:
            facts = item.stat()
        except FileNotFoundError:
            continue
        yield StoredFile(item.name, facts.st_size, facts.st_mtime, home / item.name)


# Files of pipelines that do not ship with CaseTrack, within a collection.

FOLDER = "pipelines"
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""Pattern of a pipeline name."""


def kept_path(name: str, /) -> str:
    """Return the path of a pipeline's file within a collection's folder."""
    return f"{FOLDER}/{name}.toml"


def is_kept_path(path: str, /) -> bool:
    """Return whether a path within a collection's folder is that of a pipeline file."""
    folder, _, name = path.partition("/")
    stem, _, ending = name.rpartition(".")
    return folder == FOLDER and ending == "toml" and NAME.fullmatch(stem) is not None
