"""Text of collections: their facts, states, upkeep, log, jobs."""

from collections.abc import Mapping
from typing import Any

from casetrack.api.text.form import (
    Lines,
    Part,
    counted,
    facts,
    flat,
    head_of,
    line,
    lines_of,
    listed,
    moment,
)
from casetrack.base import records
from casetrack.base.records import snapshots
from casetrack.base.records.cards import size_text
from casetrack.base.records.jobs import Job

_NAMED = 3
_WORTH_SAYING = 1_000_000
"""Bytes that can be freed are only shown above this number."""
_LOST = 5


def held(*, documents: int = 0, pages: int = 0, chunks: int = 0) -> str:
    """Return counts as text: ``3 documents, 12 pages, 40 chunks``."""
    sizes = (("document", documents), ("page", pages), ("chunk", chunks))
    return ", ".join(counted(number, noun) for noun, number in sizes if number) or "no documents"


def amount(stats: records.CollectionStats, /) -> str:
    """Return the counts of a collection as text, with its size on the disk."""
    counts = {"documents": stats.document_count, "pages": stats.page_count}
    return f"{held(**counts, chunks=stats.chunk_count)}, {size_text(stats.storage_bytes)}"


def called(name: str, key: str, /) -> tuple[Part, ...]:
    """Return a name with its id."""
    return (flat(name), "title"), (f" (ID: {key})", "less")


@lines_of.register
def _(info: records.CollectionInfo) -> Lines:
    rows = {"Type": info.type, "Description": info.description, "Reference": info.reference}
    return [line(*called(info.name, info.id)), *facts({**rows, "Tags": ", ".join(info.tags)})]


_STATUS = {
    "closed": "It can be searched and exported, but not changed until it is reopened.",
    "archived": "It cannot be changed, and lists show it only with the status archived or all.",
    "active": "It can be changed.",
}


@lines_of.register
def _(change: records.StatusChange) -> Lines:
    info, now = change.info, "now" if change.changed else "already; nothing was changed"
    head = line(*called(info.name, info.id), f" is {info.status} {now}.")
    return [head, *([line(_STATUS[info.status])] if change.changed else [])]


@lines_of.register
def _(each: records.CollectionEntry) -> Lines:
    amount = f"cannot be opened: {each.problem}"
    if each.documents is not None:
        sizes = {"documents": each.documents, "pages": each.pages or 0, "chunks": each.chunks or 0}
        amount = f"{held(**sizes)}, {size_text(each.storage_bytes)}"
    about = [f"tags: {', '.join(each.tags)}"] if each.tags else []
    about += [each.description] if each.description else []
    changed = f", changed {moment(each.updated_at)}" if each.updated_at is not None else ""
    kind = each.status if each.status == "damaged" else f"{each.type}, {each.status}"
    first = line(*called(each.name, each.id), f"  {kind}  ", (f"{amount}{changed}", "less"))
    return [first, *(line((flat(text), "less"), indent=2) for text in about)]


def described(
    info: records.CollectionInfo, stats: records.CollectionStats, more: Mapping[str, str | None], /
) -> Lines:
    """Return all facts about a collection; *more* are further facts, such as its location."""
    sizes = {"Documents": stats.document_count, "Pages": stats.page_count}
    moments = {"Created": moment(info.created_at), "Updated": moment(info.updated_at)}
    rows: dict[str, object] = {"Type": info.type, "Status": info.status}
    rows |= {"Description": info.description, "Reference": info.reference}
    rows |= {"Tags": ", ".join(info.tags), **sizes, "Chunks": stats.chunk_count}
    rows |= {"On disk": size_text(stats.storage_bytes)}
    rows |= {**more, "Profile": info.profile, "Pipeline": info.pipeline, **moments}
    return [line(*called(info.name, info.id)), *facts(rows)]


@head_of.register
def _(answer: records.CollectionFacts) -> Lines:
    free = answer.freeable_bytes
    much = f"about {size_text(free)}: `casetrack upkeep`" if free >= _WORTH_SAYING else None
    away = {"Stored at": answer.place} if answer.place != answer.folder else {}
    more = {"Can be freed": much, **away, "Folder": answer.folder}
    least = answer.stats.storage_bytes / 100
    large = {name: size for name, size in answer.sizes.items() if size >= least}
    parts = large | {"all others": sum(answer.sizes.values()) - sum(large.values())}
    parts_text = facts({name: size_text(size) for name, size in parts.items()})
    return [*described(answer.info, answer.stats, more), line("Bytes by part:"), *parts_text]


# --- earlier states ---------------------------------------------------------------------------


@lines_of.register
def _(each: snapshots.SnapshotInfo) -> Lines:
    name = "the current state" if each.current else f"state {each.number}"
    size = held(documents=each.documents, chunks=each.chunks)
    problem = [(f"  cannot be restored: {each.reason}", "warning")] if each.reason else []
    return [
        line(
            (flat(each.name or name), "title"),
            (f"  number {each.number}, {moment(each.created_at)}: {size}", "less"),
            *problem,
        )
    ]


@lines_of.register
def _(report: snapshots.RestoreReport) -> Lines:
    if report.undo is None:
        text = f'"{report.collection}" is already in that state; nothing was changed.'
        return [line(text)]
    back, away = (counted(len(n), "document") for n in (report.restored, report.removed))
    lines = [
        line(
            f"{back} restored, {away} removed, {report.unchanged:,} unchanged "
            f"in {report.seconds:.1f} s."
        )
    ]
    if report.lost_copies:
        lost = "".join(text for text, _ in listed(report.lost_copies, _LOST))
        text = "Note: the collection's copies of these files are gone, so their pages can only "
        lines.append(line((f"{text}be shown from the original files: {lost}.", "warning")))
    return lines


