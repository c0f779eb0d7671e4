"""Make the tokenizer of a multilingual model from its vocabulary of pieces."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.models.packed import Vocabulary

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
