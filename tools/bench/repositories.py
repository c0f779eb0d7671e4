"""Measures search in trees of source code: from an issue to the changed file, from a question to
its page of the manual.

``python -m bench.repositories SOURCES QUESTIONS... --work DIR --modes keyword,hybrid --models DIR``

SOURCES holds unpacked trees, such as source distributions of packages. QUESTIONS are text files: a
line ``@ NAME`` says which tree the next lines are asked of, a line ``question | path path`` gives a
question with the files that answer it, relative to the tree::

    @ click-8.1.3
    click.clear() feels slow | src/click/termui.py

A file stands where its best passage does. Without models, words alone are indexed and asked for.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.errors import CollectionNotFound
from casetrack.base.license import UNLIMITED
from casetrack.parse.text.languages import LANGUAGES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.api.collection import Collection

TEXTS = frozenset(LANGUAGES) | {".md", ".markdown", ".txt"}
_BUILT = re.compile(
    r"(?:^|/)(?:node_modules|dist|\.git|_static|locale|[^/]*\.egg-info)(?:/|$)|\.min\."
)
_MOST_BYTES = 1_000_000
_PASSAGES = 200
"""So many passages are looked at for the first ten files."""


class Asked(NamedTuple):
    """A question of a set, and the files that answer it."""

    question: str
    files: tuple[str, ...]


def questions_of(path: Path, /) -> dict[str, list[Asked]]:
    """Read a file of questions: those of each tree."""
    found: dict[str, list[Asked]] = defaultdict(list)
    tree = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("@ "):
            tree = line[2:].strip()
        elif line.strip():
            question, files = line.rsplit(" | ", 1)
            found[tree].append(Asked(question.strip(), tuple(files.split())))
    return dict(found)


def texts_of(tree: Path, /) -> Iterator[Path]:
    """Yield the source code and the manuals of a tree, without what programs have made."""
    for path in sorted(tree.rglob("*")):
        inside = path.relative_to(tree).as_posix()
        wanted = path.suffix.lower() in TEXTS and not _BUILT.search(inside)
        if wanted and path.is_file() and 0 < path.stat().st_size <= _MOST_BYTES:
            yield path


def collection_of(library: Library, tree: Path, work: Path, /) -> tuple[Collection, Path]:
    """Return the collection of a tree, taken in where that is not done, and its folder."""
    folder = work / "trees" / tree.name
    try:
        return library.get(tree.name), folder
    except CollectionNotFound:
        for path in texts_of(tree):
            copy = folder / path.relative_to(tree)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        collection = library.create(tree.name)
        collection.ingest([folder])
        return collection, folder


def ranks(collection: Collection, folder: Path, question: str, mode: str, /) -> dict[str, int]:
    """Return the place of each file among those that a question finds, from 1."""
    found: dict[str, int] = {}
    for result in collection.search(question, mode=mode, limit=_PASSAGES):
        path = Path(result.provenance.document_path).relative_to(folder).as_posix()
        found.setdefault(path, len(found) + 1)
    return found


def main() -> None:
    """Take in what is not there yet, ask everything, print figures and what was not found."""
    parser = argparse.ArgumentParser(prog="python -m bench.repositories", description=__doc__)
    parser.add_argument("sources", type=Path)
    parser.add_argument("questions", type=Path, nargs="+")
    parser.add_argument("--work", type=Path, required=True, help="data folder, kept")
    parser.add_argument("--modes", default="keyword")
    parser.add_argument("--models", type=Path, help="folder of models; none: words alone")
    parser.add_argument("--only", default="", help="trees whose names begin with one of these")
    parser.add_argument("--failures", action="store_true", help="print what was not found")
    args = parser.parse_args()
    os.environ["CASETRACK_MODELS"] = str(args.models or args.work / "no-models")
    library = Library(load_settings(args.work / "home"), tier=UNLIMITED)
    for path in args.questions:
        for mode in args.modes.split(","):
            figures: dict[str, list[float]] = defaultdict(list)
            for name, asked in questions_of(path).items():
                if not name.startswith(tuple(args.only.split(","))):
                    continue
                collection, folder = collection_of(library, args.sources / name, args.work)
                for question, files in asked:
                    found = ranks(collection, folder, question, mode)
                    places = [found.get(file, 10**6) for file in files]
                    figures["recall@10"].append(fmean(place <= 10 for place in places))
                    figures["hit@1"].append(min(places) <= 1)
                    figures["hit@5"].append(min(places) <= 5)
                    figures["hit@10"].append(min(places) <= 10)
                    if args.failures and min(places) > 5:
                        print(f"  {name} {places} {question} -> {list(found)[:4]}")
            means = "  ".join(f"{key} {fmean(v):.3f}" for key, v in figures.items())
            print(f"{path.name} {mode} ({len(figures['hit@1'])} questions): {means}", flush=True)


if __name__ == "__main__":
    main()
