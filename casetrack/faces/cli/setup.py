"""``casetrack setup``: CaseTrack in AI programs."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from casetrack.base.errors import NoSkill, SetupError, UsageError
from casetrack.faces.cli.options import (
    EditionName,
    EditionOption,
    JsonOption,
    OfflineOption,
    ReadOnlyOption,
    ToolsOption,
    opt,
)
from casetrack.faces.cli.output import clean, line, write_json, write_text
from casetrack.faces.cli.serve import served_edition
from casetrack.faces.cli.state import EXIT_FAILED, State
from casetrack.faces.setup.clients import (
    CLIENTS,
    Machine,
    is_installed,
    project_file,
    remarks,
    user_files,
)
from casetrack.faces.setup.register import enter, withdraw

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from casetrack.base.editions import Edition
    from casetrack.faces.setup.clients import Client
    from casetrack.faces.setup.desktop import DesktopChange
    from casetrack.faces.setup.register import Change
    from casetrack.faces.setup.skill import Lesson

# fmt: off
Program = Literal[
    "claude-code", "claude-desktop", "cursor", "vscode", "codex", "gemini", "opencode",
    "windsurf", "cline", "lm-studio", "zed", "continue", "goose", "desktop",
]
# fmt: on
Scope = Literal["user", "project"]


def setup(
    ctx: typer.Context,
    client: Annotated[Program | None, opt("CLIENT", show_default=False, show_choices=False)] = None,
    everywhere: Annotated[bool, opt("--all")] = False,
    scope: Annotated[Scope, opt("--scope")] = "user",
    skill: Annotated[bool, opt("--skill")] = False,
    undo: Annotated[bool, opt("--undo")] = False,
    show: Annotated[bool, opt("--print")] = False,
    dry_run: Annotated[bool, opt("--dry-run")] = False,
    edition: EditionOption = None,
    tools: ToolsOption = None,
    read_only: ReadOnlyOption = False,
    offline: OfflineOption = False,
    as_json: JsonOption = False,
) -> int:
    """Add CaseTrack to an AI program, or with --all to every one that is installed.

    Programs: claude-code, claude-desktop, cursor, vscode, codex, gemini, opencode, windsurf, cline,
    lm-studio, zed, continue, goose. And desktop: the window in the menu of your desktop.

    One entry is added to the program's own settings file; the rest of the file is not changed, and
    a backup of the previous file is kept next to it. Running the command again updates the entry.
    Programs that load tools on demand get all tools, others those of daily work; --tools changes
    that. With --data-dir the program uses that data folder. With --edition legal the entry is
    casetrack-legal, which can exist in addition to casetrack.

    Parameters
    ----------
    client
        One of the programs above, or desktop.
    everywhere
        Every installed AI program.
    scope
        user: everywhere you use the program. project: only in the current folder.
    skill
        Also teach the program when to ask CaseTrack and how to cite: a skill for Claude Code, a
        block in AGENTS.md or GEMINI.md for Codex, OpenCode and Gemini CLI.
    undo
        Remove CaseTrack again, and nothing else.
    show
        Only show the entry and its file, to add it by hand.
    dry_run
        Only show the changes of the file.
    """
    from casetrack.base import editions

    if client == "desktop" and not everywhere:
        data_dir = ctx.ensure_object(State).data_dir
        return set_up_desktop(data_dir=data_dir, undo=undo, dry_run=dry_run, as_json=as_json)
    if (client is None) is not everywhere:
        known = ", ".join(get_args(Program))
        raise UsageError(
            "Name one AI program, or use --all."
            if client is None
            else "Name no program with --all.",
            hint=f"Supported programs: {known}.",
        )
    if tools is not None:
        from casetrack.faces.mcp.catalogue import choose

        choose(tools, served_edition(edition))
    about = editions.edition(edition or editions.ANY)
    data_dir = ctx.ensure_object(State).data_dir
    offer = (data_dir, edition, tools, read_only, offline)
    wish = _Wish(*offer, about, Machine.here(), scope, undo, dry_run, skill)
    if client is None:
        return _set_up_all(wish, ctx.ensure_object(State), show, as_json)
    chosen = CLIENTS[client].of(about.server)
    if show:
        return _print_entry(chosen, wish.path(chosen), wish.entry(chosen), as_json)
    said = _set_up_one(wish, chosen, ctx.ensure_object(State), named=True, quiet=as_json)
    if as_json:
        write_json(said)
    return 0


@dataclass(frozen=True, slots=True)
class _Wish:
    """The options of the command, and the options of the server's start."""

    data_dir: str | None
    edition: EditionName | None
    tools: str | None
    read_only: bool
    offline: bool
    about: "Edition"
    machine: "Machine"
    scope: Scope
    undo: bool
    dry_run: bool
    skill: bool

    def entry(self, client: "Client") -> dict[str, Any]:
        """Return the entry for a program; an edition has few tools, so all are offered."""
        from casetrack.faces.setup.entry import server_entry

        suited = client.tools if self.edition is None else None
        return server_entry(
            data_dir=self.data_dir,
            edition=self.edition,
            tools=suited if self.tools is None else self.tools,
            read_only=self.read_only,
            offline=self.offline,
        )

    @property
    def of_user(self) -> bool:
        return self.scope == "user"

    def path(self, client: "Client") -> Path:
        if self.of_user:
            return user_files(client, self.machine)[0]
        return project_file(client, Path.cwd())

    def said(
        self, client: "Client", change: "Change", notes: tuple[str, ...], taught: "Lesson | None"
    ) -> dict[str, Any]:
        """Return the result as JSON."""
        step = None if self.undo else f"{client.next_step}."
        skill = taught and {"file": str(taught.file), "action": taught.action}
        return {
            **change.as_dict(),
            "skill": skill,
            "notes": notes,
            "next_step": step,
            "dry_run": self.dry_run,
        }


