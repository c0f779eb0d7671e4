"""The book of watched folders: what it takes, and that nothing in it is lost."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from casetrack.errors import AmbiguousName, FileNotFound, UsageError, WatchNotFound, WrongPathKind
from casetrack.watch.book import WatchBook, describe
from casetrack.watch.statuses import Statuses

ROOT = Path(__file__).parents[2]
ONE, TWO = "11111111-aaaa", "22222222-bbbb"

ADD_MANY = """
import sys
from pathlib import Path
from casetrack.watch.book import WatchBook
book = WatchBook(Path(sys.argv[1]))
mine = [book.add(sys.argv[2], Path(folder))[0] for folder in sys.argv[3:]]
for watch in mine:
    book.change(watch.id, schedule="hourly")
book.remove({mine[0].id})
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def book(home: Path) -> WatchBook:
    return WatchBook(home)


def folder(tmp_path: Path, name: str = "Contracts") -> Path:
    made = tmp_path / name
    made.mkdir(parents=True)
    return made


def test_a_watch_comes_back_as_it_was_made(book: WatchBook, tmp_path: Path) -> None:
    place = folder(tmp_path)
    made, new = book.add(
        ONE,
        place,
        schedule="daily",
        daily_time="4:30",
        recursive=False,
        file_extensions=["PDF", "*.docx", ".pdf"],
        include=["a/*"],
        exclude=["*.bak"],
        auto_remove_deleted=True,
    )
    assert new
    assert WatchBook(book.data_dir).watches() == (made,)
    assert made.file_extensions == (".docx", ".pdf")
    assert (made.daily_time, made.recursive, made.auto_remove_deleted) == ("04:30", False, True)
    assert describe(made) == "on change, and compared daily at 04:30"
    stored = json.loads(book.path.read_text(encoding="utf-8"))
    assert stored["watches"][0]["folder_path"] == str(place)
    assert "casetrack watch" in stored["about"]


def test_no_book_is_an_empty_one(book: WatchBook) -> None:
    assert book.watches() == ()
    assert book.stamp() is None
    assert not book.data_dir.exists()


def test_watching_the_same_folder_again_changes_the_watch(book: WatchBook, tmp_path: Path) -> None:
    place = folder(tmp_path)
    first, _ = book.add(ONE, place, schedule="hourly", file_extensions=["pdf"])
    book.change(first.id, enabled=False)
    link = tmp_path / "link"
    link.symlink_to(place)
    again, new = book.add(ONE, link, auto_remove_deleted=True)
    assert not new
    assert again.id == first.id
    assert (again.schedule, again.file_extensions, again.enabled) == ("hourly", (".pdf",), True)
    assert again.auto_remove_deleted
    other, new = book.add(TWO, place)
    assert new
    assert book.watches(TWO) == (other,)
    nested, new = book.add(ONE, folder(place, "deeper"))
    assert new
    assert book.watches(ONE) == (again, nested)


def test_what_cannot_be_watched_is_refused(book: WatchBook, home: Path, tmp_path: Path) -> None:
    (home / "collections").mkdir(parents=True)
    file = tmp_path / "a.txt"
    file.touch()
    with pytest.raises(UsageError, match="own data folder"):
        book.add(ONE, home / "collections")
    with pytest.raises(FileNotFound):
        book.add(ONE, tmp_path / "nowhere")
    with pytest.raises(WrongPathKind, match="Watch the folder that it lies in"):
        book.add(ONE, file)
    with pytest.raises(UsageError, match="does not go with the schedule hourly"):
        book.add(ONE, tmp_path, schedule="hourly", daily_time="02:00")
    assert book.watches() == ()
    made, _ = book.add(ONE, tmp_path)  # the data folder may lie inside
    assert book.watches() == (made,)


