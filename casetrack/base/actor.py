"""The program and the user that the audit log records for each change.

The program's name is self-reported and cannot be verified: any program runs with the rights of its
user. The user's name comes from the operating system.
"""

from __future__ import annotations

import contextlib
import functools
import getpass
import os
import sys
from collections.abc import Iterator
from contextvars import ContextVar

_MOST = 80
_process = ["python"]
_work: ContextVar[str] = ContextVar("casetrack_actor", default="")


def act_as(program: str, /) -> None:
    """Set the name of this process, such as ``casetrack ingest``."""
    _process[0] = _plain(program)


@contextlib.contextmanager
def acting(program: str, /) -> Iterator[None]:
    """Set the requester of the block's work, such as the name of an AI program."""
    before = _work.set(_plain(program))
    try:
        yield
    finally:
        _work.reset(before)


def program() -> str:
    """Return the running program, such as ``casetrack serve (claude-code)``; default ``python``."""
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
    """Return a program's name as one line of limited length."""
    return "".join(c if c.isprintable() else " " for c in text)[:_MOST].strip()
