"""Tools of operations that change something; reading ones are in :mod:`operation_tools`."""

from __future__ import annotations

import inspect
from functools import partial, singledispatch
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult

from casetrack.api.collection import Collection
from casetrack.api.operation import Operation, arguments_of
from casetrack.api.operations import operations
from casetrack.api.text import head_of, lines_of
from casetrack.base.dataclass import dataclass
from casetrack.base.records import CollectionInfo, StatusChange
from casetrack.base.records.jobs import Job
from casetrack.base.records.snapshots import ReindexReport
from casetrack.base.records.sync import SyncReport, WatchedFolder
from casetrack.faces.mcp.jobs import WaitSeconds, run_as_job
from casetrack.faces.mcp.live_jobs import Task
from casetrack.faces.mcp.operation_tools import (
    given_of,
    parameter,
    parameter_of,
    plain,
    run_operation,
    set_signature,
)
from casetrack.faces.mcp.results import answer, bounded_collection, collection_facts
from casetrack.faces.mcp.session import NO_STATE, SessionTools, in_thread, locate, write_in_thread
from casetrack.faces.mcp.specs import CollectionName, tool
from casetrack.faces.mcp.steps import See, if_offered, name_tools, name_tools_in
from casetrack.faces.mcp.tools.collections import ACTIVE_NOW, NEXT_STEP, profile_notes
from casetrack.faces.mcp.tools.ingest import existing
from casetrack.faces.mcp.tools.reindex import reindex_answer, unconfirmed
from casetrack.faces.mcp.tools.status import job_answer
from casetrack.faces.mcp.tools.sync import as_watched, sync_answer, watch_entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.faces.mcp.outputs import Facts
    from casetrack.faces.mcp.session import Session


@dataclass(frozen=True, slots=True)
class Done:
    """A finished operation with its arguments."""

    session: Session
    operation: Operation
    given: dict[str, Any]


def changing(*others: type[Any]) -> type[SessionTools]:
    """Return the tools of operations that change something and are missing in *others*.

    These operations change properties of a collection or of the data folder, or take long.
    """
    made = {name for group in others for name in vars(group)}
    tools = {
        each.tool: _marked(each)
        for each in operations().values()
        if each.tool and each.tool not in made and (each.work or _is_of_lists(each))
        if not each.hints.read_only
    }
    return type("ChangingTools", (SessionTools,), tools)


def _is_of_lists(each: Operation) -> bool:
    """Return whether an operation changes collections, but not their documents."""
    return each.of_library or each.name.startswith("collection ")


def _marked(each: Operation) -> Any:
    sure = ("confirm",) if each.must_be_confirmed else ()
    mark = tool(
        each.title, each.hints, description=each.about, sets=each.sets, of=each.of, required=sure
    )
    return mark(_method(each))


def _method(operation: Operation) -> Callable[..., Any]:
    method, work, whose = operation.method, operation.work, operation.whose
    known = {each.name: each for each in arguments_of(method)}

    async def run(self: Any, **call: Any) -> CallToolResult:
        session = self._session
        named, context = call.pop(whose, None), call.pop("ctx", None)
        wait_seconds, sure = call.pop("wait_seconds", None), call.pop("confirm", True)
        given = given_of(method, call, keeps_empty=True)
        given = {k: v for k, v in given.items() if v is not None or known[k].default is None}
        target = owner = session.library
        if not operation.of_library:
            target = owner = await locate(session, named)
        elif "collection" in known:
            needed = known["collection"].is_required
            given["collection"] = (await locate(session, named)).info.id if needed else named
        if not sure:
            raise await in_thread(partial(unconfirmed, target, given))
        given |= await in_thread(partial(_folders, operation, given))
        do = partial(run_operation, method, owner, given)
        done = Done(session, operation, given)
        if work is not None:

            async def finish(report: Any) -> CallToolResult:
                return answer_of(report, done)

            title = operation.job_title(given, target.name)
            task = Task(
                work.job,
                title,
                target.info,
                lambda progress, stop: do(progress=progress, cancel=stop),
                finish,
            )
            return await run_as_job(session, context, task, wait_seconds)
        return answer_of(name_tools_in(await write_in_thread(session, "", do)), done)

    parameters = [
        *([parameter("ctx", Context)] if work else []),
        *(
            parameter_of(each, checked=False)
            for each in known.values()
            if each.mcp_name not in {"-", "collection"}
        ),
        *([parameter("confirm", bool, False)] if operation.must_be_confirmed else []),
        *([parameter("wait_seconds", WaitSeconds, None)] if work else []),
        *([parameter(whose, CollectionName, None)] if whose else []),
    ]
    run.__doc__ = inspect.getdoc(method)
    set_signature(run, operation.tool, parameters)
    return run