def _set_up(wish: _Wish, client: "Client", state: State) -> tuple["Change", tuple[str, ...]]:
    """Set up one program."""
    if wish.undo:
        return _undone(wish, client), ()
    path = wish.path(client)
    notes = remarks(client, path, wish.scope, wish.machine)
    server = wish.entry(client)
    change = enter(client, path, server, dry_run=wish.dry_run, private=wish.of_user)
    return change, notes + _more_notes(client, change, server) + _model_note(state, wish)


def _lesson(wish: _Wish, client: "Client", *, named: bool) -> "Callable[..., Lesson] | None":
    """Return the installation or removal of the skill; ``None`` if neither is needed.

    A program without skills is reported before any change.
    """
    from casetrack.faces.setup.skill import forget, lesson_file, teach

    if not wish.skill and not wish.undo:
        return None
    try:
        path = lesson_file(client, wish.scope, wish.machine, Path.cwd())
    except NoSkill:
        if named and wish.skill:
            raise
        return None
    return partial(forget if wish.undo else teach, client, path)


def _tell_lesson(client: "Client", taught: "Lesson | None", dry_run: bool) -> None:
    if taught is None or taught.action == "absent":
        return
    words = {
        "added": f"The skill (when to ask, how to cite) was added: {taught.file}",
        "changed": f"The skill was updated: {taught.file}",
        "unchanged": f"The skill is up to date: {taught.file}",
        "removed": f"The skill was removed: {taught.file}",
        "edited": f"Another skill with this name was not changed: {taught.file}",
    }
    if dry_run and taught.action in {"added", "changed", "removed"}:
        line(f"The skill of {client.title} would be {taught.action}: {taught.file}")
    else:
        line(words[taught.action])


def _set_up_one(
    wish: _Wish,
    client: "Client",
    state: State,
    *,
    named: bool,
    quiet: bool,
    known: "Container[str]" = (),
) -> dict[str, Any]:
    """Set up a program and report it, without the notes in *known*; return the report."""
    lesson = _lesson(wish, client, named=named)
    change, notes = _set_up(wish, client, state)
    taught = None if lesson is None else lesson(dry_run=wish.dry_run)
    if not quiet:
        fresh = tuple(note for note in notes if note not in known)
        _tell(client, change, fresh, wish.dry_run, wish.about)
        _tell_lesson(client, taught, wish.dry_run)
    return wish.said(client, change, notes, taught)


def _set_up_all(wish: _Wish, state: State, show: bool, as_json: bool) -> int:
    """Set up every installed program; continue with the others after an error."""
    if show or not wish.of_user:
        raise UsageError(
            "--all uses your own settings of all installed programs.",
            hint="Name one program with --print or --scope project.",
        )
    clients = [client.of(wish.about.server) for client in CLIENTS.values()]
    installed = [c for c in clients if is_installed(c, wish.path(c), wish.machine)]
    done, problems, shown = list[dict[str, Any]](), [], dict[str, None]()
    for client in installed:
        try:
            done.append(_set_up_one(wish, client, state, named=False, quiet=as_json, known=shown))
            shown |= dict.fromkeys(done[-1]["notes"])
        except SetupError as error:
            problems.append(error)
    if as_json:
        write_json({"clients": done, "problems": [problem.as_dict() for problem in problems]})
        return EXIT_FAILED if problems else 0
    for problem in problems:
        line(("Error: ", "bold red"), problem.message, err=True)
        line(f"  {problem.hint}", err=True)
    if not installed:
        line(
            "No supported AI program is installed. To set one up before its installation, name it."
        )
    return EXIT_FAILED if problems else 0


