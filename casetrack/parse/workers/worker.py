"""The process that reads files for :class:`casetrack.parse.workers.pool.ParsePool`.

It reads requests from its standard input and writes frames to its standard output; output of
parsers is discarded. A hostile file can end this process, but not the caller.

It ends when its input closes, when its parent ends (Linux kills it, even inside a parser's endless
loop), when a read exceeds its time limit (by a timer without the interpreter lock), or when the
pool kills it.
"""

from __future__ import annotations

import faulthandler
import importlib
import json
import os
import queue
import re
import signal
import sys
import threading
from collections import Counter, deque
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from casetrack.base.errors import CaseTrackError, ParseFailed, ParseLimit
from casetrack.base.machine import load_light, release_memory, share_arenas
from casetrack.base.provenance import PrintedPlace
from casetrack.base.words.lists import any_month
from casetrack.parse.detect import choose, read_head
from casetrack.parse.ocr.choose import unload_engines
from casetrack.parse.printed.typed_numbers import TypedNumbers, without
from casetrack.parse.workers.messages import (
    ARROW,
    PICTURE,
    Request,
    batches,
    pack_error,
    read_frame,
    write_frame,
    write_json,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from casetrack.parse.base import Page, Reader, Reading

# The last stage of reading, the same for every format: moves printed numbers out of the text.

# Finds the Bates numbers stamped at the edge of pages.

_STAMP = re.compile(
    r"(?<![\w.:/#-])"
    r"(?P<prefix>[A-Z][A-Z&]{1,11}(?:\d{0,2}[-_.][A-Z&]{1,12}){0,3}\d{0,2}?[-_ ]{0,2})"
    r"(?P<digits>\d{4,10})(?![\w/]|[.,:-]\d)"
)
_OTHER = re.compile(
    r"(?:NO|NOS|NUMBER|FORM|PAGE|PG|DATE|REV|FAX|TEL|PHONE|ZIP|ECF|DKT|DOC|CASE|CV|CR|BOX|SUITE|STE|"
    r"ROOM|FILE|ID|ISO|IRS|SEC|DC|NY|CA|TX|FL|US|USC|CFR|FY|QTR|VERSION|ITEM|NOTE|SECTION|COPYRIGHT|WL|"
    r"LEXIS|ISBN|ISSN|BAR|SBN|INVOICE|ORDER|PO|REF|ACCOUNT|ACCT|CHECK|TOTAL|SINCE|PATENT"
    rf"|{any_month().upper()})[-_ .]*"
)
_EDGE = 3
_SURE_DIGITS = 5


@dataclass(frozen=True, slots=True)
class _Stamp:
    """A number as stamped; *line* is its span in the text if it is alone on a line."""

    label: str
    prefix: str
    number: int
    is_sure: bool
    line: tuple[int, int] | None

    def follows(self, other: _Stamp | None) -> bool:
        return other is not None and (self.prefix, self.number) == (other.prefix, other.number + 1)


@dataclass(slots=True)
class BatesStamps:
    """Finds the Bates numbers on the pages of one document, given in order.

    A prefix in capitals and five digits or more are one if they are alone at the edge of a page;
    fewer digits, or a prefix with a space, only if they continue from page to page.
    """

    _last: _Stamp | None = None
    _held: tuple[Page, list[_Stamp]] | None = None

    def take(self, page: Page, /) -> Iterator[Page]:
        """Yield pages with their numbers; an unconfirmed one waits for the next page."""
        stamps = _stamps(page)
        if self._held is not None:
            held, candidates = self._held
            self._held = None
            sure = next((s for s in candidates if any(t.follows(s) for t in stamps)), None)
            self._last = sure
            yield _stamped(held, sure)
        chosen = next((s for s in stamps if s.follows(self._last)), None)
        chosen = chosen or next((s for s in stamps if s.is_sure), None)
        if chosen is None and stamps and self._last is None:
            self._held = page, stamps
            return
        self._last = chosen or self._last
        yield _stamped(page, chosen)

    def rest(self) -> Iterator[Page]:
        """Yield the waiting page at the end."""
        if self._held is not None:
            yield self._held[0]


def _stamps(page: Page) -> list[_Stamp]:
    if page.sheet_name is not None or page.kind not in {"page", "section"}:
        return []
    stamps = [
        stamp
        for running in (page.footer, page.header)
        if running
        for stamp in _read(running, None, alone=_STAMP.fullmatch(running.strip()) is not None)
    ]
    lines = page.lines
    edges = dict.fromkeys([*lines[-_EDGE:][::-1], *lines[:_EDGE]])
    for line in edges:
        text = page.text[line.start : line.end]
        if len(text) <= 80:
            match = _STAMP.fullmatch(text)
            span = (line.start, line.end) if match else None
            stamps += _read(text, span, alone=match is not None)
    return stamps


def _read(text: str, line: tuple[int, int] | None, *, alone: bool) -> Iterator[_Stamp]:
    for m in _STAMP.finditer(text):
        prefix, digits = m["prefix"], m["digits"]
        if _OTHER.fullmatch(prefix):
            continue
        is_sure = (
            len(digits) >= _SURE_DIGITS and " " not in prefix and (alone or digits.startswith("0"))
        )
        yield _Stamp(m[0], prefix, int(digits), is_sure, line)


def _stamped(page: Page, stamp: _Stamp | None) -> Page:
    if stamp is None:
        return page
    if stamp.line is not None and len(page.lines) > 1:
        # Alone on its line it is not part of the text, but of the page's footer.
        page = without(page, [stamp.line]).page
        page = replace(page, footer=" ".join(filter(None, (page.footer, stamp.label))))
    if not page.text:
        return page
    return replace(
        page, printed=(*page.printed, PrintedPlace("bates", stamp.label, 0, len(page.text)))
    )


# Removes marks of star pages from the text: pages of a reporter within another print.

_MARK = re.compile(
    r"\[(?P<stars>\*{1,3})(?P<sure>\d{1,5})\]|(?<![^\s(\"\u201c])\*{1,2}(?P<bare>\d{1,5})(?![\d*,.%)\]/-])"
)
_LEAST, _LEAST_LARGE, _LARGE = 3, 2, 100


@dataclass(slots=True)
class StarPages:
    """Finds the star pages of one document in page order, in one series per reporter."""

    _open: list[int] = field(default_factory=list)

    def take(self, page: Page, /) -> Page:
        """Return a page without marks of star pages, which become printed places."""
        marked = [(p.start, int(p.label)) for p in page.printed if p.kind == "star"]
        others = tuple(p for p in page.printed if p.kind != "star")
        typed = self._typed(page) if "*" in page.text else []
        if not (marked or typed or self._open):
            return page
        edited = without(replace(page, printed=others), [m.span() for m in typed])
        stars = [(edited.moved(start), label) for start, label in marked]
        stars += [(edited.moved(m.end()), int(m["sure"] or m["bare"])) for m in typed]
        stars.sort()
        page = edited.page
        return replace(page, printed=(*page.printed, *self._places(stars, len(page.text))))

    def _places(self, stars: Sequence[tuple[int, int]], length: int) -> list[PrintedPlace]:
        going = dict.fromkeys(self._open, 0)
        places: list[PrintedPlace] = []
        for at, label in stars:
            before = [old for old in going if 0 < label - old <= _LEAST]
            if before:
                old = max(before)
                places.append(PrintedPlace("star", str(old), going.pop(old), at))
            elif label in going:
                continue
            going[label] = at
        places += [PrintedPlace("star", str(label), at, length) for label, at in going.items()]
        self._open = list(going)
        return sorted((p for p in places if p.start < p.end), key=lambda p: p.start)

    def _typed(self, page: Page) -> list[re.Match[str]]:
        if page.sheet_name is not None or any(p.kind == "code" for p in page.paragraphs):
            return []
        marks = list(_MARK.finditer(page.text))
        often = Counter(m["bare"] for m in marks)
        matches, series = [], list[list[re.Match[str]]]()
        for m in marks:
            if m["sure"]:
                matches.append(m)
                continue
            if often[m["bare"]] > 1:
                continue
            value = int(m["bare"])
            run = next((s for s in series if int(s[-1]["bare"]) == value - 1), None)
            if run is None:
                series.append([m])
            else:
                run.append(m)
        for run in series:
            first = int(run[0]["bare"])
            least = _LEAST_LARGE if first >= _LARGE else _LEAST
            if len(run) >= least or first - 1 in self._open:
                matches += run
        return sorted(matches, key=lambda m: m.start())


def with_printed(pages: Iterable[Page], /) -> Iterator[Page]:
    """Yield the pages of a document with the places printed on them, removed from the text."""
    numbers, stars, bates = TypedNumbers(), StarPages(), BatesStamps()

    def stamped(plain: Page) -> Iterator[Page]:
        return bates.take(stars.take(plain))

    def waiting() -> Iterator[Page]:
        for plain in numbers.rest():
            yield from stamped(plain)
        yield from bates.rest()

    try:
        for page in pages:
            # A reader that knows the positions of lines on paper has removed their numbers.
            for plain in numbers.take(page) if page.width is None else (page,):
                yield from stamped(plain)
    except Exception:
        # A waiting page is not lost with an unreadable one.
        yield from waiting()
        raise
    yield from waiting()


_GRACE = 30.0
"""Seconds over the time limit after which a worker ends itself, in case its parent cannot."""

_HEAVY_BYTES = 200 << 20
_PR_SET_PDEATHSIG = 1
_plain = deque([False], maxlen=3)
"""Whether the last documents had no recognized text: their engines are then unloaded."""


class _Timer:
    """Ends this process when a step takes too long; runs in C, even while a parser hangs."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds + _GRACE
        self._nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - kept open

    def start(self) -> None:
        faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._nowhere)

    def stop(self) -> None:
        faulthandler.cancel_dump_traceback_later()


def main(arguments: Sequence[str], /) -> None:
    """Serve requests until the input closes.

    *arguments*: ``module:attribute`` of the readers, memory limit in MiB, time limit in seconds,
    parent process id.
    """
    readers_name, memory_mb, timeout, parent = arguments
    load_light()
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
    """Reserve the input and output for frames; output of parsers is discarded."""
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
    """Let the address space grow by the limit, on systems that have such a limit."""
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
        # macOS does not support it; see the docstring.
        return


def answer(
    request: Request, readers: Sequence[Reader], sink: BinaryIO, timer: _Timer, memory_mb: str, /
) -> None:
    """Answer a request: info, batches, then done or error for a file; a picture for a page."""
    path = request.path
    opened: list[Reading] = []

    def send(message: dict[str, Any]) -> None:
        timer.stop()
        write_json(sink, message | (_messages(opened[0]) if opened else {}))

    timer.start()
    try:
        if request.action == "draw":
            _draw(request, sink, timer)
        elif request.action == "cells":
            from casetrack.parse.sheets.reader import sheet_rows

            rows = sheet_rows(path, request.page, *request.rows, options=request.options)
            send({"event": "cells", "rows": rows})
        else:
            opened.append(choose(read_head(path), readers).read(path, request.options))
            _send_pages(request, opened[0], sink, timer)
    except MemoryError:
        # The heap may be corrupt: the pool replaces this process.
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
    write_json(sink, {"event": "info", **asdict(reading.info)})
    timer.start()
    recognized = 0
    for batch in batches(with_printed(_bounded(reading, request.options.limits.max_pages))):
        recognized += batch.num_rows - batch["ocr_engine"].null_count
        payload = memoryview(batch.serialize())
        timer.stop()
        write_frame(sink, ARROW, payload)
        timer.start()
        _release_memory()
    timer.stop()
    write_json(sink, {"event": "done", **_messages(reading)})
    _plain.append(not recognized)
    if all(_plain):
        unload_engines()
        _release_memory()


def _release_memory() -> None:
    """Release memory after reading pictures, so that a worker does not stay at its largest size."""
    import psutil

    if psutil.Process().memory_info().rss > _HEAVY_BYTES:
        release_memory()


def _messages(reading: Reading) -> dict[str, Any]:
    return {
        "warnings": reading.warnings,
        "missing": reading.missing,
        "attachments": [asdict(one) for one in reading.attachments],
    }


def _bounded(reading: Reading, most: int) -> Iterator[Page]:
    """Yield the first pages; pages over the limit are reported as missing, and not read."""
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
