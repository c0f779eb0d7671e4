"""The page ``docs/window-walk.md``: the first minutes in the window, as pictures with times."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pictures.browser import small_png

if TYPE_CHECKING:
    from pathlib import Path

    from headless import Browser

STEPS = {
    "see what CaseTrack does, and a sample to try": "Open the window. The first page leads to a "
    "sample, or to a collection for your own files.",
    "choose a folder by mouse": "Create a collection and choose a folder.",
    "see which files were not added, with reasons": "When the files are read, those that could not "
    "be read are listed with the reason and a button: here a damaged PDF, and one that needs its "
    "password.",
    "enter the password of a protected file": "Enter the password next to the file. The document "
    "is then in the list.",
    "take a suggested question": "Choose a question that CaseTrack suggests from the documents.",
    "ask a question": "Ask your own question. The sentence that answers is marked in each result.",
    "see the page next to the answer": "Choose a result to see its page, with the passage marked.",
    "ask for something absent": "A question that the documents do not answer is reported so.",
    "keep a passage": "Keep a passage. Kept lists it, and saves all of them as a Word file with "
    "citations.",
    "read a scan, with its recognised words to select": "Read a scan. The recognised words can be "
    "selected over the picture.",
    "read a sheet as a grid with letters and numbers that stay": "Read a spreadsheet as a grid.",
    "read a mail: text first, then its head": "Read a mail in its conversation, with attachments.",
    "see the map": "Open the map: people, firms, key dates, topics, the most cited documents.",
    "see the timeline": "See what happened when. Each event has its source.",
    "open the page of a person": "See all about a person.",
    "rename a person": "Correct a name. The correction can be undone.",
    "see who sent mails to whom": "See who sent mails to whom.",
    "choose two documents and compare them": "Compare two documents, paragraph by paragraph.",
    "open the briefing": "Open the briefing, a summary to print.",
    "check the collection": "Check that all stored data is complete.",
}
"""Caption of each task that is shown."""
_DRAWN = """new Promise(done => { const look = () =>
  [...document.images].every(one => one.complete) ? done() : setTimeout(look, 50); look(); })"""


def file_of(task: str, /) -> str:
    """Return the file of a task's picture below docs."""
    return f"window-walk/{re.sub('[^a-z]+', '-', task.lower())}.png"


class Walk:
    """Pictures of the shown tasks in a folder of docs, and their page."""

    def __init__(self, docs: Path) -> None:
        """Write into a folder of documentation."""
        self._docs = docs
        self._shown: list[str] = []

    def take(self, task: str, seconds: float, browser: Browser) -> None:
        """Add a picture after a task, *seconds* after the first one began."""
        if task not in STEPS:
            return
        browser.js(_DRAWN)
        name = file_of(task)
        (self._docs / name).parent.mkdir(exist_ok=True)
        (self._docs / name).write_bytes(small_png(browser.screenshot(whole=False)))
        at = f"{int(seconds) // 60}:{int(seconds) % 60:02}"
        self._shown.append(f"**{at}** {STEPS[task]}\n\n![{task[0].upper()}{task[1:]}]({name})\n")

    def write(self) -> None:
        """Write the page."""
        (self._docs / "window-walk.md").write_text(
            "# The first minutes in the window\n\n"
            "Recorded by `just window-tasks --walk docs`: a headless browser does the tasks of a "
            "first-time user\nfrom an empty data folder, without the search models at first. The "
            "times are minutes and seconds since the\nwindow was opened.\n\n"
            + "\n".join(self._shown),
            encoding="utf-8",
        )
