"""The OLE container of an Outlook message ([MS-OXMSG]): storages and their MAPI properties."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed, ParseLimit
from casetrack.parse.mail import mapi

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

KIND = "MSG"
_PROPERTIES = "__properties_version1.0"
_STREAM = "__substg1.0_"
_NAMES = "__nameid_version1.0"
_ENTRY_STREAM = f"{_STREAM}00030102"
_NAMED = 0x8000
_MIB = 1024 * 1024
TOP_HEADER, MESSAGE_HEADER, OTHER_HEADER = 32, 24, 8
"""Bytes before the properties of a file's own message, of one inside it, of anything else."""

Folder = tuple[str, ...]
"""Names of storages from the outermost one."""


class Container:
    """An open message file.

    Parameters
    ----------
    path
        The file.
    unpacked_mb
        MiB that may be read in all: damaged files let many streams share the same bytes.

    Attributes
    ----------
    damaged
        Streams that could not be read.
    """

    def __init__(self, path: Path, unpacked_mb: int, /) -> None:
        import olefile  # type: ignore[import-untyped]

        self._path = path
        self._left = unpacked_mb * _MIB
        self.damaged: set[Folder] = set()
        self._children: dict[Folder, dict[str, str]] = {}
        try:
            self._ole: Any = olefile.OleFileIO(str(path))
            entries = self._ole.listdir(streams=True, storages=True)
        except MemoryError:
            raise
        except Exception as error:
            raise ParseFailed(path, KIND, _reason(error)) from error
        for entry in entries:
            self._inside(tuple(entry[:-1]))[entry[-1].lower()] = entry[-1]

    def __enter__(self) -> Container:
        """Return the container itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the file."""
        self._ole.close()

    def names(self, folder: Folder, prefix: str = "", /) -> list[str]:
        """Return the names in a storage that begin with *prefix*, sorted."""
        found = self._inside(folder)
        return sorted(found[name] for name in found if name.startswith(prefix.lower()))

    def _inside(self, folder: Folder) -> dict[str, str]:
        """Return the names in a storage; case means nothing in them ([MS-CFB] 2.6.4)."""
        return self._children.setdefault(tuple(name.lower() for name in folder), {})

    def stream(self, folder: Folder, name: str, /) -> bytes:
        """Return a stream; empty where it is missing or damaged.

        Raises
        ------
        ParseLimit
            More is read than the limit allows.
        """
        if name.lower() not in self._inside(folder):
            return b""
        try:
            data: bytes = self._ole.openstream([*folder, name]).read()
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - damage makes olefile raise anything
            self.damaged.add((*folder, name))
            return b""
        self._left -= len(data)
        if self._left < 0:
            raise ParseLimit(self._path, "its streams hold more than unpacked_mb allows")
        return data

    def properties(self, folder: Folder, header: int, /) -> mapi.Properties:
        """Return the properties of a storage.

        Parameters
        ----------
        folder
            The storage.
        header
            Length of what stands before its properties.
        """
        found = mapi.Properties()
        fixed = self.stream(folder, _PROPERTIES)
        for at in range(header, len(fixed) - 15, 16):
            kind, identity = struct.unpack_from("<HH", fixed, at)
            value = mapi.fixed_value(kind, fixed[at + 8 : at + 16])
            if value is not None:
                found.values[identity] = value
        for name in self.names(folder, _STREAM):
            tag = _tag(name)
            if tag is None:
                continue
            identity, kind = tag
            data = self.stream(folder, name)
            found.values[identity] = (
                data.decode("utf-16-le", "replace") if kind == mapi.UNICODE else data
            )
        found.find_encoding()
        return found

    def named(self) -> dict[int, int]:
        """Return the property ids of properties named by a number, by that number."""
        entries = self.stream((_NAMES,), _ENTRY_STREAM)
        found: dict[int, int] = {}
        for at in range(0, len(entries) - 7, 8):
            name, flags, index = struct.unpack_from("<IHH", entries, at)
            if not flags & 1:
                found.setdefault(name, _NAMED + index)
        return found


def _tag(name: str) -> tuple[int, int] | None:
    """Return id and type from a stream's name, ``None`` for types that are not needed."""
    text = name[len(_STREAM) :]
    if len(text) != 8:
        return None
    try:
        identity, kind = int(text[:4], 16), int(text[4:], 16)
    except ValueError:
        return None
    known = (mapi.STRING8, mapi.UNICODE, mapi.BINARY)
    return (identity, kind) if kind in known else None


def _reason(error: Exception) -> str:
    words = " ".join(str(error).split())[:200]
    return f"its container is damaged ({words or type(error).__name__})"
