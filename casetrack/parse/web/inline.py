"""Puts the text of inline elements together to lines, with white space as a browser shows it."""

from __future__ import annotations

import re

_SPACES = " \t\n\r\f"
_BLANK = re.compile(f"[{_SPACES}]+")
_BREAK = re.compile(r"\r\n?|\n")


class LineMaker:
    """Collects the lines of one block."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.length = 0
        self._parts: list[str] = []
        self._space = False
        self._script = ""

    @property
    def is_empty(self) -> bool:
        """Whether the current line has no text yet."""
        return not self._parts

    @property
    def last(self) -> str:
        """The last character of the line, a space where one is due, empty at its start."""
        if self._space:
            return " "
        return self._parts[-1][-1:] if self._parts else ""

    def text(self, text: str, /, *, keeps_space: bool = False) -> None:
        """Add text; *keeps_space* keeps its white space and line breaks."""
        self.length += len(text)
        if keeps_space:
            self._kept(text)
            return
        words = _BLANK.sub(" ", text)
        if words[:1] == " ":
            self._space = True
        body = words.strip(" ")
        if not body:
            return
        self._add(body)
        self._space = words[-1] == " "

    def mark(self, mark: str, /) -> None:
        """Add what is no text; white space around it stays as it is due."""
        self._parts.append(mark)

    def open_script(self, mark: str, /) -> None:
        """Begin raised or lowered text: ``sup``, ``sub``, or the mark that stands before it."""
        self._script = mark

    def close_script(self) -> None:
        """End raised or lowered text; a digit after it does not belong to it."""
        if self._script != "after" and self.last.isdigit():
            self._script = "after"
        else:
            self._script = ""

    def _before_script(self, body: str) -> str:
        """Return what keeps the digits of raised, lowered and plain text apart."""
        script, self._script = self._script, ""
        if script == "after":
            return " " if body[0].isdigit() and not self._space else ""
        if script not in {"sup", "sub"}:
            return script
        if script == "sup" and body[0].isdigit() and self.last.isalnum():
            return "^"
        return "_" if body[0].isdigit() and self.last.isdigit() else ""

    def _add(self, body: str) -> None:
        if self._script:
            body = self._before_script(body) + body
        if self._space and self._parts:
            self._parts.append(" ")
        self._space = False
        self._parts.append(body)

    def _kept(self, text: str) -> None:
        first, *rest = _BREAK.split(text)
        if first:
            if self._space and self._parts:
                self._parts.append(" ")
            self._space = False
            self._parts.append(first)
        for line in rest:
            self.new_line()
            if line:
                self._parts.append(line)

    def space(self) -> None:
        """Part what follows from what stands, as by a space."""
        self._space = True

    def new_line(self) -> None:
        """End the line."""
        self.lines.append("".join(self._parts))
        self._parts = []
        self._space = False

    def take(self) -> list[str]:
        """Return the lines and begin anew."""
        self.new_line()
        lines, self.lines, self.length = self.lines, [], 0
        return lines
