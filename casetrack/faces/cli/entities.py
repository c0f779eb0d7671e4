"""Answers to edit or to draw (``casetrack entity``, ``graph``, ``timeline``), and marks."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.api.collection.marks import NamedKind
from casetrack.api.operation import called
from casetrack.base.errors import UsageError
from casetrack.faces.cli.asking import answer, operations, own, taken, takes
from casetrack.faces.cli.output import line, write_json
from casetrack.faces.cli.state import State

if TYPE_CHECKING:
    from casetrack.api.collection import Collection


@takes("tag", remove=own(bool, "Remove the tags; without TAG, all of them.", "--remove", False))
def tag(state: State, given: dict[str, Any]) -> None:
    """Add your own tags to a document, a page of it, or a passage.

    List them with `casetrack marks`, and the documents with a tag with `casetrack documents
    --tag TAG`.
    """
    _do(state, "untag" if given["remove"] else "tag", given)


@takes("star", remove=own(bool, "Remove the star.", "--remove", False))
def star(state: State, given: dict[str, Any]) -> None:
    """Star a document, a page of it, or a passage; the report shows them.

    List them with `casetrack marks --kind star`.
    """
    _do(state, "unstar" if given["remove"] else "star", given)


@takes("marks", mark_id=own(str | None, "Undo this mark.", "--undo ID"))
def marks(state: State, given: dict[str, Any]) -> None:
    """List your marks: tags, stars, changed entities, added and hidden events.

    They are kept when documents are rebuilt, exported or added again.
    """
    _do(state, "marks" if given["mark_id"] is None else "undo", given)


def _do(state: State, name: str, given: dict[str, Any]) -> None:
    asked = taken(operations()[name], given)
    edit(state.collection(given["collection"]), name, asked, as_json=given["as_json"])


def edit(target: "Collection", name: str, given: dict[str, Any], /, *, as_json: bool) -> None:
    """Run an operation on marks, and write its result."""
    answer(called(operations()[name].method, target, given), name, as_json=as_json)


def one_of(edits: Mapping[str, object], /) -> str | None:
    """Return the name of the operation that the options select."""
    wanted = [name for name, value in edits.items() if value]
    if len(wanted) > 1:
        raise UsageError(
            "Only one change at a time is possible.", hint="Run the command once for each change."
        )
    return wanted[0] if wanted else None


@takes(
    "mentions",
    set_kind=own(NamedKind | None, "Change its kind.", "--set-kind"),
    merge=own(str | None, "Merge OTHER into NAME.", "--merge OTHER"),
    apart=own(str | None, "Keep OTHER apart: another person or firm.", "--apart OTHER"),
    split=own(str | None, "Split this spelling off.", "--split SPELLING"),
    as_name=own(str | None, "With --split: the other entity.", "--as NAME"),
    document=own(str | None, "With --split or --role: only in this document.", "--in DOCUMENT"),
    rename=own(str | None, "Rename it.", "--rename NEW"),
    role=own(str | None, "Correct its role; none removes it.", "--role ROLE"),
    hide=own(bool, "Hide it from all answers.", "--hide", False),
    unhide=own(bool, "Show it again.", "--unhide", False),
    undo=own(bool, "Undo its last change.", "--undo", False),
)
def entity(state: State, given: dict[str, Any]) -> None:
    """Show where a name is mentioned, each place with its exact source.

    Similar spellings match as well. Your changes with --merge, --split, --set-kind, --rename,
    --role and --hide are kept when documents are read again, and are marked as yours.
    """
    target, as_json = state.collection(given["collection"]), given["as_json"]
    split, name, kind, role = given["split"], given["name"], given["kind"], given["role"]
    edits = ("merge", "split", "set_kind", "rename", "hide", "unhide")
    changes = {e.replace("_", "-"): given[e] for e in edits}
    changes |= {"keep-apart": given["apart"], "set-role": role, "undo-edit": given["undo"]}
    wanted = one_of(changes)
    if split is None and (given["as_name"] or (given["document"] and role is None)):
        raise UsageError(
            "--as requires --split, and --in requires --split or --role.",
            hint='Such as: casetrack entity "John Smith" --split Smith --in Lease.pdf',
        )
    if wanted is None:
        _answer(target, "mentions", given)
        return
    if kind != "any" and wanted not in {"unhide", "undo-edit"}:
        name = target.marks.id_of(name, kind=kind)
    other = given["merge"] or given["apart"]
    asked = {"name": name, "other": other, "spelling": split, "new": given["rename"]}
    asked |= {
        "role": role,
        "kind": given["set_kind"],
        "as_name": given["as_name"],
        "document": given["document"],
    }
    edit(target, wanted, {n: v for n, v in asked.items() if v is not None}, as_json=as_json)


@takes("references", name=own(str | None, "A reference, to list its places.", "NAME"))
def references(state: State, given: dict[str, Any]) -> None:
    """List the cited laws, standards, cases and documents, or the places of one of them."""
    target = state.collection(given["collection"])
    _answer(target, "references" if given["name"] is None else "citations", given)


HTML = "Write a drawing with its passages to this .html file."


@takes("graph", html=own(Path | None, HTML, "--html FILE"))
def graph(state: State, given: dict[str, Any]) -> None:
    """Show which entities the documents mention together, each link with its best source."""
    from casetrack.api.viewer import entity_graph_page

    _drawn(state.collection(given["collection"]), "graph", given, entity_graph_page)


@takes(
    "timeline",
    html=own(Path | None, HTML, "--html --output -o FILE"),
    add=own(tuple[str, str] | None, "Add an event, with its --source.", "--add DATE TEXT"),
    source=own(
        str | None, "With --add: the source document, or a chunk's ID.", "--source DOCUMENT|ID"
    ),
    page=own(int | None, "With --add: the page of the document.", "--page N", ge=1),
    change=own(
        tuple[str, str, str] | None,
        'Change an event that you added; "-" keeps its date or text.',
        "--change EVENT DATE TEXT",
    ),
    hide=own(str | None, "Hide the event with this id.", "--hide EVENT"),
    unhide=own(str | None, "Show it again.", "--unhide EVENT"),
)
def timeline(state: State, given: dict[str, Any]) -> None:
    """Show the dates in the documents in order, each with its exact source.

    --add adds an event, --change changes an event that you added, --hide hides one.
    """
    target, add, change = state.collection(given["collection"]), given["add"], given["change"]
    source, page = given["source"], given["page"]
    wanted = one_of({f"{name}-event": given[name] for name in ("add", "change", "hide", "unhide")})
    if add is None and (source or page):
        raise UsageError("--source and --page require --add.", hint="")
    if add is not None and source is None:
        raise UsageError(
            "The event has no source.",
            hint="An added event cites a place of the collection: --source Lease.pdf --page 3, "
            "or --source with the id of a chunk.",
        )
    if wanted is None:
        from casetrack.api.viewer import timeline_page

        _drawn(target, "timeline", given, timeline_page)
        return
    asked: dict[str, object] = {"event": given["hide"] or given["unhide"]}
    if add is not None:
        asked = {"date": add[0], "text": add[1], "source": source, "page": page}
    elif change is not None:
        names = ("event", "date", "text")
        asked = {n: v for n, v in zip(names, change, strict=True) if v != "-"}
    edit(target, wanted, asked, as_json=given["as_json"])


def _answer(target: Any, name: str, given: dict[str, Any]) -> Any:
    operation = operations()[name]
    result = called(operation.method, target, taken(operation, given))
    answer(result, name, as_json=given["as_json"])


def _drawn(target: Any, name: Any, given: dict[str, Any], page: Callable[..., Any]) -> None:
    """Write an answer as text, or as a drawing to the named file."""
    html = given["html"]
    if html is None:
        _answer(target, name, given)
        return
    from casetrack.api.viewer import sheet_path, write_sheet

    sheet_path(html, name)
    operation = operations()[name]
    result = called(operation.method, target, taken(operation, given))
    path = write_sheet(html, name, page(target.workspace.state(), result))
    if given["as_json"]:
        write_json({"file": str(path)})
    else:
        line(("Wrote ", "bold"), str(path))
