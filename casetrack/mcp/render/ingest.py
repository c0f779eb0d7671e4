"""Text for people about files that were ingested."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePath
from typing import TYPE_CHECKING

from casetrack.mcp.render import counted, duration, home_path
from casetrack.records import FILE_STATUSES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from casetrack.records import FileOutcome, IngestReport

    _Line = Callable[[FileOutcome, PurePath], str]

_REASONS = {
    "duplicate": "already ingested, matching SHA256",
    "cancelled": "not reached",
    "empty_file": "empty",
    "no_text": "without text",
}
LISTED = 20
"""How many files of a kind the text names; the structured result has more."""

_SUBFOLDERS = 6


def ingested(
    outcome: FileOutcome,
    attachments: Sequence[FileOutcome],
    collection: str,
    notes: Sequence[str],
    /,
) -> str:
    """Return the answer of ingest_document."""
    verb = "Updated" if outcome.updated else "Ingested"
    if outcome.status == "partial":
        verb += " in part"
    name = outcome.document_name or PurePath(outcome.path).name
    lines = [
        f'{verb} "{name}" (ID: {outcome.document_id}) in {collection}.',
        f"{_amount(outcome)}, {duration(outcome.seconds)}.",
        *([f"Not read: {outcome.message}"] if outcome.status == "partial" else []),
        *(f"Warning: {warning}" for warning in outcome.warnings),
        *(f"Attachment {_attachment(a)}" for a in attachments[:LISTED]),
        *([f"... {len(attachments) - LISTED} more"] if len(attachments) > LISTED else []),
        *(f"Note: {note}" for note in notes),
    ]
    return "\n".join([*lines, "", "It is now searchable with search_documents."])


def folder(report: IngestReport, collection: str, root: PurePath, /) -> str:
    """Return the answer of ingest_folder."""
    supported = [o for o in report.outcomes if o.code != "unsupported_format"]
    by = {name: [o for o in supported if o.status == name] for name in FILE_STATUSES}
    stored = [*by["ingested"], *by["partial"]]
    fresh = [o for o in stored if not o.updated]
    updated = [o for o in stored if o.updated]
    failed, ignored = by["failed"], len(report.outcomes) - len(supported)
    rows = [
        ("Folder:", home_path(str(root)).rstrip("/\\") + "/"),
        ("Subfolders:", _subfolders(supported, root)),
        ("Found:", counted(len(supported), "supported file")),
        ("New:", f"{len(fresh)} (ingested)"),
        ("Updated:", f"{len(updated)} (content changed)" if updated else ""),
        ("In part:", f"{len(by['partial'])} (see what is missing)" if by["partial"] else ""),
        ("Skipped:", _skipped(by["skipped"])),
        ("Failed:", str(len(failed))),
        ("Ignored:", f"{ignored} (format not supported)" if ignored else ""),
        ("Duration:", duration(report.seconds)),
    ]
    table = "\n".join(f"  {label:<11} {value}" for label, value in rows if value)
    state = "stopped" if report.cancelled else "complete"
    silent = [o for o in by["skipped"] if o.code in {"empty_file", "no_text"}]
    blocks = [f"Folder ingestion {state} for {collection}", table]
    blocks += _block("New documents ingested:", fresh, root, _with_amount)
    blocks += _block("Documents updated:", updated, root, _with_amount)
    blocks += _block("Failures:", failed, root, _with_reason)
    blocks += _block("Nothing to read in:", silent, root, _with_reason)
    blocks += [f"Note: {note}" for note in report.notes]
    return "\n\n".join([*blocks, _closing(len(fresh) + len(updated))])


def _closing(count: int) -> str:
    if not count:
        return "No document was added."
    if count == 1:
        return "The new document is now searchable."
    return f"All {count} new documents are now searchable."


def _block(title: str, outcomes: Sequence[FileOutcome], root: PurePath, line: _Line) -> list[str]:
    if not outcomes:
        return []
    lines = [f"  - {line(o, root)}" for o in outcomes[:LISTED]]
    if len(outcomes) > LISTED:
        lines.append(f"  ... {len(outcomes) - LISTED} more")
    return [f"  {title}\n" + "\n".join(lines)]


def _with_amount(outcome: FileOutcome, root: PurePath) -> str:
    lost = [f"not read: {outcome.message}"] if outcome.status == "partial" else []
    warned = "".join(f"; {w}" for w in (*lost, *outcome.warnings))
    return f"{relative(outcome.path, root)} ({_amount(outcome)}){warned}"


def _attachment(outcome: FileOutcome) -> str:
    name = outcome.document_name or PurePath(outcome.path).name
    if outcome.status in {"skipped", "failed"}:
        return f'"{name}" was {outcome.status}: {" ".join(outcome.message.split())}'
    return f'"{name}" (ID: {outcome.document_id}): {outcome.status}, {_amount(outcome)}'


def _with_reason(outcome: FileOutcome, root: PurePath) -> str:
    reason = " ".join(outcome.message.split())
    return f"{relative(outcome.path, root)}: {reason}"


def _amount(outcome: FileOutcome) -> str:
    return f"{counted(outcome.pages, 'page')}, {counted(outcome.chunks, 'chunk')}"


def _skipped(outcomes: Sequence[FileOutcome]) -> str:
    codes = Counter(_REASONS.get(o.code, "not ingested") for o in outcomes)
    if not codes:
        return "0"
    if len(codes) == 1:
        return f"{len(outcomes)} ({next(iter(codes))})"
    return f"{len(outcomes)} ({'; '.join(f'{n} {why}' for why, n in codes.most_common())})"


def _subfolders(outcomes: Iterable[FileOutcome], root: PurePath) -> str:
    names = sorted({PurePath(relative(o.path, root)).parent.as_posix() for o in outcomes} - {"."})
    if not names:
        return "0"
    shown = [f"{name}/" for name in names[:_SUBFOLDERS]]
    more = ["..."] if len(names) > _SUBFOLDERS else []
    return f"{len(names)} ({', '.join(shown + more)})"


def relative(path: str, root: PurePath, /) -> str:
    """Return *path* as seen from *root*, or whole where it lies elsewhere."""
    pure = PurePath(path)
    return pure.relative_to(root).as_posix() if pure.is_relative_to(root) else path