def test_finding_by_path_and_by_id(book: WatchBook, tmp_path: Path) -> None:
    with pytest.raises(WatchNotFound, match="no folder is"):
        book.find("anything")
    place = folder(tmp_path)
    one, _ = book.add(ONE, place)
    assert book.find(f"{place}/") == book.find(one.id[:6]) == book.find(one.id) == one
    with pytest.raises(WatchNotFound) as caught:
        book.find("elsewhere")
    assert str(place) in caught.value.message
    two, _ = book.add(TWO, place)
    with pytest.raises(AmbiguousName, match="2 watched folders are called"):
        book.find(str(place))
    assert book.find(str(place), collection_id=TWO) == two
    assert book.remove({one.id, "unknown"}) == (one,)
    with pytest.raises(WatchNotFound):
        book.change(one.id, schedule="hourly")


def test_what_a_newer_version_wrote_stays(book: WatchBook, tmp_path: Path) -> None:
    made, _ = book.add(ONE, folder(tmp_path))
    raw = json.loads(book.path.read_text())
    raw["version"] = 9
    raw["future"] = {"a": 1}
    raw["watches"][0]["colour"] = "blue"
    strange = {"id": "x", "schedule": "at_full_moon", "folder_path": "/somewhere"}
    raw["watches"].append(strange)
    book.path.write_text(json.dumps(raw))
    assert [w.id for w in book.watches()] == [made.id]
    book.change(made.id, schedule="hourly")
    after = json.loads(book.path.read_text())
    assert (after["version"], after["future"]) == (9, {"a": 1})
    assert after["watches"][0]["colour"] == "blue"
    assert after["watches"][0]["schedule"] == "hourly"
    assert after["watches"][1] == strange


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"\xff\xfe\x00", b'{"watches": 3}', b'{"watches": [1]}', None]
)
def test_a_torn_book_is_set_aside_and_the_last_good_copy_restored(
    book: WatchBook, tmp_path: Path, damage: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    book.add(ONE, folder(tmp_path))
    two, _ = book.add(ONE, folder(tmp_path, "Other"))
    whole = book.path.read_bytes()
    torn = whole[: len(whole) // 2] if damage is None else damage
    book.path.write_bytes(torn)
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        assert len(book.watches()) == 2
    assert book.watches()[1] == two
    (aside,) = book.data_dir.glob("watches.json.damaged-*Z")
    assert aside.read_bytes() == torn
    (record,) = caplog.records
    assert "was damaged" in record.getMessage()
    assert "last good copy with 2 watched folder(s) was restored" in record.getMessage()
    assert aside.name in record.getMessage()


def test_without_a_good_copy_it_begins_anew_and_says_so(
    book: WatchBook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    book.data_dir.mkdir()
    for path in (book.path, book.path.with_name("watches.json.bak")):
        path.write_text("{")
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        made, _ = book.add(ONE, folder(tmp_path))
    assert book.watches() == (made,)
    assert "casetrack watch add" in caplog.text


def test_several_programs_lose_nothing(book: WatchBook, tmp_path: Path) -> None:
    programs, each = 4, 8
    processes = []
    for program in range(programs):
        folders = [str(folder(tmp_path, f"{program}-{n}")) for n in range(each)]
        command = [sys.executable, "-c", ADD_MANY, str(book.data_dir), f"c{program}", *folders]
        processes.append(subprocess.Popen(command, cwd=ROOT))
    assert [p.wait(60) for p in processes] == [0] * programs
    watches = book.watches()
    assert len(watches) == programs * (each - 1)
    assert {w.schedule for w in watches} == {"hourly"}
    for program in range(programs):
        names = [Path(w.folder).name for w in book.watches(f"c{program}")]
        assert names == [f"{program}-{n}" for n in range(1, each)]


def test_nobody_watches_is_said(book: WatchBook, tmp_path: Path) -> None:
    made, _ = book.add(ONE, folder(tmp_path))
    status = Statuses(book.data_dir).of(made)
    assert status.health == "unwatched"
    assert "casetrack watch run" in status.health_text
    assert Statuses(book.data_dir).of(book.change(made.id, enabled=False)).health == "paused"
    manual = book.change(made.id, enabled=True, schedule="manual")
    assert Statuses(book.data_dir).of(manual).health == "manual"
