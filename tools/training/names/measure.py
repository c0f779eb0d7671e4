"""Counts names that are exactly right, as conlleval does."""

from __future__ import annotations

from dataclasses import dataclass, field

from training.names.sources import CLASSES

KINDS = CLASSES[:3]
ROLE_KIND = {"party": "person", "bank": "organization"}


@dataclass(slots=True)
class Score:
    """Names right, found and wanted, per kind."""

    right: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)
    wanted: dict[str, int] = field(default_factory=dict)

    def add(self, marked: set, wanted: set) -> None:
        for names, counts in (
            (marked & wanted, self.right), (marked, self.found), (wanted, self.wanted)
        ):  # fmt: skip
            for *_, kind in names:
                counts[kind] = counts.get(kind, 0) + 1

    def include(self, other: Score) -> None:
        """Add another score's counts to these."""
        pairs = (
            (other.right, self.right), (other.found, self.found), (other.wanted, self.wanted)
        )  # fmt: skip
        for part, counts in pairs:
            for kind, n in part.items():
                counts[kind] = counts.get(kind, 0) + n

    def f1(self, kind: str | None = None) -> float:
        right, marked, wanted = (
            sum(n for k, n in c.items() if kind in {None, k})
            for c in (self.right, self.found, self.wanted)
        )
        return 2 * right / (marked + wanted) if marked + wanted else 0.0

    def precision(self) -> float:
        return sum(self.right.values()) / max(1, sum(self.found.values()))

    def recall(self) -> float:
        return sum(self.right.values()) / max(1, sum(self.wanted.values()))

    def __str__(self) -> str:
        kinds = " ".join(f"{k[:3]} {self.f1(k):.3f}" for k in KINDS)
        return f"F1 {self.f1():.3f} (P {self.precision():.3f} R {self.recall():.3f}) {kinds}"


def kept(names, *, roles: bool = False) -> set:
    """Return the names of the three kinds; with *roles* the words for parties as well."""
    if roles:
        names = [(a, b, ROLE_KIND.get(k, k)) for a, b, k in names]
    return {n for n in names if n[2] in KINDS}
