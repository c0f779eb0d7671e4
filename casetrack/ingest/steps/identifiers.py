"""Names of things in programs, whole and in their parts: ``getUserById``, ``MAX_SIZE``.

A name is searched for as it stands and by its words: who asks about a "user id" means it as well.
The parts of ``get_user_by_id`` are words of the text anyway, those of ``getUserById`` are not; and
both are one name, ``getuserbyid``.

Words of people look alike: McDonald, iPhone, YouTube, HCS-4432. In a text for people only what is
surely a name of a program is taken apart. In source code every word is one.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from casetrack.extract.code_languages import LANGUAGES, PROSE
from casetrack.ingest.steps.words import index_terms

_WORD = re.compile(r"(?<![^\W_])[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)*(?![^\W_])")
_PART = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
"""``HTTPServer2`` is HTTP and Server2; digits belong to what they stand behind."""
_JOINED = re.compile(r"[a-z][a-z0-9]*(?:_+[a-z0-9]+)+|[A-Z][A-Z0-9]*(?:_+[A-Z0-9]+)+")
_LETTERS = re.compile(r"[A-Za-z]{2}")
_HUMPED = re.compile(r"(?!.*[A-Z]{2}s$)[a-z]{3,}[0-9]*(?:[A-Z]+[a-z]+[0-9]*)+")
"""``maxRetries``; not ``iPhone``, ``eBay``, ``macOS`` or ``microRNAs``."""
_CLAN = re.compile(r"(?:Mc|Mac|Fitz|Van|Von)[A-Z]")
"""How names of persons begin that have a capital inside."""


def is_source_code(name: str, /) -> bool:
    """Tell from a file's name whether it holds source code, and no text for people."""
    extension = PurePath(name).suffix.lower()
    return extension in LANGUAGES and extension not in PROSE


def identifiers(text: str, /, *, code: bool = False) -> list[tuple[str, tuple[str, ...]]]:
    """Return the names of things in programs that have several parts, in order.

    Parameters
    ----------
    text
        A text as it is written; upper and lower case tell where a part begins.
    code
        Whether it is source code, where every word is such a name.

    Returns
    -------
    list of (whole, parts)
        The name in small letters without signs; and its parts that are no words of the text
        anyway, without those of one letter: none for ``max_size``.

    Examples
    --------
    >>> identifiers("call getUserById() of McDonald with MAX_COUNT")
    [('getuserbyid', ('get', 'User', 'By', 'Id')), ('maxcount', ())]
    """
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        if word.islower() and "_" not in word:
            continue
        runs = [_PART.findall(run) for run in re.split("_+", word)]
        if sum(map(len, runs)) < 2 or _CLAN.match(word):
            continue
        if not (code or _is_sure(text, match)):
            continue
        hidden = tuple(p for run in runs if len(run) > 1 for p in run if len(p) > 1)
        found.append((word.replace("_", "").lower(), hidden))
    return found


def identifier_terms(text: str, /, *, code: bool = False) -> list[str]:
    """Return the index terms of such names beside the words of a text, each once.

    Parameters are those of :func:`identifiers`. They count once in a passage, however often a name
    stands there: code says its names again and again, and would push aside what explains them.
    """
    found: dict[str, None] = {}
    for whole, parts in identifiers(text, code=code):
        for said in (whole, *parts):
            found.update(dict.fromkeys(index_terms(said)))
    return list(found)


def terms_of_question(text: str, /) -> list[str]:
    """Return what a question is looked up by: its words, and names of things in programs."""
    words = index_terms(text)
    return words + [term for term in identifier_terms(text) if term not in words]


def _is_sure(text: str, match: re.Match[str]) -> bool:
    """Tell the name of something in a program from a word of people."""
    word = match.group()
    if "_" in word:
        return _JOINED.fullmatch(word) is not None and len(_LETTERS.findall(word)) > 1
    if _HUMPED.fullmatch(word):
        return True
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 2]
    return "`" in {before, after[:1]} or after in {"::", "()"}
