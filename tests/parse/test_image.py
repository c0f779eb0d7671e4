"""Pictures of text as documents: pages, sizes, boxes, facts, damage, and OCR switched off."""

from __future__ import annotations

import contextlib
import io
import struct
import zlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from casetrack.base.config import OcrSettings, ParseLimits
from casetrack.base.errors import ParseFailed, ParseLimit
from casetrack.parse.base import Page, Reading, ReadOptions
from casetrack.parse.detect import read_head
from casetrack.parse.image.reader import ImageReader, open_frames
from tests.parse.paging import lines_of, numbers

READER = ImageReader()
PROSE = (
    "The lessor shall keep the roof and the",
    "outer walls of the building in good repair",
    "and pay all taxes levied on the land.",
)


@pytest.fixture(scope="module")
def options(models_dir: Path) -> ReadOptions:
    return ReadOptions(ocr=OcrSettings("rapidocr"), models_dir=models_dir)


OFF = ReadOptions(ocr=OcrSettings("off"))


def drawn(
    texts: Sequence[tuple[int, int, str]], size: tuple[int, int] = (1240, 700), font: int = 40
) -> Image.Image:
    """Draw texts at their places, black on white."""
    picture = Image.new("L", size, 255)
    draw = ImageDraw.Draw(picture)
    for x, y, text in texts:
        draw.text((x, y), text, fill=0, font=ImageFont.load_default(font))
    return picture


def prose(font: int = 40) -> Image.Image:
    return drawn([(100, 100 + 60 * i, line) for i, line in enumerate(PROSE)], font=font)


def read(path: Path, options: ReadOptions) -> tuple[Reading, list[Page]]:
    head = read_head(path)
    assert READER.accepts(head)
    reading = READER.read(path, options)
    return reading, list(reading.pages)


@pytest.mark.parametrize(
    ("name", "mode", "kind"),
    [
        ("a.png", "RGBA", "png"),
        ("a.png", "P", "png"),
        ("a.png", "I;16", "png"),
        ("a.jpg", "RGB", "jpg"),
        ("a.jpeg", "CMYK", "jpg"),
        ("a.tif", "1", "tiff"),
        ("a.tiff", "F", "tiff"),
        ("a.webp", "RGB", "webp"),
        ("a.bmp", "RGB", "bmp"),
        ("a.gif", "P", "gif"),
    ],
)
def test_every_format_and_kind_of_pixels_becomes_the_same_grey(
    tmp_path: Path, name: str, mode: str, kind: str
) -> None:
    picture = prose()
    if mode == "I;16":
        saved = Image.fromarray(np.asarray(picture).astype(np.uint16) * 257)
    elif mode == "RGBA":
        saved = Image.new("RGBA", picture.size, (0, 0, 0, 0))
        saved.putalpha(Image.eval(picture, lambda v: 255 - v))
    else:
        saved = picture.convert(mode)
    path = tmp_path / name
    saved.save(path)
    opened = open_frames(path, 10)
    (frame,) = opened.frames
    assert opened.format == kind
    assert frame.grey.shape == (700, 1240)
    assert np.abs(frame.grey.astype(int) - np.asarray(picture)).mean() < 4


@pytest.mark.slow
def test_a_page_has_lines_with_boxes_in_points_and_confidence(
    tmp_path: Path, options: ReadOptions
) -> None:
    path = tmp_path / "lease.png"
    prose().save(path, dpi=(150, 150))
    reading, (page,) = read(path, options)
    assert (reading.info.format, reading.info.page_count) == ("png", 1)
    assert not reading.missing
    assert page.text.split() == " ".join(PROSE).split()
    assert (page.method, page.ocr_engine, page.kind) == ("Ocr", "rapidocr", "page")
    assert page.ocr_confidence is not None
    assert page.ocr_confidence > 0.9
    assert (page.width, page.height) == pytest.approx((595.2, 336.0), rel=1e-3)
    assert len(page.paragraphs) == 1
    assert lines_of(page) == list(PROSE)
    for i, line in enumerate(page.lines):
        assert line.box is not None
        assert line.confidence is not None
        assert line.box.x0 == pytest.approx(100 * 72 / 150, abs=3)
        assert line.box.y0 == pytest.approx((110 + 60 * i) * 72 / 150, abs=6)
        assert line.box.y1 - line.box.y0 < 24


def test_columns_are_read_one_after_the_other(tmp_path: Path, options: ReadOptions) -> None:
    left = [f"Left column prose number {word}" for word in "one two three four five six".split()]
    right = [line.replace("Left", "Right") for line in left]
    places = [(20, left), (380, right)]
    drawing = [(x, 20 + 30 * i, t) for x, side in places for i, t in enumerate(side)]
    path = tmp_path / "columns.png"
    drawn(drawing, (740, 220), 20).save(path, dpi=(100, 100))
    _, (page,) = read(path, options)
    assert lines_of(page) == [*left, *right]


