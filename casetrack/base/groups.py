"""Numbers that are joined into groups: a disjoint-set forest (union-find)."""

from __future__ import annotations


class Groups:
    """Disjoint sets of the numbers from 0 to *count*; the smallest member identifies a set.

    Examples
    --------
    >>> groups = Groups(4)
    >>> groups.join(3, 1)
    >>> groups.all()
    [[0], [1, 3], [2]]
    """

    def __init__(self, count: int, /) -> None:
        self._above = list(range(count))

    def root(self, i: int, /) -> int:
        """Return the smallest number of a group."""
        while self._above[i] != i:
            self._above[i] = self._above[self._above[i]]
            i = self._above[i]
        return i

    def join(self, i: int, j: int, /) -> None:
        """Join the groups of two numbers."""
        low, high = sorted((self.root(i), self.root(j)))
        self._above[high] = low

    def all(self) -> list[list[int]]:
        """Return every group, ascending, in the order of their smallest numbers."""
        members: dict[int, list[int]] = {}
        for i in range(len(self._above)):
            members.setdefault(self.root(i), []).append(i)
        return list(members.values())
