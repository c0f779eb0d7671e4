"""Reading of a production: its load files, their files and their errors."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.groups import Groups
from casetrack.editions.legal.discovery.fields import (
    day_first,
    field_value,
    listed,
    read_moment,
    roles_of,
    shown,
)
from casetrack.editions.legal.discovery.loadfile import read_image_file, read_load_file
from casetrack.editions.legal.records.load_files import LoadTrouble
from casetrack.extract.papers.places import BatesRange, bates_key, read_bates

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import datetime

    from casetrack.editions.legal.discovery.fields import Role
    from casetrack.editions.legal.discovery.loadfile import ImageFile, ImageLine, LoadFile, Row

# A production with its documents, families, files and numbers.


@dataclass(slots=True)
class Member:
    """A document of a production."""

    key: str  # Unique: the control number, with a suffix if two documents share it
    control_number: str  # The line if the load file has no number
    line: int | None  # ``None``: only in the image file
    row: Row | None
    fields: dict[str, str]  # Unchanged values by column
    begin: str = ""  # First Bates number; may be empty
    end: str = ""  # Last Bates number; may be empty
    family: str = ""  # Key of the first document of its family
    parent: str | None = None  # Key of the document with this attachment
    children: list[str] = field(default_factory=list)  # Keys of its attachments
    native: Path | None = None
    text: Path | None = None
    inline: str = ""  # Text in the load file itself
    images: tuple[ImageLine, ...] = ()
    pictures: tuple[Path, ...] = ()
    moment: datetime | None = None

    @property
    def bates(self) -> BatesRange | None:
        """Its Bates numbers; ``None`` if they are missing or inconsistent."""
        first, last = read_bates(self.begin), read_bates(self.end)
        if first is None or last is None or first.key != last.key or last.last < first.first:
            return None
        return BatesRange(first.prefix, first.first, last.last, first.width)


@dataclass(slots=True)
class Production:
    """A production."""

    load_file: LoadFile
    image_file: ImageFile | None
    roles: Mapping[Role, str]  # Columns by role
    members: list[Member]  # In the order of the load file, then those of the image file only
    ranges: list[BatesRange] = field(default_factory=list)
    gaps: list[BatesRange] = field(default_factory=list)  # Missing Bates numbers
    troubles: list[LoadTrouble] = field(default_factory=list)

    def value_of(self, member: Member, role: Role, /) -> str:
        """Return the value of a member for a role; empty if there is none."""
        return field_value(member.fields, self.roles, role)

    def note(
        self, line: int | None, key: str, kind: str, text: str, /, *, file: Path | None = None
    ) -> None:
        """Add an error in a line of *file* (default: the load file)."""
        self.troubles.append(LoadTrouble(kind, text, (file or self.load_file.path).name, line, key))


# Families of a production, from all kinds of columns of load files.


def join_families(production: Production, /) -> None:
    """Set the family, parent and children of each document.

    Families come from the first and last number of the family, a range, the parent, the
    attachments, or a group. Contradictory families are not joined, and are reported.
    """
    members = production.members
    known: dict[str, int] = {}
    for i, member in enumerate(members):
        for number in (member.key, member.control_number, member.begin):
            known.setdefault(bates_key(number), i)
    joined = Groups(len(members))
    groups: dict[str, int] = {}
    for i, member in enumerate(members):
        for other in _relatives(production, member, known):
            joined.join(i, other)
        group = production.value_of(member, "group")
        if group:
            joined.join(i, groups.setdefault(group, i))
    for family in joined.all():
        _set_relations(production, [members[i] for i in family], known)


def _relatives(production: Production, member: Member, known: Mapping[str, int]) -> Iterator[int]:
    """Yield the documents of the family in a row's fields."""
    first = production.value_of(member, "begin_family")
    last = production.value_of(member, "end_family")
    if not first and (written := production.value_of(member, "family_range")):
        span = read_bates(written)
        parts = re.split(r"\s+-\s+|\s+to\s+", written)
        first, last = parts[0], parts[-1]
        if span is not None:
            first, last = span.label(span.first), span.label(span.last)
    children = listed(production.value_of(member, "children"))
    for number in filter(None, (first, production.value_of(member, "parent"), *children)):
        if bates_key(number) in known:
            yield known[bates_key(number)]
        else:
            _report_missing(production, member, number)
    yield from _in_range(production, member, first, last, known)


