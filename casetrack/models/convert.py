"""Turn the published files of a model folder into what is run: a graph, and a tokenizer."""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ModelCorrupt
from casetrack.models.bert_onnx import BertConfig, build_encoder
from casetrack.models.heads import build_labels, build_sparse, build_tokens
from casetrack.models.layout import BUILT_NAME, TOKENIZER_BUILT_NAME, TOKENIZER_NAME
from casetrack.models.packed import read_packed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from casetrack.models.graph import Array
    from casetrack.models.packed import Vocabulary
    from casetrack.models.spec import ModelSpec

# Make the tokenizer of a multilingual model from its vocabulary of pieces.

_SPACE = "▁"
"""Stands for the space in front of a word."""


def unigram_tokenizer(vocabulary: Vocabulary, /) -> bytes:
    """Return the description of a tokenizer as the ``tokenizers`` package reads it.

    Characters are brought to their compatible composed form (NFKC), which is what the tables of
    such vocabularies say of all but a few: control characters, which go, and white space of all
    kinds, which becomes a space. These few are taken from the table.
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
    """Return characters, as the inside of a character class, by what stands for them."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for character, text in normal.items():
        if unicodedata.normalize("NFKC", character) != text:
            found[text].append(rf"\x{{{ord(character):x}}}")
    return {text: "".join(sorted(characters)) for text, characters in found.items()}


_WEIGHTS = "model.safetensors"
_PACKED = ".bin"
"""Ending of a file that holds weights, shape and vocabulary together; see `packed`."""
_CONFIG = "config.json"
_VOCABULARY = "vocab.txt"
_PREFIX = "bert."
_OLD_ENDINGS = {".gamma": ".weight", ".beta": ".bias"}
_REFETCH = "Delete the file and run `casetrack models pull` again."


def built_names(spec: ModelSpec, /) -> tuple[str, ...]:
    """Return the names of the files that are made from the published ones."""
    published = {file.name for file in spec.files}
    names = [] if spec.recipe.ready else [BUILT_NAME]
    if TOKENIZER_NAME not in published:
        names.append(TOKENIZER_BUILT_NAME)
    return tuple(names)


def build(spec: ModelSpec, folder: Path, name: str, /) -> bytes:
    """Make the file *name*, one of `built_names`, from the published files in *folder*.

    Raises
    ------
    ModelError
        The architecture is none that can be built.
    ModelCorrupt
        A published file cannot be read, or does not fit the others.
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
    return build_encoder(weights, config)


def plain_names(weights: Mapping[str, Array], /) -> dict[str, Array]:
    """Return tensors under the names that the builders expect.

    Checkpoints of a BERT with a head have the encoder's tensors under ``bert.``; those converted
    from TensorFlow call the parameters of a normalisation ``gamma`` and ``beta``.
    """
    found = {}
    for name, tensor in weights.items():
        plain = name.removeprefix(_PREFIX)
        for old, new in _OLD_ENDINGS.items():
            if plain.endswith(f"LayerNorm{old}"):
                plain = plain.removesuffix(old) + new
        found[plain] = tensor
    return found


def _load(path: Path) -> dict[str, Array]:
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return plain_names(load_file(path))
    except (SafetensorError, KeyError, TypeError) as error:  # the latter two: a type numpy lacks
        raise ModelCorrupt(f"Cannot read {path}: {error}", hint=_REFETCH) from error


def _tokenizer(path: Path, *, cased: bool) -> bytes:
    """Make the tokenizer of a BERT from its vocabulary, one entry per line."""
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
