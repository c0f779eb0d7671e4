"""Queries all shards, and merges their answers into one list per signal."""

from __future__ import annotations

import functools
import hashlib
import logging
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import numpy as np

from casetrack.base.errors import ShardsUnreachable
from casetrack.base.metrics import UNSEARCHED
from casetrack.cluster.search.shard import Part, Query, lists_in
from casetrack.search.scores import gains
from casetrack.store.index.index import Index
from casetrack.store.index.scope import Scope, Unsearched, in_order, positions
from casetrack.store.place import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.cluster.search.shard import ShardAnswer
    from casetrack.store.index.scope import CandidateLists, Place, Question
    from casetrack.store.place import Place as Where
    from casetrack.store.workspace import State

# Assigns segments to shards.

_ROOM = 1.1
"""Maximum rows of a shard as a multiple of the mean, if segments allow it."""


def shared(sizes: Mapping[str, int], shards: int, /) -> Mapping[str, int]:
    """Return the shard of each segment, by rows per segment.

    Every segment prefers some shards by its name (rendezvous hashing, Thaler and Ravishankar 1998)
    and takes the first with free capacity (bounded loads, Mirrokni, Thorup and Zadimoghaddam 2018).
    Loads are similar, a new segment moves few others, and the result depends only on the segments.
    """
    return _shared(frozenset(sizes.items()), shards)


