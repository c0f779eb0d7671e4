"""Who is at work, and by which program: what the audit log says of each change.

The program says its own name; nobody checks that, and nobody could: whoever may run programs as
this user may run any. The user is what the system says.
"""

from __future__ import annotations

import contextlib
import functools
import getpass
import os
import sys
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 80
_process = ["python"]
_work: ContextVar[str] = ContextVar("casetrack_actor", default="")


def act_as(program: str, /) -> None:
    """Say what this process is, such as ``casetrack ingest``."""
    _process[0] = _plain(program)


@contextlib.contextmanager
def acting(program: str, /) -> Iterator[None]:
    """Say by whom the work of the block was asked for, such as the name of an AI program."""
    before = _work.set(_plain(program))
    try:
        yield
    finally:
        _work.reset(before)


def program() -> str:
    """Return what is at work, such as ``casetrack serve (claude-code)``; ``python`` by default."""
    asked = _work.get()
    return f"{_process[0]} ({asked})" if asked else _process[0]


@functools.cache
def user() -> str:
    """Return the name of the user that this process runs as, by the system."""
    if sys.platform == "win32":
        return getpass.getuser()
    import pwd

    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:  # a container may run as a number alone
        return f"uid {os.geteuid()}"


def _plain(text: str) -> str:
    """Return what a program calls itself, on one line and not too long."""
    return "".join(c if c.isprintable() else " " for c in text)[:_MOST].strip()
