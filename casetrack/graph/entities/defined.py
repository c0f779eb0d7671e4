"""Names that a document states for somebody, and what they are worth in other documents.

"Brightwater Cleaning LLC, d/b/a Sparkle House", "Norvane plc, formerly Norvane Paints plc",
"Halden Marine Insurance Company ("HMIC")": where another document uses only the other name, it
means the same one. A name that is one in full holds everywhere, initials and short names within
reach of a document that has the full name (:mod:`casetrack.graph.entities.reach`). What two stand
for in different documents stands for neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.graph.entities.lexicon import COMMON_FIRST_WORDS
from casetrack.graph.entities.organizations import abbreviates, form_of_key, read_organization
from casetrack.graph.entities.text import clean

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.graph.entities.groups import Group
    from casetrack.graph.entities.organizations import OrganizationForm

_LEAST_LETTERS = 3


@dataclass(frozen=True, slots=True)
class Defined:
    """What documents state.

    Attributes
    ----------
    owners
        For the key of each stated name the groups whose other name it is.
    full
        Those of the keys that are names in full.
    initials
        Those that are made of their owner's initials or letters.
    """

    owners: Mapping[str, frozenset[int]]
    full: frozenset[str]
    initials: frozenset[str]


NOTHING_DEFINED = Defined({}, frozenset(), frozenset())


def defined_names(
    rows: pa.Table, groups: Sequence[Group], row_groups: NDArray[np.int64], /
) -> Defined:
    """Read what the documents state of organisations.

    Parameters
    ----------
    rows
        What each document calls an entity; ``kind``, ``key`` and ``defined`` are read.
    groups
        All groups.
    row_groups
        int64 [rows], number of the group of each row.
    """
    lists = rows["defined"].combine_chunks()
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    stating = np.flatnonzero(lengths > 0)
    if not len(stating):
        return NOTHING_DEFINED
    owners: dict[str, set[int]] = {}
    full, initials = set[str](), set[str]()
    numbers = row_groups[stating].tolist()
    for number, names in zip(numbers, lists.take(pa.array(stating)).to_pylist(), strict=True):
        group = groups[number]
        if group.kind != "organization":
            continue
        owner = form_of_key(group.key)
        for name in names:
            form = read_organization(clean(name))
            if form is None or form.base == owner.base:
                continue
            if form.shouted and not form.family and len(form.base[0]) >= _LEAST_LETTERS:
                if abbreviates(form.base[0], owner.base, owner.family):
                    initials.add(form.key)
            elif _is_full(form) and form.base != owner.base[: len(form.base)]:
                full.add(form.key)
            owners.setdefault(form.key, set()).add(number)
    # What somebody's initials are is a full name of nobody.
    return Defined(
        {key: frozenset(found) for key, found in owners.items()},
        frozenset(full - initials),
        frozenset(initials),
    )


def _is_full(form: OrganizationForm) -> bool:
    """Return whether a name says by itself who is meant."""
    if form.family:
        return True
    return sum(w not in COMMON_FIRST_WORDS and len(w) > 2 for w in form.base) > 1


def join_defined(groups: Sequence[Group], roots: NDArray[np.int64], defined: Defined, /) -> None:
    """Join other names in full with the only organisation whose they are, everywhere."""
    for i, owner in _targets(groups, roots.tolist(), defined, defined.full).items():
        if roots[i] != roots[owner]:
            roots[roots == roots[i]] = roots[owner]


def near_targets(
    groups: Sequence[Group], roots: Sequence[int], defined: Defined, /
) -> dict[int, int]:
    """Return for short names and initials that documents state the only organisation they mean.

    They hold within reach of a document that names it in full. "IBM Corporation" goes with the
    corporation whose initials are stated to be IBM.
    """
    return _targets(groups, roots, defined, defined.owners.keys() - defined.full)


def _targets(
    groups: Sequence[Group], roots: Sequence[int], defined: Defined, keys: Collection[str]
) -> dict[int, int]:
    if not keys:
        return {}
    wanted: dict[tuple[str, ...], str] = {form_of_key(key).base: key for key in sorted(keys)}
    firsts = {base[0] for base in wanted}
    begun: dict[tuple[str, ...], set[int]] = {base: set() for base in wanted}
    called: dict[tuple[str, ...], list[tuple[int, str]]] = {base: [] for base in wanted}
    for i, group in enumerate(groups):
        if group.kind != "organization":
            continue
        form = form_of_key(group.key)
        if form.base[0] not in firsts:
            continue
        for size in range(1, len(form.base) + 1):
            if form.base[:size] in begun:
                begun[form.base[:size]].add(roots[i])
        if form.base in called and roots[i] == i:
            called[form.base].append((i, form.family))
    found = {}
    for base, key in wanted.items():
        owners = {roots[o] for o in defined.owners[key]}
        if len(owners) != 1:
            continue
        owner = owners.pop()
        families = {"", form_of_key(key).family}
        if key in defined.initials:
            families.add(form_of_key(groups[owner].key).family)
        fitting = [i for i, family in called[base] if family in families and i != owner]
        # Whoever else begins so may be meant as well: the brand, not the firm that trades under it.
        if not begun[base] - {owner, *fitting}:
            found.update(dict.fromkeys(fitting, owner))
    return found
