"""``casetrack setup desktop``: CaseTrack in the menu of the desktop."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.faces.cli.output import line, write_json

if TYPE_CHECKING:
    from casetrack.faces.setup.desktop import DesktopChange


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
    _tell(change, dry_run)
    return 0


def _tell(change: DesktopChange, dry_run: bool) -> None:
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
