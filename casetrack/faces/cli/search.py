"""``casetrack search`` and ``casetrack chunk``: cited passages and their surroundings."""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from casetrack.base.errors import UsageError
from casetrack.faces.cli.asking import answer, asks
from casetrack.faces.cli.completion import collection_names
from casetrack.faces.cli.options import JsonOption
from casetrack.faces.cli.output import write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.base.records import Chunk, SearchResults

CollectionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--collection",
        "-c",
        metavar="NAME",
        help="Name or ID of the collection; not needed while there is only one. Repeat it to "
        "search several, ranked together.",
        autocompletion=collection_names,
    ),
]


def search(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question or some words.")],
    collection: CollectionsOption = None,
    everywhere: Annotated[
        bool, typer.Option("--all", help="In all collections, but for archived ones.")
    ] = False,
    k: Annotated[
        int, typer.Option("--limit", "-k", metavar="N", help="How many results at most.")
    ] = 10,
    mode: Annotated[
        Literal["keyword", "semantic", "hybrid", "full"] | None,
        typer.Option(
            "--mode",
            help="By words, by meaning, by both, or by both with the best read word by word. "
            "[default: the fullest that the collection allows]",
        ),
    ] = None,
    stages: Annotated[
        str | None,
        typer.Option(
            "--stages",
            metavar="NAMES",
            help="Instead of a mode, the stages to use: bm25, semantic, sparse, maxsim, "
            "feedback, with commas between them.",
        ),
    ] = None,
    document: Annotated[
        list[str] | None,
        typer.Option(
            "--document",
            "-d",
            metavar="NAME",
            help="Only in this document; may be repeated for several.",
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Only in documents of this kind, such as contract, report, pdf or eml; may be "
            "repeated.",
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="DATE",
            help="Only in documents of this day, month or year and later, such as 2024-03-12: "
            "when their source last changed them, else by their own date, or that of the file.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option("--until", metavar="DATE", help="Only in documents of this date and before."),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source",
            metavar="SOURCE",
            help="Only in documents from this source, such as git:platform, or git for all of its "
            "kind; may be repeated.",
        ),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(
            "--path",
            metavar="GLOB",
            help="Only in documents whose path fits, as in .gitignore: 'docs/**', '*.md', "
            "'!tests/'; may be repeated.",
        ),
    ] = None,
    language: Annotated[
        list[str] | None,
        typer.Option(
            "--language",
            metavar="LANGUAGE",
            help="Only in documents in this language, such as de or German, of code Python; may "
            "be repeated.",
        ),
    ] = None,
    mentions: Annotated[
        list[str] | None,
        typer.Option(
            "--mentions",
            metavar="NAME",
            help="Only passages that mention this person, organization or place; repeated, all of "
            "them.",
        ),
    ] = None,
    no_fold: Annotated[
        bool,
        typer.Option(
            "--no-fold",
            help="List every passage by itself: also the same text again, and neighbours that "
            "share text.",
        ),
    ] = False,
    context: Annotated[
        bool, typer.Option("--context", help="Show the text before and after each result.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Show whole passages, not the best part of each.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each score came about.")
    ] = False,
    related: Annotated[
        int,
        typer.Option(
            "--related",
            metavar="N",
            min=0,
            max=20,
            help="Also show up to N passages connected with the results: they mention the same "
            "rare names, or mean nearly the same.",
        ),
    ] = 0,
    min_relevance: Annotated[
        float | None,
        typer.Option(
            "--min-relevance",
            metavar="0..1",
            min=0.0,
            max=1.0,
            help="Leave out results below this relevance. [default: show all]",
        ),
    ] = None,
    no_vocabulary: Annotated[
        bool,
        typer.Option(
            "--no-vocabulary", help="Only the words of the question, no other names for them."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Find the passages that answer a question, each with its exact source."""
    state = ctx.ensure_object(State)
    if everywhere or len(collection or ()) > 1:
        _refuse_with_several(
            stages=stages, document=document, source=source, mentions=mentions, related=related
        )
        results = state.library.search(
            query,
            collections=() if everywhere else collection or (),
            limit=k,
            mode=mode,
            kinds=kind or None,
            since=since,
            until=until,
            paths=path or None,
            languages=language or None,
            vocabulary=not no_vocabulary,
            min_relevance=min_relevance,
        )
        _tell(results, context=context, full=full, explain=explain, as_json=as_json)
        return
    target = state.collection(next(iter(collection or ()), None))
    chosen = None if stages is None else [s.strip() for s in stages.split(",") if s.strip()]
    results = target.search(
        query,
        limit=k,
        mode=mode,
        stages=chosen,
        documents=document or None,
        kinds=kind or None,
        since=since,
        until=until,
        sources=source or None,
        paths=path or None,
        languages=language or None,
        mentions=mentions or None,
        fold=not no_fold,
        related=related,
        vocabulary=not no_vocabulary,
        min_relevance=min_relevance,
    )
    _tell(results, context=context, full=full, explain=explain, as_json=as_json)


def _refuse_with_several(**given: object) -> None:
    named = [f"--{name}" for name, value in given.items() if value]
    if named:
        raise UsageError(
            f"{' and '.join(named)} cannot be used with several collections.",
            hint="Name one collection with -c.",
        )


def _tell(
    results: "SearchResults", *, context: bool, full: bool, explain: bool, as_json: bool
) -> None:
    if as_json:
        write_json(results.as_dict(explain=explain))
        return
    from casetrack.faces.cli.passages import show_results

    show_results(results, context=context, full=full, explain=explain)


@asks(
    "chunk",
    window=(
        Annotated[
            int,
            typer.Option(
                "--window",
                metavar="N",
                min=0,
                max=50,
                help="Also show N chunks before and after it.",
            ),
        ],
        0,
    ),
)
def chunk(found: "Chunk", given: dict[str, Any]) -> None:
    """Show one passage in full with its whole provenance, and its neighbours on request."""
    window, read = given["window"], given["collection"].read
    shown = read.context(found, window=window) if window else found
    answer(shown, "chunk", as_json=given["as_json"])
