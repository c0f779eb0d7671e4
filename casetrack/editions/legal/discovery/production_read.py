"""Reads a production: its load files, what they name, and what is wrong with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.editions.legal.discovery.dialects import Trouble, shown
from casetrack.editions.legal.discovery.fields import roles_of, told
from casetrack.editions.legal.discovery.images import read_image_file
from casetrack.editions.legal.discovery.loadfile import read_load_file
from casetrack.editions.legal.discovery.production import Member, Production
from casetrack.editions.legal.discovery.production_checks import check_numbers, take_dates
from casetrack.editions.legal.discovery.production_families import join_families
from casetrack.editions.legal.discovery.production_files import Files, take_files
from casetrack.extract.papers.places import bates_key, read_bates

if TYPE_CHECKING:
    from casetrack.editions.legal.discovery.fields import Role


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
    """Read a production's load files, and find the files that they name.

    Parameters
    ----------
    load_file
        The DAT file.
    image_file
        The OPT file; without it the one beside the DAT file that has its name, if there is one.
    root
        Folder that paths start from; without it that of the load file and the one above are tried.
    encoding, separator, qualifier
        See :func:`casetrack.editions.legal.discovery.loadfile.read_load_file`.

    Raises
    ------
    FileNotFound, FileUnreadable, EmptyFile, UsageError
        A load file cannot be read.
    """
    path = Path(load_file).expanduser().absolute()
    rows = read_load_file(path, encoding=encoding, separator=separator, qualifier=qualifier)
    beside = Path(image_file).expanduser().absolute() if image_file else _beside(path, ".opt")
    images = read_image_file(beside, encoding=encoding) if beside else None
    roles = roles_of(rows.columns)
    found = Production(rows, images, roles, [], troubles=[*rows.troubles])
    if images:
        found.troubles += images.troubles
    _take_rows(found)
    _take_images(found)
    take_files(found, Files([Path(root).expanduser().absolute()] if root else _roots(path)))
    take_dates(found)
    join_families(found)
    check_numbers(found)
    found.troubles.sort(key=lambda t: (t.file != path.name, t.line or 0))
    return found


def _beside(path: Path, suffix: str) -> Path | None:
    """Return the file of the same name with another ending, whatever its case."""
    try:
        beside = sorted(path.parent.iterdir())
    except OSError:
        return None
    wanted = f"{path.stem}{suffix}".casefold()
    return next((file for file in beside if file.name.casefold() == wanted), None)


def _roots(path: Path) -> list[Path]:
    return [path.parent, path.parent.parent]


# --- rows ------------------------------------------------------------------------------------


def _take_rows(found: Production) -> None:
    file, roles = found.load_file, found.roles
    named: Role | None = "control" if "control" in roles else "begin" if "begin" in roles else None
    column = roles[named] if named else file.columns[0]
    if named is None:
        text = (
            "No field is called BEGDOC, BEGBATES, CONTROL NUMBER or the like. Documents are called "
            f"by the first one, {column!r}."
        )
        found.troubles.append(Trouble(file.path.name, 1, "", "columns", text))
    if "begin" in roles and "end" not in roles:
        text = "No field holds the last Bates number; each document is taken for one page of them."
        found.troubles.append(Trouble(file.path.name, 1, "", "columns", text))
    used: dict[str, int] = {}
    for row in file.rows:
        names = [*file.columns, *(f"(column {n + 1})" for n in range(len(file.columns), 999))]
        fields = dict(zip(names, row.values, strict=False))
        number = shown(fields.get(column, "")).strip()
        if not number:
            number = f"line-{row.line}"
            text = f"Line {row.line} has no control number; its document is called {number}."
            found.troubles.append(Trouble(file.path.name, row.line, number, "control number", text))
        key, count = number, 1
        while bates_key(key) in used:
            count += 1
            key = f"{number} ({count})"
        if key != number:
            text = (
                f"Line {row.line}: {number} is the control number of line "
                f"{used[bates_key(number)]} already. Both are kept; this one is called {key!r}."
            )
            found.troubles.append(Trouble(file.path.name, row.line, number, "control number", text))
        used[bates_key(key)] = row.line
        begin = told(fields, roles, "begin") or (number if "begin" not in roles else "")
        end = told(fields, roles, "end") or begin
        found.members.append(Member(key, number, row.line, row, fields, begin, end, key))


def _take_images(found: Production) -> None:
    if found.image_file is None:
        return
    by_begin = {bates_key(m.begin or m.key): m for m in reversed(found.members)}
    ranged = [(r, m) for m in found.members if (r := m.bates)]
    for pages in found.image_file.documents:
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
                f"Line {pages[0].line}: {key} has images and no row in "
                f"{found.load_file.path.name}. It is kept as a document of its own."
            )
            name = found.image_file.path.name
            found.troubles.append(Trouble(name, pages[0].line, key, "image", text))
            member = Member(key, key, None, None, {}, key, pages[-1].key, key)
            found.members.append(member)
        member.images = (*member.images, *pages)
