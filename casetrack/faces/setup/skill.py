"""Teaching an AI program when to ask CaseTrack, and how to cite what it answers.

Claude Code reads a skill, a file of its own; others read one file of instructions that belongs to
the user, in which CaseTrack keeps a marked block. Nothing outside the block changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from casetrack.base.errors import NoSkill
from casetrack.faces.setup.jsonc import newline_of
from casetrack.faces.setup.register import read_client_file

if TYPE_CHECKING:
    from casetrack.faces.setup.clients import Client, Machine, Scope
    from casetrack.faces.setup.register import ClientFile

Taught = Literal["added", "changed", "unchanged", "removed", "absent", "edited"]
_BEGIN = "<!-- casetrack: begin -->"
_END = "<!-- casetrack: end -->"


@dataclass(frozen=True, slots=True)
class Lesson:
    """What became of a program's instructions.

    Attributes
    ----------
    file
        The file that holds them.
    action
        As of an entry; ``edited``: there is a skill of that name by somebody else, which was left
        alone.
    """

    file: Path
    action: Taught


def lesson_file(client: Client, scope: Scope, machine: Machine, folder: Path, /) -> Path:
    """Return the file that *client* reads instructions from.

    Parameters
    ----------
    folder
        The project, for the scope of that name.

    Raises
    ------
    NoSkill
        The program reads none that can be written here; its server tells it what it needs.
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
    """Write the instructions, or bring them up to date.

    Raises
    ------
    ClientFileInvalid, ClientFileLocked
        The file cannot be changed; it is as it was.
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
    """Take the instructions out again; a file that held nothing else goes.

    Raises
    ------
    ClientFileInvalid, ClientFileLocked
        The file cannot be changed; it is as it was.
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
    """Return whether a skill is one that CaseTrack wrote: an older one may say other words."""
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
    found = text.find(_END, start)
    return start, len(text) if found < 0 else found + len(_END)
