"""Reads files of one JSON object per line; what is broken is named with its line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import FileNotFound, FileUnreadable, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path


def json_lines(path: Path, what: str, /) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the line number (from 1) and the object of every line that is not blank.

    Parameters
    ----------
    path
        A file in UTF-8.
    what
        What a line holds, for the error: ``"a JSON object with _id and text"``.

    Raises
    ------
    FileNotFound, FileUnreadable
        The file is not there, or may not be read.
    UsageError
        A line is no JSON object; the message names it.
    """
    for number, line in enumerate(text_lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise broken(path, number, f"not {what} ({error})") from error
        if not isinstance(row, dict):
            raise broken(path, number, f"not {what}")
        yield number, row


def text_lines(path: Path, /) -> list[str]:
    """Return the lines of a file in UTF-8, with or without a byte order mark.

    Raises
    ------
    FileNotFound, FileUnreadable
        The file is not there, or may not be read.
    UsageError
        It is not UTF-8; the message names the line.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise FileNotFound(path) from error
    except OSError as error:
        raise FileUnreadable(path, error.strerror or str(error)) from error
    try:
        # Only these end a line: a text may hold other signs that splitlines() would split at.
        return data.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise broken(path, number, "not UTF-8", "Save the file again as UTF-8.") from error


def language_of(path: Path, number: int, row: Mapping[str, Any], /) -> str:
    """Return the language that a line says its question is asked in, or nothing.

    Raises
    ------
    UsageError
        It is no code of two or three letters.
    """
    language = row.get("language")
    if language is None:
        return ""
    if not isinstance(language, str) or not re.fullmatch(r"[A-Za-z]{2,3}", language):
        reason = f"language must be a code of two or three letters, not {language!r}"
        raise broken(path, number, reason, 'Write "en", "de", "ru" and the like.')
    return language.lower()


def broken(path: Path, number: int, reason: str, hint: str = "", /) -> UsageError:
    """Return the error for a line that cannot be used."""
    return UsageError(f"{path}, line {number}: {reason}.", hint=hint)
