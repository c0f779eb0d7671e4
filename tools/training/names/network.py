"""The tagger as torch trains it; `casetrack.extract.names.tagger` runs the same sums in numpy."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from casetrack.extract.names.words import COLUMNS, words_of
from training.names.labels import LABELS, allowed_of, labels_of
from training.names.passages import altered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from training.names.states import Item

PAD = 4


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of the training."""

    width: int = 64
    epochs: int = 6
    rate: float = 5e-3
    decay: float = 0.02
    batch: int = 12
    drop_states: float = 0.2
    drop_features: float = 0.15
    drop_hidden: float = 0.2
    alter: bool = True
    seed: int = 0


class Network(nn.Module):
    """States and form of words in, scores of labels out."""

    def __init__(self, settings: Settings, inputs: int, mean: torch.Tensor, scale: torch.Tensor):
        super().__init__()
        width = settings.width
        self.settings = settings
        self.register_buffer("mean", mean)
        self.register_buffer("scale", scale)
        self.project = nn.Linear(inputs, width)
        sizes = [size for _, size in COLUMNS]
        self.register_buffer("offsets", torch.tensor(np.cumsum([0, *sizes[:-1]])))
        self.table = nn.Embedding(sum(sizes), width)
        nn.init.normal_(self.table.weight, std=0.1)
        self.near = nn.Linear(3 * width, width)
        self.far = nn.Linear(3 * width, width)
        self.out = nn.Linear(2 * width, LABELS)

    def forward(self, states, features, groups, real):
        s = self.settings
        drop = nn.functional.dropout
        # The states are standardised by way of the weights, which are far fewer.
        weight = self.project.weight * self.scale
        keep = weight.new_ones(features.shape)
        if self.training:
            # One draw per batch: the states that all words of it do without.
            weight = drop(weight.new_ones(1, weight.shape[1]), s.drop_states) * weight
            keep = (torch.rand(features.shape) >= s.drop_features).float() / (1 - s.drop_features)
        bias = self.project.bias - weight @ self.mean
        form = nn.functional.embedding_bag(
            features + self.offsets, self.table.weight, per_sample_weights=keep, mode="sum"
        )
        h = torch.relu(states @ weight.T + bias + form) * real
        h = drop(h, s.drop_hidden, self.training)
        h = (h + torch.relu(self.near(shifted(h, 1)))) * real
        h = (h + torch.relu(self.far(shifted(h, 2)))) * real
        h = drop(h, s.drop_hidden, self.training)
        m = grouped(h, groups)
        return self.out(torch.cat([h, m], 1))


def shifted(h, by):
    """Return [n, 3 * width]: each row between its previous and next row."""
    zero = h.new_zeros(by, h.shape[1])
    return torch.cat([torch.cat([zero, h[:-by]]), h, torch.cat([h[by:], zero])], 1)


def grouped(h, groups):
    """Return the mean over the group of each row, zero for rows without one."""
    count = int(groups.max()) + 2
    total = h.new_zeros(count, h.shape[1]).index_add(0, groups + 1, h)
    sizes = torch.bincount(groups + 1, minlength=count).clamp(min=1)
    mean = total / sizes[:, None]
    return torch.cat([mean.new_zeros(1, h.shape[1]), mean[1:]])[groups + 1]


class Prepared:
    """A passage with all that depends on its text worked out, in its own and altered forms."""

    def __init__(self, item: Item, forms: int, rng: random.Random):
        words = words_of(item.passage.text)
        labels = labels_of(words, item.passage.names)
        self.states = torch.from_numpy(item.states)
        allowed = allowed_of(labels, item.passage.source)
        allowed[np.searchsorted(words.starts, [a for a, _ in item.passage.unsure])] = True
        self.allowed = torch.from_numpy(allowed)
        self.weight = WEIGHTS.get(item.passage.source, 1.0)
        others = [words_of(altered(item.passage, rng)) for _ in range(forms)]
        self.forms = [words, *(w for w in others if len(w.texts) == len(labels))]
        self.forms = [
            (torch.from_numpy(w.features), torch.from_numpy(w.groups)) for w in self.forms
        ]


def batch_of(items: Sequence[Prepared], form: int):
    """Join passages, apart by empty rows."""
    gap = len(items) * PAD + sum(len(i.states) for i in items)
    states = torch.zeros(gap, items[0].states.shape[1])
    features = torch.zeros(gap, len(COLUMNS), dtype=torch.int64)
    groups = torch.full((gap,), -1)
    real = torch.zeros(gap, 1)
    allowed = torch.ones(gap, LABELS, dtype=torch.bool)
    weights = torch.zeros(gap)
    at = top = 0
    for item in items:
        own, company = item.forms[form % len(item.forms)]
        to = at + len(own)
        states[at:to], features[at:to], allowed[at:to] = item.states, own, item.allowed
        groups[at:to] = torch.where(company >= 0, company + top, -1)
        real[at:to], weights[at:to] = 1.0, item.weight
        top, at = top + len(own), to + PAD
    return states, features, groups, real, allowed, weights


WEIGHTS = {"btc": 0.5, "silver": 0.7}


def train(items: Sequence[Item], settings: Settings, *, say=None) -> Network:
    """Fit a network to passages."""
    torch.manual_seed(settings.seed)
    rng = random.Random(settings.seed)
    sample = np.concatenate([i.states for i in items[:: max(1, len(items) // 300)]]).astype(
        np.float32
    )
    mean, scale = torch.from_numpy(sample.mean(0)), torch.from_numpy(1 / (sample.std(0) + 1e-3))
    order = [Prepared(i, 2 if settings.alter else 0, rng) for i in items]
    network = Network(settings, sample.shape[1], mean, scale)
    steps = settings.epochs * -(-len(order) // settings.batch)
    optimiser = torch.optim.AdamW(network.parameters(), settings.rate, weight_decay=settings.decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, settings.rate, total_steps=steps, pct_start=0.1
    )
    for epoch in range(settings.epochs):
        network.train()
        rng.shuffle(order)
        total = 0.0
        for at in range(0, len(order), settings.batch):
            *inputs, allowed, weights = batch_of(order[at : at + settings.batch], epoch)
            scores = network(*inputs)
            best = torch.logsumexp(scores.masked_fill(~allowed, -1e9), 1)
            loss = ((torch.logsumexp(scores, 1) - best) * weights).sum() / weights.sum()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total += loss.item()
        if say:
            say(f"epoch {epoch + 1}: {total / (steps / settings.epochs):.4f}")
    return network.eval()
