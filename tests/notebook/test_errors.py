"""A mistake in a notebook shows its line and what is wrong, and none of the program's frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

from IPython.core.interactiveshell import InteractiveShell

if TYPE_CHECKING:
    import pytest

    from casetrack.library import Library


def test_a_mistake_is_told_in_a_few_lines(
    library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    collection = library.create("Case")
    shell = InteractiveShell()
    shell.user_ns["c"] = collection
    cell = "one = 1\nrows = c.sql('SELECT * FROM own')"
    assert not shell.run_cell(cell).success
    shown = capsys.readouterr()
    told = (shown.out + shown.err).strip()
    assert told.startswith("line 2: rows = c.sql('SELECT * FROM own')\n\nQueryError: SQL error")
    assert 'there is no view "own"' in told
    assert "casetrack/sql" not in told
    assert len(told.splitlines()) < 12