def _in_range(
    production: Production, member: Member, first: str, last: str, known: Mapping[str, int]
) -> Iterator[int]:
    """Yield the documents in the range of a family's first document."""
    low, high = read_bates(first), read_bates(last)
    if not low or not high or low.key != high.key or bates_key(first) != bates_key(member.begin):
        return
    at = low.first
    while at <= high.last:
        other = known.get(bates_key(low.label(at)))
        if other is None:
            at += 1
            continue
        own = production.value_of(production.members[other], "begin_family")
        if not own or bates_key(own) == bates_key(first):
            yield other
        else:
            text = (
                f"Line {member.line}: its family is {first} to {last}, but the family of "
                f"{production.members[other].key} begins with {own}. They are not joined."
            )
            production.note(member.line, member.key, "family", text)
        held = production.members[other].bates
        at = max(at + 1, held.last + 1 if held else at + 1)


def _report_missing(production: Production, member: Member, number: str) -> None:
    text = f"Line {member.line}: {shown(number)} of its family is not a document of the production."
    name = production.load_file.path.name
    trouble = LoadTrouble("family", text, name, member.line, member.key)
    if trouble not in production.troubles[-3:]:
        production.troubles.append(trouble)


def _set_relations(production: Production, family: list[Member], known: Mapping[str, int]) -> None:
    """Set the first document of a family, and the parent of each other."""
    if len(family) == 1:
        return
    keys = {member.key for member in family}

    def named(number: str) -> str | None:
        at = known.get(bates_key(number)) if number else None
        return production.members[at].key if at is not None else None

    parents = {m.key: named(production.value_of(m, "parent")) for m in family}
    for member in family:
        for number in listed(production.value_of(member, "children")):
            child = named(number)
            if child in keys and child != member.key and parents.get(child) in {None, child}:
                parents[child] = member.key
    firsts = [named(production.value_of(m, "begin_family")) for m in family]
    heads = (
        [k for k in firsts if k in keys]
        or [m.key for m in family if parents[m.key] in {None, m.key}]
        or [family[0].key]
    )
    by_key = {member.key: member for member in family}
    places = list(by_key)
    head = max(heads, key=lambda k: (heads.count(k), -places.index(k)))
    for member in family:
        member.family = head
        parent = parents[member.key]
        if member.key == head:
            continue
        member.parent = parent if parent in keys and parent != member.key else head
        by_key[member.parent].children.append(member.key)


# Search for the files of a production's load files, independent of the folder.

_LONGEST_PATH = 400


class Files:
    """Finds files by paths of other machines, only inside the production's folders."""

    def __init__(self, roots: Sequence[Path], /) -> None:
        self._roots = roots
        self._folders: dict[Path, dict[str, Path]] = {}

    def find(self, written: str, /) -> Path | None:
        """Return the file of a path; missing leading folders are ignored."""
        parts = [p for p in re.split(r"[\\/]+", written.strip()) if p not in {"", "."}]
        if parts and re.fullmatch(r"[A-Za-z]:", parts[0]):
            parts = parts[1:]
        if ".." in parts:
            return self._above(parts)
        for skipped in range(len(parts)):
            for root in self._roots:
                match = self._below(root, parts[skipped:])
                if match is not None:
                    return match
        return None

    def _above(self, parts: Sequence[str]) -> Path | None:
        """Return the file of a path with "..", if it is inside the production."""
        start = self._roots[0]
        while parts and parts[0] == "..":
            start, parts = start.parent, parts[1:]
        inside = any(start == root or root in start.parents for root in self._roots)
        return self._below(start, parts) if inside and ".." not in parts else None

    def _below(self, folder: Path, parts: Sequence[str]) -> Path | None:
        for part in parts:
            inside = self._names(folder)
            step = inside.get(part) or inside.get(part.casefold())
            if step is None:
                return None
            folder = step
        return folder if folder.is_file() else None

    def _names(self, folder: Path) -> dict[str, Path]:
        if folder not in self._folders:
            try:
                names = sorted(path.name for path in folder.iterdir())
            except OSError:
                names = []
            exact = {name: folder / name for name in names}
            self._folders[folder] = {n.casefold(): p for n, p in exact.items()} | exact
        return self._folders[folder]


