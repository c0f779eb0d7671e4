"""Recall of the parties of real contracts: ``python -m training.names.contracts CUAD``.

CUAD is the folder with ``clauses.jsonl`` and ``txt`` (Contract Understanding Atticus Dataset,
CC BY 4.0). Every second contract, by name, is measured; the training has read the others, without
their annotations. A party is touched if a name overlaps it, and recalled if one is the same except
for punctuation at its ends. Role words ("Distributor", "the Company") among the annotated parties
are left out. ``--show`` lists all names.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.config import load_settings
from casetrack.extract.names import tagger_of
from casetrack.extract.names.words import NEVER
from casetrack.models.encoders import load_profile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.extract.spans import NameSpan
    from casetrack.models.encoders import Encoder

CHARACTERS = 2000
ROLES = frozenset(
    "the bank lender we us you corporation parent llc issuer servicer depositor custodian talent "
    "marketing association merchant notes and are collectively sometimes referred to herein x "
    "transporter shipper manager operating partnership transaction entities transaction".split()
)


def pieces(text: str, /) -> Iterator[tuple[int, str]]:
    """Cut a text at the breaks nearest before every 2,000 characters."""
    at = 0
    while at < len(text):
        end = min(len(text), at + CHARACTERS)
        if end < len(text):
            end = max(text.rfind("\n", at + 500, end), text.rfind(". ", at + 500, end)) + 1 or end
        if text[at:end].strip():
            yield at, text[at:end]
        at = end


@lru_cache(maxsize=1)
def _encoder(models_dir: Path) -> Encoder:
    return load_profile(models_dir, "mini")


def names_in(text: str, models_dir: Path, /) -> list[NameSpan]:
    """Return the names of a whole text, offsets into it; words for parties are left out."""
    encoder = _encoder(models_dir)
    tagger = tagger_of(encoder)
    assert tagger is not None
    parts = list(pieces(text))
    names = []
    encodings = encoder.encode_documents((t for _, t in parts), layers=tagger.layers)
    for (at, part), encoding in zip(parts, encodings, strict=True):
        spans = [s for s in tagger.tag(part, encoding) if not s.is_role]
        names += [replace(s, start=s.start + at, end=s.end + at) for s in spans]
    return names


def is_name(text: str, /) -> bool:
    """Return whether an annotated party is a name and not a role word."""
    words = re.findall(r"\w+", text)
    roles = NEVER | ROLES
    return text[:1].isupper() and not all(
        w.lower().rstrip("s") in roles or w.lower() in roles for w in words
    )


def parties_of(folder: Path, /) -> dict[str, list[tuple[int, int]]]:
    """Return where the parties and governing laws of each contract are named."""
    parties: dict[str, list[tuple[int, int]]] = {}
    for line in (folder / "clauses.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row["category"] == "Parties" and is_name(row["text"]):
            parties.setdefault(row["file"], []).append((row["start"], row["end"]))
    return parties


def bare(text: str) -> str:
    low = re.sub(r"\s+", " ", text).strip(" ,.;:\"'“”()").lower()
    return low.removeprefix("the ")


def count(
    folder: Path, models_dir: Path, characters: int, most: int, *, show: bool = False
) -> Counter[str]:
    """Count parties within the first characters of each contract."""
    counts: Counter[str] = Counter()
    parties = parties_of(folder)
    names_of_files = sorted(path.name for path in (folder / "txt").iterdir())
    for file in [name for name in names_of_files[1::2] if name in parties][:most]:
        places = parties[file]
        text = (folder / "txt" / file).read_text(encoding="utf-8")[:characters]
        names = names_in(text, models_dir)
        wanted = [(a, b) for a, b in places if b <= len(text)]
        exact = {bare(n.text) for n in names}
        for a, b in wanted:
            touched = any(n.start < b and n.end > a for n in names)
            counts["parties"] += 1
            counts["touched"] += touched
            counts["found"] += bare(text[a:b]) in exact
            if show and bare(text[a:b]) not in exact:
                print("MISSED" if not touched else "OTHER", repr(text[a:b]))
        counts["names"] += len(names)
        counts["characters"] += len(text)
        if show:
            print(file, [(n.text, n.kind[:3], n.confidence) for n in names])
    return counts


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--characters", type=int, default=8000)
    parser.add_argument("--most", type=int, default=50)
    parser.add_argument("--show", action="store_true")
    chosen = parser.parse_args()
    print(
        dict(
            count(
                chosen.folder,
                load_settings().models_dir,
                chosen.characters,
                chosen.most,
                show=chosen.show,
            )
        )
    )


if __name__ == "__main__":
    main()
