"""Rectangles of chunks that begin or end inside a line: their part of it, and nothing else."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pyarrow as pa
import pymupdf
import pytest

from casetrack.ingest.steps.chunk import chunk_page
from casetrack.ingest.steps.chunking import ChunkRules, PageWords, line_boxes
from casetrack.parse import detect
from casetrack.parse.workers.messages import batches

WORDS = (
    "the supplier shall deliver all goods listed below within thirty days. After written notice "
    "every party keeps records of each delivery. An auditor may inspect them at any reasonable "
    "time during business hours. Nothing herein limits the remedies that a court may grant."
).split()
CHINESE = "供应商应在收到书面通知后三十日内交付下列全部货物。双方应保存每次交付的记录至少七年。"
RULES = ChunkRules(target_chars=240, max_chars=300, min_chars=60, overlap_chars=40)
Letter = tuple[float, float, str]


def drawn(path: Path, *, rotation: int = 0, font: str = "helv") -> Path:
    """Draw numbered words over a page, in lines; every Chinese line has different characters."""
    with pymupdf.open() as document:
        page = document.new_page()
        running = itertools.count()
        for line in range(40):
            if font == "helv":
                text = " ".join(f"{n}{WORDS[n % len(WORDS)]}" for n in itertools.islice(running, 9))
            else:
                text = "".join(CHINESE[(37 * line + 5 * n) % len(CHINESE)] for n in range(38))
            page.insert_text((50, 60 + 16 * line), text, fontname=font, fontsize=9)
        page.set_rotation(rotation)
        document.save(path)
    return path


def letters_of(path: Path) -> list[Letter]:
    """Return the middle of every letter of the first page as shown, and the letter."""
    with pymupdf.open(path) as document:
        page = document[0]
        collected = []
        for block in page.get_text("rawdict")["blocks"]:
            for span in (s for line in block["lines"] for s in line["spans"]):
                for char in span["chars"]:
                    middle = pymupdf.Rect(char["bbox"]) * page.rotation_matrix
                    place = ((middle.x0 + middle.x1) / 2, (middle.y0 + middle.y1) / 2)
                    collected.append((*place, char["c"]))
    return collected


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("rotation", "font"), [(0, "helv"), (180, "helv"), (270, "helv"), (90, "china-s")]
)
def test_a_chunk_marks_its_own_letters_only(tmp_path: Path, rotation: int, font: str) -> None:
    path = drawn(tmp_path / "a.pdf", rotation=rotation, font=font)
    (batch,) = batches(detect(path).read(path).pages)
    page = {**batch.to_pylist()[0], "document_id": "6ba7b810-9dad-11d1-80b4-00c04fd430c8"}
    drawn_letters = letters_of(path)
    inside_a_line = 0
    for chunk in chunk_page(page, RULES, PageWords(batch["words"][0])):
        boxes = chunk["line_boxes"]
        marked = "".join(
            c
            for x, y, c in drawn_letters
            if any(b["x0"] <= x <= b["x1"] and b["y0"] <= y <= b["y1"] for b in boxes)
        )
        assert sorted(re.sub(r"\s", "", marked)) == sorted(re.sub(r"\s", "", chunk["text"]))
        inside_a_line += sum(
            line["start"] < end < line["end"]
            for line in page["lines"]
            for end in (chunk["char_start"], chunk["char_end"])
        )
    assert inside_a_line > 5


LINE = {"number": 1, "x0": 0.0, "y0": 0.0, "x1": 100.0, "y1": 10.0}


@pytest.mark.parametrize(
    ("text", "words", "cut", "expected"),
    [
        # A word divided at the line's end: its rest is in the text, and not on the line.
        ("one two. three fourteen", "one two. three four-", 9, (45.0, 100.0)),
        # The line lost the rest of a word to the line before.
        ("two. three four", "teen two. three four", 5, (50.0, 100.0)),
        # A number that was taken off.
        ("one two. three", "12 one two. three", 9, (60.0, 100.0)),
        # Read from the right.
        ("one two. three four", "four three two. one", 9, (0.0, 50.0)),
        # Drawn is something else: the whole line.
        ("one two. three four", "uno dos. tres cuatro", 9, (0.0, 100.0)),
        ("one two. three four", "", 9, (0.0, 100.0)),
    ],
)
def test_the_cut_is_found_among_what_is_drawn(
    text: str, words: str, cut: int, expected: tuple[float, float]
) -> None:
    placed, at = [], 0
    for word in words.split():
        placed.append({"x0": 5.0 * at, "y0": 1.0, "x1": 5.0 * (at + len(word)), "y1": 9.0})
        placed[-1]["text"] = word
        at += len(word) + 1
    kind = pa.list_(
        pa.struct([*((side, pa.float32()) for side in LINE if side != "number"), ("text", "str")])
    )
    line = {**LINE, "start": 0, "end": len(text)}
    known = PageWords(pa.scalar(placed or None, kind))
    (after,) = line_boxes(text, [line], known, cut, len(text))
    assert (after["x0"], after["x1"]) == expected
    assert (after["y0"], after["y1"]) == (0.0, 10.0)


def test_words_in_two_lines_are_not_told_apart() -> None:
    names = ("x0", "y0", "x1", "y1", "text")
    cells = [(0, 1, 30, 5, "one"), (0, 5, 30, 9, "two"), (40, 1, 90, 5, "three")]
    placed = pa.scalar([dict(zip(names, cell, strict=True)) for cell in cells])
    line = {**LINE, "start": 0, "end": 15}
    assert line_boxes("one two | three", [line], PageWords(placed), 10, 15) == [
        {"line": 1, "x0": 0.0, "y0": 0.0, "x1": 100.0, "y1": 10.0}
    ]