def _undone(wish: _Wish, client: "Client") -> "Change":
    """Remove the entry from the first file with it, because a program may have several builds."""
    files = user_files(client, wish.machine) if wish.of_user else (wish.path(client),)
    changes = [withdraw(client, file, dry_run=wish.dry_run) for file in files]
    return next((c for c in changes if c.action == "removed"), changes[0])


def _more_notes(client: "Client", change: "Change", server: dict[str, Any]) -> tuple[str, ...]:
    from casetrack.faces.setup.installation import find_installation

    notes: tuple[str, ...] = ()
    if change.extended and not client.lenient:
        text = "The file has comments or commas after a last value. {} may not accept these."
        notes += (text.format(client.title),)
    if find_installation().kind == "temporary":
        text = (
            "{} is in a temporary environment. Install CaseTrack permanently (pipx install "
            "casetrack, or uv tool install casetrack) and run this again."
        )
        notes += (text.format(server["command"]),)
    return notes


def _model_note(state: State, wish: _Wish) -> tuple[str, ...]:
    """Return the note about missing models."""
    from casetrack.api.models.supplies import lacking
    from casetrack.base.records import DEFAULT_PROFILE

    missing = lacking(state.settings.models_dir)
    if not missing:
        return ()
    what = "The search model (90 MB) is not installed yet."
    until = "search matches words only."
    if DEFAULT_PROFILE not in missing:
        what = "The models for text recognition (30 MB) are not installed yet."
        until = "scans are read by other installed engines."
    how = (
        "The program's first start downloads it in the background; `casetrack models pull` does "
        "it now."
    )
    if wish.offline or wish.read_only:
        how = "Run `casetrack models pull` once while online."
    return (f"{what} {how} Until then, {until}",)


def _print_entry(client: "Client", path: Path, server: dict[str, Any], as_json: bool) -> int:
    if as_json:
        snippet = {client.container: {client.path[1]: client.shaped(server)}}
        write_json({"client": client.title, "file": str(path), "entry": snippet})
        return 0
    line(f"In {path}, merge this into the existing settings:")
    line()
    write_text(client.format.shown(client.path, client.shaped(server)))
    line()
    line(f"{client.next_step}.")
    return 0


def _tell(
    client: "Client", change: "Change", notes: tuple[str, ...], dry_run: bool, about: "Edition"
) -> None:
    for note in notes:
        line(("Note: ", "yellow"), note)
    if dry_run:
        if change.diff:
            line(f"Changes in {change.file}:")
            write_text(clean(change.diff))
        else:
            line(f"No changes in {change.file}.")
        return
    title = about.title
    words = {
        "added": f"{title} is set up in {client.title}: {change.file}",
        "changed": f"{title}'s entry in {client.title} was updated: {change.file}",
        "unchanged": f"{title} is already set up in {client.title}: {change.file}",
        "removed": f"{title} is no longer in {client.title}: {change.file}",
        "absent": f"{title} is not in {client.title}; {change.file} was not changed",
    }
    line(words[change.action])
    if change.deleted:
        line("The file had no other content and was removed.")
    if change.backup is not None:
        line(f"Backup of the previous file: {change.backup}")
    if change.action in {"added", "changed", "unchanged"}:
        line(f'{client.next_step}, then ask: "{about.question}"')
    elif change.action == "removed":
        line(f"Restart {client.title} if it is running.")


# ``casetrack setup desktop``: CaseTrack in the menu of the desktop.


def set_up_desktop(*, data_dir: str | None, undo: bool, dry_run: bool, as_json: bool) -> int:
    """Add the window to the menu of the desktop, or remove it, and report that."""
    from casetrack.faces.setup.clients import Machine
    from casetrack.faces.setup.desktop import add, remove
    from casetrack.faces.setup.entry import window_launcher

    machine = Machine.here()
    if undo:
        change = remove(machine, dry_run=dry_run)
    else:
        change = add(machine, *window_launcher(data_dir), dry_run=dry_run)
    if as_json:
        files = [str(path) for path in change.files]
        write_json({"action": change.action, "files": files, "dry_run": dry_run})
        return 0
    _tell_desktop(change, dry_run)
    return 0


def _tell_desktop(change: "DesktopChange", dry_run: bool) -> None:
    files = "".join(f"\n  {path}" for path in change.files)
    if dry_run and change.files:
        line(f"Would be {change.action}:{files}")
        return
    words = {
        "added": f"{change.where}{files}",
        "changed": f"The entry was updated. {change.where}{files}",
        "unchanged": f"The entry is up to date. {change.where}",
        "removed": f"CaseTrack is no longer in the menu of the desktop:{files}",
        "absent": "CaseTrack is not in the menu of the desktop: there is nothing to remove.",
    }
    line(words[change.action])
