"""Names in the map, exact position and kind: ``just quality extraction --only wholes``.

Whole documents with marked names are added as text files. The rows of the table ``mentions``,
after learning from the whole document, are compared with the marks, as are those of the tagger
alone (``chunks.mentions``). Positions count characters without white space. Role words ("the
Company") refer to a party in the map and are not names here: they are the spellings of an entity
that name a role only.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED
from casetrack.graph.entities.text import surface
from quality.cuad_spans import Squeezed, places_of_chunks
from training.names.measure import KINDS, Score, kept
from training.names.sources import Sentence, read_documents, read_filings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from casetrack.api.collection import Collection

_Name = tuple[int, int, str]
SETS = {
    "filings": ("ner-eval/edgar-dev.tsv", read_filings),
    "articles, trained on": ("ner-open/wikigold.conll", read_documents),
}
_AROUND = 60
_DASHES = {
    code: bytes([code]).decode("cp1252", errors="replace").replace("\ufffd", " ")
    for code in range(0x80, 0xA0)
}
"""Characters of an old encoding that appear as control characters in the marked files."""


def rows_of(
    data: Path, models: Path, home: Path, /
) -> tuple[list[tuple[object, ...]], tuple[str, ...]]:
    """Return a row for each set and each source of names, and the errors of the map.

    Parameters
    ----------
    data
        Folder of the test corpora.
    models
        Folder of the models.
    home
        Empty folder for the added documents.
    """
    rows: list[tuple[object, ...]] = []
    misses: list[str] = []
    for number, (title, (path, read)) in enumerate(SETS.items()):
        texts = dict(_documents(read(data / path)))
        settings = replace(load_settings(home / str(number)), models_dir=models)
        collection = Library(settings, tier=UNLIMITED).create("Marked")
        _take_in(collection, home / f"{number}.files", {n: t for n, (t, _) in texts.items()})
        tagger, whole = Score(), Score()
        for name, tagged, mapped in found_in(collection, {n: t for n, (t, _) in texts.items()}):
            squeezed, wanted = Squeezed(texts[name][0]), kept(texts[name][1])
            wanted = {(*squeezed.span(a, b), kind) for a, b, kind in wanted}
            tagger.add(tagged, wanted)
            whole.add(mapped, wanted)
            misses += _wrong(f"{title} {name}", texts[name][0], wanted, mapped)
        for who, score in (("the tagger", tagger), ("the map", whole)):
            figures = (score.f1(), score.precision(), score.recall(), *map(score.f1, KINDS))
            names = f"{sum(score.wanted.values()):,}"
            rows.append((title, names, who, *(f"{f:.3f}" for f in figures)))
    return rows, tuple(misses)


def _documents(
    documents: Iterable[list[Sentence]],
) -> Iterator[tuple[str, tuple[str, list[_Name]]]]:
    """Yield the name of a file, its text, a sentence a line, and the names in it."""
    for number, sentences in enumerate(documents):
        text, names = "", []
        for sentence in sentences:
            at = len(text)
            text += sentence.text.translate(_DASHES) + "\n"
            names += [(a + at, b + at, kind) for a, b, kind in sentence.names]
        if text.strip():
            yield f"{number:03}.txt", (text, names)


def _take_in(collection: Collection, folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    failed = [o for o in collection.ingest([folder], ocr="off").outcomes if o.status == "failed"]
    if failed:
        raise RuntimeError(f"{len(failed)} files could not be read, first {failed[0]}")


def found_in(
    collection: Collection, texts: dict[str, str], /
) -> Iterator[tuple[str, set[_Name], set[_Name]]]:
    """Yield the names of each document, in signs of its file: the tagger's, and the map's."""
    in_map: dict[str, list[_Name]] = {}
    rows = collection.sql(
        "SELECT m.chunk_id, m.char_start, m.char_end, m.kind, m.text, m.found_by, "
        "e.name, e.aliases "
        "FROM mentions m JOIN entities e USING (entity_id) "
        "WHERE m.kind IN ('person', 'organization', 'location')"
    ).to_pylist()
    for row in rows:
        spelled = surface(row["text"])
        own = {surface(s) for s in (row["name"], *(row["aliases"] or ()))}
        titled = row["kind"] == "person" and any(s.endswith(f" {spelled}") for s in own)
        if row["found_by"] == "tagged" or spelled in own or titled:
            place = (row["char_start"], row["char_end"], row["kind"])
            in_map.setdefault(row["chunk_id"], []).append(place)
    chunks: dict[str, list[dict]] = {}
    for chunk in collection.sql(
        "SELECT document_name, chunk_id, text, mentions FROM chunks "
        "ORDER BY document_id, chunk_index"
    ).to_pylist():
        chunks.setdefault(chunk["document_name"], []).append(chunk)
    for name, own_chunks in chunks.items():
        starts = places_of_chunks(Squeezed(texts[name]), [c["text"] for c in own_chunks])
        tagged: set[_Name] = set()
        mapped: set[_Name] = set()
        for chunk, first in zip(own_chunks, starts, strict=True):
            squeezed = Squeezed(chunk["text"])
            of_tagger = [
                (m["start"], m["end"], m["kind"]) for m in chunk["mentions"] if not m["is_role"]
            ]
            for places, mentions in (
                (of_tagger, tagged),
                (in_map.get(chunk["chunk_id"], ()), mapped),
            ):
                for start, end, kind in places:
                    a, b = squeezed.span(start, end)
                    mentions.add((first + a, first + b, kind))
        yield name, tagged, mapped


def _wrong(title: str, text: str, wanted: set[_Name], names: set[_Name]) -> Iterator[str]:
    """Yield the errors, with the overlapping names and the words around them."""
    where = [i for i, sign in enumerate(text) if not sign.isspace()]
    for start, end, kind in sorted(wanted ^ names):
        mark = "missed" if (start, end, kind) in wanted else "found"
        a, b = where[start], where[end - 1] + 1
        around = f"{text[max(0, a - _AROUND) : a]}[{text[a:b]}]{text[b : b + _AROUND]}"
        yield f"{title} {mark} {kind}: {' '.join(around.split())}"
