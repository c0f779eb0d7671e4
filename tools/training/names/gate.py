"""The gate as torch trains it: which words may be part of a name, from the last layer alone."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from casetrack.extract.names.words import COLUMNS, words_of
from training.names.labels import MISC
from training.names.network import PAD, Prepared, batch_of, shifted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.names.states import Item

WIDTH = 16
EPOCHS = 3
RATE = 5e-3
WEIGHT = 5.0
"""How much more a name's word counts than another: one that is left out is lost."""
MISSED = 0.01
"""Share that the gate may leave out of the names that the networks would find rightly."""


class Gate(nn.Module):
    """States of the last layer and form of words in, one score each out."""

    def __init__(self, mean: torch.Tensor, scale: torch.Tensor):
        super().__init__()
        sizes = [size for _, size in COLUMNS]
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)
        self.register_buffer("offsets", torch.tensor(np.cumsum([0, *sizes[:-1]])))
        self.project = nn.Linear(len(mean), WIDTH)
        self.table = nn.Embedding(sum(sizes), WIDTH)
        nn.init.normal_(self.table.weight, std=0.1)
        self.out = nn.Linear(3 * WIDTH, 1)

    def forward(self, states, features):
        weight = self.project.weight * self.scale
        last = states[:, -weight.shape[1] :]
        bias = self.project.bias - weight @ self.mean
        form = nn.functional.embedding_bag(features + self.offsets, self.table.weight, mode="sum")
        return self.out(shifted(torch.relu(last @ weight.T + bias + form), 1))[:, 0]


def train_gate(items: Sequence[Item], states: int, seed: int) -> Gate:
    """Fit a gate to passages; *states* is how many numbers a layer has."""
    torch.manual_seed(seed)
    rng = random.Random(seed)
    sample = np.concatenate([i.states[:, -states:] for i in items[:: max(1, len(items) // 300)]])
    spread = sample.astype(np.float32)
    gate = Gate(torch.from_numpy(spread.mean(0)), torch.from_numpy(1 / (spread.std(0) + 1e-3)))
    order = [Prepared(i, 2, rng) for i in items]
    steps = EPOCHS * -(-len(order) // 12)
    optimiser = torch.optim.AdamW(gate.parameters(), RATE, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, RATE, total_steps=steps)
    positive = torch.tensor(WEIGHT)
    for epoch in range(EPOCHS):
        rng.shuffle(order)
        for at in range(0, len(order), 12):
            batch = batch_of(order[at : at + 12], epoch)
            states_, features, _, _, allowed, weights = batch
            wanted = (~allowed[:, 0] & ~allowed[:, MISC : MISC + 4].any(1)).float()
            losses = nn.functional.binary_cross_entropy_with_logits(
                gate(states_, features), wanted, pos_weight=positive, reduction="none"
            )
            loss = (losses * weights).sum() / weights.sum()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
    return gate.eval()


@torch.no_grad()
def limit_of(
    gate: Gate, items: Sequence[Item], names: Sequence[set[tuple[int, int, str]]]
) -> float:
    """Return the score that all but `MISSED` of the names of passages reach with one word."""
    best = []
    for item, wanted in zip(items, names, strict=True):
        states, features, *_ = batch_of([Prepared(item, 0, random.Random(0))], 0)
        scores = gate(states, features)[:-PAD].numpy()
        words = words_of(item.passage.text)
        for start, end, _ in wanted:
            a = int(np.searchsorted(words.ends, start, side="right"))
            b = int(np.searchsorted(words.starts, end))
            best.append(scores[a:b].max())
    return float(np.quantile(best, MISSED))


def exported(gate: Gate, limit: float) -> dict[str, np.ndarray]:
    """Return the arrays of the file; the limit takes the last bias in."""
    state = {name: value.detach().numpy() for name, value in gate.state_dict().items()}
    scaled = state["project.weight"] * state["scale"]
    arrays = {
        "project": scaled.T,
        "table": state["table.weight"],
        "out": state["out.weight"].reshape(3, -1).T,
    }
    arrays = {f"gate_{name}": value.astype(np.float16) for name, value in arrays.items()}
    arrays["gate_bias"] = (state["project.bias"] - scaled @ state["mean"]).astype(np.float32)
    arrays["gate_limit"] = np.array(limit - float(state["out.bias"][0]), dtype=np.float32)
    return arrays
