"""Text of watched folders."""

from casetrack.api.text.form import Lines, counted, facts, flat, head_of, line, lines_of, moment
from casetrack.base.records.sync import DEFAULT_DAILY_TIME, Watch, WatchedFolder

_WHEN = {
    "on_change": "on change",
    "hourly": "on change, and compared every hour",
    "every_6h": "on change, and compared every 6 hours",
    "every_12h": "on change, and compared every 12 hours",
    "manual": "only on request",
}


def described(watch: Watch, /) -> str:
    """Return the schedule of a watch as text."""
    if watch.schedule == "daily":
        return f"on change, and compared daily at {watch.daily_time or DEFAULT_DAILY_TIME}"
    return _WHEN[watch.schedule]


@lines_of.register
def _(each: WatchedFolder) -> Lines:
    watch, status = each.watch, each.status
    kept = "removed" if watch.auto_remove_deleted else "kept"
    last = status.last_sync_at
    counts = ", ".join(f"{n:,} {kind}" for kind, n in status.counts.items() if n)
    rows = {
        "Schedule": f"{described(watch)}; documents of deleted files are {kept}",
        "Status": status.health_text,
        "Note": status.note,
        "Last sync": last and f"{moment(last)}, {counts or 'nothing changed'}",
        "Next comparison": status.next_sync_at and moment(status.next_sync_at),
        "Problem": status.last_error,
        "Next step": status.next_step,
        "ID": watch.id,
    }
    where = f' -> "{flat(each.collection)}"'
    return [line((" ".join(watch.folder.splitlines()), "title"), where), *facts(rows)]


@head_of.register
def _(each: WatchedFolder) -> Lines:
    watch, status = each.watch, each.status
    waiting = counted(status.pending, "changed path") if status.pending else None
    if status.pending < 0:
        waiting = "too many changes, so the whole folder is compared"
    return [
        *lines_of(each),
        *facts(
            {
                "Watched by": status.owner,
                "Waiting": waiting,
                "Kinds": ", ".join(watch.file_extensions or ()),
                "Include": ", ".join(watch.include),
                "Exclude": ", ".join(watch.exclude),
                "Folders below": "yes" if watch.recursive else "no",
                "Watched since": moment(watch.created_at),
            }
        ),
    ]
