"""Earlier states of a PDF that its file still holds: a saved change appends, and takes nothing."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.editions.legal.paper.pdf import opened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_END = re.compile(rb"%%EOF[\r\n]{0,2}")
_MIN_LETTERS = 2


def words_of_earlier_versions(
    path: Path, document: Any, passwords: Sequence[str], /
) -> Iterator[tuple[int, str]]:
    """Yield words that pages had in the version before, and no longer have: page, words.

    Parameters
    ----------
    path, document
        The file, and what is open of it.
    """
    if document.version_count < 2:
        return
    data = path.read_bytes()
    ends = [match.end() for match in _END.finditer(data)]
    now = [_words(page) for page in document]
    told: set[tuple[int, str]] = set()
    # A file written for fast display has an end mark of its own near its beginning.
    for end in ends[:-1]:
        with tempfile.TemporaryDirectory() as folder:
            part = Path(folder) / "earlier.pdf"
            part.write_bytes(data[:end])
            for number, text in _missing(part, now, passwords):
                if (number, text) not in told:
                    told.add((number, text))
                    yield number, text


def _missing(
    part: Path, now: list[list[str]], passwords: Sequence[str]
) -> Iterator[tuple[int, str]]:
    from casetrack.base.errors import FileError

    try:
        with opened(part, passwords) as before:
            pages = [_words(page) for page in before]
    except FileError:
        return  # what stands before this mark is no document by itself
    # With pages added or taken out, numbers of pages don't match.
    everywhere = None if len(pages) == len(now) else Counter(word for page in now for word in page)
    for number, then in enumerate(pages, 1):
        left = Counter(now[number - 1]) if everywhere is None else everywhere
        run: list[str] = []
        for word in [*then, ""]:
            if word and left[word] == 0:
                run.append(word)
                continue
            left[word] -= 1
            if sum(map(str.isalnum, "".join(run))) >= _MIN_LETTERS:
                yield number, " ".join(run)
            run = []


def _words(page: Any) -> list[str]:
    return [word[4] for word in page.get_text("words")]
