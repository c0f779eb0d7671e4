"""Shards in this process, each of which can be silenced; they share no state."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from casetrack.cluster.search.shard import Query, Shard, ShardAnswer


@dataclass
class InProcess:
    """Shards that are asked one after the other; all that passes goes through bytes."""

    collections: Path
    count: int
    silent: dict[int, str] = field(default_factory=dict)
    asked: list[Mapping[int, Query]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._shards = [Shard(self.collections) for _ in range(self.count)]

    def ask(self, questions: Mapping[int, Query], /) -> dict[int, ShardAnswer | str]:
        self.asked.append(questions)
        by_name: dict[int, ShardAnswer | str] = {}
        for number, question in questions.items():
            sent = pickle.loads(pickle.dumps(question))
            message = self._shards[number].top(sent)
            by_name[number] = self.silent.get(number) or pickle.loads(pickle.dumps(message))
        return by_name
