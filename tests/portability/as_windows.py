"""A pytest plugin that makes Python in this process behave as on Windows.

The library in C (``windows.c``) sees calls of the system, but not their caller. File operations of
a test itself, to damage or to clean up, count as those of another program: nothing refuses them.
Differences of Python on Windows are implemented here.
"""

from __future__ import annotations

import builtins
import ctypes
import functools
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_CHECKOUT = Path(__file__).parents[2]
_NOT_ON_WINDOWS = {
    "test_odd_names[names0]"  # one of 240 letters, so that its path is too long
}
_SCANDIR = os.scandir
_PRODUCT, _TESTS = f"{_CHECKOUT / 'casetrack'}{os.sep}", f"{_CHECKOUT / 'tests'}{os.sep}"


def _is_the_product() -> bool:
    """Return whether casetrack, and not a test, is the next to be asked who wanted this."""
    frame = sys._getframe(2)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(_PRODUCT):
            return True
        if name.startswith(_TESTS):
            return False
        frame = frame.f_back
    return False


class _Entry:
    """An entry of a folder, without number and device, as in a listing on Windows."""

    def __init__(self, entry: os.DirEntry[str]) -> None:
        self._entry = entry

    def __getattr__(self, name: str) -> Any:
        return getattr(self._entry, name)

    def __fspath__(self) -> str:
        return self._entry.path

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        result = self._entry.stat(follow_symlinks=follow_symlinks)
        unknown = {1: 0, 2: 0, 3: 0}  # inode, device, number of names
        parts = [unknown.get(place, value) for place, value in enumerate(result)]
        times = {name: getattr(result, name) for name in dir(result) if name.startswith("st_")}
        return os.stat_result(parts, times)


class _Listing:
    """``os.scandir`` that yields such entries to the product, and true ones to all others."""

    def __init__(self, path: Any = ".") -> None:
        self._listing = _SCANDIR(path)
        self._is_told = _is_the_product() and not isinstance(path, int)

    def __enter__(self) -> _Listing:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> _Listing:
        return self

    def __next__(self) -> Any:
        entry = next(self._listing)
        return _Entry(entry) if self._is_told else entry

    def close(self) -> None:
        self._listing.close()


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leave out tests that do not apply to files on Windows."""
    left_out = [item for item in items if item.name in _NOT_ON_WINDOWS]
    items[:] = [item for item in items if item.name not in _NOT_ON_WINDOWS]
    config.hook.pytest_deselected(items=left_out)


def pytest_configure() -> None:
    """Put Python's part in place, before a test is read."""
    look_away = ctypes.CDLL(None).windows_look_away
    rename = os.rename

    def outside(call: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(call)
        def ask(*given: Any, **named: Any) -> Any:
            if _is_the_product():
                return call(*given, **named)
            look_away(1)
            try:
                return call(*given, **named)
            finally:
                look_away(0)

        return ask

    def rename_to_what_is_free(source: Any, target: Any, **named: Any) -> None:
        """``os.rename`` of Windows replaces nothing."""
        if _is_the_product() and os.path.lexists(target) and not Path(source).samefile(target):
            raise FileExistsError(17, "Cannot create a file when that file already exists", target)
        rename(source, target, **named)

    io.open = builtins.open = outside(io.open)
    for name in ("unlink", "remove", "rmdir", "replace", "mkdir", "open"):
        setattr(os, name, outside(getattr(os, name)))
    os.rename = outside(rename_to_what_is_free)

    os.scandir = _Listing

    from casetrack.base import files

    files.IS_WINDOWS = True
    from casetrack.store import folders

    folders.IS_WINDOWS = True
