"""Tesseract's language data and RapidOCR's networks: where they are looked for, and pulling."""

from __future__ import annotations

import gzip
import hashlib
import http.server
import io
import stat
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from casetrack.base.errors import DownloadFailed, OcrUnavailable, UsageError
from casetrack.parse.ocr import language_data
from casetrack.parse.ocr.fetch import RAPID, find_weights, missing, pull_files
from casetrack.parse.ocr.language_data import (
    LANGUAGES,
    Language,
    NpmSource,
    RepositorySource,
    find_data,
    known_codes,
    pull_language,
)

DATA = b"a language" * 1000
OTHER = b"the same language, better" * 900


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder of the system that is searched."""
    folder = tmp_path / "system"
    folder.mkdir()
    monkeypatch.setattr(language_data, "_SYSTEM_FOLDERS", (str(folder),))
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    monkeypatch.setattr(language_data.locale, "getlocale", lambda: ("fr_CA", "UTF-8"))
    return folder


def _put(folder: Path, *codes: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for code in codes:
        (folder / f"{code}.traineddata").touch()


def test_data_is_found_in_the_models_folder_the_variable_and_the_system(
    system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _put(system, "eng", "deu", "osd")
    _put(tmp_path / "models" / "tessdata", "deu")
    _put(tmp_path / "named" / "tessdata", "rus")
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path / "named"))
    data = find_data("deu+eng+rus", tmp_path / "models")
    assert list(data) == ["deu", "eng", "rus"]
    assert data["deu"].is_relative_to(tmp_path / "models")
    assert data["eng"].parent == system
    assert data["rus"].is_relative_to(tmp_path / "named")


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        (["eng"], ["eng"]),
        (["rus"], ["rus"]),
        (["deu", "eng", "fra"], ["fra", "eng", "deu"]),  # the system's language is French
        (["ara", "ces", "deu", "eng", "ita", "spa", "tur"], ["eng", "deu", "spa", "ita"]),
        (["osd"], None),
        ([], None),
    ],
)
def test_without_a_name_the_usual_languages_are_taken(
    system: Path, remote: list[str], expected: list[str] | None
) -> None:
    _put(system, *remote)
    if expected is None:
        with pytest.raises(OcrUnavailable, match="Tesseract"):
            find_data(None, None)
    else:
        assert list(find_data(None, None)) == expected


def test_a_missing_language_is_named_with_ways_to_get_it(
    system: Path, messages: Callable[..., None]
) -> None:
    _put(system, "eng")
    with pytest.raises(OcrUnavailable) as caught:
        find_data("eng+chi_sim", None)
    messages(str(caught.value))
    with pytest.raises(OcrUnavailable):
        find_data("+", None)


# --- pulling -------------------------------------------------------------------------------


class _Handler(http.server.BaseHTTPRequestHandler):
    files: dict[str, bytes]

    def do_GET(self) -> None:
        data = self.files.get(self.path)
        self.send_response(200 if data is not None else 404)
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        self.wfile.write(data or b"")

    def log_message(self, *args: object) -> None:
        """Print nothing."""


@pytest.fixture
def server() -> Iterator[tuple[str, dict[str, bytes]]]:
    """Return the address of a local server, and the files it serves by path."""
    files: dict[str, bytes] = {}
    handler = type("Handler", (_Handler,), {"files": files})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}", files
        running.shutdown()
        thread.join()


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Language:
    """Return a language of ten kilobytes, the only one that is known."""
    (fast, size), (best, best_size) = (
        (hashlib.sha256(d).hexdigest(), len(d)) for d in (DATA, OTHER)
    )
    language = Language("eng", fast, size, best, best_size)
    monkeypatch.setattr(language_data, "LANGUAGES", (language,))
    return language


_PATH = "/tesseract-ocr/tessdata_fast/raw/4.1.0/eng.traineddata"


def _silent(what: str, done: int, total: int | None, /) -> None:
    """Report nothing."""


def test_a_language_is_pulled_checked_and_found(
    system: Path, tmp_path: Path, tiny: Language, server: tuple[str, dict[str, bytes]]
) -> None:
    endpoint, files = server
    files[_PATH] = DATA
    sources = [RepositorySource(endpoint)]
    assert pull_language("eng", tmp_path, _silent, sources=sources) == ("eng.traineddata",)
    assert find_data(None, tmp_path)["eng"].read_bytes() == DATA
    files.clear()
    assert pull_language("eng", tmp_path, _silent, sources=sources) == ()


def test_a_wrong_file_is_not_kept(
    tmp_path: Path, tiny: Language, server: tuple[str, dict[str, bytes]]
) -> None:
    endpoint, files = server
    files[_PATH] = DATA[:-1] + b"!"
    with pytest.raises(DownloadFailed) as caught:
        pull_language("eng", tmp_path, _silent, sources=[RepositorySource(endpoint)])
    assert "eng.traineddata" in caught.value.message
    assert "tesseract-ocr-eng" in caught.value.hint
    assert not (tmp_path / "tessdata" / "eng.traineddata").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for npm is a shell script")
def test_npm_steps_in_where_the_repository_cannot_be_reached(
    tmp_path: Path, tiny: Language
) -> None:
    packed = tmp_path / "package.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        member = gzip.compress(OTHER)
        entry = tarfile.TarInfo("package/4.0.0_best_int/eng.traineddata.gz")
        entry.size = len(member)
        archive.addfile(entry, io.BytesIO(member))
    npm = tmp_path / "npm"
    npm.write_text(f'#!/bin/sh\nfor last; do :; done\ncp {packed} "$last/eng-1.0.0.tgz"\n')
    npm.chmod(npm.stat().st_mode | stat.S_IXUSR)
    models = tmp_path / "models"
    sources = [RepositorySource("ftp://nowhere"), NpmSource(str(npm))]
    assert pull_language("eng", models, _silent, sources=sources) == ("eng.traineddata",)
    assert (models / "tessdata" / "eng.traineddata").read_bytes() == OTHER
    assert pull_language("eng", models, _silent, sources=[]) == ()
    npm.write_text("#!/bin/sh\necho 404 Not Found\nexit 1\n")
    with pytest.raises(DownloadFailed, match="404 Not Found"):
        pull_language("eng", tmp_path / "new", _silent, sources=sources)


def test_an_unknown_language_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"'tlh'.*deu, eng"):
        pull_language("tlh", tmp_path, _silent)


def test_the_catalogue_is_in_order() -> None:
    assert list(known_codes()) == sorted(set(known_codes()))
    for language in LANGUAGES:
        assert len(language.sha256) == 64
        assert language.size > 500_000
        assert bool(language.npm_sha256) == bool(language.npm_size)


def test_networks_are_found_in_the_models_folder_and_checked_when_pulled(tmp_path: Path) -> None:
    for folder in (None, tmp_path):
        with pytest.raises(OcrUnavailable, match="RapidOCR"):
            find_weights(folder)
    folder = tmp_path / RAPID.name
    folder.mkdir()
    for file in RAPID.files:
        (folder / file.name).write_bytes(b"not a network")
    assert find_weights(tmp_path) == folder
    assert len(missing(RAPID, folder)) == 2
    spec = replace(RAPID, files=RAPID.files[:1])
    with pytest.raises(DownloadFailed, match="rapidocr"):
        pull_files(spec, folder, [], _silent, hint="go online")
