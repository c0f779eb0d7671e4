"""Finds the files that a production's load files name, wherever it was unpacked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.editions.legal.discovery.dialects import Trouble, shown

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from casetrack.editions.legal.discovery.production import Production

_LONGEST_PATH = 400


class Files:
    """Finds files by the paths of other machines; never outside the production's folders."""

    def __init__(self, roots: Sequence[Path], /) -> None:
        self._roots = roots
        self._folders: dict[Path, dict[str, Path]] = {}

    def find(self, written: str, /) -> Path | None:
        """Return the file that a path means; leading folders that are not here are left out."""
        parts = [p for p in re.split(r"[\\/]+", written.strip()) if p not in {"", "."}]
        if parts and re.fullmatch(r"[A-Za-z]:", parts[0]):
            parts = parts[1:]
        if ".." in parts:
            return self._above(parts)
        for skipped in range(len(parts)):
            for root in self._roots:
                found = self._below(root, parts[skipped:])
                if found is not None:
                    return found
        return None

    def _above(self, parts: Sequence[str]) -> Path | None:
        """Return the file of a path that goes up, as long as it stays in the production."""
        start = self._roots[0]
        while parts and parts[0] == "..":
            start, parts = start.parent, parts[1:]
        inside = any(start == root or root in start.parents for root in self._roots)
        return self._below(start, parts) if inside and ".." not in parts else None

    def _below(self, folder: Path, parts: Sequence[str]) -> Path | None:
        for part in parts:
            inside = self._names(folder)
            step = inside.get(part) or inside.get(part.casefold())
            if step is None:
                return None
            folder = step
        return folder if folder.is_file() else None

    def _names(self, folder: Path) -> dict[str, Path]:
        if folder not in self._folders:
            try:
                names = sorted(path.name for path in folder.iterdir())
            except OSError:
                names = []
            exact = {name: folder / name for name in names}
            self._folders[folder] = {n.casefold(): p for n, p in exact.items()} | exact
        return self._folders[folder]


def take_files(found: Production, files: Files, /) -> None:
    """Set the native, the text and the images of each document; what is not there is told."""
    name = found.load_file.path.name
    for member in found.members:
        for role in ("native", "text"):
            written = found.told(member, "native" if role == "native" else "text")
            if not written:
                continue
            path = files.find(written) if _is_path(written) else None
            if path is not None and role == "native":
                member.native = path
            elif path is not None:
                member.text = path
            elif role == "text" and not _names_file(written):
                member.inline = shown(written).replace("\u00ae", "\n")
            else:
                text = f"Line {member.line}: {shown(written)} ({role}) is not there."
                found.troubles.append(Trouble(name, member.line, member.key, "file", text))
        if not member.images or found.image_file is None:
            continue
        pictures = [files.find(image.path) for image in member.images]
        member.pictures = tuple(dict.fromkeys(path for path in pictures if path))
        for image, picture in zip(member.images, pictures, strict=True):
            if picture is None:
                text = f"Line {image.line}: {shown(image.path)} ({image.key}) is not there."
                found.troubles.append(
                    Trouble(found.image_file.path.name, image.line, member.key, "file", text)
                )


def _is_path(written: str) -> bool:
    return len(written) <= _LONGEST_PATH and not re.search(r"[\n\r\u00ae]", written)


def _names_file(written: str) -> bool:
    return _is_path(written) and bool(
        re.fullmatch(r".*[\\/][^\\/]+|[^\\/\s]+\.\w{1,5}", written.strip())
    )
