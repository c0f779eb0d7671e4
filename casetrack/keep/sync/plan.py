"""Plan of a sync from the files of a place and the ledger; changes nothing.

A document whose file is gone moves to a new file with the same content. If files took each other's
places (``a`` and ``b`` swapped, ``b`` renamed ``c`` and then ``a`` renamed ``b``), documents follow
their content as well, as long as the document of each new place moves away. Any other new content
at a known path is a change.
"""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from casetrack.ingest.discover import SOURCE_COLUMNS
from casetrack.ingest.walk import suffix_of
from casetrack.keep.sync.cache import FileState, LedgerRow
from casetrack.store.excluded import Excluded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from casetrack.ingest.discover import Origin
    from casetrack.keep.sync.scan import Scan
    from casetrack.store.datasets import Snapshot


_NOTHING = Excluded()


class Move(NamedTuple):
    """A document that moves with its file; *read_again* after a change of the extension."""

    row: LedgerRow
    file: FileState
    read_again: bool


@dataclass(slots=True)
class Plan:
    """The actions of a sync.

    Attributes
    ----------
    changed, copies, repeats
        Files with another content than their documents; with the content of a remaining document;
        and with that of a new file; each with the document or path.
    again
        Unchanged files to read again: partially read ones, and those with outdated reading.
    described
        Unchanged files whose source columns differ.
    new
        Files without a document, one per content and extension.
    excluded, textless, troubled
        Files that the user excluded, that have no text, and that are unreadable.
    """

    unchanged: int = 0
    moves: list[Move] = field(default_factory=list)
    changed: list[tuple[FileState, LedgerRow]] = field(default_factory=list)
    again: list[tuple[FileState, LedgerRow]] = field(default_factory=list)
    described: list[tuple[FileState, LedgerRow]] = field(default_factory=list)
    new: list[FileState] = field(default_factory=list)
    copies: list[tuple[FileState, LedgerRow]] = field(default_factory=list)
    repeats: list[tuple[FileState, str]] = field(default_factory=list)
    excluded: list[FileState] = field(default_factory=list)
    textless: list[FileState] = field(default_factory=list)
    troubled: list[tuple[FileState, LedgerRow | None]] = field(default_factory=list)
    gone: list[LedgerRow] = field(default_factory=list)

    @property
    def reads(self) -> bool:
        """Whether any file must be read."""
        return next(iter(self.to_read()), None) is not None

    def to_read(self) -> Iterator[tuple[FileState, LedgerRow | None]]:
        """Yield the files to read, with their documents."""
        yield from self.changed
        yield from self.again
        yield from ((move.file, move.row) for move in self.moves if move.read_again)
        yield from ((file, None) for file in self.new)

    def is_idle(self, *, remove: bool) -> bool:
        """Return whether there is nothing to do."""
        return not (self.reads or self.moves or self.described or (remove and self.gone))

    def paths(self) -> set[str]:
        """Return the files with an action."""
        read = {file.path for file, _ in self.to_read()}
        return read | {move.file.path for move in self.moves}


def rows_of(snapshot: Snapshot, /) -> list[LedgerRow]:
    """Return the rows of the ledger in its order."""
    table = snapshot.documents.table
    columns = [
        table[name].to_pylist()
        for name in ("document_id", "path", "name", "file_hash", "parent_id")
    ]
    missing = [bool(lines) for lines in table["missing"].to_pylist()]
    source_rows = zip(*(table[name].to_pylist() for name in SOURCE_COLUMNS), strict=True)
    more = [table[name].to_pylist() for name in ("read_with", "original_copy")]
    readings = [mark.partition("-")[0] for mark in table["pipeline_fingerprint"].to_pylist()]
    titles = table["title"].to_pylist()
    joined = zip(*columns, missing, *more, source_rows, readings, titles, strict=True)
    return [LedgerRow(*values) for values in joined]


def _has_new_title(origin: Origin, owner: LedgerRow) -> bool:
    # Plain text has no title.
    is_renamed = owner.suffix == ".txt" and origin.title not in {None, owner.title}
    return is_renamed or origin.values != owner.source_values


