"""Chooses the profile of a new collection by the language of its first files.

A collection that was made without a profile begins with the usual one. A mark in its folder says
that nobody has chosen yet. Its first files are taken in as usual; then the languages that the
ledger has of them decide, and the mark goes. Where another profile is called for, the few chunks
that are there get its vectors before the rest is read.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from casetrack.base.errors import CaseTrackError, See
from casetrack.base.models.profiles import find_profile, profile_for_languages
from casetrack.extract.language import called
from casetrack.store.folders import UNCHOSEN_PROFILE
from casetrack.store.info import info_lock

if TYPE_CHECKING:
    import threading

    from casetrack.store.workspace import Workspace

FIRST_FILES = 8
"""So many files are taken in before the profile is chosen."""


def is_unchosen(workspace: Workspace, /) -> bool:
    """Return whether the profile of a collection is still to be chosen."""
    return (workspace.folder / UNCHOSEN_PROFILE).is_file()


def chosen_by_user(workspace: Workspace, /) -> None:
    """Let the languages of the first files choose no more."""
    if is_unchosen(workspace):
        with info_lock(workspace.folder):
            (workspace.folder / UNCHOSEN_PROFILE).unlink(missing_ok=True)


def choose_profile(workspace: Workspace, cancel: threading.Event, /) -> str | None:
    """Choose the profile by the documents that are there; return what the user should know of it.

    Without a document whose language is known, nothing is chosen yet. Where the models of the
    profile that is called for are not installed, it stays as it is, and the note says what to do.

    Raises
    ------
    CollectionBusy, StorageError
        The collection cannot be changed.
    """
    counts = Counter(d.language for d in workspace.state().documents() if d.language)
    if not counts:
        return None
    chosen_by_user(workspace)
    before = workspace.info.profile
    wanted = profile_for_languages(counts, usual=before)
    if wanted == before:
        return None
    read = find_profile(before).languages
    others = [language for language, _ in counts.most_common() if language not in read]
    said = " and ".join(called(language) for language in others[:2])
    of = counts.total()
    said = f"Of the first {of} files, {sum(counts[n] for n in others)} are in {said}"
    if of == 1:
        said = f"The first file is in {said.rpartition(' in ')[2]}"
    if workspace.encoders.get_installed(wanted) is None:
        return (
            f"{said}, which the profile {before} was not made for: run "
            f"{See('models pull', wanted)} once while online, then "
            f"{See('reindex', profile=wanted)}. Until then questions in other letters than Latin "
            "ones are searched for by their words."
        )
    try:
        _switch(workspace, wanted, cancel)
    except CaseTrackError as error:
        return f"{said}, and the profile {wanted} could not be used: {error.message} {error.hint}"
    return f"{said}: the collection has the profile {wanted}."


def _switch(workspace: Workspace, profile: str, cancel: threading.Event) -> None:
    from casetrack.ingest.reindex import prepare

    prepare(workspace, profile, force=False, tell=_silent, cancel=cancel).run()


def _silent(_what: str, _done: int, _total: int, /) -> None:
    """Tell nobody; it is the work of a few files."""
