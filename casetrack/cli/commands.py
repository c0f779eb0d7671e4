"""The list of commands: what each is called, in one line what for, and an example."""

import typer

from casetrack.cli import (
    collection,
    compare,
    demo,
    doctor,
    documents,
    entities,
    evaluate,
    graph,
    ingest,
    models,
    overview,
    query,
    read,
    references,
    reindex,
    related,
    schema,
    search,
    serve,
    show,
    timeline,
)
from casetrack.cli.layout import OrderedGroup, add, new_app

app = typer.Typer(
    name="casetrack",
    cls=OrderedGroup,
    add_completion=False,
    rich_markup_mode=None,  # plain help is 0.1 s faster and reads the same in a pipe
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
_collections = new_app("Make, list, describe and delete collections of documents.")
_models = new_app("Fetch, list and check the models that search by meaning.")
app.add_typer(
    _collections, name="collection", short_help="Make, list, describe, delete collections."
)
app.add_typer(_models, name="models", short_help="Fetch, list and check the search models.")

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
    summary="Serve AI programs over standard input (MCP).",
    example="casetrack serve --data-dir ~/Cases",
)
