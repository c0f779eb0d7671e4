"""The briefing of a collection: one page of HTML that needs nothing but itself."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, overload

from casetrack.collection.again import asks_again
from casetrack.collection.attending import attended, listener
from casetrack.collection.map import Map
from casetrack.collection.rebuilding import Rebuilding

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    Progress = Callable[[str, int, int], None]


@asks_again
class Reporting(Rebuilding, Map):
    """What a collection says, put together for people."""

    @overload
    def report(
        self,
        path: None = None,
        /,
        *,
        pictures: bool = ...,
        made: datetime | None = ...,
        progress: Progress | bool | None = ...,
    ) -> str: ...

    @overload
    def report(
        self,
        path: str | Path,
        /,
        *,
        pictures: bool = ...,
        made: datetime | None = ...,
        progress: Progress | bool | None = ...,
    ) -> Path: ...

    @attended("Writing", stops=False)
    def report(
        self,
        path: str | Path | None = None,
        /,
        *,
        pictures: bool = True,
        made: datetime | None = None,
        progress: Progress | bool | None = None,
    ) -> str | Path:
        """Return a briefing of the collection as one page of HTML, or write it to a file.

        It says in a few sentences what the collection is, then who, when, about what and how
        much, which documents there are, how well they could be read, and which files were refused
        as far as the records of jobs tell. Every statement leads to its passage, with the words
        highlighted on the page where that can be drawn. What the tier does not have is left out,
        and the page says so.

        Parameters
        ----------
        path
            File to write, ending in ``.html``; an older report is replaced, nothing else is.
        pictures
            Whether pages are pictured; without them the file is small and quickly made.
        made
            What stands in it as the time it was made; now where it is not given. But for that
            the same state of a collection, of its files and of its jobs gives the same page.
        progress
            Called from this thread with what is being done, how much is done, and of how much
            (0: not known yet). ``True`` shows a bar, ``False`` none; without it one is shown where
            a person looks on.

        Returns
        -------
        str or Path
            The page; where it was written, the absolute path of the file.

        Raises
        ------
        UsageError
            *path* does not end in ``.html``, its folder does not exist, or something else is there.
        StorageError
            It cannot be written.
        """
        from casetrack.viewer.report import report_html
        from casetrack.viewer.sheet import sheet_path, write_sheet

        target = None if path is None else sheet_path(Path(path), "report")
        html = report_html(
            self.workspace.state(), pictures=pictures, made=made, progress=listener(progress)
        )
        return html if target is None else write_sheet(target, "report", html)