def test_frames_of_a_tiff_are_pages_and_previews_are_none(tmp_path: Path) -> None:
    pages = [prose(size) for size in (20, 30, 40)]
    preview = pages[0].resize((124, 70))
    preview.encoderinfo = {"tiffinfo": {254: 1}}
    path = tmp_path / "fax.tif"
    pages[0].save(path, save_all=True, append_images=[preview, *pages[1:]], dpi=(200, 200))
    frames = list(open_frames(path, 10).frames)
    assert all((f.grey == np.asarray(p)).all() for f, p in zip(frames, pages, strict=True))
    reading, result = read(path, OFF)
    assert [page.number for page in result] == [1, 2, 3]
    reading, result = read(path, replace(OFF, limits=ParseLimits(max_pages=2)))
    assert (len(result), reading.info.page_count) == (2, 3)


def test_a_fax_with_tall_pixels_gets_square_ones(tmp_path: Path) -> None:
    path = tmp_path / "fax.tif"
    prose().resize((1240, 350)).save(path, dpi=(204, 102))
    _, (page,) = read(path, OFF)
    assert (page.width, page.height) == pytest.approx((1240 * 72 / 204, 350 * 72 / 102))
    (frame,) = open_frames(path, 1).frames
    assert frame.grey.shape == (700, 1240)


@pytest.mark.parametrize("orientation", [3, 6, 8])
def test_the_orientation_tag_is_applied(tmp_path: Path, orientation: int) -> None:
    path = tmp_path / "photo.png"
    exif = Image.Exif()
    exif[0x0112] = orientation
    turned = prose().rotate({3: 180, 6: 90, 8: 270}[orientation], expand=True)
    turned.save(path, exif=exif, dpi=(150, 150))
    (frame,) = open_frames(path, 1).frames
    assert (frame.grey == np.asarray(prose())).all()
    _, (page,) = read(path, OFF)
    assert page.width == pytest.approx(595.2, rel=1e-3)


@pytest.mark.parametrize(
    ("size", "stated", "expected"),
    [
        ((1654, 2339), 200, 200),
        ((2480, 3508), None, 300),
        ((4000, 3000), 72, 300),
        ((640, 480), None, 96),
        ((640, 480), 1, 96),
        ((1000, 1000), 100000, 150),
    ],
)
def test_the_resolution_is_the_stated_one_where_that_can_be(
    tmp_path: Path, size: tuple[int, int], stated: int | None, expected: int
) -> None:
    path = tmp_path / "a.png"
    Image.new("1", size, 1).save(path, **({"dpi": (stated, stated)} if stated else {}))
    (frame,) = open_frames(path, 1).frames
    assert frame.dpi == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("gps", "text"),
    [
        (
            {1: "N", 2: (52.0, 30.0, 58.68), 3: "E", 4: (13.0, 22.0, 39.72)},
            "Taken: 2024-03-01 09:08\nPlace: 52.51630° N, 13.37770° E",
        ),
        ({1: "N", 2: (0.0, 0.0, 0.0), 3: "E", 4: (0.0, 0.0, 0.0)}, ""),
        ({1: "N", 2: (95.0, 0.0, 0.0), 3: "E", 4: (1.0, 0.0, 0.0)}, ""),
        ({1: "N", 2: (52.0, 0.0, 0.0)}, ""),
    ],
)
def test_a_photograph_states_its_place(tmp_path: Path, gps: dict[int, Any], text: str) -> None:
    exif = Image.Exif()
    exif.get_ifd(0x8769)[0x9003] = "2024:03:01 09:08:07"
    exif.get_ifd(0x8825).update(gps)
    path = tmp_path / "a.jpg"
    Image.new("L", (40, 40)).save(path, exif=exif)
    assert next(READER.read(path, OFF).pages).text == text


def test_facts_come_from_exif_and_png_texts(tmp_path: Path) -> None:
    exif = Image.Exif()
    exif[0x010E] = "The signed page"
    exif[0x013B] = "A. Notary"
    exif[0x0110] = "ScanBox 3"
    exif[0x0132] = "2024:03:02 10:11:12"
    exif.get_ifd(0x8769)[0x9003] = "2024:03:01 09:08:07"
    exif.get_ifd(0x8769)[0x9011] = "+02:00"
    path = tmp_path / "a.jpg"
    prose().save(path, exif=exif)
    info = READER.read(path, OFF).info
    assert info.author == "A. Notary"
    assert info.created_at == datetime(2024, 3, 1, 9, 8, 7, tzinfo=timezone(timedelta(hours=2)))
    assert info.modified_at == datetime(2024, 3, 2, 10, 11, 12, tzinfo=UTC)
    assert dict(info.properties) == {"description": "The signed page", "model": "ScanBox 3"}

    texts = PngInfo()
    texts.add_text("Title", "Minutes \x00 of\nMay")
    texts.add_text("Author", "The clerk")
    texts.add_text("Creation Time", "2020-13-45 99:00:00")
    path = tmp_path / "a.png"
    prose().save(path, pnginfo=texts)
    info = READER.read(path, OFF).info
    assert (info.title, info.author, info.created_at) == ("Minutes of May", "The clerk", None)


