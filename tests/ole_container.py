"""Writes OLE containers, as Outlook's messages and embedded objects are."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Tree = dict[str, "bytes | Tree"]
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def ole(tree: Mapping[str, object]) -> bytes:
    """Write an OLE container ([MS-CFB]); streams are all put into the small-stream area."""
    entries: list[list[object]] = [["Root Entry", 5, _FREE, _FREE, 0, 0]]
    small = bytearray()
    small_fat: list[int] = []

    def add(folder: int, content: Mapping[str, object]) -> None:
        before = -1
        for name, value in content.items():
            index = len(entries)
            if isinstance(value, bytes):
                count = -(-len(value) // 64)
                start = len(small_fat) if count else _END
                small_fat.extend([*range(len(small_fat) + 1, len(small_fat) + count), _END][:count])
                small.extend(value.ljust(64 * count, b"\0"))
                entries.append([name, 2, _FREE, _FREE, start, len(value)])
            else:
                entries.append([name, 1, _FREE, _FREE, 0, 0])
            if before < 0:
                entries[folder][3] = index
            else:
                entries[before][2] = index
            before = index
            if not isinstance(value, bytes):
                assert isinstance(value, dict)
                add(index, value)

    add(0, tree)
    sectors: list[bytes] = []
    fat: list[int] = []

    def put(data: bytes) -> int:
        start = len(sectors)
        parts = [data[i : i + 512].ljust(512, b"\0") for i in range(0, len(data), 512)]
        sectors.extend(parts)
        fat.extend([*range(start + 1, start + len(parts)), _END][: len(parts)])
        return start

    entries[0][4:] = [put(bytes(small)), len(small)]
    table = b"".join(struct.pack("<I", n) for n in small_fat)
    padded = table + b"\xff" * (-len(table) % 512)
    small_start = put(padded)
    directory = b""
    for name, kind, right, child, start, size in entries:
        raw = str(name).encode("utf-16-le") + b"\0\0"
        directory += raw.ljust(64, b"\0") + struct.pack(
            "<HBBIII16sIQQIQ", len(raw), kind, 1, _FREE, right, child, b"", 0, 0, 0, start, size
        )
    directory_start = put(directory)
    count = -(-(len(fat) + 1) // 127)
    fat_start = len(sectors)
    fat += [_FAT] * count
    sectors.append(struct.pack(f"<{len(fat)}I", *fat).ljust(512 * count, b"\xff"))
    header = struct.pack(
        "<8s16sHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b"",
        0x3E,
        3,
        0xFFFE,
        9,
        6,
        0,
        count,
        directory_start,
        0,
        4096,
        small_start,
        len(padded) // 512,
        _END,
        0,
    )
    places = [*range(fat_start, fat_start + count)]
    header += struct.pack("<109I", *places, *[_FREE] * (109 - count))
    return header + b"".join(sectors)
