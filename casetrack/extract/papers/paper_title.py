"""The title of a paper: the first lines that look like one and name a paper."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.extract.papers.caption_marks import is_no_title
from casetrack.extract.papers.paper_kinds import kind_of_title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.papers.caption_lines import Cell
    from casetrack.extract.papers.paper_kinds import PaperKind

_LINES, _CHARS = 8, 240
"""Most of a title."""
_SENTENCE = 14
"""A line of more words that does not look like a title is text, and no title comes after it."""
_FIELD = re.compile(
    r"(?:date|time|submitted|argued|decided|opinion filed|filed|dept|department|courtroom|ctrm"
    r"|place|hearing|judge|trial|action filed|complaint filed|jury|hon\b|judge:|case no"
    r"|re:? dkt|\[?(?:filed|fed\.|re:|assigned|docket))",
    re.IGNORECASE,
)
_AFTER_TITLE = re.compile(
    r"(?:[IVX]+|[A-Z1-9])\.\s|(?:introduction|table of|(?:factual )?background|facts|argument"
    r"|preliminary statement|statement of the|jurisdiction|parties|the parties|nature of|summary of"
    r"|synopsis|syllabus|to the honorable|to:|comes? now|now comes?|before\b|january|february"
    r"|(?:mon|tues|wednes|thurs|fri)day|march|april|may \d|june|july|august|september|october"
    r"|november|december)\b",
    re.IGNORECASE,
)
_AUTHOR = re.compile(
    r".{2,50},\s+(?:(?:Chief|Senior|United|States|U\.S\.|District|Circuit|Magistrate|Bankruptcy"
    r"|Presiding|Associate)\s*)*(?:Judge|Justice|District$|J\.|C\.J\.)",
    re.IGNORECASE,
)


def first_title(run: Sequence[Cell], /) -> tuple[PaperKind, str] | None:
    """Return what kind of paper the first title of some lines names, and the title on one line."""
    for i, cell in enumerate(run):
        if is_no_title(cell.text):
            continue
        if not looks_like_title(cell.text):
            plain = cell.text.rstrip()
            if len(plain.split()) > _SENTENCE or (plain.endswith((".", ":")) and len(plain) > 60):
                return None
            continue
        words = [cell.text]
        for before, further in zip(run[i:], run[i + 1 : i + _LINES], strict=False):
            if further.line - before.line > 2 or _ends_title(further.text):
                break
            words.append(further.text)
        title = " ".join(" ".join(words).split())[:_CHARS]
        kind = kind_of_title(title)
        if kind is not None and kind.start <= max(60, len(cell.text)):
            return kind, title
    return None


def _ends_title(text: str) -> bool:
    """Whether a line comes after a title: a heading of the text, who wrote it, a date, a field."""
    if is_no_title(text) or not looks_like_title(text) or _FIELD.match(text):
        return True
    return bool(_AFTER_TITLE.match(text) or _AUTHOR.match(text))


def looks_like_title(text: str, /) -> bool:
    """Whether a line is in capitals, or short with every longer word capitalised."""
    if _FIELD.match(text) and not text.isupper():
        return False
    letters = [c for c in text if c.isalpha()]
    if len(letters) < 4 or len(text) > 200:
        return False
    if sum(c.isupper() for c in letters) >= 0.6 * len(letters):
        return True
    words = [w for w in re.findall(r"[^\W\d][\w’'-]*", text) if len(w) > 3]
    capital = sum(w[0].isupper() for w in words)
    short = len(text) <= 110 and not text.rstrip().endswith(",")
    return bool(words) and capital == len(words) and short
