"""Groups: batches, runs, and numbers joined by a disjoint-set forest (union-find)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def in_batches(
    items: Iterable[T], size: Callable[[T], int], largest: int, most: int | None = None, /
) -> Iterator[list[T]]:
    """Yield items in batches of at most *most* items with a *largest* sum of sizes.

    A larger item is a separate batch.
    """
    batch, total = list[T](), 0
    for item in items:
        if batch and (total + size(item) > largest or len(batch) == most):
            yield batch
            batch, total = [], 0
        batch.append(item)
        total += size(item)
    if batch:
        yield batch


def in_runs(items: Iterable[T], joins: Callable[[list[T], T], bool], /) -> list[list[T]]:
    """Return items in runs; an item starts a new one unless it *joins* the last one."""
    runs: list[list[T]] = []
    for item in items:
        if runs and joins(runs[-1], item):
            runs[-1].append(item)
        else:
            runs.append([item])
    return runs


def spans_of(numbers: Iterable[int], /) -> list[tuple[int, int]]:
    """Return the first and the last number of each run of consecutive numbers."""
    return [(run[0], run[-1]) for run in in_runs(numbers, lambda run, n: n == run[-1] + 1)]


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
