"""Makes every document of the case file that ``story.toml`` lists."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import Any

from _make.markup import parse
from _make.pdf import STYLES, write_blank, write_pdf
from _make.scan import write_scan
from _make.sheets import load_book, write_ods, write_xlsx
from _make.word import write_docx

_HERE = Path(__file__).parent


def story() -> list[dict[str, Any]]:
    """Entries of ``story.toml``, in order."""
    entries: list[dict[str, Any]] = tomllib.loads(
        (_HERE / "story.toml").read_text(encoding="utf-8")
    )["document"]
    return entries


def build(target: Path, /) -> list[Path]:
    """Write all documents below ``target`` and return their paths.

    The same texts give the same bytes on any day and machine, for one set of library versions.
    """
    hyphens = _hyphens()
    made = []
    for entry in story():
        path = target / entry["path"]
        path.parent.mkdir(parents=True, exist_ok=True)
        if "copy_of" in entry:
            shutil.copyfile(target / entry["copy_of"], path)
        else:
            _write(path, entry, hyphens)
        made.append(path)
    return made


def _write(path: Path, entry: dict[str, Any], hyphens: dict[str, str], /) -> None:
    facts = {key: entry[key] for key in ("title", "author", "date") if key in entry}
    if entry.get("style") == "blank":
        write_blank(path, **facts)
        return
    source = _HERE / "text" / entry["source"]
    match path.suffix:
        case ".xlsx":
            write_xlsx(path, load_book(source))
            return
        case ".ods":
            write_ods(path, load_book(source))
            return
    text = source.read_text(encoding="utf-8")
    if path.suffix in {".txt", ".md"}:
        path.write_text(text, encoding="utf-8", newline="\n")
    elif path.suffix == ".docx":
        write_docx(path, parse(text), **facts)
    elif entry["style"] == "scan":
        write_scan(path, text, **facts)
    else:
        write_pdf(
            path,
            parse(text),
            style=STYLES[entry["style"]],
            language=entry.get("language", "en-GB"),
            hyphens=hyphens,
            **facts,
        )


def _hyphens() -> dict[str, str]:
    """Words in small letters, and the same with soft hyphens where they may be divided."""
    lines = (_HERE / "hyphens.txt").read_text(encoding="utf-8").split()
    return {line.replace("-", ""): line.replace("-", "\xad") for line in lines}
