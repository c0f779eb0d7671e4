"""``casetrack tag``, ``star`` and ``marks``: the user's marks on documents and passages."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from casetrack.api.operation import called
from casetrack.base.errors import UsageError
from casetrack.faces.cli.asking import answer, operations, own, taken, takes
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
