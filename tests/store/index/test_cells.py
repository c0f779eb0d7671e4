"""Cells are made in the background: whole or not at all, by one process; searches do without."""

from __future__ import annotations

from pathlib import Path

import filelock
import numpy as np
import pytest

from casetrack.base.files import write_json
from casetrack.store.index import background, cells_build, postings
from casetrack.store.index.arrays import map_arrays
from casetrack.store.index.stored_segments import FORMAT
from store.index.made import rows_of, saved


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an index of two segments, one of them large enough for cells."""
    monkeypatch.setattr(cells_build, "LEAST_ROWS", 500)
    folder = tmp_path / "index"
    for name, count in (("large", 600), ("small", 90)):
        saved(rows_of(count, len(name)), folder / name)
    write_json(folder / "manifest.json", {"format": FORMAT, "segments": ["large", "small"]})
    return folder


def load(home: Path, name: str = "large") -> postings.CellFile:
    return postings.CellFile(home / name)


def test_every_vector_is_in_the_nearest_cell(home: Path) -> None:
    assert cells_build.build_all(home) == 1
    assert cells_build.build_all(home) == 0
    assert load(home, "small").get() is None
    opened = load(home).get()
    dense = map_arrays(home / "large" / "dense.bin")["dense"]
    assert sorted(opened.rows.tolist()) == list(range(600))
    assert np.array_equal(opened.codes, dense[opened.rows])
    cell = np.repeat(np.arange(len(opened.centroids)), np.diff(opened.bounds))
    nearness = (opened.codes * opened.scales[:, None]) @ opened.centroids.T
    own = nearness[np.arange(600), cell]
    assert own.tolist() == pytest.approx(nearness.max(axis=1).tolist(), abs=1e-5)


def torn(data: bytes) -> bytes:
    return data[: len(data) // 2]


def changed(data: bytes) -> bytes:
    place = data.index(b"}}") + 200
    return data[:place] + bytes([data[place] ^ 255]) + data[place + 1 :]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("damage", [torn, changed, lambda _: b"", lambda _: b"CTARRAY1 and so on"])
def test_a_damaged_file_is_ignored_and_rebuilt(home: Path, damage, caplog) -> None:
    cells_build.build_all(home)
    path = home / "large" / postings.FILE
    good = path.read_bytes()
    path.write_bytes(damage(good))
    file = load(home)
    assert [file.get(), file.get()] == [None, None]
    assert len(caplog.records) == 1
    assert cells_build.build_all(home) == 1
    assert path.read_bytes() == good
    assert file.get() is not None


def test_a_killed_build_leaves_nothing_that_counts(home: Path, monkeypatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        patch.setattr(Path, "unlink", lambda *_, **__: None)
        with pytest.raises(KeyboardInterrupt):
            cells_build.build_all(home)
    left = [p.name for p in (home / "large").glob(".cells*")]
    assert len(left) == 1
    assert load(home).get() is None
    assert cells_build.build_all(home) == 1
    assert list((home / "large").glob(".cells*")) == []


def test_two_processes_do_not_both_build(home: Path) -> None:
    with filelock.FileLock(home / ".cells.lock"):
        assert cells_build.build_all(home) == 0
    assert load(home).get() is None


def test_a_folder_that_is_gone_is_no_matter(home: Path, tmp_path: Path) -> None:
    assert cells_build.build_all(tmp_path / "nowhere") == 0
    assert not (tmp_path / "nowhere").exists()


def test_a_process_is_started_once_and_only_for_a_large_collection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = list[Path]()
    monkeypatch.setattr(cells_build, "LEAST_ROWS", 500)
    monkeypatch.setattr(background, "start", lambda _, of: not started and not started.append(of))
    folder = tmp_path / "index"
    segment = saved(rows_of(cells_build.LEAST_ROWS, 1, sparse=False), folder / "only")
    write_json(folder / "manifest.json", {"format": FORMAT, "segments": ["only"]})
    assert not cells_build.request(folder, [segment], cells_build.PAYS_FROM - 1)
    assert segment.cells.get() is None
    assert cells_build.request(folder, [segment], cells_build.PAYS_FROM)
    assert started == [folder]
    assert not cells_build.request(folder, [segment], cells_build.PAYS_FROM)
    assert cells_build.build_all(folder) == 1
    assert segment.cells.get() is not None
    started.clear()
    assert not cells_build.request(folder, [segment], cells_build.PAYS_FROM)
