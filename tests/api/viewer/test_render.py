"""Pictures of pages: as shown, in points, within bounds, and of hostile files only words."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
import pytest
from PIL import Image

from casetrack.base.config import ParseLimits
from casetrack.base.errors import FileEncrypted, FileError, ParseFailed
from casetrack.base.provenance import Box
from casetrack.parse.base import ReadOptions
from casetrack.parse.render import (
    MAX_PIXELS,
    TEXT_PAGE_EXTENSION,
    PageImage,
    Piece,
    TextBlock,
    TextPage,
    mark_boxes,
    render_page,
)
from casetrack.parse.workers.pool import ParsePool

RED, BLUE, WHITE = (220, 20, 20), (20, 20, 220), (255, 255, 255)


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def pdf(path: Path, *, size: tuple[float, float] = (400, 600), **saving: Any) -> Path:
    """Write a page with a red corner at the top left, and an empty one."""
    document = pymupdf.open()
    page = document.new_page(width=size[0], height=size[1])
    page.draw_rect(pymupdf.Rect(0, 0, 100, 100), color=(1, 0, 0), fill=(1, 0, 0))
    document.new_page(width=300, height=300)
    document.save(path, **saving)
    document.close()
    return path


def near(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(abs(x - y) < 60 for x, y in zip(a, b, strict=True))


@pytest.mark.parametrize(
    ("rotation", "crop", "size", "corner"),
    [
        (0, None, (400, 600), (20, 20)),
        (90, None, (600, 400), (580, 20)),
        (180, None, (400, 600), (380, 580)),
        (270, None, (600, 400), (20, 380)),
        (0, (50, 50, 350, 450), (300, 400), (20, 20)),
        (90, (50, 50, 350, 450), (400, 300), (380, 20)),
    ],
)
def test_the_page_is_as_shown(tmp_path: Path, rotation, crop, size, corner) -> None:
    path = pdf(tmp_path / "plain.pdf")
    with pymupdf.open(path) as document:
        if crop:
            document[0].set_cropbox(pymupdf.Rect(crop))
        document[0].set_rotation(rotation)
        document.save(tmp_path / "turned.pdf")
    image = render_page(tmp_path / "turned.pdf", 1, dpi=72)
    assert image is not None
    assert (image.width, image.height) == size
    picture = opened(image.png)
    assert picture.size == size
    assert near(picture.getpixel(corner), (255, 0, 0))
    assert picture.getpixel((size[0] // 2, size[1] // 2)) == WHITE


@pytest.mark.slow
def test_a_huge_page_stays_within_bounds(tmp_path: Path) -> None:
    image = render_page(pdf(tmp_path / "a.pdf", size=(14_000, 9_000)), 1, dpi=600)
    assert image is not None
    picture = opened(image.png)
    assert picture.width * picture.height <= MAX_PIXELS * 1.01
    assert picture.width == pytest.approx(14_000 * image.scale, abs=1)


def test_a_protected_pdf_opens_with_its_password(tmp_path: Path) -> None:
    path = pdf(
        tmp_path / "a.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own"
    )
    with pytest.raises(FileEncrypted):
        render_page(path, 1)
    assert render_page(path, 1, options=ReadOptions(passwords=("no", "open"))) is not None


def test_a_page_that_is_not_there(tmp_path: Path) -> None:
    path = pdf(tmp_path / "a.pdf")
    with pytest.raises(ParseFailed):
        render_page(path, 3)
    Image.new("RGB", (40, 30)).save(tmp_path / "a.png")
    with pytest.raises(ParseFailed):
        render_page(tmp_path / "a.png", 2)


def test_a_format_without_pages_has_no_picture(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("words", encoding="utf-8")
    assert render_page(tmp_path / "a.txt", 1) is None


def test_the_points_of_an_image_follow_its_resolution(tmp_path: Path) -> None:
    Image.new("L", (1500, 3000), 255).save(tmp_path / "a.png", dpi=(300, 300))
    image = render_page(tmp_path / "a.png", 1, dpi=144)
    assert image is not None
    assert (image.width, image.height) == pytest.approx((360, 720), rel=0.001)
    assert opened(image.png).size == (720, 1440)


def test_a_camera_on_its_side_is_turned(tmp_path: Path) -> None:
    picture = Image.new("RGB", (400, 200), WHITE)
    picture.paste(RED, (0, 0, 100, 100))
    exif = Image.Exif()
    exif[0x0112] = 6  # shown turned a quarter clockwise: the left top goes to the right top
    picture.save(tmp_path / "a.jpg", exif=exif)
    image = render_page(tmp_path / "a.jpg", 1)
    assert image is not None
    shown = opened(image.png)
    assert shown.height == 2 * shown.width
    assert near(shown.getpixel((shown.width - 10, 10)), RED)
    assert near(shown.getpixel((10, 10)), WHITE)


def test_a_frame_of_a_tiff(tmp_path: Path) -> None:
    frames = [Image.new("L", (100 + 50 * i, 200), 60 * i) for i in range(4)]
    frames[0].save(tmp_path / "a.tiff", save_all=True, append_images=frames[1:], dpi=(100, 100))
    image = render_page(tmp_path / "a.tiff", 3)
    assert image is not None
    assert (image.width, image.height) == pytest.approx((144, 144))
    assert opened(image.png).getpixel((20, 20)) == (120, 120, 120)


HOSTILE = {
    "cut.pdf": lambda good: good[: len(good) // 2],
    "noise.pdf": lambda good: b"%PDF-1.7\n" + bytes(range(256)) * 20,
    "empty.pdf": lambda good: b"",
    "noise.png": lambda good: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20,
    "noise.jpg": lambda good: b"\xff\xd8\xff\xe0" + bytes(range(256)) * 20,
    "noise.tif": lambda good: b"II*\x00\x08\x00\x00\x00" + bytes(range(256)) * 20,
    "gone.pdf": None,
}


def test_hostile_files_end_in_a_picture_or_in_words(tmp_path: Path) -> None:
    good = pdf(tmp_path / "good.pdf").read_bytes()
    with ParsePool(ParseLimits(timeout_seconds=20)) as pool:
        for name, make in HOSTILE.items():
            path = tmp_path / name
            if make is not None:
                path.write_bytes(make(good))
            if name == "cut.pdf":  # the rest of a damaged file can be drawn
                assert pool.render(path, 1) is not None
                continue
            with pytest.raises(FileError, match=re.escape(name)):
                pool.render(path, 1)
        again = pool.render(tmp_path / "good.pdf", 2, dpi=36)
    assert again is not None
    assert opened(again.png).size == (150, 150)


# --- text ----------------------------------------------------------------------------------


def test_text_is_drawn_with_its_passage_marked(tmp_path: Path) -> None:
    blocks = [TextBlock((Piece("plain <b>words</b> & more " * 20),))] * 3
    marked = TextBlock((Piece("before "), Piece("the passage \u6f22\u5b57 " * 30, "mark")))
    path = tmp_path / f"passage{TEXT_PAGE_EXTENSION}"
    page = TextPage("Lease.docx, p. 3", ("A note.",), (*blocks, marked, *blocks))
    path.write_bytes(page.pack())
    assert TextPage.unpack(path.read_bytes()) == page
    image = render_page(path, 1, dpi=96)
    assert image is not None
    pixels = np.asarray(opened(image.png), dtype=int)
    yellow = (pixels[..., 0] > 200) & (pixels[..., 2] < 160) & (pixels[..., 1] > 150)
    rows = np.flatnonzero(yellow.mean(axis=1) > 0.3)
    high = pixels.shape[0]
    assert len(rows) > 10
    assert 0.3 * high < rows.min() < rows.max() < 0.75 * high
    assert (pixels[0] == 255).all()


# --- marks ---------------------------------------------------------------------------------


def grey_page() -> PageImage:
    out = io.BytesIO()
    picture = Image.new("RGB", (400, 200), WHITE)
    picture.paste((0, 0, 0), (100, 100, 110, 110))
    picture.save(out, "PNG")
    return PageImage(out.getvalue(), 200, 100, 2)


def test_a_mark_colours_the_paper_and_leaves_the_ink() -> None:
    shown = opened(mark_boxes(grey_page(), [Box(40, 40, 80, 60)]))
    assert shown.size == (400, 200)
    red, _, blue = shown.getpixel((90, 90))
    assert red > 240
    assert blue < 130
    assert shown.getpixel((105, 105)) == (0, 0, 0)
    assert shown.getpixel((60, 60)) == WHITE
    assert shown.getpixel((180, 100)) == WHITE


def test_a_picture_can_be_cut_to_its_marks() -> None:
    boxes = [Box(40, 40, 80, 50), Box(50, 52, 90, 60)]
    cut = opened(mark_boxes(grey_page(), boxes, around=10))
    assert cut.size == pytest.approx((2 * 70, 2 * 40), abs=2)
    small = opened(mark_boxes(grey_page(), boxes, around=10, width=70))
    assert small.size == pytest.approx((70, 40), abs=1)


@pytest.mark.parametrize(
    "box", [Box(-50, -50, -10, -10), Box(500, 500, 600, 600), Box(-9e9, -9e9, 9e9, 9e9)]
)
def test_boxes_off_the_page_do_no_harm(box: Box) -> None:
    assert opened(mark_boxes(grey_page(), [box], around=5)).width >= 1
