"""What the map of a collection says, as text to be read: ``python -m bench.look``.

Takes folders into a home of its own, or looks at the collections of one that is there, and writes
what ``summary``, ``report``, ``entities``, ``graph`` and the other commands of the map say of each,
one text beside the other, with an index that says how long each command took in a new process.
Without folders it takes in the 50 contracts, the 18 filings and the 313 mails of the shared data.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

from bench.licensed import use_pro_license
from casetrack.api.library import Library
from casetrack.base.config import load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_CHECKOUT = Path(__file__).resolve().parent.parent.parent
_DATA = _CHECKOUT.parent / "shared" / "data"
_OUT = _CHECKOUT / ".cache" / "look"
_MODELS = _CHECKOUT / ".cache" / "models"
_SETS = {"Contracts": "cuad/pdf", "Filings": "annual-reports/pdf", "Mail": "mail"}
_KINDS = ("person", "organization", "location")
_ASKED = {
    "summary": ("summary",),
    **{f"entities-{kind}": ("entities", "--kind", kind, "-k", "40") for kind in _KINDS},
    "graph": ("graph", "-k", "30"),
    "timeline": ("timeline", "-k", "60"),
    "topics": ("topics",),
    **{
        f"clusters-{by}": ("clusters", "--by", by)
        for by in ("topical", "entity", "reference", "document_type")
    },
}
"""Command and options behind each text; the collection is added."""
_RELATED = 3
_BLOCKS = frozenset("p li tr h1 h2 h3 h4 section article figure div dt blockquote table".split())
_SILENT = frozenset({"script", "style", "svg", "head"})


@dataclass(frozen=True, slots=True)
class Told:
    """What a command said, and the seconds that it took in a new process."""

    name: str
    text: str
    seconds: float


class _Words(HTMLParser):
    """The words of a page, a line for each paragraph, row or heading."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = [""]
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._silent += tag in _SILENT
        if tag in _BLOCKS:
            self.lines.append("")
        elif tag in {"td", "th", "dd"}:
            self.lines[-1] += "  |  "

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in _SILENT

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.lines[-1] += " ".join(data.split()) + (" " if data[-1:].isspace() else "")


def text_of(page: str, /) -> str:
    """Return the words of a page of HTML, a line for each block."""
    words = _Words()
    words.feed(page)
    return "\n".join(line for line in map(str.strip, words.lines) if line) + "\n"


def main() -> int:
    """Look at what was asked for, and write what the map says of it."""
    options = _options()
    use_pro_license()
    with tempfile.TemporaryDirectory(prefix="casetrack-look-") as made:
        work = Path(made)
        home = options.home or work / "home"
        environment = os.environ | {
            "CASETRACK_HOME": str(home),
            "CASETRACK_MODELS": str(options.models),
            "LANCE_LOG": "error",
            "COLUMNS": "160",
        }
        if not options.home:
            for name, folder in _sets(options.folders).items():
                _take_in(name, _with_endings(folder, work / "files" / name), environment)
        os.environ["CASETRACK_HOME"] = str(home)
        names = options.collection or [c.name for c in Library(load_settings()).collections()]
        seen = {name: list(_told(name, work, environment)) for name in names}
    _write(options.out, seen)
    sys.stdout.write((options.out / "index.txt").read_text("utf-8"))
    return 0


def _options() -> argparse.Namespace:
    models = os.environ.get("CASETRACK_MODELS")
    parser = argparse.ArgumentParser(prog="python -m bench.look", description=__doc__)
    add = parser.add_argument
    add("folders", nargs="*", type=Path, help="to take in, each as a collection of its name")
    add("--home", type=Path, help="a data folder whose collections are looked at as they are")
    add("--collection", action="append", help="only this one; may be given again")
    add("--out", type=Path, default=_OUT, help="folder for the texts")
    add("--models", type=Path, default=Path(models) if models else _MODELS, help="models folder")
    return parser.parse_args()


def _sets(folders: Sequence[Path]) -> dict[str, Path]:
    if folders:
        return {folder.name: folder for folder in folders}
    found = {name: _DATA / place for name, place in _SETS.items() if (_DATA / place).is_dir()}
    if not found:
        raise SystemExit(f"{_DATA} is not there; name folders, or a --home.")
    return found


def _with_endings(folder: Path, copy: Path) -> Path:
    """Return a folder whose files have endings: mails of a mail store, copied, end in ``.eml``."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    if any(path.suffix[1:] for path in files):
        return folder
    copy.mkdir(parents=True)
    for path in files:
        shutil.copy(path, copy / ("_".join(path.relative_to(folder).parts).rstrip(".") + ".eml"))
    return copy


def _take_in(name: str, folder: Path, environment: Mapping[str, str]) -> None:
    told = _run(name, ("ingest", str(folder), "--create", "-c", name), environment)
    sys.stderr.write(f"{name}: taken in, {told.seconds:.0f} s\n")


def _told(name: str, work: Path, environment: Mapping[str, str]) -> Iterator[Told]:
    # The first question of a collection makes what it lacks; that is nobody's answer.
    _run("", ("statistics", "-c", name), environment)
    for title, command in _ASKED.items():
        yield _run(title, (*command, "-c", name), environment)
    page = work / "report.html"
    told = _run("report", ("report", "--light", "-o", str(page), "-c", name), environment)
    text = text_of(page.read_text("utf-8")) if page.exists() else told.text
    yield Told("report", text, told.seconds)
    documents = Library(load_settings()).get(name).documents()
    step = max(1, len(documents) // _RELATED)
    for number, document in enumerate(documents[::step][:_RELATED], 1):
        found = _run(
            f"related-{number}", ("related", document.document_id, "-c", name), environment
        )
        yield Told(found.name, f"{document.name}\n\n{found.text}", found.seconds)


def _run(title: str, command: Sequence[str], environment: Mapping[str, str]) -> Told:
    """Run a command of CaseTrack in a new process; what it complains of is part of its text."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "casetrack", *command],
        env=dict(environment),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    seconds = time.perf_counter() - began
    failed = f"\nended with {done.returncode}:\n{done.stderr}" if done.returncode else ""
    return Told(title, done.stdout + failed, seconds)


def _write(out: Path, seen: Mapping[str, Sequence[Told]]) -> None:
    """Write the texts of each collection into a folder of its name, and the index beside them."""
    rows = []
    for name, told in seen.items():
        folder = out / name
        folder.mkdir(parents=True, exist_ok=True)
        for each in told:
            place = folder / f"{each.name}.txt"
            place.write_text(each.text, encoding="utf-8")
            lines = each.text.count("\n")
            rows.append(f"{each.seconds:6.2f} s  {lines:6,} lines  {place}")
    (out / "index.txt").write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