def _folders(operation: Operation, given: dict[str, Any]) -> dict[str, Any]:
    """Return the checked folder arguments, which must be absolute paths."""
    paths = (each for each in arguments_of(operation.method) if each.arg.path)
    named = ((each, given[each.name]) for each in paths if given.get(each.name))
    return {each.name: str(existing(path, each.mcp_name, folder=True)) for each, path in named}


# --- answers ------------------------------------------------------------------------------------


@singledispatch
def answer_of(result: Any, _done: Done, /) -> CallToolResult:
    """Return the answer to a call that changed something."""
    return answer(plain(head_of(result)), result.as_dict())


@answer_of.register
def _(collection: Collection, done: Done) -> CallToolResult:
    info, notes = collection.info, profile_notes(done.session.library, done.given.get("profile"))
    remembered = done.session.activate(info)
    activity = ACTIVE_NOW if remembered else NO_STATE
    head, step = f"{done.operation.done.rstrip(':')}. {activity}", if_offered(NEXT_STEP)
    lines = [head, plain(lines_of(info)), f"Next: {step}", *(f"Note: {each}" for each in notes)]
    facts = {"collection": collection_facts(info), "is_active": remembered, "next_step": step}
    notes = notes if remembered else [NO_STATE, *notes]
    return answer("\n".join(lines), facts | {"notes": notes})


@answer_of.register
def _(info: CollectionInfo, done: Done) -> CallToolResult:
    is_active = _is_active(info, done)
    if is_active:
        done.session.activate(info)
    text = plain(lines_of(bounded_collection(info)))
    facts = {"collection": collection_facts(info), "is_active": is_active}
    return answer(f"{done.operation.done}\n{text}", facts)


@answer_of.register
def _(change: StatusChange, done: Done) -> CallToolResult:
    info, is_active = change.info, _is_active(change.info, done)
    head, *rest = plain(lines_of(change)).split("\n")
    note = "\n".join(rest) or "Nothing was changed."
    if is_active and info.status != "active":
        note += "\nIt remains your active collection, read-only."
    facts: Facts = {"collection": collection_facts(info), "previous_status": change.before}
    facts |= {"changed": change.changed, "is_active": is_active, "note": note}
    return answer(f"{head} {note}", facts)


def _is_active(info: CollectionInfo, done: Done) -> bool:
    return done.session.active is not None and done.session.active.id == info.id


@answer_of.register
def _(watched: WatchedFolder, done: Done) -> CallToolResult:
    watched, operation = as_watched(watched, done.session), done.operation
    lines = [operation.done, name_tools(plain(lines_of(watched)))]
    if operation.name == "watch add" and watched.watch.schedule == "manual":
        lines.append("It is synced only when sync_folder is called.")
    elif operation.name == "watch add" and watched.status.health != "unwatched":
        lines.append(
            "A first sync of the whole folder starts in the background within seconds; "
            "list_watches shows its state."
            if watched.new
            else "The new options take effect within seconds."
        )
    facts: Facts = {"watch": watch_entry(watched)}
    facts |= {} if operation.name == "watch remove" else {"new": watched.new}
    return answer("\n".join(filter(None, lines)), facts)


@answer_of.register
def _(job: Job, done: Done) -> CallToolResult:
    more, text = None, f"{job.id} has already ended: {job.state}."
    if job.active:
        more = if_offered(f"{done.operation.done} {See('jobs list')} shows how it ended.")
        text = f"{plain(lines_of(job))}. {more}"
    return job_answer(text, job, more=more)


@answer_of.register
def _(report: SyncReport, _done: Done) -> CallToolResult:
    return sync_answer(report)


@answer_of.register
def _(report: ReindexReport, done: Done) -> CallToolResult:
    notes = profile_notes(done.session.library, done.given.get("profile"))
    return reindex_answer(report, notes, done.operation.tool)
