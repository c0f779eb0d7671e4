"""``casetrack chronology``: the events of a case by date."""

from typing import Any

from casetrack.api.operation import OF_EDITIONS, called
from casetrack.base.errors import UsageError
from casetrack.editions.legal import chronology as work
from casetrack.editions.legal.cli.papers import FORCE, OUTPUT, Writers, answered, target_path
from casetrack.faces.cli.asking import own, show, taken, takes
from casetrack.faces.cli.entities import edit, one_of
from casetrack.faces.cli.state import State

_MADE = OF_EDITIONS[work.chronology]


@takes(
    _MADE,
    take=own(str | None, "Pick the event with this id.", "--take EVENT"),
    words=own(str, "With --take: your text for the event.", "--words TEXT", ""),
    untake=own(str | None, "Remove the pick; the event may still be shown.", "--untake EVENT"),
    leave_out=own(str | None, "Hide the event with this id.", "--leave-out EVENT"),
    output=OUTPUT,
    force=FORCE,
)
def chronology(state: State, given: dict[str, Any]) -> None:
    """Create the chronology of a case: date, event, names, and the source with its pin cite.

    It is the timeline with your picks. Picked events are always included, with your own text if
    you give one; hidden events are not. Add events with `casetrack timeline --add`. With -o it
    is written as .docx, .html, .md or .json.
    """
    case, output, as_json = state.collection(given["collection"]), given["output"], given["as_json"]
    edits = {
        "take-event": given["take"],
        "untake-event": given["untake"],
        "hide-event": given["leave_out"],
    }
    wanted = one_of(edits)
    if given["words"] and given["take"] is None:
        raise UsageError(
            "--words requires --take.", hint="Name the event: --take 2024-03-12@1f3a9c2d"
        )
    if wanted is not None:
        words = {} if given["take"] is None else {"words": given["words"]}
        edit(case, wanted, {"event": edits[wanted]} | words, as_json=as_json)
        return
    from casetrack.editions.legal.paper.grid import WRITERS

    def page(result: Any) -> str:
        return case.workspace.ask(lambda state: work.chronology_page(state, result))

    target = None
    writers: Writers = {**WRITERS, ".html": page}
    if output is not None:
        target = target_path(output, (*writers, ".json"), force=given["force"])
    result = called(work.chronology, case, taken(_MADE, given))
    answered(result, lambda made: show(made, _MADE), target, writers, as_json=as_json)
