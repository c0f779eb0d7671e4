"""Translation of errors that damaged files cause.

Lance and Arrow report a damaged file in many ways: ``OSError``, ``ValueError``, ``RuntimeError``,
``KeyError`` of a column, or a Rust panic, which is not an ``Exception``. All of them are raised as
:class:`casetrack.base.errors.CollectionDamaged`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from casetrack.base.errors import CaseTrackError, CollectionDamaged, See, StorageError
from casetrack.base.files import translate
from casetrack.base.objects.address import is_address
from casetrack.base.objects.service import fault_of
from casetrack.store.place import place_of
from casetrack.store.sealed import gone

_LIBRARIES = ("lance", "pyarrow")
_PANIC = "PanicException"
_HINT = (
    f"Run {See('doctor', repair=True)}: it repairs the data where possible, and reports losses. "
    "Or restore the folder from a backup."
)

_ELSEWHERE = (
    f"Check the address with {See('collection info')}; was the collection deleted there? Run "
    f"{See('doctor')} to see the problems."
)


@contextlib.contextmanager
def reading(path: str | Path, /) -> Iterator[None]:
    """Translate errors of Lance about unreadable data.

    For a few lines that only read the dataset or the collection's folder at *path*.
    """
    try:
        yield
    except CaseTrackError:
        raise
    except BaseException as error:
        if not (isinstance(error, OSError | ValueError) or is_of_library(error)):
            raise
        raise _damaged(path, error) from error


@contextlib.contextmanager
def damage_errors(folder: Path, /) -> Iterator[None]:
    """Translate errors of Lance and Arrow in longer work on the collection in *folder*.

    They count as damage, unless the operating system's message reports a full or read-only disk.
    Any other error is raised unchanged.
    """
    try:
        yield
    except CaseTrackError:
        raise
    except BaseException as error:
        if not is_of_library(error):
            raise
        if isinstance(error, Exception):
            place = place_of(folder)
            if place.is_remote:
                raise _damaged(place.uri, error) from error
            translated = translate(error, folder)
            if type(translated) is not StorageError:
                raise translated from error
        raise _damaged(folder, error) from error


def is_of_library(error: BaseException, /) -> bool:
    """Return whether Lance or Arrow raised an error, not our own code."""
    if type(error).__name__ == _PANIC:
        return True
    if not isinstance(error, Exception):
        return False
    if type(error).__module__.partition(".")[0] in _LIBRARIES:
        return True
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    name = trace.tb_frame.f_code.co_filename.replace("\\", "/")
    return any(f"/{library}/" in name or name.startswith(f"{library}/") for library in _LIBRARIES)


def _damaged(where: Path | str, error: BaseException) -> CaseTrackError:
    if is_address(where):
        if isinstance(error, Exception) and fault_of(error).kind != "other":
            return translate(error, where)
        return _noted(
            CollectionDamaged(f"The data at {where} cannot be read.", hint=_ELSEWHERE), error
        )
    path = Path(where)
    home = path.parent if path.name.endswith(".lance") else path
    if not path.exists() and not any(home.glob("*collection.json*")):
        return gone(home)
    return _noted(
        CollectionDamaged(f"The data of this collection cannot be read: {path}", hint=_HINT), error
    )


def _noted(damage: CollectionDamaged, error: BaseException) -> CollectionDamaged:
    first = str(error).partition("\n")[0][:200]
    damage.add_note(f"{type(error).__name__}: {first}")
    return damage
