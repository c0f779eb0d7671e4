"""Time of graph queries over a thousand documents.

The collection consists of slices of real contracts, processed by the product's own steps without
models: every word has a generated vector, and runs of capitalised words are names. The collection
is kept, and each measurement runs in a separate process on a copy.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import fakes
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED
from casetrack.extract.spans import NameSpan
from casetrack.ingest.pipeline import Tools, load_pipeline
from casetrack.store.session import write_session
from conftest import store_text
from fakes import FakeEncoders, WordEncoder
from quality.cuad_words import PLACES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.api.collection import Collection
    from casetrack.extract.spans import NameKind
    from casetrack.models.base import Encoding

VERSION = 1
NAME = "Thousand"
_CHECKOUT = Path(__file__).resolve().parents[2]
_TEXTS = _CHECKOUT.parent / "shared" / "data" / "cuad" / "txt"
_WORK = _CHECKOUT / ".cache" / "bench"
_RUNS = ("made", "cold", "added", "cold after")
_SLICE_CHARS = 6000
_DIMENSION = 384


class NamesByCapitals:
    """Takes runs of capital words for names: not good, but as many as there are in contracts."""

    fingerprint = "by capitals"
    layers = None
    _RUN = re.compile(r"\b(?:(Mr|Ms|Mrs|Dr)\.? )?[A-Z][\w'&-]+(?: (?:[A-Z]\.|[A-Z][\w'&-]+)){1,4}")
    _LEGAL = re.compile(r"(Inc|LLC|Ltd|Limited|Corp|Corporation|Company|Trust|Bank|S\.A|GmbH|LP)$")

    def tag(
        self, text: str, _encoding: Encoding | None, /, *, start: int = 0
    ) -> tuple[NameSpan, ...]:
        """See :class:`casetrack.extract.finder.NameFinder`."""
        return tuple(
            NameSpan(m.start(), m.end(), m.group(), self._kind(m), 0.8)
            for m in self._RUN.finditer(text[start:])
        )

    def _kind(self, match: re.Match[str]) -> NameKind:
        if match[1]:
            return "person"
        if PLACES.fullmatch(match.group()):
            return "location"
        return "organization" if self._LEGAL.search(match.group()) else "person"


def main() -> None:
    """Measure over ``--documents`` slices of ``--texts``, and print the times."""
    parser = argparse.ArgumentParser(prog="bench.graph", description=__doc__)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--texts", type=Path, default=_TEXTS, help="folder of text files")
    parser.add_argument("--work", type=Path, default=_WORK, help="keeps the collection")
    parser.add_argument("--run", choices=_RUNS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        _run(options.run, options.work, options.texts)
        return
    options.work.mkdir(parents=True, exist_ok=True)
    home = _prepared(options.work, options.texts, options.documents)
    with tempfile.TemporaryDirectory(dir=options.work) as scratch:
        copy = Path(scratch) / "data"
        shutil.copytree(home, copy, copy_function=_link)
        for run in _RUNS:
            for what, (seconds, cpu) in _measure(run, copy, options.texts).items():
                print(f"{run}: {what}: {seconds * 1000:,.0f} ms ({cpu * 1000:,.0f} ms CPU)")


def _link(source: str, target: str) -> None:
    """Share a file's content: data files are never changed in place."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _prepared(work: Path, texts: Path, documents: int) -> Path:
    """Return the data folder of the collection, made if it is not there."""
    tools = Tools(None, _encoder(), _DIMENSION, NamesByCapitals())
    parts = (VERSION, documents, _SLICE_CHARS, load_pipeline("standard", tools).fingerprint)
    key = hashlib.sha256(repr(parts).encode()).hexdigest()[:10]
    home = work / f"thousand-{documents}-{key}"
    if (home / "finished").is_file():
        return home / "data"
    shutil.rmtree(home, ignore_errors=True)
    collection = _library(home / "data").create(NAME)
    slices = _slices(texts)
    with write_session(collection.folder) as session:
        for number in range(documents):
            store_text(session, f"Contract {number + 1:05d}.txt", next(slices), tools=tools)
    (home / "finished").touch()
    return home / "data"


