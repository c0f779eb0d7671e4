"""Editions: vocabulary, document types and texts for one group of users.

Each edition is an ``edition.toml`` in its folder. Collections of all editions share the data
folder; ``collection.json`` stores the edition of each.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from casetrack.base.dataclass import dataclass
from casetrack.base.errors import CaseTrackError, UsageError

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
    """Instructions that AI programs give to their model at the start; they truncate at 2 KB."""

    head: str
    holdings: str  # text before the names of the existing collections; empty to omit the names
    # Alternatives of each step; the first whose tools are available counts.
    steps: tuple[tuple[Way, ...], ...]
    rules: str
    warnings: tuple[Way, ...]  # further sentences, each for its tools


@dataclass(frozen=True, slots=True)
class Argument:
    """A value that the user fills in; the prompt refers to it by its title."""

    name: str
    title: str
    description: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a prompt; it requires the tools *needs*."""

    text: str
    needs: tuple[str, ...] = ()
    # given, missing: the argument that must, or must not, have a value.
    given: str | None = None
    missing: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """A ready prompt for the user, offered if the tools *needs* are available.

    *task* is its first sentence, *ending* describes the answer.
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
    """The content of an ``edition.toml``.

    Attributes
    ----------
    name, title, server
        Name in programs and ``collection.json``; display name; name of its MCP server.
    """

    name: str
    title: str
    about: str
    server: str
    question: str  # example of a first question to an AI program
    bundle: Mapping[str, str]  # `title` and `about` of its bundle for desktop programs
    noun: str  # its term for a collection, also the name of that argument of its tools
    # collection_types, document_types: types that users choose from; empty for the general ones.
    collection_types: tuple[str, ...]
    document_types: tuple[str, ...]
    instructions: Instructions
    prompts: tuple[Request, ...]
    # texts, hints: messages by the error's `message_key` or `code`, with facts in braces; hints by
    # code.
    texts: Mapping[str, str]
    hints: Mapping[str, str]
    # command_texts, command_hints: the same for the command line, where they differ.
    command_texts: Mapping[str, str]
    command_hints: Mapping[str, str]
    # Additional text for programs, by code; `default` is for all other errors.
    server_errors: Mapping[str, str]

    def message(self, error: CaseTrackError, /) -> str:
        """Return the message of an error in the words of this edition."""
        text = self.texts.get(error.message_key or error.code)
        return error.message if text is None else text.format_map(error.facts)

    def on_command_line(self, error: CaseTrackError, /) -> tuple[str, str]:
        """Return message and next step of an error in the words of this edition's commands."""
        text = self.command_texts.get(error.message_key or error.code)
        message = self.message(error) if text is None else text.format_map(error.facts)
        return message, self.command_hints.get(error.code, error.hint) if error.hint else ""

    def server_error(self, code: str, /) -> str | None:
        """Return the additional text for programs for an error code, or ``None``."""
        return self.server_errors.get(code, self.server_errors.get("default"))


@functools.cache
def _files() -> dict[str, Path]:
    """Return the files of the editions that are here, by name."""
    base = Path(__file__).parent
    declarations = (base.parent / "editions").glob("*/edition.toml")
    return {ANY: base / f"{ANY}.toml"} | {file.parent.name: file for file in declarations}


def names() -> tuple[str, ...]:
    """Return the names of the editions."""
    return tuple(sorted(_files()))


@functools.cache
def edition(name: str, /) -> Edition:
    """Return an edition by its name.

    Raises ``UsageError``: no edition has this name; ``CaseTrackError``: the installation is
    incomplete.
    """
    if name not in names():
        raise UsageError(f'Unknown edition "{name}".', hint=f"Use one of: {', '.join(names())}.")
    raw = _stripped(tomllib.loads(_files()[name].read_text(encoding="utf-8")))
    collections, documents = raw["collections"], raw.get("documents", {})
    arguments = {key: Argument(key, **entry) for key, entry in raw.get("arguments", {}).items()}
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
        prompts=tuple(_request(entry, arguments) for entry in raw.get("prompts", ())),
        texts=raw.get("texts", {}),
        hints=raw.get("hints", {}),
        command_texts=raw.get("commands", {}).get("texts", {}),
        command_hints=raw.get("commands", {}).get("hints", {}),
        server_errors=raw.get("server_errors", {}),
    )


def _named(noun: str) -> Argument:
    """Return the prompt argument that names a collection."""
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
    """Return the values with surrounding whitespace removed from all texts."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return [_stripped(item) for item in value]
    if isinstance(value, dict):
        return {key: _stripped(item) for key, item in value.items()}
    return value
