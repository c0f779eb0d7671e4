"""Small question sets: in BEIR layout, and as a golden file."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from casetrack.api.library import Library
from casetrack.base.config import load_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from casetrack.api.collection import Collection

CORPUS = {
    "d1": ("Rent", "The tenant pays the rent each month."),
    "d2": ("", "The supplier delivers goods late."),
    "d3": ("Cats", "Cats sleep most of the day. " * 120),
    "d4": ("Empty", ""),
}
QUERIES = {"q1": "tenant rent", "q2": "sleeping cats", "q3": "nobody judged this"}
QRELS = (("q1", "d1", 1), ("q2", "d3", 1), ("q2", "d1", 0))


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write one JSON object per line."""
    path.write_text("\n".join(json.dumps(r, ensure_ascii=False) for r in rows), encoding="utf-8")
    return path


def write_beir(
    folder: Path,
    corpus: Mapping[str, tuple[str, str]],
    queries: Mapping[str, str],
    qrels: Iterable[tuple[str, str, int]],
) -> Path:
    """Write a folder in BEIR layout: id to title and text, id to text, judgements."""
    (folder / "qrels").mkdir(parents=True)
    rows = [{"_id": i, "title": title, "text": text} for i, (title, text) in corpus.items()]
    write_lines(folder / "corpus.jsonl", rows)
    write_lines(folder / "queries.jsonl", [{"_id": i, "text": t} for i, t in queries.items()])
    judged = "".join(f"{q}\t{d}\t{grade}\n" for q, d, grade in qrels)
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}")
    return folder


@pytest.fixture
def lines_file() -> Callable[[Path, Iterable[Mapping[str, Any]]], Path]:
    """Return :func:`write_lines`."""
    return write_lines


@pytest.fixture
def beir() -> Callable[..., Path]:
    """Return :func:`write_beir`."""
    return write_beir


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four documents, three queries, two of them judged."""
    return write_beir(tmp_path / "tiny", CORPUS, QUERIES, QRELS)


FILES = {
    "contracts/lease.txt": (
        "Lease of the Mill House\n\nThe tenant pays a rent of 1,250.00 a month.\n\n"
        "Either party may end this lease with six months' notice in writing."
    ),
    "contracts/supply.txt": "The supplier delivers the goods within ten days of the order.",
    "letters/lease.txt": "Dear Sir, the roof leaks over the north room. Please repair it.",
}


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> Collection:
    """A collection of three short documents, without vectors; two share a file name."""
    home = tmp_path_factory.mktemp("house")
    for name, text in FILES.items():
        path = home / "papers" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    settings = replace(load_settings(home / "data"), models_dir=home / "no-models")
    collection = Library(settings).create("House")
    collection.ingest([home / "papers"])
    return collection
