"""The first page of the window, its settings, and long work."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.api.collection.listing import listing
from casetrack.api.operations import operations
from casetrack.api.watch.watch_list import delete_collection
from casetrack.base.errors import UsageError
from casetrack.base.records import DEFAULT_PROFILE
from casetrack.base.resources import resource_dir
from casetrack.faces.window.pages.adding import written
from casetrack.faces.window.pages.base import Page
from casetrack.faces.window.visit import address
from casetrack.faces.window.work import begin, begin_models, fetch_models, map_job, missing_meaning
from casetrack.version import __version__

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence

    from starlette.responses import Response

    from casetrack.base.records.jobs import Job
    from casetrack.base.records.snapshots import ImportReport
    from casetrack.faces.window.visit import Visit

_SHOWN = 8


def home(visit: Visit, /) -> Response:
    """List the collections."""
    infos, damaged = visit.library.listed()
    return visit.page(
        "home.html",
        shelves=[visit.library.entry(info) for info in infos],
        sealed=visit.library.sealed(),
        aside=visit.library.aside(),
        damaged=[(folder.name, reason) for folder, reason in damaged],
        folder=visit.library.settings.data_dir,
        most=visit.library.entitlements.tier.collections,
        tier=visit.library.entitlements.tier.title,
        running=[job for job in visit.library.jobs.list() if job.active],
        importing=operations()["import"],
    )


def import_archive(visit: Visit, /) -> Response:
    """Start to import the exported file that was sent."""
    library = visit.library
    folder = Path(tempfile.mkdtemp(prefix="import-", dir=library.settings.data_dir))
    paths = written(folder, visit.sent_files("files")[:1])

    def work(tell: Callable[..., None], stop: threading.Event) -> ImportReport:
        try:
            return library.import_archive(paths[0], progress=tell, cancel=stop)
        finally:
            shutil.rmtree(folder)

    if not paths:
        folder.rmdir()
        raise UsageError(str(visit.texts("adding.nothing")))
    title = f"{visit.texts.operation(operations()['import'])}: {paths[0].name}"
    return visit.see(address("jobs", begin(library, "import", work, title=title)))


def aside(visit: Visit, /) -> Response:
    """Restore a deleted collection, or delete it for good."""
    library, chosen = visit.library, visit.sent("collection")
    if visit.sent("do") == "delete":
        delete_collection(library, chosen, aside=True)
        return visit.see("/")
    return visit.see(address("c", library.put_back(chosen).name))


def create(visit: Visit, /) -> Response:
    """Make a collection, and show where to add documents; missing models are downloaded."""
    made = visit.library.create(visit.sent("name"))
    begin_models(visit)
    return visit.see(address("c", made.name, "add"))


def sample(visit: Visit, /) -> Response:
    """Make a collection of the sample documents, and show how they are read."""
    folder = resource_dir("data-samples") / "files"
    made = visit.library.create(str(visit.texts("home.sample_name")))
    begin_models(visit)
    job = begin(
        visit.library,
        "ingest",
        lambda tell, stop: made.ingest([folder], progress=tell, cancel=stop),
        title=f"Ingest of {made.name}",
        collection=made.info,
    )
    return visit.see(address("jobs", job))


def overview(visit: Visit, /) -> Response:
    """Show the content of a collection, with a search box."""
    collection = visit.collection
    return visit.page(
        "overview.html",
        meaning=missing_meaning(visit),
        info=collection.info,
        stats=collection.stats(),
        documents=listing(collection.workspace.state(), sort_by="date", limit=_SHOWN).documents,
    )


def suggested(visit: Visit, /) -> Response:
    """Suggest questions on the documents, or on the results of a question; loads later."""
    collection, texts, question = visit.collection, visit.texts, visit.asked("q")
    if job := map_job(visit):
        return visit.page("suggested.html", job=job, again=visit.address_with())
    summary = collection.map.summary()
    names = [actor.entity.name for actor in summary.key_actors[:2]]
    topics, instead = summary.topics, bool(visit.asked("instead"))
    if question and not instead:
        facets = {f.name: f for f in collection.facets(question, most=4, waits=False).facets}
        near = {each.value for each in facets["document"].values}
        instead = not near  # no passage contains a word of the question
    if question and not instead:
        names = [each.label for name in ("person", "organization") for each in facets[name].values]
        topics = tuple(each for each in topics if near & set(each.document_ids))
    # A term of several words says more than one.
    terms = [max(each.terms[:4], key=lambda t: " " in t) for each in topics if each.terms]
    asked = [(texts("overview.about_name", name="{}"), name) for name in _new(names, question)]
    asked += [(texts("overview.about_term", term="{}"), term) for term in _new(terms, question)]
    questions = [str(text).replace("{}", words) for text, words in asked]
    title = f"search.{'instead' if instead else 'related'}" if question else ""
    return visit.page("suggested.html", questions=questions, title=title, job=None)


def _new(words: Sequence[str], question: str) -> list[str]:
    """Return the first two that a question does not contain."""
    return [w for w in dict.fromkeys(words) if w.casefold() not in question.casefold()][:2]


# The data folder: tier and key, models, paths.


def settings(visit: Visit, /) -> Response:
    """Show the current tier, its limits, and the installed models."""
    from casetrack.base.license.manage import LicenseManager

    return _shown(visit, LicenseManager(visit.library.settings).status().notes)


def license_key(visit: Visit, /) -> Response:
    """Enter a key, confirm it again, or remove it."""
    from casetrack.base.license.manage import LicenseManager

    manager = LicenseManager(visit.library.settings)
    changes = {"refresh": manager.refresh, "remove": manager.deactivate}
    change = changes.get(visit.sent("do"))
    outcome = change() if change else manager.activate(visit.sent("key"))
    return _shown(visit, (*outcome.notes, *outcome.status.notes))


def fetch(visit: Visit, /) -> Response:
    """Start the download of a profile's models, and show its progress."""
    from casetrack.base.models.profiles import find_profile

    profile = find_profile(visit.sent("profile") or DEFAULT_PROFILE)
    return visit.see(address("jobs", fetch_models(visit.library, profile.name)))


