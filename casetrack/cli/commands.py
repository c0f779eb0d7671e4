"""The list of commands: what each is called, in one line what for, and an example."""

import typer

from casetrack.cli import (
    collection,
    demo,
    doctor,
    documents,
    evaluate,
    ingest,
    models,
    query,
    reindex,
    schema,
    search,
    serve,
    show,
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
