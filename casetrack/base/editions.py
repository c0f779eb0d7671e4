"""Editions: what this program calls things for some readers, and what it says to them.

An edition is ``edition.toml`` in its folder: a vocabulary, kinds, texts. Collections of all
editions lie side by side, and ``collection.json`` says whose each is.
"""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.base.errors import CaseTrackError

ANY = "collections"
"""Collections of any documents."""
LEGAL = "legal"
"""Cases of lawyers."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way of working, and the tools without which it would mislead."""

    text: str
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Instructions:
    """What AI programs show their model at the start; they cut it at 2 KB.

    Attributes
    ----------
    head
        What the server is for.
    holdings
        What stands before the names of the collections that there are; empty where they are not
        told.
    steps
        What to do one after the other: of each step the first way whose tools are there.
    rules
        How to answer.
    warnings
        What else is said where its tools are there.
    """

    head: str
    holdings: str
    steps: tuple[tuple[Way, ...], ...]
    rules: str
    warnings: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Argument:
    """What a user fills in; the request calls the value by its title."""

    name: str
    title: str
    description: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the work, and the tools without which it is left out.

    Attributes
    ----------
    given
        The argument without which it is left out as well.
    missing
        The argument with which it is left out.
    """

    text: str
    needs: tuple[str, ...] = ()
    given: str | None = None
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A prompt: a ready request that a user picks.

    Attributes
    ----------
    needs
        Tools without which it is not offered.
    task
        What is to be done, the first sentence.
    ending
        What the answer looks like.
    """

    name: str
    title: str
    description: str
    arguments: tuple[Argument, ...]
    needs: tuple[str, ...]
    task: str
    steps: tuple[Step, ...]
    ending: str


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
    bundle
        ``title`` and ``about`` of its bundle for desktop programs.
    noun
        What it calls a collection; tools have an argument of this name.
    collection_types
        Kinds of its collections; empty where they are those of any collection.
    document_types
        Kinds of documents that people may say a file is; empty as above.
    instructions
        What AI programs show their model at the start.
    prompts
        Requests that a user picks.
    texts
        Messages of errors in its words, by what the message is called; the facts of the error
        stand in braces.
    hints
        Next steps in its words, by the code of the error.
    command_texts, command_hints
        The same on the command line, where they are others.
    server_errors
        What programs are told beside the text of an error, by its code; ``default`` stands for
        all others, and where it is empty they are told nothing.
    """

    name: str
    title: str
    about: str
    server: str
    question: str
    bundle: Mapping[str, str]
    noun: str
    collection_types: tuple[str, ...]
    document_types: tuple[str, ...]
    instructions: Instructions
    prompts: tuple[Request, ...]
    texts: Mapping[str, str]
    hints: Mapping[str, str]
    command_texts: Mapping[str, str]
    command_hints: Mapping[str, str]
    server_errors: Mapping[str, str]

    def message(self, error: CaseTrackError, /) -> str:
        """Return the message of an error in the words of this edition."""
        text = self.texts.get(error.wording or error.code)
        return error.message if text is None else text.format_map(error.facts)

    def on_command_line(self, error: CaseTrackError, /) -> tuple[str, str]:
        """Return message and next step of an error in the words of this edition's commands."""
        text = self.command_texts.get(error.wording or error.code)
        message = self.message(error) if text is None else text.format_map(error.facts)
        return message, self.command_hints.get(error.code, error.hint) if error.hint else ""

    def server_error(self, code: str, /) -> str | None:
        """Return what programs are told of an error of the given code, if anything."""
        return self.server_errors.get(code, self.server_errors.get("default"))


@functools.cache
def _files() -> dict[str, Path]:
    """Return the files of the editions that are here, by name."""
    base = Path(__file__).parent
    found = (base.parent / "editions").glob("*/edition.toml")
    return {ANY: base / f"{ANY}.toml"} | {file.parent.name: file for file in found}


def names() -> tuple[str, ...]:
    """Return the names of the editions."""
    return tuple(sorted(_files()))


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
    raw = _stripped(tomllib.loads(_files()[name].read_text(encoding="utf-8")))
    collections, documents = raw["collections"], raw.get("documents", {})
    arguments = {key: Argument(key, **told) for key, told in raw.get("arguments", {}).items()}
    arguments[collections["noun"]] = _named(collections["noun"])
    return Edition(
        name=raw["name"],
        title=raw["title"],
        about=raw["about"],
        server=raw["server"],
        question=raw.get("question", ""),
        bundle=raw.get("bundle", {}),
        noun=collections["noun"],
        collection_types=tuple(collections.get("types", ())),
        document_types=tuple(documents.get("types", ())),
        instructions=_instructions(raw["instructions"]),
        prompts=tuple(_request(told, arguments) for told in raw.get("prompts", ())),
        texts=raw.get("texts", {}),
        hints=raw.get("hints", {}),
        command_texts=raw.get("commands", {}).get("texts", {}),
        command_hints=raw.get("commands", {}).get("hints", {}),
        server_errors=raw.get("server_errors", {}),
    )


def _named(noun: str) -> Argument:
    """Return what a prompt asks for a collection."""
    return Argument(noun, noun.capitalize(), f"Name or ID of the {noun}; empty for the active one")


def _instructions(raw: Mapping[str, Any]) -> Instructions:
    return Instructions(
        raw["head"],
        raw.get("holdings", ""),
        tuple(tuple(map(_way, step["ways"])) for step in raw.get("steps", ())),
        raw.get("rules", ""),
        tuple(map(_way, raw.get("warnings", ()))),
    )


def _way(raw: Mapping[str, Any]) -> Way:
    return Way(raw["text"], tuple(raw.get("needs", ())))


def _request(raw: Mapping[str, Any], arguments: Mapping[str, Argument]) -> Request:
    return Request(
        raw["name"],
        raw["title"],
        raw["description"],
        tuple(arguments[name] for name in raw["arguments"]),
        tuple(raw["needs"]),
        raw["task"],
        tuple(
            Step(s["text"], tuple(s.get("needs", ())), s.get("given"), s.get("missing"))
            for s in raw["steps"]
        ),
        raw["ending"],
    )


def _stripped(value: Any) -> Any:
    """Return what a file states without the line ends around its texts."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return [_stripped(item) for item in value]
    if isinstance(value, dict):
        return {key: _stripped(item) for key, item in value.items()}
    return value
