"""``casetrack license``, ``update`` and ``uninstall``: the program on this computer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from casetrack.base.errors import UPGRADE_URL
from casetrack.faces.cli.options import JsonOption, opt
from casetrack.faces.cli.output import confirmed, facts, line, write_json
from casetrack.faces.cli.state import EXIT_FAILED, State

if TYPE_CHECKING:
    from casetrack.base.license.manage import LicenseManager, Outcome
    from casetrack.faces.setup.uninstall import Farewell, Withdrawal

# ``casetrack uninstall`` and ``update``: the program on this computer.

_GOODBYE = "This will remove CaseTrack. Your data will NOT be deleted."


def uninstall(
    ctx: typer.Context,
    yes: Annotated[bool, opt("--yes -y")] = False,
    dry_run: Annotated[bool, opt("--dry-run")] = (False),
    as_json: JsonOption = False,
) -> int:
    """Remove CaseTrack from all AI programs and from this computer. Your data stays.

    The entries in the settings of all AI programs are removed, those of the current folder's
    project too, and the entry in the desktop's menu; then the program, if that can be done
    safely from inside. Otherwise the command that removes it is shown. No document and no
    collection is touched.

    Parameters
    ----------
    yes
        Do not ask for confirmation.
    dry_run
        Only show what would be done.
    """
    from casetrack.base.config import load_settings
    from casetrack.faces.setup.clients import Machine
    from casetrack.faces.setup.installation import find_installation
    from casetrack.faces.setup.uninstall import farewell, remove_program, withdraw_everywhere

    data = load_settings(ctx.ensure_object(State).data_dir).data_dir
    installation = find_installation()
    ending = farewell(installation)
    if not dry_run:
        _confirm(yes, quiet=as_json)
    done = withdraw_everywhere(Machine.here(), Path.cwd(), dry_run=dry_run)
    removed = False
    if not done.problems and not dry_run:
        removed = remove_program(installation)
    if as_json:
        write_json(_as_json(done, ending, removed, data, dry_run))
    else:
        _say_goodbye(done, ending, removed, data, dry_run)
    return EXIT_FAILED if done.problems else 0


def _confirm(yes: bool, *, quiet: bool) -> None:
    if not quiet:
        line(_GOODBYE)
    if not yes and not confirmed("Removing CaseTrack", lambda: "Remove it?"):
        raise typer.Abort


def _as_json(
    done: "Withdrawal", ending: "Farewell", removed: bool, data: Path, dry_run: bool
) -> dict[str, Any]:
    return {
        "clients": [change.as_dict() for change in done.removed],
        "desktop": [str(path) for path in done.desktop],
        "problems": [problem.as_dict() for problem in done.problems],
        "program": ending.as_dict() | {"removed": removed},
        "data_dir": str(data),
        "dry_run": dry_run,
    }


def _say_goodbye(
    done: "Withdrawal", ending: "Farewell", removed: bool, data: Path, dry_run: bool
) -> None:
    verb = "Would be removed from" if dry_run else "Removed from"
    # One file may contain the servers of several editions.
    for message in dict.fromkeys(
        f"{verb} {change.client}: {change.file}" for change in done.removed
    ):
        line(message)
    if done.desktop:
        line(f"{verb} the menu of the desktop: {done.desktop[0]}")
    if not done.removed:
        line("No AI program has CaseTrack in its settings.")
    for problem in done.problems:
        line(("Error: ", "bold red"), problem.message, err=True)
    if removed:
        line("The program was removed.")
    elif done.problems:
        line("The program was not removed. Correct these files and run the command again.")
    elif ending.command is None:
        line(f"To remove the program, delete its folder {ending.place}.")
    elif dry_run and ending.by_hand is None:
        line(f"The program would be removed by: {ending.command}")
    else:
        line(f"To remove the program itself ({ending.by_hand}), run: {ending.command}")
    line(f"Your data stays in {data}. CaseTrack never deletes it.")


def update(
    check_only: Annotated[bool, opt("--check")] = False,
    to: Annotated[str | None, opt("--to VERSION")] = None,
    signed_by: Annotated[Path | None, opt("--signed-by FILE")] = None,
    as_json: JsonOption = False,
) -> int:
    """Install the newest version of CaseTrack with the installer that installed this one.

    The command asks a package index over the network. A version is installed only if CaseTrack's
    maker signed all of it; on any error, the current version stays. Your data stays; the new
    version converts it, if necessary, when it opens it.

    Parameters
    ----------
    check_only
        Only check for a newer version.
    to
        Install this version, newer or older.
    signed_by
        Also trust the public keys in this file, for your own builds.
    """
    from casetrack.faces.setup.installation import find_installation
    from casetrack.faces.setup.update import check, signers
    from casetrack.faces.setup.update import update as run_update

    keys = signers(signed_by)
    installation = find_installation()
    state = check(installation, to=to)
    possible = state.newest is not None and not check_only and state.by_hand is None

    def say(text: str) -> None:
        if not as_json:
            line(text)

    if state.newest is None and to is not None:
        say(f"CaseTrack {state.current} is already installed.")
    elif state.newest is None:
        say(f"CaseTrack {state.current} is the newest version.")
    else:
        status = "there" if to is None else "asked for"
        say(f"CaseTrack {state.newest} is {status}; this is {state.current}.")
    # Format this before the update, because the program's files then belong to another version.
    ending = f"CaseTrack {state.newest} is installed. Restart the AI programs that use it."
    if possible and state.newest is not None:
        run_update(installation, state.newest, keys, say)
        say(ending)
    elif state.newest is not None:
        reason = "" if check_only or state.by_hand is None else f" ({state.by_hand})"
        own = "casetrack update" + (f" --to {to}" if to else "")
        say(f"To install it{reason}, run: {own if not reason else state.command}")
    if as_json:
        write_json({**state.as_dict(), "updated": possible})
    return 0


# ``casetrack license``: the tier in force, and entering, confirming and removing a key.


def status(
    ctx: typer.Context,
    refresh: Annotated[bool, opt("--refresh")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the current tier, its limits and its license key.

    Nothing is sent anywhere without --refresh. With it, the license server gets the key, and
    the random name or the id of this installation, nothing else.

    Parameters
    ----------
    refresh
        Ask the license server whether the key is still valid.
    """
    from casetrack.base.license.manage import Outcome

    manager = _manager(ctx)
    _show(manager.refresh() if refresh else Outcome(manager.status()), as_json)


