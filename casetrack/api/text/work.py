"""Text of reports on long work on files: ingest, sync, reindex."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import PurePath
from typing import Any

from casetrack.api.text.collections import held
from casetrack.api.text.form import (
    Lines,
    counted,
    entries_of,
    facts,
    flat,
    head_of,
    inside,
    line,
    lines_of,
    moment,
)
from casetrack.base import records
from casetrack.base.errors import Opt
from casetrack.base.records.health import PROBLEMS, DocumentIndex, IndexStatus
from casetrack.base.records.snapshots import ReindexReport
from casetrack.base.records.sync import (
    DEFAULT_DAILY_TIME,
    SYNC_KINDS,
    SyncChange,
    SyncReport,
    Watch,
    WatchedFolder,
)

LISTED = 20
"""Maximum number of files of one kind that are named."""
_LABEL = 10
_WOULD = {
    "new": "would be read",
    "changed": "would be read again",
    "moved": "would be moved",
    "removed": "would be removed",
}
_REASONS = {
    "duplicate": "duplicates",
    "unsupported_format": "of unsupported types",
    "empty_file": "empty",
    "no_text": "without text",
    "excluded": "excluded by you",
    "changed_meanwhile": "being changed",
}


@entries_of.register(records.IngestReport | SyncReport | IndexStatus | records.HealthReport)
def _(_report: object) -> tuple[str, Sequence[object]]:
    # The text of the whole report lists them in a different order.
    return "", ()


_STOPPED = "cancelled"
"""The code of files that stopped work did not finish: counted, not listed."""

# --- ingest -----------------------------------------------------------------------------------


@lines_of.register
def _(outcome: records.FileOutcome) -> Lines:
    return file(outcome)


def file(
    outcome: records.FileOutcome, folder: PurePath | None = None, /, *, hint: bool = True
) -> Lines:
    """Return the outcome of a file: its size, or the reason and, with *hint*, the next step.

    Its path is relative to *folder*, or its document's name.
    """
    status = "updated" if outcome.updated and outcome.status == "ingested" else outcome.status
    label, below = f"{status:<{_LABEL}}", Lines()
    name = outcome.document_name or outcome.path
    if folder is not None:
        name = relative(outcome.path, folder)
    if is_known(outcome):
        first = line(name, ("  is there already", "less"), label=label)
    elif outcome.status in {"skipped", "failed"}:
        first = line(outcome.message or outcome.path, label=label)
        below += [line((outcome.hint, "less"))] if hint and outcome.hint else []
    else:
        size = held(pages=outcome.pages, chunks=outcome.chunks)
        first = line(name, (f"  {size}", "less"), label=label)
        below += [line(outcome.message)] if outcome.message else []
    below += [line((warning, "warning")) for warning in outcome.warnings]
    return [first, *inside(below, _LABEL)]


def is_known(outcome: records.FileOutcome, /) -> bool:
    """Return whether the file is in the collection under its own name, unchanged."""
    return outcome.code == "duplicate" and outcome.document_name == PurePath(outcome.path).name


@head_of.register
def ingest_lines(
    report: records.IngestReport,
    listed: Sequence[records.FileOutcome] | None = None,
    folder: PurePath | None = None,
    /,
) -> Lines:
    """Return the outcome of every file, errors last, then the totals.

    Files with the same next step are grouped, with the step after the last of them. Of statuses in
    *listed*, only the first files are named, relative to *folder*.
    """
    if not report.outcomes:
        return [line("There are no files to add.")]
    order = {status: place for place, status in enumerate(records.FILE_STATUSES)}
    outcomes = sorted(
        (o for o in (report.outcomes if listed is None else listed) if o.code != _STOPPED),
        key=lambda o: (order[o.status], o.code, o.hint),
    )
    if listed is not None:
        groups = ([o for o in outcomes if o.status == status] for status in records.FILE_STATUSES)
        outcomes = [outcome for group in groups for outcome in group[:LISTED]]
    lines = [
        part
        for outcome, following in zip_longest(outcomes, outcomes[1:])
        for part in file(outcome, folder, hint=following is None or following.hint != outcome.hint)
    ]
    if any(is_known(o) for o in report.outcomes):
        lines.append(line((f"Use {Opt('force')} to add existing files again.", "less")))
    lines += [line((f"Note: {note}", "warning")) for note in report.notes]
    return [*lines, *(line((text, "strong")) for text in totals(report))]


def totals(report: records.IngestReport, /) -> list[str]:
    """Return two lines: files by status, and the amount of work."""
    counts = report.as_dict()["counts"]
    pages = sum(o.pages for o in report.outcomes)
    chunks = sum(o.chunks for o in report.outcomes)
    work = f"{counted(pages, 'page')}, {counted(chunks, 'chunk')} in {report.seconds:.1f} s"
    if pages and report.seconds > 0:
        work += f" ({pages / report.seconds:.1f} pages/s)"
    stopped = sum(o.code == _STOPPED for o in report.outcomes)
    counts |= {"skipped": counts["skipped"] - stopped, "not read before the stop": stopped}
    by_status = ", ".join(f"{count:,} {status}" for status, count in counts.items() if count)
    updated = sum(o.updated for o in report.outcomes)
    if updated:
        by_status += f" ({updated:,} of them updated)"
    return [f"{counted(len(report.outcomes), 'file')}: {by_status}", work]


# --- sync -------------------------------------------------------------------------------------


@head_of.register
def sync_lines(report: SyncReport, listed: Sequence[SyncChange] | None = None, /) -> Lines:
    """Return the counts, then the first of each kind of all changes, or of those *listed*."""
    parts = [f"{report.unchanged:,} unchanged"]
    parts += [f"{report.count(kind):,} {kind}" for kind in SYNC_KINDS if report.count(kind)]
    head = f"{counted(report.seen, 'file')}: {', '.join(parts)} ({report.seconds:.1f} s)"
    lines = [line((head, "strong"))]
    for kind in SYNC_KINDS:
        changes = report.of(kind)
        if kind == "skipped" and changes:
            lines.append(line(_left_out(changes), label=f"{kind:<9}"))
        elif changes:
            named = [c for c in (changes if listed is None else listed) if c.kind == kind][:LISTED]
            lines += [part for change in named for part in _change(change, report)]
            if (rest := len(changes) - len(named)) > 0:
                more = f"... {rest:,} more {kind}. {Opt('json')} lists all of them."
                lines.append(line(more, indent=9))
    if report.count("missing"):
        lines.append(line((f"To remove missing documents, add {Opt('remove-deleted')}.", "less")))
    lines += [line((f"Note: {note}", "warning")) for note in report.notes]
    return [
        *lines,
        *([line(("A dry run: nothing was changed.", "less"))] if report.dry_run else []),
    ]


def _change(change: SyncChange, report: SyncReport) -> Lines:
    where = relative(change.path, report.folder)
    if change.previous_path:
        where = f"{relative(change.previous_path, report.folder)} -> {where}"
    aside = _WOULD.get(change.kind, "") if report.dry_run else ""
    if not aside and change.chunks:
        aside = held(pages=change.pages, chunks=change.chunks)
    below = [line(change.message)] if change.message else []
    below += [line((change.hint, "less"))] if change.hint else []
    below += [line((warning, "warning")) for warning in change.warnings]
    first = line(where, *([(f"  {aside}", "less")] if aside else []), label=f"{change.kind:<9}")
    return [first, *inside(below, 9)]


def _left_out(changes: Iterable[SyncChange]) -> str:
    reasons = Counter(_REASONS.get(change.code, "not usable") for change in changes)
    return ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common())


def relative(path: str, folder: str | PurePath, /) -> str:
    """Return *path* on one line, relative to *folder* if it is inside."""
    pure = PurePath(path)
    seen = pure.relative_to(folder).as_posix() if pure.is_relative_to(folder) else path
    return " ".join(seen.splitlines())


# --- reindex ----------------------------------------------------------------------------------


@head_of.register
def _(report: ReindexReport) -> Lines:
    lines = Lines()
    if report.files is not None:
        problems = [o for o in report.files.outcomes if o.status in {"failed", "partial"}]
        lines += [part for outcome in problems[:LISTED] for part in file(outcome)]
        if len(problems) > LISTED:
            lines.append(line(f"... {len(problems) - LISTED:,} more", indent=2))
        read = counted(report.files.count("ingested", "partial"), "file")
        lines.append(line(f"{read} read again."))
    if report.missing_files:
        gone = counted(len(report.missing_files), "file")
        lines.append(line(f"{gone} not found; their stored text was kept:"))
        lines += [line(" ".join(p.splitlines()), indent=2) for p in report.missing_files[:LISTED]]
        if len(report.missing_files) > LISTED:
            lines.append(line(f"... {len(report.missing_files) - LISTED:,} more", indent=2))
    notes = (*(report.files.notes if report.files else ()), *report.notes)
    lines += [line((f"Note: {note}", "warning")) for note in notes]
    if report.cancelled:
        return lines
    before, now = report.previous_profile, report.profile
    if before != now:
        lines.append(line(f'"{report.collection}" uses the profile {now} now (before: {before}).'))
    elif report.did_nothing:
        name = report.document or report.collection
        again = f"Use {Opt('force')} to rebuild everything."
        lines.append(line(f'"{name}" is up to date; nothing was changed.'))
        return [*lines, line((again, "less"))]
    if report.documents or report.files is None:
        size = f"{counted(report.documents, 'document')}, {counted(report.chunks, 'chunk')}"
        lines.append(line((f"{size} rebuilt in {report.seconds:.1f} s.", "strong")))
    return lines


def kept_results(report: Any, /) -> str:
    """Return the kept results of stopped work."""
    if isinstance(report, records.IngestReport):
        count = report.count("ingested", "partial")
        return f"{counted(count, 'document')} finished and kept; none is incomplete."
    if not isinstance(report, ReindexReport):
        return "finished work is kept; nothing is incomplete."
    texts = f"{counted(report.embedded, 'text')} embedded and kept" if report.embedded else ""
    done = f"{counted(report.documents, 'document')} finished" if report.documents else ""
    what = ", ".join(filter(None, (done, texts))) or "nothing was changed"
    return f'{what}. "{report.collection}" is consistent and uses the profile {report.profile}.'


def failures(report: Any, /) -> str:
    """Return the number of failed files as text; empty if there are none."""
    files = report.files if isinstance(report, ReindexReport) else report
    failed = files.count("failed") if files is not None else 0
    if not failed:
        return ""
    if isinstance(report, ReindexReport):
        return f"{counted(failed, 'file')} could not be read again; the stored text was kept."
    of = f" of {len(report.outcomes):,}" if isinstance(report, records.IngestReport) else ""
    return f"{counted(failed, 'file')}{of} failed."


# --- health -----------------------------------------------------------------------------------


@head_of.register
def _(report: records.HealthReport) -> Lines:
    lines = [line(text, label="repaired ") for text in report.repairs]
    lines += [line(text, label="NOT REPAIRED  ") for text in report.unmended]
    for check in report.checks:
        label = "ok       " if check.ok else "PROBLEM  "
        lines.append(line((check.name, "strong"), f": {check.detail}", label=label))
        lines += [line(check.remedy, indent=9)] if check.remedy and not check.ok else []
    problems = sum(not check.ok for check in report.checks)
    text = f"{problems} of {len(report.checks)} checks found a problem."
    return [*lines, line(), line("No problems found." if report.ok else text)]


# --- index status -----------------------------------------------------------------------------


@lines_of.register
def _(each: DocumentIndex) -> Lines:
    shares = [f"{name} {share(count, each.chunks)}" for name, count in each.coverage.items()]
    size = ", ".join([counted(each.chunks, "chunk"), *shares])
    state = (f"  {each.reason}", "warning") if each.reason else "  ok"
    return [line((" ".join(each.name.splitlines()), "strong"), (f"  {size}", "less"), state)]


@head_of.register
def _(status: IndexStatus) -> Lines:
    lines = Lines()
    for each in status.untaken[:LISTED]:
        lines.append(line(each.message or each.path, label=f"{each.status:<9}"))
        lines += [line((each.hint, "less"), indent=9)] if each.hint else []
    if (rest := len(status.untaken) - LISTED) > 0:
        lines.append(line(f"... {rest:,} more. {Opt('json')} lists all of them."))
    sizes = f"{counted(len(status.documents), 'document')}, {counted(status.chunks, 'chunk')}"
    lines.append(line(f"{sizes}; profile {status.profile}"))
    if status.chunks:
        shares = (f"{n} {share(c, status.chunks)}" for n, c in status.coverage.items())
        lines.append(line(f"Coverage of chunks: {', '.join(shares)}"))
    if status.untaken:
        lines.append(line((records.untaken_text(status.untaken), "strong")))
    elif status.ok:
        lines.append(line(("Everything is up to date.", "strong")))
    problems = status.problems.items()
    return [*lines, *(line(f"{counted(n, 'document')}: {PROBLEMS[why]}") for why, n in problems)]


def share(part: int, whole: int, /) -> str:
    """Return a share in percent, rounded down: only a complete one is 100 %."""
    return f"{100 * part // whole} %" if whole else "-"


# Text of watched folders.

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
