"""Sources of documents behind one protocol: folders, repositories, buckets and scripts.

A source lists its items and fetches single ones; it never accesses a collection.
:mod:`casetrack.keep.sync` applies a listing to a collection.
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
    """Return a source from its configuration, without reading anything.

    *kind* is one of :data:`KINDS`; variables in *settings* are expanded. *base* is the base folder
    of relative paths. *cache* is a folder for data kept between two listings, by default the
    user's.
    """
    declared = kind_of(kind)
    check_name(name, kind=kind)
    where = f"{kind}:{name}"
    values, free = read_settings(declared, settings, where=where, base=base)
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
