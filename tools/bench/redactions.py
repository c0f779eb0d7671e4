"""Redactions measured on real PDFs: words covered in six ways are found, and nothing is invented.

``just redactions DIR`` takes up to eight pages of every PDF below DIR. Each is looked at as it is
(whatever is told there is shown, to be judged by eye), and once with three of its words covered by
a black box, a white box, a picture, a note, a mark, or taken out in a saved change.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import pymupdf

from casetrack.base.errors import FileError
from casetrack.editions.legal.redaction import hidden_text

PAGES = 8
WORDS = 3
COVERS = ("black box", "white box", "picture", "note", "mark", "saved change")


def main() -> None:
    """Measure, and print one line for each way of covering."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--files", type=int, default=60)
    arguments = parser.parse_args()
    chance = random.Random(7)
    paths = sorted(arguments.folder.rglob("*.pdf"))
    chance.shuffle(paths)
    planted: Counter[str] = Counter()
    found: Counter[str] = Counter()
    pages = told = 0
    with tempfile.TemporaryDirectory() as scratch:
        for number, path in enumerate(paths[: arguments.files]):
            plain = Path(scratch) / "plain.pdf"
            try:
                pages += _part(path, plain)
                own = hidden_text(plain)
            except (FileError, RuntimeError, ValueError):
                continue
            told += len(own)
            for one in own:
                print(f"as it is: {path.name}, {one.place}: {one.text[:60]!r} ({one.cover})")
            cover = COVERS[number % len(COVERS)]
            covered = Path(scratch) / "covered.pdf"
            words = _cover(plain, covered, cover, chance)
            seen = [one.text for one in hidden_text(covered)]
            for word in words:
                planted[cover] += 1
                hit = any(word[1:-1] in text or word[-2:0:-1] in text for text in seen)
                found[cover] += hit
                if not hit:
                    print(f"missed: {path.name}: {word!r} ({cover}); told: {seen[:5]}")
    for cover in COVERS:
        print(f"{cover}: {found[cover]} of {planted[cover]} found")
    print(f"all: {found.total()} of {planted.total()}; told on {pages} pages as they are: {told}")


def _part(path: Path, target: Path) -> int:
    with pymupdf.open(path) as whole, pymupdf.open() as part:
        if whole.needs_pass:
            raise ValueError("protected")
        part.insert_pdf(whole, to_page=min(PAGES, whole.page_count) - 1)
        part.save(target)
        return int(part.page_count)


def _cover(plain: Path, target: Path, cover: str, chance: random.Random) -> list[str]:
    """Write a copy with some of its words covered, and return them."""
    document: Any = pymupdf.open(plain)
    places = [
        (page.number, word)
        for page in document
        for word in page.get_text("words")
        if len(word[4]) > 4
        and word[4].isalpha()
        and page.rotation == 0
        # Words that are seen: dark on light.
        and _is_seen(page, word)
    ]
    chosen = chance.sample(places, min(WORDS, len(places)))
    if cover == "saved change":
        document.save(target)
        document = pymupdf.open(target)
    for number, word in chosen:
        page, box = document[number], pymupdf.Rect(word[:4])
        if cover in {"black box", "white box"}:
            page.draw_rect(box, color=None, fill=(0, 0, 0) if cover[0] == "b" else (1, 1, 1))
        elif cover == "picture":
            picture = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 9, 3), False)
            picture.clear_with(0)
            page.insert_image(box, pixmap=picture, keep_proportion=False)
        elif cover == "note":
            note = page.add_rect_annot(box)
            note.set_colors(stroke=(0, 0, 0), fill=(0, 0, 0))
            note.update()
        else:
            page.add_redact_annot(box, fill=(0, 0, 0))
    if cover == "saved change":
        for page in document:
            page.apply_redactions(images=0, graphics=0)
        document.saveIncr()
    else:
        document.save(target)
    document.close()
    return [word[4] for _, word in chosen]


def _is_seen(page: Any, word: Any) -> bool:
    drawn = page.get_pixmap(clip=word[:4], colorspace=pymupdf.csGRAY, alpha=False)
    return bool(drawn.samples) and min(drawn.samples) < 120 and max(drawn.samples) > 200


if __name__ == "__main__":
    main()
