"""The passages of ``hard_citations.txt``, and the citations of a text in the same notation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from casetrack.editions.legal.extract.citations import read_citations
from casetrack.extract.papers.text import TextPage, WholeText


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage and the citations in it, as the file writes them."""

    text: str
    expected: tuple[str, ...]


def passages(name: str = "hard_citations.txt") -> list[Passage]:
    r"""Return the passages of a file of this folder; ``\n`` and ``\f`` are escapes."""
    collected = []
    whole = Path(__file__).with_name(name).read_text(encoding="utf-8")
    for block in whole.split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        if lines:
            lines = [line.replace(r"\n", "\n").replace(r"\f", "\f") for line in lines]
            expected = tuple(
                line.removeprefix(">").removeprefix(" ").rstrip() for line in lines[1:]
            )
            collected.append(Passage(lines[0], expected))
    return collected


def tabled(name: str) -> pytest.MarkDecorator:
    """Run a test with each ``passage`` of a file."""
    every = passages(name)
    return pytest.mark.parametrize("passage", every, ids=[each.text[:60] for each in every])


def read(text: str) -> tuple[str, ...]:
    """Return the citations of *text* as the file writes them."""
    lines = []
    for one in read_citations(WholeText((TextPage(1, text),))):
        pins = ", ".join(pin.text for pin in one.pins)
        message = one.name if one.form == "full" and one.kind == "case" else one.text
        line = f"{one.form} {one.key or '?'} | {pins} | {message} | {one.signal} | {one.treatment}"
        lines.append(line.rstrip())
    return tuple(lines)
