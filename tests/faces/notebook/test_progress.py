"""Bars of long work: where they are shown, that they end, and that an interrupt loses nothing."""

from __future__ import annotations

import io
import re
import signal
import sys
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import casetrack
from casetrack.api.library import Library
from casetrack.base.errors import UsageError
from casetrack.base.records import IngestProgress
from casetrack.faces.notebook import show

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.api.collection import Collection

FILES = 12
"""More than readers and their queue hold at once, so that some are left when it is stopped."""


class Shell:
    """An IPython kernel, as far as a bar asks for one."""

    kernel = object()


class Handle:
    """Handle of IPython for an output that can be updated."""

    def __init__(self, shown: list[dict[str, str]]) -> None:
        self._shown = shown

    def update(self, bundle: dict[str, str], *, raw: bool) -> None:
        assert raw
        self._shown.append(bundle)


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """Simulate a notebook; return the outputs of the cell in order."""
    shown: list[dict[str, str]] = []

    def display(bundle: dict[str, str], *, raw: bool, display_id: bool) -> Handle:
        assert raw
        assert display_id
        shown.append(bundle)
        return Handle(shown)

    fake = SimpleNamespace(get_ipython=Shell, display=SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", fake)
    monkeypatch.setitem(sys.modules, "IPython.display", fake.display)
    monkeypatch.setattr(show, "UPDATE_SECONDS", 0.0)
    return shown


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "files"
    home.mkdir()
    for number in range(FILES):
        (home / f"note-{number}.txt").write_text(f"Note number {number} about the lease.\n")
    return home


@pytest.fixture
def collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collection:
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    return casetrack.create("New", data_dir=tmp_path / "data")


def interrupt_after(done: int) -> Callable[..., None]:
    """Return a way to hear news that presses the stop button once so many files are done."""
    pressed = threading.Event()
    hear = show.Watching.hear

    def hear_and_press(self: show.Watching, *news: Any) -> None:
        hear(self, *news)
        if news[0].done >= done and not pressed.is_set():
            pressed.set()
            signal.raise_signal(signal.SIGINT)

    return hear_and_press


@pytest.mark.parametrize(("shows", "delay"), [(False, 0.0), (None, 600.0)])
def test_no_bar_where_none_is_wanted_or_work_is_short(
    shows: bool | None, delay: float, outputs: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(show, "DELAY_SECONDS", delay)
    with show.show_work("Reading", show=shows, cancel=None) as watching:
        watching.hear("files", 1, 2)
    assert outputs == []


@pytest.mark.slow
def test_notebook_shows_a_bar_and_stops_between_documents(
    collection: Collection,
    folder: Path,
    outputs: list[dict[str, str]],
    monkeypatch: pytest.MonkeyPatch,
    messages: Callable[..., None],
) -> None:
    monkeypatch.setattr(show.Watching, "hear", interrupt_after(1))
    report = collection.ingest(folder, progress=True)
    kept = report.count("ingested")
    assert report.cancelled
    assert 1 <= kept < FILES
    assert len(collection.documents()) == kept
    assert f'<progress max="{FILES}" value="0"' in outputs[0]["text/html"]
    messages("\n".join(re.sub(r"\d+", "<n>", o["text/plain"]) for o in outputs[-2:]))
    assert "<progress" not in outputs[-1]["text/html"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    # The same call goes on.
    assert collection.ingest(folder, progress=True).count("ingested") == FILES - kept
    assert len(collection.documents()) == FILES
    assert f"{FILES} of {FILES}" in outputs[-1]["text/plain"]


def test_program_ends_by_interrupt_once_the_work_has_stopped() -> None:
    done: list[bool] = []

    def work() -> None:
        with show.show_work("Reading", show=False, cancel=None) as watching:
            signal.raise_signal(signal.SIGINT)
            done.append(watching.cancel.is_set())

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == [True]


def test_second_interrupt_stops_at_once() -> None:
    def press_twice() -> None:
        with show.show_work("Reading", show=False, cancel=None) as watching:
            signal.raise_signal(signal.SIGINT)
            assert watching.cancel.is_set()
            signal.raise_signal(signal.SIGINT)
            pytest.fail("the second interrupt did nothing")

    with pytest.raises(KeyboardInterrupt):
        press_twice()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_interrupts_of_other_programs_and_threads_are_left_alone() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: seen.append(number))
    try:
        with show.show_work("Reading", show=False, cancel=None) as watching:
            signal.raise_signal(signal.SIGINT)
        assert seen == [signal.SIGINT]
        assert not watching.cancel.is_set()
    finally:
        signal.signal(signal.SIGINT, before)
    ended: list[bool] = []

    def elsewhere() -> None:
        with show.show_work("Reading", show=False, cancel=None) as watching:
            watching.hear("files", 1, 2)
        ended.append(watching.interrupted)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert ended == [False]


def test_terminal_bar_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(show, "DELAY_SECONDS", 0.0)
    assert show.where() == "terminal"
    with show.show_work("Reading", show=None, cancel=None) as watching:
        watching.hear(IngestProgress(done=1, total=4, file="lease [draft].pdf", pages=2, chunks=3))
    assert "Reading" in stream.getvalue()
    assert "1/4" in stream.getvalue()
    assert "lease [draft].pdf" in stream.getvalue()
    assert "\x1b[?25h" in stream.getvalue(), "the cursor is still hidden"


def test_bar_needs_somebody_to_show_it(collection: Collection, folder: Path) -> None:
    plain = Library(collection.workspace.settings).get("New")
    with pytest.raises(UsageError) as caught:
        plain.ingest(folder, progress=True)
    assert "casetrack.open" in caught.value.hint
    assert plain.documents() == []


def test_parts_are_one_bar(outputs: list[dict[str, str]]) -> None:
    with show.watching("Asking", parts=2, show=True) as bar:
        for _ in range(2):
            hear = bar.part()
            for done in (1, 2, 3):
                hear(done, 3)
    counts = [text["text/plain"] for text in outputs]
    assert [re.findall(r"\d+", text)[0] for text in counts] == [*"1234566"]


def test_error_ends_the_bar_and_is_raised(outputs: list[dict[str, str]]) -> None:
    def work() -> None:
        with show.watching("Writing", show=True) as bar:
            bar.part()("page 1", 1, 4)
            raise ValueError

    with pytest.raises(ValueError, match=r"^$"):
        work()
    assert "1 of 4" in outputs[-1]["text/plain"]
    assert "<progress" not in outputs[-1]["text/html"]


IN_A_KERNEL = {
    "stops": (
        "import signal\n"
        "from casetrack.faces.notebook.show import show_work, where\n"
        "with show_work('Reading', show=True, cancel=None) as watching:\n"
        "    watching.hear('files', 1, 4)\n"
        "    signal.raise_signal(signal.SIGINT)\n"
        "assert (where(), watching.cancel.is_set()) == ('notebook', True)"
    ),
    "reads": (
        "import casetrack\n"
        "c = casetrack.create('New', data_dir=HOME)\n"
        "done = c.ingest(FILES, progress=True)"
    ),
    "reindexes": "done = c.admin.reindex(force=True, progress=True)",
    "checks": "done = c.admin.doctor(progress=True)",
    "reports": (
        "from casetrack.faces.notebook.show import watching\n"
        "with watching('Writing', show=True) as bar:\n"
        "    page = c.report(progress=bar.part())"
    ),
    "is silent": "done = c.admin.doctor(progress=False)",
}
"""One cell each, in the order in which they run."""
ENDS = {"stops": "1 of 4", "reindexes": f"{FILES} of {FILES}", "reports": ""}
ENDS |= dict.fromkeys(("reads", "checks"), ENDS["reindexes"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_real_kernel_shows_each_bar_to_its_end(
    folder: Path, tmp_path: Path, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nbformat
    from nbclient import NotebookClient

    monkeypatch.setenv("CASETRACK_MODELS", str(models_dir))
    places = f"HOME, FILES = {str(tmp_path / 'data')!r}, {str(folder)!r}"
    cells = [nbformat.v4.new_code_cell(code) for code in (places, *IN_A_KERNEL.values())]
    NotebookClient(
        nbformat.v4.new_notebook(cells=cells), timeout=60, kernel_name="python3"
    ).execute()
    for what, cell in zip(IN_A_KERNEL, cells[1:], strict=True):
        # A bar and its end are one output, and nothing else is left of it.
        texts = [output["data"]["text/plain"] for output in cell.outputs]
        assert len(texts) == (what in ENDS), (what, cell.outputs)
        assert all(ENDS[what] in text for text in texts), (what, texts)