@lines_of.register
def _(report: snapshots.UpkeepReport) -> Lines:
    freed, left = size_text(report.freed_bytes), size_text(report.bytes_after)
    done = list(report.removed)
    if report.deleted_rows > 0:
        done.insert(0, f"{counted(report.deleted_rows, 'deleted row')} from the data files")
    if (versions := report.versions_before - report.versions_after) > 0:
        done.append(counted(versions, "earlier state"))
    lines = [
        line(
            (report.collection, "title"),
            f": freed {freed}; {left} on disk ({report.seconds:.1f} s)",
        ),
        *(line(f"Removed {what}.", indent=2) for what in done),
    ]
    if report.fragments_after < report.fragments_before:
        files = counted(report.fragments_before, "data file")
        lines.append(line(f"Merged {files} into {report.fragments_after:,}.", indent=2))
    lines += [line((f"Note: {note}", "warning"), indent=2) for note in report.notes]
    if report.cancelled:
        lines.append(line("Stopped; finished work is kept. Run it again to continue.", indent=2))
    elif report.secure and not report.notes:
        text = "No file of the collection contains deleted data."
        lines.append(line(text, indent=2))
    return lines


@lines_of.register
def _(report: snapshots.ExportReport) -> Lines:
    size = held(documents=report.documents, pages=report.pages, chunks=report.chunks)
    return [
        *(line((f"Note: {note}", "warning")) for note in report.notes),
        line(f'Exported "{report.collection}" ({size}) in {report.seconds:.1f} s:'),
        line(f"{report.path} ({size_text(report.bytes)})", indent=2),
    ]


@lines_of.register
def _(report: snapshots.ImportReport) -> Lines:
    size = held(documents=report.documents, pages=report.pages, chunks=report.chunks)
    lines = [line((f"Note: {note}", "warning")) for note in report.notes]
    lines.append(line(f'Imported "{report.collection}" ({size}) in {report.seconds:.1f} s.'))
    if report.collection != report.original_name:
        lines.append(line(f'It was called "{report.original_name}" when it was exported.'))
    return lines


# --- the log ----------------------------------------------------------------------------------


@lines_of.register
def _(each: snapshots.AuditEntry) -> Lines:
    names = [name for name in each.names if name]
    where = each.collection or (each.collection_id or "")[:8]
    return [
        line(
            (f"{each.number:>4}  {moment(each.at)}  ", "less"),
            (each.action, "strong"),
            (f"  {flat(where)}" if where else "", "own"),
            f": {each.count:,}" if each.count else "",
            ": " if names or each.detail else "",
            *(listed(names, _NAMED) if names else [flat(each.detail)]),
            (f"  by {flat(each.user)}, {flat(each.program)}", "less"),
        )
    ]


@lines_of.register
def _(check: snapshots.AuditCheck) -> Lines:
    if not check.ok:
        return [line(("PROBLEM  ", "warning"), problem) for problem in check.problems]
    return [
        line(f"{check.entries:,} entries, no gaps or changes."),
        line(f"Digest of the last entry: {check.digest}"),
    ]


# --- jobs -------------------------------------------------------------------------------------


@lines_of.register
def _(job: Job) -> Lines:
    where = f' in "{flat(job.collection)}"' if job.collection else ""
    return [
        line(
            (job.id, "strong"),
            f" {job.state}, {flat(job.title)}{where}",
            *([f": {flat(progress_text(job))}"] if job.active else []),
            (f"  {moment(job.created_at)}", "less"),
        )
    ]


@head_of.register
def _(job: Job) -> Lines:
    lines = lines_of(job)
    times = {"Began": job.started_at, "Ended": job.ended_at}
    lines += facts({name: moment(at) for name, at in times.items() if at is not None})
    if job.error is not None:
        lines.append(line((job.error.get("message", ""), "warning")))
        lines += [line(hint, indent=2)] if (hint := job.error.get("hint")) else []
    return lines + [line(text) for text in _numbers(job.result or {})]


def progress_text(job: Job, /) -> str:
    """Return the progress of a job: ``120 of 340 (reading a.pdf), about 4 min left``."""
    if job.waiting or not job.total:
        return job.what or "not started"
    what = f" ({job.what})" if job.what else ""
    left = job.remaining_seconds
    return f"{job.done:,} of {job.total:,}{what}" + (f", {about(left)} left" if left else "")


def about(seconds: float, /) -> str:
    """Return an estimated time: ``about 40 s``, ``about 5 min``, ``about 2.5 h``."""
    if seconds < 90:
        return f"about {seconds:.0f} s"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} min"
    return f"about {seconds / 3600:.1f} h"


def _numbers(result: dict[str, Any]) -> list[str]:
    """Return the numbers of a report without its lists."""
    counts = result.get("counts")
    ended = counts.items() if isinstance(counts, dict) else ()
    named = [(n, result.get(f"{n}s")) for n in ("file", "document", "page", "chunk")]
    sizes = [counted(value, name) for name, value in named if type(value) is int and value]
    seconds = result.get("seconds")
    took = f" in {seconds:.1f} s" if isinstance(seconds, (int, float)) else ""
    texts = (
        ", ".join(f"{n:,} {name}" for name, n in ended if n),
        (", ".join(sizes) or "Done") + took if sizes or took else "",
    )
    return [text for text in texts if text]
