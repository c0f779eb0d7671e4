"""Fits how the token matrices of the embedded model are stored.

``python -m bench.fit_token_form DATA`` reads two collections of sentences under open
licences from the folder DATA (``wikigold.conll``, CC BY 4.0, Balasuriya et al. 2009; ``FIN5.txt``,
CC BY 3.0, Salinas Alvarado et al. 2015) and writes ``casetrack/models/data/token_form_mini.npz``:
the mean of the pooled token states. Neither collection is one that retrieval is measured on.
"""

from __future__ import annotations

import argparse
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.config import load_settings
from casetrack.models.profile_encoder import load_profile
from casetrack.models.token_matrix import pooled_units

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCES = ("wikigold.conll", "FIN5.txt")
CHARACTERS = 2000
POOL = 3
TARGET = Path(__file__).parents[2] / "casetrack" / "models" / "data" / "token_form_mini.npz"


def passages(path: Path) -> Iterator[str]:
    """Join the sentences of a file with one word per line into texts of a chunk's size."""
    lines = path.read_text(encoding="utf-8").splitlines()
    blocks = [list(b) for full, b in groupby(lines, key=lambda n: bool(n.strip())) if full]
    sentences = [" ".join(line.split()[0] for line in b) for b in blocks]
    text = ""
    for sentence in sentences:
        if sentence.startswith("-DOCSTART-"):
            continue
        if text and len(text) + len(sentence) > CHARACTERS:
            yield text
            text = ""
        text = f"{text} {sentence}".strip()
    if text:
        yield text


def main() -> None:
    """Read the sentences, fit, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder that holds the two files")
    parser.add_argument("--out", type=Path, default=TARGET)
    chosen = parser.parse_args()
    texts = [text for name in SOURCES for text in passages(chosen.data / name)]
    encoder = load_profile(load_settings().models_dir, "mini")
    states = (e.tokens for e in encoder.encode_documents(texts))
    rows = np.concatenate([pooled_units(s, POOL) for s in states if s is not None])
    np.savez(chosen.out, mean=rows.mean(axis=0, dtype=np.float64).astype(np.float32))
    print(f"{len(texts)} texts, {len(rows)} rows: {chosen.out} ({chosen.out.stat().st_size} bytes)")


if __name__ == "__main__":
    main()
