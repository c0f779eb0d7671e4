"""Batching of changes, waiting for stable files, and ignored changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from casetrack.api.watch.changes import BATCH_SECONDS, MOST_PATHS, PATIENCE_SECONDS, Batch, Changes
from casetrack.api.watch.watched_folder import Filter, is_noise


def places(*names: str) -> tuple[str, ...]:
    return tuple(str(Path(os.sep, "f", name)) for name in names)


class Driver:
    """Changes with a clock, and sizes of files to choose."""

    def __init__(self) -> None:
        self.now = 100.0
        self.sizes: dict[str, int] = {}
        self.changes = Changes(lambda path: (self.sizes.get(path, 0), 0))

    def touch(self, *names: str) -> None:
        for path in places(*names):
            self.changes.touch(path, self.now)

    def wait(self, seconds: float) -> list[Batch]:
        """Let time pass and return the changes that became ready."""
        taken = []
        for _ in range(round(seconds * 2)):
            self.now += 0.5
            self.changes.settle(self.now)
            batch = self.changes.take(self.now)
            if batch is not None:
                taken.append(batch)
        return taken


def test_a_change_is_ready_after_two_quiet_seconds_and_not_before() -> None:
    driver = Driver()
    driver.touch("a.txt")
    assert driver.wait(2.0) == []
    assert driver.wait(0.5) == [Batch(places("a.txt"))]
    assert driver.wait(60) == []


def test_news_of_the_same_file_are_one_change() -> None:
    driver = Driver()
    for _ in range(10):  # an editor that writes, renames and writes again
        driver.touch("a.txt")
        assert driver.wait(1.0) == []
    assert driver.wait(3.0) == [Batch(places("a.txt"))]


def test_a_burst_is_one_batch() -> None:
    driver = Driver()
    for number in range(40):
        driver.touch(f"{number:02}.txt")
        driver.wait(0.5)
    taken = driver.wait(5)
    assert [len(b.paths or ()) for b in taken] == [40]


def test_a_file_that_grows_in_silence_is_waited_for() -> None:
    driver = Driver()
    driver.touch("big.pdf")
    (path,) = places("big.pdf")
    taken = []
    for size in range(20):
        driver.sizes[path] = size
        taken += driver.wait(1.0)
    assert taken == []
    assert driver.wait(4.0) == [Batch((path,))]


def test_one_busy_file_does_not_hold_back_the_others() -> None:
    driver = Driver()
    driver.touch("a.txt")
    taken = []
    for _ in range(round(BATCH_SECONDS) + 2):
        driver.touch("log.txt")
        taken += driver.wait(1.0)
    assert taken == [Batch(places("a.txt"))]


def test_a_folder_that_is_never_quiet_is_synced_regularly() -> None:
    driver = Driver()
    taken = []
    for number in range(300):
        driver.touch(f"{number:03}.txt")
        taken += driver.wait(1.0)
    assert 8 <= len(taken) <= 12
    assert sum(len(b.paths or ()) for b in taken) > 250


def test_a_file_that_is_never_quiet_is_taken_as_it_is_now_and_then() -> None:
    driver = Driver()
    taken = []
    for _ in range(round(2.5 * PATIENCE_SECONDS)):
        driver.touch("log.txt")
        taken += driver.wait(1.0)
    assert taken == [Batch(places("log.txt"))] * 2


def test_too_many_paths_mean_the_whole_folder() -> None:
    driver = Driver()
    driver.touch(*(f"{number}.txt" for number in range(MOST_PATHS + 1)))
    assert driver.changes.whole
    assert len(driver.changes) == 0
    assert driver.wait(3.0) == [Batch(None)]
    assert not driver.changes.waiting


def test_a_folder_stands_for_what_is_in_it() -> None:
    driver = Driver()
    driver.touch("sub/a.txt", "sub", "sub.txt", "sub/deep/b.txt", "c.txt")
    assert driver.wait(3.0) == [Batch(places("c.txt", "sub", "sub.txt"))]


def test_a_comparison_of_everything_covers_what_is_still_but_not_what_moves() -> None:
    driver = Driver()
    driver.touch("old.txt")
    driver.wait(1.0)
    driver.now += 1.0
    driver.touch("new.txt")
    driver.changes.whole_begins(driver.now)
    assert driver.wait(3.0) == [Batch(places("new.txt"))]


@pytest.mark.parametrize(
    "name",
    [
        "~$letter.docx",
        ".~lock.letter.odt#",
        "letter.docx.tmp",
        "~WRD0001.tmp",
        "film.mp4.part",
        ".DS_Store",
        ".letter.txt.swp",
        "letter.txt~",
        "4913",
    ],
)
def test_noise(name: str) -> None:
    assert is_noise(name)


@pytest.mark.parametrize("name", ["letter.docx", "party.pdf", "~notes.md", "tmp", "part"])
def test_no_noise(name: str) -> None:
    assert not is_noise(name)


@pytest.mark.parametrize(
    ("path", "folder", "wanted"),
    [
        ("a.pdf", False, True),
        ("sub/a.PDF", False, True),
        ("a.txt", False, False),
        ("sub", True, True),
        (".git/a.pdf", False, False),
        ("sub/~$a.pdf", False, False),
        ("CaseTrack", True, False),
        ("CaseTrack/collections/x.pdf", False, False),
        ("CaseTracks/x.pdf", False, True),
        ("", True, False),
        ("../other/a.pdf", False, False),
    ],
)
def test_what_is_worth_a_look(path: str, folder: bool, wanted: bool) -> None:
    root = Path(os.sep, "docs")
    chosen = Filter(str(root), extensions=[".pdf"], outside=str(root / "CaseTrack"))
    full = os.path.normpath(root / path) if path else str(root)
    assert chosen.wants(full, folder) is wanted


def test_only_the_folder_itself_where_it_is_not_walked_down() -> None:
    root = Path(os.sep, "docs")
    chosen = Filter(str(root), recursive=False)
    assert chosen.wants(str(root / "a.pdf"), False)
    assert not chosen.wants(str(root / "sub"), True)
    assert not chosen.wants(str(root / "sub" / "a.pdf"), False)