def _shown(visit: Visit, notes: tuple[str, ...]) -> Response:
    from casetrack.api.models import supplies
    from casetrack.base.models.profiles import PROFILES

    library = visit.library
    own = supplies.lacking(library.settings.models_dir)

    def lacks(profile: str) -> bool:
        return bool(own if profile == DEFAULT_PROFILE else library.missing_models(profile))

    return visit.page(
        "settings.html",
        license=library.entitlements.status(),
        notes=notes,
        collections=len(library.collections()),
        profiles=[(p, not lacks(p.name)) for p in PROFILES if p.models],
        usual=DEFAULT_PROFILE,
        folder=library.settings.data_dir,
        models=library.settings.models_dir,
        version=__version__,
    )


# Long work: progress, result, and cancellation.

_LISTED = 100
_FINE = frozenset({"ingested", "new", "changed", "moved", "removed", "missing"})
_KNOWN = "duplicate"
"""Reasons for a skipped file that need no message."""


def jobs(visit: Visit, /) -> Response:
    """List the jobs of all programs, running ones first."""
    return visit.page("jobs.html", jobs=visit.library.jobs.list()[:_LISTED])


def job(visit: Visit, /) -> Response:
    """Show a job; the page polls it while it runs."""
    record = visit.library.jobs.get(visit.request.path_params["job"])
    then = visit.asked("then")
    opened: dict[str, Any] = {}
    if record.collection in {info.name for info in visit.library.collections()}:
        opened["collection"] = visit.library.get(str(record.collection))
    return visit.page(
        "job.html",
        **opened,
        job=record,
        share=round(100 * record.done / record.total) if record.total else None,
        attention=_attention(record),
        then=then if then.startswith("/c/") else "",
    )


def stop(visit: Visit, /) -> Response:
    """Ask a piece of work to end."""
    record = visit.library.jobs.request_cancel(visit.request.path_params["job"])
    return visit.see(address("jobs", record.id))


def _attention(job: Job) -> list[dict[str, Any]]:
    """Return the incompletely read files, with the reason."""
    result = job.result or {}
    outcomes = [{"status": each.get("kind"), **each} for each in result.get("changes", [])]
    return [
        {"name": Path(each["path"]).name, **each}
        for each in result.get("outcomes", outcomes)
        if each["status"] not in _FINE and each["code"] != _KNOWN
    ]


PAGES = (
    Page("home", "/", home, of=("collection create", "collection list"), title="app.collections"),
    Page("create", "/collections", create, "POST"),
    Page("sample", "/sample", sample, "POST"),
    Page("import", "/import", import_archive, "POST"),
    Page("aside", "/aside", aside, "POST"),
    Page("overview", "", overview),
    Page("suggested", "suggested", suggested),
    Page(
        "settings",
        "/settings",
        settings,
        of=("license activate", "models pull"),
        title="settings.title",
    ),
    Page("license", "/settings/license", license_key, "POST"),
    Page("models", "/settings/models", fetch, "POST"),
    Page("jobs", "/jobs", jobs, of=("jobs",), title="job.list"),
    Page("job", "/jobs/{job}", job),
    Page("stop-job", "/jobs/{job}/stop", stop, "POST"),
)
