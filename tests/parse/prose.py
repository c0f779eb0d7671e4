"""Running text for PDF pages, and how it is set."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportlab.pdfgen.canvas import Canvas

WORDS = (
    "the supplier shall deliver all goods listed below within thirty days after written notice "
    "and every party keeps records of each delivery for at least seven years so that an auditor "
    "may inspect them at any reasonable time during business hours without further formality "
).split()


def prose(start: int, count: int, width: int = 85) -> list[str]:
    """Return lines of running text, each of at most *width* characters."""
    lines, at = [], start
    for _ in range(count):
        line = WORDS[at % len(WORDS)]
        at += 1
        while len(line) + 1 + len(WORDS[at % len(WORDS)]) <= width:
            line += " " + WORDS[at % len(WORDS)]
            at += 1
        lines.append(line)
    return lines


def column(
    canvas: Canvas, x: float, y: float, lines: Sequence[str], size: float = 10, lead: float = 12
) -> None:
    canvas.setFont("Helvetica", size)
    for i, line in enumerate(lines):
        canvas.drawString(x, y - i * lead, line)