@functools.lru_cache(maxsize=64)
def _shared(segments: frozenset[tuple[str, int]], shards: int) -> Mapping[str, int]:
    sizes = dict(segments)
    room = max(_ROOM * sum(sizes.values()) / shards, 1.0)
    loads = [0] * shards
    assigned = {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        liked = sorted(range(shards), key=lambda n: _rendezvous_score(name, n))
        fits = (n for n in liked if loads[n] + sizes[name] <= room)
        # The largest segments may exceed the capacity; the least loaded shard takes them.
        chosen = next(fits, min(liked, key=lambda n: loads[n]))
        loads[chosen] += sizes[name]
        assigned[name] = chosen
    return MappingProxyType(assigned)


def _rendezvous_score(name: str, shard: int) -> bytes:
    return hashlib.blake2b(f"{shard} {name}".encode(), digest_size=8).digest()


_log = logging.getLogger(__name__)


class Shards(Protocol):
    """A connection to all shards; thread-safe."""

    @property
    def count(self) -> int:
        """Number of shards."""
        ...

    def ask(self, questions: Mapping[int, Query], /) -> dict[int, ShardAnswer | str]:
        """Query shards by number, all at once; return each answer, or the reason without one.

        Raises
        ------
        SearchBusy
            Too many questions are waiting.
        """
        ...


class Coordinator:
    """Searches collections by shards with the segments of all collections."""

    def __init__(self, shards: Shards, /) -> None:
        self._shards = shards

    def lists(self, state: State, /) -> CandidateLists:
        """Return the candidate lists for one search of a state."""
        return _Lists(self._shards, place_of(state.workspace.folder))


@dataclass(slots=True)
class _Lists:
    """The lists of one search; *lost* has passages, documents and reason by unsearched segment."""

    shards: Shards
    place: Where
    lost: dict[int, tuple[int, int, str]] = field(default_factory=dict)
    _whole: tuple[int, int] = (0, 0)

    @property
    def unsearched(self) -> Unsearched:
        """The content of shards that did not answer."""
        if not self.lost:
            return Unsearched()
        chunks = sum(chunks for chunks, _, _ in self.lost.values())
        documents = sum(documents for _, documents, _ in self.lost.values())
        reasons = dict.fromkeys(reason for _, _, reason in self.lost.values())
        note = (
            f"{chunks:,} of {self._whole[0]:,} passages (in {documents:,} of {self._whole[1]:,} "
            f"documents) were not searched: {'; '.join(reasons)}. The results are from the others; "
            "search again in a moment for all."
        )
        return Unsearched(chunks, (note,))

    def top(
        self, scope: Scope, question: Question, depth: int, /
    ) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
        """Yield the lists; see :class:`casetrack.store.index.scope.CandidateLists`.

        Raises ``SearchBusy``, or ``ShardsUnreachable`` if no shard answers.
        """
        asked = _question_builder(self.place, scope, question, depth)
        placed, own = self._placed(scope)
        numbers: dict[int, list[int]] = {}
        for number, shard in placed.items():
            numbers.setdefault(shard, []).append(number)
        answers = self.shards.ask(
            {
                shard: asked(tuple(_part(scope, number) for number in those))
                for shard, those in numbers.items()
            }
        )
        silent = {shard: answer for shard, answer in answers.items() if isinstance(answer, str)}
        if silent and len(silent) == len(numbers) and not own:
            raise ShardsUnreachable(len(numbers), next(iter(silent.values())))
        merged = _MergedLists(scope, depth)
        for shard, those in numbers.items():
            answer = answers[shard]
            if isinstance(answer, str):
                UNSEARCHED.add(shard=str(shard + 1))
                self._skip(scope, those, f"shard {shard + 1} of {self.shards.count} {answer}")
                continue
            for number, reason in answer.lacking.items():
                _log.warning("Shard %s lacks a segment, which is searched here: %s", shard, reason)
                own.append(those[number])
            for name, listed in answer.lists.items():
                segments = np.array(those)[listed.parts].tolist()
                places = list(zip(segments, listed.rows.tolist(), strict=True))
                merged.add(name, places, listed.scores)
        if own:
            for name, places, scores in lists_in(_subset(scope, own), asked(())):
                merged.add(name, [(own[number], row) for number, row in places], scores)
        yield from merged.lists(question)

    def _placed(self, scope: Scope) -> tuple[dict[int, int], list[int]]:
        """Return the shard of each segment to search, and segments that are not on disk yet."""
        parts = scope.index.segments
        folders = {n: part.data.folder for n, part in enumerate(parts)}
        homes = shared(
            {f.name: parts[n].data.size for n, f in folders.items() if f}, self.shards.count
        )
        wanted = [n for n in folders if _count(scope, n)]
        placed = {n: homes[folder.name] for n in wanted if (folder := folders[n]) is not None}
        return placed, [n for n in wanted if folders[n] is None]

    def _skip(self, scope: Scope, numbers: Sequence[int], reason: str) -> None:
        parts = scope.index.segments
        documents = sum(len({d for d in part.documents if d}) for part in parts)
        self._whole = scope.chunk_count, documents
        for number in numbers:
            held = len({d for d in parts[number].documents if d})
            self.lost[number] = _count(scope, number), held, reason


class _MergedLists:
    """Collects the best rows of several lists."""

    def __init__(self, scope: Scope, depth: int) -> None:
        self._scope, self._depth = scope, depth
        self._places: dict[str, list[Place]] = {}
        self._scores: dict[str, list[NDArray[np.float32]]] = {}

    def add(self, name: str, places: Sequence[Place], scores: NDArray[np.float32]) -> None:
        self._places.setdefault(name, []).extend(places)
        self._scores.setdefault(name, []).append(scores)

    def lists(self, question: Question) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
        """Yield the best rows of each signal of the question."""
        looked_for = {
            "bm25": question.terms,
            "semantic": question.vector,
            "sparse": question.sparse,
        }
        for name in (n for n, part in looked_for.items() if part is not None):
            scores = np.concatenate([np.empty(0, np.float32), *self._scores.get(name, ())])
            places = self._places.get(name, [])
            yield name, *in_order(places, scores, self._depth, self._scope.index.keys)


def _question_builder(
    place: Where, scope: Scope, question: Question, depth: int
) -> Callable[[tuple[Part, ...]], Query]:
    """Return a function that builds a question to a shard from its parts."""
    weights = None if question.terms is None else gains(scope, question.terms)
    index = scope.index
    return lambda parts: Query(
        collection=place.folder.name,
        parts=parts,
        depth=depth,
        weights=weights,
        vector=question.vector,
        sparse=question.sparse,
        chunk_count=scope.chunk_count,
        average_length=scope.average_length,
        live_count=index.chunk_count,
        fingerprint=index.fingerprint,
        address=place.address,
        endpoint=place.endpoint,
    )


def _part(scope: Scope, number: int) -> Part:
    part, rows = scope.index.segments[number], scope.rows[number]
    name = part.data.folder.name if part.data.folder else ""
    return Part.of(name, part.data.size, rows, is_filtered=rows is not part.mask)


def _count(scope: Scope, number: int) -> int:
    """Return the number of rows of a segment in the scope."""
    part, rows = scope.index.segments[number], scope.rows[number]
    return part.live_count if rows is part.mask else len(positions(rows, part.data.size))


def _subset(scope: Scope, numbers: Sequence[int]) -> Scope:
    """Return the scope of some segments only, with the counts of all."""
    index = scope.index
    part = Index(
        tuple(index.segments[n] for n in numbers),
        index.chunk_count,
        index.average_length,
        index.embedded_count,
        index.dimension,
        index.fingerprint,
        index.ranks,
    )
    rows = [scope.rows[n] for n in numbers]
    return Scope(part, rows, scope.chunk_count, scope.average_length)
