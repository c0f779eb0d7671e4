"""Texts of the window in all its languages, from ``texts.toml``."""

from __future__ import annotations

import functools
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from casetrack.api.operation import summary_of
from casetrack.api.text.collections import about
from casetrack.base.records.cards import size_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.api.operation import Argument, Operation

LANGUAGES = {"en": "English", "de": "Deutsch"}
DEFAULT = "en"
_SIGNS = {"en": ",.", "de": ".,"}
"""The signs between thousands and before decimals."""


@functools.cache
def all_texts() -> Mapping[str, Mapping[str, str]]:
    """Return the texts by their names, ``section.name``, each by language.

    A text with a count has two: ``name`` for one and ``name_many`` for any other number.
    """
    raw = tomllib.loads((Path(__file__).parent / "texts.toml").read_text(encoding="utf-8"))
    return {
        f"{section}.{name}": by_language
        for section, texts in raw.items()
        for name, by_language in texts.items()
    }


@functools.cache
def _notes() -> Sequence[tuple[re.Pattern[str], str]]:
    """Return patterns of sentences of the engine, and the names of their texts."""
    notes = (name for name in all_texts() if name.startswith("note."))
    written = ((re.escape(all_texts()[name][DEFAULT]), name) for name in notes)
    return [(re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", p)), name) for p, name in written]


@functools.cache
def _phrases() -> Mapping[str, str]:
    """Return the names of the texts of single words and of a briefing by their English."""
    known = [(name, texts[DEFAULT]) for name, texts in all_texts().items()]
    types = {name.partition(".type_")[2]: name for name, _ in known if ".type_" in name}
    words = ("role.", "choice.", "type.", "word.", "report.")
    own = {text: name for name, text in known if name.startswith(words)} | types
    return {**own, **_raw_words()}


@functools.cache
def _raw_words() -> Mapping[str, str]:
    """Return the names of the texts that replace words of the engine in every language."""
    words = ((name[5:], name) for name in all_texts() if name.startswith("word."))
    spelled = ((each, name) for word, name in words for each in (word, word.replace("_", " ")))
    return {word: name for word, name in spelled if word != all_texts()[name][DEFAULT]}


_SETTING = re.compile(r" \((?:max_\w+|unpacked_mb)\)|, unpacked_mb\b")
"""Names of settings in sentences of the engine, which the window does not have."""
_COUNT = r"(?:\d[\d,.]*%?(?: [A-Za-z][A-Za-z_ ]{0,40})?|[A-Za-z][a-z_ ]{0,40} \d[\d,.]*%?)"
_COUNTS = re.compile(rf"{_COUNT}(?:(?:, |: | in | of ){_COUNT})*")
_WORDS = re.compile(
    r"(?<=\d )[A-Za-z][A-Za-z_ ]*?(?=,| in | of |$)|[A-Za-z][a-z_ ]+(?= \d)|(?<=\d)[,.](?=\d)"
)
_PLACE = re.compile(r".*(?=, (?:(?:p\.|slide|message|section|cell) \d|sheet \"))", re.DOTALL)
# Words in a citation, and in the line about a document; roles in brackets last.
_FIXED = re.compile(
    r"(?:^|(?<=, ))"
    r"(?:p\.|slide|message|section|cell|sheet|rows?|columns|paras?\.|ll?\.)(?= [\d\"A-Z])"
    r"|\(estimated\)|(?<=\()printed pp?\.|(?<=[;,] )[\d,]+ more\b|\bended (?=\d{4}-)"
    r"|(?<=\()[a-z][a-z, -]{2,80}(?=\)|, )"
)


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of one language, one of :data:`LANGUAGES`."""

    language: str

    def __call__(self, name: str, /, **values: object) -> Markup:
        """Return a text with escaped values."""
        count = values.get("count")
        if isinstance(count, int):
            values["count"] = self.number(count)
            if count != 1 and f"{name}_many" in all_texts():
                name = f"{name}_many"
        text = Markup(all_texts()[name][self.language])  # noqa: S704 - a text of ours
        return text.format(**{key: _isolated(value) for key, value in values.items()})

    def note(self, text: str, /) -> str:
        """Return a sentence of the engine in this language; unknown ones stay English."""
        text = _SETTING.sub("", text)
        plain = text.strip(" ")
        notes = () if self.language == DEFAULT else _notes()
        known = ((name, p.fullmatch(plain)) for p, name in notes)
        name, match = next(((n, m) for n, m in known if m), ("", None))
        if match is not None:
            parts = {key: self.note(part or "") for key, part in match.groupdict().items()}
            return text.replace(plain, all_texts()[name][self.language].format(**parts))
        if plain.count(":") == 1 and plain[-1] == ":":
            return text.replace(plain, f"{self.phrase(plain[:-1])}:")
        counts = _COUNTS.fullmatch(plain.lstrip(": "))
        return text if counts is None else _WORDS.sub(lambda m: self._counted(m[0]), text)

    def phrase(self, text: str, /) -> str:
        """Return a phrase of the briefing, the text of a name, or a sentence of the engine."""
        own = text in _raw_words() or "_" in text or self.language != DEFAULT
        name = text if text in all_texts() else _phrases().get(text) if own else None
        return all_texts()[name][self.language] if name else self.note(text)

    def _counted(self, word: str) -> str:
        return self._signs(word) if word in {",", "."} else self.phrase(word)

    def told(self, text: str, /) -> str:
        """Return a citation, or the line about a document, with its fixed words translated."""
        if self.language == DEFAULT:
            return text
        name = _PLACE.match(text)  # Of a document, which stays as it is.
        start = name.end() if name else 0
        return text[:start] + _FIXED.sub(lambda match: self._fixed(match[0]), text[start:])

    def _fixed(self, words: str) -> str:
        if words.endswith(" more"):
            return str(self("cite.more", count=int(words[:-5].replace(",", ""))))
        name = f"cite.{words.strip('(). ').replace(' ', '_')}"
        return all_texts()[name][self.language] if name in all_texts() else self.role(words)

    def role(self, text: str, /) -> str:
        """Return roles such as ``plaintiff-appellant``; a role that only a document has stays."""
        known = _phrases()
        parts = [text] if text in known else re.split("(, |-)", text)
        return "".join(map(self.phrase, parts)) if {*parts[::2]} <= {*known} else text

    def choice(self, word: str, /) -> Markup:
        """Return a value of an argument."""
        return self._or(_phrases().get(word, ""), word)

    def knows(self, name: str, /) -> bool:
        """Return whether there is a text of this name."""
        return name in all_texts()

    def type(self, name: str, /) -> Markup:
        """Return a type of documents, or the name of a format."""
        return self._or(f"type.{name}", name)

    def operation(self, operation: Operation, /) -> Markup:
        """Return the title of an operation."""
        return self._or(f"operation.{operation.name}", operation.title)

    def about(self, operation: Operation, /) -> Markup:
        """Return the description of an operation."""
        first = summary_of(operation.method).partition("\n\n")[0]
        return self._or(f"operation.{operation.name}_about", first)

    def argument(self, operation: Operation, each: Argument, /) -> Markup:
        """Return the description of an argument."""
        own = self._or(f"argument.{operation.name}_{each.name}", "")
        return own or self._or(f"argument.{each.name}", each.help)

    def _or(self, name: str, other: str) -> Markup:
        return self(name) if name in all_texts() else escape(other)

    def number(self, value: float, /, digits: int = 0) -> str:
        """Return a number as the language writes it: ``12,345.6`` or ``12.345,6``."""
        return self._signs(f"{value:,.{digits}f}")

    def _signs(self, text: str) -> str:
        return text.translate(str.maketrans(",.", _SIGNS[self.language]))

    def size(self, count: int, /) -> str:
        """Return a number of bytes in a unit that fits: ``4.2 MB``."""
        return self._signs(size_text(count).replace("bytes", "B"))

    def duration(self, seconds: float, /) -> str:
        """Return a duration in the most suitable unit: ``40 s``, ``3 min``, ``2 h``."""
        return self._signs(about(seconds).removeprefix("about "))


def language_of(chosen: str | None, accepted: str, /) -> str:
    """Return the *chosen* language, else the first known one of ``Accept-Language``."""
    if chosen in LANGUAGES:
        return str(chosen)
    wishes = []
    for place, part in enumerate(accepted.split(",")):
        tag, _, quality = part.strip().partition(";q=")
        try:
            weight = float(quality or 1)
        except ValueError:
            weight = 0.0
        wishes.append((-weight, place, tag[:2].lower()))
    return next((tag for _, _, tag in sorted(wishes) if tag in LANGUAGES), DEFAULT)


def _isolated(value: object) -> object:
    """Isolate the text direction of a name from the text around it."""
    if isinstance(value, str) and not isinstance(value, Markup) and not value.isascii():
        return Markup("<bdi>{}</bdi>").format(value)
    return value if isinstance(value, (int, float, Markup)) else escape(value)
