"""Vocabularies of technical terms: other names of the terms in a question.

A vocabulary is a TOML file::

    about = "Words of annual reports"
    source = "where its terms come from"
    licence = "of that source"
    kinds = ["report"]                       # kinds of documents it is chosen for
    markers = ["fiscal", "consolidated"]     # or words that show such documents

    [[term]]
    name = "capital expenditure"
    also = ["purchases of property, plant and equipment", "capex"]
    asked = ["spending on equipment"]
    parts = []
    in = ["cash flow statement"]

``name`` and ``also`` are synonyms: a question with one of them is searched for the others.
``asked`` are phrases of questions, recognised but not searched. ``parts`` are components, such as
the lines of a ratio: they are searched, but are no synonyms. ``in`` names other terms of the file
that contain the term, such as a statement: their names are searched as well. A term may have its
own ``source``, and ``wants``: the values that a question about it requests. A file without
``kinds`` and ``markers`` applies to every collection.
"""

from __future__ import annotations

import functools
import re
import tomllib
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from casetrack.base.dataclass import dataclass, field, replace
from casetrack.base.errors import Opt, UsageError
from casetrack.base.records.reading import Want
from casetrack.ingest.steps.words import STOP_WORDS, index_terms
from casetrack.search.question.words import stems_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from casetrack.search.question.words import Word

OWN = "vocabulary"
"""Folder of the data folder with the user's own vocabularies."""
SHIPPED = tuple(sorted((Path(__file__).parent / "vocabulary").glob("*.toml")))
"""Vocabularies that are part of the product."""
_HEAD = dict.fromkeys(("about", "source", "licence"), str) | dict.fromkeys(
    ("kinds", "markers"), list
)
_TERM = dict.fromkeys(("name", "source"), str) | dict.fromkeys(
    ("also", "asked", "parts", "in", "wants"), list
)
_KIND_SHARE = 0.05
"""Minimum share of documents of its kinds for which a vocabulary is chosen, …"""
_MARKER_SHARE = 0.02
"""… or minimum mean share of passages with one of its markers."""
_FIRST = re.compile(r"[^\W_]+")
_ENTRY = re.compile(r"^\[\[term\]\]$", re.MULTILINE)
_NAME = re.compile(r'^name = "(.*)"$', re.MULTILINE)
_STARTS = re.compile(
    rf"\"(?:[^\w\"]|_)*(?:(?:{'|'.join(sorted(STOP_WORDS))})(?![^\W_])(?:[^\w\"]|_)*)*([^\W_]{{1,2}})"
)
"""The first letters of a quoted text, by which it is looked up, see :func:`_start`."""