def find_files(production: Production, files: Files, /) -> None:
    """Set the native, the text and the images of each document; report missing files."""
    roles: tuple[Role, ...] = ("native", "text")
    for member in production.members:
        for role in roles:
            written = production.value_of(member, role)
            if not written:
                continue
            path = files.find(written) if _is_path(written) else None
            if path is not None and role == "native":
                member.native = path
            elif path is not None:
                member.text = path
            elif role == "text" and not _names_file(written):
                member.inline = shown(written).replace("\u00ae", "\n")
            else:
                text = f"Line {member.line}: {shown(written)} ({role}) does not exist."
                production.note(member.line, member.key, "file", text)
        if not member.images or production.image_file is None:
            continue
        pictures = [files.find(image.path) for image in member.images]
        member.pictures = tuple(dict.fromkeys(path for path in pictures if path))
        for image, picture in zip(member.images, pictures, strict=True):
            if picture is None:
                text = f"Line {image.line}: {shown(image.path)} ({image.key}) does not exist."
                opt = production.image_file.path
                production.note(image.line, member.key, "file", text, file=opt)


def _is_path(written: str) -> bool:
    return len(written) <= _LONGEST_PATH and not re.search(r"[\n\r\u00ae]", written)


def _names_file(written: str) -> bool:
    return _is_path(written) and bool(
        re.fullmatch(r".*[\\/][^\\/]+|[^\\/\s]+\.\w{1,5}", written.strip())
    )


# Checks of a production: its Bates numbers and dates.


def read_dates(production: Production) -> None:
    """Set the date of sending or last change of documents; report unreadable dates."""
    roles: tuple[Role, ...] = ("modified", "created", "sent")
    for role in roles:
        column = production.roles.get(role)
        if column is None:
            continue
        values = [m.fields.get(column, "") for m in production.members]
        first = day_first(values)
        unsure = 0
        for member, value in zip(production.members, values, strict=True):
            time = production.value_of(member, "sent_time") if role == "sent" else ""
            moment = read_moment(value, time, days_first=bool(first))
            if moment is not None:
                member.moment = moment
                turned = read_moment(value, time, days_first=not first)
                unsure += first is None and turned != moment
            elif value.strip() and re.search(r"[1-9]", value):
                text = f"Line {member.line}: {column} {shown(value)!r} is not a known date format."
                production.note(member.line, member.key, "date", text)
        if unsure:
            text = (
                f"{column}: {unsure:,} of its dates are ambiguous between day first and month "
                "first; they are read with the month first."
            )
            production.note(1, "", "date", text)


def check_numbers(production: Production) -> None:
    """Report inconsistent, repeated and missing Bates numbers."""
    ranged: dict[str, list[tuple[BatesRange, Member]]] = defaultdict(list)
    for member in production.members:
        span = member.bates
        if span is not None:
            ranged[span.key].append((span, member))
        elif member.begin and "begin" in production.roles:
            text = (
                f"Line {member.line}: {shown(member.begin)} to {shown(member.end)} is not a valid "
                "range of Bates numbers; it is kept unchanged."
            )
            production.note(member.line, member.key, "range", text)
    for spans in ranged.values():
        spans.sort(key=lambda pair: (pair[0].first, pair[0].last, pair[1].line or 0))
        covered = spans[0]
        runs = [spans[0][0]]
        for span, member in spans[1:]:
            high = covered[0].last
            if span.first <= high:
                text = (
                    f"Line {member.line}: {span} overlaps {covered[0]} ({covered[1].key}, line "
                    f"{covered[1].line})."
                )
                production.note(member.line, member.key, "overlap", text)
            if span.first > high + 1:
                runs.append(span)
            else:
                last = runs[-1]
                top = max(last.last, span.last)
                runs[-1] = BatesRange(last.prefix, last.first, top, last.width)
            if span.last > high:
                covered = (span, member)
        production.ranges += runs
        for low, up in pairwise(runs):
            gap = BatesRange(low.prefix, low.last + 1, up.first - 1, low.width)
            production.gaps.append(gap)
            text = f"{gap} {'are' if gap.last > gap.first else 'is'} missing in the production."
            production.note(None, "", "gap", text)


