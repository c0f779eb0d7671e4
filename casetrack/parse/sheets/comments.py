"""Comments and notes on cells of an XLSX workbook."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.parse.page_builder import clean_text
from casetrack.parse.sheets.model import Note
from casetrack.parse.sheets.xlsx_styles import MAIN

if TYPE_CHECKING:
    from casetrack.parse.package import Package
    from casetrack.parse.sheets.model import Notes

_THREADS = "{http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments}"
_CELL = re.compile(r"\$?([A-Z]{1,3})\$?(\d{1,7})")


def note_text(author: str | None, text: str, /) -> str | None:
    """Write a comment as it stands behind its row; ``None`` where it says nothing."""
    words = " ".join(clean_text(text).split())
    name = " ".join(clean_text(author or "").split())
    # Programs write the author's name into the comment too.
    words = words.removeprefix(f"{name}:").strip() if name else words
    if not words:
        return None
    return f"[Comment by {name}: {words}]" if name else f"[Comment: {words}]"


def read_notes(
    package: Package, sheet: str, people: dict[str, str], missing: list[str], /
) -> Notes:
    """Return the comments of a sheet by row.

    Parameters
    ----------
    sheet
        Name of the sheet's part.
    people
        Names of those who wrote in threads, by id.
    missing
        Takes what cannot be read, as sentences.
    """
    threads: dict[str, list[str | None]] = {}
    notes: dict[str, list[str | None]] = {}
    for kind, target in package.relations(sheet).values():
        if kind not in {"comments", "threadedComment"} or target not in package:
            continue
        try:
            root = package.xml(target)
        except ParseFailed as error:
            missing.append(f"Comments cannot be read: {error.message}")
            continue
        if kind == "comments":
            _plain(root, notes)
        else:
            for comment in root.iter(f"{_THREADS}threadedComment"):
                text = comment.findtext(f"{_THREADS}text") or ""
                author = people.get(comment.get("personId", ""))
                threads.setdefault(comment.get("ref", ""), []).append(note_text(author, text))
    # A thread also stands in the file as a note for older programs.
    found: dict[int, list[Note]] = {}
    for reference, texts in (notes | threads).items():
        place = _CELL.fullmatch(reference)
        if place is None:
            continue
        for text in filter(None, texts):
            found.setdefault(int(place[2]), []).append(Note(_column(place[1]), text))
    return {row: sorted(of_row, key=lambda n: n.column) for row, of_row in found.items()}


def read_people(package: Package, workbook: str, /) -> dict[str, str]:
    """Return the names of those who wrote in threads, by id; none where they cannot be read."""
    found: dict[str, str] = {}
    for kind, target in package.relations(workbook).values():
        if kind == "person" and target in package:
            try:
                people = package.xml(target)
            except ParseFailed:
                # The comments themselves are read without names.
                continue
            for person in people.iter(f"{_THREADS}person"):
                found[person.get("id", "")] = person.get("displayName", "")
    return found


def _plain(root: Any, notes: dict[str, list[str | None]]) -> None:
    authors = [author.text or "" for author in root.iterfind(f"{MAIN}authors/{MAIN}author")]
    for comment in root.iterfind(f"{MAIN}commentList/{MAIN}comment"):
        number = comment.get("authorId", "")
        known = number.isdecimal() and len(number) < 7 and int(number) < len(authors)
        text = "".join(t.text or "" for t in comment.iterfind(f"{MAIN}text//{MAIN}t"))
        author = authors[int(number)] if known else None
        notes.setdefault(comment.get("ref", ""), []).append(note_text(author, text))


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - 64
    return number
