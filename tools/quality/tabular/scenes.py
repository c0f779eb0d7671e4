"""The measured shapes: tables and texts of one document or one sheet.

Half of the shapes are held back: developers of the readers look at failures of the others only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING
from zlib import crc32

from quality.tabular.grids import Cell, Grid, form, kinds_of, levelled, simple

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(slots=True)
class Placed:
    """A table on a sheet, from a row and a column, 0-based; or a note, which is no table."""

    top: int
    left: int
    grid: Grid


@dataclass(slots=True)
class Scene:
    """A document or a sheet: tables and notes, in order."""

    name: str
    parts: list[Placed] = field(default_factory=list)

    def put(self, grid: Grid, top: int = 0, left: int = 0) -> Scene:
        """Add a table."""
        self.parts.append(Placed(top, left, grid))
        return self

    def note(self, text: str, top: int = 0, left: int = 0) -> Scene:
        """Add words next to the tables."""
        return self.put(Grid(1, 1, 0, [Cell(0, 0, text, kind="note")], []), top, left)


_PROSE = (
    "The parties have agreed on the figures below, which the auditor has seen and found in order "
    "before the contract was signed by both of them."
)


def _alone(grid: Grid) -> Scene:
    return Scene("").note(_PROSE).put(grid).note(_PROSE)


DOCUMENTS: dict[str, Callable[[Random], Scene]] = {
    "plain, bold header": lambda r: _alone(simple(r, kinds_of(r, 3, 2), marks="bold")),
    "plain, filled header": lambda r: _alone(simple(r, kinds_of(r, 2, 2), marks="bold fill")),
    "words only, no mark": lambda r: _alone(simple(r, kinds_of(r, 4, 0))),
    "words and numbers, no mark": lambda r: _alone(simple(r, kinds_of(r, 2, 2))),
    "two columns of words, no mark": lambda r: _alone(simple(r, ["name", "note"])),
    "two columns, no mark, numbers": lambda r: _alone(simple(r, ["name", "amount"])),
    "two levels, bold": lambda r: _alone(levelled(r, marks="bold")),
    "two levels, filled": lambda r: _alone(levelled(r, marks="bold fill", stub="low")),
    "two levels, no mark": lambda r: _alone(levelled(r)),
    "two levels, no mark, low names": lambda r: _alone(levelled(r, stub="low", words=2)),
    "two levels over words": lambda r: _alone(levelled(r, marks="bold", texts=True)),
    "two levels over words, no mark": lambda r: _alone(levelled(r, texts=True)),
    "three levels": lambda r: _alone(levelled(r, levels=3, marks="bold")),
    "three levels, no mark": lambda r: _alone(levelled(r, levels=3)),
    "two levels, first column nameless": lambda r: _alone(levelled(r, stub="none", marks="bold")),
    "two levels, first nameless, no mark": lambda r: _alone(levelled(r, stub="none")),
    "cells over rows": lambda r: _alone(simple(r, kinds_of(r, 3, 1), spanning=True, marks="bold")),
    "cells over rows, no mark": lambda r: _alone(simple(r, kinds_of(r, 2, 2), spanning=True)),
    "sections": lambda r: _alone(simple(r, kinds_of(r, 2, 2), sections=True, marks="bold")),
    "sections, no mark": lambda r: _alone(simple(r, kinds_of(r, 3, 1), sections=True)),
    "rich cells": lambda r: _alone(simple(r, ["name", "note", "date"], rich=True, marks="bold")),
    "rich cells, no mark": lambda r: _alone(simple(r, ["code", "note", "note"], rich=True)),
    "title inside": lambda r: _alone(
        simple(r, kinds_of(r, 2, 2), title="Table 4. Deliveries of the year", marks="bold")
    ),
    "title inside, no mark": lambda r: _alone(
        simple(r, kinds_of(r, 2, 2), title="Overview of all contracts")
    ),
    "first column nameless": lambda r: _alone(
        simple(r, kinds_of(r, 1, 3), stub=True, marks="bold")
    ),
    "first column nameless, no mark": lambda r: _alone(simple(r, kinds_of(r, 1, 3), stub=True)),
    "years as names": lambda r: _alone(
        simple(r, ["name", "amount", "amount", "amount"], head=["Item", "2024", "2023", "2022"])
    ),
    "years as names, first nameless": lambda r: _alone(
        simple(r, ["name", "amount", "amount"], head=["", "2024", "2023"], total=True)
    ),
    "a form": lambda r: _alone(form(r)),
    "a form and a table": lambda r: _alone(form(r)).put(simple(r, kinds_of(r, 3, 1), marks="bold")),
    "many columns": lambda r: _alone(simple(r, kinds_of(r, 3, 4), marks="bold")),
    "many columns, no mark": lambda r: _alone(simple(r, kinds_of(r, 2, 5))),
    "empty cells": lambda r: _alone(simple(r, kinds_of(r, 3, 2), empty=0.3, marks="bold")),
    "empty cells, no mark": lambda r: _alone(simple(r, kinds_of(r, 3, 2), empty=0.3)),
    "no lines": lambda r: _alone(simple(r, kinds_of(r, 2, 2), lines="none", marks="bold")),
    "no lines, no mark": lambda r: _alone(simple(r, kinds_of(r, 2, 2), lines="none", total=True)),
    "words without lines": lambda r: _alone(
        simple(r, kinds_of(r, 4, 0), lines="none", marks="bold")
    ),
    "words without lines, no mark": lambda r: _alone(simple(r, kinds_of(r, 4, 0), lines="none")),
    "rules": lambda r: _alone(simple(r, kinds_of(r, 2, 2), lines="rules", total=True)),
    "rules, words": lambda r: _alone(simple(r, kinds_of(r, 3, 0), lines="rules")),
    "two levels without lines": lambda r: _alone(levelled(r, lines="none", marks="bold")),
    "two levels without lines, no mark": lambda r: _alone(
        levelled(r, lines="none", stub="none")
    ),
    "two levels with rules": lambda r: _alone(levelled(r, lines="rules", stub="low")),
    "two levels, one line below": lambda r: _alone(levelled(r, lines="head", stub="low")),
    "three levels without lines": lambda r: _alone(levelled(r, levels=3, lines="none")),
    "three levels with rules": lambda r: _alone(levelled(r, levels=3, lines="rules")),
    "two tables below": lambda r: _alone(simple(r, kinds_of(r, 2, 2), marks="bold")).put(
        simple(r, kinds_of(r, 3, 1), marks="bold")
    ),
    "two tables below, no mark": lambda r: _alone(simple(r, kinds_of(r, 2, 2))).put(
        simple(r, kinds_of(r, 3, 1))
    ),
    "over pages": lambda r: _alone(simple(r, kinds_of(r, 2, 2), rows=70, marks="bold")),
    "over pages, no mark": lambda r: _alone(simple(r, kinds_of(r, 2, 2), rows=70)),
    "long names": lambda r: _alone(
        simple(
            r,
            ["name", "date", "amount"],
            head=[
                "Name of the party as it stands in the register",
                "Date on which the agreement was signed by all parties",
                "Amount payable on termination including interest and costs (EUR)",
            ],
        )
    ),
    "long names, bold": lambda r: _alone(
        simple(
            r,
            ["name", "note", "amount"],
            marks="bold",
            head=[
                "Name of the party as it stands in the register of the seat",
                "What was agreed, in the words of the parties themselves",
                "Amount payable on termination including interest and costs (EUR)",
            ],
        )
    ),
}  # fmt: skip


def _beside(r: Random, marks: str, gap: int, *, shift: int = 0) -> Scene:
    left = simple(r, kinds_of(r, 2, 1), marks=marks)
    right = simple(r, kinds_of(r, 1, 2), marks=marks)
    return Scene("").put(left).put(right, shift, left.width + gap)


def _below(r: Random, marks: str, gap: int, *, title: bool = False) -> Scene:
    first = simple(r, kinds_of(r, 2, 2), marks=marks)
    second = simple(r, kinds_of(r, 3, 1), marks=marks)
    at = first.height + gap
    scene = Scene("").put(first)
    if title:
        scene.note("Further contracts", at)
        at += 1
    return scene.put(second, at)


def _four(r: Random, marks: str) -> Scene:
    grids = [simple(r, kinds_of(r, 2, 1), rows=r.randint(3, 6), marks=marks) for _ in range(4)]
    across, down = grids[0].width + 1, max(grids[0].height, grids[1].height) + 2
    scene = Scene("").put(grids[0]).put(grids[1], 0, across)
    return scene.put(grids[2], down).put(grids[3], down, across)


def _headed(r: Random, grid: Grid, *, gap: int = 1, left: int = 0) -> Scene:
    scene = Scene("").note("Report on the contracts of the year").note("Internal use only", 1)
    return scene.put(grid, 2 + gap, left)


def _form_over(r: Random, marks: str, gap: int) -> Scene:
    head = form(r, 3)
    return Scene("").put(head).put(simple(r, kinds_of(r, 3, 2), marks=marks), 3 + gap)


def _form_beside(r: Random, marks: str) -> Scene:
    table = simple(r, kinds_of(r, 2, 2), marks=marks)
    return Scene("").put(table).put(form(r, 4), 0, table.width + 1)


def _notes_beside(r: Random, marks: str) -> Scene:
    table = simple(r, kinds_of(r, 2, 2), marks=marks)
    return Scene("").put(table).note("Figures as of the end of March", 2, table.width + 1)


def _same_twice(r: Random, marks: str) -> Scene:
    kinds = kinds_of(r, 2, 1)
    first = simple(r, kinds, marks=marks)
    names = [c.text for c in first.cells if c.is_head]
    second = simple(r, kinds, marks=marks, head=names)
    return Scene("").put(first).put(second, 0, first.width + 1)


SHEETS: dict[str, Callable[[Random], Scene]] = {
    "one, bold": lambda r: Scene("").put(simple(r, kinds_of(r, 3, 2), marks="bold")),
    "one, no mark": lambda r: Scene("").put(simple(r, kinds_of(r, 3, 2))),
    "words, no mark": lambda r: Scene("").put(simple(r, kinds_of(r, 4, 0))),
    "words, bold": lambda r: Scene("").put(simple(r, kinds_of(r, 4, 0), marks="bold")),
    "beside, bold": lambda r: _beside(r, "bold", 1),
    "beside, no mark": lambda r: _beside(r, "", 1),
    "beside, no mark, two columns apart": lambda r: _beside(r, "", 2),
    "beside, bold, lower": lambda r: _beside(r, "bold", 1, shift=3),
    "beside, lower, no mark": lambda r: _beside(r, "", 1, shift=2),
    "beside, filled, two apart": lambda r: _beside(r, "bold fill", 2),
    "beside, words": lambda r: Scene("").put(simple(r, kinds_of(r, 3, 0))).put(
        simple(r, kinds_of(r, 3, 0)), 0, 4),
    "beside, words, bold": lambda r: Scene("").put(simple(r, kinds_of(r, 2, 0), marks="bold")).put(
        simple(r, kinds_of(r, 3, 0), marks="bold"), 0, 3),
    "the same twice beside": lambda r: _same_twice(r, "bold"),
    "the same twice beside, no mark": lambda r: _same_twice(r, ""),
    "below, bold": lambda r: _below(r, "bold", 1),
    "below, no mark": lambda r: _below(r, "", 1),
    "below, no mark, titled": lambda r: _below(r, "", 1, title=True),
    "below, bold, titled": lambda r: _below(r, "bold", 2, title=True),
    "below, words, no mark": lambda r: Scene("").put(simple(r, kinds_of(r, 3, 0), rows=5)).put(
        simple(r, kinds_of(r, 4, 0)), 7),
    "below, words, bold": lambda r: Scene("").put(
        simple(r, kinds_of(r, 3, 0), rows=4, marks="bold")).put(
        simple(r, kinds_of(r, 4, 0), marks="bold"), 6),
    "four, bold": lambda r: _four(r, "bold"),
    "four, no mark": lambda r: _four(r, ""),
    "headed": lambda r: _headed(r, simple(r, kinds_of(r, 3, 2))),
    "headed, aside": lambda r: _headed(r, simple(r, kinds_of(r, 2, 2)), left=2),
    "headed without a gap": lambda r: _headed(r, simple(r, kinds_of(r, 3, 0)), gap=0),
    "headed without a gap, numbers": lambda r: _headed(r, simple(r, kinds_of(r, 2, 2)), gap=0),
    "two levels": lambda r: Scene("").put(levelled(r, marks="bold")),
    "two levels, no mark": lambda r: Scene("").put(levelled(r)),
    "two levels, not merged": lambda r: Scene("").put(levelled(r, merged=False, stub="low")),
    "two levels, not merged, bold": lambda r: Scene("").put(
        levelled(r, merged=False, stub="low", marks="bold")),
    "two levels over words, bold": lambda r: Scene("").put(levelled(r, texts=True, marks="bold")),
    "two levels over words": lambda r: Scene("").put(levelled(r, texts=True)),
    "three levels": lambda r: Scene("").put(levelled(r, levels=3, marks="bold")),
    "three levels, no mark": lambda r: Scene("").put(levelled(r, levels=3)),
    "two levels beside": lambda r: Scene("").put(g := levelled(r, words=1, marks="bold")).put(
        simple(r, kinds_of(r, 2, 1), marks="bold"), 0, g.width + 1),
    "two levels below": lambda r: Scene("").put(g := simple(r, kinds_of(r, 2, 2))).put(
        levelled(r), g.height + 2),
    "a form above": lambda r: _form_over(r, "bold", 1),
    "a form above, no mark": lambda r: _form_over(r, "", 1),
    "a form beside": lambda r: _form_beside(r, "bold"),
    "a form beside, no mark": lambda r: _form_beside(r, ""),
    "notes beside": lambda r: _notes_beside(r, ""),
    "notes beside, bold": lambda r: _notes_beside(r, "bold"),
    "sections": lambda r: Scene("").put(simple(r, kinds_of(r, 2, 2), sections=True, marks="bold")),
    "sections, no mark": lambda r: Scene("").put(simple(r, kinds_of(r, 2, 2), sections=True)),
    "total": lambda r: Scene("").put(simple(r, kinds_of(r, 2, 2), total=True)),
    "cells over rows": lambda r: Scene("").put(simple(r, kinds_of(r, 3, 1), spanning=True)),
    "first nameless": lambda r: Scene("").put(simple(r, kinds_of(r, 1, 3), stub=True)),
    "first nameless, bold": lambda r: Scene("").put(
        simple(r, kinds_of(r, 1, 3), stub=True, marks="bold")),
    "years as names": lambda r: Scene("").put(simple(
        r, ["name", "amount", "amount", "amount"], head=["Item", "2024", "2023", "2022"])),
    "years as names, first nameless": lambda r: Scene("").put(simple(
        r, ["name", "count", "count"], head=["", "2024", "2023"], total=True)),
    "title inside": lambda r: Scene("").put(
        simple(r, kinds_of(r, 3, 1), title="Overview of all contracts", marks="bold")),
    "title inside, no mark": lambda r: Scene("").put(
        simple(r, kinds_of(r, 2, 2), title="Deliveries")),
    "empty cells": lambda r: Scene("").put(simple(r, kinds_of(r, 3, 2), empty=0.35)),
    "empty cells, bold": lambda r: Scene("").put(
        simple(r, kinds_of(r, 3, 2), empty=0.35, marks="bold")),
    "declared": lambda r: Scene("").put(simple(r, kinds_of(r, 3, 1), marks="declared")),
    "two declared beside": lambda r: _beside(r, "declared", 1),
}  # fmt: skip


def chosen(shapes: dict[str, Callable[[Random], Scene]], *, held: bool) -> list[str]:
    """Return the shapes to build with, or those that are held back: half of them, by chance."""
    return [name for name in shapes if crc32(name.encode()) // 7 % 2 == held]


def scene(shapes: dict[str, Callable[[Random], Scene]], name: str, seed: int) -> Scene:
    """Make a shape by its name; equal seeds give equal scenes."""
    made = shapes[name](Random(f"{name} {seed}"))
    made.name = f"{name} {seed}"
    return made