def test_without_ocr_the_page_is_there_and_one_sentence_says_why_it_is_empty(
    tmp_path: Path, messages: Callable[..., None]
) -> None:
    path = tmp_path / "a.tif"
    prose().save(path, save_all=True, append_images=[prose(), prose()])
    reading, pages = read(path, OFF)
    assert [(page.text, page.method) for page in pages] == [("", "Skipped")] * 3
    assert all(page.width for page in pages)
    (sentence,) = reading.missing
    messages(sentence)


def test_an_animation_is_its_first_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.gif"
    prose().save(path, save_all=True, append_images=[Image.new("L", (1240, 700), 0)])
    reading, pages = read(path, OFF)
    assert len(pages) == 1
    assert len(reading.warnings) == 1


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.bmp"])
def test_of_a_truncated_picture_what_is_there_is_read(tmp_path: Path, name: str) -> None:
    buffer = io.BytesIO()
    kinds = {"a.jpg": "JPEG", "a.png": "PNG", "a.bmp": "BMP"}
    picture = drawn([(40, 30 + 60 * i, f"Row {i} of the ledger") for i in range(6)], (560, 400))
    picture.save(buffer, kinds[name])
    data = buffer.getvalue()
    path = tmp_path / name
    path.write_bytes(data[: int(len(data) * 0.6)])
    reading, _ = read(path, OFF)
    assert any("1" in numbers(text) for text in reading.missing)
    (frame,) = open_frames(path, 1).frames
    grey, whole = frame.grey.astype(int), np.asarray(picture)
    # A bitmap begins with its last row.
    remote = slice(250, 400) if name == "a.bmp" else slice(0, 150)
    assert np.abs(grey[remote] - whole[remote]).mean() < 4
    assert np.abs(grey - whole).mean() > 4


def test_of_a_tiff_that_breaks_off_the_pages_before_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.tif"
    prose().save(path, save_all=True, append_images=[prose()], compression="tiff_lzw")
    data = bytearray(path.read_bytes())
    with Image.open(path) as image:
        image.seek(1)
        for offset, length in zip(image.tag_v2[273], image.tag_v2[279], strict=True):
            data[offset : offset + length] = bytes(length)
    path.write_bytes(bytes(data))
    reading, pages = read(path, OFF)
    assert [page.number for page in pages] == [1, 2]
    assert any("2" in numbers(text) for text in reading.missing)
    path.write_bytes(bytes(data[: len(data) // 3]))
    with pytest.raises(ParseFailed, match=r"a\.tif"):
        read(path, OFF)


def _png_header(width: int, height: int) -> bytes:
    body = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", body), (b"IDAT", zlib.compress(bytes(1000))), (b"IEND", b"")]
    parts = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


@pytest.mark.parametrize("size", [(12_000, 9_000), (60_000, 60_000)])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, size: tuple[int, int]) -> None:
    path = tmp_path / "bomb.png"
    path.write_bytes(_png_header(*size))
    with pytest.raises(ParseLimit, match="100,000,000"):
        READER.read(path, OFF)


def test_damaged_files_end_in_words(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for kind, suffix in (("PNG", "png"), ("JPEG", "jpg"), ("TIFF", "tif"), ("WEBP", "webp")):
        buffer = io.BytesIO()
        prose().save(buffer, kind)
        for _ in range(25):
            data = bytearray(buffer.getvalue())
            for at in rng.integers(4, min(len(data), 3000), 12):
                data[at] = rng.integers(0, 256)
            path = tmp_path / f"a.{suffix}"
            path.write_bytes(bytes(data))
            # Anything else that is raised fails the test.
            with contextlib.suppress(ParseFailed, ParseLimit):
                assert [page.number for page in READER.read(path, OFF).pages] == [1]


@pytest.mark.parametrize(
    ("data", "accepted"),
    [
        (b"\x89PNG\r\n\x1a\n....", True),
        (b"RIFF\x10\x00\x00\x00WEBPVP8 ", True),
        (b"RIFF\x10\x00\x00\x00WAVEfmt ", False),
        (b"MM\x00*....", True),
        (b"%PDF-1.7", False),
    ],
)
def test_pictures_are_known_by_their_marks(tmp_path: Path, data: bytes, accepted: bool) -> None:
    path = tmp_path / "a.png"
    path.write_bytes(data)
    assert READER.accepts(read_head(path)) is accepted
