"""The faults of a disk, a copy or a program that went wrong: how each is planted into a file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence
    from pathlib import Path

_SECTOR = 512
_MADE_UP = re.compile(r"\d{10}-[0-9a-f]{12}|[0-9a-f]{20}")
"""Names of segments, and of states of the graph."""


@dataclass(frozen=True, slots=True)
class Case:
    """One fault of a sweep.

    Attributes
    ----------
    number
        Determines, with the seed, all random choices.
    area
        Kind of the damaged file, such as ``chunks/data``.
    path
        The file, relative to the data folder.
    fault
        A key of :data:`FAULTS`.
    """

    number: int
    area: str
    path: str
    fault: str


def _zeros(path: Path, others: Sequence[Path], dice: random.Random) -> str:
    size = path.stat().st_size
    path.write_bytes(bytes(size))
    return f"{size} bytes, all zero"


def _sector(path: Path, others: Sequence[Path], dice: random.Random) -> str:
    data = bytearray(path.read_bytes())
    start = dice.randrange(0, max(1, len(data)), _SECTOR)
    data[start : start + _SECTOR] = bytes(len(data[start : start + _SECTOR]))
    path.write_bytes(data)
    return f"zeros from byte {start}"


def _cut(path: Path, others: Sequence[Path], dice: random.Random) -> str:
    data = path.read_bytes()
    length = dice.choice([0, 1, len(data) - 1, dice.randrange(len(data) + 1)])
    path.write_bytes(data[: max(0, length)])
    return f"cut to {max(0, length)} of {len(data)} bytes"


def _bit(path: Path, others: Sequence[Path], dice: random.Random) -> str:
    data = bytearray(path.read_bytes())
    if not data:
        return "an empty file has no bit"
    place, bit = dice.randrange(len(data)), dice.randrange(8)
    data[place] ^= 1 << bit
    path.write_bytes(data)
    return f"bit {bit} of byte {place} of {len(data)}"


def _swap(path: Path, others: Sequence[Path], dice: random.Random) -> str:
    different = [o for o in others if o.read_bytes() != path.read_bytes()]
    if not different:
        return "there is no other file of its kind"
    other = dice.choice(different)
    data = other.read_bytes()
    other.write_bytes(path.read_bytes())
    path.write_bytes(data)
    return f"swapped with {other.parent.name}/{other.name}"


def _away(path: Path, others: Sequence[Path], dice: random.Random) -> str:
    path.unlink()
    return "removed"


FAULTS: dict[str, Callable[[Path, Sequence[Path], random.Random], str]] = {
    "zeros": _zeros,
    "sector of zeros": _sector,
    "cut off": _cut,
    "one bit": _bit,
    "swapped": _swap,
    "removed": _away,
}
"""Function by fault: damages a file, given other files of its kind; returns a description."""

WEIGHTS = {"one bit": 3, "cut off": 2}
"""How much more often than the others some are planted: they have more places."""


def area_of(path: str, /) -> str:
    """Return the area of a path below the data folder; files of one area can be exchanged.

    ``collections/ID/chunks.lance/data/x.lance`` is ``chunks/data``; a part of a view has its own
    area: ``views/index/terms.arrow``.
    """
    parts = path.split("/")
    if parts[0] != "collections":
        return parts[0] if len(parts) > 1 else parts[-1]
    parts = parts[2:]
    if parts[0].endswith(".lance"):
        return f"{parts[0].removesuffix('.lance')}/{parts[1]}"
    if parts[0] == "views":
        return "/".join(p for p in parts if not _MADE_UP.fullmatch(p))
    return parts[0]
