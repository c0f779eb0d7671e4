"""Open the models of a profile as one encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.errors import ModelNotFound, ProfileIncomplete, UsageError
from casetrack.models.encoder import Encoder, chosen_sessions
from casetrack.models.model import Model
from casetrack.models.profiles import find_profile

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.models.profiles import Profile


def load_profile(
    models_dir: Path,
    profile: str | Profile,
    /,
    *,
    sessions: int | None = None,
    threads: int | None = None,
) -> Encoder:
    """Open the models of a profile; their weights are loaded with the first text.

    Parameters
    ----------
    models_dir
        The models folder.
    profile
        A profile whose models run on this machine, or its name.
    sessions
        Passes side by side when documents are encoded; by default one per physical core, at
        most 4.
    threads
        Threads within each pass; by default 1.

    Raises
    ------
    UsageError
        There is no such profile, or a provider makes its vectors.
    ModelNotFound
        Models of it are not installed; the text names all of them.
    ModelCorrupt
        A file has not the length it should have, or a manifest cannot be read.
    """
    found = find_profile(profile) if isinstance(profile, str) else profile
    if not found.dense:
        raise UsageError(
            f'Profile "{found.name}" has no models on this machine: {found.provider} makes its '
            "vectors.",
            hint="Choose one of the other profiles (`casetrack models list`).",
        )
    models, missing = {}, []
    for name in found.model_names:
        try:
            models[name] = Model.open(models_dir, name, threads=max(1, threads or 1))
        except ModelNotFound:
            missing.append(name)
    if missing == [found.name]:
        raise ModelNotFound(found.name, models_dir)
    if missing:
        raise ProfileIncomplete(found.name, missing, models_dir)
    return Encoder(
        found.name,
        models[found.dense],
        tokens=models[found.tokens] if found.tokens else None,
        sparse=models[found.sparse] if found.sparse else None,
        sessions=chosen_sessions(sessions),
    )
