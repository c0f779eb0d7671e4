"""Read Jupyter notebooks (nbformat 3 and 4): each cell is a page with its source and its outputs.

Lines are numbered within the cell. Pictures among the outputs are not read.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ParseFailed
from casetrack.extract.language import LANGUAGES
from casetrack.parse.base import DEFAULT_OPTIONS, DocumentInfo, Reading, ReadOptions
from casetrack.parse.encoding import TextFormat
from casetrack.parse.page_builder import PageBuilder, SourceLine, clean_title
from casetrack.parse.text.code import add_code, outline_of
from casetrack.parse.text.plain import add_markdown
from casetrack.parse.web.reader import add_blocks, html_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.parse.base import Page

_PICTURES = ("image/", "jpeg", "png", "svg")
_COLORS = re.compile(r"\x1b\[[\d;]*[A-Za-z]")
_OBJECT = re.compile(r"<[\w.]+(?: object)?(?: at \w+)?>")
"""The name of a Python object, which a notebook shows only where it cannot show the object."""
_LANGUAGES = {language.lower(): language for language in LANGUAGES.values()}


class NotebookReader(TextFormat):
    """Jupyter notebooks."""

    name = "Notebook"
    extensions: tuple[str, ...] = (".ipynb",)

    def read(self, path: Path, options: ReadOptions = DEFAULT_OPTIONS, /) -> Reading:
        """Decode the JSON; see :class:`casetrack.parse.base.Reader`."""
        try:
            notebook = _object(json.loads(path.read_bytes()))
        except (ValueError, RecursionError) as error:
            raise ParseFailed(path, self.name, f"it is not valid JSON: {error}") from error
        sheets = [_object(sheet) for sheet in _list(notebook.get("worksheets"))] or [notebook]
        if not any(isinstance(sheet.get("cells"), list) for sheet in sheets):
            raise ParseFailed(path, self.name, "it has no list of cells")
        cells = [_object(cell) for sheet in sheets for cell in _list(sheet.get("cells"))]
        facts = _object(notebook.get("metadata"))
        stated = _text(_object(facts.get("language_info")).get("name")) or "Python"
        properties = (("language", _LANGUAGES.get(stated.lower(), stated)),)
        title = clean_title(_text(facts.get("title")))
        info = DocumentInfo("ipynb", len(cells), title, properties=properties)
        return Reading(info, _pages(cells, properties[0][1]))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: Any) -> str:
    """Return a text, which a notebook may store as a list of its lines."""
    return "".join(part for part in (_list(value) or [value]) if isinstance(part, str))


def _pages(cells: list[dict[str, Any]], language: str) -> Iterator[Page]:
    for number, cell in enumerate(cells, start=1):
        builder = PageBuilder(number, kind="cell", keep_indent=True)
        kind, text = cell.get("cell_type"), _text(cell.get("source", cell.get("input")))
        source = text.replace("\r\n", "\n").split("\n")
        lines = [SourceLine(line, place) for place, line in enumerate(source, start=1)]
        if kind == "code":
            add_code(builder, lines, outline_of(source, language))
        elif kind == "heading":  # nbformat 3
            builder.paragraph(lines, kind="heading", level=1 if cell.get("level") == 1 else 2)
        else:
            add_markdown(builder, lines)
        begun = builder.length
        for output in map(_object, _list(cell.get("outputs"))):
            _add_output(builder, output, "Output:" if builder.length == begun else "")
        yield builder.build()


def _add_output(builder: PageBuilder, output: dict[str, Any], label: str) -> None:
    """Add the text of an output: its table, or else its plain text."""
    forms = _object(output.get("data")) or output
    if any(name.startswith(_PICTURES) for name in forms):
        return
    text = _text(forms.get("text/plain") or forms.get("text/markdown") or forms.get("text"))
    trace = [_text(line) for line in _list(output.get("traceback"))]
    text = text or "\n".join(trace) or _text(output.get("evalue"))
    html = _text(forms.get("text/html") or forms.get("html"))
    if html and (not text or "<table" in html or _OBJECT.fullmatch(text.strip())):
        blocks = html_blocks(html).blocks
        builder.paragraph([SourceLine(label)] if blocks else ())
        add_blocks(builder, blocks)
        return
    shown = _COLORS.sub("", text).replace("\r\n", "\n").split("\n")
    # A terminal overwrites the text before a carriage return, such as that of a progress bar.
    lines = [SourceLine(line.rstrip("\r").rpartition("\r")[2]) for line in shown]
    if any(line.text.strip() for line in lines):
        builder.paragraph([SourceLine(label)])
        builder.paragraph(lines, kind="code")