@dataclass(frozen=True, slots=True)
class Term:
    """A term with its other names."""

    names: tuple[str, ...]  # Synonyms, the usual name first
    asked: tuple[str, ...]  # Phrases of questions
    parts: tuple[str, ...]  # Components
    within: tuple[str, ...]  # Names of terms that contain it
    wants: frozenset[Want]  # The values that a question about it requests
    vocabulary: str


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The terms of a subject."""

    name: str  # That of its file
    terms: tuple[Term, ...]  # Its terms; empty if they are read on demand, see :func:`shipped`
    # See the module.
    kinds: frozenset[str] = frozenset()
    markers: tuple[str, ...] = ()
    about: str = ""
    source: str = ""
    licence: str = ""
    _starts: dict[str, list[tuple[str, Term]]] = field(default_factory=dict, repr=False)
    _unread: _Unread | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        for term in self.terms:
            for name in (*term.names, *term.asked):
                self._starts.setdefault(_start(name), []).append((name, term))

    def fits(self, kinds: Mapping[str, float], share: Callable[[str], float], /) -> bool:
        """Return whether it applies to a collection.

        *kinds* has the share of documents of each kind; *share* returns the share of passages with
        an index term.
        """
        if not self.kinds and not self.markers:
            return True
        if sum(kinds.get(kind, 0.0) for kind in self.kinds) >= _KIND_SHARE:
            return True
        terms = [index_terms(marker)[0] for marker in self.markers]
        return bool(terms) and sum(map(share, terms)) / len(terms) >= _MARKER_SHARE

    def term(self, name: str, /) -> Term | None:
        """Return the term with a usual name."""
        if self._unread is not None:
            return self._unread.named(name)
        return next((term for term in self.terms if term.names[0] == name), None)

    def near(self, starts: Iterable[str], /) -> Iterable[tuple[str, Term]]:
        """Return names with these first letters, with their terms."""
        for start in starts:
            if self._unread is not None and start not in self._starts:
                self._starts[start] = self._unread.beginning(start)
            yield from self._starts.get(start, ())


@dataclass(frozen=True, slots=True)
class Match:
    """Words of a question that name terms: the half-open range from *first* to *last*."""

    first: int
    last: int
    terms: tuple[Term, ...]


def matches(words: Sequence[Word], vocabularies: Sequence[Vocabulary], /) -> list[Match]:
    """Return the terms in a question; longest names first, each word once.

    Words are compared by their stems; very common words between them are ignored.
    """
    positions = [(number, term) for number, word in enumerate(words) for term in word.terms]
    stems = [term for _, term in positions]
    starts = {_start(word.text) for word in words}
    letters = {first[0] for word in words for first in _FIRST.findall(_plain(word.text))}
    terms_of_span: dict[tuple[int, int], list[Term]] = {}
    for vocabulary in vocabularies:
        for name, term in vocabulary.near(starts):
            if not _letters(name) <= letters:
                continue
            wanted = stems_of(name)
            for at in _places(stems, wanted):
                span = (positions[at][0], positions[at + len(wanted) - 1][0] + 1)
                known = terms_of_span.setdefault(span, [])
                if term not in known:
                    known.append(term)
    taken: set[int] = set()
    chosen = []
    for first, last in sorted(terms_of_span, key=lambda span: (span[0] - span[1], span[0])):
        if not taken & set(range(first, last)):
            taken.update(range(first, last))
            chosen.append(Match(first, last, tuple(terms_of_span[first, last])))
    return sorted(chosen, key=lambda match: match.first)


def _places(stems: Sequence[str], wanted: tuple[str, ...]) -> list[int]:
    size = len(wanted)
    if not size or wanted[0] not in stems:
        return []
    return [at for at in range(len(stems) - size + 1) if tuple(stems[at : at + size]) == wanted]


def _start(name: str) -> str:
    """Return the first two letters of the first content word, for lookup without stemming."""
    words = [word for word in _FIRST.findall(name.casefold()) if word not in STOP_WORDS]
    return words[0][:2] if words else ""


@functools.lru_cache(maxsize=16384)
def _letters(name: str) -> frozenset[str]:
    """Return the first letters of the words that a question with this name must have.

    A stem starts like its word, and takes fifty microseconds to compute.
    """
    if not name.isascii():
        return frozenset()
    words = (w for w in _FIRST.findall(_plain(name)) if len(w) > 1 and w not in STOP_WORDS)
    return frozenset(word[0] for word in words if not word[0].isdigit())


def _plain(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
    return text.casefold().replace("'", "").replace("\u2019", "")


# --- files -----------------------------------------------------------------------------------


def shipped(kinds: Mapping[str, float], share: Callable[[str], float], /) -> tuple[Vocabulary, ...]:
    """Return the shipped vocabularies that fit a collection, see :meth:`Vocabulary.fits`.

    A file of some hundred terms takes twenty milliseconds to parse, so a term is parsed when a word
    of a question starts like one of its names.
    """
    return tuple(v for v in map(_shipped, SHIPPED) if v.fits(kinds, share))


@functools.cache
def _shipped(path: Path) -> Vocabulary:
    head, *entries = _ENTRY.split(path.read_text(encoding="utf-8"))
    return replace(_read(path, head), _unread=_Unread(path, entries))


class _Unread:
    """Terms of a valid file, each parsed on demand."""

    def __init__(self, path: Path, entries: Sequence[str], /) -> None:
        self._path = path
        self._entries = entries
        self._read: dict[int, Term] = {}
        self._places: dict[str, list[int]] = {}
        """Numbers of the entries that contain a text with these first letters."""
        self._numbers: dict[str, int] = {}
        """Number of the entry with a name."""

    def beginning(self, start: str, /) -> list[tuple[str, Term]]:
        """Return the names with these first letters, with their terms, in file order."""
        if not self._places:
            self._look_through()
        terms = map(self._term, self._places.get(start, ()))
        return [
            (name, term)
            for term in terms
            for name in (*term.names, *term.asked)
            if _start(name) == start
        ]

    def named(self, name: str, /) -> Term | None:
        """Return the term with a usual name."""
        if not self._places:
            self._look_through()
        return self._term(self._numbers[name]) if name in self._numbers else None

    def _look_through(self) -> None:
        places: dict[str, list[int]] = {}
        for number, entry in enumerate(self._entries):
            if name := _NAME.search(entry):
                self._numbers[name[1]] = number
            for start in dict.fromkeys(_STARTS.findall(entry.casefold())):
                places.setdefault(start, []).append(number)
        self._places = places

    def _term(self, number: int) -> Term:
        if number not in self._read:
            raw = self._raw(number)
            names = {place: _names(self._raw(self._numbers[place])) for place in raw.get("in", ())}
            self._read[number] = _File(self._path, "").term(raw, 1, names)
        return self._read[number]

    def _raw(self, number: int) -> dict[str, Any]:
        return tomllib.loads(self._entries[number])


def own(data_dir: Path, /) -> tuple[tuple[Vocabulary, ...], tuple[str, ...]]:
    """Return the user's own vocabularies, and messages about invalid ones."""
    folder = data_dir / OWN
    read, wrong = [], []
    for path in sorted(folder.glob("*.toml")) if folder.is_dir() else ():
        try:
            read.append(_kept(path, path.stat().st_mtime_ns))
        except UsageError as error:
            wrong.append(f"{error.message} {error.hint}")
        except OSError as error:
            wrong.append(f"The vocabulary {path} cannot be read: {error.strerror}.")
    return tuple(read), tuple(wrong)


