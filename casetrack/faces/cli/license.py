"""``casetrack license``: the tier in force, and entering, confirming and removing a key."""

from typing import TYPE_CHECKING, Annotated

import typer

from casetrack.base.errors import UPGRADE_URL
from casetrack.faces.cli.options import JsonOption
from casetrack.faces.cli.output import facts, line, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.base.license import LicenseStatus
    from casetrack.base.license.manage import LicenseManager, Outcome


def status(
    ctx: typer.Context,
    refresh: Annotated[
        bool, typer.Option("--refresh", help="Ask the license server whether the key still counts.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show the tier in force, what it allows, and the key that it rests on.

    Nothing is sent anywhere without --refresh. With it, the license server gets the key, and
    the random name or the id of this installation, nothing else.
    """
    from casetrack.base.license.manage import Outcome

    manager = _manager(ctx)
    _show(manager.refresh() if refresh else Outcome(manager.status()), as_json)


def activate(
    ctx: typer.Context,
    key: Annotated[
        list[str], typer.Argument(metavar="KEY", help="The key, as it was sent to you.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Enter a license key for this data folder, and confirm it with the license server.

    The key is checked on this computer first. Where the server cannot be reached, it counts all
    the same for 30 days. Letter case, spaces and line breaks in the key do not matter.
    """
    _show(_manager(ctx).activate(" ".join(key)), as_json)


def deactivate(ctx: typer.Context, as_json: JsonOption = False) -> None:
    """Remove the activated key, so that it can be used on another computer.

    Nothing that is stored is removed or hidden: what the Free tier does not allow to be added can
    still be read, searched, exported and deleted.
    """
    _show(_manager(ctx).deactivate(), as_json)


def _manager(ctx: typer.Context) -> "LicenseManager":
    from casetrack.base.license.manage import LicenseManager

    return LicenseManager(ctx.ensure_object(State).settings)


def _show(outcome: "Outcome", as_json: bool) -> None:
    found = outcome.status
    notes = (*outcome.notes, *found.notes, *found.others)
    if as_json:
        write_json(found.as_dict() | {"notes": list(notes)})
        return
    line((f"{found.tier.title} tier ({found.tier.price})", "bold"))
    facts(
        [
            ("Collections", _limit(found.tier.collections)),
            ("Documents per collection", _limit(found.tier.documents)),
            ("Reranking, entity search, comparison", _features(found)),
            ("Key", f"{found.key} ({found.source})" if found.key else found.source or "none"),
            ("Seats", found.seats),
            ("Valid from", found.issued),
            ("Valid to", found.expires or ("no end" if found.issued else None)),
            ("Confirmed", found.confirmed_at),
            ("To be confirmed by", found.confirm_by or ("never" if found.offline else None)),
        ]
    )
    for note in notes:
        line((f"Note: {note}", "yellow"))
    if not found.tier.features:
        line((f"Upgrade to Pro: {UPGRADE_URL}", "dim"))


def _limit(count: int | None) -> str:
    return "unlimited" if count is None else f"{count:,}"


def _features(found: "LicenseStatus") -> str:
    return "yes" if found.tier.features else "no"
