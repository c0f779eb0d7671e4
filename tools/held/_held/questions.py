"""Turns ``questions.txt`` into the golden file; the page of an answer is where its words stand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.api.evaluate.matching import holds

if TYPE_CHECKING:
    from casetrack.api.collection import Collection
    from casetrack.api.evaluate.matching import Match

SOURCE = Path(__file__).parent.parent / "questions.txt"
FILES = {
    "vantmere": "Vantmere Precision 2023 annual report.pdf",
    "calloway": "Calloway and Finch annual report 2024.pdf",
    "nordhavn": "Nordhavn Vind arsrapport 2022.pdf",
    "supply": "Castellan Brightwell supply agreement.pdf",
    "licence": "LAS-2021-0377 Cartographer license.pdf",
    "lease": "Tannery House lease.pdf",
    "loan": "Merrow facilities agreement.pdf",
    "moorings": "Moorings and Anchorages Regulations 2019.pdf",
    "drones": "Parcel Drone Act.pdf",
    "expert": "Expert report GB-2022-118.docx",
}


def golden_lines(collection: Collection) -> str:
    """Return the golden file of the questions.

    Raises
    ------
    ValueError
        Words that answer a question stand on no page of its document.
    """
    pages = page_texts(collection)
    blocks = re.split(r"\n\s*\n", SOURCE.read_text(encoding="utf-8").strip())
    rows = [_row(block, pages) for block in blocks if block.startswith("[")]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def page_texts(collection: Collection) -> dict[str, dict[int, str]]:
    """Return the text of every page, as it was taken in."""
    texts: dict[str, dict[int, str]] = {}
    for document in collection.documents():
        found = texts.setdefault(document.name, {})
        for chunk in collection.read.chunks(document.document_id):
            place = chunk.provenance
            found[place.page] = found.get(place.page, "")[: place.char_start] + chunk.text
    return texts


def _row(block: str, pages: dict[str, dict[int, str]]) -> dict[str, Any]:
    head, *lines = block.split("\n")
    match = re.fullmatch(r"\[(\w+)\] (\w+) ([\w-]+) (within|all)", head)
    assert match, head
    given = dict(line.split(": ", 1) for line in lines)
    row: dict[str, Any] = {"id": match[1], "question": given["Q"], "kind": match[3]}
    file = FILES.get(match[2])
    if match[4] == "within":
        row["search_in"] = file
    row["language"] = "en"
    if "V" in given:
        row["value"] = _one_or_more(given["V"])
    texts = given["A"].split(" || ") if "A" in given else []
    mode: Match = "exact"
    if any(" | " in text for text in texts):
        # How the cells of a row are kept apart is the reader's affair.
        row["match"] = mode = "most"
        texts = [text.replace(" | ", " ") for text in texts]
    row["answers"] = [
        answer for text in texts for answer in _places(str(file), text, given.get("S"), mode, pages)
    ]
    if "P" in given:
        row["answers"].append({"document": file, "page": int(given["P"])})
    return row


def _places(
    file: str, text: str, sentence: str | None, mode: Match, pages: dict[str, dict[int, str]]
) -> list[dict[str, Any]]:
    found = []
    for page, words in sorted(pages[file].items()):
        if holds(words, text, mode):
            found.append({"document": file, "page": page, "text": text})
            if sentence and holds(words, sentence, mode):
                found[-1]["sentence"] = sentence
    if not found:
        raise ValueError(f"{text!r} stands on no page of {file}")
    return found


def _one_or_more(values: str) -> str | list[str]:
    several = values.split(" || ")
    return several if len(several) > 1 else several[0]
