"""What asks all shards, and makes one list per signal of what they answer."""

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
from casetrack.cluster.search.shard import Asked, Part, lists_in
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

# Which shard looks at which segment.

_ROOM = 1.1
"""So many times the mean of all shards is the most that a shard has, where segments allow it."""


def shared(sizes: Mapping[str, int], shards: int, /) -> Mapping[str, int]:
    """Return the shard of each segment.

    Every segment prefers some shards by its name (rendezvous hashing, Thaler and Ravishankar 1998)
    and takes the first that has room (bounded loads, Mirrokni, Thorup and Zadimoghaddam 2018): all
    have about as much, and a new segment moves few of the others. Whoever knows the same segments
    comes to the same end.

    Parameters
    ----------
    sizes
        Rows by segment.
    shards
        How many there are, 1 or more.
    """
    return _shared(frozenset(sizes.items()), shards)


@functools.lru_cache(maxsize=64)
def _shared(segments: frozenset[tuple[str, int]], shards: int) -> Mapping[str, int]:
    sizes = dict(segments)
    room = max(_ROOM * sum(sizes.values()) / shards, 1.0)
    loads = [0] * shards
    found = {}
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        liked = sorted(range(shards), key=lambda n: _liking(name, n))
        fits = (n for n in liked if loads[n] + sizes[name] <= room)
        # The largest ones may be larger than the room; then the emptiest shard takes it.
        chosen = next(fits, min(liked, key=lambda n: loads[n]))
        loads[chosen] += sizes[name]
        found[name] = chosen
    return MappingProxyType(found)


def _liking(name: str, shard: int) -> bytes:
    return hashlib.blake2b(f"{shard} {name}".encode(), digest_size=8).digest()


_log = logging.getLogger(__name__)


class Shards(Protocol):
    """The shards, however they are reached. May be used from several threads."""

    @property
    def count(self) -> int:
        """How many there are."""
        ...

    def ask(self, questions: Mapping[int, Asked], /) -> dict[int, ShardAnswer | str]:
        """Ask shards by their numbers, all at once.

        Returns
        -------
        dict
            What each answers, or why it does not.

        Raises
        ------
        SearchBusy
            More questions wait already than are taken.
        """
        ...


class Front:
    """Searches collections by shards.

    Parameters
    ----------
    shards
        Hold the segments of all collections.
    """

    def __init__(self, shards: Shards, /) -> None:
        self._shards = shards

    def lists(self, state: State, /) -> CandidateLists:
        """Return what makes the lists of one search of a state."""
        return _Lists(self._shards, place_of(state.workspace.folder))


