"""Shards in this process, with or without aggregators, each of which can be silenced."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path

from casetrack.cluster.search.serving import RayShards
from casetrack.cluster.search.shard import Query, Shard, ShardAnswer


class InProcess(RayShards):
    """Shards that are asked one after the other; all that passes goes through bytes."""

    def __init__(self, collections: Path, count: int, aggregators: int = 0) -> None:
        names = [str(n) for n in range(count)]
        super().__init__(names, aggregators=[f"aggregator {n}" for n in range(aggregators)])
        self.collections = collections
        self.silent: dict[str, str] = {}
        self.asked: list[str] = []
        self._below: dict[str, Shard | InProcess] = {name: Shard(collections) for name in names}
        for number, name in enumerate(self.aggregators):
            below = InProcess(collections, 0)
            below.names, below._below = names[number::aggregators], self._below
            below.silent, below.asked = self.silent, self.asked
            self._below[name] = below

    def _send(self, name: str, *request: object) -> bytes:
        self.asked.append(name)
        return pickle.dumps(request)

    def _answer(
        self, name: str, request: Sequence[object], response: bytes, started: float
    ) -> ShardAnswer | str:
        query, shards = pickle.loads(response)
        assert isinstance(query, Query)
        below = self._below[name]
        answer = below.top(query) if isinstance(below, Shard) else below.ask(query, shards)
        return self.silent.get(name) or pickle.loads(pickle.dumps(answer))