@dataclass(eq=False)
class SyncPlanner:
    """Compares one scan with one state of the ledger.

    *remove* means that documents without a file will be removed. *read_with* returns the present
    reading conditions of files. Documents with another fingerprint than *reading* are read again.
    """

    scan: Scan
    rows: Sequence[LedgerRow]
    remove: bool
    read_with: Callable[[], str]
    excluded: Excluded = _NOTHING
    reading: str | None = None

    def __post_init__(self) -> None:
        """Index the rows."""
        self._out_paths, self._out_hashes = self.excluded.paths, self.excluded.hashes
        ids = {row.document_id for row in self.rows}
        self._own = [row for row in self.rows if row.parent_id is None or row.parent_id not in ids]
        self._at: dict[str, list[LedgerRow]] = defaultdict(list)
        for row in self._own:
            self._at[row.path].append(row)
        self._by_alike: dict[str, str] | None = None

    def plan(self) -> Plan:
        """Return the plan."""
        plan = Plan()
        loose: list[LedgerRow] = []
        opened: dict[str, FileState] = {}
        owners: dict[str, LedgerRow] = {}
        for path, file in self.scan.files.items():
            owner = self._owner(file)
            if owner is not None:
                owners[path] = owner
            if file.hash is None:
                plan.troubled.append((file, owner))
            elif owner is None:
                opened[path] = file
            elif self._is_foreign(owner):
                plan.copies.append((file, owner))
            elif owner.file_hash != file.hash:
                opened[path] = file
                loose.append(owner)
            elif self._is_stale(owner):
                plan.again.append((file, owner))
            else:
                plan.unchanged += 1
                if file.origin is not None and _has_new_title(file.origin, owner):
                    plan.described.append((file, owner))
        gone, elsewhere = self._gone(owners, opened)
        plan.moves = self._moves([*gone, *loose], elsewhere, opened, owners)
        moved = {move.row.document_id for move in plan.moves}
        taken = {move.file.path for move in plan.moves}
        plan.gone = [r for r in gone if r.document_id not in moved and self.scan.covers(r)]
        self._sort_out([f for p, f in opened.items() if p not in taken], owners, moved, plan)
        return plan

    def _is_stale(self, row: LedgerRow) -> bool:
        if self.reading is not None and row.reading != self.reading:
            return True
        return row.is_partial and row.read_with != self.read_with()

    def _owner(self, file: FileState) -> LedgerRow | None:
        """Return the document at a file's path, the one with its content if there are several."""
        rows = self._at.get(file.path, ())
        return next((r for r in rows if r.file_hash == file.hash), next(iter(rows), None))

    def _is_foreign(self, owner: LedgerRow) -> bool:
        """Return whether a document belongs to another source, which updates it."""
        mine = self.scan.source
        return mine is not None and owner.source not in {None, mine}

    # --- deleted files ------------------------------------------------------------------------

    def _gone(
        self, owners: Mapping[str, LedgerRow], opened: Mapping[str, FileState]
    ) -> tuple[list[LedgerRow], list[LedgerRow]]:
        """Return documents without a file: those of the place, and others whose content it has."""
        wanted = {file.hash for file in opened.values()}
        gone: list[LedgerRow] = []
        elsewhere: list[LedgerRow] = []
        for row in self._own:
            if owners.get(row.path) is row or row.path in self.scan.unsettled:
                continue
            inside = self.scan.holds(row)
            wants = row.file_hash in wanted and (inside or self.scan.follows(row))
            if not self.scan.covers(row) and not wants:
                continue
            # Another document has the file at this path.
            replaced = row.path in owners
            if not replaced and not self._is_gone(row):
                continue
            (gone if inside else elsewhere).append(row)
        return gone, elsewhere

    def _is_gone(self, row: LedgerRow) -> bool:
        state = self.scan.presence(row)
        return state == "gone" or (state == "there" and self._is_alias(row.path))

    def _is_alias(self, path: str) -> bool:
        """Return whether the file has a new name that this system treats as the same."""
        twin = self._twins().get(_alike(path))
        try:
            return twin is not None and os.path.samefile(path, twin)  # noqa: PTH121
        except OSError:
            return False

    def _twins(self) -> dict[str, str]:
        if self._by_alike is None:
            fresh = (path for path in self.scan.files if path not in self._at)
            self._by_alike = {_alike(path): path for path in fresh}
        return self._by_alike

    # --- moves ----------------------------------------------------------------------------------

    def _moves(
        self,
        loose: Sequence[LedgerRow],
        elsewhere: Sequence[LedgerRow],
        opened: Mapping[str, FileState],
        owners: Mapping[str, LedgerRow],
    ) -> list[Move]:
        held = {row.document_id for row in owners.values()}
        # An attachment belongs to its mail, not to a file with the same content.
        loose = [row for row in loose if row.parent_id is None]
        gone = [row for row in loose if row.document_id not in held]
        fresh = [file for path, file in opened.items() if path not in owners]
        pairs = pair(gone, fresh)
        used = {file.path for _, file in pairs}
        others = [row for row in elsewhere if row.parent_id is None]
        pairs += pair(others, [file for file in fresh if file.path not in used])
        moves = [Move(row, file, row.suffix != file.suffix) for row, file in pairs]
        done = {move.row.document_id for move in moves}
        taken = {move.file.path for move in moves}
        rest = [row for row in loose if row.document_id not in done]
        places = [file for path, file in opened.items() if path not in taken]
        exchanged = [
            (row, file)
            for row, file in pair(rest, places)
            if row.path != file.path and row.suffix == file.suffix
        ]
        return moves + [Move(r, f, read_again=False) for r, f in self._closed(exchanged, owners)]

    @staticmethod
    def _closed(
        pairs: list[tuple[LedgerRow, FileState]], owners: Mapping[str, LedgerRow]
    ) -> list[tuple[LedgerRow, FileState]]:
        """Return the pairs in which the document of every new place moves away."""
        while True:
            moving = {row.document_id for row, _ in pairs}
            targets = {file.path for _, file in pairs}
            kept = []
            for row, file in pairs:
                owner = owners.get(file.path)
                free = owner is None or owner.document_id in moving
                stays = owners.get(row.path) is row and row.path not in targets
                if free and not stays:
                    kept.append((row, file))
            if len(kept) == len(pairs):
                return kept
            pairs = kept

    # --- other files --------------------------------------------------------------------------

    def _sort_out(
        self,
        files: Iterable[FileState],
        owners: Mapping[str, LedgerRow],
        moved: set[str],
        plan: Plan,
    ) -> None:
        """Classify the remaining files as changed, new, or copies."""
        rest: list[FileState] = []
        for file in files:
            owner = owners.get(file.path)
            if owner is not None and owner.document_id not in moved:
                plan.changed.append((file, owner))
            else:
                rest.append(file)
        leaving = {row.document_id for _, row in plan.changed}
        leaving |= {row.document_id for row in plan.gone} if self.remove else set()
        staying = {
            row.file_hash: row
            for row in reversed(self._own)
            if row.parent_id is None and row.document_id not in leaving and row.source is None
        }
        first: dict[tuple[str | None, str], str] = {}
        # Every item of a source is a document, even if another has the same content.
        copies = self.scan.source is None
        for file in rest:
            known = staying.get(file.hash or "")
            if copies and known is not None:
                plan.copies.append((file, known))
            elif file.path in self._out_paths or file.hash in self._out_hashes:
                plan.excluded.append(file)
            elif copies and (file.hash, file.suffix) in first:
                plan.repeats.append((file, first[file.hash, file.suffix]))
            elif file.textless and file.textless == self.read_with():
                plan.textless.append(file)
            else:
                first[file.hash, file.suffix] = file.path
                plan.new.append(file)

    def attached_to(self, rows: Iterable[LedgerRow], /) -> list[LedgerRow]:
        """Return the attachments of documents, of all levels."""
        by_parent: dict[str, list[LedgerRow]] = defaultdict(list)
        for row in self.rows:
            if row.parent_id is not None:
                by_parent[row.parent_id].append(row)
        attachments: list[LedgerRow] = []
        queue = [row.document_id for row in rows]
        while queue:
            inside = by_parent.get(queue.pop(), [])
            attachments += inside
            queue += [row.document_id for row in inside]
        return attachments


