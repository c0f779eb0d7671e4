"""Families of a production, by all the ways in which load files tell them."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from casetrack.editions.legal.discovery.dialects import Trouble, shown
from casetrack.editions.legal.discovery.fields import listed
from casetrack.extract.papers.places import bates_key, read_bates

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from casetrack.editions.legal.discovery.production import Member, Production
    from casetrack.extract.papers.places import BatesRange


def join_families(found: Production, /) -> None:
    """Set the family, the parent and the children of each document.

    Told are families by the first (and last) number of the family, a range, the parent, the
    attachments, or a group. What contradicts itself is kept apart, and said.
    """
    members = found.members
    known: dict[str, int] = {}
    for i, member in enumerate(members):
        for number in (member.key, member.control_number, member.begin):
            known.setdefault(bates_key(number), i)
    above = list(range(len(members)))

    def root(i: int) -> int:
        while above[i] != i:
            above[i] = above[above[i]]
            i = above[i]
        return i

    def join(i: int, j: int) -> None:
        low, high = sorted((root(i), root(j)))
        above[high] = low

    groups: dict[str, int] = {}
    for i, member in enumerate(members):
        for other in _named_with(found, member, known):
            join(i, other)
        group = found.told(member, "group")
        if group:
            join(i, groups.setdefault(group, i))
    families: dict[int, list[int]] = defaultdict(list)
    for i in range(len(members)):
        families[root(i)].append(i)
    for family in families.values():
        _settle(found, [members[i] for i in family], known)


def _named_with(found: Production, member: Member, known: Mapping[str, int]) -> Iterator[int]:
    """Yield the documents that a row names as its family."""
    first, last = found.told(member, "begin_family"), found.told(member, "end_family")
    if not first and (written := found.told(member, "family_range")):
        span = read_bates(written)
        parts = re.split(r"\s+-\s+|\s+to\s+", written)
        first, last = (parts[0], parts[-1]) if span is None else _ends(span)
    for number in (first, found.told(member, "parent")):
        if not number:
            continue
        if bates_key(number) in known:
            yield known[bates_key(number)]
        else:
            _miss(found, member, number)
    for number in listed(found.told(member, "children")):
        if bates_key(number) in known:
            yield known[bates_key(number)]
        else:
            _miss(found, member, number)
    yield from _in_range(found, member, first, last, known)


def _in_range(
    found: Production, member: Member, first: str, last: str, known: Mapping[str, int]
) -> Iterator[int]:
    """Yield the documents in the range that the first of a family names; they may not name it."""
    low, high = read_bates(first), read_bates(last)
    if not low or not high or low.key != high.key or bates_key(first) != bates_key(member.begin):
        return
    at = low.first
    while at <= high.last:
        other = known.get(bates_key(low.label(at)))
        if other is None:
            at += 1
            continue
        own = found.told(found.members[other], "begin_family")
        if not own or bates_key(own) == bates_key(first):
            yield other
        else:
            text = (
                f"Line {member.line}: its family is {first} to {last}, but "
                f"{found.members[other].key} says that its own begins with {own}. They are "
                "kept apart."
            )
            found.troubles.append(
                Trouble(found.load_file.path.name, member.line, member.key, "family", text)
            )
        held = found.members[other].bates
        at = max(at + 1, held.last + 1 if held else at + 1)


def _ends(span: BatesRange) -> tuple[str, str]:
    return span.label(span.first), span.label(span.last)


def _miss(found: Production, member: Member, number: str) -> None:
    text = (
        f"Line {member.line}: {shown(number)} is named as of its family, and is no document of "
        "the production."
    )
    name = found.load_file.path.name
    trouble = Trouble(name, member.line, member.key, "family", text)
    if trouble not in found.troubles[-3:]:
        found.troubles.append(trouble)


def _settle(found: Production, family: list[Member], known: Mapping[str, int]) -> None:
    """Say which document a family begins with, and which is attached to which."""
    if len(family) == 1:
        return
    keys = {member.key for member in family}

    def named(number: str) -> str | None:
        at = known.get(bates_key(number)) if number else None
        return found.members[at].key if at is not None else None

    parents = {m.key: named(found.told(m, "parent")) for m in family}
    for member in family:
        for number in listed(found.told(member, "children")):
            child = named(number)
            if child in keys and child != member.key and parents.get(child) in {None, child}:
                parents[child] = member.key
    firsts = [named(found.told(m, "begin_family")) for m in family]
    heads = [k for k in firsts if k in keys] or [
        m.key for m in family if parents[m.key] in {None, m.key}
    ]
    head = max(
        heads or [family[0].key], key=lambda k: ((heads or [k]).count(k), -_place(family, k))
    )
    by_key = {member.key: member for member in family}
    for member in family:
        member.family = head
        parent = parents[member.key]
        if member.key == head:
            continue
        member.parent = parent if parent in keys and parent != member.key else head
        by_key[member.parent].children.append(member.key)


def _place(family: list[Member], key: str) -> int:
    return next(i for i, member in enumerate(family) if member.key == key)
