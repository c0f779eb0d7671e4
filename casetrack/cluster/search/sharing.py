"""Which shard looks at which segment."""

from __future__ import annotations

import functools
import hashlib
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

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
