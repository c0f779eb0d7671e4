"""Recall and precision of extraction: ``just quality extraction``.

The truth comes from other sources: annotated contracts, the cases of a recogniser specification,
pairs of texts and citations, sentences with marked names, and the notes on the sample case file.
``--write docs/extraction.md`` writes the tables into that page.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from api.evaluate import graph_truth
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license import UNLIMITED
from casetrack.graph.opened import graph_of
from extract import legal_pairs, recognizers_amounts, recognizers_dates
from quality import shares, wholes
from quality.cuad_spans import (
    NOTHING_ASKED,
    Count,
    Found,
    Squeezed,
    places_of_chunks,
    score_contract,
)
from training.names.measure import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from api.evaluate.graph_tally import Tally
    from casetrack.api.collection import Collection

_CHECKOUT = Path(__file__).resolve().parent.parent.parent
_CACHE = _CHECKOUT / ".cache"
_BEGIN = "<!-- begin: written by `just quality extraction --write` -->"
_END = "<!-- end: written by `just quality extraction --write` -->"


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the report: a heading, tables, and examples of misses."""

    title: str
    text: str
    misses: tuple[str, ...] = ()


def main() -> int:
    """Run the chosen measurements, print one report, and write it to a file on request."""
    options = _options()
    os.environ["CASETRACK_MODELS"] = str(options.models)
    os.environ.setdefault("LANCE_LOG", "error")
    sections = []
    for name in options.only:
        section = SECTIONS[name](options)
        sections.append(section)
        sys.stdout.write(f"### {section.title}\n\n{section.text}\n\n")
        if options.misses:
            sys.stdout.write("".join(f"    {miss}\n" for miss in section.misses) + "\n")
        sys.stdout.flush()
    if options.write:
        write_into(options.write, {s.title: s.text for s in sections})
    return 0


def _options() -> argparse.Namespace:
    home, models = os.environ.get("CASETRACK_TEST_DATA"), os.environ.get("CASETRACK_MODELS")
    data = Path(home) if home else _CHECKOUT.parent / "shared" / "data"
    parser = argparse.ArgumentParser(prog="python -m quality.extraction", description=__doc__)
    add = parser.add_argument
    add("--only", action="append", choices=SECTIONS, help="measure only this; may be repeated")
    add("--names", action="store_true", help="measure names as well, which trains for minutes")
    add("--misses", action="store_true", help="also print what was missed")
    add("--data", type=Path, default=data, help="folder of the test corpora")
    add("--work", type=Path, default=_CACHE / "extraction", help="folder for what is kept")
    add("--models", type=Path, default=Path(models) if models else _CACHE / "models")
    add(
        "--home",
        type=Path,
        default=_CACHE / "home",
        help="with Contracts, Filings, Mail; for names",
    )
    add("--write", type=Path, metavar="FILE", help="put the tables into this document")
    options = parser.parse_args()
    quick = [name for name in SECTIONS if name != "names"]
    options.only = options.only or (list(SECTIONS) if options.names else quick)
    return options


def write_into(path: Path, sections: Mapping[str, str], /) -> None:
    """Replace sections, by title, in the generated block of a document and keep the others.

    Raises
    ------
    ValueError
        The document has no such block.
    """
    before, begin, rest = path.read_text("utf-8").partition(_BEGIN)
    old, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"{path} has no lines {_BEGIN!r} and {_END!r}")
    parts = [part.partition("\n\n") for part in old.strip().removeprefix("### ").split("\n\n### ")]
    kept = {title: text.strip() for title, _, text in parts if title} | dict(sections)
    text = "\n\n".join(f"### {title}\n\n{kept[title]}" for title in kept)
    path.write_text(f"{before}{_BEGIN}\n\n{text}\n\n{_END}{after}", encoding="utf-8")


def _table(*lines: Iterable[object]) -> str:
    """Return a Markdown table; the first line holds its headings."""
    rows = [f"| {' | '.join(map(str, line))} |" for line in lines]
    rows.insert(1, "|---" * (rows[0].count("|") - 1) + "|")
    return "\n".join(rows)


# --- cases that others wrote ---------------------------------------------------------------------


def _dates(options: argparse.Namespace) -> Section:
    counts = recognizers_dates.score(options.data / "recognizers" / "DateTime")
    rows = [(kind, c.total, c.right, f"{c.share:.1%}") for kind, c in counts.items()]
    misses = tuple(note for c in counts.values() for note in c.wrong)
    table = _table(("cases", "of them", "right", "share"), *rows)
    return Section("Dates: the cases of a recogniser specification", table, misses)


