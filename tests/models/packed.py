"""Writes files of 4-bit weights as `casetrack.models.convert` reads them."""

from __future__ import annotations

import struct

import numpy as np

from casetrack.models.convert import BLOCK, MAGIC

NAMES = {
    "embeddings.word_embeddings": "emb.word",
    "embeddings.position_embeddings": "emb.pos",
    "embeddings.token_type_embeddings": "emb.type",
    "embeddings.LayerNorm": "emb.ln",
    "attention.self.query": "q",
    "attention.self.key": "k",
    "attention.self.value": "v",
    "attention.output.dense": "ao",
    "attention.output.LayerNorm": "aln",
    "intermediate.dense": "fi",
    "output.dense": "fo",
    "output.LayerNorm": "oln",
}
PIECES = [
    *(("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)),
    *(("▁", -3.0), ("▁the", -4.0), ("▁lease", -6.0), ("▁le", -7.0), ("ase", -6.5), ("s", -4.0)),
    *(("a", -5.0), ("e", -5.0), ("l", -6.0), ("t", -6.0), ("h", -6.0), ("д", -7.0), ("м", -7.5)),
    *(("▁дом", -8.0), ("о", -7.0), ("<", -9.0), (">", -9.0), ("1", -6.0), (":", -5.0)),
    *(("/", -9.0), ("m", -9.0), ("k", -9.0)),
    *(("▁query", -8.0), ("▁passage", -8.0), ("<mask>", 0.0)),
]
NORMAL = {"\t": " ", "\u200b": " ", "\x01": "", "ﬁ": "fi", "①": "1"}
TYPES = 2


def short_name(name: str) -> str:
    """Return the name in the file for a tensor of a BERT checkpoint."""
    if name.startswith("embeddings.LayerNorm"):
        return NAMES["embeddings.LayerNorm"] + "." + name.rsplit(".", 1)[1][0]
    if name.startswith("embeddings."):
        return NAMES[name.removesuffix(".weight")]
    _, _, layer, *part, kind = name.split(".")
    return f"l{layer}.{NAMES['.'.join(part)]}.{kind[0]}"


def four_bits(tensor: np.ndarray) -> tuple[bytes, np.ndarray]:
    """Return the blocks of a tensor, and their values."""
    rows = tensor.reshape(-1, BLOCK)
    factors = (np.abs(rows).max(axis=1) / 8).astype("<f2")
    codes = np.clip(np.rint(rows / factors.astype(np.float32)[:, None]) + 8, 0, 15).astype(np.uint8)
    halves = codes[:, : BLOCK // 2] | codes[:, BLOCK // 2 :] << 4
    blocks = b"".join(f.tobytes() + h.tobytes() for f, h in zip(factors, halves, strict=True))
    numbers = (codes.astype(np.float32) - 8) * factors.astype(np.float32)[:, None]
    return blocks, numbers.reshape(tensor.shape)


def pack(
    weights: dict[str, np.ndarray],
    shape: tuple[int, int, int, int, int],
    pieces: list[tuple[str, float]] = PIECES,
) -> tuple[bytes, dict[str, np.ndarray]]:
    """Return a file of weights, and its tensors.

    *shape* is width, layers, heads, inner width and positions.
    """
    width, layers, heads, inner, positions = shape
    encoded = [piece.encode() for piece, _ in pieces]
    offsets = np.cumsum([0, *(len(e) for e in encoded)]).astype("<u4")
    normal = b"".join(
        struct.pack(f"<IB{len(to)}I", ord(c), len(to), *map(ord, to)) for c, to in NORMAL.items()
    )
    head = MAGIC + struct.pack("<I", 1)
    words = len(weights["embeddings.word_embeddings.weight"])
    head += struct.pack("<7i", width, layers, heads, inner, words, positions, TYPES)
    head += struct.pack("<fi", 1e-12, BLOCK)
    head += struct.pack("<5iQ", len(pieces), 0, 2, 1, 3, int(offsets[-1])) + offsets.tobytes()
    head += np.array([score for _, score in pieces], "<f4").tobytes() + b"".join(encoded)
    head += struct.pack("<iI", len(NORMAL), len(normal)) + normal
    tensors, body, held = [], b"", {}
    for name, tensor in weights.items():
        is_matrix = tensor.ndim == 2 and "position" not in name and "token_type" not in name
        data, held[name] = four_bits(tensor) if is_matrix else (tensor.tobytes(), tensor)
        tensors.append((short_name(name).encode(), int(is_matrix), tensor.size, len(data)))
        body += data
    start = len(head) + 4 + sum(2 + len(name) + 21 for name, *_ in tensors)
    directory = struct.pack("<i", len(tensors))
    for name, kind, count, size in tensors:
        directory += struct.pack("<H", len(name)) + name
        directory += struct.pack("<BIQQ", kind, count, start, size)
        start += size
    return head + directory + body, held
