"""Output for people and programs: tables, facts, times, hostile characters."""

from __future__ import annotations

import contextlib
import json
import sys
import unicodedata
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO, TextIOWrapper

import pytest
from hypothesis import given
from hypothesis import strategies as st

from casetrack.faces.cli import output
from casetrack.faces.cli.output import (
    Field,
    cell_text,
    clean,
    facts,
    line,
    one_line,
    plain_table,
    prepare_streams,
    table,
    write_json,
)

BIDI_CLASSES = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"}
ID = "0b5f1d7e-3c52-4a7e-9a55-1f2e3d4c5b6a"


class Terminal(TextIOWrapper):
    """A stream that reports to be a terminal."""

    def isatty(self) -> bool:
        return True

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode(self.encoding)  # type: ignore[attr-defined]


@contextlib.contextmanager
def on_terminal(columns: str = "80") -> Iterator[Terminal]:
    """Make standard output a terminal, without pytest's capture."""
    stream = Terminal(BytesIO(), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", stream)
        for name, value in {"TERM": "xterm-256color", "COLUMNS": columns, "LINES": "25"}.items():
            patch.setenv(name, value)
        patch.delenv("NO_COLOR", raising=False)
        output._console.cache_clear()
        yield stream
    output._console.cache_clear()


def visible(text: str) -> list[str]:
    """Return the lines of a terminal's text without its styles."""
    import re

    return [row.rstrip() for row in re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n")]


def test_a_plain_table_is_aligned_and_complete() -> None:
    fields = (Field("Name"), Field("Pages", "right"), Field("ID", whole=True))
    rows = [["Lease.pdf", "12", ID], ["a\nb", "1,051", ID]]
    assert list(plain_table(fields, lambda: rows)) == [
        "Name       Pages  ID",
        f"Lease.pdf     12  {ID}",
        f"a b        1,051  {ID}",
    ]


@pytest.mark.slow
@given(st.lists(st.tuples(st.text(max_size=200), st.text(max_size=200)), max_size=5))
def test_a_plain_table_loses_no_text(rows: list[tuple[str, str]]) -> None:
    lines = list(plain_table((Field("A"), Field("B")), lambda: rows))
    assert len(lines) == len(rows) + 1
    for (a, b), text in zip(rows, lines[1:], strict=True):
        assert one_line(a) in text
        assert one_line(b) in text


def test_a_table_on_a_terminal_fits_its_width_and_keeps_whole_columns() -> None:
    name = "Framework agreement with every annex, schedule and side letter (signed).pdf"
    with on_terminal() as terminal:
        table((Field("Name"), Field("Pages", "right"), Field("ID", whole=True)), [[name, 12, ID]])
    rows = visible(terminal.text())
    assert max(map(len, rows)) <= 80
    assert sum(ID in row for row in rows) == 1
    joined = "".join(row.replace(ID, "").replace("12", "").strip() for row in rows)
    assert name.replace(" ", "") in joined.replace(" ", "")


def test_long_cells_on_a_terminal_are_cut_and_the_table_says_so() -> None:
    with on_terminal() as terminal:
        table((Field("letters"),), [["x" * 301]])
    rows = visible(terminal.text())
    assert sum(row.count("x") for row in rows) == 300
    assert any("300" in row and "JSON" in row for row in rows)


def test_names_are_never_read_as_styles() -> None:
    with on_terminal() as terminal:
        line(("[bold]Budget[/bold] :smile:", "cyan"))
        table((Field("Name"),), [["[red]x[/red]"]])
        facts([("Name", "[link=x]y")])
    text = "\n".join(visible(terminal.text()))
    assert "[bold]Budget[/bold] :smile:" in text
    assert "[red]x[/red]" in text
    assert "[link=x]y" in text


def test_text_from_documents_cannot_drive_the_terminal() -> None:
    hostile = "a\x1b]0;owned\x07b\x9b31mc"
    with on_terminal() as terminal:
        line(hostile)
        table((Field("Name"),), [[hostile]])
        facts([("Name", hostile)])
    text = terminal.text()
    assert text.count("owned") == 3
    assert "\x1b]" not in text
    assert "\x07" not in text
    assert "\x9b" not in text


@pytest.mark.slow
@given(st.text())
def test_clean_leaves_no_control_character_but_line_ends_and_tabs(text: str) -> None:
    controls = {c for c in clean(text) if ord(c) < 32 or 127 <= ord(c) < 160}
    assert controls <= {"\n", "\t"}


def test_times_are_local_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert cell_text(datetime(2024, 7, 1, 22, 30, tzinfo=UTC)) == "2024-07-02 00:30"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_streams_of_any_encoding_take_any_text(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(raw, encoding="cp1252"))
    prepare_streams()
    line("Vertr\u00e4ge \u5951\u7d04")
    write_json({"name": "\u5951\u7d04"})
    sys.stdout.flush()
    first, rest = raw.getvalue().decode("cp1252").split("\n", 1)
    assert first == "Vertr\u00e4ge ??"
    assert json.loads(rest) == {"name": "\u5951\u7d04"}


BIDI = [chr(c) for c in range(0x10000) if unicodedata.bidirectional(chr(c)) in BIDI_CLASSES]
BIDI += ["\u061c", "\u200e", "\u200f"]


def test_nothing_turns_the_order_of_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """A file may call itself ``invoice\u202efdp.exe``, which a terminal shows as a PDF."""
    assert len(BIDI) == 12  # all that Unicode calls Bidi_Control
    name = f"invoice{''.join(BIDI)}fdp.exe"
    line(name)
    table((Field("Name"),), [[name]])
    facts([("Name", name)])
    shown = capsys.readouterr().out
    with on_terminal() as stream:
        line(name)
        table((Field("Name"),), [[name]])
        facts([("Name", name)])
        write_json({"name": name})
        shown += stream.text()
    assert not set(BIDI) & set(shown)
    assert shown.count("fdp.exe") == 7
    assert clean("invoice\u202efdp.exe") == "invoice\ufffdfdp.exe"
    assert clean("\u200fשלום\u200e") == "שלום"  # a mark without a shape only goes
    write_json({"name": name})
    assert json.loads(capsys.readouterr().out) == {"name": name}
