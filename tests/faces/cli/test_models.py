"""Models and parts of text recognition: pulled, listed and verified by the command line."""

from __future__ import annotations

import hashlib
import http.server
import json
import shutil
import sys
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import safetensors.numpy

from casetrack.base.models import catalog, profiles
from casetrack.base.models.spec import Recipe
from casetrack.models.encoders import load_profile
from casetrack.parse.ocr import choose, language_data
from casetrack.parse.ocr.fetch import RAPID, find_weights
from casetrack.parse.ocr.language_data import Language, known_codes
from faces.cli.conftest import Run, error_of
from models.conftest import (
    CONFIG,
    HEADED_WORDS,
    Hub,
    hub_of,
    random_weights,
    tiny_spec,
    tokenizer_file,
)

TEXTS = {"deu": b"ein Netz " * 400, "eng": b"a network " * 500, "fra": b"un reseau " * 600}
BETTER = b"a better network " * 300


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    choose._make.cache_clear()
    yield
    choose._make.cache_clear()


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty models folder on a machine whose system has no language data."""
    monkeypatch.setattr(language_data, "_SYSTEM_FOLDERS", ())
    monkeypatch.setattr(language_data.locale, "getlocale", lambda: ("de_AT", "UTF-8"))
    monkeypatch.delenv("TESSDATA_PREFIX", raising=False)
    return tmp_path / "no-models"  # as the fixture `home` names it


@pytest.fixture(scope="session")
def networks(models_dir: Path) -> Path:
    """Return the folder of RapidOCR's networks."""
    return find_weights(models_dir)


@pytest.fixture
def rapidocr(models: Path, networks: Path) -> Path:
    """Return RapidOCR's folder in the models folder, with its networks in it."""
    folder = models / "rapidocr"
    folder.mkdir(parents=True)
    for file in RAPID.files:
        shutil.copyfile(networks / file.name, folder / file.name)
    return folder


@pytest.fixture
def without_packages(models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the models folder on a machine that has no package of text recognition."""
    for module in ("casetrack.parse.ocr.easy", "importlib.util"):
        monkeypatch.setattr(f"{module}.find_spec", lambda name: None)
    return models


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the known languages be three of a few kilobytes."""
    entries = []
    for code, text in TEXTS.items():
        npm = (hashlib.sha256(BETTER).hexdigest(), len(BETTER)) if code == "fra" else ("", 0)
        entries.append(Language(code, hashlib.sha256(text).hexdigest(), len(text), *npm))
    monkeypatch.setattr(language_data, "LANGUAGES", tuple(entries))


@pytest.fixture
def served(tiny: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bytes]]:
    """Serve language data, by path, from a local server that the environment names."""
    files = {
        f"/tesseract-ocr/tessdata_fast/raw/4.1.0/{code}.traineddata": text
        for code, text in TEXTS.items()
    }

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            data = files.get(self.path)
            self.send_response(200 if data is not None else 404)
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, *args: object) -> None:
            """Print nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        address = f"http://127.0.0.1:{running.server_port}"
        monkeypatch.setenv("CASETRACK_TESSDATA_URL", address)
        yield files
        running.shutdown()
        thread.join()


@pytest.fixture
def easyocr(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install a package that fetches as EasyOCR does; return the folder of its networks."""
    package = tmp_path / "packages"
    package.mkdir()
    (package / "easyocr.py").write_text(
        "import pathlib\n"
        "class Reader:\n"
        "    def __init__(self, codes, model_storage_directory, **options):\n"
        "        if not options.get('download_enabled', True):\n"
        "            raise RuntimeError('torch was loaded')\n"
        "        folder = pathlib.Path(model_storage_directory)\n"
        "        folder.mkdir(parents=True, exist_ok=True)\n"
        "        for name in ('craft_mlt_25k.pth', 'latin_g2.pth'):\n"
        "            if not (folder / name).exists():\n"
        "                (folder / name).touch()\n"
    )
    monkeypatch.delitem(sys.modules, "easyocr", raising=False)
    monkeypatch.syspath_prepend(str(package))
    yield models / "easyocr"
    sys.modules.pop("easyocr", None)


# --- pull ----------------------------------------------------------------------------------


def test_languages_are_pulled_from_the_server_that_is_named(
    run: Run, models: Path, served: dict[str, bytes]
) -> None:
    unknown = run("models", "pull", "tesseract-deu+tlh", "--json")
    assert (unknown.code, "deu, eng, fra" in error_of(unknown)["message"]) == (2, True)
    assert not models.exists()
    first = run("models", "pull", "tesseract-deu+eng")
    assert first.code == 0, first.err
    for code in ("deu", "eng"):
        assert (models / "tessdata" / f"{code}.traineddata").read_bytes() == TEXTS[code]
    again = json.loads(run("models", "pull", "tesseract-deu+eng", "--json").out)
    assert again["unchanged"] is True
    more = json.loads(run("models", "pull", "tesseract-deu+fra", "--json").out)
    assert (more["folder"], more["unchanged"]) == (str(models / "tessdata"), False)
    assert [each["origin"] for each in more["files"]] == ["models folder", "fetched"]
    assert more["failures"] == []


