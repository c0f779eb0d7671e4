"""Make the pictures of the README's tour from what the program really shows: ``just pictures``.

The sample case file is taken in to a folder that is removed afterwards. What a command writes to a
terminal is drawn as SVG, pages of HTML are photographed by a headless Chromium. Pictures are named
in :data:`SCREENS` and :data:`PAGES`; ``--only NAME`` makes one of them, ``--out`` says where.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import pty
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PIL import Image
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

import casetrack
from casetrack.config import load_settings
from casetrack.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.collection import Collection

CHECKOUT = Path(__file__).resolve().parents[2]
OUT = CHECKOUT / "docs" / "tour"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
COLUMNS = 94
COLOURS = 128
QUESTION = "Who is liable for the spoiled goods?"
SQL = """\
SELECT max(amounts.text) AS sum, count(DISTINCT citation) AS places, min(citation) AS source
FROM search('spoiled goods', k => 20) JOIN amounts USING (chunk_id)
WHERE unit = 'GBP' GROUP BY value ORDER BY places DESC, value DESC LIMIT 5"""
CELL = """\
from casetrack.notebook import plots

demo = casetrack.open("Demo")
people = demo.entities(kind="person", limit=8)
plots.bars([p.name for p in people], [p.mention_count for p in people], title="Who is mentioned")"""

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
    """What a command shows on a terminal.

    Attributes
    ----------
    arguments
        Of ``casetrack``.
    typed
        The same as the README writes it; a test holds them together.
    first
        So many lines are kept; others become one ``…``.
    """

    arguments: tuple[str, ...]
    typed: str
    first: int


@dataclass(frozen=True, slots=True)
class Page:
    """A page of HTML, its upper part photographed.

    Attributes
    ----------
    write
        Writes the page of a collection to a file.
    width, height
        Of the picture, in pixels.
    """

    write: Callable[[Collection, Path], object]
    width: int
    height: int


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
    """Return what runs a command that writes a page; ``PAGE`` and ``CHUNK`` stand for it."""

    def write(demo: Collection, page: Path) -> None:
        chunk = demo.search(QUESTION, k=1)[0].provenance.chunk_id
        stands_for = {"PAGE": str(page), "CHUNK": chunk}
        words = [stands_for.get(word, word) for word in arguments]
        _said([sys.executable, "-m", "casetrack", *words, "-c", demo.name], subprocess.PIPE)

    return write


def _notebook(_demo: Collection, page: Path) -> None:
    """Write what a cell of a notebook shows."""
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
    "passage": Page(_command("show", "CHUNK", "-o", "PAGE"), 860, 640),
    "report": Page(_command("report", "--light", "-o", "PAGE"), 1000, 760),
    "timeline": Page(
        _command("timeline", "--from", "2024-09-01", "--to", "2025-03-31", "--html", "PAGE"),
        900,
        520,
    ),
    "notebook": Page(_notebook, 860, 340),
}


def main() -> int:
    """Make the pictures that were asked for, and print their names and sizes."""
    parser = argparse.ArgumentParser(prog="python -m bench.pictures", description=__doc__)
    parser.add_argument("--only", choices=(*SCREENS, *PAGES), action="append")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    chosen = options.only or (*SCREENS, *PAGES)
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ct-") as folder:
        home = Path(folder)
        _prepare(home)
        for name in chosen:
            made = options.out / (f"{name}.svg" if name in SCREENS else f"{name}.png")
            if name in SCREENS:
                made.write_text(_terminal(SCREENS[name], home), encoding="utf-8")
            else:
                _photograph(PAGES[name], home, made)
            sys.stdout.write(f"{made.name}  {made.stat().st_size / 1000:.0f} kB\n")
    return 0


def _prepare(home: Path) -> None:
    """Give the user of the pictures a home: the program's folder, documents, the sample."""
    os.environ.setdefault("CASETRACK_MODELS", str(CHECKOUT / ".cache" / "models"))
    os.environ |= {"HOME": str(home), "CASETRACK_HOME": str(home / "data")}
    files = CHECKOUT / "data-samples" / "files"
    shutil.copytree(files, home / "Documents" / "Stanwick Bridge")
    demo = Library(load_settings(home / "data")).create("Demo")
    demo.ingest([home / "Documents" / "Stanwick Bridge"], progress=False)


def _terminal(screen: Screen, home: Path) -> str:
    """Return an SVG of what a command writes to a terminal, names of this machine left out."""
    said = _on_a_terminal([sys.executable, "-m", "casetrack", *screen.arguments])
    rows = said.replace(str(home), "~").replace("\r\n", "\n").rstrip("\n").split("\n")
    if len(rows) > screen.first:
        rows = [*rows[: screen.first], "…"]
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="standard"
    )
    console.print(Text.from_ansi("\n".join(rows)), soft_wrap=True)
    return _framed(console)


def _framed(console: Console) -> str:
    rows = console.export_text(clear=False).count("\n")
    width, height = round((COLUMNS + 2) * 20 * 0.61), round(rows * 20 * 1.22) + 28
    sheet = SHEET.replace("{width}", str(width)).replace("{height}", str(height))
    sheet = sheet.replace("{frame}", str(width - 1)).replace("{frame_height}", str(height - 1))
    return console.export_svg(theme=PAPER, code_format=sheet, unique_id="tour")


def _on_a_terminal(command: Sequence[str]) -> str:
    """Run a command whose standard output is a terminal of :data:`COLUMNS`; return what it says."""
    here, there = pty.openpty()
    with ThreadPoolExecutor(1) as beside:
        said = beside.submit(_all_of, here)
        try:
            _said(command, there)
        finally:
            os.close(there)
        return said.result().decode("utf-8")


def _all_of(terminal: int) -> bytes:
    """Read until nobody writes any more; then close it."""
    said = b""
    # Linux ends the reading of a terminal with an error once nobody writes to it any more.
    with contextlib.suppress(OSError):
        while got := os.read(terminal, 1 << 16):
            said += got
    os.close(terminal)
    return said


def _said(command: Sequence[str], to: int) -> None:
    """Run a command; where it fails, end with what it says."""
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


def _photograph(page: Page, home: Path, made: Path) -> None:
    browser = os.environ.get("CHROME") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        raise SystemExit("No Chromium was found. Install it, or name one in CHROME.")
    written, shot = home / f"{made.stem}.html", home / made.name
    page.write(Library(load_settings(home / "data")).get("Demo"), written)
    subprocess.run(
        [
            *(browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
            *(f"--user-data-dir={home / 'profile'}", "--force-device-scale-factor=1"),
            *(f"--window-size={page.width},{page.height}", f"--screenshot={shot}"),
            written.as_uri(),
        ],
        check=True,
        capture_output=True,
        timeout=120,
    )
    with Image.open(shot) as picture:
        few = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
        few.save(made, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
