"""Conversion of a model's published files to a graph and a tokenizer."""

from __future__ import annotations

import json
import math
import struct
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from casetrack.base.errors import ModelCorrupt, See
from casetrack.base.models.spec import ModelSpec
from casetrack.models.bert_onnx import (
    Array,
    BertConfig,
    build_encoder,
    build_labels,
    build_pairs,
    build_sparse,
    build_tokens,
)
from casetrack.models.layout import BUILT_NAME, TOKENIZER_BUILT_NAME, TOKENIZER_NAME

# Read weights of 4 bits with their vocabulary from one file of the layout ``E5S1``.

MAGIC = b"E5S1"
BLOCK = 32
"""Numbers with a common factor."""
_BLOCK_TYPE = np.dtype([("factor", "<f2"), ("halves", "u1", (BLOCK // 2,))])
_FLOATS, _BLOCKS = 0, 1
_SIZES = {_FLOATS: (4, 1), _BLOCKS: (_BLOCK_TYPE.itemsize, BLOCK)}
"""Bytes of a block, and its number of values."""

_OUTER = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
_INNER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_KINDS = {"w": "weight", "b": "bias"}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The vocabulary of a unigram tokenizer."""

    pieces: list[tuple[str, float]]  # pieces with log probabilities; the positions are the ids
    unknown: int  # id of unknown text
    normal: dict[str, str]  # replacements of characters before the split into pieces
    special: frozenset[int]  # ids that are not text: begin, padding, end, unknown, and mask


@dataclass(frozen=True, slots=True, eq=False)
class PackedModel:
    """An open file of packed weights; a tensor is unpacked to float32 on access."""

    config: BertConfig
    vocabulary: Vocabulary
    weights: Mapping[str, Array]


def read_packed(path: Path, /) -> PackedModel:
    """Open a file of packed weights; raise ``ModelCorrupt`` if it is damaged or unknown."""
    data = path.read_bytes()
    try:
        return _read(data)
    except (struct.error, ValueError, IndexError, KeyError, OverflowError) as error:
        raise ModelCorrupt(
            f"Cannot read {path}: {error}",
            hint=f"Delete the file and run {See('models pull')} again.",
        ) from error


def _read(data: bytes) -> PackedModel:
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError(f"it does not begin with {MAGIC.decode()}")
    cursor = _Cursor(data, len(MAGIC) + 4)
    width, layers, heads, inner, words, positions, types = cursor.take("<7i")
    epsilon, block = cursor.take("<fi")
    if block != BLOCK:
        raise ValueError(f"its blocks have {block} numbers, not {BLOCK}")
    vocabulary = _vocabulary(cursor)
    shapes: dict[str, tuple[int, ...]] = {
        "emb.word": (words, width),
        "emb.pos": (positions, width),
        "emb.type": (types, width),
    }
    shapes |= {"fi.w": (inner, width), "fi.b": (inner,), "fo.w": (width, inner)}
    shapes |= {f"{name}.w": (width, width) for name in ("q", "k", "v", "ao")}
    tensors = {}
    for name, kind, offset in _directory(cursor):
        shape = shapes.get(name, shapes.get(name.partition(".")[2], (width,)))
        tensor = _Tensor(kind, offset, shape)
        if kind not in _SIZES or offset + tensor.size > len(data):
            raise ValueError(f"the tensor {name} is cut off, or of an unknown kind")
        tensors[_plain_name(name)] = tensor
    config = BertConfig(layers, heads, width, epsilon, positions)
    return PackedModel(config, vocabulary, _Weights(data, tensors))


@dataclass(slots=True)
class _Cursor:
    """A position in the file."""

    data: bytes
    at: int

    def take(self, form: str) -> tuple[int, ...]:
        """Read the values of a `struct` format."""
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values

    def array(self, kind: str, count: int) -> Array:
        """Read an array of one type."""
        values = np.frombuffer(self.data, kind, count, self.at)
        self.at += values.nbytes
        return values


def _vocabulary(cursor: _Cursor) -> Vocabulary:
    count, begin, end, padding, unknown = cursor.take("<5i")
    (length,) = cursor.take("<Q")
    offsets = cursor.array("<u4", count + 1).tolist()
    scores = cursor.array("<f4", count).tolist()
    text = bytes(cursor.array("u1", length))
    pieces = [text[a:b].decode() for a, b in pairwise(offsets)]
    entries, _ = cursor.take("<iI")
    normal = {}
    for _ in range(entries):
        character, size = cursor.take("<IB")
        normal[chr(character)] = "".join(map(chr, cursor.take(f"<{size}I")))
    special = {begin, end, padding, unknown}
    special.update(n for n, piece in enumerate(pieces) if piece == "<mask>")
    return Vocabulary(list(zip(pieces, scores, strict=True)), unknown, normal, frozenset(special))


def _directory(cursor: _Cursor) -> Iterator[tuple[str, int, int]]:
    (count,) = cursor.take("<i")
    for _ in range(count):
        (length,) = cursor.take("<H")
        name = bytes(cursor.array("u1", length)).decode()
        kind, _, offset, _ = cursor.take("<BIQQ")
        yield name, kind, offset


def _plain_name(name: str) -> str:
    """Return BERT's checkpoint name of a tensor: ``l0.q.w`` is layer 0's query weight."""
    if name in _OUTER:
        return _OUTER[name]
    layer, part, kind = name.split(".")
    return f"encoder.layer.{int(layer[1:])}.{_INNER[part]}.{_KINDS[kind]}"


@dataclass(frozen=True, slots=True)
class _Tensor:
    kind: int
    offset: int
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of values."""
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        """Bytes in the file."""
        per_item, numbers = _SIZES[self.kind]
        return self.count // numbers * per_item


class _Weights(Mapping[str, "Array"]):
    """Tensors that are unpacked on access."""

    def __init__(self, data: bytes, tensors: dict[str, _Tensor]) -> None:
        self._data = data
        self._tensors = tensors

    def __getitem__(self, name: str) -> Array:
        tensor = self._tensors[name]
        if tensor.kind == _FLOATS:
            floats = np.frombuffer(self._data, "<f4", tensor.count, tensor.offset)
            return floats.reshape(tensor.shape)
        blocks = np.frombuffer(self._data, _BLOCK_TYPE, tensor.count // BLOCK, tensor.offset)
        return unpack_blocks(blocks).reshape(tensor.shape)

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)


def unpack_blocks(blocks: Array, /) -> Array:
    """Return the numbers of blocks, float32 [blocks, 32]."""
    halves = blocks["halves"]
    numbers = np.empty((len(blocks), BLOCK), dtype=np.float32)
    numbers[:, : BLOCK // 2] = halves & 0x0F
    numbers[:, BLOCK // 2 :] = halves >> 4
    numbers -= 8.0
    numbers *= blocks["factor"].astype(np.float32)[:, None]
    return numbers


# Make the tokenizer of a multilingual model from its vocabulary of pieces.

_SPACE = "▁"
"""The character for the space before a word."""


def unigram_tokenizer(vocabulary: Vocabulary, /) -> bytes:
    """Return the tokenizer's description for the ``tokenizers`` package.

    The tables of such vocabularies equal NFKC except for control characters (removed) and white
    space (becomes a space); these exceptions come from the table.
    """
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    # A special piece must not be found in text: it is made less likely than its letters ever are.
    least = min(score for _, score in vocabulary.pieces)
    pieces = [
        (piece, 10.0 * least if number in vocabulary.special else score)
        for number, (piece, score) in enumerate(vocabulary.pieces)
    ]
    tokenizer = Tokenizer(models.Unigram(pieces, vocabulary.unknown, byte_fallback=False))
    steps: list[normalizers.Normalizer] = [
        normalizers.Replace(Regex(f"[{characters}]"), text)
        for text, characters in _beside_nfkc(vocabulary.normal).items()
    ]
    steps += [normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    tokenizer.normalizer = normalizers.Sequence(steps)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Metaspace(replacement=_SPACE, prepend_scheme="always"),
        ]
    )
    return tokenizer.to_str().encode()


def _beside_nfkc(normal: dict[str, str]) -> dict[str, str]:
    """Return the characters without an NFKC rule as a character class, by replacement."""
    groups: defaultdict[str, list[str]] = defaultdict(list)
    for character, text in normal.items():
        if unicodedata.normalize("NFKC", character) != text:
            groups[text].append(rf"\x{{{ord(character):x}}}")
    return {text: "".join(sorted(characters)) for text, characters in groups.items()}


_WEIGHTS = "model.safetensors"
_PACKED = ".bin"
"""Suffix of a file with weights, shape and vocabulary; see :func:`read_packed`."""
_CONFIG = "config.json"
_VOCABULARY = "vocab.txt"
_PREFIX = "bert."
_OLD_ENDINGS = {".gamma": ".weight", ".beta": ".bias"}
_REFETCH = f"Delete the file and run {See('models pull')} again."


def built_names(spec: ModelSpec, /) -> tuple[str, ...]:
    """Return the names of the built files."""
    published = {file.name for file in spec.files}
    names = [] if spec.recipe.ready else [BUILT_NAME]
    if TOKENIZER_NAME not in published:
        names.append(TOKENIZER_BUILT_NAME)
    return tuple(names)


def build(spec: ModelSpec, folder: Path, name: str, /) -> bytes:
    """Build the file *name*, one of :func:`built_names`, from the published files in *folder*.

    Raises ``ModelError``: the architecture is not supported; ``ModelCorrupt``: a published file is
    unreadable or inconsistent with the others.
    """
    packed = next((f.name for f in spec.files if f.name.endswith(_PACKED)), None)
    if packed is not None:
        model = read_packed(folder / packed)
        if name == TOKENIZER_BUILT_NAME:
            return unigram_tokenizer(model.vocabulary)
        return build_encoder(model.weights, model.config)
    if name == TOKENIZER_BUILT_NAME:
        return _tokenizer(folder / _VOCABULARY, cased=spec.recipe.cased)
    try:
        raw: dict[str, Any] = json.loads((folder / _CONFIG).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ModelCorrupt(f"Cannot read {folder / _CONFIG}: {error}", hint=_REFETCH) from error
    config = BertConfig.from_json(raw)
    weights = _load(folder / _WEIGHTS)
    if spec.recipe.kind == "sparse":
        return build_sparse(weights, config, pools_special=spec.recipe.pools_special)
    if spec.recipe.kind == "tokens":
        return build_tokens(weights, config, head=spec.recipe.head)
    if spec.recipe.kind == "names":
        return build_labels(weights, config, labels=len(spec.recipe.labels.split()))
    if spec.recipe.kind == "pairs":
        return build_pairs(weights, config)
    return build_encoder(weights, config)


def plain_names(weights: Mapping[str, Array], /) -> dict[str, Array]:
    """Return tensors by the names that the builders expect.

    Checkpoints with a head prefix the encoder's tensors with ``bert.``; converted TensorFlow
    checkpoints call the parameters of a normalisation ``gamma`` and ``beta``.
    """
    renamed = {}
    for name, tensor in weights.items():
        plain = name.removeprefix(_PREFIX)
        for old, new in _OLD_ENDINGS.items():
            if plain.endswith(f"LayerNorm{old}"):
                plain = plain.removesuffix(old) + new
        renamed[plain] = tensor
    return renamed


def _load(path: Path) -> dict[str, Array]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return plain_names(load_file(path))
    except (SafetensorError, KeyError, TypeError) as error:  # the latter two: a type numpy lacks
        raise ModelCorrupt(f"Cannot read {path}: {error}", hint=_REFETCH) from error


def _tokenizer(path: Path, *, cased: bool) -> bytes:
    """Build a BERT tokenizer from its vocabulary, one entry per line."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    try:
        entries = path.read_text(encoding="utf-8").split("\n")
    except ValueError as error:
        raise ModelCorrupt(f"Cannot read {path}: {error}", hint=_REFETCH) from error
    if not entries[-1]:
        entries.pop()
    vocabulary = {entry.rstrip("\r"): index for index, entry in enumerate(entries)}
    missing = [mark for mark in ("[UNK]", "[CLS]", "[SEP]") if mark not in vocabulary]
    if missing:
        raise ModelCorrupt(f"{path} has no {' and no '.join(missing)}.", hint=_REFETCH)
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=not cased)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer.to_str().encode()
