"""Readers that misbehave, one per extension, for the tests of the pool. Loaded by its workers."""

from __future__ import annotations

import ctypes
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

from casetrack.base.errors import FileEncrypted
from casetrack.parse.base import DocumentInfo, FileHead, Page, Reading, ReadOptions
from casetrack.parse.embedded import attach
from casetrack.parse.page_builder import PageBuilder, SourceLine
from casetrack.parse.text.plain import TextReader


def page(number: int, text: str) -> Page:
    builder = PageBuilder(number)
    builder.paragraph([SourceLine(text)])
    return builder.build()


KINDS = """sleep spin crash exit eat eat_slowly raise print late late_sleep late_crash
    late_eat_slowly late_blank locked many"""


class Hostile:
    name = "Hostile"
    extensions: tuple[str, ...] = tuple(f".{kind}" for kind in KINDS.split())

    def accepts(self, file: FileHead, /) -> bool:
        return True

    def read(self, path: Path, options: ReadOptions, /) -> Reading:
        warnings = ["a warning"]
        kind = path.suffix[1:]
        if kind != "many" and not kind.startswith("late"):
            getattr(self, kind)(path)
        reading = Reading(DocumentInfo("hostile", 1), self._pages(path, kind), warnings)
        if options.spool is not None:
            attach(reading, options, "inside.txt", b"text inside")
        return reading

    def _pages(self, path: Path, kind: str) -> Iterator[Page]:
        for number in range(1, int(path.read_text()) + 1):
            if kind == "late_blank":
                yield Page(number, "", method="Skipped")
                continue
            yield page(number, "x" * 100_000 if kind == "many" else "good")
        if kind.startswith("late_") and kind != "late_blank":
            getattr(self, kind.removeprefix("late_"))(path)
        if kind.startswith("late"):
            raise OverflowError("the second half is missing")

    def sleep(self, path: Path) -> None:
        time.sleep(600)

    def spin(self, path: Path) -> None:
        path.with_suffix(".begun").touch()
        # Holds the interpreter lock, as a parser in C does.
        re.match(r"(a|a|a)*b", "a" * 60)

    def crash(self, path: Path) -> None:
        ctypes.string_at(0)

    def exit(self, path: Path) -> None:
        os._exit(3)

    def eat(self, path: Path) -> None:
        bytearray(1 << 40)

    def eat_slowly(self, path: Path) -> None:
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
        eaten = [b"x" * (1 << 20) for _ in range(3000)]
        time.sleep(60 + len(eaten))

    def print(self, path: Path) -> None:
        print("noise that would break the frames", flush=True)
        os.write(1, b"more noise\n")

    def locked(self, path: Path) -> None:
        raise FileEncrypted(path)


def _fail(self: Hostile, path: Path) -> None:
    int(path.name)


setattr(Hostile, "raise", _fail)  # The extension is a reserved word.

READERS = (Hostile(), TextReader())
