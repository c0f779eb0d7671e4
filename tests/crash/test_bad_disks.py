"""A disk that becomes full or read-only during an operation: an error, and no loss of data.

Where the system permits it, this is a real file system of a few megabytes; otherwise, and for many
more moments, the calls that need space or write are made to fail.
"""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.crash.faults import FAIL, reason_without
from tests.crash.killing import check, grow_old, leave_nothing, left_unfinished
from tests.crash.operations import OPERATIONS
from tests.crash.world import look

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.crash.bench import Bench
    from tests.crash.zygote import Child

pytestmark = pytest.mark.slow

MANY = int(os.environ.get("CASETRACK_BAD_DISKS", "4"))
QUICK = {"delete documents", "search without views"}
READERS = {"search without views"}
"""Operations that need no disk at all."""
NUMBERS = {"disk_full": errno.ENOSPC, "not_writable": errno.EROFS}
WORDS = {"disk_full": "The disk is full", "not_writable": "it is read-only"}


class Disk:
    """A small separate file system."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._options = ["-o", "size=256m"]

    def mount(self) -> str | None:
        """Mount it; return why it cannot be."""
        if not sys.platform.startswith("linux"):
            return "mounting is tried on Linux only"
        self.home.mkdir()
        command = ["mount", "-t", "tmpfs", *self._options, "tmpfs", str(self.home)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stderr.strip() or "mount failed" if done.returncode else None

    def _again(self, options: str) -> bool:
        command = ["mount", "-o", f"remount,{options}", str(self.home)]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def leave_room(self, size: int) -> None:
        """Let it have room for *size* more bytes."""
        facts = os.statvfs(self.home)
        used = (facts.f_blocks - facts.f_bfree) * facts.f_frsize
        assert self._again(f"size={(used + size) // 1024 + 1}k")

    def make_read_only(self) -> bool:
        """Make the disk read-only; return False if a write is in progress."""
        return self._again("ro")

    def mend(self) -> None:
        """Make it as it was."""
        assert self._again("rw,size=256m")

    def unmount(self) -> None:
        subprocess.run(["umount", "-l", str(self.home)], check=True)


@pytest.fixture(scope="module")
def disk(bench: Bench) -> Iterator[Disk | str]:
    """Return a disk, or why there is none."""
    result = Disk(bench.home / "disk")
    problem = result.mount()
    yield problem or result
    if problem is None:
        result.unmount()


def fail_calls(bench: Bench, operation: str, code: str, at: int) -> None:
    """Let every call fail from one on, check the error, then let the disk work again."""
    data_dir = bench.copy(operation)
    bench.faults.arm(data_dir, FAIL, at, NUMBERS[code])
    child = bench.zygote.start(operation, data_dir, bench.files(operation))
    status = child.wait()
    where = f"{operation}, at call {at}: {bench.faults.last}"
    is_told(operation, code, status, child.error, where)
    bench.faults.arm(data_dir, FAIL, 1, NUMBERS[code])
    reader = bench.zygote.start(operation, data_dir, bench.files(operation), "look")
    can_read(reader, operation, where, code)
    bench.faults.disarm()
    go_on(bench, operation, data_dir, len(child.acknowledged), where, code)


def use_disk(bench: Bench, disk: Disk, operation: str, code: str, source: random.Random) -> None:
    """Do the same with a real disk."""
    course, data_dir = bench.course(operation), bench.copy(operation, disk.home)
    bench.faults.disarm()
    try:
        if code == "disk_full":
            disk.leave_room(source.randint(0, max(course.grown, 4096)))
        child = bench.zygote.start(operation, data_dir, bench.files(operation))
        if code == "not_writable":
            time.sleep(0.0 if operation in READERS else source.uniform(0.0, course.seconds))
            until = time.monotonic() + 60
            while not disk.make_read_only():
                assert time.monotonic() < until, f"{operation} has a file open for writing"
                time.sleep(0.001)
        status = child.wait()
        is_told(operation, code, status, child.error, operation)
        reader = bench.zygote.start(operation, data_dir, bench.files(operation), "look")
        can_read(reader, operation, operation, code)
    finally:
        disk.mend()
    go_on(bench, operation, data_dir, len(child.acknowledged), operation, code)


def can_read(reader: Child, operation: str, where: str, code: str) -> None:
    status = reader.wait()
    if operation == "migrate" and status:
        # An unmigrated collection cannot be read; its error has the reason.
        is_told(operation, code, status, reader.error, where)
        return
    assert status == 0, (where, reader.error["trace"])


def is_told(operation: str, code: str, status: int, error: dict[str, str], where: str) -> None:
    assert status in {0, 1}, (where, status)
    if operation in READERS:
        assert status == 0, (where, error["trace"])
    if status:
        assert error["code"] == code, (where, error["trace"])
        assert WORDS[code] in error["message"], where
        assert error["hint"], where


def go_on(
    bench: Bench, operation: str, data_dir: Path, acknowledged: int, where: str, code: str
) -> None:
    """Check the acknowledged data; repeat the operation, which must succeed without leftovers."""
    states = bench.course(operation).states
    check(data_dir, states, acknowledged)
    if code == "disk_full":  # removing needs no space
        assert left_unfinished(data_dir) == [], where
    again = bench.zygote.start(operation, data_dir, bench.files(operation))
    assert again.wait() == 0, (where, again.error["trace"])
    assert look(data_dir) == states[-1], where
    grow_old(data_dir)
    assert leave_nothing(data_dir) == [], where


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        pytest.param(o, list(NUMBERS)[n % 2], marks=() if o in QUICK else pytest.mark.slow)
        for n, o in enumerate(OPERATIONS)
    ],
)
def test_once(bench: Bench, disk: Disk | str, operation: str, code: str) -> None:
    source = random.Random(f"{operation} {code}")
    if isinstance(disk, Disk) and (code == "not_writable" or not bench.faults.counts):
        use_disk(bench, disk, operation, code, source)
    elif bench.faults.counts:
        calls = 1 if operation in READERS else bench.course(operation).calls
        fail_calls(bench, operation, code, source.randint(1, calls))
    else:
        pytest.skip(f"no disk can be made ({disk}) and no call can fail ({reason_without()})")


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("code", NUMBERS)
def test_often(bench: Bench, disk: Disk | str, code: str) -> None:
    source = random.Random(3)
    if isinstance(disk, str) and not bench.faults.counts:
        pytest.skip(f"no disk can be made ({disk}) and no call can fail ({reason_without()})")
    for number in range(MANY):
        operation = list(OPERATIONS)[number % len(OPERATIONS)]
        if isinstance(disk, Disk) and (number % 3 == 0 or not bench.faults.counts):
            use_disk(bench, disk, operation, code, source)
        else:
            fail_calls(bench, operation, code, source.randint(1, bench.course(operation).calls))
