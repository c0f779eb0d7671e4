"""Pictures of the README's tour: terminals as SVG, and the upper parts of pages.

:data:`SCREENS` and :data:`PAGES` list them.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import pty
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

import casetrack
from pictures.browser import View, photograph, small_png

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from casetrack.api.collection import Collection
    from pictures.studio import Studio

COLUMNS = 94
QUESTION = "Who compensates the customer for spoiled goods?"
SQL = """\
SELECT max(amounts.text) AS sum, count(DISTINCT citation) AS places, min(citation) AS source
FROM search('spoiled goods', k => 20) JOIN amounts USING (chunk_id)
WHERE unit = 'GBP' GROUP BY value ORDER BY places DESC, value DESC LIMIT 5"""
CELL = """\
from casetrack.faces.notebook import plots

demo = casetrack.open("Demo")
people = demo.map.entities(kind="person", limit=8)
plots.bars([p.name for p in people], [p.mention_count for p in people], title="Who is mentioned")"""

_TIME = re.compile(r"^\W*(?:\[[\d;]*m)?Time: ")
"""The time of a search depends on the machine and its load, so pictures leave it out."""
INK = [(36, 41, 47), (190, 40, 50), (22, 120, 60), (140, 94, 0)]
INK += [(20, 92, 190), (125, 70, 175), (0, 112, 128), (87, 96, 106)]
PAPER = TerminalTheme((255, 255, 255), (36, 41, 47), INK, INK)
"""A light terminal; each colour has a contrast of 4.5 or more to white."""

SHEET = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" \
xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, \
"DejaVu Sans Mono", monospace; font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>
<rect x="0.5" y="0.5" width="{frame}" height="{frame_height}" rx="8" fill="#ffffff" \
stroke="#d0d7de"/>
<g transform="translate({terminal_x}, 14)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g></g></svg>
"""
"""Rich's drawing of a terminal without its window and without fonts from the network."""


@dataclass(frozen=True, slots=True)
class Screen:
    """Output of a command on a terminal.

    Attributes
    ----------
    arguments
        Of ``casetrack``.
    typed
        The command in the README; a test compares the two.
    first
        Number of kept lines; ``…`` replaces the others.
    """

    arguments: tuple[str, ...]
    typed: str
    first: int


@dataclass(frozen=True, slots=True)
class Page:
    """The upper part of an HTML page; ``write`` writes the page of a collection to a file."""

    write: Callable[[Collection, Path], object]
    view: View


SCREENS = {
    "search": Screen(
        ("search", QUESTION, "-c", "Demo", "-k", "2"),
        f'casetrack search "{QUESTION}" -c Demo',
        first=15,
    ),
    "query": Screen(
        ("query", SQL, "-c", "Demo"),
        'casetrack query -c Demo "\n  ' + SQL.replace("\n", "\n  ") + '"',
        first=20,
    ),
}


def _command(*arguments: str) -> Callable[[Collection, Path], None]:
    """Return a function that runs a command that writes a page; ``PAGE`` and ``CHUNK`` are filled
    in.
    """

    def write(demo: Collection, page: Path) -> None:
        chunk = demo.search(QUESTION, limit=1)[0].provenance.chunk_id
        stands_for = {"PAGE": str(page), "CHUNK": chunk}
        words = [stands_for.get(word, word) for word in arguments]
        _said([sys.executable, "-m", "casetrack", *words, "-c", demo.name], subprocess.PIPE)

    return write


def _notebook(_demo: Collection, page: Path) -> None:
    """Write the output of a notebook cell."""
    *lines, last = CELL.splitlines()
    names: dict[str, Any] = {"casetrack": casetrack}
    exec("\n".join(lines), names)
    shown = eval(last, names)
    page.write_text(
        '<!doctype html><meta charset="utf-8"><style>body{margin:16px;background:#fff;'
        f"font:14px system-ui,sans-serif;color:#1f2328}}</style>{shown._repr_html_()}",
        encoding="utf-8",
    )


PAGES = {
    "passage": Page(_command("show", "CHUNK", "-o", "PAGE"), View(860, 640)),
    "report": Page(_command("report", "--light", "-o", "PAGE"), View(1000, 760)),
    "timeline": Page(
        _command("timeline", "--from", "2024-09-01", "--to", "2025-03-31", "--html", "PAGE"),
        View(900, 520),
    ),
    "notebook": Page(_notebook, View(860, 340)),
}


def _seen(name: str, studio: Studio) -> bytes:
    """Write a page and photograph it."""
    page, written = PAGES[name], studio.home / f"tour-{name}.html"
    page.write(studio.demo, written)
    shown = studio.without_names(written.read_text(encoding="utf-8"))
    written.write_text(shown, encoding="utf-8")
    return small_png(photograph(studio.browser, written, page.view))


def _terminal(screen: Screen, studio: Studio) -> bytes:
    """Return an SVG of the terminal output of a command, without names of this machine."""
    text = _on_a_terminal([sys.executable, "-m", "casetrack", *screen.arguments])
    rows = studio.without_names(text).replace("\r\n", "\n").rstrip("\n").split("\n")
    rows = [row for row in rows if not _TIME.search(row)]
    if len(rows) > screen.first:
        rows = [*rows[: screen.first], "…"]
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="standard"
    )
    console.print(Text.from_ansi("\n".join(rows)), soft_wrap=True)
    return _framed(console).encode()


def _framed(console: Console) -> str:
    rows = console.export_text(clear=False).count("\n")
    width, height = round((COLUMNS + 2) * 20 * 0.61), round(rows * 20 * 1.22) + 28
    sheet = SHEET.replace("{width}", str(width)).replace("{height}", str(height))
    sheet = sheet.replace("{frame}", str(width - 1)).replace("{frame_height}", str(height - 1))
    return console.export_svg(theme=PAPER, code_format=sheet, unique_id="tour")


def _on_a_terminal(command: Sequence[str]) -> str:
    """Run a command on a terminal of :data:`COLUMNS` and return its output."""
    master, slave = pty.openpty()
    with ThreadPoolExecutor(1) as beside:
        output = beside.submit(_all_of, master)
        try:
            _said(command, slave)
        finally:
            os.close(slave)
        return output.result().decode("utf-8")


def _all_of(terminal: int) -> bytes:
    """Read until the last writer closes, then close the descriptor."""
    output = b""
    # Linux reports an error when the last writer of a terminal has closed it.
    with contextlib.suppress(OSError):
        while got := os.read(terminal, 1 << 16):
            output += got
    os.close(terminal)
    return output


def _said(command: Sequence[str], to: int) -> None:
    """Run a command and return its output; exit with its errors if it fails."""
    surroundings = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    surroundings |= {"COLUMNS": str(COLUMNS), "TERM": "xterm"}
    ended = subprocess.run(
        command,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=to,
        stderr=subprocess.PIPE,
        env=surroundings,
    )
    if ended.returncode:
        raise SystemExit(f"{' '.join(command)}\n{ended.stderr.decode(errors='replace')}")


PICTURES: dict[str, Callable[[Studio], bytes]] = {
    **{
        f"tour/{name}.svg": functools.partial(_terminal, screen) for name, screen in SCREENS.items()
    },
    **{f"tour/{name}.png": functools.partial(_seen, name) for name in PAGES},
}
"""Function of each picture, by its file below docs."""
