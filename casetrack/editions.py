"""Editions: what a version of this program for some readers calls things, and what it says.

An edition is one file of ``editions/``: a vocabulary, kinds, texts. It has no code of its own kind
of storage, search or reading: collections of all editions lie side by side, and
``collection.json`` says whose each is.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.errors import UsageError
from casetrack.resources import resource_dir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.errors import CaseTrackError

LEGAL = "legal"
"""Cases of lawyers."""


@dataclass(frozen=True, slots=True)
class Edition:
    """An edition, as its file states it.

    Attributes
    ----------
    name
        As programs and ``collection.json`` name it.
    title
        As people read it.
    about
        What it does, in one line.
    server
        What AI programs call its server.
    question
        What a person may ask an AI program first.
    noun
        What it calls a collection.
    collection_types
        Kinds of its collections; empty where they are those of any collection.
    document_types
        Kinds of documents that people may say a file is; empty as above.
    instructions
        What AI programs show their model at the start; they cut it at 2 KB.
    texts
        Messages of errors in its words, by what the message is called; the facts of
        the error stand in braces.
    hints
        Next steps in its words, by the code of the error.
    server_errors
        What programs are told beside the text of an error, by its code; ``default`` stands for
        all others.
    """

    name: str
    title: str
    about: str
    server: str
    question: str
    noun: str
    collection_types: tuple[str, ...]
    document_types: tuple[str, ...]
    instructions: str
    texts: Mapping[str, str]
    hints: Mapping[str, str]
    server_errors: Mapping[str, str]

    def message(self, error: CaseTrackError, /) -> str:
        """Return the message of an error in the words of this edition."""
        text = self.texts.get(error.wording or error.code)
        return error.message if text is None else text.format_map(error.facts)

    def server_error(self, code: str, /) -> str:
        """Return what programs are told of an error of the given code."""
        return self.server_errors.get(code, self.server_errors["default"])


def names() -> tuple[str, ...]:
    """Return the names of the editions that have a file."""
    return tuple(sorted(path.stem for path in resource_dir("editions").glob("*.toml")))


@functools.cache
def edition(name: str, /) -> Edition:
    """Return the edition of a name.

    Raises
    ------
    UsageError
        There is none of this name.
    CaseTrackError
        The installation is incomplete.
    """
    if name not in names():
        raise UsageError(f'Unknown edition "{name}".', hint=f"Use one of: {', '.join(names())}.")
    raw = tomllib.loads((resource_dir("editions") / f"{name}.toml").read_text(encoding="utf-8"))
    return Edition(
        name=raw["name"],
        title=raw["title"],
        about=raw["about"],
        server=raw["server"],
        question=raw.get("question", ""),
        noun=raw["collections"]["noun"],
        collection_types=tuple(raw["collections"].get("types", ())),
        document_types=tuple(raw.get("documents", {}).get("types", ())),
        instructions=raw["instructions"]["text"],
        texts=_stripped(raw.get("texts", {})),
        hints=_stripped(raw["hints"]),
        server_errors=raw["server_errors"],
    )


def _stripped(texts: Mapping[str, str]) -> dict[str, str]:
    return {name: text.strip() for name, text in texts.items()}
