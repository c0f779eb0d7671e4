"""The passages of ``hard_citations.txt``, and what is read in a text, written in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from casetrack.extract.legal.citations import read_citations
from casetrack.extract.legal.text import TextPage, WholeText

PATH = Path(__file__).with_name("hard_citations.txt")


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage and the citations in it, as the file writes them."""

    text: str
    expected: tuple[str, ...]


def passages() -> list[Passage]:
    found = []
    for block in PATH.read_text(encoding="utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            expected = tuple(line.removeprefix("> ").rstrip() for line in lines[1:])
            found.append(Passage(lines[0], expected))
    return found


def read(text: str) -> tuple[str, ...]:
    """Return the citations of *text* as the file writes them."""
    lines = []
    for one in read_citations(WholeText((TextPage(1, text),))):
        pins = ", ".join(pin.text for pin in one.pins)
        said = one.name if one.form == "full" and one.kind == "case" else one.text
        line = f"{one.form} {one.key or '?'} | {pins} | {said} | {one.signal} | {one.treatment}"
        lines.append(line.rstrip())
    return tuple(lines)
