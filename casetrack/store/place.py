"""Where a collection lies: in its folder, or in object storage, for which the folder stands.

A folder that holds ``place.json`` stands for a collection elsewhere. Its two datasets lie at that
address; everything else in the folder is a copy of what lies there, and may be deleted at any
time. Nothing above the store and the views asks where a collection lies, except to say what cannot
be done there.
"""

from __future__ import annotations

import functools
import json
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CollectionDamaged, ObjectStorageError, See, UsageError
from casetrack.base.files import folder_bytes, storage_errors, write_json
from casetrack.base.objects.address import Address, is_address

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.base.objects.service import Objects

FILE = "place.json"


@dataclass(frozen=True, slots=True)
class Place:
    """Where the collection of a folder lies.

    Attributes
    ----------
    folder
        The folder, or what stands for the collection on this computer.
    address
        Its address in object storage; ``None`` where it lies in the folder itself.
    endpoint
        Address of a service of S3's kind that is not Amazon's.
    """

    folder: Path
    address: Address | None = None
    endpoint: str | None = None

    @property
    def is_remote(self) -> bool:
        """Whether it lies elsewhere."""
        return self.address is not None

    @property
    def uri(self) -> str:
        """Where it lies, to be shown: its address, or the path of its folder."""
        return str(self.address or self.folder)

    def dataset(self, name: str, /) -> str:
        """Return the path or the address of one of its datasets, for Lance."""
        if self.address is None:
            return str(self.folder / name)
        if self.address.scheme == "file":
            return str(Path(self.address.prefix) / name)
        return f"{self.address}/{name}"

    @property
    def options(self) -> dict[str, str] | None:
        """What Lance needs to know of the service; no secret, which it finds where we do.

        Raises
        ------
        ObjectStorageError
            There are no credentials for the place.
        """
        if self.address is None or self.address.scheme == "file":
            return None
        if self.address.scheme != "s3":
            return {}
        return _options_of_s3(self.address, self.endpoint)

    @property
    def objects(self) -> Objects:
        """Its objects.

        Raises
        ------
        ValueError
            It lies in its folder.
        PackageMissing
            The library for object storage is not installed.
        """
        from casetrack.base.objects.service import open_objects

        if self.address is None:
            raise ValueError(f"{self.folder} lies in no object storage")
        return open_objects(self.address, self.endpoint)


def _options_of_s3(address: Address, endpoint: str | None) -> dict[str, str]:
    from casetrack.base.objects import credentials

    try:
        credentials.of_s3()
    except credentials.CredentialsMissing as error:
        raise ObjectStorageError(
            f"{address}: there are no credentials for it: {error}.",
            hint="Set them, or let `aws configure` write them into ~/.aws/credentials.",
        ) from error
    region, found = credentials.region_of_s3(), dict[str, str]()
    if endpoint:
        # A service of one's own has no regions, and looking one up would ask Amazon.
        found = {"endpoint": endpoint, "region": region or "us-east-1"}
        if endpoint.startswith("http://"):
            found["allow_http"] = "true"
    elif region:
        found = {"region": region}
    return found


def place_of(folder: Path, /) -> Place:
    """Return where the collection of a folder lies; one look at the disk.

    Raises
    ------
    CollectionDamaged
        The file that says so cannot be read.
    """
    try:
        facts = os.stat(os.path.join(folder, FILE))  # noqa: PTH116, PTH118 - hot
    except OSError:
        return Place(folder)
    return _read(folder, (facts.st_mtime_ns, facts.st_size, facts.st_ino))


@functools.lru_cache(maxsize=256)
def _read(folder: Path, stamp: tuple[int, int, int]) -> Place:  # noqa: ARG001 - what is kept is of it
    path = folder / FILE
    try:
        raw = json.loads(path.read_bytes())
        endpoint = raw.get("endpoint")
        if not isinstance(endpoint, str | None):
            raise TypeError("endpoint")
        return Place(folder, Address.of(raw["uri"]), endpoint)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UsageError) as error:
        raise CollectionDamaged(
            f"{path} does not say where the collection lies.",
            hint="Remove that folder, which holds nothing but copies, and attach the collection "
            f"again: {See('collection attach', 's3://…')}.",
        ) from error


def stands_in(folder: Path, /) -> bool:
    """Whether a folder stands for a collection elsewhere; nothing is read."""
    return os.path.exists(os.path.join(folder, FILE))  # noqa: PTH110, PTH118 - hot


