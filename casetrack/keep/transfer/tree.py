"""A whole collection's folder as one stream (tar), and back: byte for byte, nothing made anew."""

from __future__ import annotations

import os
import re
import tarfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING

from casetrack.base.errors import CollectionBusy, EncryptedFileDamaged
from casetrack.base.files import storage_errors, sync_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_COPY = 1 << 20
_PASSING = re.compile(r"\..*\.lock|\.spool-.*|\..*\.tmp|reader-locks|__pycache__")
"""What belongs to programs at work, and to no state of a collection."""
_MADE_ANEW = "views"


@dataclass(frozen=True, slots=True)
class Tree:
    """The files of a folder at one moment.

    Attributes
    ----------
    folders
        Paths of all folders in it, from the top down.
    files
        Size and time of the last change (ns) of every file, by its path.
    """

    folders: tuple[str, ...]
    files: dict[str, tuple[int, int]]

    @property
    def total(self) -> int:
        """Bytes of all files."""
        return sum(size for size, _ in self.files.values())

    @property
    def lasting(self) -> dict[str, tuple[int, int]]:
        """The files without those that are made anew from the others."""
        return {p: f for p, f in self.files.items() if not p.startswith(f"{_MADE_ANEW}/")}


def tree_of(folder: Path, /) -> Tree:
    """Return what is in a collection's folder.

    Raises
    ------
    StorageError
        It cannot be read.
    """
    with storage_errors(folder):
        folders, files = [], {}
        for base, below, names in os.walk(folder, onerror=_raise):
            below[:] = sorted(n for n in below if not _PASSING.fullmatch(n))
            inside = Path(base).relative_to(folder)
            folders += [(inside / n).as_posix() for n in below]
            for name in sorted(names):
                path = Path(base, name)
                if not _PASSING.fullmatch(name) and path.is_file() and not path.is_symlink():
                    found = path.stat()
                    files[(inside / name).as_posix()] = found.st_size, found.st_mtime_ns
        return Tree(tuple(folders), files)


def _raise(error: OSError) -> None:
    raise error


def write_tree(folder: Path, tree: Tree, sink: IO[bytes], tell: Callable[[int], None], /) -> None:
    """Write the files of a folder, in the order of their names.

    Parameters
    ----------
    folder, tree
        The folder, and what is in it.
    sink
        Where it goes.
    tell
        Told the bytes written so far; an error that it raises ends the writing.

    Raises
    ------
    CollectionBusy
        A file has changed meanwhile.
    """
    done = 0
    with tarfile.TarFile(
        mode="w", fileobj=sink, format=tarfile.PAX_FORMAT, copybufsize=_COPY
    ) as tar:
        for path in tree.folders:
            entry = tarfile.TarInfo(path)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o700
            tar.addfile(entry)
        for path, (size, moment) in tree.files.items():
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode, entry.mtime = size, 0o600, moment // 10**9
            try:
                with (folder / path).open("rb") as file:
                    tar.addfile(entry, file)
            except FileNotFoundError:
                if not path.startswith(f"{_MADE_ANEW}/"):
                    raise
                raise changed(folder) from None
            except OSError as error:
                if "unexpected end of data" in str(error):
                    raise changed(folder) from error
                raise
            done += size
            tell(done)


def changed(folder: Path, /) -> CollectionBusy:
    """Return the error that says that somebody has changed a collection while it was read."""
    return CollectionBusy(
        f"The files in {folder} were changed by another program meanwhile; nothing was done.",
        hint="Wait until that program is done with the collection, then run the command again.",
    )


def read_tree(source: IO[bytes], folder: Path, name: str, tell: Callable[[int], None], /) -> int:
    """Write what :func:`write_tree` wrote into an empty folder, for its owner alone.

    Parameters
    ----------
    source
        The stream.
    folder
        Where it goes.
    name
        What the stream is called in messages.
    tell
        Told the bytes read so far.

    Returns
    -------
    int
        Bytes of the files.

    Raises
    ------
    EncryptedFileDamaged
        It is not such a stream.
    DiskFull, NotWritable, StorageError
        It cannot be written.
    """
    done = 0
    try:
        with tarfile.open(fileobj=source, mode="r|", bufsize=_COPY) as tar:
            for entry in tar:
                place = folder.joinpath(*_parts(entry, name))
                if entry.isdir():
                    with storage_errors(place):
                        place.mkdir(mode=0o700, parents=True, exist_ok=True)
                    continue
                for size in _extract(tar, entry, place):
                    done += size
                    tell(done)
    except tarfile.TarError as error:
        raise EncryptedFileDamaged(name, "what is in it is no collection") from error
    with storage_errors(folder):
        for base, _, _ in os.walk(folder):
            sync_folder(Path(base))
    return done


def _parts(entry: tarfile.TarInfo, name: str) -> tuple[str, ...]:
    path = PurePosixPath(entry.name)
    if not (entry.isreg() or entry.isdir()) or path.is_absolute() or ".." in path.parts:
        raise EncryptedFileDamaged(name, f"it holds what no collection holds: {entry.name!r}")
    if "\\" in entry.name or ":" in entry.name.partition("/")[0]:
        raise EncryptedFileDamaged(name, f"it holds a path that is not safe: {entry.name!r}")
    return path.parts


def _extract(tar: tarfile.TarFile, entry: tarfile.TarInfo, place: Path) -> Iterator[int]:
    with storage_errors(place):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        source = tar.extractfile(entry)
        how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        handle = os.open(place, how, 0o600)
        with os.fdopen(handle, "wb") as sink:
            while source is not None and (block := source.read(_COPY)):
                sink.write(block)
                yield len(block)
            sink.flush()
            os.fsync(sink.fileno())
        os.utime(place, (entry.mtime, entry.mtime))
