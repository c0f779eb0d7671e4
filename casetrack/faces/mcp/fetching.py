"""Download of missing models while the server runs."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from mcp.types import CallToolResult, TextContent

from casetrack.base.errors import CaseTrackError, DownloadFailed, ModelCorrupt, See
from casetrack.base.records import DEFAULT_PROFILE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.api.library import Library

logger = logging.getLogger("casetrack.mcp")

NOTICE = "model_notice"
_PAUSES = (10.0, 60.0, *[300.0] * 24)
"""Seconds before each retry, about two hours in total; the next start retries again."""
_BY_HAND = f"Run {See('models pull')}, or start this server again."
_UNTIL = (
    "Until then, search matches words only; documents ingested before that get vectors by "
    f"{See('reindex')}."
)


class MissingModels:
    """The missing models of this installation, and the notice about them in each result."""

    def __init__(self, library: Library, /) -> None:
        self._library = library
        self._complete = False
        self._state = (
            f"The search model (90 MB) is not on this computer. Run {See('models pull')} once "
            "while online."
        )

    def notice(self) -> str | None:
        """Return the notice about a missing search model; ``None`` if the model is installed.

        Reads file names only, and nothing once the model is installed. Blocks on the disk.
        """
        if not self._complete:
            self._complete = DEFAULT_PROFILE not in self._lacking()
        return None if self._complete else f"{self._state} {_UNTIL}"

    def fetch(self, pauses: Sequence[float] = _PAUSES, /) -> threading.Thread:
        """Start the download of missing models and return its thread.

        A job and the notice of each result show progress and failure. The download is repeated
        after each of *pauses* (seconds); until it succeeds, the server searches by words.
        """
        self._state = "The search model (90 MB) is being downloaded."
        thread = threading.Thread(target=self._run, args=(pauses,), name="models", daemon=True)
        thread.start()
        return thread

    def _lacking(self) -> tuple[str, ...]:
        from casetrack.api.models.supplies import lacking

        try:
            return lacking(self._library.settings.models_dir)
        except ModelCorrupt:
            return (DEFAULT_PROFILE,)  # A pull rewrites its manifest.

    def _run(self, pauses: Sequence[float]) -> None:
        try:
            missing = self._lacking()
            if not missing:
                return
            title = f"Models: {' and '.join(missing)}"
            with self._library.jobs.run("models", title=title) as job:
                job.do(lambda progress, stop: self._fetched(progress, stop, pauses))
        except (CaseTrackError, OSError) as error:
            logger.warning("not all models could be downloaded: %s", error)

    def _fetched(
        self, report: Callable[..., None], stop: threading.Event, pauses: Sequence[float]
    ) -> None:
        from casetrack.api.models.supplies import fetch

        models_dir = self._library.settings.models_dir

        def progress(what: str, done: int, total: int | None) -> None:
            far = f" ({done / 1e6:.0f} of {total / 1e6:.0f} MB)" if total and done else ""
            self._state = f"The search model (90 MB) is being downloaded{far}."
            report(what, done, total or 0)

        for pause in (*pauses, None):
            try:
                for downloaded in fetch(models_dir, progress):
                    logger.info("%s", downloaded)
            except CaseTrackError as error:
                again = pause is not None and isinstance(error, DownloadFailed)
                then = f"The next attempt is in {pause:.0f} seconds." if again else _BY_HAND
                reason = " ".join(error.message.split())
                self._state = f"The search model could not be downloaded: {reason} {then}"
                if not again:
                    raise
                report(self._state, 0, 0)
                if stop.wait(pause):
                    return
            else:
                return


def with_notice(result: CallToolResult, notice: str | None, /) -> CallToolResult:
    """Add the notice about the search model to both forms of a successful result."""
    if notice is None or result.is_error:
        return result
    result.content = [*result.content, TextContent(type="text", text=f"Note: {notice}")]
    if result.structured_content is not None:
        result.structured_content = {**result.structured_content, NOTICE: notice}
    return result
