"""What changed between two documents, word for word, as a notebook shows it."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.base.records.graph import Change, Changes

# Half-transparent, so that the words keep the colour and the contrast of the notebook's theme.
_TAGS = {
    "removed": ('<del style="background:#e0535333">', "</del>"),
    "added": ('<ins style="background:#2c9a6b44;text-decoration:none">', "</ins>"),
}
_SIGNS = {"removed": ("[-", "-]"), "added": ("{+", "+}"), "same": ("", "")}


@dataclass(frozen=True, slots=True)
class MarkedChanges:
    """Changes whose removed words are struck out and whose added words are marked.

    Attributes
    ----------
    changes
        As ``Collection.map.changes`` gives them.
    limit
        At most so many are shown.
    """

    changes: Changes
    limit: int

    def __repr__(self) -> str:
        """Return the changes as text: ``[-removed-]`` and ``{+added+}``."""
        blocks = [self._heading()]
        for change in self.changes.changes[: self.limit]:
            words = "".join(text.join(_SIGNS[op]) for op, text in _words(change))
            blocks.append(f"{_source(change)}\n  {' '.join(words.split())}")
        return "\n".join(blocks)

    def _repr_html_(self) -> str:
        blocks = "".join(self._blocks())
        return f"<p><b>{html.escape(self._heading())}</b></p>{blocks}"

    def _heading(self) -> str:
        before, after = self.changes.before.name, self.changes.after.name
        total = len(self.changes.changes)
        shown = "" if total <= self.limit else f", the first {self.limit} shown"
        return f"{before} → {after}: {total} changed{shown}, {self.changes.unchanged} unchanged"

    def _blocks(self) -> Iterator[str]:
        for change in self.changes.changes[: self.limit]:
            words = "".join(
                html.escape(t).join(_TAGS.get(op, ("", ""))) for op, t in _words(change)
            )
            yield (
                '<blockquote style="margin:.6em 0;border-left:3px solid #8886;padding-left:.8em">'
                f'<div style="max-width:46em;text-align:left">{words}</div>'
                f"<small>{html.escape(_source(change))}</small></blockquote>"
            )


def marked_changes(changes: Changes, /, *, limit: int = 30) -> MarkedChanges:
    """Show what changed, word for word, each side with its citation.

    Parameters
    ----------
    changes
        As ``Collection.map.changes`` gives them.
    limit
        Show at most so many, in reading order.
    """
    return MarkedChanges(changes, limit)


def _words(change: Change) -> tuple[tuple[str, str], ...]:
    """Return the words of a change with what became of them; whole paragraphs count as well."""
    if change.words:
        return change.words
    quote = change.after or change.before
    return ((change.kind, quote.text),) if quote else ()


def _source(change: Change) -> str:
    return " → ".join(quote.citation for quote in (change.before, change.after) if quote)