def test_a_server_without_the_language_is_reported(
    run: Run, models: Path, served: dict[str, bytes]
) -> None:
    served.clear()
    ended = run("models", "pull", "tesseract-deu", "--json")
    error = error_of(ended)
    assert (ended.code, error["code"]) == (1, "download_failed")
    assert "tesseract-deu" in error["message"]


def test_networks_are_pulled_out_of_the_wheel(
    run: Run, models: Path, networks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "rapidocr-3.10.0-py3-none-any.whl"
    about = "rapidocr-3.10.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in RAPID.files:
            archive.write(networks / file.name, f"rapidocr/models/{file.name}")
        archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: rapidocr\n"
                         "Version: 3.10.0\n")  # fmt: skip
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    monkeypatch.setenv("CASETRACK_PIP_ARGS", f"--no-index --find-links '{tmp_path}'")
    ended = run("models", "pull", "rapidocr")
    assert ended.code == 0, ended.err
    assert find_weights(models) == models / "rapidocr"
    assert run("models", "verify", "rapidocr").code == 0
    wheel.unlink()
    again = json.loads(run("models", "pull", "rapidocr", "--json").out)
    assert again["unchanged"] is True


def test_easyocr_fetches_for_itself(run: Run, easyocr: Path) -> None:
    def state() -> dict[str, Any]:
        listed = json.loads(run("models", "list", "--ocr", "--json").out)
        by_name: dict[str, Any] = next(entry for entry in listed if entry["name"] == "easyocr")
        return by_name

    assert (state()["ready"], bool(state()["reason"])) == (False, True)
    ended = run("models", "pull", "easyocr")
    assert (ended.code, "craft_mlt_25k.pth" in ended.out) == (0, True), ended.err
    assert (state()["ready"], state()["languages"]) == (True, ["latin_g2"])
    assert "latin_g2" in run("models", "list").out
    assert json.loads(run("models", "pull", "easyocr", "--json").out)["unchanged"] is True
    (easyocr / "latin_g2.pth").unlink()
    files = json.loads(run("models", "pull", "easyocr", "--json").out)["files"]
    assert [file["origin"] for file in files] == ["models folder", "fetched"]


def test_what_is_not_installed_names_the_way_to_get_it(run: Run, without_packages: Path) -> None:
    rows = run("models", "list").out.splitlines()
    for engine, step in {
        "tesseract": "pip install tesserocr",
        "easyocr": "EasyOCR",
        "rapidocr": "casetrack models pull rapidocr",
    }.items():
        (row,) = [row for row in rows if row.startswith(engine)]
        assert step in row
    for code, words, step in (
        (1, ("pull", "easyocr"), "casetrack[easyocr]"),
        (1, ("verify", "rapidocr"), "casetrack models pull rapidocr"),
        (2, ("verify", "easyocr"), "casetrack models pull easyocr"),
        (2, ("pull", "ollama"), "ollama"),
    ):
        ended = run("models", *words)
        assert (ended.code, step in ended.err) == (code, True), words


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["maxi", "tesseract", "tesseract-+", "Rapidocr"])
def test_an_unknown_name_lists_what_there_is(run: Run, name: str) -> None:
    for command in ("pull", "verify"):
        ended = run("models", command, name, "--json")
        error = error_of(ended)
        assert (ended.code, error["code"], f"'{name}'" in error["message"]) == (2, "usage", True)
        known = ("mini, standard, legal, mini-sparse, ", "rapidocr, easyocr, tesseract-")
        assert all(names in str(error) for names in (*known, ", ".join(known_codes())))


# --- list ----------------------------------------------------------------------------------


def test_engines_that_are_ready_are_listed_with_their_languages(
    run: Run, rapidocr: Path, models: Path
) -> None:
    listed = {e["name"]: e for e in json.loads(run("models", "list", "--ocr", "--json").out)}
    assert list(listed) == ["tesseract", "easyocr", "rapidocr"]
    assert (listed["rapidocr"]["ready"], listed["rapidocr"]["reason"]) == (True, None)
    assert listed["tesseract"]["ready"] is False
    text = run("models", "list").out
    assert str(models) in text
    assert text.index("\nmini") < text.index("\nrapidocr")
    (splade,) = [r for r in text.splitlines() if r.startswith("splade ")]
    assert "CC-BY-NC-SA-4.0" in splade
    assert "naver/splade-cocondenser-selfdistil" in splade
    assert "mini" not in run("models", "list", "--ocr").out


