"""The data folder as a whole: the tier and its key, the models, where everything lies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.records import DEFAULT_PROFILE
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address
from casetrack.faces.window.work import begin
from casetrack.version import __version__

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from starlette.responses import Response

    from casetrack.base.license.manage import Outcome
    from casetrack.faces.window.visit import Visit


def settings(visit: Visit, /) -> Response:
    """Show the tier in force, what it allows, and which models are there."""
    from casetrack.base.license.manage import LicenseManager

    return _shown(visit, LicenseManager(visit.library.settings).status().notes)


def license_key(visit: Visit, /) -> Response:
    """Enter a key, confirm it again, or take it out."""
    from casetrack.base.license.manage import LicenseManager

    manager = LicenseManager(visit.library.settings)
    outcome: Outcome
    match visit.sent("do"):
        case "refresh":
            outcome = manager.refresh()
        case "remove":
            outcome = manager.deactivate()
        case _:
            outcome = manager.activate(visit.sent("key"))
    return _shown(visit, (*outcome.notes, *outcome.status.notes))


def fetch(visit: Visit, /) -> Response:
    """Begin to fetch the models of a profile, and show how far it is."""
    from casetrack.base.models.profiles import find_profile

    profile = find_profile(visit.sent("profile") or DEFAULT_PROFILE)
    folder = visit.library.settings.models_dir

    def work(tell: Callable[..., None], _stop: threading.Event) -> None:
        from casetrack.api.models import supplies
        from casetrack.api.models.pulling import pull

        def progress(what: str, done: int, total: int | None) -> None:
            tell(what, done, total or 0)

        if profile.name == DEFAULT_PROFILE:  # with what reads scans
            for _ in supplies.fetch(folder, progress):
                pass
            return
        pull(profile.name, folder, progress)

    title = f"Models of {profile.name}"
    return visit.see(address("jobs", begin(visit.library, "models", work, title=title)))


def _shown(visit: Visit, notes: tuple[str, ...]) -> Response:
    from casetrack.api.models.supplies import lacking
    from casetrack.base.models.profiles import PROFILES

    library = visit.library
    missing = lacking(library.settings.models_dir)
    return visit.page(
        "settings.html",
        license=library.entitlements.status(),
        notes=notes,
        collections=len(library.collections()),
        profiles=[
            (each, not missing if each.name == DEFAULT_PROFILE else _is_there(visit, each.name))
            for each in PROFILES
            if each.models
        ],
        usual=DEFAULT_PROFILE,
        folder=library.settings.data_dir,
        models=library.settings.models_dir,
        version=__version__,
    )


def _is_there(visit: Visit, profile: str) -> bool:
    return visit.library.missing_models(profile) is None


PAGES = (
    Page("settings", "/settings", settings),
    Page("license", "/settings/license", license_key, "POST"),
    Page("models", "/settings/models", fetch, "POST"),
)