@dataclass(slots=True)
class _Lists:
    """The lists of one search.

    Attributes
    ----------
    lost
        By the number of a segment that was not searched how many passages and documents, and why.
    """

    shards: Shards
    place: Where
    lost: dict[int, tuple[int, int, str]] = field(default_factory=dict)
    _whole: tuple[int, int] = (0, 0)

    @property
    def unsearched(self) -> Unsearched:
        """What the shards that did not answer hold."""
        if not self.lost:
            return Unsearched()
        chunks = sum(chunks for chunks, _, _ in self.lost.values())
        documents = sum(documents for _, documents, _ in self.lost.values())
        reasons = dict.fromkeys(reason for _, _, reason in self.lost.values())
        note = (
            f"{chunks:,} of {self._whole[0]:,} passages (in {documents:,} of {self._whole[1]:,} "
            f"documents) were not searched: {'; '.join(reasons)}. What was found in the others "
            "follows; ask again in a moment for all."
        )
        return Unsearched(chunks, (note,))

    def top(
        self, scope: Scope, question: Question, depth: int, /
    ) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
        """Yield the lists; see :class:`casetrack.store.index.scope.CandidateLists`.

        Raises
        ------
        SearchBusy
            More questions wait already than are taken.
        ShardsUnreachable
            No shard answers.
        """
        asked = _asked(self.place, scope, question, depth)
        placed, own = self._placed(scope)
        numbers: dict[int, list[int]] = {}
        for number, shard in placed.items():
            numbers.setdefault(shard, []).append(number)
        told = self.shards.ask(
            {
                shard: asked(tuple(_part(scope, number) for number in those))
                for shard, those in numbers.items()
            }
        )
        silent = {shard: answer for shard, answer in told.items() if isinstance(answer, str)}
        if silent and len(silent) == len(numbers) and not own:
            raise ShardsUnreachable(len(numbers), next(iter(silent.values())))
        found = _Found(scope, depth)
        for shard, those in numbers.items():
            answer = told[shard]
            if isinstance(answer, str):
                UNSEARCHED.add(shard=str(shard + 1))
                self._lose(scope, those, f"shard {shard + 1} of {self.shards.count} {answer}")
                continue
            for number, reason in answer.lacking.items():
                _log.warning("Shard %s lacks a segment, which is searched here: %s", shard, reason)
                own.append(those[number])
            for name, listed in answer.lists.items():
                segments = np.array(those)[listed.parts].tolist()
                places = list(zip(segments, listed.rows.tolist(), strict=True))
                found.add(name, places, listed.scores)
        if own:
            for name, places, scores in lists_in(_among(scope, own), asked(())):
                found.add(name, [(own[number], row) for number, row in places], scores)
        yield from found.lists(question)

    def _placed(self, scope: Scope) -> tuple[dict[int, int], list[int]]:
        """Return the shard of each segment with rows to look at, and those that no shard can have.

        What another program is still writing to disk is in the memory of this one.
        """
        parts = scope.index.segments
        folders = {n: part.data.folder for n, part in enumerate(parts)}
        homes = shared(
            {f.name: parts[n].data.size for n, f in folders.items() if f}, self.shards.count
        )
        wanted = [n for n in folders if _count(scope, n)]
        placed = {n: homes[folder.name] for n in wanted if (folder := folders[n]) is not None}
        return placed, [n for n in wanted if folders[n] is None]

    def _lose(self, scope: Scope, numbers: Sequence[int], reason: str) -> None:
        parts = scope.index.segments
        documents = sum(len({d for d in part.documents if d}) for part in parts)
        self._whole = scope.chunk_count, documents
        for number in numbers:
            held = len({d for d in parts[number].documents if d})
            self.lost[number] = _count(scope, number), held, reason


class _Found:
    """Collects the best rows of several lists."""

    def __init__(self, scope: Scope, depth: int) -> None:
        self._scope, self._depth = scope, depth
        self._places: dict[str, list[Place]] = {}
        self._scores: dict[str, list[NDArray[np.float32]]] = {}

    def add(self, name: str, places: Sequence[Place], scores: NDArray[np.float32]) -> None:
        self._places.setdefault(name, []).extend(places)
        self._scores.setdefault(name, []).append(scores)

    def lists(self, question: Question) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
        """Yield the best of each signal that the question has."""
        looked_for = {
            "bm25": question.terms,
            "semantic": question.vector,
            "sparse": question.sparse,
        }
        for name in (n for n, part in looked_for.items() if part is not None):
            scores = np.concatenate([np.empty(0, np.float32), *self._scores.get(name, ())])
            places = self._places.get(name, [])
            yield name, *in_order(places, scores, self._depth, self._scope.index.keys)


def _asked(
    place: Where, scope: Scope, question: Question, depth: int
) -> Callable[[tuple[Part, ...]], Asked]:
    """Return what makes a question to a shard of the parts that it is to look at."""
    weights = None if question.terms is None else gains(scope, question.terms)
    index = scope.index
    return lambda parts: Asked(
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
    """Return how many rows of a segment are in the scope."""
    part, rows = scope.index.segments[number], scope.rows[number]
    return part.live_count if rows is part.mask else len(positions(rows, part.data.size))


def _among(scope: Scope, numbers: Sequence[int]) -> Scope:
    """Return the scope over some segments alone, with what is counted over all."""
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
