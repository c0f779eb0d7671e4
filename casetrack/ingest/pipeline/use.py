"""Which pipeline a collection's further work goes through."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.base.files import write_atomic
from casetrack.ingest.pipeline.files import choose, to_keep, user_files
from casetrack.store.info import info_lock, update_info
from casetrack.store.rewrite import in_force

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.store.workspace import Workspace


def use_pipeline(workspace: Workspace, wanted: str | Path, /) -> bool:
    """Let all further work go through another pipeline; the folder keeps a copy of its file.

    Parameters
    ----------
    wanted
        See :func:`casetrack.ingest.pipeline.files.choose`.

    Returns
    -------
    bool
        Whether it is another one than before, by its name or by what its file says.

    Raises
    ------
    PipelineError
        There is no such pipeline, or it does not hold together; nothing was changed.
    NotWritable, DiskFull, StorageError
        The folder cannot be written.
    """
    folder, data_dir = workspace.folder, workspace.settings.data_dir
    before = workspace.info.pipeline
    if str(wanted) == before and wanted not in {path.stem for path in user_files(data_dir)}:
        return False  # it is in use, and there is no newer form of it
    chosen = choose(wanted, data_dir)
    changes = chosen.name != before
    for path, content in to_keep(chosen).items():
        target = folder / path
        if not target.is_file() or target.read_bytes() != content:
            with info_lock(folder):
                write_atomic(target, content)
            changes = True
    if not changes:
        return False
    update_info(folder, lambda info: replace(in_force(folder, info), pipeline=chosen.name))
    workspace.forget()
    return True
