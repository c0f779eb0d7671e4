"""Choice of a new collection's profile by the language of its first files.

A collection created without a profile starts with the default one, and a file in its folder marks
the choice as open. The first files are ingested as usual; then their languages decide. If another
profile is chosen, the few existing chunks get its vectors before the rest is read.
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
"""Number of files to ingest before the profile is chosen."""


def is_unchosen(workspace: Workspace, /) -> bool:
    """Return whether the profile of a collection is still to be chosen."""
    return (workspace.folder / UNCHOSEN_PROFILE).is_file()


def chosen_by_user(workspace: Workspace, /) -> None:
    """End the automatic choice, because the user chose a profile."""
    if is_unchosen(workspace):
        with info_lock(workspace.folder):
            (workspace.folder / UNCHOSEN_PROFILE).unlink(missing_ok=True)


def choose_profile(workspace: Workspace, cancel: threading.Event, /) -> str | None:
    """Choose the profile by the languages of the documents; return a note for the user.

    Without a document of known language the choice stays open. If the models of the chosen profile
    are not installed, the profile stays, and the note has the next step.
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
    text = " and ".join(called(language) for language in others[:2])
    of = counts.total()
    text = f"Of the first {of} files, {sum(counts[n] for n in others)} are in {text}"
    if of == 1:
        text = f"The first file is in {text.rpartition(' in ')[2]}"
    if workspace.encoders.get_installed(wanted) is None:
        return (
            f"{text}, which the profile {before} was not made for: run "
            f"{See('models pull', wanted)} once while online, then "
            f"{See('reindex', profile=wanted)}. Until then, questions in non-Latin scripts use "
            "keyword search only."
        )
    try:
        _switch(workspace, wanted, cancel)
    except CaseTrackError as error:
        return f"{text}, and the profile {wanted} could not be used: {error.message} {error.hint}"
    return f"{text}: the collection has the profile {wanted}."


def _switch(workspace: Workspace, profile: str, cancel: threading.Event) -> None:
    from casetrack.ingest.reindex import prepare

    prepare(workspace, profile, force=False, tell=_silent, cancel=cancel).run()


def _silent(_what: str, _done: int, _total: int, /) -> None:
    """Report no progress: only a few files are processed."""
