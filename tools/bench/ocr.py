"""Measures an OCR engine on pictures whose text is known.

Usage: ``python -m bench.ocr FOLDER [--engine NAME]``. Beside a picture lies its
text, as ``NAME.txt`` or ``NAME.gold.txt`` or as ``NAME.csv`` (eight corner coordinates and a text
per row). For texts the character error rate counts: insertions, deletions and replacements per
character, white space as single spaces, in the order of the text. For both there is word recall:
words in lower case, as a multiset, in any order.
``--texts`` names one text for pictures without their own: ``rotated=phototest.txt`` for
every picture with ``rotated`` in its name. Prints one line per picture, then means and seconds.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections import Counter
from pathlib import Path

from casetrack.base.config import OcrSettings, load_settings
from casetrack.parse.image.frames import open_frames
from casetrack.parse.image.reader import laid_out
from casetrack.parse.layout.hyphens import Vocabulary
from casetrack.parse.ocr import RecognizedPage, read_image
from casetrack.parse.printed.paper import NumberedPaper

_SURE = 0.9
_WORD = re.compile(r"\w+")
_PICTURES = {".tif", ".tiff", ".png", ".jpg", ".jpeg", ".bmp", ".webp", ".gif"}


def edits(left: str, right: str, /) -> int:
    """Return the least number of insertions, deletions and replacements (Levenshtein)."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, start=1):
        last, row[0] = row[0], i
        for j, b in enumerate(right, start=1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (a != b))
    return row[-1]


def error_rate(wanted: str, found: str, /) -> float:
    """Return the edits per wanted character."""
    wanted, found = " ".join(wanted.split()), " ".join(found.split())
    return edits(wanted, found) / max(len(wanted), 1)


def recall(wanted: list[str], found: list[str], /) -> float:
    """Return the share of the wanted words that were found, each as often as it is wanted."""
    return (Counter(wanted) & Counter(found)).total() / max(len(wanted), 1)


def sure_and_right(text: str, page: RecognizedPage, /) -> tuple[int, int]:
    """Return how many words are rated 0.9 or better, and how many of those are right."""
    words = [w for line in page.lines for w in line.words]
    sure = Counter(w.text.lower() for w in words if w.confidence >= _SURE)
    return sure.total(), (sure & Counter(text.lower().split())).total()


def expected(picture: Path, texts: list[tuple[str, Path]], /) -> tuple[bool, str] | None:
    """Return what is known of a picture: whether it is in reading order, and the text."""
    for name in (f"{picture.stem}.gold.txt", f"{picture.stem}.txt"):
        if (picture.parent / name).is_file():
            return True, (picture.parent / name).read_text("utf-8", errors="replace")
    table = picture.with_suffix(".csv")
    if table.is_file():
        rows = table.read_text("utf-8", errors="replace").splitlines()
        return False, "\n".join(row.split(",", 8)[8] for row in rows if row.count(",") >= 8)
    for part, path in texts:
        if part in picture.name:
            return True, path.read_text("utf-8", errors="replace")
    return None


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--language")
    parser.add_argument("--models", type=Path, default=load_settings().models_dir)
    parser.add_argument("--texts", action="append", default=[], metavar="PART=FILE")
    parser.add_argument("--limit", type=int, default=10**6)
    arguments = parser.parse_args()
    settings = OcrSettings(arguments.engine, arguments.language)
    pairs = [value.partition("=") for value in arguments.texts]
    texts = [(part, arguments.folder / name) for part, _, name in pairs]
    figures: dict[str, list[float]] = {"cer": [], "recall": [], "recall of words": []}
    rated = right = 0
    seconds: list[float] = []
    names = ("cer", "recall", "words", "conf.", "turn", "skew", "s")
    print(f"{'picture':<32}" + "".join(f" {name:>8}" for name in names))
    for picture in sorted(arguments.folder.iterdir()):
        known = expected(picture, texts) if picture.suffix.lower() in _PICTURES else None
        if known is None or len(seconds) >= arguments.limit:
            continue
        frame = next(iter(open_frames(picture, 1).frames))
        if not seconds:
            # The first picture pays for loading the engine.
            read_image(frame.grey, frame.dpi, settings, models_dir=arguments.models)
        started = time.process_time()
        page = read_image(frame.grey, frame.dpi, settings, models_dir=arguments.models)
        seconds.append(time.process_time() - started)
        is_ordered, text = known
        found = laid_out(page, frame, Vocabulary(), NumberedPaper()).text
        share = recall(text.lower().split(), found.lower().split())
        figures["recall"].append(share)
        words = recall(_WORD.findall(text.lower()), _WORD.findall(found.lower()))
        figures["recall of words"].append(words)
        sure, good = sure_and_right(text, page)
        rated, right = rated + sure, right + good
        cell = ""
        if is_ordered:
            figures["cer"].append(error_rate(text, found))
            cell = f"{figures['cer'][-1]:.4f}"
        print(
            f"{picture.name:<32} {cell:>8} {share:8.4f} {words:8.4f} {page.confidence:8.3f} "
            f"{page.rotation:8} {page.skew:8.2f} {seconds[-1]:8.2f}"
        )
    for measure, values in figures.items():
        if values:
            print(
                f"{measure}: mean {statistics.fmean(values):.4f}, "
                f"median {statistics.median(values):.4f}, {len(values)} pictures"
            )
    if rated:
        print(f"rated {_SURE} or better: {rated} words, {right / rated:.4f} right")
    if seconds:
        print(
            f"{page.engine}: mean {statistics.fmean(seconds):.2f} s, "
            f"median {statistics.median(seconds):.2f} s, most {max(seconds):.2f} s a page, "
            "of processor"
        )


if __name__ == "__main__":
    main()
