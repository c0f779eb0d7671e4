"""Measures how much of the text of a folder of PDFs the reader finds.

Usage: ``just fidelity FOLDER``, where FOLDER holds ``pdf/*.pdf`` and, with the same
names, ``txt/*.txt``. The figure is the multiset recall of words: text is split at white space,
punctuation is stripped at both ends of each word, and every word of the TXT counts once. Both
sides are compared in NFKC with straight quotes, because such TXT files are typed with the
apostrophes of a keyboard. Running heads and feet, which stand beside the page texts, are put back
before and after them; pictures are not read. Prints one line per file, then median and least
recall and the reading time per page.
"""

from __future__ import annotations

import argparse
import statistics
import time
import unicodedata
from collections import Counter
from pathlib import Path

from casetrack.base.config import OcrSettings
from casetrack.parse import detect
from casetrack.parse.base import ReadOptions

WITHOUT_OCR = ReadOptions(ocr=OcrSettings(engine="off"))
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
_EDGES = "".join(chr(c) for c in range(33, 127) if not chr(c).isalnum()) + "“”‘’–—•·§…"


def words(text: str) -> Counter[str]:
    """Count the words of a text."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    return Counter(w for w in (token.strip(_EDGES) for token in plain.split()) if w)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--missing", type=int, default=0, help="show this many missing words")
    arguments = parser.parse_args()
    recalls, pages, seconds = [], 0, 0.0
    for pdf in sorted((arguments.folder / "pdf").glob("*.pdf")):
        txt = arguments.folder / "txt" / f"{pdf.stem}.txt"
        if not txt.is_file():
            continue
        expected = words(txt.read_text(encoding="utf-8"))
        start = time.perf_counter()
        found = [
            "\n".join(filter(None, (page.header, page.text, page.footer)))
            for page in detect(pdf).read(pdf, WITHOUT_OCR).pages
        ]
        seconds += time.perf_counter() - start
        pages += len(found)
        missing = expected - words("\n".join(found))
        recall = 1 - missing.total() / max(expected.total(), 1)
        recalls.append(recall)
        print(f"{recall:.5f}  {pdf.name[:90]}")
        if arguments.missing and missing:
            print("        ", dict(missing.most_common(arguments.missing)))
    if not recalls:
        raise SystemExit(f"No pairs pdf/NAME.pdf and txt/NAME.txt in {arguments.folder}")
    print(
        f"files {len(recalls)}  pages {pages}  median {statistics.median(recalls):.5f}  "
        f"min {min(recalls):.5f}  {1000 * seconds / pages:.2f} ms/page"
    )


if __name__ == "__main__":
    main()