@functools.lru_cache(maxsize=64)
def _kept(path: Path, _changed: int) -> Vocabulary:
    return read_vocabulary(path)


def read_vocabulary(path: Path, /) -> Vocabulary:
    """Read a vocabulary file; ``UsageError`` with the line if it is not TOML or not valid."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"The vocabulary {path} is not UTF-8 text (byte {error.start + 1}).",
            hint="Save it as UTF-8.",
        ) from error
    return _read(path, text)


def _read(path: Path, text: str) -> Vocabulary:
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(
            f"The vocabulary {path} is not valid TOML: {error}.",
            hint="Correct that line; docs/searching.md describes the format.",
        ) from error
    return _File(path, text).vocabulary(raw)


def _names(raw: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((raw.get("name", ""), *raw.get("also", ()))))


class _File:
    """Parses one file; errors contain the line."""

    def __init__(self, path: Path, text: str) -> None:
        self._path = path
        self._lines = text.splitlines()

    def vocabulary(self, raw: dict[str, Any]) -> Vocabulary:
        entries = raw.pop("term", [])
        heads = [n for n, line in enumerate(self._lines, 1) if line.strip().startswith("[[term]]")]
        self._check(raw, _HEAD, 1)
        if not isinstance(entries, list) or len(heads) != len(entries):
            raise self._wrong(1, "its terms are not written as [[term]]")
        for entry, line in zip(entries, heads, strict=True):
            self._check(entry, _TERM, line)
        names = {entry.get("name", ""): _names(entry) for entry in entries}
        terms = tuple(self.term(e, line, names) for e, line in zip(entries, heads, strict=True))
        for marker in raw.get("markers", ()):
            if len(index_terms(marker)) != 1:
                raise self._wrong(1, f"the marker {marker!r} is not one word")
        return Vocabulary(
            name=self._path.stem,
            terms=terms,
            kinds=frozenset(raw.get("kinds", ())),
            markers=tuple(raw.get("markers", ())),
            **{key: raw.get(key, "") for key in ("about", "source", "licence")},
        )

    def term(self, raw: Any, line: int, names: Mapping[str, tuple[str, ...]]) -> Term:
        if not raw.get("name"):
            raise self._wrong(line, "a term has no name")
        for name in (raw["name"], *raw.get("also", ()), *raw.get("asked", ())):
            if not _start(name):
                raise self._wrong(line, f"{name!r} has no word that can be searched")
        unknown = set(raw.get("wants", ())).difference(get_args(Want))
        if unknown:
            raise self._wrong(line, f"wants {min(unknown)!r}, not one of {get_args(Want)}")
        for place in raw.get("in", ()):
            if place not in names:
                raise self._wrong(line, f"no term has the name {place!r}")
        return Term(
            names=_names(raw),
            asked=tuple(raw.get("asked", ())),
            parts=tuple(raw.get("parts", ())),
            within=tuple(name for place in raw.get("in", ()) for name in names[place]),
            wants=frozenset(raw.get("wants", ())),
            vocabulary=self._path.stem,
        )

    def _check(self, raw: Any, known: Mapping[str, type], line: int) -> None:
        if not isinstance(raw, dict):
            raise self._wrong(line, "a term is not a table")
        for key, value in raw.items():
            if key not in known:
                raise self._wrong(line, f"{key!r} is not one of {', '.join(known)}")
            texts = value if known[key] is list else [value]
            if not isinstance(value, known[key]) or not all(isinstance(t, str) for t in texts):
                kind = "a list of texts" if known[key] is list else "a text"
                raise self._wrong(line, f"{key!r} is not {kind}")

    def _wrong(self, line: int, what: str) -> UsageError:
        return UsageError(
            f"The vocabulary {self._path}, line {line}: {what}.",
            hint="Correct that line; docs/searching.md describes the format. "
            f"{Opt('no_vocabulary')} searches without it.",
        )