def activate(
    ctx: typer.Context, key: Annotated[list[str], opt("KEY")], as_json: JsonOption = False
) -> None:
    """Enter a license key for this data folder, and confirm it with the license server.

    The key is checked on this computer first. If the server cannot be reached, the key is valid
    for 30 days. Letter case, spaces and line breaks in the key do not matter.

    Parameters
    ----------
    key
        The key that you received.
    """
    _show(_manager(ctx).activate(" ".join(key)), as_json)


def deactivate(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """Remove the activated key, so that it can be used on another computer.

    No stored data is removed or hidden: data above the limits of the Free tier can still be
    read, searched, exported and deleted.
    """
    _show(_manager(ctx).deactivate(), as_json)


def _manager(ctx: typer.Context) -> "LicenseManager":
    from casetrack.base.license.manage import LicenseManager

    return LicenseManager(ctx.ensure_object(State).settings)


def _show(outcome: "Outcome", as_json: bool) -> None:
    state = outcome.status
    notes = (*outcome.notes, *state.notes, *state.others)
    if as_json:
        write_json(state.as_dict() | {"notes": list(notes)})
        return
    line((f"{state.tier.title} tier ({state.tier.price})", "bold"))
    facts(
        [
            ("Collections", _limit(state.tier.collections)),
            ("Documents per collection", _limit(state.tier.documents)),
            ("Reranking, entity search, comparison", "yes" if state.tier.features else "no"),
            ("Key", f"{state.key} ({state.source})" if state.key else state.source or "none"),
            ("Seats", state.seats),
            ("Valid from", state.issued),
            ("Valid to", state.expires or ("no end" if state.issued else None)),
            ("Confirmed", state.confirmed_at),
            ("Confirmation due", state.confirm_by or ("never" if state.offline else None)),
        ]
    )
    for note in notes:
        line((f"Note: {note}", "yellow"))
    if not state.tier.features:
        line((f"Upgrade to Pro: {UPGRADE_URL}", "dim"))


def _limit(count: int | None) -> str:
    return "unlimited" if count is None else f"{count:,}"