def pair(
    rows: Sequence[LedgerRow], files: Sequence[FileState], /
) -> list[tuple[LedgerRow, FileState]]:
    """Match documents with files of the same content, by equal name, then extension, then path."""
    by_hash: dict[str, list[FileState]] = defaultdict(list)
    for file in files:
        if file.hash is not None:
            by_hash[file.hash].append(file)
    wanting: dict[str, list[LedgerRow]] = defaultdict(list)
    for row in rows:
        if row.file_hash in by_hash:
            wanting[row.file_hash].append(row)
    matches: list[tuple[LedgerRow, FileState]] = []
    for digest, group in wanting.items():
        free = sorted(by_hash[digest], key=lambda f: f.path)
        left = sorted(group, key=lambda r: (r.path, r.document_id))
        for key in (os.path.basename, suffix_of, lambda _: ""):
            left = list(_match(left, free, key, matches))
    return matches


def _match(
    rows: Iterable[LedgerRow],
    free: list[FileState],
    key: Callable[[str], str],
    matches: list[tuple[LedgerRow, FileState]],
) -> Iterator[LedgerRow]:
    """Match rows with the first free file of the same key; yield the unmatched ones."""
    for row in rows:
        wanted = key(row.path)
        # A file at its document's path stays with it.
        file = next((f for f in free if key(f.path) == wanted and f.path != row.path), None)
        if file is None:
            yield row
        else:
            free.remove(file)
            matches.append((row, file))


def _alike(path: str) -> str:
    import unicodedata

    return unicodedata.normalize("NFC", path).casefold()
