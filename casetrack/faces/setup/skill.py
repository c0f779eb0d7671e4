"""Instructions for AI programs: when to use CaseTrack, and how to cite its answers.

Claude Code reads a skill in a separate file; others read one file of the user with instructions, in
which CaseTrack has a marked block. The rest of the file is not changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from casetrack.base.errors import NoSkill
from casetrack.faces.setup.jsonc import newline_of
from casetrack.faces.setup.register import ClientFile, read_client_file

if TYPE_CHECKING:
    from casetrack.faces.setup.clients import Client, Machine, Scope

Taught = Literal["added", "changed", "unchanged", "removed", "absent", "edited"]
_BEGIN = "<!-- casetrack: begin -->"
_END = "<!-- casetrack: end -->"


@dataclass(frozen=True, slots=True)
class Lesson:
    """Result of a change of a program's instructions.

    Attributes
    ----------
    file
        The file with the instructions.
    action
        As of an entry; ``edited``: a skill of another author has the same name and was not changed.
    """

    file: Path
    action: Taught


def lesson_file(client: Client, scope: Scope, machine: Machine, folder: Path, /) -> Path:
    """Return the file of *client* for instructions; *folder* is the project, for that scope.

    Raises
    ------
    NoSkill
        The program has no such file; it gets the instructions from its server.
    """
    if client.name == "claude-code":
        inside = Path("skills", "casetrack", "SKILL.md")
        settings = machine.variable("CLAUDE_CONFIG_DIR", machine.home / ".claude")
        return (settings if scope == "user" else folder / ".claude") / inside
    own = {"codex": "AGENTS.md", "opencode": "AGENTS.md", "gemini": "GEMINI.md"}
    if client.name not in own:
        raise NoSkill(client.title, client.name)
    place = client.files(machine)[0].parent if scope == "user" else folder
    return place / own[client.name]


def teach(client: Client, path: Path, /, *, dry_run: bool = False) -> Lesson:
    """Write or update the instructions.

    Raises
    ------
    ClientFileInvalid, ClientFileLocked
        The file cannot be changed, and is unchanged.
    """
    file = read_client_file(path, client.name, private=False)
    if _is_skill(path):
        wanted = lesson(client)
        if file.data is not None and not _is_ours(file.text):
            return Lesson(path, "edited")
    else:
        wanted = _with_block(file.text, lesson(client))
    if file.data is not None and file.text == wanted:
        return Lesson(path, "unchanged")
    action: Taught = "changed" if _is_there(file) else "added"
    if not dry_run:
        if action == "changed":
            file.keep()
        file.replace(wanted)
    return Lesson(path, action)


def forget(client: Client, path: Path, /, *, dry_run: bool = False) -> Lesson:
    """Remove the instructions, and the file if it has no other content.

    Raises
    ------
    ClientFileInvalid, ClientFileLocked
        The file cannot be changed, and is unchanged.
    """
    file = read_client_file(path, client.name, private=False)
    if not _is_there(file):
        return Lesson(path, "absent")
    if _is_skill(path):
        if not _is_ours(file.text):
            return Lesson(path, "edited")
        rest = ""
    else:
        rest = _without_block(file.text)
    if not dry_run:
        if rest:
            file.replace(rest)
        else:
            file.remove()
            file.backup.unlink(missing_ok=True)
            if _is_skill(path) and not any(path.parent.iterdir()):
                path.parent.rmdir()
    return Lesson(path, "removed")


def lesson(client: Client, /) -> str:
    """Return the instructions for *client*: a skill, or a block for its file."""
    folder = Path(__file__).with_name("plugin")
    if client.name == "claude-code":
        return (folder / "skills" / "casetrack" / "SKILL.md").read_text("utf-8")
    return (folder / "AGENTS.md").read_text("utf-8")


def _is_skill(path: Path) -> bool:
    return path.name == "SKILL.md"


def _is_ours(text: str) -> bool:
    """Return whether CaseTrack wrote a skill, possibly an older version with another text."""
    return "\nname: casetrack\n" in text.replace("\r\n", "\n")


def _is_there(file: ClientFile) -> bool:
    if file.data is None:
        return False
    return _is_skill(file.path) or _BEGIN in file.text


def _with_block(text: str, words: str) -> str:
    newline = newline_of(text)
    block = newline.join([_BEGIN, *words.splitlines(), _END])
    if _BEGIN in text:
        start, end = _block(text)
        return text[:start] + block + text[end:]
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return text + gap + block + newline


def _without_block(text: str) -> str:
    start, end = _block(text)
    newline = newline_of(text)
    before, after = text[:start], text[end:].removeprefix(newline)
    if before.endswith(newline * 2):  # the blank line that came with it
        before = before.removesuffix(newline)
    return before + after


def _block(text: str) -> tuple[int, int]:
    start = text.index(_BEGIN)
    end = text.find(_END, start)
    return start, len(text) if end < 0 else end + len(_END)
