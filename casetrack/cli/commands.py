"""The list of commands: what each is called, in one line what for, and an example."""

import typer

from casetrack.cli import (
    collection,
    compare,
    completion,
    demo,
    doctor,
    documents,
    entities,
    evaluate,
    graph,
    index_status,
    ingest,
    jobs,
    lifecycle,
    models,
    overview,
    query,
    read,
    references,
    reindex,
    related,
    report,
    schema,
    search,
    serve,
    setup,
    show,
    snapshots,
    sync,
    timeline,
    transfer,
    upkeep,
    watch,
    watch_run,
)
from casetrack.cli import license as license_commands
from casetrack.cli.layout import GroupedCommands, add, new_app

app = typer.Typer(
    name="casetrack",
    cls=GroupedCommands,
    add_completion=False,
    rich_markup_mode=None,  # plain help is 0.1 s faster and reads the same in a pipe
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
_collections = new_app("Make, list, describe, close and delete collections of documents.")
_snapshots = new_app("Keep states of a collection, and go back to them.")
_models = new_app("Fetch, list and check the models that search by meaning.")
_watches = new_app("Keep collections in sync with folders, by themselves.")
_jobs = new_app("See and stop long work, that of other programs too.")
_license = new_app("Show the tier in force; enter and remove a license key.")
app.add_typer(
    _collections, name="collection", short_help="Make, list, describe, delete collections."
)
app.add_typer(_snapshots, name="snapshots", short_help="Keep states, and go back to them.")
app.add_typer(_models, name="models", short_help="Fetch, list and check the search models.")
app.add_typer(_watches, name="watch", short_help="Keep collections in sync with folders.")
app.add_typer(_jobs, name="jobs", short_help="See and stop long work of all programs.")
app.add_typer(_license, name="license", short_help="Show the tier, enter a license key.")

add(
    app,
    "demo",
    demo.demo,
    summary="Try everything on a small case file.",
    example="casetrack demo",
)
add(
    _collections,
    "create",
    collection.create,
    summary="Make an empty collection.",
    example='casetrack collection create "Acme 2024" --type contract',
)
add(
    _collections,
    "list",
    collection.list_collections,
    summary="List the collections.",
    example="casetrack collection list --status active",
)
add(
    _collections,
    "info",
    collection.info,
    summary="Show what a collection holds and where it lies.",
    example="casetrack collection info Acme",
)
add(
    _collections,
    "rename",
    lifecycle.rename,
    summary="Give a collection another name.",
    example='casetrack collection rename Acme "Acme 2024"',
)
add(
    _collections,
    "describe",
    lifecycle.describe,
    summary="Change description, reference or type.",
    example='casetrack collection describe Acme --description "Supply contracts"',
)
add(
    _collections,
    "tag",
    lifecycle.tag,
    summary="Add and remove tags.",
    example="casetrack collection tag Acme --add urgent --remove draft",
)
add(
    _collections,
    "close",
    lifecycle.close,
    summary="Make a collection read-only.",
    example="casetrack collection close Acme",
)
add(
    _collections,
    "reopen",
    lifecycle.reopen,
    summary="Let it take changes again.",
    example="casetrack collection reopen Acme",
)
add(
    _collections,
    "archive",
    lifecycle.archive,
    summary="Make it read-only and leave it out of lists.",
    example="casetrack collection archive Acme",
)
add(
    _collections,
    "delete",
    collection.delete,
    summary="Delete a collection; your files stay.",
    example="casetrack collection delete Acme",
)
add(
    app,
    "ingest",
    ingest.ingest,
    summary="Take files and folders into a collection.",
    example="casetrack ingest ~/Contracts --create -c Contracts",
)
add(
    app,
    "sync",
    sync.sync,
    summary="Bring a collection in step with a folder.",
    example="casetrack sync ~/Contracts -c Contracts --dry-run",
)
add(
    _watches,
    "add",
    watch.add_watch,
    summary="Watch a folder from now on.",
    example="casetrack watch add ~/Contracts -c Contracts",
)
add(
    _watches,
    "list",
    watch.list_watches,
    summary="List the watched folders and how they do.",
    example="casetrack watch list",
)
add(
    _watches,
    "show",
    watch.show_watch,
    summary="Show all about one watched folder.",
    example="casetrack watch show ~/Contracts",
)
add(
    _watches,
    "remove",
    watch.remove_watch,
    summary="Stop watching a folder; documents stay.",
    example="casetrack watch remove ~/Contracts",
)
add(
    _watches,
    "schedule",
    watch.schedule_watch,
    summary="Change when a folder is synced.",
    example="casetrack watch schedule ~/Contracts daily --daily-time 03:00",
)
add(
    _watches,
    "pause",
    watch.pause_watch,
    summary="Leave a folder alone for now.",
    example="casetrack watch pause ~/Contracts",
)
add(
    _watches,
    "resume",
    watch.resume_watch,
    summary="Watch a paused folder again.",
    example="casetrack watch resume ~/Contracts",
)
add(
    _watches,
    "run",
    watch_run.run_watches,
    summary="Watch all folders in the foreground.",
    example="casetrack watch run",
)
add(
    app,
    "documents",
    documents.documents,
    summary="List the documents of a collection.",
    example="casetrack documents -c Acme --sort pages",
)
add(
    app,
    "document",
    documents.document,
    summary="Show everything known about one document.",
    example="casetrack document Lease.pdf -c Acme",
)
add(
    app,
    "delete",
    documents.delete,
    summary="Remove a document; the file itself stays.",
    example="casetrack delete Lease.pdf -c Acme",
)
add(
    app,
    "search",
    search.search,
    summary="Find passages, each with its exact source.",
    example='casetrack search "payment terms" -c Acme -k 5',
)
add(
    app,
    "chunk",
    search.chunk,
    summary="Show one passage with its whole provenance.",
    example="casetrack chunk CHUNK_ID --window 1",
)
add(
    app,
    "show",
    show.show,
    summary="Write a page with a passage highlighted where it stands.",
    example="casetrack show CHUNK_ID --open",
)
add(
    app,
    "read",
    read.read,
    summary="Read a document's text in order, page by page.",
    example="casetrack read Lease.pdf -c Acme --pages 3-5",
)
add(
    app,
    "summary",
    overview.summary,
    summary="Show a collection at a glance.",
    example="casetrack summary -c Acme",
)
add(
    app,
    "report",
    report.report,
    summary="Write a briefing of a whole collection.",
    example="casetrack report -c Acme --open",
)
add(
    app,
    "timeline",
    timeline.timeline,
    summary="Show what happened when, by the documents.",
    example="casetrack timeline -c Acme --from 2023-01-01 --to 2023-12-31",
)
add(
    app,
    "entities",
    entities.entities,
    summary="List who and what is mentioned.",
    example="casetrack entities -c Acme --kind person",
)
add(
    app,
    "entity",
    entities.entity,
    summary="Show where somebody or something is mentioned.",
    example='casetrack entity "John Smith" -c Acme',
)
add(
    app,
    "together",
    entities.together,
    summary="Find where several names are mentioned together.",
    example='casetrack together "John Smith" "Summit Services" -c Acme',
)
add(
    app,
    "graph",
    graph.graph,
    summary="Show who and what belongs together.",
    example='casetrack graph "Acme Corp" -c Acme --depth 1',
)
add(
    app,
    "references",
    references.references,
    summary="List what is cited, or where it is.",
    example='casetrack references "ISO 27001" -c Acme',
)
add(
    app,
    "related",
    related.related,
    summary="Find the documents that belong to another one.",
    example="casetrack related Lease.pdf -c Acme",
)
add(
    app,
    "similar",
    related.similar,
    summary="Find passages that mean nearly the same.",
    example="casetrack similar CHUNK_ID -c Acme",
)
add(
    app,
    "compare",
    compare.compare,
    summary="Show what two documents say of a topic.",
    example="casetrack compare Offer.pdf Lease.pdf --topic rent -c Acme",
)
add(
    app,
    "changes",
    compare.changes,
    summary="Show what changed from one version to another.",
    example="casetrack changes Lease_v1.docx Lease_v2.docx -c Acme",
)
add(
    app,
    "clusters",
    overview.clusters,
    summary="Group the documents by what they share.",
    example="casetrack clusters -c Acme --by entity",
)
add(
    app,
    "topics",
    overview.topics,
    summary="Show what a collection is about.",
    example="casetrack topics -c Acme",
)
add(
    app,
    "statistics",
    overview.statistics,
    summary="Count what a collection holds.",
    example="casetrack statistics -c Acme",
)
add(
    app,
    "query",
    query.query,
    summary="Ask a collection in read-only SQL.",
    example="casetrack query 'SELECT name FROM documents WHERE page_count > $n' -p n=10",
)
add(
    app,
    "reindex",
    reindex.reindex,
    summary="Make vectors anew, also with other models.",
    example="casetrack reindex -c Acme --profile standard",
)
add(
    app,
    "index-status",
    index_status.index_status,
    summary="Show what of the index is out of date.",
    example="casetrack index-status -c Acme --problems",
)
add(
    _jobs,
    "list",
    jobs.list_jobs,
    summary="List what runs now and what ended lately.",
    example="casetrack jobs list",
)
add(
    _jobs,
    "show",
    jobs.show,
    summary="Show how far a job is and what came of it.",
    example="casetrack jobs show j-7f3a2c --follow",
)
add(
    _jobs,
    "cancel",
    jobs.cancel,
    summary="Ask a job to end; what is finished is kept.",
    example="casetrack jobs cancel j-7f3a2c",
)
add(
    app,
    "upkeep",
    upkeep.upkeep,
    summary="Free space, remove what was deleted for good.",
    example="casetrack upkeep -c Acme --secure",
)
add(
    app,
    "export",
    transfer.export,
    summary="Write a whole collection into one file.",
    example="casetrack export -c Acme ~/Backups",
)
add(
    app,
    "import",
    transfer.import_collection,
    summary="Make a collection of an exported file.",
    example="casetrack import ~/Backups/Acme.ctcollection",
)
add(
    _snapshots,
    "list",
    snapshots.list_snapshots,
    summary="List the states that can be restored.",
    example="casetrack snapshots list -c Acme",
)
add(
    _snapshots,
    "take",
    snapshots.take,
    summary="Keep the present state under a name.",
    example='casetrack snapshots take "before clean-up" -c Acme',
)
add(
    _snapshots,
    "restore",
    snapshots.restore,
    summary="Bring the documents back to a state.",
    example='casetrack snapshots restore "before clean-up" -c Acme',
)
add(
    _snapshots,
    "remove",
    snapshots.remove,
    summary="Remove a snapshot.",
    example='casetrack snapshots remove "before clean-up" -c Acme',
)
add(
    _models,
    "pull",
    models.pull,
    summary="Fetch a model and check it.",
    example="casetrack models pull",
)
add(
    _models,
    "list",
    models.list_models,
    summary="List the models and which are installed.",
    example="casetrack models list",
)
add(
    _models,
    "verify",
    models.verify,
    summary="Check every file of the installed models.",
    example="casetrack models verify",
)
add(
    _license,
    "status",
    license_commands.status,
    summary="Show the tier and what it allows.",
    example="casetrack license status --refresh",
)
add(
    _license,
    "activate",
    license_commands.activate,
    summary="Enter a license key.",
    example="casetrack license activate PRO-1A2B3C-...",
)
add(
    _license,
    "deactivate",
    license_commands.deactivate,
    summary="Remove the key, to use it elsewhere.",
    example="casetrack license deactivate",
)
add(
    app,
    "doctor",
    doctor.doctor,
    summary="Check that everything is well.",
    example="casetrack doctor",
)
add(
    app,
    "schema",
    schema.schema,
    summary="Show the tables and their columns.",
    example="casetrack schema chunks",
)
add(
    app,
    "eval",
    evaluate.evaluate,
    summary="Measure the search on judged questions.",
    example="casetrack eval ./scifact --mode hybrid",
)
add(
    app,
    "serve",
    serve.serve,
    summary="Serve AI programs (MCP), on this machine.",
    example="casetrack serve --data-dir ~/Cases",
)
add(
    app,
    "setup",
    setup.setup,
    summary="Enter CaseTrack into an AI program.",
    example="casetrack setup claude-code",
)
add(
    app,
    "update",
    setup.update,
    summary="Install the newest version of CaseTrack.",
    example="casetrack update --check",
)
add(
    app,
    "uninstall",
    setup.uninstall,
    summary="Remove CaseTrack; your data stays.",
    example="casetrack uninstall --dry-run",
)
add(
    app,
    "completion",
    completion.completion,
    summary="Let the shell complete commands and names.",
    example="casetrack completion bash --install",
)
