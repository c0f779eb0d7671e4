"""Who is an attorney: by the list of names, addresses and domains that the user gives, only."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.base.errors import FileNotFound, FileUnreadable, UsageError
from casetrack.graph.entities.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_DOMAIN = re.compile(r"@?((?:[\w-]+\.)+[A-Za-z]{2,})")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")
_DIRECTORY = re.compile(r"\s*</O=[^>]*>", re.IGNORECASE)
_MARK = "*"


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in the head of a mail: name and address, either of which may be empty."""

    name: str
    address: str

    def __str__(self) -> str:
        """Return both as mails show them."""
        if not self.address or not self.name:
            return self.name or self.address
        return f"{self.name} <{self.address}>"


class Counsel:
    """A list of attorneys.

    Parameters
    ----------
    listed
        Full names, addresses and domains (``roe.example`` or ``@roe.example``).

    Raises
    ------
    UsageError
        An entry is a single word that could be anybody's.
    """

    def __init__(self, listed: Iterable[str], /) -> None:
        self._names: list[tuple[frozenset[str], str]] = []
        self._addresses: set[str] = set()
        self._domains: set[str] = set()
        for entry in filter(None, (" ".join(text.split()) for text in listed)):
            if domain := _DOMAIN.fullmatch(entry):
                self._domains.add(domain[1].casefold())
            elif _ADDRESS.fullmatch(entry):
                self._addresses.add(entry.casefold())
            elif len(words := _words(entry)) > 1:
                self._names.append((words, entry))
            else:
                raise UsageError(
                    f"{entry!r} may be the name of several people.",
                    hint="List attorneys by first and last name, by address, or by the domain of "
                    "their firm: 'Jane Roe', jroe@roe.example, roe.example.",
                )

    def __bool__(self) -> bool:
        """Return whether anybody is listed."""
        return bool(self._names or self._addresses or self._domains)

    def has(self, person: Person, /) -> bool:
        """Return whether somebody is on the list: by address, by domain, or by the whole name."""
        address = person.address.casefold()
        domain = address.rpartition("@")[2]
        if address and address in self._addresses:
            return True
        if domain and any(domain == d or domain.endswith(f".{d}") for d in self._domains):
            return True
        words = _words(person.name) or _words(re.sub(r"[._]", " ", address.partition("@")[0]))
        return any(name <= words for name, _ in self._names)

    def marked(self, people: Iterable[Person], /) -> str:
        """Return people as a log shows them, those on the list with an asterisk."""
        return "; ".join(f"{p}{_MARK if self.has(p) else ''}" for p in people)


def read_counsel(path: Path, /) -> list[str]:
    """Return the entries of a list of attorneys: one a line, ``#`` begins a remark.

    Raises
    ------
    FileNotFound, FileUnreadable
        It cannot be read.
    """
    try:
        text = path.expanduser().read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileNotFound(path) from error
    except (OSError, UnicodeDecodeError) as error:
        raise FileUnreadable(path, getattr(error, "strerror", None) or str(error)) from error
    return [entry for line in text.splitlines() if (entry := line.partition("#")[0].strip())]


def people_of(written: str, shown: str = "", /) -> list[Person]:
    """Return who stands in a field of a mail's head or of a load file.

    Parameters
    ----------
    written
        The field: names and addresses, parted by commas, semicolons or line breaks.
    shown
        The names that the mailbox shows for these addresses (``X-To``), in the same order; used
        only where there are as many of them.

    Examples
    --------
    >>> [str(p) for p in people_of('"Roe, Jane" <jroe@roe.example>; bo@mill.example')]
    ['Roe, Jane <jroe@roe.example>', 'bo@mill.example']
    """
    parts = re.split(r"[;\n\r\u00ae]+", _DIRECTORY.sub("", written))
    found: list[Person] = []
    for part in filter(None, (p.strip() for p in parts)):
        if "@" not in part:
            # "Roe, Jane" is one name; a comma parts people only where addresses show it.
            found.append(Person(part.strip(" '\""), ""))
            continue
        found += _addressed(part)
    names = shown_names(shown)
    if len(names) == len(found):
        found = [
            Person(name, p.address) if p.address and not p.name else p
            for name, p in zip(names, found, strict=True)
        ]
    return found


def shown_names(shown: str, /) -> list[str]:
    """Return the names in a field in which Exchange shows the people of a mail (``X-To``).

    Examples
    --------
    >>> shown_names("Roe, Jane </O=MILL/CN=JROE>, Renner, Bo </O=MILL/CN=BO>")
    ['Roe, Jane', 'Renner, Bo']
    """
    return [n.strip(" ,'\"") for n in re.findall(r"([^<>]+?)\s*</O=[^>]*>", shown, re.IGNORECASE)]


def _addressed(part: str) -> list[Person]:
    """Return the people of a list with addresses; a name before ``<`` may hold a comma."""
    found: list[Person] = []
    names: list[str] = []
    for piece in filter(None, (p.strip() for p in part.split(","))):
        bracket = re.fullmatch(r"(.*?)\s*<([^<>]*)>", piece)
        if bracket:
            name = ", ".join([*names, bracket[1]]).strip(" ,'\"")
            found.append(Person(name, bracket[2].strip()))
            names = []
        elif "@" in piece:
            found += [Person(name, "") for name in names]
            found.append(Person("", piece.strip("'\" ")))
            names = []
        else:
            names.append(piece.strip("'\" "))
    return found + [Person(name, "") for name in names]


def _words(text: str) -> frozenset[str]:
    return frozenset(w for w in re.findall(r"[^\W\d_]+", fold(text)) if len(w) > 1)