def read_production(
    load_file: str | Path,
    /,
    *,
    image_file: str | Path | None = None,
    root: str | Path | None = None,
    encoding: str | None = None,
    separator: str | None = None,
    qualifier: str | None = None,
) -> Production:
    """Read the load files of a production, and find their files.

    Parameters
    ----------
    image_file
        The OPT file; default: the one next to the DAT file with its name, if any.
    root
        Base folder of paths; default: the folder of the load file and its parent.
    encoding, separator, qualifier
        See :func:`casetrack.editions.legal.discovery.loadfile.read_load_file`.
    """
    path = Path(load_file).expanduser().absolute()
    rows = read_load_file(path, encoding=encoding, separator=separator, qualifier=qualifier)
    opt_file = Path(image_file).expanduser().absolute() if image_file else _sibling(path, ".opt")
    images = read_image_file(opt_file, encoding=encoding) if opt_file else None
    roles = roles_of(rows.columns)
    production = Production(rows, images, roles, [], troubles=[*rows.troubles])
    if images:
        production.troubles += images.troubles
    _add_rows(production)
    _add_images(production)
    roots = [Path(root).expanduser().absolute()] if root else [path.parent, path.parent.parent]
    find_files(production, Files(roots))
    read_dates(production)
    join_families(production)
    _ask_for_families(production)
    check_numbers(production)
    production.troubles.sort(key=lambda t: (t.file != path.name, t.line or 0))
    return production


_FAMILY: frozenset[Role] = frozenset(
    ("parent", "children", "group", "begin_family", "family_range")
)


def _ask_for_families(production: Production) -> None:
    """Note fields without a role that have numbers of other documents."""
    if _FAMILY & production.roles.keys():
        return
    keys = {member.key for member in production.members}
    known = set(production.roles.values())
    for column in (c for c in production.load_file.columns if c not in known):
        named = (m for m in production.members if m.fields.get(column, m.key) in keys - {m.key})
        if next(named, None) is not None:
            text = (
                f"The field {column!r} has numbers of other documents. If it names their parents, "
                "rename it to PARENTID and load the file again."
            )
            production.note(1, "", "columns", text)


def _sibling(path: Path, suffix: str) -> Path | None:
    """Return the file with the same name and another suffix, in any letter case."""
    try:
        files = sorted(path.parent.iterdir())
    except OSError:
        return None
    wanted = f"{path.stem}{suffix}".casefold()
    return next((file for file in files if file.name.casefold() == wanted), None)


# --- rows ------------------------------------------------------------------------------------


def _add_rows(production: Production) -> None:
    file, roles = production.load_file, production.roles
    named: Role | None = "control" if "control" in roles else "begin" if "begin" in roles else None
    column = roles[named] if named else file.columns[0]
    if named is None:
        text = (
            "No field is named BEGDOC, BEGBATES, CONTROL NUMBER or similar. Documents are named by "
            f"the first field, {column!r}."
        )
        production.note(1, "", "columns", text)
    if "begin" in roles and "end" not in roles:
        text = "No field has the last Bates number; each document counts as one page."
        production.note(1, "", "columns", text)
    used: dict[str, int] = {}
    for row in file.rows:
        names = [*file.columns, *(f"(column {n + 1})" for n in range(len(file.columns), 999))]
        fields = dict(zip(names, row.values, strict=False))
        number = shown(fields.get(column, "")).strip()
        if not number:
            number = f"line-{row.line}"
            text = f"Line {row.line} has no control number; its document is named {number}."
            production.note(row.line, number, "control number", text)
        key, count = number, 1
        while bates_key(key) in used:
            count += 1
            key = f"{number} ({count})"
        if key != number:
            text = (
                f"Line {row.line} repeats the control number {number} of line "
                f"{used[bates_key(number)]}. Both are kept; this one is named {key!r}."
            )
            production.note(row.line, number, "control number", text)
        used[bates_key(key)] = row.line
        begin = field_value(fields, roles, "begin") or (number if "begin" not in roles else "")
        end = field_value(fields, roles, "end") or begin
        production.members.append(Member(key, number, row.line, row, fields, begin, end, key))


def _add_images(production: Production) -> None:
    if production.image_file is None:
        return
    by_begin = {bates_key(m.begin or m.key): m for m in reversed(production.members)}
    ranged = [(r, m) for m in production.members if (r := m.bates)]
    for pages in production.image_file.documents:
        key = pages[0].key
        member = by_begin.get(bates_key(key))
        if member is None:
            own = read_bates(key)
            fits = [
                m for r, m in ranged if own and r.key == own.key and r.first <= own.first <= r.last
            ]
            member = fits[0] if len(fits) == 1 else None
        if member is None:
            text = (
                f"Line {pages[0].line}: {key} has images but no row in "
                f"{production.load_file.path.name}. It is kept as a separate document."
            )
            production.note(pages[0].line, key, "image", text, file=production.image_file.path)
            member = Member(key, key, None, None, {}, key, pages[-1].key, key)
            production.members.append(member)
        member.images = (*member.images, *pages)
