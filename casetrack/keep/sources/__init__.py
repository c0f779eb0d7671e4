"""Where documents come from: folders, repositories, buckets and scripts, behind one protocol.

A source lists what it has and fetches single items; it never touches a collection. What a listing
means for a collection is decided in :mod:`casetrack.keep.sync`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.keep.sources.kinds import KINDS, Key, Kind, check_name, kind_of, read_settings

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from casetrack.keep.sources.base import Source

__all__ = ["KINDS", "Key", "Kind", "open_source"]


def open_source(
    kind: str,
    name: str,
    settings: Mapping[str, object],
    /,
    *,
    base: Path,
    cache: Path | None = None,
    apart: Iterable[Path] = (),
) -> Source:
    """Return a source as a configuration describes it. Nothing is read yet.

    Parameters
    ----------
    kind
        One of :data:`KINDS`.
    name
        The user's own name of it.
    settings
        Its keys and values, with variables expanded.
    base
        Folder that relative paths in it are relative to: that of the configuration.
    cache
        Folder for what is kept between two listings and may be lost; the user's cache folder where
        it is ``None``.
    apart
        Folders that no source enters: those that the program keeps its own data in.

    Raises
    ------
    UsageError
        There is no such kind, or a key or value of *settings* cannot be understood.
    SourceError
        What it needs is not installed on this machine, or not set in the environment.
    """
    found = kind_of(kind)
    check_name(name, kind=kind)
    where = f"{kind}:{name}"
    values, free = read_settings(found, settings, where=where, base=base)
    return _open(kind, name, values, free, base=base, cache=cache, apart=tuple(apart))


def _open(
    kind: str,
    name: str,
    values: dict[str, Any],
    free: dict[str, object],
    *,
    base: Path,
    cache: Path | None,
    apart: tuple[Path, ...],
) -> Source:
    if kind == "git":
        from casetrack.keep.sources.git.source import GitSource

        return GitSource(name, **values, base=base, cache=cache)
    if kind == "s3":
        from casetrack.keep.sources.s3 import S3Source

        return S3Source(name, **values)
    if kind == "script":
        from casetrack.keep.sources.script import ScriptSource

        return ScriptSource(name, **values, settings=free)
    from casetrack.keep.sources.filesystem import FilesystemSource

    return FilesystemSource(name, **values, apart=apart)
