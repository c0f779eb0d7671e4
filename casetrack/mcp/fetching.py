"""Fetching the search model while the server runs, for installations without a terminal."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from casetrack.errors import CaseTrackError
from casetrack.records import DEFAULT_PROFILE

if TYPE_CHECKING:
    from casetrack.library import Library

logger = logging.getLogger("casetrack.mcp")


def fetch_in_background(library: Library, /) -> threading.Thread:
    """Begin to fetch what the default profile lacks, and return the thread that does it.

    Nothing is fetched where everything is there. What goes wrong is logged: the server answers by
    words meanwhile, and tries again at its next start.
    """
    thread = threading.Thread(target=_fetch, args=(library,), name="models", daemon=True)
    thread.start()
    return thread


def _fetch(library: Library) -> None:
    from casetrack.models.profiles import find_profile
    from casetrack.models.pull import pull

    try:
        if library.missing_models(DEFAULT_PROFILE) is None:
            return
        logger.info("fetching the models of the profile %s", DEFAULT_PROFILE)
        for spec in find_profile(DEFAULT_PROFILE).models:
            logger.info("%s", pull(spec, library.settings.models_dir).summary())
    except (CaseTrackError, OSError) as error:
        logger.warning("the search model could not be fetched: %s", error)
