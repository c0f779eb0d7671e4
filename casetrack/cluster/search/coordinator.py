"""Assigns the segments of an index to shards, and joins their answers to lists of candidates."""

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
from casetrack.cluster.search.shard import NO_ROWS, Part, Query, ShardAnswer, merged, row_lists
from casetrack.search.scores import gains
from casetrack.store.index.index import Index
from casetrack.store.index.scope import (
    CandidateLists,
    Place,
    Question,
    Scope,
    Unsearched,
    in_order,
    positions,
)
from casetrack.store.place import Place as Where
from casetrack.store.place import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.store.workspace import State

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

    def ask(self, asked: Query, shards: Sequence[int], /) -> ShardAnswer:
        """Query all shards at once and merge their answers; *shards* has the shard of each part.

        Raises
        ------
        SearchBusy
            Too many questions are waiting.
        """


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
        numbers, shards = np.array(list(placed), np.int32), list(placed.values())
        answer = ShardAnswer()
        if shards:
            answer = self.shards.ask(asked([_part(scope, number) for number in placed]), shards)
        if answer.silent and len(answer.silent) == len(set(shards)) and not own:
            raise ShardsUnreachable(len(answer.silent), next(iter(answer.silent.values())))
        if answer.silent:
            self._skip(scope, placed, answer.silent)
        for part, reason in answer.lacking.items():
            _log.warning("Shard %s lacks a segment: %s", shards[part] + 1, reason)
            own.append(int(numbers[part]))
        answers = [(numbers, answer)]
        if own:
            every = np.arange(len(scope.index.segments), dtype=np.int32)
            own_lists = row_lists(_subset(scope, own), asked(()), every[own])
            answers.append((every, ShardAnswer(own_lists)))
        lists = merged(depth, answers).lists
        parts = {"bm25": question.terms, "semantic": question.vector, "sparse": question.sparse}
        for name in (name for name, part in parts.items() if part is not None):
            listed = lists.get(name, NO_ROWS)
            places = list(zip(listed.parts.tolist(), listed.rows.tolist(), strict=True))
            yield name, *in_order(places, listed.scores, depth, scope.index.keys)

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

    def _skip(self, scope: Scope, placed: Mapping[int, int], silent: Mapping[int, str]) -> None:
        """Note the segments of shards that did not answer."""
        documents = [len({d for d in part.documents if d}) for part in scope.index.segments]
        self._whole = scope.chunk_count, sum(documents)
        for shard in silent:
            UNSEARCHED.add(shard=str(shard + 1))
        for number, shard in placed.items():
            if shard in silent:
                reason = f"shard {shard + 1} of {self.shards.count} {silent[shard]}"
                self.lost[number] = _count(scope, number), documents[number], reason


def _question_builder(
    place: Where, scope: Scope, question: Question, depth: int
) -> Callable[[Sequence[Part]], Query]:
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