def test_tesseract_is_ready_only_where_its_data_can_be_used(run: Run, models: Path) -> None:
    data = models / "tessdata"
    data.mkdir(parents=True)
    (data / "deu.traineddata").write_bytes(b"no network")
    state, *_ = json.loads(run("models", "list", "--ocr", "--json").out)
    assert state["ready"] is False
    assert state["languages"] == ["deu"]
    assert state["languages_used"] == []


def test_profiles_are_listed_with_their_models(run: Run, rapidocr: Path) -> None:
    listed = json.loads(run("models", "list", "--json").out)
    assert {entry["kind"] for entry in listed} == {"profile"}
    assert [e["name"] for e in listed] == [profile.name for profile in profiles.PROFILES]
    assert [m["name"] for m in listed[1]["models"]] == ["bge-small", "splade", "colbert-small"]
    assert [e["name"] for e in listed if e["non_commercial"]] == ["standard", "legal"]
    mini, standard, *_, ollama = listed
    assert (mini["installed"], mini["dimension"]) == (False, 384)
    assert (standard["token_width"], standard["sparse"]) == (96, True)
    assert (ollama["installed"], ollama["dimension"], ollama["provider"]) == (None, None, "ollama")
    assert [model["makes"] for model in mini["models"]] == [["dense", "tokens"]]


# --- profiles ------------------------------------------------------------------------------


@pytest.fixture
def small(models: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """Let the only profile be one of two tiny models; return the hub that has them."""
    files = {
        "config.json": json.dumps(CONFIG).encode(),
        "tokenizer.json": tokenizer_file(HEADED_WORDS),
        "model.safetensors": safetensors.numpy.save(random_weights(HEADED_WORDS, headed=True)),
    }
    one = tiny_spec("one", files)
    two = tiny_spec("two", files, recipe=Recipe(kind="sparse"), licence="CC-BY-NC-4.0")
    monkeypatch.setattr(catalog, "MODELS", (one, two))
    profile = profiles.Profile("small", "", dense="one", sparse="two", tokens="one")
    monkeypatch.setattr(profiles, "PROFILES", (profile,))
    with hub_of(one, files) as hub:
        hub.files.update({at.replace("/one/", "/two/"): data for at, data in hub.files.items()})
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub


def test_a_licence_is_named_before_anything_is_fetched(
    run: Run, small: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("CASETRACK_PIP_ARGS", "--no-index")
    ended = run("models", "pull", "small")
    assert ended.code == 1
    assert 0 < ended.err.index("CC-BY-NC-4.0") < ended.err.index("Error: ")
    assert "`casetrack models pull one`" in " ".join(ended.err.split())


def test_all_models_of_a_profile_are_pulled(run: Run, models: Path, small: Hub) -> None:
    first = run("models", "pull", "small")
    assert first.code == 0, first.err
    assert all(str(models / name) in first.out for name in ("one", "two"))
    assert "CC-BY-NC-4.0" in first.err
    assert set(small.asked().values()) == {2}
    again = json.loads(run("models", "pull", "small", "--json").out)
    assert (again["name"], again["unchanged"]) == ("small", True)
    assert [m["non_commercial"] for m in again["models"]] == [False, True]
    (listed,) = json.loads(run("models", "list", "--json").out)
    assert listed["installed"] is True
    assert set(small.asked().values()) == {2}
    encoder = load_profile(models, profiles.find_profile("small"))
    assert encoder.encode_query("the lease").sparse is not None
    (models / "two" / "config.json").write_text("{}")
    data = json.loads(run("models", "verify", "small", "--json").out)
    assert [state["state"] for state in data].count("ok") == 7
    ended = run("models", "verify", "small")
    assert (ended.code, "two/config.json" in ended.out) == (1, True)
    assert "casetrack models pull two" in ended.err


def test_one_model_of_a_profile_is_pulled_and_the_rest_is_named(run: Run, small: Hub) -> None:
    assert json.loads(run("models", "pull", "two", "--json").out)["name"] == "two"
    (row,) = [r for r in run("models", "list").out.splitlines() if r.startswith("small ")]
    assert " one" in row
    assert run("models", "verify", "small").code == 1
    assert run("models", "verify").code == 0


# --- verify --------------------------------------------------------------------------------


def test_languages_are_checked_against_all_that_is_published(
    run: Run, models: Path, tiny: None
) -> None:
    data = models / "tessdata"
    data.mkdir(parents=True)
    (data / "eng.traineddata").write_bytes(TEXTS["eng"][:-1])
    (data / "fra.traineddata").write_bytes(BETTER)
    (data / "zzz.traineddata").write_bytes(b"one's own")
    report = json.loads(run("models", "verify", "--json").out)
    assert [(c["model"], c["state"]) for c in report] == [
        ("tesseract-eng", "wrong"),
        ("tesseract-fra", "ok"),
    ]
    ended = run("models", "verify", "tesseract-deu+fra", "--json")
    assert ended.code == 1
    assert [c["state"] for c in json.loads(ended.out)] == ["missing", "ok"]