def dataset_at(folder: Path, name: str, /) -> str:
    """Return the path or the address of a dataset of the collection of a folder."""
    return place_of(folder).dataset(name)


def stored_bytes(folder: Path, name: str = "", /) -> int:
    """Return the bytes that a collection takes up where it lies, or one of its datasets.

    Raises
    ------
    ObjectStorageError
        The place cannot be read.
    """
    place = place_of(folder)
    if place.address is None:
        return folder_bytes(folder / name)
    return sum(entry.size for entry in place.objects.list(name))


def endpoint_of(address: Address | None, /) -> str | None:
    """Return the address of the service that the environment names for a place."""
    from casetrack.base.objects import credentials

    if address is None or address.scheme != "s3":
        return None
    return credentials.endpoint_of_s3()


def stand_in(folder: Path, address: Address, endpoint: str | None = None, /) -> Place:
    """Let a folder stand for the collection at an address.

    Raises
    ------
    DiskFull, NotWritable, StorageError
        The folder cannot be written.
    """
    told = {"uri": str(address)} | ({"endpoint": endpoint} if endpoint else {})
    write_json(folder / FILE, told)
    return place_of(folder)


# --- files of a dataset ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a dataset, wherever it lies.

    Attributes
    ----------
    name
        Without its folders.
    size
        In bytes.
    modified
        Seconds since the epoch, by the clock of what stores it.
    path
        The file; ``None`` where it is an object.
    """

    name: str
    size: int
    modified: float
    path: Path | None
    _objects: Any = None
    _key: str = ""

    def read(self) -> bytes:
        """Return its content.

        Raises
        ------
        FileNotFoundError
            It is gone.
        ObjectStorageError
            The place cannot be read.
        """
        if self.path is not None:
            return self.path.read_bytes()
        found = self._objects.get(self._key)
        if found is None:
            raise FileNotFoundError(self._key)
        data: bytes = found.data
        return data

    def remove(self) -> None:
        """Remove it, if it is there.

        Raises
        ------
        NotWritable, StorageError
            It cannot be removed.
        """
        if self.path is None:
            self._objects.remove(self._key)
            return
        with storage_errors(self.path):
            self.path.unlink(missing_ok=True)

    def set_aside(self) -> None:
        """Give it a name that nobody looks for: it is damaged, and may hold something of worth.

        Raises
        ------
        NotWritable, StorageError
            It cannot be renamed.
        """
        if self.path is None:
            self._objects.put(f"{self._key}.damaged", self.read())
            self._objects.remove(self._key)
            return
        with storage_errors(self.path):
            self.path.replace(self.path.with_name(f"{self.name}.damaged"))

    def moment(self) -> datetime:
        """Return when it was written."""
        return datetime.fromtimestamp(self.modified, UTC)


def dataset_files(dataset: Any, folder: str, /) -> Iterator[StoredFile]:
    """Yield the files right in a folder of an open dataset; see :func:`files_at`."""
    options = dataset.initial_storage_options if is_address(dataset.uri) else None
    yield from files_at(dataset.uri, folder, (options or {}).get("endpoint"))


def files_of(folder: Path, name: str, below: str, /) -> Iterator[StoredFile]:
    """Yield the files right in a folder of a dataset of a collection; see :func:`files_at`."""
    place = place_of(folder)
    yield from files_at(place.dataset(name), below, place.endpoint)


def files_at(uri: str, folder: str, endpoint: str | None = None, /) -> Iterator[StoredFile]:
    """Yield the files right in a folder of the dataset at a path or an address, in no order.

    Raises
    ------
    ObjectStorageError
        The place cannot be read.
    """
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
    for found in entries:
        try:
            facts = found.stat()
        except FileNotFoundError:
            continue
        yield StoredFile(found.name, facts.st_size, facts.st_mtime, home / found.name)


# Where a collection keeps the file of a pipeline that does not ship with CaseTrack.

FOLDER = "pipelines"
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
"""What a pipeline may be called."""


def kept_path(name: str, /) -> str:
    """Return where the file of a pipeline lies within the folder of a collection."""
    return f"{FOLDER}/{name}.toml"


def is_kept_path(path: str, /) -> bool:
    """Return whether a path within the folder of a collection is that of a pipeline file."""
    folder, _, name = path.partition("/")
    stem, _, ending = name.rpartition(".")
    return folder == FOLDER and ending == "toml" and NAME.fullmatch(stem) is not None
