"""What many small updates cost: ``python -m bench.updates --updates 10000``.

Documents of a few chunks are added, changed and deleted in turn, each in a write session of its
own, as a watched folder does it; texts and vectors are made up. Disk, versions and fragments must
level off, and an update must not become slower as they add up.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.documents import DocumentWriter
from bench.vectors import Space
from bench.words import SEED, TextMaker, vocabulary, vocabulary_size
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED
from casetrack.base.records import DEFAULT_PROFILE
from casetrack.models.token_matrix import token_form
from casetrack.store.session import write_session
from casetrack.store.upkeep import Space as Disk
from casetrack.store.upkeep import measure

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.base.records import Document

_CHUNKS = 4
_LINES = 10


class Updates:
    """Adds, changes and deletes documents of one collection in turn.

    Parameters
    ----------
    collection
        It is written to.
    writer
        Makes the documents.
    index
        Whether the search index follows every update.

    Attributes
    ----------
    taken
        Milliseconds of each update, the making of its texts and vectors left out.
    """

    def __init__(self, collection: Collection, writer: DocumentWriter, *, index: bool) -> None:
        self._collection, self._writer, self._index = collection, writer, index
        self._live: list[Document] = []
        self._rng = random.Random(SEED)
        self._made = 0
        self.taken: list[float] = []

    def one(self) -> None:
        """Make one update: of four, two add, one changes, one deletes."""
        made, started = self._writer.seconds, time.perf_counter()
        step = self._made % 4
        with write_session(self._collection.folder) as session:
            if step == 3 and self._live:
                place = self._rng.randrange(len(self._live))
                session.delete([self._live.pop(place)])
            elif step == 2 and self._live:
                place = self._rng.randrange(len(self._live))
                old = self._live[place]
                fresh = self._writer.store(session, old.name, _CHUNKS)
                # The name makes the id, so this is the same document; its old rows go.
                session.finish(fresh, replaces=old.revision)
                self._live[place] = fresh
            else:
                document = self._writer.store(session, f"update-{self._made:06d}.pdf", _CHUNKS)
                self._live.append(document)
        if self._index:
            _ = self._collection.workspace.state().index
        self._made += 1
        spent = time.perf_counter() - started - (self._writer.seconds - made)
        self.taken.append(spent * 1000)


def main() -> None:
    """Make the updates and print how disk and times went."""
    parser = argparse.ArgumentParser(description="Measure what many small updates cost.")
    parser.add_argument("--updates", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="documents that are there before")
    parser.add_argument("--index", action="store_true", help="let the search index follow each")
    parser.add_argument("--models", type=Path, default=Path(".cache/models"))
    parser.add_argument("--work", type=Path, help="folder for the data; a temporary one if left")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.work) as scratch:
        settings = replace(load_settings(Path(scratch)), models_dir=given.models.absolute())
        library = Library(settings, tier=UNLIMITED)
        collection = library.create("Updates")
        writer = _writer(library, given.first + given.updates)
        if given.first:
            with write_session(collection.folder) as session:
                for number in range(given.first):
                    writer.store(session, f"first-{number:06d}.pdf", _CHUNKS)
        updates = Updates(collection, writer, index=given.index)
        print(f"{'updates':>8} {'ms median':>10} {'ms p95':>8} {'ms most':>8}  {_HEAD}")
        _show(0, [], measure(collection.folder))
        share = max(1, given.updates // _LINES)
        for number in range(1, given.updates + 1):
            updates.one()
            if number % share == 0:
                _show(number, updates.taken[-share:], measure(collection.folder))
        started = time.perf_counter()
        report = collection.admin.upkeep(secure=True)
        print(f"upkeep with nothing kept back: {time.perf_counter() - started:.2f} s")
        assert report is not None
        _show(given.updates, [], measure(collection.folder))


_HEAD = f"{'disk MB':>8} {'live MB':>8} {'versions':>9} {'fragments':>10}"


def _show(number: int, taken: list[float], disk: Disk) -> None:
    times = ["", "", ""]
    if taken:
        ordered = sorted(taken)
        p95 = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
        times = [f"{ms:.1f}" for ms in (statistics.median(taken), p95, ordered[-1])]
    print(
        f"{number:>8,} {times[0]:>10} {times[1]:>8} {times[2]:>8}  "
        f"{disk.total_bytes / 1e6:>8.1f} {disk.live_bytes / 1e6:>8.1f} "
        f"{disk.versions:>9,} {disk.fragments:>10,}",
        flush=True,
    )


def _writer(library: Library, documents: int) -> DocumentWriter:
    encoder = library.encoders.get(DEFAULT_PROFILE)
    texts = TextMaker(
        vocabulary(vocabulary_size(max(1000, documents * _CHUNKS))), np.random.default_rng(SEED)
    )
    space = Space(encoder.dimension, encoder.token_width or 0, SEED)
    return DocumentWriter(texts, space, encoder, token_form(encoder), SEED)


if __name__ == "__main__":
    main()
