"""Languages of source files by extension."""

from __future__ import annotations

from casetrack.base.words import WordLists

_LISTS = WordLists(__file__)

_EXTENSIONS = _LISTS.pairs("extensions")
LANGUAGES = {
    extension: language
    for language, extensions in _EXTENSIONS.items()
    for extension in extensions.split()
}
"""Name of the language of each extension, with dot."""
PROSE = frozenset({".adoc", ".asciidoc", ".ltx", ".rest", ".rst", ".tex"})
"""Extensions of texts for people."""
