"""Downloads from the model hub, and from other web addresses, with ``huggingface_hub``.

The library knows redirects, access tokens (``HF_TOKEN``), proxies, retries and ranges. Its
``hf_hub_download`` is not used: it drops what an interruption left, and keeps records beside the
files. Its ``http_get`` goes on with the file it is given.
"""

from __future__ import annotations

import os
import re
import urllib.parse
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from casetrack.models.layout import part_path
from casetrack.models.sources import SourceFailed, accept

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from casetrack.base.models.spec import ModelFile, ModelSpec, Progress

ENV_ENDPOINT = "HF_ENDPOINT"
DEFAULT_ENDPOINT = "https://huggingface.co"
PIECE = 1 << 18
"""Bytes that are read at a time: what an interruption loses at most, and a step of progress."""
_NO_SUCH_RANGE = 416
_BUSY = frozenset({408, 429, 500, 502, 503, 504})
_CHECKSUM = re.compile(r"[0-9a-f]{64}|[0-9a-f]{40}")
_HEADERS = {"user-agent": "casetrack", "accept-encoding": "identity"}


@dataclass(frozen=True, slots=True)
class HubSource:
    """The public hub, or a mirror that serves the same paths.

    A file whose SHA-256 is not known beforehand is checked against what the hub states of it: the
    SHA-256 of a large file, the git blob hash of a small one. What comes without is not taken.

    Attributes
    ----------
    endpoint
        Scheme and host; a file is ``{repository}/resolve/{revision}/{name}`` under it.
    """

    endpoint: str = DEFAULT_ENDPOINT
    label: str = field(default="hub", init=False)

    def fetch(
        self, spec: ModelSpec, files: Sequence[ModelFile], folder: Path, progress: Progress, /
    ) -> None:
        """Download *files* one by one; see `ModelSource.fetch`.

        A hub that is busy is asked again for half a minute, or as long as it says; one that cannot
        be reached at all is not, since another source follows.
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
    """Return *address*, which the environment's *variable* set, without a slash at its end.

    Raises
    ------
    SourceFailed
        It is not an address of the web.
    """
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
    """Fetch an address; return the file with its content, which nobody has checked.

    What an earlier try left of it is completed. A connection that breaks is opened again as long as
    something arrives.

    Raises
    ------
    SourceFailed
        The server refuses it, or cannot be reached, or sends more than the file has.
    OSError
        *folder* cannot be written.
    """
    _set_up_library()
    import httpx2
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
                target.seek(0)  # what was left is longer than the file
                target.truncate()
            except httpx2.TransportError:
                if target.tell() <= start:
                    raise
    return part


def _bar(
    file: ModelFile, progress: Progress, /, *, initial: int, total: int | None, **_: object
) -> nullcontext[SimpleNamespace]:
    """Return what stands where the library has its progress bar, and reports to ours."""
    done = initial

    def update(count: int) -> None:
        nonlocal done
        done += count
        if file.size is not None and done > file.size:
            raise SourceFailed(f"{file.name} is longer than {file.size} bytes")
        progress(f"{file.name} from the hub", done, file.size or total)

    return nullcontext(SimpleNamespace(update=update))


def _set_up_library() -> None:
    """Make the library report nothing, whether or not it is loaded already.

    It would tell the hub which AI program runs this one, and keep a list of them in the user's
    folder.
    """
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ.setdefault("HF_HUB_VERBOSITY", "error")  # what it warns of is told by errors here
    from huggingface_hub import constants

    constants.HF_HUB_DISABLE_TELEMETRY = True
    constants.DOWNLOAD_CHUNK_SIZE = PIECE


def _stated_checksum(url: str, file: ModelFile, progress: Progress) -> str:
    """Return the checksum that the hub states of a file, or an empty text."""
    import httpx2
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
    """Turn failures of the network into `SourceFailed`; those of the disk stay as they are."""
    import httpx2
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
