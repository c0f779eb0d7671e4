"""The process that reads files for :class:`casetrack.parse.workers.pool.ParsePool`.

It takes one request after the other from its standard input and answers in frames on its standard
output. Whatever a parser prints goes to nowhere. A hostile file can kill this process, never the
one that asked.

Four ways end it, so that nothing is left behind: its input closes; on Linux the kernel kills it
with its parent, also inside a parser's endless loop; a timer that needs no interpreter lock ends
it when a read takes far too long; the pool kills it.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import queue
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from casetrack.base.allocator import give_back, share_arenas
from casetrack.base.errors import CaseTrackError, ParseFailed, ParseLimit
from casetrack.parse.detect import choose, read_head
from casetrack.parse.printed.pages import with_printed
from casetrack.parse.workers.batches import batches
from casetrack.parse.workers.frames import (
    ARROW,
    PICTURE,
    pack_error,
    read_frame,
    write_frame,
    write_json,
)
from casetrack.parse.workers.requests import Request, pack_attachments, pack_info

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.parse.base import Page, Reader, Reading

_GRACE = 30.0
"""Seconds over the time limit after which a worker ends itself, in case nobody is left to do it."""

_HEAVY_BYTES = 200 << 20
_PR_SET_PDEATHSIG = 1


class _Timer:
    """Ends this process when a step takes too long; runs in C, beside a parser that hangs."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds + _GRACE
        self._nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - kept open

    def start(self) -> None:
        faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._nowhere)

    def stop(self) -> None:
        faulthandler.cancel_dump_traceback_later()


def main(arguments: Sequence[str], /) -> None:
    """Serve requests until the input closes.

    Parameters
    ----------
    arguments
        ``module:attribute`` of the readers, the memory limit in MiB, the time limit in seconds,
        the parent's process id.
    """
    readers_name, memory_mb, timeout, parent = arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with(int(parent))
    source, sink = _take_over_streams()
    module, _, attribute = readers_name.partition(":")
    readers: tuple[Reader, ...] = getattr(importlib.import_module(module), attribute)
    _limit_memory(int(memory_mb))
    share_arenas()
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(source, requests), daemon=True).start()
    timer = _Timer(float(timeout))
    write_json(sink, {"event": "ready"})
    while True:
        answer(Request.unpack(requests.get()), readers, sink, timer, memory_mb)


def _take_over_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep the real input and output for frames; parsers that print reach nobody."""
    source, sink = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return source, sink


def _listen(source: BinaryIO, requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    while True:
        frame = read_frame(source)
        if frame is None:
            os._exit(0)
        requests.put(json.loads(frame[1]))


def _die_with(parent: int) -> None:
    if not sys.platform.startswith("linux"):
        return
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(0)


def _limit_memory(memory_mb: int) -> None:
    """Let the address space grow by the limit.

    Where the system has no such limit, the pool's watch on resident memory is alone.
    """
    if sys.platform == "win32":
        return
    import resource

    import psutil

    limit = psutil.Process().memory_info().vms + memory_mb * 1024 * 1024
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    except (ValueError, OSError):
        # macOS refuses it; see the docstring.
        return


def answer(
    request: Request, readers: Sequence[Reader], sink: BinaryIO, timer: _Timer, memory_mb: str, /
) -> None:
    """Do what is asked, in frames.

    For a file: info, batches, then done or error. For a page: a picture with its size, or none.
    """
    path = request.path
    opened: list[Reading] = []

    def send(message: dict[str, Any]) -> None:
        timer.stop()
        write_json(sink, message | (_told(opened[0]) if opened else {}))

    timer.start()
    try:
        if request.action == "draw":
            _draw(request, sink, timer)
        else:
            opened.append(choose(read_head(path), readers).read(path, request.options))
            _send_pages(request, opened[0], sink, timer)
    except MemoryError:
        # What is left of the heap is not to be trusted: the pool replaces this process.
        limit = f"it needed more than {memory_mb} MB of memory (memory_mb)"
        send({"event": "error", "fatal": True, "error": pack_error(ParseLimit(path, limit))})
    except CaseTrackError as error:
        send({"event": "error", "error": pack_error(error)})
    except RecursionError:
        limit = "its parts are nested too deeply"
        send({"event": "error", "error": pack_error(ParseLimit(path, limit))})
    except Exception as error:  # noqa: BLE001 - a parser may raise anything on a hostile file
        failed = ParseFailed(path, _kind(path, readers), _reason(error))
        send({"event": "error", "error": pack_error(failed)})
    finally:
        timer.stop()


def _send_pages(request: Request, reading: Reading, sink: BinaryIO, timer: _Timer) -> None:
    timer.stop()
    write_json(sink, {"event": "info", **pack_info(reading.info)})
    timer.start()
    for batch in batches(with_printed(_bounded(reading, request.options.limits.max_pages))):
        payload = memoryview(batch.serialize())
        timer.stop()
        write_frame(sink, ARROW, payload)
        timer.start()
        _slim()
    timer.stop()
    write_json(sink, {"event": "done", **_told(reading)})


def _slim() -> None:
    """Give back what reading pictures has left: a worker need not stay as large as it ever was."""
    import psutil

    if psutil.Process().memory_info().rss > _HEAVY_BYTES:
        give_back()


def _told(reading: Reading) -> dict[str, Any]:
    """Return what a reader has to tell beside the pages, so far."""
    return {
        "warnings": reading.warnings,
        "missing": reading.missing,
        "attachments": pack_attachments(reading.attachments),
    }


def _bounded(reading: Reading, most: int) -> Iterator[Page]:
    """Give the first pages; what is over the limit is told as missing, and not read."""
    for count, page in enumerate(reading.pages):
        if count == most:
            known = reading.info.page_count
            of_all = f" of {known:,}" if known > most else ""
            text = f"Only the first {most:,}{of_all} pages were read (max_pages)."
            reading.missing.append(text)
            return
        yield page


def _draw(request: Request, sink: BinaryIO, timer: _Timer) -> None:
    from casetrack.parse.render import render_page

    image = render_page(request.path, request.page, dpi=request.dpi, options=request.options)
    timer.stop()
    if image is None:
        write_json(sink, {"event": "no_picture"})
        return
    size = {"width": image.width, "height": image.height, "scale": image.scale}
    write_json(sink, {"event": "picture", **size})
    write_frame(sink, PICTURE, image.png)


def _kind(path: Path, readers: Sequence[Reader]) -> str:
    extension = path.suffix.lower()
    return next((r.name for r in readers if extension in r.extensions), "File")


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())[:300]
    return f"{text} ({type(error).__name__})" if text else type(error).__name__


if __name__ == "__main__":
    main(sys.argv[1:])
