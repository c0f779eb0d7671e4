"""A production set: every page numbered once, nothing covered, nothing of the originals changed."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pymupdf
import pytest
from PIL import Image

from casetrack.base.errors import UsageError
from casetrack.editions.legal.production import MANIFEST, stamp

if TYPE_CHECKING:
    from pathlib import Path


def _pdf(path: Path, pages: int = 1, text: str = "A page of the file.", **how: Any) -> Path:
    document = pymupdf.open()
    for number in range(pages):
        page = document.new_page()
        page.insert_text((72, 100), f"{text} {number + 1}")
        page.set_rotation(how.get("rotation", 0))
        if how.get("foot"):
            page.insert_text((5, 830), how["foot"] * 12, fontsize=11)
    document.save(path)
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    picture = tmp_path / "photo.png"
    Image.new("RGB", (400, 300), "white").save(picture)
    sheet = tmp_path / "Costs.xlsx"
    sheet.write_bytes(b"a workbook")
    turned = _pdf(tmp_path / "turned.pdf", 2, rotation=90)
    full = _pdf(tmp_path / "full.pdf", foot="the foot is full ")
    return [_pdf(tmp_path / "one.pdf", 3), turned, full, picture, sheet]


def test_numbers_run_through_all_files_without_a_gap(files: list[Path], tmp_path: Path) -> None:
    before = [file.read_bytes() for file in files]
    seen: list[tuple[int, int]] = []
    how: Any = {"start": 99_998, "legend": "CONFIDENTIAL"}
    made = stamp(files, tmp_path / "out", "ABC", progress=lambda *n: seen.append(n), **how)
    assert [file.read_bytes() for file in files] == before
    assert [(row.first, row.last, row.pages, row.produced_as) for row in made] == [
        ("ABC099998", "ABC100000", 3, "pages"),
        ("ABC100001", "ABC100002", 2, "pages"),
        ("ABC100003", "ABC100003", 1, "pages"),
        ("ABC100004", "ABC100004", 1, "pages"),
        ("ABC100005", "ABC100005", 1, "native"),
    ]
    stamped = []
    for row in made:
        for page in pymupdf.open(row.copy):
            (box,) = page.search_for("ABC")
            around = pymupdf.Rect(box.x0 - 1, box.y0 - 1, box.x1 + 60, box.y1 + 1)
            stamped.append(page.get_text("words", clip=around)[0][4])
            assert page.rect.contains(box)
            assert box.y1 > page.rect.height - 30
            assert page.search_for("CONFIDENTIAL")
    assert stamped == [f"ABC{number:06d}" for number in range(99_998, 100_006)]
    native = tmp_path / "out" / "ABC100005.xlsx"
    assert native.read_bytes() == b"a workbook"
    with (tmp_path / "out" / MANIFEST).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["first"] for row in rows] == [row.first for row in made]
    assert seen[-1] == (5, 5)


def test_a_stamp_covers_nothing(files: list[Path], tmp_path: Path) -> None:
    made = stamp(files[2:3], tmp_path / "out", "ABC-")
    page = pymupdf.open(made[0].copy)[0]
    assert page.rect.height > 842  # longer, since the whole foot was taken
    assert page.get_text().count("the foot is full") >= 5
    (mark,) = page.search_for("ABC-000001")
    others = [box for box in page.search_for("the foot is full") if box.intersects(mark)]
    assert others == []
    drawn = page.get_pixmap(dpi=72, clip=(0, 0, 595, 842)).samples
    assert drawn == pymupdf.open(files[2])[0].get_pixmap(dpi=72).samples


def test_pages_look_as_before_but_for_the_stamp(files: list[Path], tmp_path: Path) -> None:
    made = stamp(files[1:2], tmp_path / "out", "ABC", place="bottom-left")
    copy, original = pymupdf.open(made[0].copy)[0], pymupdf.open(files[1])[0]
    assert copy.rect == original.rect
    clip = (0, 0, original.rect.width, original.rect.height - 40)
    assert copy.get_pixmap(clip=clip).samples == original.get_pixmap(clip=clip).samples
    (box,) = copy.search_for("ABC000001")
    assert box.x0 < 30


def test_where_a_file_cannot_be_stamped_nothing_is(files: list[Path], tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4 nothing")
    missing = tmp_path / "none.pdf"
    out = tmp_path / "out"
    with pytest.raises(UsageError) as caught:
        stamp([files[0], broken, missing], out, "ABC")
    assert "broken.pdf" in str(caught.value)
    assert "none.pdf" in str(caught.value)
    one = files[:1]
    for run, messages in [
        (lambda: stamp([], out, "ABC"), ""),
        (lambda: stamp(one * 2, out, "ABC"), one[0].name),
        (lambda: stamp(one, tmp_path, "ABC"), str(tmp_path)),
        (lambda: stamp(files, out, "ABC", start=98, digits=2), "2"),
        (lambda: stamp(one, out, "A1"), "“A1”"),
        (lambda: stamp(one, out, "../A"), "“../A”"),
        (lambda: stamp(one, out, "A", start=0), "1"),
        (lambda: stamp(one, out, "A", digits=40), "12"),
    ]:
        with pytest.raises(UsageError) as caught:
            run()
        assert messages in caught.value.message
    assert not out.exists()
