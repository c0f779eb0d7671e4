"""Writes shortcuts of Windows (``.lnk``): the program, its arguments, folder, icon and description.

The layout is that of Microsoft's [MS-SHLLINK]; sections are named beside the fields. A shortcut
made here can be written and checked on any system, and needs no help of a running Windows.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import PureWindowsPath

_CLASS = bytes.fromhex("0114020000000000c000000000000046")
_HAS_TARGET, _HAS_NAME, _HAS_FOLDER, _HAS_ARGUMENTS, _HAS_ICON, _UNICODE = (
    0x01,
    0x04,
    0x10,
    0x20,
    0x40,
    0x80,
)
_DIRECTORY, _ARCHIVE = 0x10, 0x20
_SHOW_NORMAL = 1
_COMPUTER = bytes.fromhex("1f50e04fd020ea3a6910a2d808002b30309d")
"""The first item of every path: "This PC" (20D04FE0-3AEA-1069-A2D8-08002B30309D)."""
_DRIVE, _FOLDER, _FILE = 0x2F, 0x31, 0x32
_EXTENSION_MARK = 0xBEEF0004


@dataclass(frozen=True, slots=True)
class Shortcut:
    """What a shortcut says.

    Attributes
    ----------
    target
        The program, a path with a drive letter.
    arguments
        What it is started with, as one types it.
    folder
        Where it runs.
    icon
        The file of its icon.
    about
        What is shown where the pointer rests on it.
    """

    target: str
    arguments: str
    folder: str
    icon: str
    about: str

    def to_bytes(self) -> bytes:
        """Return the file.

        Raises
        ------
        ValueError
            The target is not a full path on a drive.
        """
        flags = _HAS_TARGET | _HAS_NAME | _HAS_FOLDER | _HAS_ICON | _UNICODE
        texts = [self.about, self.folder]
        if self.arguments:
            flags |= _HAS_ARGUMENTS
            texts.append(self.arguments)
        texts.append(self.icon)  # 2.4: in this order
        # 2.1: size and class; flags; attributes; three times and a size that nobody knows; the
        # icon's index; the state of the window; no hot key.
        head = struct.pack("<I16sII", 0x4C, _CLASS, flags, _ARCHIVE)
        head += struct.pack("<QQQIiIHHII", 0, 0, 0, 0, 0, _SHOW_NORMAL, 0, 0, 0, 0)
        return head + _targets(self.target) + b"".join(map(_text, texts)) + bytes(4)


def _targets(path: str) -> bytes:
    """Return the list of items that lead to a file (2.2)."""
    parts = PureWindowsPath(path)
    if len(parts.drive) != 2 or not parts.root or len(parts.parts) < 2:
        raise ValueError(f"{path} is not a full path on a drive")
    items = [_COMPUTER, _drive(parts.drive)]
    *folders, name = parts.parts[1:]
    items += [_entry(folder, is_folder=True) for folder in folders]
    items.append(_entry(name, is_folder=False))
    listed = b"".join(struct.pack("<H", len(item) + 2) + item for item in items) + bytes(2)
    return struct.pack("<H", len(listed)) + listed


def _drive(letter: str) -> bytes:
    return struct.pack("<B22s", _DRIVE, f"{letter}\\".encode("ascii"))


def _entry(name: str, *, is_folder: bool) -> bytes:
    """Return the item of a folder or file: a name of one byte a letter, then the whole one.

    What Windows keeps here of times and sizes is left at nothing: it looks by the names.
    """
    short = name.encode("ascii", "replace") + b"\0"
    short += b"\0" * (len(short) % 2)
    kind = _FOLDER if is_folder else _FILE
    attributes = _DIRECTORY if is_folder else _ARCHIVE
    head = struct.pack("<BBIIH", kind, 0, 0, 0, attributes) + short
    long = name.encode("utf-16-le") + b"\0\0"
    # Version 3 of the extension: size, version, mark, two times, where the old form ends, the name.
    body = struct.pack("<HIIIHH", 3, _EXTENSION_MARK, 0, 0, 0x14, 0) + long
    body += struct.pack("<H", len(head) + 2)
    return head + struct.pack("<H", len(body) + 2) + body


def _text(value: str) -> bytes:
    """Return a text with its length in letters (2.4)."""
    data = value.encode("utf-16-le")
    return struct.pack("<H", len(data) // 2) + data
