"""The list of watched folders: accepted input, and no loss of entries."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import pytest

from casetrack.api.text.work import described
from casetrack.api.watch.statuses import Statuses
from casetrack.api.watch.watch_list import WatchList
from casetrack.base import errors

ROOT = Path(__file__).parents[3]
ONE, TWO = "11111111-aaaa", "22222222-bbbb"

ADD_MANY = """
import sys
from pathlib import Path
from casetrack.api.watch.watch_list import WatchList
watch_list = WatchList(Path(sys.argv[1]))
mine = [watch_list.add(sys.argv[2], Path(folder))[0] for folder in sys.argv[3:]]
for watch in mine:
    watch_list.change(watch.id, schedule="hourly")
watch_list.remove({mine[0].id})
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def watch_list(home: Path) -> WatchList:
    return WatchList(home)


def folder(tmp_path: Path, name: str = "Contracts") -> Path:
    made = tmp_path / name
    made.mkdir(parents=True)
    return made


def test_a_watch_comes_back_as_it_was_made(watch_list: WatchList, tmp_path: Path) -> None:
    place = folder(tmp_path)
    made, new = watch_list.add(
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
    assert WatchList(watch_list.data_dir).watches() == (made,)
    assert made.file_extensions == (".docx", ".pdf")
    assert (made.daily_time, made.recursive, made.auto_remove_deleted) == ("04:30", False, True)
    assert "04:30" in described(made)
    stored = json.loads(watch_list.path.read_text(encoding="utf-8"))
    assert stored["watches"][0]["folder_path"] == str(place)
    assert "casetrack watch" in stored["about"]


def test_no_file_is_an_empty_list(watch_list: WatchList) -> None:
    assert watch_list.watches() == ()
    assert watch_list.stamp() is None
    assert not watch_list.data_dir.exists()


def test_watching_the_same_folder_again_changes_the_watch(
    watch_list: WatchList, tmp_path: Path
) -> None:
    place = folder(tmp_path)
    first, _ = watch_list.add(ONE, place, schedule="hourly", file_extensions=["pdf"])
    watch_list.change(first.id, enabled=False)
    link = tmp_path / "link"
    link.symlink_to(place)
    again, new = watch_list.add(ONE, link, auto_remove_deleted=True)
    assert not new
    assert again.id == first.id
    assert (again.schedule, again.file_extensions, again.enabled) == ("hourly", (".pdf",), True)
    assert again.auto_remove_deleted
    other, new = watch_list.add(TWO, place)
    assert new
    assert watch_list.watches(TWO) == (other,)
    nested, new = watch_list.add(ONE, folder(place, "deeper"))
    assert new
    assert watch_list.watches(ONE) == (again, nested)


def test_what_cannot_be_watched_is_refused(
    watch_list: WatchList, home: Path, tmp_path: Path
) -> None:
    (home / "collections").mkdir(parents=True)
    file = tmp_path / "a.txt"
    file.touch()
    with pytest.raises(errors.UsageError):
        watch_list.add(ONE, home / "collections")
    with pytest.raises(errors.FileNotFound):
        watch_list.add(ONE, tmp_path / "nowhere")
    with pytest.raises(errors.WrongPathKind):
        watch_list.add(ONE, file)
    for schedule in ("hourly", None):
        with pytest.raises(errors.UsageError, match="hourly" if schedule else "on_change"):
            watch_list.add(ONE, tmp_path, schedule=schedule, daily_time="02:00")
    assert watch_list.watches() == ()
    made, _ = watch_list.add(ONE, tmp_path)  # the data folder may be inside
    assert watch_list.watches() == (made,)


def test_finding_by_path_and_by_id(watch_list: WatchList, tmp_path: Path) -> None:
    with pytest.raises(errors.WatchNotFound):
        watch_list.find("anything")
    place = folder(tmp_path)
    one, _ = watch_list.add(ONE, place)
    assert (
        watch_list.find(f"{place}/")
        == watch_list.find(one.id[:6])
        == watch_list.find(one.id)
        == one
    )
    with pytest.raises(errors.WatchNotFound) as caught:
        watch_list.find("elsewhere")
    with pytest.raises(errors.WatchNotFound) as caught:
        watch_list.find("~nobody-at-all/x")
    assert str(place) in caught.value.message
    two, _ = watch_list.add(TWO, place)
    with pytest.raises(errors.AmbiguousName, match="2 "):
        watch_list.find(str(place))
    assert watch_list.find(str(place), collection_id=TWO) == two
    assert watch_list.remove({one.id, "unknown"}) == (one,)
    with pytest.raises(errors.WatchNotFound):
        watch_list.change(one.id, schedule="hourly")


def test_what_a_newer_version_wrote_stays(watch_list: WatchList, tmp_path: Path) -> None:
    made, _ = watch_list.add(ONE, folder(tmp_path))
    raw = json.loads(watch_list.path.read_text())
    raw["version"] = 9
    raw["future"] = {"a": 1}
    raw["watches"][0]["colour"] = "blue"
    strange = {"id": "x", "schedule": "at_full_moon", "folder_path": "/somewhere"}
    raw["watches"].append(strange)
    watch_list.path.write_text(json.dumps(raw))
    assert [w.id for w in watch_list.watches()] == [made.id]
    watch_list.change(made.id, schedule="hourly")
    after = json.loads(watch_list.path.read_text())
    assert (after["version"], after["future"]) == (9, {"a": 1})
    assert after["watches"][0]["colour"] == "blue"
    assert after["watches"][0]["schedule"] == "hourly"
    assert after["watches"][1] == strange


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"\xff\xfe\x00", b'{"watches": 3}', b'{"watches": [1]}', None]
)
def test_a_torn_file_is_set_aside_and_the_last_good_copy_restored(
    watch_list: WatchList, tmp_path: Path, damage: bytes | None, caplog: pytest.LogCaptureFixture
) -> None:
    watch_list.add(ONE, folder(tmp_path))
    two, _ = watch_list.add(ONE, folder(tmp_path, "Other"))
    whole = watch_list.path.read_bytes()
    torn = whole[: len(whole) // 2] if damage is None else damage
    watch_list.path.write_bytes(torn)
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        assert len(watch_list.watches()) == 2
    assert watch_list.watches()[1] == two
    (aside,) = watch_list.data_dir.glob("watches.json.damaged-*Z")
    assert aside.read_bytes() == torn
    (record,) = caplog.records
    assert "2" in record.getMessage()
    assert aside.name in record.getMessage()


def test_without_a_good_copy_it_starts_again_and_says_so(
    watch_list: WatchList, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    watch_list.data_dir.mkdir()
    for path in (watch_list.path, watch_list.path.with_name("watches.json.bak")):
        path.write_text("{")
    with caplog.at_level(logging.WARNING, "casetrack.repairs"):
        made, _ = watch_list.add(ONE, folder(tmp_path))
    assert watch_list.watches() == (made,)
    assert "casetrack watch add" in caplog.text


@pytest.mark.slow
def test_several_programs_lose_nothing(watch_list: WatchList, tmp_path: Path) -> None:
    programs, each = 4, 8
    processes = []
    for program in range(programs):
        folders = [str(folder(tmp_path, f"{program}-{n}")) for n in range(each)]
        command = [
            sys.executable,
            "-c",
            ADD_MANY,
            str(watch_list.data_dir),
            f"c{program}",
            *folders,
        ]
        processes.append(subprocess.Popen(command, cwd=ROOT))
    assert [p.wait(60) for p in processes] == [0] * programs
    watches = watch_list.watches()
    assert len(watches) == programs * (each - 1)
    assert {w.schedule for w in watches} == {"hourly"}
    for program in range(programs):
        names = [Path(w.folder).name for w in watch_list.watches(f"c{program}")]
        assert names == [f"{program}-{n}" for n in range(1, each)]


def test_nobody_watches_is_reported(watch_list: WatchList, tmp_path: Path) -> None:
    made, _ = watch_list.add(ONE, folder(tmp_path))
    status = Statuses(watch_list.data_dir).of(made)
    assert status.health == "unwatched"
    assert "casetrack watch run" in status.health_text
    assert (
        Statuses(watch_list.data_dir).of(watch_list.change(made.id, enabled=False)).health
        == "paused"
    )
    manual = watch_list.change(made.id, enabled=True, schedule="manual")
    assert Statuses(watch_list.data_dir).of(manual).health == "manual"
