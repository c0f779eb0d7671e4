"""The models folder: file names, hashes and the manifest of each model.

One folder per model::

    <models folder>/mini/
      config.json tokenizer.json model.safetensors    as published
      model.int8.onnx                                  built from them (tokenizer.built.json too,
                                                       if only vocab.txt is published)
      manifest.json                                    hashes of all files
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from casetrack.base.dataclass import dataclass, field
from casetrack.base.errors import (
    CaseTrackError,
    DiskFull,
    ModelCorrupt,
    NotWritable,
    See,
    StorageError,
)
from casetrack.base.models.spec import ModelFile, Recipe

BUILT_NAME = "model.int8.onnx"
TOKENIZER_NAME = "tokenizer.json"
TOKENIZER_BUILT_NAME = "tokenizer.built.json"
"""The tokenizer of a model that is published with a vocabulary only."""
MANIFEST_NAME = "manifest.json"
SCRATCH_PREFIX = "wheel-"
GIT_DIGITS = 40
"""Length of a git hash, which distinguishes it from a SHA-256."""
_REFETCH = f"Run {See('models pull', '{}')} to put it right."


@dataclass(frozen=True, slots=True)
class Manifest:
    """The record of a complete model folder."""

    name: str
    repository: str
    revision: str
    licence: str
    # dimension, max_tokens: length of the dense vector; longest input of one pass in tokens.
    dimension: int
    max_tokens: int
    builder: int  # version of the graph builder
    # files, built: SHA-256 and length in bytes by name, of published and of built files.
    files: dict[str, tuple[str, int]]
    built: dict[str, tuple[str, int]]
    recipe: Recipe = field(default_factory=Recipe)

    @property
    def tokenizer_name(self) -> str:
        """Name of the tokenizer's file."""
        return TOKENIZER_BUILT_NAME if TOKENIZER_BUILT_NAME in self.built else TOKENIZER_NAME

    @property
    def graph_name(self) -> str:
        """Name of the graph file."""
        return self.recipe.ready or BUILT_NAME

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the published files, the recipe and the builder's version."""
        parts = [f"{name}={sha256}" for name, (sha256, _) in sorted(self.files.items())]
        parts.append(f"builder={self.builder}")
        if recipe := self.recipe.to_dict():
            # Only then, so that a model without one keeps the fingerprint it always had.
            parts.append(f"recipe={json.dumps(recipe, sort_keys=True)}")
            parts.append(f"max_tokens={self.max_tokens}")
        text = "\n".join(parts)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Return the manifest's text."""
        raw = {key: getattr(self, key) for key in _PLAIN}
        if recipe := self.recipe.to_dict():
            raw["recipe"] = recipe
        for key in ("files", "built"):
            table: dict[str, tuple[str, int]] = getattr(self, key)
            raw[key] = {n: {"sha256": h, "bytes": size} for n, (h, size) in sorted(table.items())}
        return json.dumps(raw, indent=2) + "\n"

    @classmethod
    def read(cls, folder: Path, /) -> Manifest | None:
        """Read the manifest of a model folder, or return ``None``; may raise ``ModelCorrupt``."""
        path = folder / MANIFEST_NAME
        try:
            raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            tables = {
                key: {name: (str(f["sha256"]), int(f["bytes"])) for name, f in raw[key].items()}
                for key in ("files", "built")
            }
            plain = {key: kind(raw[key]) for key, kind in _PLAIN.items()}
            recipe = Recipe.from_dict(raw.get("recipe", {}))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelCorrupt(
                f"Cannot read {path}: {error}", hint=_REFETCH.format(folder.name)
            ) from error
        return cls(files=tables["files"], built=tables["built"], recipe=recipe, **plain)


_PLAIN: dict[str, type] = {
    "name": str,
    "repository": str,
    "revision": str,
    "licence": str,
    "dimension": int,
    "max_tokens": int,
    "builder": int,
}


def part_path(folder: Path, file: ModelFile, /) -> Path:
    """Return the path of a partial download of *file*.

    The hash in its name prevents continuing another revision; a file without a hash is never
    continued by another pull.
    """
    return folder / f"{file.name}.{file.sha256[:12] if file.sha256 else 'unpinned'}.part"


def sha256_of(path: Path, /) -> str | None:
    """Return the SHA-256 of a file in hexadecimal, or ``None`` if it does not exist."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None


def git_hash_of(path: Path, /) -> str:
    """Return the hash that git gives a file's content, in hexadecimal."""
    head = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: head).hexdigest()


def write_atomic(path: Path, data: bytes, /) -> None:
    """Write a file atomically."""
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def storage_error(error: OSError, folder: Path, /) -> CaseTrackError:
    """Return the user's error for a failed write to the models folder."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DiskFull(folder)
    if error.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        return NotWritable(folder)
    return StorageError(
        f"Cannot write to the models folder {folder}: {error}",
        hint="Choose another one with CASETRACK_MODELS.",
    )