def _slices(texts: Path) -> Iterator[str]:
    """Yield slices of all files in turn, other ones each time round, for ever."""
    whole = [path.read_text("utf-8") for path in sorted(texts.glob("*.txt"))]
    if not whole:
        raise RuntimeError(f"{texts} holds no text files; name another folder with --texts")
    turn = 0
    while True:
        for text in whole:
            start = turn * _SLICE_CHARS * 2 // 3 % max(1, len(text) - _SLICE_CHARS // 2)
            yield text[start : start + _SLICE_CHARS]
        turn += 1


@functools.cache
def _encoder() -> WordEncoder:
    # Contracts repeat their words; a vector for each is made once.
    fakes.direction = functools.cache(fakes.direction)
    return WordEncoder("mini", _DIMENSION, token_width=None)


def _library(home: Path) -> Library:
    library = Library(load_settings(home), tier=UNLIMITED)
    library.encoders = FakeEncoders(_encoder(), models_dir=home)  # type: ignore[assignment]
    return library


# --- one run in a separate process ---------------------------------------------------------------


def _measure(run: str, home: Path, texts: Path) -> dict[str, tuple[float, float]]:
    command = [sys.executable, "-m", "bench.graph", "--run", run]
    command += ["--work", str(home), "--texts", str(texts)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return dict(json.loads(done.stdout))


def _run(run: str, home: Path, texts: Path) -> None:
    """Measure once; seconds of wall and of CPU time go to standard output."""
    collection = _library(home).get(NAME)
    taken: dict[str, tuple[float, float]] = {}

    def clock(what: str, call: Callable[[], object]) -> None:
        cpu, started = time.process_time(), time.perf_counter()
        call()
        taken[what] = time.perf_counter() - started, time.process_time() - cpu

    if run == "made":
        clock("index and graph caught up", collection.workspace.catch_up)
        clock("first summary ever", collection.map.summary)
    elif run == "added":
        _add_one(collection, texts)
        clock("index and graph caught up after 1 document more", collection.workspace.catch_up)
        clock("first summary after it", collection.map.summary)
    else:
        _answers(collection, clock)
    print(json.dumps(taken))


def _add_one(collection: Collection, texts: Path) -> None:
    collection.map.summary()
    tools = Tools(None, _encoder(), _DIMENSION, NamesByCapitals())
    text = "A new contract of 3 May 2025.\n\n" + next(_slices(texts))
    with write_session(collection.folder) as session:
        store_text(session, "One more.txt", text, tools=tools)


def _answers(collection: Collection, clock: Callable[[str, Callable[[], object]], None]) -> None:
    clock("index opened, libraries imported", lambda: collection.workspace.state().index)
    map_ = collection.map
    clock("summary, first of a new process", map_.summary)
    clock("summary again", map_.summary)
    names = [map_.entities(kind=k, limit=1)[0].name for k in ("organization", "person")]
    document = collection.documents(sort_by="name")[0].document_id
    answers: dict[str, Callable[[], object]] = {
        "statistics": map_.statistics,
        "timeline": map_.timeline,
        "topics": map_.topics,
        "entities": map_.entities,
        "find_entity": lambda: map_.find_entity(names[0]),
        "encounters": lambda: map_.encounters(names),
        "document_entities": lambda: map_.document_entities(document),
        "references": map_.references,
        "graph": map_.graph,
        "graph around a name": lambda: map_.graph(names[0]),
        "related_documents": lambda: map_.related_documents(document),
        "clusters by type": lambda: map_.clusters("document_type"),
        "clusters by reference": lambda: map_.clusters("reference"),
        "clusters by entity": lambda: map_.clusters("entity"),
    }
    for what, answer in answers.items():
        answer()
        clock(f"{what} again", answer)
    clock("edges, as a table", lambda: collection.sql("SELECT count(*) FROM edges"))
    clock("citations, as a table", lambda: collection.sql("SELECT count(*) FROM citations"))
    question = "termination for material breach"
    clock("search", lambda: collection.search(question))
    clock("search again", lambda: collection.search(question))
    clock("search with related=5", lambda: collection.search(question, related=5))
    clock("search with related=5 again", lambda: collection.search(question, related=5))


if __name__ == "__main__":
    main()
