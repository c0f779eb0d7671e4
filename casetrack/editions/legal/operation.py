"""The decorator for operations of the edition; it also loads the text of their answers."""

import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import casetrack.editions.legal.text  # noqa: F401 - functions by the classes of records
from casetrack.api.operation import (
    ADDS,
    EVERY,
    READS,
    Arg,
    DayRef,
    DocumentRef,
    Hints,
    edition_operation,
)

Documents = Iterable[DocumentRef]
Names = Iterable[str]
if TYPE_CHECKING:
    PathRef = str | Path
else:
    PathRef = Path
Paths = Iterable[PathRef]
Passwords = Annotated[
    Names, Arg("Opens protected files; may be repeated. Never stored.", "--password PASSWORD")
]
"""The argument for files."""
ChosenDocuments = Annotated[
    Documents | None,
    Arg("A document: name, path, ID or control number; may be repeated.", "--document NAME"),
]
ChosenProduction = Annotated[
    str | None, Arg("The documents of a loaded production.", "--production NAME")
]
ChosenTag = Annotated[str | None, Arg("The documents with this tag.", "--tag TAG")]
WithFamilies = Annotated[bool, Arg("Include the families, or not.", "--families/--no-families")]
"""Selection of documents, and whether their families are included."""
F = TypeVar("F", bound="Callable[..., Any]")
_WORDS = tomllib.loads(Path(__file__).with_name("operations.toml").read_text("utf-8"))

__all__ = ["ADDS", "EVERY", "READS", "Arg", "DayRef", "DocumentRef", "Documents", "Names"]
__all__ += ["Passwords", "PathRef", "Paths", "operation"]


def operation(name: str, hints: Hints, /, **more: Any) -> Callable[[F], F]:
    """Declare a function of an open case as an operation of the edition."""
    return edition_operation(name, hints, words=_WORDS.get(name, {}), **more)
