"""Fetching models while the server runs, so that whoever sets it up need not do it by hand."""

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
"""Where the structured form of a result says that the search model is not there yet."""
_PAUSES = (10.0, 60.0, *[300.0] * 24)
"""Seconds before each further try, for some two hours; the next start tries again."""
_BY_HAND = f"Run {See('models pull')}, or start this server again."
_UNTIL = (
    "Until it is there, documents are found by their words only; what is taken in before that "
    f"gets its vectors by {See('reindex')}."
)


class Supply:
    """What this installation lacks of models, and what each result says of it until it is there.

    Parameters
    ----------
    library
        Whose models folder it is.
    """

    def __init__(self, library: Library, /) -> None:
        self._library = library
        self._complete = False
        self._said = (
            f"The search model (90 MB) is not on this computer. Run {See('models pull')} once "
            "while online."
        )

    def notice(self) -> str | None:
        """Return what to tell a user of the search model; ``None`` where it is there.

        Only names of files are looked at, and nothing any more once they are there. Blocks on the
        disk.
        """
        if not self._complete:
            self._complete = DEFAULT_PROFILE not in self._lacking()
        return None if self._complete else f"{self._said} {_UNTIL}"

    def fetch(self, pauses: Sequence[float] = _PAUSES, /) -> threading.Thread:
        """Begin to fetch what is lacking, and return the thread that does it.

        Nothing is fetched where everything is there. How far it is stands in a job, which every
        program can see, and in each result; so does what went wrong. It is tried again after each
        of *pauses*, in seconds, and the server answers by words meanwhile.
        """
        self._said = "The search model (90 MB) is being fetched."
        thread = threading.Thread(target=self._run, args=(pauses,), name="models", daemon=True)
        thread.start()
        return thread

    def _lacking(self) -> tuple[str, ...]:
        from casetrack.api.models.supplies import lacking

        try:
            return lacking(self._library.settings.models_dir)
        except ModelCorrupt:
            return (DEFAULT_PROFILE,)  # a pull writes its manifest anew

    def _run(self, pauses: Sequence[float]) -> None:
        try:
            missing = self._lacking()
            if not missing:
                return
            title = f"Models: {' and '.join(missing)}"
            with self._library.jobs.run("models", title=title) as job:
                job.do(lambda tell, stop: self._fetched(tell, stop, pauses))
        except (CaseTrackError, OSError) as error:
            logger.warning("not all models could be fetched: %s", error)

    def _fetched(
        self, tell: Callable[..., None], stop: threading.Event, pauses: Sequence[float]
    ) -> None:
        from casetrack.api.models.supplies import fetch

        models_dir = self._library.settings.models_dir

        def progress(what: str, done: int, total: int | None) -> None:
            far = f" ({done / 1e6:.0f} of {total / 1e6:.0f} MB)" if total and done else ""
            self._said = f"The search model (90 MB) is being fetched{far}."
            tell(what, done, total or 0)

        for pause in (*pauses, None):
            try:
                for report in fetch(models_dir, progress):
                    logger.info("%s", report)
            except CaseTrackError as error:
                again = pause is not None and isinstance(error, DownloadFailed)
                then = f"It is tried again in {pause:.0f} seconds." if again else _BY_HAND
                reason = " ".join(error.message.split())
                self._said = f"The search model could not be fetched: {reason} {then}"
                if not again:
                    raise
                tell(self._said, 0, 0)
                if stop.wait(pause):
                    return
            else:
                return


def with_notice(result: CallToolResult, notice: str | None, /) -> CallToolResult:
    """Add to a successful result, in both its forms, what is to be known of the search model."""
    if notice is None or result.is_error:
        return result
    result.content = [*result.content, TextContent(type="text", text=f"Note: {notice}")]
    if result.structured_content is not None:
        result.structured_content = {**result.structured_content, NOTICE: notice}
    return result
