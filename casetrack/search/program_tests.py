"""Finds the tests among the files of a repository by the structure of names and paths.

A test has the name of the file that it tests with one more word, the same for many tests, such as
``test`` or ``spec``; its own names are seldom used in other files.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from casetrack.ingest.steps.words import index_terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    _Name = tuple[str, ...]  # The words of a file's name, in lower case

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_LEAST, _LEAST_SHARE = 3, 0.04
"""Least number of tests with the same word, and least share of all files."""
_USED = 0.7
"""Tests have less than this part of the share of used names that the tested files have."""


class Tests(NamedTuple):
    """Whether each file is a test, and the index terms of the words in their names."""

    files: NDArray[np.bool_]
    terms: set[str]


def find_tests(
    paths: Sequence[Sequence[str]], own: NDArray[np.int64], used: NDArray[np.int64], /
) -> Tests:
    """Return the tests among files.

    *paths* are the parts of the path of each file; *own* is the number of names that only this file
    defines, and *used* the number of these that other files contain.
    """
    stems = [parts[-1].rpartition(".")[0] or parts[-1] for parts in paths]
    names = [tuple(map(str.lower, _WORD.findall(stem))) for stem in stems]
    called: defaultdict[_Name, list[int]] = defaultdict(list)
    for number, name in enumerate(names):
        called[name].append(number)
    files, terms, tested = np.zeros(len(paths), dtype=np.bool_), set[str](), set[int]()
    for (words, is_first), pairs in _extended(names).items():
        tests = sorted(pairs)
        others = [number for rest in sorted(set(pairs.values())) for number in called[rest]]
        if len(tests) < max(_LEAST, _LEAST_SHARE * len(paths)):
            continue
        shares = [used[n].sum() / max(own[n].sum(), 1) for n in (tests, others)]
        if shares[0] < _USED * shares[1]:
            end = slice(len(words)) if is_first else slice(-len(words), None)
            files |= [name[end] == words for name in names]
            terms |= set(index_terms(" ".join(words)))
            tested |= {*others}
    tested -= {*np.flatnonzero(files).tolist()}
    for inside in _folders(paths):
        # A folder with tests and without a tested file also holds data and tools of tests.
        tests_inside = files[inside].sum()
        if max(_LEAST, len(inside) / 2) <= tests_inside and tested.isdisjoint(inside):
            files[inside] = True
    return Tests(files, terms)


def _extended(names: Sequence[_Name]) -> dict[tuple[_Name, bool], dict[int, _Name]]:
    """Return for words at the start or end of names the files whose name has a file's name left."""
    known = set(names)
    found: defaultdict[tuple[_Name, bool], dict[int, _Name]] = defaultdict(dict)
    for number, name in enumerate(names):
        for cut in range(1, len(name)):
            start, end = name[:cut], name[cut:]
            if end in known:
                found[start, True][number] = end
            if start in known:
                found[end, False][number] = start
    return found


def _folders(paths: Sequence[Sequence[str]]) -> Iterator[list[int]]:
    """Yield the files below each folder."""
    below: defaultdict[_Name, list[int]] = defaultdict(list)
    for number, parts in enumerate(paths):
        for end in range(1, len(parts)):
            below[tuple(parts[:end])].append(number)
    yield from below.values()
