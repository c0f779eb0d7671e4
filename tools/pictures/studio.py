"""Where the pictures are made: a user's home with the sample case file, and a browser."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.library import Library
from casetrack.base.config import load_settings
from casetrack.base.license.tiers import UNLIMITED
from headless import Browser, chromium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.api.collection import Collection

CHECKOUT = Path(__file__).resolve().parents[2]
DOCUMENTS = Path("Documents") / "Stanwick Bridge"
"""Where the user keeps the sample case file, below the home."""


@dataclass(frozen=True)
class Studio:
    """A temporary home folder whose collection "Demo" has the sample case file."""

    home: Path
    closing: contextlib.ExitStack

    @cached_property
    def demo(self) -> Collection:
        """The collection as the tour has it: on the Free tier."""
        return Library(load_settings(self.home / "data")).get("Demo")

    @cached_property
    def described(self) -> Collection:
        """A copy of it with a name, a kind and a description, on the Pro tier."""
        shutil.copytree(self.home / "data", self.home / "described")
        case = Library(load_settings(self.home / "described"), tier=UNLIMITED).get("Demo")
        case.admin.update(
            name="Stanwick Bridge",
            description="The sample case file: an automation project, a claim, a settlement.",
            collection_type="contract",
        )
        return case

    @cached_property
    def browser(self) -> Browser:
        """A headless Chromium; without one it ends here."""
        program = chromium()
        if program is None:
            raise SystemExit("No Chromium was found. Install it, or name one in CHROME.")
        opened = Browser(program, self.home / "profile")
        self.closing.callback(opened.close)
        return opened

    def without_names(self, text: str) -> str:
        """Return a text in which the home is ``~``: pictures name no folder of this machine."""
        return text.replace(str(self.home), "~")


@contextlib.contextmanager
def open_studio() -> Iterator[Studio]:
    """Take the sample case file in to a home that is removed in the end."""
    # Below a longer folder the terminal would break paths that fit into a line once it is "~".
    short = tempfile.TemporaryDirectory(prefix="ct-", dir="/tmp")
    with short as folder, contextlib.ExitStack() as closing:
        home = Path(folder).resolve()
        os.environ.setdefault("CASETRACK_MODELS", str(CHECKOUT / ".cache" / "models"))
        os.environ |= {"HOME": str(home), "CASETRACK_HOME": str(home / "data")}
        os.environ.pop("CASETRACK_LICENSE", None)  # the tour is for new users, who have none
        shutil.copytree(CHECKOUT / "data-samples" / "files", home / DOCUMENTS)
        demo = Library(load_settings(home / "data")).create("Demo")
        demo.ingest([home / DOCUMENTS], progress=False)
        yield Studio(home, closing)