def _amounts(options: argparse.Namespace) -> Section:
    counts = recognizers_amounts.score(options.data / "recognizers")
    rows = [
        (kind, c.expected, c.placed, c.right, f"{c.share:.1%}", c.extra)
        for kind, c in counts.items()
    ]
    heads = ("kind", "expected", "place right", "value and unit right too", "share", "found beside")
    misses = tuple(note for c in counts.values() for note in c.missed)
    return Section("Amounts: the cases of the same", _table(heads, *rows), misses)


def _citations(options: argparse.Namespace) -> Section:
    score = legal_pairs.score(options.data / "legal-citations" / "find_pairs.json")
    row = (score.total, score.right, f"{score.share:.1%}")
    table = _table(("texts", "with exactly the expected citations", "share"), row)
    return Section("Legal citations: texts with known citations", table, score.misses)


def _names(options: argparse.Namespace) -> Section:
    """Measure the held-out part of the training data with its own tools, in separate processes."""
    cache, sets = options.work / "names", options.data / "ner-open"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    filings = options.data / "ner-eval" / "edgar-dev.tsv"
    commands = [["evaluate", str(sets), str(cache), "--filings", str(filings)]]
    if not (cache / "held.npz").is_file():
        out = cache / "names_mini.npz"
        commands.insert(0, ["fit", str(sets), str(cache), str(options.home), "--out", str(out)])
    for module, *arguments in commands:
        done = subprocess.run(
            [sys.executable, "-m", f"training.names.{module}", *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"training.names.{module} failed:\n{done.stderr[-2000:]}")
    table = "\n".join(x for x in done.stdout.splitlines() if x.startswith("|"))
    return Section("Names: sentences with marked names, exact place and kind", table)


def _wholes(options: argparse.Namespace) -> Section:
    with tempfile.TemporaryDirectory() as home:
        rows, misses = wholes.rows_of(options.data, options.models, Path(home))
    kinds = (f"{kind}s" for kind in KINDS)
    heads = ("documents", "names", "found by", "all", "precision", "recall", *kinds)
    title = "Names in whole documents: exact place and kind, as the map has them"
    return Section(title, _table(heads, *rows), misses)


# --- annotated contracts -------------------------------------------------------------------------


def _cuad(options: argparse.Namespace) -> Section:
    folder = options.data / "cuad"
    clauses = _clauses(folder)
    collection = _collection(options.work / "contracts", folder / "txt")
    counts: dict[str, Count] = {}
    values = found_by_document(collection)
    for document in collection.documents():
        text = (folder / "txt" / document.name).read_text("utf-8")
        place = values(document.document_id, Squeezed(text))
        score_contract(text, clauses.get(document.name, ()), place, counts)
    rows = [
        (
            name,
            c.total,
            c.right,
            "" if name.endswith(NOTHING_ASKED) else f"{c.share:.1%}",
            c.anywhere if "Parties" in name else "",
        )
        for name, c in sorted(counts.items())
    ]
    heads = (
        "annotated spans",
        "of them",
        "found at their place",
        "share",
        "or with the same words",
    )
    misses = tuple(
        f"{name}: {note}"
        for name, c in sorted(counts.items())
        if not name.endswith(NOTHING_ASKED)
        for note in c.missed
    )
    return Section("Annotated contracts", _table(heads, *rows), misses)


def _shares(options: argparse.Namespace) -> Section:
    folder = options.data / "cuad"
    collection = _collection(options.work / "contracts", folder / "txt")
    rows, misses = shares.rows_of(collection, _clauses(folder))
    heads = (
        "places of",
        "of them",
        "found",
        "share",
        "as one and the same",
        "contracts with such",
        f"with {shares.GOOD:.0%} or more",
    )
    return Section("Share found in place", _table(heads, *rows), misses)


def _clauses(folder: Path) -> dict[str, list[Mapping[str, Any]]]:
    """Return the annotations of contracts by the name of the file."""
    clauses: dict[str, list[Mapping[str, Any]]] = {}
    for line in (folder / "clauses.jsonl").read_text("utf-8").splitlines():
        clause = json.loads(line)
        clauses.setdefault(clause["file"], []).append(clause)
    return clauses


def _collection(home: Path, files: Path) -> Collection:
    """Return a collection of the files; one that is there is brought up to date."""
    library = Library(load_settings(home), tier=UNLIMITED)
    known = {info.name for info in library.collections()}
    collection = library.get("Measured") if "Measured" in known else library.create("Measured")
    report = collection.ingest([files], ocr="off")
    failed = [o for o in report.outcomes if o.status == "failed"]
    if failed:
        raise RuntimeError(f"{len(failed)} files could not be read, first {failed[0]}")
    return collection


def found_by_document(collection: Collection, /) -> Callable[[str, Squeezed], list[Found]]:
    """Return the extracted values by document, positioned in the squeezed text of the file."""
    graph = graph_of(collection.workspace.state())
    by_chunk: dict[str, list[tuple[int, int, str, tuple[str, ...]]]] = {}
    for row in graph.table("mentions").to_pylist():
        if row["kind"] in {"person", "organization", "location"}:
            entry = (row["char_start"], row["char_end"], row["kind"], ())
            by_chunk.setdefault(row["chunk_id"], []).append(entry)
    for row in graph.table("dates").to_pylist():
        values = tuple(row["value"].split("/")) if row["value"] else tuple(row["readings"])
        entry = (row["char_start"], row["char_end"], "date", values)
        by_chunk.setdefault(row["chunk_id"], []).append(entry)

    def found(document: str, text: Squeezed) -> list[Found]:
        chunks = collection.read.chunks(document)
        return list(_placed(text, [(c.provenance.chunk_id, c.text) for c in chunks], by_chunk))

    return found


def _placed(
    text: Squeezed,
    chunks: list[tuple[str, str]],
    by_chunk: Mapping[str, list[tuple[int, int, str, tuple[str, ...]]]],
) -> Iterator[Found]:
    starts = places_of_chunks(text, [words for _, words in chunks])
    for (chunk_id, words), first in zip(chunks, starts, strict=True):
        own = Squeezed(words)
        for start, end, kind, values in by_chunk.get(chunk_id, ()):
            a, b = own.span(start, end)
            yield Found(first + a, first + b, kind, values)


# --- the sample case file ------------------------------------------------------------------------


def _samples(options: argparse.Namespace) -> Section:
    truth = graph_truth.load_truth(_CHECKOUT / "data-samples" / "graph.toml")
    with tempfile.TemporaryDirectory() as home:
        settings = replace(load_settings(Path(home)), models_dir=options.models)
        collection = Library(settings, tier=UNLIMITED).create("Samples")
        collection.ingest([_CHECKOUT / "data-samples" / "files"])
        report = graph_truth.score_graph(
            truth, graph_truth.rows_of(graph_of(collection.workspace.state()))
        )
    misses = tuple(_as_misses(report).splitlines())
    return Section("The sample case file", _as_markdown(report), misses)


SECTIONS: dict[str, Callable[[argparse.Namespace], Section]] = {
    "samples": _samples,
    "cuad": _cuad,
    "shares": _shares,
    "wholes": _wholes,
    "names": _names,
    "dates": _dates,
    "amounts": _amounts,
    "citations": _citations,
}


def _as_markdown(report: graph_truth.Report, /) -> str:
    """Return the scores as tables."""
    head = (
        "| names | wanted | recall | found | precision | by places | merged | split | "
        "roles wanted | recall | roles given | precision |"
    )
    lines = [head, "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for kind, score in report.names.items():
        entities, roles = score.entities, score.roles
        role_cells = f"{roles.wanted} | {roles.recall:.1%} | {roles.judged} | {roles.precision:.1%}"
        lines.append(
            f"| {kind} | {entities.wanted} | {entities.recall:.1%} | {entities.judged} | "
            f"{entities.precision:.1%} | {score.mention_precision:.1%} | {len(score.merged)} | "
            f"{len(score.split)} | {role_cells if kind != 'location' else ' | | | '} |"
        )
    lines += ["", "| what | wanted | recall | judged | precision |", "|---|---|---|---|---|"]
    for what, tally in report.tallies.items():
        judged = f"{tally.judged} | {tally.precision:.1%}" if tally.judged else "- | -"
        recall = f"{tally.recall:.1%}" if tally.wanted else "-"
        lines.append(f"| {what} | {tally.wanted} | {recall} | {judged} |")
    return "\n".join(lines)


def _as_misses(report: graph_truth.Report, /) -> str:
    """Return everything that was missed or wrong, one a line."""
    lines = []
    for kind, score in report.names.items():
        lines += [f"{kind} merged: {text}" for text in score.merged]
        lines += [f"{kind} split: {text}" for text in score.split]
        lines += _misses(kind, score.entities) + _misses(f"role of {kind}", score.roles)
    for what, tally in report.tallies.items():
        lines += _misses(what, tally)
    return "\n".join(lines)


def _misses(what: str, tally: Tally) -> list[str]:
    return [f"{what} missed: {text}" for text in tally.missed] + [
        f"{what} wrong: {text}" for text in tally.wrong
    ]


if __name__ == "__main__":
    raise SystemExit(main())
